"""From a grid point to χPO over a class without a parameter, and what is measured there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from repro.base.errors import BadInput
from repro.corruption.orders import Order
from repro.families.chipo.nonparametric import (
    FALL,
    NETS,
    STEPS,
    Learner,
    NonparametricStudy,
    by_log_loss,
    every_table,
    truths,
)
from repro.preferences.label_law import Estimate, as_fitted
from repro.study.label_cases import HuberCase
from repro.study.row import Evidence, Measure, Method, Values, per_method

FAILURE_PROB = 0.05
PILOTS = 3
"""Datasets a rung, from which the worst number of steps is chosen."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NonparametricCase(HuberCase):
    """Algorithm 1 or 3 on truths of k steps, of which the worst k is taken.

    Attributes:
        tuning: the factor of β.
        fixed_kl_weight: β of the control that does not tune it.
        estimate: (fitted, truth) → what the estimator returns.
        assumed_order: the order of corruption and privacy that β is tuned for.
    """

    tuning: float
    fixed_kl_weight: float
    estimate: Estimate = as_fitted
    assumed_order: Order = Order.CTL

    @cached_property
    def study(self) -> NonparametricStudy:
        """The algorithm and its data at this point."""
        return NonparametricStudy(
            self.n_pairs, self.reports, self.tuning, self.fixed_kl_weight, self.assumed_order,
            self.estimate,
        )  # fmt: skip

    def interior(self, learner: Learner) -> tuple[bool, str]:
        """Whether the ladder's maximum is inside it, and where."""
        worst = _worst(self.study, learner)
        return STEPS[0] < worst < STEPS[-1], f"worst truth has {worst} steps of 1 to {STEPS[-1]}"


@dataclass(frozen=True, eq=False, kw_only=True)
class EveryTruthCase(NonparametricCase):
    """Many k, of which a measure takes the largest."""

    def interior(self, learner: object) -> tuple[bool, str]:
        return True, "no number of steps is chosen"


@dataclass(frozen=True, eq=False, kw_only=True)
class LowerBoundCase(NonparametricCase):
    """At an n for which the ladder of steps has the k of the lower bound."""

    def __post_init__(self) -> None:
        """Refuse, while nothing is written, an n that is too large for the ladder.

        Raises:
            BadInput: n_pairs.
        """
        self.least()

    def least(self) -> float:
        """The lower bound."""
        return least_gap(self.n_pairs, self.reports.cost)


@lru_cache(maxsize=256)
def _worst(study: NonparametricStudy, learner: Learner) -> int:
    """The k of the largest mean gap in the pilot."""
    rng = np.random.default_rng(67)
    means = []
    for steps in STEPS:
        truth = truths(steps, rng, PILOTS)
        estimate = study.fitted(learner, truth, rng)
        means.append(study.gaps(study.kl_weight(learner), estimate, truth).mean())
    return STEPS[int(np.argmax(means))]


def _on_worst(
    case: NonparametricCase, learner: Learner, rng: np.random.Generator, replicates: int
) -> tuple[np.ndarray, np.ndarray]:
    """(R,) gaps at the worst k, and what the β of the method under test costs there."""
    study, right = case.study, case.methods[0].run
    truth = truths(_worst(study, learner), rng, replicates)
    estimate = study.fitted(learner, truth, rng)
    lost = study.gaps(study.kl_weight(learner), estimate, truth)
    return lost, study.gaps(study.kl_weight(right), truth, truth)


def beyond_known(
    case: NonparametricCase, method: Method[Learner], rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) gaps at the worst k less what β alone costs."""
    lost, informed = _on_worst(case, method.run, rng, replicates)
    return lost - informed


def least_gap(n_pairs: int, cost: float) -> float:
    """L/(8k) with the least k of the ladder with k³ ≥ n·L²/(0.937c²) (Theorem 4).

    Raises:
        BadInput: n is too large for the ladder.

    >>> least_gap(2**18, 2.0)
    0.001953125
    """
    needed = n_pairs * FALL**2 / (0.937 * cost**2)
    if STEPS[-1] ** 3 < needed:
        most = int(STEPS[-1] ** 3 * 0.937 * cost**2 / FALL**2)
        raise BadInput("n_pairs", n_pairs, f"allowed: at most {most:.3g} at this epsilon")
    return FALL / (8 * next(steps for steps in STEPS if steps**3 >= needed))


def lower_over(
    case: LowerBoundCase, method: Method[Learner], rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(1,) the lower bound over the mean gap at the worst k."""
    lost, _ = _on_worst(case, method.run, rng, replicates)
    return np.array([case.least() / max(float(lost.mean()), 1e-300)])


