"""P2 Lemma 3.1: uniform convergence of the log loss under label privacy.

Statement (Lemma 3.1).  For a finite class {P_θ}, realizable labels on adaptively chosen inputs and
randomized response at ε, with probability at least 1−δ, for all n ≤ T and all θ,

    Σ_{t≤n} E[‖P_θ − P_θ*‖²_TV | F^(t−1)] ≲ c(ε)²·(L̂^(n)(θ) − L̂^(n)(θ*) + log(|Θ|/δ)).

So the private MLE has a left side of order c(ε)²·log|Θ|, whatever n.  Lemma B.1 is its version for
Hellinger distance without privacy.

Testable: the exponents 0 in n, 2 in c(ε) and 1 in d = log₂|Θ| on a class that attains them, the
hypercube {p₀, p₀+h}^d with the worst h of a ladder (found in closed form before any draw) and a
product grid; and the inequality itself, at every n ≤ T at once, for iid and adaptive inputs, in
the form that the proof gives with constants, c²·[ΔL + 2·log(|Θ|/δ)].  Not testable: the hidden
constant.

The truth must be off ½: at p₀ = ½ shrinking by c moves nothing and a naive likelihood passes the
sweep of n, while at p₀ = 0.8 it has exponent 1.  A class of one truth among needles would not show
log|Θ|: no two needles are ever close.

What would refute it: growth with n, a larger power of c or d, or violations more often than δ.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from repro.base.schema import Count, Probability
from repro.families.losses.uniform_cases import (
    HypercubeCase,
    SequenceCase,
    grid_left,
    hypercube_left,
    log_violations,
)
from repro.families.losses.variants import (
    epsilon_overstated,
    log_without_cost,
    mixture_mle,
    naive_likelihood,
)
from repro.families.losses.worlds_sequences import Design, packing_class, random_class
from repro.study.case import Point
from repro.study.claims import Frequency, Slope
from repro.study.config import Probes
from repro.study.experiment import Experiment, Setting
from repro.study.label_cases import LabelCase
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Need, Row, per_method

CaseOf = Callable[["UniformConvergenceLog", Point], LabelCase]
"""What the cases of a row are."""

LEFT = "n·E TV²(P_θ̂, P_θ*)"
CUBE = Measure(LEFT, per_method(hypercube_left), Evidence.MEASURED)
GRID = Measure(LEFT, per_method(grid_left), Evidence.MEASURED)
VIOLATED = Measure(
    "inequality violated at some n ≤ T [frequency]", log_violations, Evidence.MEASURED
)


def hypercube(experiment: UniformConvergenceLog, point: Point) -> HypercubeCase:
    """d cells, of the two-point class or of the grid."""
    numbers = experiment.config
    return HypercubeCase(
        methods=point.methods,
        epsilon=point.epsilon,
        n_pairs=point.n_pairs,
        num_features=int(point.swept("num_features", numbers.num_features)),
        base=numbers.base,
    )


def sequences(table: Callable[[int], np.ndarray], design: Design) -> CaseOf:
    """Labels of a finite class on inputs chosen by a design."""

    def case(experiment: UniformConvergenceLog, point: Point) -> SequenceCase:
        numbers = experiment.config
        return SequenceCase(
            methods=point.methods,
            epsilon=point.epsilon,
            horizon=point.horizon,
            table=table(int(point.swept("class_size", numbers.class_size))),
            design=design,
            failure_prob=numbers.failure_prob,
        )

    return case


class UniformConvergenceLogProbes(Probes):
    """Numbers of the experiment.

    Attributes:
        base: p₀ of the hypercube and of the grid.
        num_features: d where it is not swept.
        class_size: N of the classes where it is not swept.
        failure_prob: δ.
    """

    base: Probability
    num_features: Count
    class_size: Count
    failure_prob: Probability


LEARNS = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY)
WRONG = (naive_likelihood, epsilon_overstated)
NAIVE = (naive_likelihood,)
FORMS = (naive_likelihood, log_without_cost)
FOR_ALL_N = ("p2.lem_3_1", "p2.lem_b_1")
SEEN = (Need.LABELS,)


class UniformConvergenceLog(Experiment[LabelCase]):
    """Lemma 3.1 on classes that attain it, and as an inequality over all n."""

    title = "P2 Lemma 3.1: uniform convergence of the log loss under label privacy"
    settles = ("p2.lem_3_1",)
    config_type = UniformConvergenceLogProbes
    config: UniformConvergenceLogProbes

    rows = (
        Row("n_pairs", "n_pairs", Slope(0, "worst h: {rate}"), CUBE, mixture_mle, WRONG,
            on="hypercube", given=hypercube, needs=LEARNS),
        Row("privacy_cost", "privacy_cost", Slope(2, "worst h: {rate}"), CUBE, mixture_mle, NAIVE,
            on="hypercube", given=hypercube, needs=LEARNS),
        Row("num_features", "num_features", Slope(1, "worst h: {rate} = log₂|Θ|"), CUBE,
            mixture_mle, NAIVE, on="hypercube", given=hypercube, needs=LEARNS),
        Row("n_pairs_grid", "n_pairs", Slope(0, "grid: {rate}"), GRID, mixture_mle, WRONG,
            on="grid", given=hypercube, needs=LEARNS),
        Row("privacy_cost_grid", "privacy_cost", Slope(2, "grid: {rate}"), GRID, mixture_mle,
            NAIVE, on="grid", given=hypercube, needs=LEARNS),
        Row("num_features_grid", "num_features", Slope(1, "grid: {rate}"), GRID, mixture_mle,
            NAIVE, on="grid", given=hypercube, needs=LEARNS),
        Row("all_n_random_iid", "class_size",
            Frequency("random class, iid inputs: all n ≤ T and all θ with probability ≥ 1−δ"),
            VIOLATED, mixture_mle, FORMS, on="random", given=sequences(random_class, "iid"),
            needs=SEEN, settles=FOR_ALL_N),
        Row("all_n_random_adaptive", "privacy_cost",
            Frequency("random class, adaptive inputs: the same"), VIOLATED, mixture_mle, FORMS,
            on="random", given=sequences(random_class, "adaptive"), needs=SEEN,
            settles=FOR_ALL_N),
        Row("all_n_packing_iid", "privacy_cost", Frequency("packing, iid inputs: the same"),
            VIOLATED, mixture_mle, FORMS, on="packing", given=sequences(packing_class, "iid"),
            needs=SEEN, settles=FOR_ALL_N),
        Row("all_n_packing_adaptive", "class_size",
            Frequency("packing, adaptive inputs: the same"), VIOLATED, mixture_mle, FORMS,
            on="packing", given=sequences(packing_class, "adaptive"), needs=SEEN,
            settles=FOR_ALL_N),
    )  # fmt: skip

    def __init__(self, config: UniformConvergenceLogProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        self.failure_prob = config.failure_prob

    def case(self, point: Point) -> LabelCase:
        """As the row says."""
        return point.row.given(self, point)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """The worst h is interior at both ends of every sweep of the hypercube."""
        return tuple(
            _interior(place, case)
            for trial, place, case in self.ends(HypercubeCase)
            if trial.row.measure is CUBE
        )


def _interior(where: str, case: LabelCase) -> AssumptionResult:
    assert isinstance(case, HypercubeCase)
    worst, inside = case.worst_step(case.methods[0].run)
    return AssumptionResult(f"{where}: worst h interior", inside, f"h = {worst:.3g}")
