"""``python -m repro.plan epsilon=0.5 target_gap=0.05``: how many privatised labels?

Give two of epsilon, target_gap and n_pairs; the third is answered for a loss, with or without
corruption, so that a share ``confidence`` of all datasets keeps it (.9 unless given).  The answer
is about the world that is printed: instance=linear or preference_text, with instance.KEY=VALUE for
its fields, such as instance.path=FILES for pairs of one's own.  Status 0; 2 for bad input; 3 for a
question that no number of labels answers.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import torch
from omegaconf import OmegaConf
from pydantic import Field

from repro.base.errors import BadInput
from repro.base.keywords import keyword_values
from repro.base.notation import privacy_cost
from repro.base.paths import conf_dir
from repro.base.schema import (
    Epsilon,
    KLWeight,
    Model,
    Number,
    Pairs,
    Positive,
    Probability,
    Whole,
    validate,
)
from repro.cli.command import run_command
from repro.corruption.orders import order_of
from repro.families.losses.label_plan import LabelPlan, NoAnswer, fewest_replicates
from repro.instances.build import build_world
from repro.instances.choices import INSTANCES, LinearChoice, TextChoice, instance_choice
from repro.instances.linear import LinearWorld

REFUSED, NO_ANSWER = 2, 3
QUESTION = ("epsilon", "target_gap", "n_pairs")
FIELD = "instance."
"""What words begin with that are about the world."""


class PlanRequest(Model):
    """Arguments of the command; two of the first three are given."""

    epsilon: Epsilon | None = None
    target_gap: Positive | None = None
    n_pairs: Pairs | None = None
    corruption: Annotated[Number, Field(ge=0, lt=0.5)] = 0.0
    order: Literal["ctl", "ltc"] = "ctl"
    loss: Literal["mixture", "square", "debiased"] = "mixture"
    instance: Literal["linear", "preference_text"] = "linear"
    kl_weight: KLWeight | None = None
    confidence: Annotated[Probability, Field(ge=0.5, le=0.999)] = 0.9
    replicates: Annotated[Whole, Field(ge=10, le=10**6)] = 1000
    seed: Annotated[Whole, Field(ge=0, lt=2**63)] = 0


def main(arguments: Sequence[str]) -> int:
    """Answer on stdout; the status of the contract."""
    torch.set_num_threads(1)
    try:
        fields = [word for word in arguments if word.startswith(FIELD)]
        words = [word for word in arguments if not word.startswith(FIELD)]
        request = validate(PlanRequest, keyword_values(words, PlanRequest))
        _refuse_open_question(request)
        choice = world_choice(request, fields)
        for line in (*answer(request, build_plan(request, choice)), _world_words(choice)):
            print(line)
    except BadInput as problem:
        print(f"error: {problem}", file=sys.stderr)
        return REFUSED
    except NoAnswer as problem:
        print(f"no answer: {problem}", file=sys.stderr)
        return NO_ANSWER
    return 0


def world_choice(request: PlanRequest, fields: Sequence[str]) -> LinearChoice | TextChoice:
    """The instance of a request, with some of its fields replaced.

    Args:
        request: names the instance, and its kl_weight.
        fields: ``instance.KEY=VALUE`` each.

    Raises:
        BadInput: there is no such field, or it does not allow the value.
    """
    values: Any = OmegaConf.to_container(
        OmegaConf.load(conf_dir() / "instance" / f"{request.instance}.yaml")
    )
    try:
        words = [word.removeprefix(FIELD) for word in fields]
        own = keyword_values(words, INSTANCES[request.instance])
    except BadInput as problem:
        raise BadInput(FIELD + problem.key, problem.value, problem.allowed) from None
    if "kind" in own:
        raise BadInput(f"{FIELD}kind", own["kind"], "allowed: instance=KIND in its place")
    if request.kl_weight is not None:
        own = {"kl_weight": request.kl_weight} | own
    return instance_choice(values | own | {"kind": request.instance})


def build_plan(request: PlanRequest, choice: LinearChoice | TextChoice) -> LabelPlan:
    """The instance of a request, with its loss and adversary.

    Raises:
        BadInput: the instance cannot be built as asked.
    """
    world = build_world(choice, Path("outputs") / ".cache" / "features", "cpu")
    assert isinstance(world, LinearWorld)
    return LabelPlan(
        world,
        request.loss,
        request.corruption,
        order_of(request.order),
        request.replicates,
        request.seed,
        request.confidence,
    )


def answer(request: PlanRequest, plan: LabelPlan) -> Iterator[str]:
    """Lines of the answer, the answer itself first.

    Raises:
        NoAnswer: no number of labels, or no budget, does it.
    """
    target, n_pairs, epsilon = request.target_gap, request.n_pairs, request.epsilon
    if epsilon is None:
        assert target is not None
        assert n_pairs is not None
        epsilon = plan.epsilon_for(target, n_pairs)
        yield (
            f"epsilon = {epsilon:.3g}, the strictest budget for a gap of at most {target:g} "
            f"with {n_pairs} labels, in {request.confidence:.1%} of datasets"
        )
    elif n_pairs is None:
        assert target is not None
        n_pairs, fewest = plan.labels_for(target, epsilon)
        yield (
            f"n_pairs = {n_pairs} labels at epsilon = {epsilon:g} for a gap of at most {target:g} "
            f"in {request.confidence:.1%} of datasets ({fewest} may do)"
        )
    yield from _facts(plan, n_pairs, epsilon, target)


def _facts(plan: LabelPlan, n_pairs: int, epsilon: float, target: float | None) -> Iterator[str]:
    """The gap, the constant, what the labels are worth, and the floor."""
    gap, floor = plan.measure(n_pairs, epsilon, stage=2), plan.floor(epsilon)
    constant = plan.constant(epsilon)
    by_cost, by_constant = plan.clean_equivalent(n_pairs, epsilon)
    if target is None:
        kept = f"at most {plan.promised(n_pairs, epsilon, stage=2):.4g} in {plan.confidence:.1%}"
    else:
        share = float((plan.gaps(n_pairs, epsilon, stage=2) <= target).mean())
        kept = f"at most {target:g} in {share:.1%} of {plan.replicates} other"
    yield (
        f"gap = {gap.value:.4g} [{gap.low:.4g}, {gap.high:.4g}] on average with {n_pairs} labels, "
        f"{kept} datasets"
    )
    times_n = [n_pairs * (value - floor) for value in (gap.value, gap.low, gap.high)]
    yield (
        f"n*(gap - floor) = {times_n[0]:.4g} [{times_n[1]:.4g}, {times_n[2]:.4g}] measured, "
        f"{constant:.4g} for large n"
    )
    if math.isfinite(epsilon):
        yield (
            f"clean-label equivalents: {by_cost:.0f} by c(epsilon)^2 = "
            f"{privacy_cost(epsilon) ** 2:.4g}, {by_constant:.0f} by this loss's constants"
        )
    if plan.corruption:
        yield (
            f"floor = {floor:.4g} for any n, loss={plan.loss}, against the worst adversary found; "
            f"no method can promise less than {plan.floor_of_any_method(epsilon):.4g}"
        )


def _world_words(choice: LinearChoice | TextChoice) -> str:
    """What the answer is about, field by field."""
    given = ((name, value) for name, value in choice if name != "kind" and value is not None)
    fields = (f"{name}={_shown(value)}" for name, value in given)
    return f"assumed world: instance={choice.kind} " + " ".join(fields)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _refuse_open_question(request: PlanRequest) -> None:
    """Two of three numbers are needed, and enough datasets for the confidence."""
    given = [name for name in QUESTION if getattr(request, name) is not None]
    if len(given) != 2:
        raise BadInput(
            "question",
            " ".join(given) or "(nothing)",
            f"allowed: exactly two of {', '.join(QUESTION)}; the third is the answer",
        )
    if request.replicates < (fewest := fewest_replicates(request.confidence)):
        allowed = f"allowed: at least {fewest}, to show confidence={request.confidence:g}"
        raise BadInput("replicates", request.replicates, allowed)


if __name__ == "__main__":
    run_command(main, __doc__)
