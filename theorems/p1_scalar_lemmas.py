"""P1 Lemmas A.1, A.2, A.3, A.4 and A.8: the concentration and calculus under the theorems.

Statements (arXiv 2510.13512, appendix A):

    A.1   P(∃T′ ≤ T: Σ X_t > Σ log E_{t−1}[e^X_t] + log(1/δ)) ≤ δ, X adapted;
    A.2   |f(a) − f(b)| ≤ σ(B)·|a − b| on [−B, B], f = log(ασ + (1−α)(1−σ)), α in (½, 1);
    A.3   Freedman: P(Σ X_i > √(2v·log(1/δ)) + (2/3)M·log(1/δ)) ≤ δ for |X_i| ≤ M, Σ E[X²] ≤ v;
    A.4   x² ≤ a + bx, a, b ≥ 0, implies x² ≤ b² + 2a;
    A.8   |x − x′| ≤ (e^−B + 2 + e^B)/(2(2α−1))·|f(x) − f(x′)| on [−B, B], f = (2σ−1)(2α−1).

Each row searches random cases, most of them near where the lemma is tight, and reports the largest
left over right side (max_ratio): all five are sharp, so a constant 10 % too small is found by the
same search; it is the control of each row, with a flipped sign where there is one.

Probabilities are exact, not simulated.  A.1: martingales on a lattice with random state-dependent
bets, by dynamic programming; their mean E[e^X] is 1.  A.3: a ±1 walk that stops at the boundary, by
reflection (its Σ E[X²] ≤ n), and centred skewed binomials.  The constant 2 in √(2v·log(1/δ)) shows
its worth only at small δ, so cases go down to δ = e^−40; 1.8 is then refuted.

A slip that changes nothing: A.3 conditions on 𝒢_i, for which X_i is measurable; 𝒢_{i−1} is meant.
Symbolic proofs of A.2, A.4 and A.8 are among the tests.  What would refute a row: one case above 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from repro.families.offline_kl.bounds_scalar import (
    binomial_excess,
    inverse_constant,
    inverse_slope,
    largest_root,
    lattice_crossing,
    log_likelihood_slope,
    sigmoid,
    walk_crossing,
)
from repro.study.checks import Check
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

CASES, RATIO = "random cases", "left side / right side"
OFF = 0.9
"""A planted constant, 10 % too small."""


class P1ScalarLemmas(SweepExperiment):
    """Five lemmas by exact random cases."""

    slug = "p1_scalar_lemmas"
    title = "P1 Lemmas A.1–A.4, A.8: concentration and calculus"
    statements = ("p1.lem_a_1", "p1.lem_a_2", "p1.lem_a_3", "p1.lem_a_4", "p1.lem_a_8")
    settled_by = {
        "p1.lem_a_1": ("ville",),
        "p1.lem_a_2": ("lipschitz",),
        "p1.lem_a_3": ("freedman",),
        "p1.lem_a_4": ("quadratic",),
        "p1.lem_a_8": ("inverse_lipschitz",),
    }  # fmt: skip
    instances = ("linear",)
    used_overrides = frozenset()
    config_type = SweepConfig

    rows = (
        Row("ville", "horizon", CASES, "a_1", ("a_1_ten_percent",), RATIO,
            "A.1: P(crossing) ≤ δ"),
        Row("lipschitz", "reward_bound", CASES, "a_2", ("a_2_ten_percent", "a_2_sign"), RATIO,
            "A.2: slope of the private log likelihood ≤ σ(B)"),
        Row("freedman", "horizon", CASES, "a_3", ("a_3_ten_percent",), RATIO,
            "A.3: P(Σ X > √(2vL) + ⅔ML) ≤ e^−L"),
        Row("quadratic", "reward_bound", CASES, "a_4", ("a_4_ten_percent", "a_4_sign"), RATIO,
            "A.4: x² ≤ b² + 2a, b = 2B"),
        Row("inverse_lipschitz", "reward_bound", CASES, "a_8", ("a_8_ten_percent", "a_8_at_zero"),
            RATIO, "A.8: inverse slope ≤ (e^−B + 2 + e^B)/(2(2α−1))"),
    )  # fmt: skip

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """One ratio per random case and version of the lemma."""
        found = [CASE_OF[check.name](value, rng) for _ in range(replicates)]
        return {m: np.array([ratios[m] for ratios in found]) for m in check.methods}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """None beyond the ranges that the cases are drawn from."""
        return ()


def ville_case(horizon: float, rng: np.random.Generator) -> dict[str, float]:
    """A martingale with random bets; the wrong boundary is 0.9·log(1/δ)."""
    log_unit, level = 10 ** rng.uniform(-1, -0.3), int(rng.integers(10, 31))
    boldness = int(rng.integers(1, 6))
    target = level - 0.01
    delta = math.exp(-target * log_unit)
    ratios = {}
    for method, share in (("a_1", 1.0), ("a_1_ten_percent", OFF)):
        reached = math.floor(share * target) + 1
        states = reached + 200
        bets = np.random.default_rng(rng.integers(2**32)).integers(1, boldness + 1, (2, states))
        crossing = lattice_crossing(bets[0], bets[1], log_unit, reached, int(horizon))
        ratios[method] = crossing / delta
    return ratios


def lipschitz_case(bound: float, rng: np.random.Generator) -> dict[str, float]:
    """Two points, most of them near −B, and α near 1; the sign is that of B."""
    keep = 1 - 0.5 * 10 ** rng.uniform(-8, -0.01)
    x, y = _two_points(rng, bound)
    slope = log_likelihood_slope(-x, -y, keep)
    return {
        "a_2": slope / sigmoid(bound),
        "a_2_ten_percent": slope / (OFF * sigmoid(bound)),
        "a_2_sign": slope / sigmoid(-bound),
    }


def freedman_case(horizon: float, rng: np.random.Generator) -> dict[str, float]:
    """A stopped ±1 walk or a skewed binomial; the wrong one has 1.8 for 2."""
    count, log_delta = int(horizon), 10 ** rng.uniform(-3, 1.6)
    skewed = rng.uniform() < 0.3
    prob = 10 ** rng.uniform(-3, -0.01) if skewed else 0.5
    variance = count * prob * (1 - prob) if skewed else count
    largest = max(prob, 1 - prob) if skewed else 1.0

    def ratio(two: float) -> float:
        boundary = math.sqrt(two * variance * log_delta) + 2 / 3 * largest * log_delta
        crossing = (
            binomial_excess(count, prob, boundary) if skewed else walk_crossing(count, boundary)
        )
        return crossing * math.exp(log_delta)

    return {"a_3": ratio(2), "a_3_ten_percent": ratio(2 * OFF)}


def quadratic_case(bound: float, rng: np.random.Generator) -> dict[str, float]:
    """The largest x that the premise allows; wrong: 1.8a for 2a, and −2a."""
    b = 2 * bound
    a = b * b * 10 ** rng.uniform(-6, 2)
    square = largest_root(a, b) ** 2
    return {
        "a_4": square / (b * b + 2 * a),
        "a_4_ten_percent": square / (b * b + 2 * OFF * a),
        "a_4_sign": square / abs(b * b - 2 * a),
    }


def inverse_case(bound: float, rng: np.random.Generator) -> dict[str, float]:
    """Two points, most of them near B; wrong: the curvature at 0 in the place of that at B."""
    keep = 0.5 + 0.5 * 10 ** rng.uniform(-6, 0)
    slope = inverse_slope(*_two_points(rng, bound), keep)
    constant = inverse_constant(bound, keep)
    return {
        "a_8": slope / constant,
        "a_8_ten_percent": slope / (OFF * constant),
        "a_8_at_zero": slope / inverse_constant(0.0, keep),
    }


def _two_points(rng: np.random.Generator, bound: float) -> tuple[float, float]:
    """Two points of [−B, B], at least 1e-5·B apart, near B in most cases."""
    near = 10 ** rng.uniform(-4, 0.3)
    x = bound * (1 - near * rng.uniform())
    y = x - bound * near * 10 ** rng.uniform(-1, 0)
    return x, y if y >= -bound else bound


CASE_OF: dict[str, Callable[[float, np.random.Generator], dict[str, float]]] = {
    "ville": ville_case,
    "lipschitz": lipschitz_case,
    "freedman": freedman_case,
    "quadratic": quadratic_case,
    "inverse_lipschitz": inverse_case,
}
