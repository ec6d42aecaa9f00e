"""How many privatised labels a gap costs: ``repro.plan``, and its command of the same name."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from repro.corruption.orders import order_of
from repro.families.losses.algorithms_losses import LossName
from repro.families.losses.label_plan import LabelPlan, Measured, NoAnswer
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


@dataclass(frozen=True, repr=False)
class Plan:
    """Two numbers that were given, the third that answers, and what comes with them.

    Attributes:
        epsilon: ε, per label.
        n_pairs: labels.
        target_gap: the gap that was asked for [reward]; None where the gap was the question.
        n_pairs_range: the 95 % interval of ``n_pairs`` where that was the question, else None.
        gap: mean gap measured with these labels [reward], with its 95 % interval.
        constant: lim n·(gap − floor) for this loss [reward].
        clean_labels: clean labels that tell as much, by this loss's constants.
        loss: that is minimised.
        corruption: α.
        floor: what no number of labels gets this loss below [reward]; 0 without corruption.
        floor_of_any_method: likewise for any method.
    """

    epsilon: float
    n_pairs: int
    target_gap: float | None
    n_pairs_range: Measured | None
    gap: Measured
    constant: float
    clean_labels: float
    loss: LossName
    corruption: float
    floor: float
    floor_of_any_method: float

    def __repr__(self) -> str:
        """What the command prints: the answer first, at most five lines."""
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The answer where it is not the gap, then the gap, the constant, clean labels, floors."""
        gap, n_pairs, epsilon = self.gap, self.n_pairs, self.epsilon
        if of_pairs := self.n_pairs_range:
            yield (
                f"n_pairs = {n_pairs} labels at epsilon = {epsilon:g} for a mean gap of "
                f"{self.target_gap:g} (95 %: {of_pairs.low:.0f} to {of_pairs.high:.0f})"
            )
        elif self.target_gap is not None:
            yield (
                f"epsilon = {epsilon:.3g}, the strictest budget for a mean gap of "
                f"{self.target_gap:g} with {n_pairs} labels"
            )
        spread = f"[{gap.low:.4g}, {gap.high:.4g}]"
        yield f"gap = {gap.value:.4g} {spread} measured with {n_pairs} labels"
        times_n = [n_pairs * (value - self.floor) for value in (gap.value, gap.low, gap.high)]
        yield (
            f"n*(gap - floor) = {times_n[0]:.4g} [{times_n[1]:.4g}, {times_n[2]:.4g}] measured, "
            f"{self.constant:.4g} for large n"
        )
        if math.isfinite(epsilon):
            cost = privacy_cost(epsilon) ** 2
            yield (
                f"clean-label equivalents: {n_pairs / cost:.0f} by c(epsilon)^2 = {cost:.4g}, "
                f"{self.clean_labels:.0f} by this loss's constants"
            )
        if self.corruption:
            yield (
                f"floor = {self.floor:.4g} for any n, loss={self.loss}, against the worst "
                f"adversary found; no method can promise less than {self.floor_of_any_method:.4g}"
            )


def plan(
    *,
    epsilon: float | None = None,
    target_gap: float | None = None,
    n_pairs: float | None = None,
    corruption: float = 0.0,
    order: Literal["ctl", "ltc"] = "ctl",
    loss: Literal["mixture", "square", "debiased"] = "mixture",
    instance: Literal["linear", "preference_text"] = "linear",
    instance_seed: int | None = None,
    kl_weight: float | None = None,
    replicates: int = 1000,
    seed: int = 0,
) -> Plan:
    """The third of ε, a gap and a number of labels from the other two.

    Args:
        epsilon: privacy budget of a label, in [1e-6, 100] or inf.
        target_gap: mean suboptimality that can be lived with [reward].
        n_pairs: number of labels.
        corruption: α, the share of labels an adversary replaces, in [0, 0.5).
        order: corruption before the privacy mechanism (``ctl``) or after it (``ltc``).
        loss: that is minimised.
        instance: random linear rewards, or the geometry of text pairs.
        instance_seed: of the linear instance.
        kl_weight: P1's 1/β, instead of the instance's.
        replicates: datasets a measurement.
        seed: of the simulation.

    Raises:
        repro.base.errors.BadInput: not two of the three, or a value that cannot be used.
        repro.families.losses.label_plan.NoAnswer: no number of labels, or no budget, does it.

    >>> plan(epsilon=1, n_pairs=5000, replicates=50).gap.value < 0.1
    True
    """
    return _answered(validate(PlanRequest, dict(locals())))


def main(arguments: Sequence[str]) -> int:
    """Answer on stdout; the status of the contract."""
    torch.set_num_threads(1)
    try:
        found = _answered(validate(PlanRequest, keyword_values(arguments, PlanRequest)))
        print(found)
    except BadInput as problem:
        print(f"error: {problem}", file=sys.stderr)
        return REFUSED
    except NoAnswer as problem:
        print(f"no answer: {problem}", file=sys.stderr)
        return NO_ANSWER
    return 0


def _answered(request: PlanRequest) -> Plan:
    """Measure what was asked for.

    Raises:
        BadInput: an open question, or an instance that cannot be built as asked.
        NoAnswer: no number of labels, or no budget, does it.
    """
    _refuse_open_question(request)
    built, target = build_plan(request), request.target_gap
    n_pairs, epsilon, spread = request.n_pairs, request.epsilon, None
    if epsilon is None:
        assert target is not None
        assert n_pairs is not None
        epsilon = built.epsilon_for(target, n_pairs)
    elif n_pairs is None:
        assert target is not None
        n_pairs, spread = built.labels_for(target, epsilon)
    return Plan(
        epsilon=epsilon,
        n_pairs=n_pairs,
        target_gap=target,
        n_pairs_range=spread,
        gap=built.measure(n_pairs, epsilon, stage=2),
        constant=built.constant(epsilon),
        clean_labels=built.clean_equivalent(n_pairs, epsilon)[1],
        loss=request.loss,
        corruption=request.corruption,
        floor=built.floor(epsilon),
        floor_of_any_method=built.floor_of_any_method(epsilon),
    )


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


def _refuse_open_question(request: PlanRequest) -> None:
    given = [name for name in QUESTION if getattr(request, name) is not None]
    if len(given) != 2:
        raise BadInput(
            "question",
            " ".join(given) or "(nothing)",
            f"allowed: exactly two of {', '.join(QUESTION)}; the third is the answer",
        )