def error_bound(n_pairs: int, cost: float, log_size: float, radius: float) -> float:
    """Theorem 1 without corruption: A·(c²·log(N/δ)/n + τ²) + 2τ², A = 8/(1 − e^(−1/4))."""
    noise = cost**2 * (log_size - math.log(FAILURE_PROB)) / n_pairs
    return 8 / -math.expm1(-0.25) * (noise + radius**2) + 2 * radius**2


@dataclass(frozen=True)
class Bounded:
    """What Theorem 1 is read with.

    Attributes:
        sign: −1 where labels are read upside down.
        counts: 1, or 0 for a bound that leaves the class out.
    """

    sign: float = 1.0
    counts: int = 1


def over_error_bound(case: NonparametricCase, rng: np.random.Generator, replicates: int) -> Values:
    """Largest E(h_π̂ − h*)² of all datasets and every other k over its bound, of the best net."""
    given = case.n_pairs, case.study.reports.cost
    best = min(NETS, key=lambda net: error_bound(*given, net.log_size, net.radius))
    found: dict[str, float] = {}
    for m in case.methods:
        read: Bounded = m.run
        learner = Learner(best, sign=read.sign)
        bound = error_bound(*given, read.counts * best.log_size, read.counts * best.radius)
        errors = [_errors(case.study, learner, k, rng, replicates).max() for k in STEPS[::2]]
        found[m.name] = float(max(errors)) / bound
    return found


def _errors(
    study: NonparametricStudy, learner: Learner, steps: int, rng: np.random.Generator, runs: int
) -> np.ndarray:
    truth = truths(steps, rng, runs)
    return ((study.fitted(learner, truth, rng) - truth) ** 2).mean(-1)


nonparametric = Method("square_chipo", Learner())
"""Algorithm 3 over the class."""
upside_down = Method("label_flip", Learner(sign=-1.0))
"""Wrong: labels read upside down."""
class_ignored = Method("every_table", Learner(every_table))
"""Another class: all tables."""
blind = Method("without_privacy_cost", Learner(budget_share=math.inf), privacy_mistake=True)
"""Wrong: no factor c(ε)."""
fixed = Method("fixed_kl_weight", Learner(tuning=None))
"""Wrong: β does not fall with the error."""
log_loss = Method("private_chipo", Learner(by_log_loss))
"""Algorithm 1 over the class."""
log_loss_upside_down = Method("label_flip", Learner(by_log_loss, sign=-1.0))
"""Wrong: labels read upside down."""
naive = Method(
    "naive_likelihood", Learner(by_log_loss, budget_share=math.inf), privacy_mistake=True
)
"""Wrong: the clean likelihood on privatised labels."""
log_loss_fixed = Method("fixed_kl_weight", Learner(by_log_loss, tuning=None))
"""Wrong: β does not fall with the error."""
greedy = Method("square_chipo", Learner(tuning=0.01))
"""Algorithm 3 with a small β."""
greedy_with_more = Method("thousand_times_the_labels", Learner(tuning=0.01, more=1000))
"""Other data: more labels than the bound knows of."""

counted = Method("log_N_and_radius", Bounded())
counted_upside_down = Method("label_flip", Bounded(sign=-1.0))
not_counted = Method("class_left_out", Bounded(counts=0))
"""Wrong: a bound with log(1/δ) alone."""

BEYOND_KNOWN = Measure("suboptimality beyond that of known rewards [reward]",
                       per_method(beyond_known), Evidence.MEASURED)  # fmt: skip
LOWER_OVER = Measure("lower bound / gap", per_method(lower_over), Evidence.MEASURED)
OVER_ERROR_BOUND = Measure("largest E(h − h*)² / its bound", over_error_bound,
                           Evidence.MEASURED)  # fmt: skip
