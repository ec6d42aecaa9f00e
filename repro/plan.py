"""``python -m repro.plan epsilon=0.5 target_gap=0.05``: how many privatised labels?

Give two of epsilon, target_gap and n_pairs; the third is answered, on the linear or text instance,
for a loss, with or without corruption.  Status 0; 2 for bad input; 3 for a question that no number
of labels answers.
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
from repro.base.schema import Epsilon, KLWeight, Model, Number, Pairs, Positive, Whole, validate
from repro.cli.command import run_command
from repro.corruption.orders import order_of
from repro.families.losses.label_plan import LabelPlan, NoAnswer
from repro.instances.build import build_world
from repro.instances.choices import INSTANCES, instance_choice
from repro.instances.linear import LinearWorld

REFUSED, NO_ANSWER = 2, 3
QUESTION = ("epsilon", "target_gap", "n_pairs")


class PlanRequest(Model):
    """Arguments of the command; two of the first three are given."""

    epsilon: Epsilon | None = None
    target_gap: Positive | None = None
    n_pairs: Pairs | None = None
    corruption: Annotated[Number, Field(ge=0, lt=0.5)] = 0.0
    order: Literal["ctl", "ltc"] = "ctl"
    loss: Literal["mixture", "square", "debiased"] = "mixture"
    instance: Literal["linear", "preference_text"] = "linear"
    instance_seed: Annotated[Whole, Field(ge=0, lt=2**63)] | None = None
    kl_weight: KLWeight | None = None
    replicates: Annotated[Whole, Field(ge=50, le=10**6)] = 1000
    seed: Annotated[Whole, Field(ge=0, lt=2**63)] = 0


def main(arguments: Sequence[str]) -> int:
    """Answer on stdout; the status of the contract."""
    torch.set_num_threads(1)
    try:
        request = validate(PlanRequest, keyword_values(arguments, PlanRequest))
        _refuse_open_question(request)
        plan = build_plan(request)
        for line in answer(request, plan):
            print(line)
    except BadInput as problem:
        print(f"error: {problem}", file=sys.stderr)
        return REFUSED
    except NoAnswer as problem:
        print(f"no answer: {problem}", file=sys.stderr)
        return NO_ANSWER
    return 0


def build_plan(request: PlanRequest) -> LabelPlan:
    """The instance of a request, with its loss and adversary.

    Raises:
        BadInput: the instance cannot be built as asked.
    """
    values: Any = OmegaConf.to_container(
        OmegaConf.load(conf_dir() / "instance" / f"{request.instance}.yaml")
    )
    if request.kl_weight is not None:
        values["kl_weight"] = request.kl_weight
    if request.instance_seed is not None:
        if "seed" not in INSTANCES[request.instance].model_fields:
            raise BadInput("instance_seed", request.instance_seed, "allowed: with instance=linear")
        values["seed"] = request.instance_seed
    cache = Path("outputs") / ".cache" / "features"
    world = build_world(instance_choice(values), cache, "cpu")
    assert isinstance(world, LinearWorld)
    return LabelPlan(
        world,
        request.loss,
        request.corruption,
        order_of(request.order),
        request.replicates,
        request.seed,
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
            f"epsilon = {epsilon:.3g}, the strictest budget for a mean gap of {target:g} "
            f"with {n_pairs} labels"
        )
    elif n_pairs is None:
        assert target is not None
        n_pairs, range95 = plan.labels_for(target, epsilon)
        yield (
            f"n_pairs = {n_pairs} labels at epsilon = {epsilon:g} for a mean gap of {target:g} "
            f"(95 %: {range95.low:.0f} to {range95.high:.0f})"
        )
    yield from _facts(plan, n_pairs, epsilon)


def _facts(plan: LabelPlan, n_pairs: int, epsilon: float) -> Iterator[str]:
    """The gap, the constant, what the labels are worth, and the floor."""
    gap, floor = plan.measure(n_pairs, epsilon, stage=2), plan.floor(epsilon)
    constant = plan.constant(epsilon)
    by_cost, by_constant = plan.clean_equivalent(n_pairs, epsilon)
    yield f"gap = {gap.value:.4g} [{gap.low:.4g}, {gap.high:.4g}] measured with {n_pairs} labels"
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


def _refuse_open_question(request: PlanRequest) -> None:
    given = [name for name in QUESTION if getattr(request, name) is not None]
    if len(given) != 2:
        raise BadInput(
            "question",
            " ".join(given) or "(nothing)",
            f"allowed: exactly two of {', '.join(QUESTION)}; the third is the answer",
        )


if __name__ == "__main__":
    run_command(main, __doc__)
