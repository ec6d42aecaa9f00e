"""P3 Theorems 4.1, 4.3, 5.1: the pair (θ̃, Σ̃) is (ε, δ)-differentially private.

Statement (Theorem 4.1).  θ̃ of Algorithm 1 and Σ̃ of Algorithm 2 on the same data are together
(ε, δ)-private; Theorem 4.3 says the same of K-wise rankings "with parameters modified by a constant
factor", Theorem 5.1 of trajectories.  The proofs add (ε/2, δ/2) for either release.

Testable exactly in d = 1.  With privacy loss ℓ of θ̃ and a Gaussian shift μ of Σ̃ on the same pair
of neighbours, δ(ε) = E[δ_μ(ε − ℓ)].  Neighbours as in Lemma A.10: all records tied but one, which
is flipped (Σ_D stays) or moved from a tie (Σ_D moves, for pairs by 4L²/n).

What is found.  The sum of two faulty lemmas is faulty: the ridge's factor γ lets one record move θ̃
too much once LB is large.  (At LB = 1 the pair (ε, δ) leaves room enough for both.)  For K-wise
rankings γ_K = ½·e^(−4LB), for trajectories γ_τ carries e^(−2HLB): no factor that depends on K or H
alone, and not on LB, mends that; α is multiplied by K³ and every L by H here.  Row ``any_constant``
multiplies the printed α by up to 1e4 at LB = 10 and finds the same.

Lemmas B.6 and C.6 are the halves: θ̃ alone at (ε/2, δ/2) (rows ``*_estimate_printed``; the rows
``*_estimate`` beside them take the printed form as their control).

``*_corrected`` composes the certified calibrations of Lemmas A.7 and A.10 at (ε/2, δ/2) each; row
``accounting`` is the whole pipeline's exact ε over the budget that plain addition states.
"""

from __future__ import annotations

import math

from repro.base.schema import Positive, Probability
from repro.families.central.mechanisms_calibration import (
    Calibration,
    corrected,
    curvature,
    gradient_distance,
    printed,
    tied_otherwise,
)
from repro.families.central.mechanisms_gaussian import WithGaussian, exact_shift, printed_shift
from repro.families.central.mechanisms_objective import Item, Ranking
from repro.privacy.mechanism import Guarantee, Mechanism, worst
from repro.study.legacy import Row
from repro.study.privacy_sweep import PrivacyConfig, PrivacySweep
from repro.study.results import AssumptionResult

RATIO = "exact δ(ε) over δ"
HALF = "exact δ(ε/2) over δ/2"
EPSILON = "exact ε at δ"
WRONG = ("half_noise", "quarter_noise", "printed_ridge")
FACTORS = {"half_noise": 2.0, "quarter_noise": 4.0}
ALONE = ("estimate", "printed_estimate")
"""Methods that release θ̃ without Σ̃."""

RANKED, STEPS = 3, 2
"""K of the K-wise rows, H of the trajectories."""

WIDE_BOUND = 10.0
"""LB of the row ``any_constant``."""

RANKING_SHIFT = (8 / 3) / 4 / RANKED**3
"""What RANKINGS move Σ_K by, over its printed noise, relative to pairs (Lemma B.5)."""

LABELS = ((Item(2.0),), (Item(-2.0),))
RANKINGS = ((Ranking((1.0, -1.0, -1.0)),), (Ranking((-1.0, 1.0, 1.0)),))
"""A record of largest feature differences and its opposite."""


class CentralPrivacyConfig(PrivacyConfig):
    """Numbers of the experiment."""

    dp_delta: Probability
    audit_delta: Probability
    failure_prob: Probability
    step_bound: Positive


