"""P2 Definition 2.4 (CTL, LTC) and CLC: what corruption does to a locally private label.

Statement.  In CTL a label is corrupted, then passes randomized response; in LTC the other way
round; in CLC it is corrupted on both sides.  With Huber corruption, which with probability α puts a
draw that does not depend on the label in its place, every order is ε-locally private: corruption
before acts alike on all labels, corruption after is post-processing.

Testable exactly by channel matrices.  An adversary that sends a constant after randomized response
leaves ε as it is (the report it does not send keeps its likelihood ratio e^ε); before randomized
response it lowers ε to max{log((1−α)e^ε + α), ε − log(1−α+αe^ε)}.  An adversary who sees raw
labels is no Huber corruption and breaks privacy (control ``raw_adversary``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from repro.base.notation import flip_prob, keep_prob
from repro.base.schema import Corruption, FiniteEpsilon, Pairs
from repro.core.check import Algorithm, Assumed, Check, Quantity, SweptCheck, Theorem, named
from repro.core.claims import Inequality, Ratio
from repro.core.privacy_claims import ANY_DATA, Private, audit_shares, released
from repro.labels.preferences.label_law import Channel, randomized_response
from repro.labels.privacy.channels import ChannelMechanism, huber, matrix_of
from repro.labels.privacy.mechanism import Guarantee

TARGET = (0.0, 1.0)
"""The corrupted label is always +1."""
FAIR = (0.5, 0.5)
OVERSTATED = 1.2
COIN_BIAS = 0.9
"""The control ``biased_coin`` flips with 0.9 times the right probability."""


# The world ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CorruptedLabel:
    """A label that is randomized and corrupted; equal by its fields, so that channels are cached.

    Attributes:
        epsilon: ε.
        corruption: α.
        runs: of the channel behind each replicate of an audit.
        channel: who randomizes labels.
    """

    epsilon: FiniteEpsilon
    corruption: Corruption
    runs: Pairs = 1000
    channel: Channel = randomized_response

    @property
    def claimed(self) -> Guarantee:
        """ε-locally private, whatever the corruption."""
        return Guarantee(self.epsilon, 0.0)

    @property
    def private(self) -> np.ndarray:
        """(2, 2) randomizer at ε."""
        return matrix_of(self.channel, self.epsilon)

    @property
    def target(self) -> np.ndarray:
        """(2, 2) corruption to a constant."""
        return huber(self.corruption, TARGET)

    @property
    def fair(self) -> np.ndarray:
        """(2, 2) corruption to fair coins."""
        return huber(self.corruption, FAIR)


def whole_budget(world: CorruptedLabel) -> float:
    """ε, whatever the corruption."""
    return world.epsilon


def ctl_epsilon(world: CorruptedLabel) -> float:
    """Exact ε of a constant target before randomized response."""
    keep, flip, corruption = keep_prob(world.epsilon), flip_prob(world.epsilon), world.corruption
    kept = (1 - corruption) * keep + corruption * flip
    flipped = (1 - corruption) * flip + corruption * keep
    return max(math.log(kept / flip), math.log(keep / flipped))


# Algorithms: channels from label to report, right, and wrong on purpose --------------------------


def ltc(world: CorruptedLabel) -> ChannelMechanism:
    """Randomized response, then a constant target."""
    return ChannelMechanism.of(world.private @ world.target)


def ctl(world: CorruptedLabel) -> ChannelMechanism:
    """A constant target, then randomized response."""
    return ChannelMechanism.of(world.target @ world.private)


def clc(world: CorruptedLabel) -> ChannelMechanism:
    """A constant target before randomized response, and fair coins after it."""
    return ChannelMechanism.of(world.target @ world.private @ world.fair)


def ltc_fair(world: CorruptedLabel) -> ChannelMechanism:
    """Randomized response, then fair coins."""
    return ChannelMechanism.of(world.private @ world.fair)


def raw_adversary(world: CorruptedLabel) -> ChannelMechanism:
    """Wrong: the adversary shows the raw label."""
    return ChannelMechanism.of(
        (1 - world.corruption) * world.private + world.corruption * np.eye(2)
    )


def epsilon_overstated(world: CorruptedLabel) -> ChannelMechanism:
    """Wrong: randomized response at 1.2·ε, then a constant target."""
    return ChannelMechanism.of(matrix_of(world.channel, OVERSTATED * world.epsilon) @ world.target)


def biased_coin(world: CorruptedLabel) -> ChannelMechanism:
    """Wrong: a coin that flips too rarely, then a constant target."""
    flip = COIN_BIAS * flip_prob(world.epsilon)
    return ChannelMechanism.of(np.array([[1 - flip, flip], [flip, 1 - flip]]) @ world.target)


WRONG = [raw_adversary, epsilon_overstated, biased_coin]


# The claims --------------------------------------------------------------------------------------


def spent(world: CorruptedLabel, algorithm: Algorithm, rng: Any, replicates: int) -> float:
    """Exact ε of a channel."""
    return released(algorithm, world).exact_epsilon(0.0)


AUDIT = Quantity("exact ε of the channel", audit_shares)
RATIO = Quantity("exact ε / stated ε", spent, evidence="exact", over=whole_budget)
OVER_CLOSED_FORM = Quantity(
    "exact ε over its closed form", spent, evidence="exact", over=ctl_epsilon
)
DEF_2_2, ORDERS, CORRUPTION = "p2.def_2_2", "p2.def_2_4", ("p2.def_2_3", "p4.def_3_4")


def check(
    name: str, claim: Any, quantity: Quantity, right: Algorithm, wrong: Any, settles: Any
) -> Check:
    """A check along α."""
    return Check(name=name, axis="corruption", claim=claim, quantity=quantity, right=right,
                 wrong=wrong, settles=settles, blind=ANY_DATA)  # fmt: skip


CHECKS = [
    check("ltc_audit", Private("LDP, then a constant target: ε"), AUDIT, ltc, WRONG,
          (DEF_2_2, ORDERS, *CORRUPTION)),
    check("ctl_audit", Private("a constant target, then LDP: at most ε"), AUDIT, ctl,
          [raw_adversary], (ORDERS, *CORRUPTION)),
    check("clc_audit", Private("corruption on both sides: at most ε"), AUDIT, clc,
          [raw_adversary], CORRUPTION),
    check("ltc_exact", Ratio("LDP, then a constant target: exactly ε", tolerance=1e-6), RATIO, ltc,
          WRONG, (DEF_2_2, ORDERS, *CORRUPTION)),
    check("ltc_fair", Inequality("LDP, then fair coins: below ε"), RATIO, ltc_fair,
          [raw_adversary], (ORDERS, *CORRUPTION)),
    check("ctl_exact", Ratio("a constant target, then LDP: the closed form", tolerance=1e-6),
          OVER_CLOSED_FORM, ctl,
          [named("ltc", ltc, "the other order of privacy and corruption")], (ORDERS, *CORRUPTION)),
]  # fmt: skip


def below_half(swept: SweptCheck) -> Iterator[Assumed]:
    """Corruption below one half, as P2 asks."""
    largest = swept.sweep.worlds[-1].corruption
    yield "α < 1/2", largest < 0.5, f"largest α {largest:g}"


THEOREM = Theorem(
    title="P2 Definition 2.4: local privacy of corrupted labels",
    checks=CHECKS,
    worlds={"label": CorruptedLabel},
    assumes=below_half,
)
