"""From a grid point of P2's uniform convergence to its case."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from repro.base.notation import privacy_cost
from repro.corruption.huber_square import worst_bias
from repro.corruption.orders import Order
from repro.families.losses.algorithms_log_loss import HypercubeStudy, report_prob
from repro.families.losses.algorithms_square_loss import SquareStudy, predicted_floor
from repro.families.losses.bounds_uniform import log_loss_violated, square_loss_violated
from repro.families.losses.variants import LogVariant, SquareVariant
from repro.losses.sequences import Design, LabelSequence, draw_sequence
from repro.preferences.label_law import Estimate, as_fitted
from repro.study.label_cases import HuberCase, LabelCase
from repro.study.row import Method, Values


@dataclass(frozen=True, eq=False, kw_only=True)
class HypercubeCase(LabelCase):
    """Maximum likelihood on d cells.

    Attributes:
        num_features, base: d and p₀.
        estimate: (fitted, truth) → what the estimator returns.
    """

    num_features: int
    base: float
    estimate: Estimate = as_fitted

    @cached_property
    def study(self) -> HypercubeStudy:
        """The likelihood and its data at this point."""
        return HypercubeStudy(
            self.num_features, self.base, self.n_pairs, self.epsilon,
            self.labels, self.channel, self.estimate,
        )  # fmt: skip

    def worst_step(self, variant: LogVariant) -> tuple[float, bool]:
        """h of a variant's largest expected left side, and whether it is interior."""
        return _worst_step(self.study, variant.budget_share)


@lru_cache(maxsize=4096)
def _worst_step(study: HypercubeStudy, budget_share: float) -> tuple[float, bool]:
    return study.worst_step(budget_share)


def hypercube_left(
    case: HypercubeCase, method: Method[LogVariant], rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) left side of Lemma 3.1 over {p₀, p₀+h}^d at the worst h."""
    step = case.worst_step(method.run)[0]
    return case.study.simulate(method.run.budget_share, step, rng, replicates)


def grid_left(
    case: HypercubeCase, method: Method[LogVariant], rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) left side of Lemma 3.1 over a product grid."""
    return case.study.simulate_grid(method.run.budget_share, rng, replicates)


@dataclass(frozen=True, eq=False, kw_only=True)
class SequenceCase(LabelCase):
    """A finite class on a sequence of labels; the inequality is about every n ≤ T.

    Attributes:
        table: (N, X) class, row 0 the truth: P(y = +1), or E[y] for the square loss.
        design: how inputs are chosen.
        failure_prob: δ.
    """

    table: np.ndarray
    design: Design
    failure_prob: float


def log_violations(case: SequenceCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) 1.0 where a form of Lemma 3.1 fails at some n ≤ T, all on the same sequences."""
    win = report_prob(case.table[0], case.epsilon, case.labels, case.channel)
    seen = draw_sequence(rng, win, case.design, case.horizon, replicates)
    return {m.name: _log_violated(case, seen, m.run) for m in case.methods}


def _log_violated(case: SequenceCase, seen: LabelSequence, variant: LogVariant) -> np.ndarray:
    cost = privacy_cost(case.epsilon) if variant.removes_cost else 1.0
    assumed = variant.budget_share * case.epsilon
    return log_loss_violated(seen, case.table, assumed, cost, case.failure_prob)


@dataclass(frozen=True, eq=False, kw_only=True)
class CorruptedCase(HuberCase):
    """What cases of the square loss share.

    Attributes:
        assumed_order: order of corruption and privacy that predictions and bounds are for.
    """

    assumed_order: Order = Order.CTL


@dataclass(frozen=True, eq=False, kw_only=True)
class SquareCase(CorruptedCase):
    """Least squares with a free mean per input.

    Attributes:
        means: h* of each input.
        estimate: (fitted, truth) → what the estimator returns.
    """

    means: tuple[float, ...]
    estimate: Estimate = as_fitted

    @property
    def study(self) -> SquareStudy:
        """Least squares and its data at this point."""
        return SquareStudy(self.means, self.n_pairs, self.reports, self.estimate)

    @property
    def predicted_floor(self) -> float:
        """What the mean squared error tends to, by the printed bias."""
        cost = privacy_cost(self.epsilon)
        return predicted_floor(self.means, cost, self.corruption, self.assumed_order)


def squared_error(
    case: SquareCase, method: Method[SquareVariant], rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) mean squared error of ĥ over inputs."""
    variant, reports = method.run, case.reports
    changed = replace(
        reports,
        order=variant.order or reports.order,
        adversary=variant.adversary or reports.adversary,
    )
    study = replace(case.study, reports=changed)
    return study.simulate(rng, replicates, variant.removed(reports.cost))


@dataclass(frozen=True, eq=False, kw_only=True)
class SquareSequenceCase(CorruptedCase, SequenceCase):
    """A finite class of means on a sequence of corrupted reports."""


def square_violations(
    case: SquareSequenceCase, rng: np.random.Generator, replicates: int
) -> Values:
    """(R,) 1.0 where a form of Lemma 3.3 fails at some n ≤ T, all on the same sequences."""
    truth, cost = case.table[0], case.reports.cost
    win = (1 + case.reports.mean(truth)) / 2
    bias = float(worst_bias(truth, cost, case.corruption, case.assumed_order).max())
    seen = draw_sequence(rng, win, case.design, case.horizon, replicates)

    def violated(variant: SquareVariant) -> np.ndarray:
        removed = variant.removed(cost)
        return square_loss_violated(seen, case.table, removed, cost, bias, case.failure_prob)

    return {m.name: violated(m.run) for m in case.methods}
