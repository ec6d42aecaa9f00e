"""P4 Appendix D: the mask process behind the paper's language-model experiments.

There privacy flips a label's mask with probability p = 1/(e^ε+1), corruption *sets* it to 1 with
probability α, and a label is flipped where its mask is 1.  Claimed: "LTC results in a higher number
of 1s in the final mask variables compared to CTL", and with it the separation of CTL and LTC.

The first is true: q_CTL = p + α(1−2p), q_LTC = p + α(1−p) (rows `ctl_rate`, `ltc_rate`).  But both
processes are symmetric random flips, and LTC(α) is CTL(α(c(ε)+1)/2) in law, as long as that is a
share at all (`same_law`: either adds as many flips to those of privacy): what is compared are two
flip rates, not two places of an adversary.  That has a domain: (c+1)/2 = 1/(1 − e^−ε), CTL's rates
end at 1 − p, at α = 1, and LTC(α) flips as many at α = 1 − e^−ε (`domain`).  For a larger α, that
is α(c+1)/2 > 1, no CTL process flips as many labels; from half of it on, labels speak for the wrong
response.  Under CTL labels keep the signal 1 − 2q = (1−2p)(1−2α) > 0, always; at ε = 0.1 and
α = 0.1 the rate under LTC is 0.53, above ½ (`below_half`, CTL is the method, LTC the control).  An
adversary who looks, as in Definition 3.4, is measured in ctl_ltc_separation, where this process is
one of the six controls.

All rows simulate the process stage by stage.  Controls of the rate rows: the other order's formula;
of `same_law`: the same α on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from repro.base.notation import flip_prob, privacy_cost
from repro.base.schema import Number
from repro.corruption.budget import checked_corruption
from repro.corruption.orders import Order, Randomize
from repro.corruption.random_flips import mask_flip_rate
from repro.preferences.label_law import Channel, randomized_response
from repro.study.case import Case, Point
from repro.study.claims import Ratio
from repro.study.config import Probes
from repro.study.experiment import Experiment, Setting
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, Need, Row, Values, per_method

Setter = Callable[[np.random.Generator, np.ndarray, int, float], np.ndarray]
"""(stream, masks that are 1, n, α) → masks that are 1 once corruption has acted."""


def sets_masks(rng: np.random.Generator, ones: np.ndarray, n_pairs: int, share: float):
    """Appendix D: every mask is set to 1 with probability α."""
    return ones + rng.binomial(n_pairs - ones, share)


def leaves_masks(rng: np.random.Generator, ones: np.ndarray, n_pairs: int, share: float):
    """Nobody sets a mask."""
    return ones


@dataclass(frozen=True, eq=False, kw_only=True)
class MaskCase(Case):
    """The mask process at one grid point.

    Attributes:
        corruption: α.
        order: of the process that is simulated.
        channel: who flips masks for privacy.
        adversary: who sets masks.
    """

    corruption: float
    order: Order = Order.CTL
    channel: Channel = randomized_response
    adversary: Setter = sets_masks
    idle_adversary: ClassVar[Any] = staticmethod(leaves_masks)

    def flipped(self, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """(R,) shares of labels whose mask ends at 1, stage by stage as Appendix D has it."""
        ones = np.zeros(replicates, dtype=np.int64)
        stages = (self._set, self._flip) if self.order is Order.CTL else (self._flip, self._set)
        for stage in stages:
            ones = stage(rng, ones)
        return ones / self.n_pairs

    def _set(self, rng: np.random.Generator, ones: np.ndarray) -> np.ndarray:
        return self.adversary(rng, ones, self.n_pairs, self.corruption)

    def _flip(self, rng: np.random.Generator, ones: np.ndarray) -> np.ndarray:
        law = Randomize.of(self.channel, self.epsilon)
        kept = rng.binomial(ones, law.win_given_win)
        return kept + rng.binomial(self.n_pairs - ones, law.win_given_loss)


def over_rate(case: MaskCase, rng: np.random.Generator, replicates: int) -> Values:
    """Simulated shares of flipped labels over the rate of each order."""
    share, flipped = case.corruption, case.flipped(rng, replicates)
    return {m.name: flipped / mask_flip_rate(m.run, case.epsilon, share) for m in case.methods}


def scaled(epsilon: float) -> float:
    """By how much α of CTL is larger than that of LTC: (c+1)/2."""
    return (privacy_cost(epsilon) + 1) / 2


def unscaled(epsilon: float) -> float:
    """Wrong: the same α."""
    return 1.0


def one_law(case: MaskCase, m: Method, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) flips that corruption adds under CTL at another α, over those it adds under LTC."""
    other = replace(
        case, order=case.order.swapped, corruption=case.corruption * m.run(case.epsilon)
    )
    private = flip_prob(case.epsilon)
    added, wanted = (one.flipped(rng, replicates) - private for one in (other, case))
    return added / wanted


