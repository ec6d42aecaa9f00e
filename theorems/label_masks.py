"""P4 Appendix D: the mask process behind the paper's language-model experiments.

There privacy flips a label's mask with probability p = 1/(e^ε+1), corruption *sets* it to 1 with
probability α, and a label is flipped where its mask is 1.  Claimed: "LTC results in a higher number
of 1s in the final mask variables compared to CTL", and with it the separation of CTL and LTC.

The first is true: q_CTL = p + α(1−2p), q_LTC = p + α(1−p) (checks `ctl_rate`, `ltc_rate`).  But
both processes are symmetric random flips, and LTC(α) is CTL(α(c(ε)+1)/2) in law, as long as that is
a share at all (`same_law`: either adds as many flips to those of privacy): what is compared are two
flip rates, not two places of an adversary.  That has a domain: (c+1)/2 = 1/(1 − e^−ε), CTL's rates
end at 1 − p, at α = 1, and LTC(α) flips as many at α = 1 − e^−ε (`domain`).  For a larger α, that
is α(c+1)/2 > 1, no CTL process flips as many labels; from half of it on, labels speak for the wrong
response.  Under CTL labels keep the signal 1 − 2q = (1−2p)(1−2α) > 0, always; at ε = 0.1 and
α = 0.1 the rate under LTC is 0.53, above ½ (`below_half`, CTL is the method, LTC the control).  An
adversary who looks, as in Definition 3.4, is measured in ctl_ltc_separation, where this process is
one of the six controls.

All checks simulate the process stage by stage.  Controls of the rate checks: the other order's
formula; of `same_law`: the same α on both sides.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from repro.base.notation import flip_prob, privacy_cost
from repro.base.schema import Corruption, Epsilon, Pairs
from repro.core.check import Check, Quantity, SweptCheck, Theorem, named, privacy_mistake
from repro.core.claims import Ratio
from repro.labels.corruption.orders import Order, Randomize
from repro.labels.corruption.random_flips import mask_flip_rate
from repro.labels.preferences.label_law import Channel, no_randomizer, randomized_response

# The world: masks that privacy flips and corruption sets -----------------------------------------

Setter = Callable[[np.random.Generator, np.ndarray, int, float], np.ndarray]
"""(stream, masks that are 1, n, α) → masks that are 1 once corruption has acted."""


def sets_masks(rng: np.random.Generator, ones: np.ndarray, n_pairs: int, share: float):
    """Appendix D: every mask is set to 1 with probability α."""
    return ones + rng.binomial(n_pairs - ones, share)


def leaves_masks(rng: np.random.Generator, ones: np.ndarray, n_pairs: int, share: float):
    """Nobody sets a mask."""
    return ones


@dataclass(frozen=True, eq=False, kw_only=True)
class Masks:
    """The mask process of n labels.

    Attributes:
        n_pairs: n.
        epsilon: of the channel.
        corruption: α, in [0, 1/2); unused where ``at_end``.
        at_end: whether α is 1 − e^−ε, where LTC flips as many labels as CTL can at all.
        order: of the process that is simulated.
        channel: who flips masks for privacy.
        adversary: who sets masks.
    """

    n_pairs: Pairs
    epsilon: Epsilon
    corruption: Corruption
    at_end: bool = False
    order: Order = Order.CTL
    channel: Channel = randomized_response
    adversary: Setter = sets_masks
    idle_adversary: ClassVar[Any] = staticmethod(leaves_masks)
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "channel": {"randomized_response": randomized_response, "no_randomizer": no_randomizer},
        "adversary": {"sets_masks": sets_masks, "idle": leaves_masks},
    }

    @property
    def share(self) -> float:
        """α in force."""
        return -math.expm1(-self.epsilon) if self.at_end else self.corruption

    def flipped(self, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """(R,) shares of labels whose mask ends at 1, stage by stage as Appendix D has it."""
        ones = np.zeros(replicates, dtype=np.int64)
        stages = (self._set, self._flip) if self.order is Order.CTL else (self._flip, self._set)
        for stage in stages:
            ones = stage(rng, ones)
        return ones / self.n_pairs

    def _set(self, rng: np.random.Generator, ones: np.ndarray) -> np.ndarray:
        return self.adversary(rng, ones, self.n_pairs, self.share)

    def _flip(self, rng: np.random.Generator, ones: np.ndarray) -> np.ndarray:
        law = Randomize.of(self.channel, self.epsilon)
        kept = rng.binomial(ones, law.win_given_win)
        return kept + rng.binomial(self.n_pairs - ones, law.win_given_loss)


def signal(world: Masks) -> float:
    """(1 − 2p)(1 − 2α): what CTL leaves of 1 − 2q."""
    return (1 - 2 * flip_prob(world.epsilon)) * (1 - 2 * world.share)


# Algorithms: a rate, a share of the other order, an order ----------------------------------------


OTHER_ORDER = "the other order of privacy and corruption"


def ctl(world: Masks) -> float:
    """q_CTL = p + α(1−2p)."""
    return mask_flip_rate(Order.CTL, world.epsilon, world.share)


def ltc(world: Masks) -> float:
    """q_LTC = p + α(1−p)."""
    return mask_flip_rate(Order.LTC, world.epsilon, world.share)


def scaled(world: Masks, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) flips that corruption adds under CTL(α(c+1)/2), over those it adds under LTC(α)."""
    return _added(world, (privacy_cost(world.epsilon) + 1) / 2, rng, replicates)


