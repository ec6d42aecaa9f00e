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

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from repro.base.notation import epsilon_of_cost, flip_prob, keep_prob, privacy_cost
from repro.base.schema import Positive
from repro.core.check import Check, Quantity, Theorem
from repro.core.claims import Inequality

ROUNDING = 1e-12
"""Relative difference allowed to two ways of computing one number, times c(ε)."""


@dataclass(frozen=True)
class LabelsAtPrice:
    """Labels in {0, 1} that are private at the price c(ε).

    Attributes:
        privacy_cost: c(ε), above 1.
    """

    privacy_cost: Positive

    @property
    def epsilon(self) -> float:
        return epsilon_of_cost(self.privacy_cost)


@dataclass(frozen=True)
class LabelledMargins:
    """R comparisons as a loss reads them.

    Attributes:
        logit: (R,) h, the margin of the response that label 1 prefers.
        label: (R,) z in {0, 1}.
        epsilon: of randomized response; inf where there is none.
        rounding: (R,) by how much two ways of computing one loss may differ.
    """

    logit: np.ndarray
    label: np.ndarray
    epsilon: float
    rounding: np.ndarray

    @property
    def flip(self) -> float:
        """q: the probability that randomized response flips a label."""
        return flip_prob(self.epsilon)


def drawn(world: LabelsAtPrice, rng: np.random.Generator, replicates: int) -> LabelledMargins:
    """Random logits and labels."""
    logit, label = 5 * rng.standard_normal(replicates), rng.integers(0, 2, replicates)
    rounding = ROUNDING * world.privacy_cost * (1 + np.abs(logit))
    return LabelledMargins(logit, label, world.epsilon, rounding)


# Algorithms: the loss of each comparison ---------------------------------------------------------


def p4(data: LabelledMargins) -> np.ndarray:
    """−ln(1−σ(h)) − c(ε)·(z + σ(ε) − 1)·h (P4, eq. 14 and 16)."""
    debiased = privacy_cost(data.epsilon) * (data.label - data.flip)
    return np.logaddexp(0.0, data.logit) - debiased * data.logit


def rdpo(data: LabelledMargins) -> np.ndarray:
    """((1−q)·ℓ(z) − q·ℓ(1−z))/(1−2q) (Chowdhury et al. 2024, eq. 12)."""
    right, wrong = _both_labels(data)
    return ((1 - data.flip) * right - data.flip * wrong) / (1 - 2 * data.flip)


def label_smoothing(data: LabelledMargins) -> np.ndarray:
    """Wrong: (1−q)·ℓ(z) + q·ℓ(1−z), another loss, and a biased one (cDPO)."""
    right, wrong = _both_labels(data)
    return (1 - data.flip) * right + data.flip * wrong


def _both_labels(data: LabelledMargins) -> tuple[np.ndarray, np.ndarray]:
    """ℓ of the label and of its flip."""
    signed = np.where(data.label > 0, data.logit, -data.logit)
    return np.logaddexp(0.0, -signed), np.logaddexp(0.0, signed)


# Quantities --------------------------------------------------------------------------------------


def from_p4(world: LabelsAtPrice, loss, data: LabelledMargins, replicates: int) -> np.ndarray:
    """What a loss differs from P4's by, in units of rounding."""
    return np.abs(loss(data) - p4(data)) / data.rounding


def from_clean(world: LabelsAtPrice, loss, data: LabelledMargins, replicates: int) -> np.ndarray:
    """What the mean of a loss over private labels differs from the clean loss by, likewise."""
    flipped, clean = replace(data, label=1 - data.label), replace(data, epsilon=np.inf)
    mean = keep_prob(data.epsilon) * loss(data) + data.flip * loss(flipped)
    return np.abs(mean - rdpo(clean)) / data.rounding


# The claims --------------------------------------------------------------------------------------

NOTHING_LEARNT = dict.fromkeys(("labels", "estimate"), "an identity of losses: nothing is learnt")
BOTH: Any = {
    "axis": "privacy_cost",
    "right": rdpo,
    "wrong": [label_smoothing],
    "blind": NOTHING_LEARNT,
}

THEOREM = Theorem(
    title="P4 Appendix C: the debiased DPO loss is rDPO's",
    settles=["p4.app_c_rdpo"],
    checks=[
        Check(
            name="identity",
            claim=Inequality("P4's loss = rDPO's loss"),
            quantity=Quantity("|difference| / rounding", from_p4, evidence="computed", drawn=drawn),
            **BOTH,
        ),
        Check(
            name="unbiased",
            claim=Inequality("its mean over private labels is the clean loss"),
            quantity=Quantity(
                "|mean − clean loss| / rounding", from_clean, evidence="computed", drawn=drawn
            ),
            **BOTH,
        ),
    ],
    worlds={"private_labels": LabelsAtPrice},
    assumes=lambda swept: [("known flip probability below ½", True, "ε > 0")],
)
