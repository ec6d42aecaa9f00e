"""Sweeps over P2's online algorithms: suprema over a ladder of reward gaps."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from repro.base.notation import epsilon_of_cost
from repro.base.schema import Corruption, Model, Number, Positive, Whole
from repro.families.xpo.wrong import METHODS, XpoProblem, ladder_gap
from repro.study.checks import Check, SlopeCheck
from repro.study.experiment import Setting
from repro.study.legacy import SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult


class Ladder(Model):
    """Reward gaps from low to high in equal ratios."""

    low: Positive
    high: Annotated[Number, Field(gt=0, le=1)]
    rungs: Annotated[Whole, Field(ge=3, le=100)]
    corruption: Corruption = 0.0

    def values(self) -> np.ndarray:
        """(M,) the reward gaps."""
        return np.geomspace(self.low, self.high, self.rungs)


class XpoConfig(SweepConfig):
    """A sweep with a ladder a row."""

    grid_ratio: Positive
    ladders: dict[str, Ladder]


class XpoSweep(SweepExperiment):
    """Sweeps T, ε, α or A; a row's world is ``ctl`` or ``ltc``."""

    def __init__(self, config: XpoConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.grid_ratio, self.ladders = config.grid_ratio, config.ladders

    def problem(self, check: Check, value: float) -> XpoProblem:
        """What one grid point plays."""
        on_corruption = check.axis == "corruption"
        share = value if on_corruption else self.ladders[check.name].corruption
        horizon = value if check.axis == "horizon" else self._fixed(check, "horizon")
        return XpoProblem(
            horizon=int(horizon),
            epsilon=self.budget(check, value),
            num_actions=int(value) if check.axis == "num_actions" else 2,
            corruption=share,
            after_privacy=check.settings["world"] == "ltc",
        )

    def budget(self, check: Check, value: float) -> float:
        """ε of one grid point."""
        on_cost = check.axis == "privacy_cost"
        return epsilon_of_cost(value) if on_cost else self._fixed(check, "epsilon")

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Average gap on the worst rung; NaN where a slope's worst rung is an end."""
        problem, ladder = self.problem(check, value), self.ladders[check.name].values()
        found = {}
        for name in check.methods:
            gap, rung = ladder_gap(
                problem,
                METHODS[name],
                ladder,
                self.grid_ratio,
                rng,
                replicates,
                self.setting.device,
            )
            at_end = rung in (0, len(ladder) - 1)
            sought = isinstance(check, SlopeCheck) and check.expected == "supported"
            unfit = name == check.method and sought and at_end
            found[name] = np.full_like(gap, np.nan) if unfit else gap
        return found

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumptions 4.5 and 4.6: π*_β is in the class, implicit rewards stay below V_max."""
        found = []
        for check in self.checks():
            high = self.ladders[check.name].high
            detail = f"tilt 2 of −4..4; implicit rewards ≤ {3 * high:.3g}, rewards ≤ {high:.3g}"
            found.append(AssumptionResult(f"{check.name}: realizable, bounded", True, detail))
        return tuple(found)