def same_corruption(world: Masks, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: the same α in both orders."""
    return _added(world, 1.0, rng, replicates)


def _added(world: Masks, factor: float, rng: np.random.Generator, replicates: int) -> np.ndarray:
    share = world.share * factor
    other = replace(world, order=world.order.swapped, corruption=share, at_end=False)
    private = flip_prob(world.epsilon)
    added, wanted = (mask.flipped(rng, replicates) - private for mask in (other, world))
    return added / wanted


def left(world: Masks, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) 1 − 2·share of flipped labels; 0 where labels speak against the truth."""
    return np.maximum(1 - 2 * world.flipped(rng, replicates), 0)


@privacy_mistake
def left_behind(world: Masks, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: the other order."""
    return left(replace(world, order=world.order.swapped), rng, replicates)


# The claims --------------------------------------------------------------------------------------


def over_rate(world: Masks, rate, flipped: np.ndarray, replicates: int) -> np.ndarray:
    """Simulated shares of flipped labels over the rate of an order."""
    return flipped / rate(world)


def simulated(world: Masks, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """The shares that all rates are held against."""
    return world.flipped(rng, replicates)


NOTHING_LEARNT = dict.fromkeys(
    ("labels", "estimate", "algorithm"), "a process of flips: nothing is learnt from labels"
)
COMMON: Any = {"axis": "privacy_cost", "blind": NOTHING_LEARNT}


def assumes(swept: SweptCheck):
    """α stays below ½ where LTC is compared with CTL at a larger α."""
    world = swept.sweep.worlds[-1]
    if swept.check.right is scaled and not world.at_end:
        largest = world.corruption * (privacy_cost(world.epsilon) + 1) / 2
        yield "α(c+1)/2 below ½", largest < 0.5, f"{largest:.3g}"


THEOREM = Theorem(
    title="P4 Appendix D: the mask process is a flip rate, not an adversary",
    settles=["p4.app_d"],
    checks=[
        Check(name="ctl_rate", claim=Ratio("CTL flips p + α(1−2p)", tolerance=0.002),
              quantity=Quantity("flipped share / q_CTL", over_rate, drawn=simulated),
              right=ctl, wrong=[named("ltc", ltc, OTHER_ORDER)], **COMMON),
        Check(name="ltc_rate",
              claim=Ratio("LTC flips p + α(1−p), more than CTL", tolerance=0.002),
              quantity=Quantity("flipped share / q_LTC", over_rate, drawn=simulated),
              right=ltc, wrong=[named("ctl", ctl, OTHER_ORDER)], **COMMON),
        Check(name="same_law",
              claim=Ratio("LTC(α) is CTL(α(c+1)/2): both add as many flips", tolerance=0.01),
              quantity=Quantity("flips added by CTL(α(c+1)/2) / by LTC(α)"),
              right=scaled, wrong=[same_corruption], **COMMON),
        Check(name="domain",
              claim=Ratio("LTC(1 − e^−ε) is CTL(1): beyond, no CTL process flips as many",
                          tolerance=0.01),
              quantity=Quantity("flips added by CTL(1) / by LTC(1 − e^−ε)"),
              right=scaled, wrong=[same_corruption], **COMMON),
        Check(name="below_half", **{**COMMON, "axis": "corruption"},
              claim=Ratio("CTL labels keep the signal 1 − 2q = (1−2p)(1−2α) > 0", tolerance=0.02),
              quantity=Quantity("(1 − 2·flipped share) / (1−2p)(1−2α) at ε = 0.1", over=signal),
              right=named("ctl", left), wrong=[named("ltc", left_behind, OTHER_ORDER)]),
    ],
    worlds={"masks": Masks},
    assumes=assumes,
)  # fmt: skip
