"""P4 Appendix C: the debiased DPO loss is rDPO's.

Remark: "if there is only privacy …, one can verify that the above loss is equivalent to the one
in Chowdhury et al. (2024) (see their Eq. 12, which is called rDPO), up to some simple rescaling".
With the flip probability q = 1/(e^ε+1) the two are equal label by label, without any rescaling:

    ln(1+e^h) − c(ε)(z − q)·h = ((1−q)·ℓ(z) − q·ℓ(1−z))/(1−2q),
    ℓ(1) = −ln σ(h),  ℓ(0) = −ln(1−σ(h)),

because c(ε) = 1/(1−2q).  This is the algebra, on random logits and labels; TRL's own
implementation (loss_type "robust", label_smoothing = q) is compared in the language-model part.

`identity` is the largest difference in units of rounding; its control is label smoothing (cDPO).
`unbiased` is what the loss is for: its mean over randomized response is the clean loss; the
control is again label smoothing.
"""

from __future__ import annotations

import numpy as np

from repro.base.notation import epsilon_of_cost, flip_prob, keep_prob
from repro.families.robust.quantities_rdpo import conservative_loss, p4_loss, rdpo_loss
from repro.study.case import Point, PointCase
from repro.study.claims import Inequality
from repro.study.experiment import Experiment
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, Row, Values

ROUNDING = 1e-12
"""Relative difference allowed to two ways of computing one number, times c(ε)."""


def from_p4(loss, logit: np.ndarray, label: np.ndarray, epsilon: float) -> np.ndarray:
    """What a loss differs from P4's by."""
    return loss(logit, label, flip_prob(epsilon)) - p4_loss(logit, label, epsilon)


def from_clean(loss, logit: np.ndarray, label: np.ndarray, epsilon: float) -> np.ndarray:
    """What the mean of a loss over private labels differs from the clean loss by."""
    flip, keep = flip_prob(epsilon), keep_prob(epsilon)
    mean = keep * loss(logit, label, flip) + flip * loss(logit, 1 - label, flip)
    return mean - rdpo_loss(logit, label, 0.0)


def over_rounding(quantity: str, difference) -> Measure:
    """One random logit and label per replicate."""

    def of(case: PointCase, rng: np.random.Generator, replicates: int) -> Values:
        epsilon = epsilon_of_cost(case.value)
        logit, label = 5 * rng.standard_normal(replicates), rng.integers(0, 2, replicates)
        unit = ROUNDING * case.value * (1 + np.abs(logit))
        return {
            m.name: np.abs(difference(m.run, logit, label, epsilon)) / unit for m in case.methods
        }

    return Measure(quantity, of, Evidence.COMPUTED)


RDPO, SMOOTHING = Method("rdpo", rdpo_loss), Method("label_smoothing", conservative_loss)


class RdpoIdentity(Experiment[PointCase]):
    """Equality of two losses."""

    title = "P4 Appendix C: the debiased DPO loss is rDPO's"
    settles = ("p4.app_c_rdpo",)

    rows = (
        Row("identity", "privacy_cost", Inequality("P4's loss = rDPO's loss"),
            over_rounding("|difference| / rounding", from_p4), RDPO, (SMOOTHING,)),
        Row("unbiased", "privacy_cost",
            Inequality("its mean over private labels is the clean loss"),
            over_rounding("|mean − clean loss| / rounding", from_clean), RDPO, (SMOOTHING,)),
    )  # fmt: skip

    def case(self, point: Point) -> PointCase:
        return PointCase(methods=point.methods, value=point.value)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """The flip probability is known and below ½, for every ε > 0."""
        return (AssumptionResult("known flip probability below ½", True, "ε > 0"),)
