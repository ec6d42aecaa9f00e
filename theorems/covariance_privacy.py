"""P3 Lemmas A.7, B.5, C.5 (Algorithm 2): privacy of the noisy covariance.

Statement (Lemma A.7).  With σ² = 64·log(1/δ)·L⁴/(ε²n²) and G of independent N(0, σ²) entries,
Σ_D + G is (ε/2, δ/2)-differentially private.  Algorithm 2 asks ε ≤ 1 and δ ≤ 1/n²; datasets of n
items are neighbours when one item differs (Section 2.1), and ‖φ‖ ≤ L (Assumption 2.1).

Testable exactly.  The Gaussian mechanism is (ε', δ')-private if and only if
Φ(μ/2 − ε'/μ) − e^ε'·Φ(−μ/2 − ε'/μ) ≤ δ' for μ = Δ/σ (Balle and Wang 2018, Theorem 8).  Δ is the
Frobenius distance of two neighbours' covariances.  Both n and L cancel in μ.

What is found.  The lemma is false as printed, twice over, and each fault alone suffices:
(i) the proof bounds the operator norm of *one* item, 4L²/n; replacing an item by one with an
orthogonal feature difference moves Σ_D by √2·4L²/n in Frobenius norm, which is the norm that
counts for independent entries; (ii) even for 4L²/n the standard analysis at (ε/2, δ/2) needs
σ² ≥ 128·log(2.5/δ)·L⁴/(ε²n²), not 64·log(1/δ)·L⁴/(ε²n²).  Rows ``printed_*`` use both
readings, ``classical`` and ``exact`` repair the constant: σ = √2·4L²/(n·μ) with μ from the
textbook or from the exact formula.

Lemma B.5 (K-wise) has K⁶ in place of what the normalised Σ_K needs, whose items move it by at
most √2·2KL²/(K−1)/n: it holds, with far too much noise.  Lemma C.5 (trajectories) takes
‖Σ_h δφ_h‖² ≤ 4H²L² for one item and inherits A.7's faults; with the covariance of the main text,
a sum of outer products within √2·4HL²/n, it holds for H ≥ 2.
"""

from __future__ import annotations

import math

import numpy as np

from repro.base.schema import Probability
from repro.families.central.mechanisms_gaussian import (
    REPLACEMENT,
    GaussianShift,
    classical_shift,
    exact_shift,
    printed_shift,
)
from repro.privacy.mechanism import Guarantee, Mechanism
from repro.study.checks import Check
from repro.study.legacy import Row
from repro.study.privacy_sweep import PrivacyConfig, PrivacySweep
from repro.study.results import AssumptionResult

RATIO = "exact δ(ε/2) over δ/2"
EPSILON = "exact ε at δ/2"
TIGHT = ("half_noise", "quarter_noise", "epsilon_overstated")
FACTORS = {"half_noise": 2.0, "quarter_noise": 4.0}
OVERSTATED = 1.2
"""The control ``epsilon_overstated`` calibrates its noise for an ε 20 % larger."""

READINGS = {"replacement": REPLACEMENT, "one_item": 1.0}
"""Δ over 4L²/n: the neighbours of Section 2.1, and the proof's own sensitivity."""


class CovariancePrivacyConfig(PrivacyConfig):
    """Numbers of the experiment."""

    dp_delta: Probability
    audit_delta: Probability


