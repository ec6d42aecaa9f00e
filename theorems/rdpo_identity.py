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
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

ROUNDING = 1e-12
"""Relative difference allowed to two ways of computing one number, times c(ε)."""


class RdpoIdentity(SweepExperiment):
    """Equality of two losses."""

    slug = "rdpo_identity"
    title = "P4 Appendix C: the debiased DPO loss is rDPO's"
    statements = ("p4.app_c_rdpo",)
    instances = ("linear",)
    used_overrides = frozenset[str]()
    config_type = SweepConfig

    rows = (
        Row("identity", "privacy_cost", "labels", "rdpo", ("label_smoothing",),
            "|difference| / rounding", "P4's loss = rDPO's loss"),
        Row("unbiased", "privacy_cost", "labels", "rdpo", ("label_smoothing",),
            "|mean − clean loss| / rounding", "its mean over private labels is the clean loss"),
    )  # fmt: skip

    def __init__(self, config: SweepConfig, setting: Setting) -> None:
        super().__init__(config, setting)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """One random logit and label a replicate."""
        epsilon = epsilon_of_cost(value)
        flip, keep = flip_prob(epsilon), keep_prob(epsilon)
        logit, label = 5 * rng.standard_normal(replicates), rng.integers(0, 2, replicates)
        losses = {"rdpo": rdpo_loss, "label_smoothing": conservative_loss}
        clean = rdpo_loss(logit, label, 0.0)
        found = {}
        for method in check.methods:
            loss = losses[method]
            if check.name == "identity":
                off = loss(logit, label, flip) - p4_loss(logit, label, epsilon)
            else:
                mean = keep * loss(logit, label, flip) + flip * loss(logit, 1 - label, flip)
                off = mean - clean
            found[method] = np.abs(off) / (ROUNDING * value * (1 + np.abs(logit)))
        return found

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """The flip probability is known and below ½, for every ε > 0."""
        return (AssumptionResult("known flip probability below ½", True, "ε > 0"),)