class CentralDPPrivacy(PrivacySweep):
    """The joint release as printed and with certified noise."""

    slug = "central_dp_privacy"
    title = "P3 Theorems 4.1, 4.3, 5.1: privacy of the estimate with the covariance"
    statements = ("p3.thm_4_1", "p3.thm_4_3", "p3.thm_5_1", "p3.lem_b_6", "p3.lem_c_6")
    settled_by = {
        "p3.thm_4_1": ("pairs_printed", "any_constant", "pairs_corrected", "accounting",
            "audit_printed", "audit_corrected"),
        "p3.thm_4_3": ("kwise_printed", "kwise_corrected"),
        "p3.thm_5_1": ("trajectory_printed", "trajectory_corrected"),
        "p3.lem_b_6": ("kwise_estimate_printed", "kwise_estimate"),
        "p3.lem_c_6": ("trajectory_estimate_printed", "trajectory_estimate"),
    }  # fmt: skip
    config_type = CentralPrivacyConfig
    config: CentralPrivacyConfig

    rows = (
        Row("pairs_printed", "reward_bound", "pairs", "printed", (), RATIO,
            "Theorem 4.1 as printed, d = 1"),
        Row("kwise_printed", "reward_bound", "kwise", "printed", (), RATIO,
            "Theorem 4.3 as printed, K = 3, α times K³"),
        Row("trajectory_printed", "reward_bound", "trajectory", "printed", (), RATIO,
            "Theorem 5.1 as printed, H = 2, L times H"),
        Row("any_constant", "ridge", "pairs", "printed", (), RATIO,
            "Theorem 4.1 at LB = 10, α times a constant"),
        Row("pairs_corrected", "reward_bound", "pairs", "corrected", WRONG, RATIO,
            "certified ridge and noise"),
        Row("kwise_corrected", "reward_bound", "kwise", "corrected", WRONG, RATIO,
            "certified ridge and noise, K = 3"),
        Row("trajectory_corrected", "reward_bound", "trajectory", "corrected", WRONG, RATIO,
            "certified ridge and noise, H = 2"),
        Row("kwise_estimate_printed", "reward_bound", "kwise", "printed_estimate", (), HALF,
            "Lemma B.6 as printed: θ̃ alone, K = 3"),
        Row("kwise_estimate", "reward_bound", "kwise", "estimate", ("printed_estimate",), HALF,
            "θ̃ alone, certified ridge and noise, K = 3"),
        Row("trajectory_estimate_printed", "reward_bound", "trajectory", "printed_estimate", (),
            HALF, "Lemma C.6 as printed: θ̃ alone, H = 2"),
        Row("trajectory_estimate", "reward_bound", "trajectory", "estimate",
            ("printed_estimate",), HALF, "θ̃ alone, certified ridge and noise, H = 2"),
        Row("accounting", "dp_delta", "pairs", "corrected", ("quarter_noise",),
            "exact ε of the pipeline over ε", "the pipeline costs at most ε/2 + ε/2"),
        Row("audit_printed", "reward_bound", "audit", "printed", (), EPSILON,
            "Theorem 4.1 as printed, seen from outside"),
        Row("audit_corrected", "reward_bound", "audit", "corrected", WRONG, EPSILON,
            "certified, seen from outside"),
    )  # fmt: skip

    def audited(self, row: str, value: float, method: str) -> tuple[Mechanism, Guarantee]:
        found = next(one for one in self.rows if one.name == row)
        delta = self.config.audit_delta if found.world == "audit" else self.config.dp_delta
        delta = value if found.axis == "dp_delta" else delta
        bound = value if found.axis == "reward_bound" else self.config.step_bound
        bound = STEPS * bound if found.world == "trajectory" else bound
        bound, factor = (WIDE_BOUND, value) if found.axis == "ridge" else (bound, 1.0)
        calibration, shift = self._release(found.world, method, bound, delta)
        calibration = Calibration(calibration.sigma, factor * calibration.ridge)
        one, other = RANKINGS if found.world == "kwise" else LABELS
        flipped = tied_otherwise(calibration, bound, one, other)
        moved = tied_otherwise(calibration, bound, (), one)
        if method in ALONE:
            claim = Guarantee(self.epsilon / 2, delta / 2)
            return worst([flipped, moved], claim.epsilon), claim
        claim = Guarantee(self.epsilon, delta)
        return worst([flipped, WithGaussian(moved, shift)], claim.epsilon), claim

    def _release(
        self, world: str, method: str, bound: float, delta: float
    ) -> tuple[Calibration, float]:
        """σ and A of the estimate, Δ/σ of the covariance."""
        printed_estimate = self._printed(world, bound, delta)
        if method in ("printed", "printed_estimate"):
            relative = RANKING_SHIFT if world == "kwise" else 1.0
            return printed_estimate, relative * printed_shift(self.epsilon, delta)
        half = (self.epsilon / 2, delta / 2)
        hessian = RANKED - 1.0 if world == "kwise" else 1.0
        distance = 4.0 * (RANKED - 1) if world == "kwise" else gradient_distance(bound)
        estimate, shift = corrected(*half, distance, hessian), exact_shift(*half)
        factor = FACTORS.get(method, 1.0)
        if method == "printed_ridge":
            estimate = Calibration(estimate.sigma, printed_estimate.ridge)
        return estimate.weakened(factor), factor * shift

    def _printed(self, world: str, bound: float, delta: float) -> Calibration:
        kwise = world == "kwise"
        gamma = math.exp(-4 * bound) / 2 if kwise else curvature(bound)
        found = printed(self.epsilon, delta, gamma, 1, self.config.failure_prob)
        return Calibration(found.sigma, found.ridge * (RANKED**3 if kwise else 1))

    def ratio(self, row: str, value: float, method: str) -> float:
        """Exact δ over claimed δ; in the row ``accounting`` exact ε over claimed ε."""
        if row != "accounting":
            return super().ratio(row, value, method)
        mechanism, claim = self.known(row, value, method)
        return mechanism.exact_epsilon(claim.dp_delta) / claim.epsilon

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """ε ≤ 1 and an n ≥ 2 with δ ≤ 1/n²."""
        largest = max(self.config.dp_delta, self.config.audit_delta)
        return (
            AssumptionResult("ε ≤ 1", self.epsilon <= 1, f"ε = {self.epsilon:g}"),
            AssumptionResult(
                "δ ≤ 1/n²", largest <= 0.25, f"n up to {math.isqrt(int(1 / largest))}"
            ),
        )