class CovariancePrivacy(PrivacySweep):
    """The lemma as printed and as it should be, side by side."""

    slug = "covariance_privacy"
    title = "P3 Lemmas A.7, B.5, C.5: privacy of the noisy covariance"
    statements = ("p3.lem_a_7", "p3.lem_b_5", "p3.lem_c_5", "p3.alg_2")
    settled_by = {
        "p3.lem_a_7": ("printed_delta", "printed_delta_one_item", "printed_epsilon",
            "classical_delta", "exact_delta", "exact_epsilon", "audit_printed", "audit_exact"),
        "p3.alg_2": ("printed_delta", "printed_delta_one_item", "printed_epsilon",
            "classical_delta", "exact_delta", "exact_epsilon", "audit_printed", "audit_exact"),
        "p3.lem_b_5": ("kwise",),
        "p3.lem_c_5": ("trajectory", "trajectory_main_text"),
    }  # fmt: skip
    config_type = CovariancePrivacyConfig
    config: CovariancePrivacyConfig

    rows = (
        Row("printed_delta", "dp_delta", "pairs", "replacement", (), RATIO,
            "Lemma A.7 as printed, any item replaced"),
        Row("printed_delta_one_item", "dp_delta", "pairs", "one_item", (), RATIO,
            "Lemma A.7 as printed, with the proof's own sensitivity 4L²/n"),
        Row("printed_epsilon", "epsilon_minus_one", "pairs", "replacement", (), RATIO,
            "Lemma A.7 as printed, along ε"),
        Row("classical_delta", "dp_delta", "pairs", "classical", TIGHT, RATIO,
            "corrected: textbook σ for √2·4L²/n"),
        Row("exact_delta", "dp_delta", "pairs", "exact", TIGHT, RATIO,
            "corrected: smallest σ for √2·4L²/n"),
        Row("exact_epsilon", "epsilon_minus_one", "pairs", "exact", TIGHT, RATIO,
            "corrected: smallest σ, along ε"),
        Row("kwise", "ranked_actions", "kwise", "replacement", ("pairwise_noise",), RATIO,
            "Lemma B.5 as printed: K⁶ is more than enough"),
        Row("trajectory", "horizon", "trajectory", "replacement", (), RATIO,
            "Lemma C.5 as printed, covariance of the summed features"),
        Row("trajectory_main_text", "horizon", "main_text", "replacement", ("noise_of_one_step",),
            RATIO, "Lemma C.5's noise on the covariance of Section 5"),
        Row("audit_printed", "num_features", "audit", "replacement", (), EPSILON,
            "Lemma A.7 as printed, seen from outside"),
        Row("audit_exact", "num_features", "audit", "exact", TIGHT, EPSILON,
            "corrected σ, seen from outside"),
    )  # fmt: skip

    def audited(self, row: str, value: float, method: str) -> tuple[Mechanism, Guarantee]:
        found = next(one for one in self.rows if one.name == row)
        epsilon = math.log1p(value) if found.axis == "epsilon_minus_one" else self.epsilon
        delta = self.config.audit_delta if found.world == "audit" else self.config.dp_delta
        delta = value if found.axis == "dp_delta" else delta
        shift = self._shift(found.world, value, method, epsilon, delta)
        entries = int(value) ** 2 if found.world == "audit" else 1
        return GaussianShift(shift, entries), Guarantee(epsilon / 2, delta / 2)

    def _shift(self, world: str, value: float, method: str, epsilon: float, delta: float) -> float:
        """Δ/σ of a method."""
        half = (epsilon / 2, delta / 2)
        if method in READINGS:
            return READINGS[method] * printed_shift(epsilon, delta) * relative(world, value)
        if method == "classical":
            return classical_shift(*half)
        if method == "exact":
            return exact_shift(*half)
        if method in FACTORS:
            return FACTORS[method] * exact_shift(*half)
        if method == "epsilon_overstated":
            return exact_shift(OVERSTATED * epsilon / 2, delta / 2)
        return REPLACEMENT * printed_shift(epsilon, delta) * unscaled(world, value)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """ε ≤ 1 everywhere, an n ≥ 2 with δ ≤ 1/n², and the sensitivities attained by features."""
        checks: tuple[Check, ...] = self.checks()
        epsilons = [math.log1p(c.grid[-1]) for c in checks if c.axis == "epsilon_minus_one"]
        deltas = [c.grid[-1] for c in checks if c.axis == "dp_delta"]
        largest, delta = max([self.epsilon, *epsilons]), max(deltas)
        gaps = [abs(attained(*case) - 1) for case in (("pairs", 2), ("kwise", 6), ("main_text", 3))]
        return (
            AssumptionResult("ε ≤ 1", largest <= 1 + 1e-12, f"largest ε {largest:.6g}"),
            AssumptionResult("δ ≤ 1/n²", delta <= 0.25, f"n up to {math.isqrt(int(1 / delta))}"),
            AssumptionResult("sensitivity attained", max(gaps) < 1e-9, f"off by {max(gaps):.1g}"),
        )


def sensitivity(world: str, value: float) -> float:
    """Largest ‖Σ_D − Σ_D'‖_F·n/L² over one item's covariance, √2 left out, for L = 1."""
    if world == "kwise":
        even = value % 2 == 0
        return 2 * value / (value - 1) if even else 2 * (value + 1) / value
    return {"pairs": 4.0, "audit": 4.0, "trajectory": 4 * value**2, "main_text": 4 * value}[world]


def relative(world: str, value: float) -> float:
    """(Δ over 4L²/n) / (σ over the pairwise σ)."""
    noise = {"kwise": value**3, "trajectory": value**2, "main_text": value**2}.get(world, 1.0)
    return sensitivity(world, value) / 4 / noise


def unscaled(world: str, value: float) -> float:
    """The same under the noise of pairs, without K⁶ or H⁴."""
    return sensitivity(world, value) / 4


def attained(world: str, value: int) -> float:
    """‖M − M'‖_F of two explicit items over √2·sensitivity, features of norm 1."""
    one, other = (_item_covariance(world, value, axis) for axis in (0, 1))
    return float(np.linalg.norm(one - other)) / (math.sqrt(2) * sensitivity(world, value))


def _item_covariance(world: str, value: int, axis: int) -> np.ndarray:
    """n times what one item adds to Σ, its features ±e_axis."""
    unit = np.eye(2)[axis]
    if world != "kwise":
        steps = value if world == "main_text" else 1
        return steps * np.outer(2 * unit, 2 * unit)
    features = np.outer(np.where(np.arange(value) < value // 2, 1.0, -1.0), unit)
    pairs = [(j, k) for j in range(value) for k in range(j + 1, value)]
    outer = [np.outer(features[j] - features[k], features[j] - features[k]) for j, k in pairs]
    return 2 / (value * (value - 1)) * np.sum(outer, axis=0)
