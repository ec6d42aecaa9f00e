"""From a grid point of P2's online results to its case."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Protocol, Self

import numpy as np
import torch
from pydantic import Field, model_validator

from repro.base.notation import label_signal, privacy_cost
from repro.base.schema import Corruption, GridRatio, Model, Number, Positive, Whole
from repro.corruption.label_mean import NOBODY, Adversary, WorseResponse
from repro.corruption.orders import Order
from repro.preferences.label_law import Estimate, as_fitted
from repro.study.case import Point
from repro.study.config import Overrides, Probe, Probes
from repro.study.experiment import Experiment
from repro.study.label_cases import LabelCase
from repro.study.results import AssumptionResult
from repro.study.row import Row
from repro.xpo.needles import NeedleClass

OPTIMAL_ODDS = 2.0
"""Log odds of the best response under π*_β; kl_weight is the reward gap over the tilt to them."""

OPTIMISM_SHARE = 0.5
"""γ = share·β·c(ε)/√T."""


class Rewards(Protocol):
    """Reward gaps, of which the worst counts."""

    @property
    def rungs(self) -> int:
        """How many."""
        ...

    @property
    def high(self) -> float:
        """The largest."""
        ...

    def values(self) -> np.ndarray:
        """(M,) the reward gaps."""
        ...


class Ladder(Model):
    """Reward gaps from low to high in equal ratios."""

    low: Positive
    high: Annotated[Number, Field(gt=0, le=1)]
    rungs: Annotated[Whole, Field(ge=3, le=100)]

    @model_validator(mode="after")
    def _rising(self):
        if self.low >= self.high:
            raise ValueError("low below high")
        return self

    def values(self) -> np.ndarray:
        """(M,) the reward gaps."""
        return np.geomspace(self.low, self.high, self.rungs)


@dataclass(frozen=True)
class Rung:
    """One reward gap in the place of a ladder."""

    high: float
    rungs: int = 1

    def values(self) -> np.ndarray:
        """(1,) the reward gap."""
        return np.array([self.high])


class XpoProbe(Probe):
    """Also the ladder of reward gaps, and the share of corrupted labels where it is not swept.

    Attributes:
        ladder: reward gaps, where R_max is not swept.
        steps: R_max·√T/c(ε), which gives T, where R_max is swept.
        corruption: α.
    """

    ladder: Ladder | None = None
    steps: Positive | None = None
    corruption: Corruption = 0.0

    @model_validator(mode="after")
    def _one_of_both(self):
        if (self.ladder is None) is (self.steps is None):
            raise ValueError("either a ladder, or steps where R_max is swept")
        return self


class XpoProbes(Probes):
    """Probes with a ladder each.

    Attributes:
        grid_ratio: of the times at which policies change.
    """

    grid_ratio: GridRatio
    probes: dict[str, XpoProbe]  # type: ignore[assignment]


@dataclass(frozen=True)
class Supremum:
    """What a row takes for granted of its supremum over the ladder.

    Attributes:
        interior: the worst rung of the row's own method lies inside the ladder, or the replicate
            has failed: at an end the supremum may lie beyond it.  Rows that claim an exact
            exponent need it; what a ladder finds is enough to refute a bound.
        order: whether the adversary comes before (CTL) or after (LTC) the randomizer.
        rare: π_ref of the best response, where it is not 1/A: so small that π_ref alone never finds
            it within the horizon, and γ has to.
    """

    interior: bool
    order: Order = Order.CTL
    rare: float | None = None


@dataclass(frozen=True, kw_only=True)
class XpoCase(LabelCase):
    """One grid point of online alignment on needles, stage by stage; equal where all fields are.

    Attributes:
        ladder: reward gaps, kl_weight in proportion.
        interior: whether the worst rung of the first method must lie inside the ladder.
        grid_ratio: of the times at which policies change.
        num_actions: A.
        rare: π_ref of the best response, where it is not 1/A.
        device: torch device.
        adversary: who corrupts them.
        order: whether before (CTL) or after (LTC) they are randomized.
        bonus: multiple of γ: 1 as tuned, 0 no optimism, −1 pessimism.
        estimate: (fitted, true) index of a policy in the class → what an update returns.
    """

    ladder: Rewards
    interior: bool
    grid_ratio: float
    num_actions: int = 2
    rare: float | None = None
    device: str = "cpu"
    adversary: Adversary = NOBODY
    idle_adversary: ClassVar[Any] = NOBODY
    order: Order = Order.CTL
    bonus: float = 1.0
    estimate: Estimate = as_fitted

    @property
    def best_share(self) -> float:
        """π_ref of the best response."""
        return 1 / self.num_actions if self.rare is None else self.rare

    def policies(self) -> NeedleClass:
        """Policies with log odds of the best response from −4, or 4 below π_ref, to 4.

        In steps of ½ from −4 on, of 2 below: there policies hardly differ.
        """
        away = math.log(1 / self.best_share - 1)
        far = torch.arange(math.floor(-4 - away), -4, 2, dtype=torch.float64) if away > 4 else None
        near = torch.linspace(-4, 4, 17, dtype=torch.float64)
        log_odds = near if far is None else torch.cat([far, near])
        return NeedleClass(
            self.num_actions, log_odds.to(self.device) + away, OPTIMAL_ODDS + away, self.best_share
        )

    def optimism(self) -> float:
        """γ/β of a multiple 1."""
        return OPTIMISM_SHARE / (label_signal(self.epsilon) * math.sqrt(self.horizon))

    def longer(self, times: int) -> Self:
        """With so many times the labels."""
        return replace(self, horizon=times * self.horizon, n_pairs=times * self.n_pairs)


class XpoExperiment(Experiment[XpoCase]):
    """Sweeps T, ε, α, A or 1/π_ref of the best response.

    A row is given what it takes for granted of its supremum.
    """

    config: XpoProbes
    case_type: ClassVar[type[XpoCase]] = XpoCase

    def case(self, point: Point) -> XpoCase:
        """What one grid point plays."""
        probe, given = point.probe, point.row.given
        assert isinstance(probe, XpoProbe)
        assert isinstance(given, Supremum)
        swept = point.row.over == "inverse_reference"
        ladder, horizon = _ladder_and_horizon(point, probe)
        return self.case_type(
            methods=point.methods, epsilon=point.epsilon, horizon=horizon,
            ladder=ladder, interior=given.interior, grid_ratio=self.config.grid_ratio,
            num_actions=int(point.swept("num_actions", 2)), device=self.setting.device,
            adversary=WorseResponse(point.swept("corruption", probe.corruption)),
            order=given.order, rare=1 / point.value if swept else given.rare,
        )  # fmt: skip

    def more_labels(self, row: Row, probe: Probe, given: Overrides) -> float:
        """A run has T labels, and T is the statement's own: nothing is scaled."""
        return 1.0

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumptions 4.5 and 4.6: π*_β is in the class, implicit rewards stay below V_max."""
        found = []
        for trial in self.trials:
            high = trial.cases[0].ladder.high
            detail = f"tilt 2 of −4..4; implicit rewards ≤ {3 * high:.3g}, rewards ≤ {high:.3g}"
            found.append(AssumptionResult(f"{trial.row.name}: realizable, bounded", True, detail))
        return tuple(found)


def _ladder_and_horizon(point: Point, probe: XpoProbe) -> tuple[Ladder | Rung, int]:
    """The ladder and T of a probe, or one rung R_max and T = (steps·c(ε)/R_max)²."""
    if probe.ladder is not None:
        return probe.ladder, point.horizon
    assert probe.steps is not None
    root = probe.steps * privacy_cost(point.epsilon) * point.value
    return Rung(1 / point.value), round(root**2)
