"""P4 Appendix D: the mask process behind the paper's language-model experiments.

There privacy flips a label's mask with probability p = 1/(e^ε+1), corruption *sets* it to 1 with
probability α, and a label is flipped where its mask is 1.  Claimed: "LTC results in a higher number
of 1s in the final mask variables compared to CTL", and with it the separation of CTL and LTC.

The first is true: q_CTL = p + α(1−2p), q_LTC = p + α(1−p) (rows `ctl_rate`, `ltc_rate`, simulated
against these). But both processes are symmetric random flips, and LTC(α) is CTL(α(c(ε)+1)/2) in
law (`same_law`): what is compared are two flip rates, not two places of an adversary.  At ε = 0.1
and α = 0.1 the rate under LTC is 0.53, above ½: labels then speak for the wrong response
(`below_half`, CTL is the method, LTC the control).  An adversary who looks, as in Definition 3.4,
is measured in ctl_ltc_separation, where this process is one of the six controls.

Controls of the rate rows: the other order's formula; of `same_law`: the same α on both sides.
"""

from __future__ import annotations

import numpy as np

from repro.base.notation import epsilon_of_cost, flip_prob, privacy_cost
from repro.base.schema import Number
from repro.corruption.budget import checked_corruption
from repro.corruption.orders import Order
from repro.corruption.random_flips import mask_flip_rate
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult


class LabelMasksConfig(SweepConfig):
    """Numbers of the experiment; conf/theorem/label_masks.yaml gives them."""

    corruption: Number


class LabelMasks(SweepExperiment):
    """Flip rates of the mask process."""

    slug = "label_masks"
    title = "P4 Appendix D: the mask process is a flip rate, not an adversary"
    statements = ("p4.app_d",)
    instances = ("linear",)
    used_overrides = frozenset({"n_pairs"})
    config_type = LabelMasksConfig
    config: LabelMasksConfig

    rows = (
        Row("ctl_rate", "privacy_cost", "masks", "ctl", ("ltc",), "flipped share / q_CTL",
            "CTL flips p + α(1−2p)"),
        Row("ltc_rate", "privacy_cost", "masks", "ltc", ("ctl",), "flipped share / q_LTC",
            "LTC flips p + α(1−p), more than CTL"),
        Row("same_law", "privacy_cost", "masks", "scaled", ("same_corruption",),
            "q_LTC(α) / q_CTL(α(c+1)/2)", "LTC(α) is CTL(α(c+1)/2)"),
        Row("below_half", "corruption", "masks", "ctl", ("ltc",), "2 · flip rate at ε = 0.1",
            "CTL labels still speak for the right response"),
    )  # fmt: skip

    def __init__(self, config: LabelMasksConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        checked_corruption(config.corruption)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Simulated shares of flipped labels, or exact rates."""
        share = self.config.corruption
        if check.name == "below_half":
            epsilon = self._fixed(check, "epsilon")
            return {
                m: np.full(replicates, 2 * mask_flip_rate(Order(m.upper()), epsilon, value))
                for m in check.methods
            }
        epsilon = epsilon_of_cost(value)
        if check.name == "same_law":
            target = mask_flip_rate(Order.LTC, epsilon, share)
            scales = {"scaled": (privacy_cost(epsilon) + 1) / 2, "same_corruption": 1.0}
            return {
                m: np.full(
                    replicates, target / mask_flip_rate(Order.CTL, epsilon, share * scales[m])
                )
                for m in check.methods
            }
        order = Order.CTL if check.name == "ctl_rate" else Order.LTC
        n_pairs = int(self._fixed(check, "n_pairs"))
        flipped = simulated_flips(order, epsilon, share, n_pairs, rng, replicates)
        return {
            m: flipped / mask_flip_rate(Order(m.upper()), epsilon, share) for m in check.methods
        }

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """α stays below ½ where LTC is compared with CTL at a larger α."""
        costs = [c.grid[-1] for c in self.checks() if c.name == "same_law"]
        largest = max((self.config.corruption * (c + 1) / 2 for c in costs), default=0.0)
        return (AssumptionResult("α(c+1)/2 below ½", largest < 0.5, f"{largest:.3g}"),)


def simulated_flips(
    order: Order, epsilon: float, corruption: float, n_pairs: int, rng, replicates: int
) -> np.ndarray:
    """(R,) shares of labels whose mask ends at 1, stage by stage as Appendix D describes it."""
    ones = np.zeros(replicates, dtype=np.int64)

    def set_to_one(ones: np.ndarray) -> np.ndarray:
        return ones + rng.binomial(n_pairs - ones, corruption)

    def flip(ones: np.ndarray) -> np.ndarray:
        rate = flip_prob(epsilon)
        return ones - rng.binomial(ones, rate) + rng.binomial(n_pairs - ones, rate)

    stages = (set_to_one, flip) if order is Order.CTL else (flip, set_to_one)
    for stage in stages:
        ones = stage(ones)
    return ones / n_pairs