def over_signal(case: MaskCase, m: Method, rng: np.random.Generator, replicates: int):
    """(R,) 1 − 2·share of an order over (1−2p)(1−2α); 0 where labels speak against the truth."""
    signal = 1 - 2 * replace(case, order=m.run(case)).flipped(rng, replicates)
    return np.maximum(signal, 0) / ((1 - 2 * flip_prob(case.epsilon)) * (1 - 2 * case.corruption))


@dataclass(frozen=True)
class Masks:
    """What a row simulates.

    Attributes:
        order: of the process.
        at_end: α = 1 − e^−ε in place of the config's.
    """

    order: Order
    at_end: bool = False

    def corruption(self, epsilon: float, share: float) -> float:
        """α."""
        return -math.expm1(-epsilon) if self.at_end else share


CTL, LTC = Method("ctl", Order.CTL), Method("ltc", Order.LTC)
AS_IT_IS = Method("ctl", lambda case: case.order)
BEHIND = Method("ltc", lambda case: case.order.swapped)
SCALED, UNSCALED = Method("scaled", scaled), Method("same_corruption", unscaled)
SIMULATED = (Need.PRIVACY, Need.ADVERSARY, Need.ORDER)


class LabelMasksProbes(Probes):
    """Numbers of the experiment; conf/theorem/label_masks.yaml gives them."""

    corruption: Number


class LabelMasks(Experiment[MaskCase]):
    """Flip rates of the mask process."""

    title = "P4 Appendix D: the mask process is a flip rate, not an adversary"
    settles = ("p4.app_d",)
    config_type = LabelMasksProbes
    config: LabelMasksProbes

    rows = (
        Row("ctl_rate", "privacy_cost", Ratio("CTL flips p + α(1−2p)", tolerance=0.002),
            Measure("flipped share / q_CTL", over_rate, Evidence.MEASURED), CTL, (LTC,),
            given=Masks(Order.CTL), needs=SIMULATED),
        Row("ltc_rate", "privacy_cost",
            Ratio("LTC flips p + α(1−p), more than CTL", tolerance=0.002),
            Measure("flipped share / q_LTC", over_rate, Evidence.MEASURED), LTC, (CTL,),
            given=Masks(Order.LTC), needs=SIMULATED),
        Row("same_law", "privacy_cost",
            Ratio("LTC(α) is CTL(α(c+1)/2): both add as many flips", tolerance=0.01),
            Measure("flips added by CTL(α(c+1)/2) / by LTC(α)", per_method(one_law),
                    Evidence.MEASURED),
            SCALED, (UNSCALED,), given=Masks(Order.LTC), needs=SIMULATED),
        Row("domain", "privacy_cost",
            Ratio("LTC(1 − e^−ε) is CTL(1): beyond, no CTL process flips as many", tolerance=0.01),
            Measure("flips added by CTL(1) / by LTC(1 − e^−ε)", per_method(one_law),
                    Evidence.MEASURED),
            SCALED, (UNSCALED,), given=Masks(Order.LTC, at_end=True), needs=SIMULATED),
        Row("below_half", "corruption",
            Ratio("CTL labels keep the signal 1 − 2q = (1−2p)(1−2α) > 0", tolerance=0.02),
            Measure("(1 − 2·flipped share) / (1−2p)(1−2α) at ε = 0.1", per_method(over_signal),
                    Evidence.MEASURED),
            AS_IT_IS, (BEHIND,), given=Masks(Order.CTL), needs=SIMULATED),
    )  # fmt: skip

    def __init__(self, config: LabelMasksProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        checked_corruption(config.corruption)

    def case(self, point: Point) -> MaskCase:
        return MaskCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.given.n_pairs or 0,
            corruption=point.row.given.corruption(
                point.epsilon, point.swept("corruption", self.config.corruption)
            ),
            order=point.row.given.order,
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """α stays below ½ where LTC is compared with CTL at a larger α."""
        costs = [
            trial.grid[-1]
            for trial in self.trials
            if trial.methods[0] is SCALED and not trial.row.given.at_end
        ]
        largest = max((self.config.corruption * (c + 1) / 2 for c in costs), default=0.0)
        return (AssumptionResult("α(c+1)/2 below ½", largest < 0.5, f"{largest:.3g}"),)
