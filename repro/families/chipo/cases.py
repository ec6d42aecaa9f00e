"""From a grid point of P2's offline χPO results to its case."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from repro.corruption.orders import Order
from repro.families.chipo.algorithms_linear import LinearChipo
from repro.families.chipo.algorithms_offset import OffsetStudy
from repro.families.chipo.algorithms_tabular import ChipoStudy
from repro.families.chipo.variants import ChipoVariant
from repro.families.chipo.worlds import RareGoodArm
from repro.instances.linear import LinearWorld
from repro.preferences.label_law import Estimate, as_fitted, the_truth
from repro.study.label_cases import HuberCase, LabelCase
from repro.study.row import Evidence, Measure, Method, per_method


@dataclass(frozen=True, eq=False, kw_only=True)
class ChipoCase(LabelCase):
    """One grid point on a ladder of rewards, of which a gap takes the worst.

    Attributes:
        tuning: the factor of β.
        estimate: (fitted, truth) → what the estimator returns.
    """

    tuning: float
    estimate: Estimate = as_fitted

    @abstractmethod
    def gaps(self, variant: ChipoVariant, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """(R,) simulated gap of a variant on the instance that is worst for it."""

    @abstractmethod
    def informed_gap(self, variant: ChipoVariant) -> float:
        """Gap of a variant on the same instance where it knows the rewards: what β costs."""

    @abstractmethod
    def interior(self, variant: ChipoVariant) -> tuple[bool, str]:
        """Whether the ladder's maximum is inside it, and where."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TabularCase(HuberCase, ChipoCase):
    """Two responses a state, the better one rare.

    Attributes:
        world: S, C^π* and R_max.
        fixed_kl_weight: β of the variants that do not tune it.
        assumed_order: the order of corruption and privacy that β is tuned for.
    """

    world: RareGoodArm
    fixed_kl_weight: float
    assumed_order: Order = Order.CTL

    @cached_property
    def study(self) -> ChipoStudy:
        """The algorithm and its data at this point."""
        return ChipoStudy(
            self.world, self.n_pairs, self.reports, self.assumed_order, self.tuning,
            self.fixed_kl_weight, self.estimate,
        )  # fmt: skip

    def worst(self, variant: ChipoVariant) -> float:
        """The reward difference of a variant's largest expected gap."""
        return _worst(self.study, variant)[0]

    def gaps(self, variant: ChipoVariant, rng: np.random.Generator, replicates: int) -> np.ndarray:
        return self.study.simulate(variant, np.array(self.worst(variant)), rng, replicates)

    def informed_gap(self, variant: ChipoVariant) -> float:
        informed = replace(self.study, estimated=the_truth)
        return float(informed.gap(variant, np.array(0.0), np.array(self.worst(variant))))

    def interior(self, variant: ChipoVariant) -> tuple[bool, str]:
        worst, inside = _worst(self.study, variant)
        return inside, f"worst Δ = {worst:.3g} inside (0, R_max]"


@dataclass(frozen=True, eq=False, kw_only=True)
class DrawnCase(TabularCase):
    """Reward differences that are drawn or fixed, not searched."""

    def interior(self, variant: ChipoVariant) -> tuple[bool, str]:
        return True, "reward differences drawn or fixed in (0, R_max]"


@dataclass(frozen=True, eq=False, kw_only=True)
class OffsetCase(ChipoCase):
    """Rewards (0, x, 0.4), of which only x is unknown."""

    @cached_property
    def study(self) -> OffsetStudy:
        """The algorithm and its data at this point."""
        return OffsetStudy(
            self.n_pairs, self.epsilon, self.tuning, self.labels, self.channel, self.estimate
        )

    def gaps(self, variant: ChipoVariant, rng: np.random.Generator, replicates: int) -> np.ndarray:
        return self.study.simulate(variant, _worst(self.study, variant)[0], rng, replicates)

    def informed_gap(self, variant: ChipoVariant) -> float:
        worst = np.array(_worst(self.study, variant)[0])
        return float(replace(self.study, estimated=the_truth).gap(worst, worst))

    def interior(self, variant: ChipoVariant) -> tuple[bool, str]:
        where, inside = _worst(self.study, variant)
        return inside, f"worst x = {where:.6g} in (0.4, 1)"


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearCase(ChipoCase):
    """A linear class of rewards.

    Attributes:
        world: features, π_ref and the direction of θ.
        fixed_kl_weight: β of the variants that do not tune it.
    """

    world: LinearWorld
    fixed_kl_weight: float

    @property
    def study(self) -> LinearChipo:
        """The algorithm, one for all n and ε, so that its worst θ is found once."""
        stages = (self.labels, self.channel, self.estimate)
        return _linear(self.world, self.tuning, self.fixed_kl_weight, *stages)

    def gaps(self, variant: ChipoVariant, rng: np.random.Generator, replicates: int) -> np.ndarray:
        return self.study.simulate(variant, self.n_pairs, self.epsilon, rng, replicates)

    def informed_gap(self, variant: ChipoVariant) -> float:
        return self.study.informed_gap(variant, self.n_pairs, self.epsilon)

    def interior(self, variant: ChipoVariant) -> tuple[bool, str]:
        where, inside = self.study.worst_multiple
        norm, radius = where * self.study.unit(self.n_pairs, self.epsilon), self.world.radius
        detail = f"worst ‖θ‖ = {norm:.3g} inside the class of radius {radius:.3g}"
        return inside and norm < radius, detail


_linear = lru_cache(maxsize=16)(LinearChipo)


@lru_cache(maxsize=4096)
def _worst(study: ChipoStudy | OffsetStudy, variant: ChipoVariant) -> tuple[float, bool]:
    return study.worst(variant)


def _gap(
    case: ChipoCase, method: Method[ChipoVariant], rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) gaps less what β alone costs the method under test.

    β shrinks as the error does, so that a learner who is told the rewards has a gap of the same
    rate; what labels cost is the rest.
    """
    return case.gaps(method.run, rng, replicates) - case.informed_gap(case.methods[0].run)


GAP = Measure(
    "suboptimality beyond that of known rewards [reward]", per_method(_gap), Evidence.MEASURED
)
"""Each method's gap on the instance that is worst for it."""
