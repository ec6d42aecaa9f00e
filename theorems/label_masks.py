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

from dataclasses import dataclass

import numpy as np

from repro.base.notation import flip_prob, privacy_cost
from repro.base.schema import Number
from repro.corruption.budget import checked_corruption
from repro.corruption.orders import Order
from repro.corruption.random_flips import mask_flip_rate
from repro.study.case import Case, Point
from repro.study.claims import Inequality, Ratio
from repro.study.config import Probes
from repro.study.experiment import Experiment, Setting
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, Need, Row, Values, per_method


@dataclass(frozen=True, eq=False, kw_only=True)
class MaskCase(Case):
    """The mask process at one grid point.

    Attributes:
        corruption: α.
        order: of the process that is simulated.
    """

    corruption: float
    order: Order = Order.CTL


def over_rate(case: MaskCase, rng: np.random.Generator, replicates: int) -> Values:
    """Simulated shares of flipped labels over the rate of each order."""
    share, epsilon = case.corruption, case.epsilon
    flipped = simulated_flips(case.order, epsilon, share, case.n_pairs, rng, replicates)
    return {m.name: flipped / mask_flip_rate(m.run, epsilon, share) for m in case.methods}


def scaled(epsilon: float) -> float:
    """By how much α of CTL is larger than that of LTC: (c+1)/2."""
    return (privacy_cost(epsilon) + 1) / 2


def unscaled(epsilon: float) -> float:
    """Wrong: the same α."""
    return 1.0


def one_law(case: MaskCase, m: Method, rng: np.random.Generator, replicates: int) -> float:
    """The rate of LTC over that of CTL at another α."""
    share, epsilon = case.corruption, case.epsilon
    target = mask_flip_rate(Order.LTC, epsilon, share)
    return target / mask_flip_rate(Order.CTL, epsilon, share * m.run(epsilon))


def twice_the_rate(case: MaskCase, m: Method[Order], rng: np.random.Generator, replicates: int):
    """2·rate of an order, below 1 where labels still speak for the right response."""
    return 2 * mask_flip_rate(m.run, case.epsilon, case.corruption)


CTL, LTC = Method("ctl", Order.CTL), Method("ltc", Order.LTC)
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
            given=Order.CTL, needs=SIMULATED),
        Row("ltc_rate", "privacy_cost",
            Ratio("LTC flips p + α(1−p), more than CTL", tolerance=0.002),
            Measure("flipped share / q_LTC", over_rate, Evidence.MEASURED), LTC, (CTL,),
            given=Order.LTC, needs=SIMULATED),
        Row("same_law", "privacy_cost", Ratio("LTC(α) is CTL(α(c+1)/2)", tolerance=1e-9),
            Measure("q_LTC(α) / q_CTL(α(c+1)/2)", per_method(one_law), Evidence.COMPUTED),
            SCALED, (UNSCALED,)),
        Row("below_half", "corruption", Inequality("CTL labels still speak for the right response"),
            Measure("2 · flip rate at ε = 0.1", per_method(twice_the_rate), Evidence.COMPUTED),
            CTL, (LTC,)),
    )  # fmt: skip

    def __init__(self, config: LabelMasksProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        checked_corruption(config.corruption)

    def case(self, point: Point) -> MaskCase:
        return MaskCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.given.n_pairs or 0,
            corruption=point.swept("corruption", self.config.corruption),
            order=point.row.given or Order.CTL,
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """α stays below ½ where LTC is compared with CTL at a larger α."""
        costs = [trial.grid[-1] for trial in self.trials if trial.methods[0] is SCALED]
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
