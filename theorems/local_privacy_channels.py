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
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from repro.base.notation import flip_prob, keep_prob
from repro.preferences.label_law import Channel as LabelChannel
from repro.preferences.label_law import randomized_response
from repro.privacy.channels import Channel, huber, matrix_of
from repro.privacy.mechanism import Guarantee, Mechanism
from repro.study.case import Point
from repro.study.claims import Inequality, Ratio
from repro.study.privacy_rows import (
    PrivacyCase,
    PrivacyExperiment,
    PrivacyProbes,
    Private,
    audit_shares,
    exact_ratio,
)
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Method, Need, Row

TARGET = (0.0, 1.0)
"""The corrupted label is always +1."""

FAIR = (0.5, 0.5)
OVERSTATED = 1.2
COIN_BIAS = 0.9
"""The control ``biased_coin`` flips with 0.9 times the right probability."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CorruptedCase(PrivacyCase):
    """A label that is randomized and corrupted.

    Attributes:
        corruption: α.
        claimed: (ε, α) → the budget that is claimed.
        channel: who randomizes labels.
    """

    corruption: float
    claimed: Callable[[float, float], float]
    channel: LabelChannel = randomized_response

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


def corrupted(name: str, matrix: Callable[[CorruptedCase], np.ndarray]) -> Method:
    """A method whose channel from label to report is a (2, 2) matrix."""

    def run(case: CorruptedCase) -> tuple[Mechanism, Guarantee]:
        claimed = Guarantee(case.claimed(case.epsilon, case.corruption), 0.0)
        return Channel.of(matrix(case)), claimed

    return Method(name, run)


def raw_adversary_matrix(case: CorruptedCase) -> np.ndarray:
    """Wrong: the adversary shows the raw label."""
    return (1 - case.corruption) * case.private + case.corruption * np.eye(2)


def biased_coin_matrix(case: CorruptedCase) -> np.ndarray:
    """Wrong: a coin that flips too rarely, then a constant target."""
    flip = COIN_BIAS * flip_prob(case.epsilon)
    return np.array([[1 - flip, flip], [flip, 1 - flip]]) @ case.target


def overstated_matrix(case: CorruptedCase) -> np.ndarray:
    """Wrong: randomized response at 1.2·ε, then a constant target."""
    return matrix_of(case.channel, OVERSTATED * case.epsilon) @ case.target


LTC = corrupted("ltc", lambda case: case.private @ case.target)
CTL = corrupted("ctl", lambda case: case.target @ case.private)
CLC = corrupted("clc", lambda case: case.target @ case.private @ case.fair)
LTC_FAIR = corrupted("ltc_fair", lambda case: case.private @ case.fair)
RAW_ADVERSARY = corrupted("raw_adversary", raw_adversary_matrix)
WRONG = (
    RAW_ADVERSARY,
    corrupted("epsilon_overstated", overstated_matrix),
    corrupted("biased_coin", biased_coin_matrix),
)


def whole_budget(epsilon: float, corruption: float) -> float:
    """ε, whatever the corruption."""
    return epsilon


def ctl_epsilon(epsilon: float, corruption: float) -> float:
    """Exact ε of a constant target before randomized response."""
    keep, flip = keep_prob(epsilon), flip_prob(epsilon)
    kept = (1 - corruption) * keep + corruption * flip
    flipped = (1 - corruption) * flip + corruption * keep
    return max(math.log(kept / flip), math.log(keep / flipped))


AUDIT = Measure("exact ε of the channel", audit_shares, Evidence.MEASURED)
RATIO = exact_ratio("exact ε over ε")
OVER_CLOSED_FORM = exact_ratio("exact ε over its closed form")
PRIVACY = (Need.PRIVACY,)
DEF_2_2, ORDERS, CORRUPTION = "p2.def_2_2", "p2.def_2_4", ("p2.def_2_3", "p4.def_3_4")


class LocalPrivacyChannels(PrivacyExperiment[CorruptedCase]):
    """Each order of corruption and privacy, against the budget of randomized response."""

    title = "P2 Definition 2.4: local privacy of corrupted labels"
    config_type = PrivacyProbes

    rows = (
        Row("ltc_audit", "corruption", Private("LDP, then a constant target: ε"), AUDIT, LTC, WRONG,
            given=whole_budget, needs=PRIVACY, settles=(DEF_2_2, ORDERS, *CORRUPTION)),
        Row("ctl_audit", "corruption", Private("a constant target, then LDP: at most ε"), AUDIT,
            CTL, (RAW_ADVERSARY,), given=whole_budget, needs=PRIVACY,
            settles=(ORDERS, *CORRUPTION)),
        Row("clc_audit", "corruption", Private("corruption on both sides: at most ε"), AUDIT, CLC,
            (RAW_ADVERSARY,), given=whole_budget, needs=PRIVACY, settles=CORRUPTION),
        Row("ltc_exact", "corruption", Ratio("LDP, then a constant target: exactly ε",
            tolerance=1e-6), RATIO, LTC, WRONG, given=whole_budget, needs=PRIVACY,
            settles=(DEF_2_2, ORDERS, *CORRUPTION)),
        Row("ltc_fair", "corruption", Inequality("LDP, then fair coins: below ε"), RATIO, LTC_FAIR,
            (RAW_ADVERSARY,), given=whole_budget, needs=PRIVACY, settles=(ORDERS, *CORRUPTION)),
        Row("ctl_exact", "corruption", Ratio("a constant target, then LDP: the closed form",
            tolerance=1e-6), OVER_CLOSED_FORM, CTL, (LTC,), given=ctl_epsilon, needs=PRIVACY,
            settles=(ORDERS, *CORRUPTION)),
    )  # fmt: skip

    def case(self, point: Point) -> CorruptedCase:
        """The run's budget at a swept corruption."""
        runs = self.config.probes[point.row.name].runs
        return CorruptedCase(
            methods=point.methods, epsilon=self.epsilon, runs=runs, corruption=point.value,
            claimed=point.row.given,
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Corruption below one half, as P2 asks."""
        largest = max(trial.grid[-1] for trial in self.trials)
        return (AssumptionResult("α < 1/2", largest < 0.5, f"largest α {largest:g}"),)
