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

import numpy as np

from repro.base.notation import flip_prob, keep_prob
from repro.privacy.channels import Channel, huber, randomized_response
from repro.privacy.mechanism import Guarantee, Mechanism
from repro.study.legacy import Row
from repro.study.privacy_sweep import PrivacyConfig, PrivacySweep
from repro.study.results import AssumptionResult

RATIO, EPSILON = "exact ε over ε", "exact ε of the channel"
TARGET = (0.0, 1.0)
"""The corrupted label is always +1."""

FAIR = (0.5, 0.5)
OVERSTATED = 1.2
WRONG = ("raw_adversary", "epsilon_overstated", "biased_coin")
COIN_BIAS = 0.9
"""The control ``biased_coin`` flips with 0.9 times the right probability."""


class LocalPrivacyChannels(PrivacySweep):
    """Each order of corruption and privacy, against the budget of randomized response."""

    slug = "local_privacy_channels"
    title = "P2 Definition 2.4: local privacy of corrupted labels"
    statements = ("p2.def_2_2", "p2.def_2_3", "p2.def_2_4", "p4.def_3_4")
    settled_by = {
        "p2.def_2_2": ("ltc_audit", "ltc_exact"),
        "p2.def_2_3": ("ltc_audit", "ctl_audit", "clc_audit", "ltc_exact", "ltc_fair", "ctl_exact"),
        "p2.def_2_4": ("ltc_audit", "ctl_audit", "ltc_exact", "ltc_fair", "ctl_exact"),
        "p4.def_3_4": ("ltc_audit", "ctl_audit", "clc_audit", "ltc_exact", "ltc_fair", "ctl_exact"),
    }  # fmt: skip
    config_type = PrivacyConfig

    rows = (
        Row("ltc_audit", "corruption", "audit", "ltc", WRONG, EPSILON,
            "LDP, then a constant target: ε"),
        Row("ctl_audit", "corruption", "audit", "ctl", ("raw_adversary",), EPSILON,
            "a constant target, then LDP: at most ε"),
        Row("clc_audit", "corruption", "audit", "clc", ("raw_adversary",), EPSILON,
            "corruption on both sides: at most ε"),
        Row("ltc_exact", "corruption", "ratio", "ltc", WRONG, RATIO,
            "LDP, then a constant target: exactly ε"),
        Row("ltc_fair", "corruption", "ratio", "ltc_fair", ("raw_adversary",), RATIO,
            "LDP, then fair coins: below ε"),
        Row("ctl_exact", "corruption", "predicted", "ctl", ("ltc",),
            "exact ε over its closed form", "a constant target, then LDP: the closed form"),
    )  # fmt: skip

    def audited(self, row: str, value: float, method: str) -> tuple[Mechanism, Guarantee]:
        epsilon = self.epsilon
        claim = Guarantee(ctl_epsilon(epsilon, value) if row == "ctl_exact" else epsilon, 0.0)
        return Channel.of(corrupted_channel(method, epsilon, value)), claim

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Corruption below one half, as P2 asks."""
        largest = max(check.grid[-1] for check in self.checks())
        return (AssumptionResult("α < 1/2", largest < 0.5, f"largest α {largest:g}"),)


def corrupted_channel(method: str, epsilon: float, corruption: float) -> np.ndarray:
    """(2, 2) channel of a method from label to report."""
    private, target = randomized_response(epsilon), huber(corruption, TARGET)
    match method:
        case "ltc":
            return private @ target
        case "ctl":
            return target @ private
        case "clc":
            return target @ private @ huber(corruption, FAIR)
        case "ltc_fair":
            return private @ huber(corruption, FAIR)
        case "raw_adversary":
            return (1 - corruption) * private + corruption * np.eye(2)
        case "epsilon_overstated":
            return randomized_response(OVERSTATED * epsilon) @ target
    flip = COIN_BIAS * flip_prob(epsilon)
    return np.array([[1 - flip, flip], [flip, 1 - flip]]) @ target


def ctl_epsilon(epsilon: float, corruption: float) -> float:
    """Exact ε of a constant target before randomized response."""
    keep, flip = keep_prob(epsilon), flip_prob(epsilon)
    kept = (1 - corruption) * keep + corruption * flip
    flipped = (1 - corruption) * flip + corruption * keep
    return max(math.log(kept / flip), math.log(keep / flipped))
