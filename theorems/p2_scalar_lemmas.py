"""P2 Lemmas C.2 and C.7, and the scalar facts its proofs lean on.

Lemma C.2.  For |z|, |z'| ≤ R and R ≥ 1, |z − z'| ≤ (e^−R + 2 + e^R)·|σ(z) − σ(z')|.
Lemma C.7.  For |x| ≤ X, |y| ≤ Y, Y ≥ 1, |x − y| ≤ 8(X + Y)·e^{2Y}·|σ(x) − σ(y)|.
Proof of Lemma 3.1: TV² ≤ H².  Proof of Theorem C.1: C^π = 2·χ²(π‖π_ref) + 1.  Proof of Theorem
4.4: r = β·φ(π*_β/π_ref) + Z_β with φ(u) = u + log u.

All are exact inequalities or identities, held on dense grids or random policies; the tightest
constants are reported.  Lemma C.2's constant is the best one (at z = z' = R); R ≥ 1 is not needed.
Lemma C.7's 8 can be 0.586 (largest at Y = 1), and e^{2Y} can be e^Y with 1.593 on |x| ≤ 50 and
1 ≤ Y ≤ 8.  H² is unnormalised, Σ(√p − √q)²: with the normalised one the step would need a factor 2.
χ² is ½·E_ref(π/π_ref − 1)²: without the half neither the identity nor the link is right.

Refuted by one grid point on the wrong side.
"""

from __future__ import annotations

import math

import numpy as np

from repro.families.chipo.algorithms_policy import chipo_policy, link
from repro.families.chipo.bounds_scalar import largest_on_square, largest_over_sum
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

SIDES = "left side / right side"
ARMS = 5
FACTORS = {
    "lemma": 8.0,
    "constant_586": 0.586,
    "constant_1593": 1.593,
    "constant_half": 0.5,
    "constant_55": 0.55,
    "constant_154": 1.54,
}
"""Constants in the place of Lemma C.7's 8."""


class P2ScalarLemmasConfig(SweepConfig):
    """Numbers of the experiment: claims only."""


class P2ScalarLemmas(SweepExperiment):
    """Inequalities on grids."""

    slug = "p2_scalar_lemmas"
    title = "P2 Lemmas C.2 and C.7, and scalar facts of the proofs"
    statements = ("p2.lem_c_2", "p2.lem_c_7", "p2.lem_3_1", "p2.thm_c_1", "p2.thm_4_4")
    settled_by = {
        "p2.lem_c_2": ("mean_value", "mean_value_tight"),
        "p2.lem_c_7": ("difference", "difference_tight", "difference_single"),
        "p2.lem_3_1": ("hellinger",),
        "p2.thm_c_1": ("concentrability",),
        "p2.thm_4_4": ("link",),
    }  # fmt: skip
    instances = ("linear",)
    used_overrides = frozenset()
    config_type = P2ScalarLemmasConfig

    rows = (
        Row("mean_value", "reward_bound", "square", "lemma", ("without_two",), SIDES,
            "Lemma C.2 on every grid point"),
        Row("mean_value_tight", "reward_bound", "square", "lemma", ("twice",), SIDES,
            "Lemma C.2's constant is the best one"),
        Row("difference", "reward_bound", "sum", "lemma", ("constant_half",), SIDES,
            "Lemma C.7 on every grid point"),
        Row("difference_tight", "reward_bound", "sum", "constant_586", ("constant_55", "lemma"),
            SIDES, "Lemma C.7 holds with 0.586 in the place of 8, and no less at Y = 1"),
        Row("difference_single", "reward_bound", "sum_single", "constant_1593", ("constant_154",),
            SIDES, "Lemma C.7 with 1.593·e^Y, |x| ≤ 50"),
        Row("hellinger", "reward_bound", "hellinger", "unnormalised", ("normalised",), SIDES,
            "TV² ≤ H² = Σ(√p − √q)²"),
        Row("concentrability", "coverage", "chi_square", "half_chi_square", ("whole_chi_square",),
            SIDES, "C^π = 2χ² + 1"),
        Row("link", "kl_weight", "link", "link", ("link_doubled",), SIDES,
            "β·φ(π*_β/π_ref) differs from r by a constant"),
    )  # fmt: skip

    def __init__(self, config: P2ScalarLemmasConfig, setting: Setting) -> None:
        super().__init__(config, setting)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Left over right side: the worst of a grid, or of each random draw."""
        world = str(check.settings["world"])
        return {m: self._one(world, value, m, rng, replicates) for m in check.methods}

    def _one(self, world: str, value: float, method: str, rng, replicates: int) -> np.ndarray:
        if world == "square":
            constant = math.exp(-value) + 2 + math.exp(value)
            changed = {"without_two": constant - 2, "twice": 2 * constant}
            found = largest_on_square(value) / changed.get(method, constant)
            return np.full(replicates, found)
        if world in ("sum", "sum_single"):
            growth = math.exp(2 * value if world == "sum" else value)
            return np.full(replicates, largest_over_sum(value) / (FACTORS[method] * growth))
        if world == "hellinger":
            return _hellinger(method, value, rng, replicates)
        if world == "chi_square":
            return _concentrability(method, value, rng, replicates)
        return _link(method, value, rng, replicates)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """R ≥ 1 and Y ≥ 1 where the lemmas ask for them."""
        return tuple(
            AssumptionResult(f"{check.name}: bound ≥ 1", check.grid[0] >= 1, f"{check.grid[0]:g}")
            for check in self.checks()
            if str(check.settings["world"]) in ("square", "sum", "sum_single")
        )


def _hellinger(method: str, value: float, rng, replicates: int) -> np.ndarray:
    """TV²/H² of Bernoulli pairs with log-odds in ±value."""
    p, q = 1 / (1 + np.exp(-rng.uniform(-value, value, (2, replicates))))
    distance = (np.sqrt(p) - np.sqrt(q)) ** 2 + (np.sqrt(1 - p) - np.sqrt(1 - q)) ** 2
    return (p - q) ** 2 / (distance / 2 if method == "normalised" else distance)


def _concentrability(method: str, value: float, rng, replicates: int) -> np.ndarray:
    """E_π[π/π_ref] over 2χ² + 1 at random policies, π_ref down to 1/value."""
    reference = value ** -rng.random((replicates, ARMS))
    reference /= reference.sum(-1, keepdims=True)
    policy = rng.dirichlet(np.ones(ARMS), replicates)
    chi = (reference * (policy / reference - 1) ** 2).sum(-1)
    half = 1.0 if method == "whole_chi_square" else 0.5
    return (policy**2 / reference).sum(-1) / (2 * half * chi + 1)


def _link(method: str, value: float, rng, replicates: int) -> np.ndarray:
    """Spread of β·φ(π/π_ref) over arms over the spread of r, at the exact policy."""
    reference = rng.dirichlet(np.ones(ARMS), replicates)
    reward = rng.random((replicates, ARMS))
    ratio = chipo_policy(reference, reward, np.array(value)) / reference
    implied = value * (link(ratio) + (ratio if method == "link_doubled" else 0.0))
    return np.ptp(implied, axis=-1) / np.ptp(reward, axis=-1)
