"""Releases of one private label: among people, several times with fresh coins, or noised further.

Each method takes a ``ReleaseCase`` and returns the mechanism with what is claimed of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from repro.base.notation import flip_prob, label_signal
from repro.preferences import label_law
from repro.preferences.label_law import AsymmetricResponse
from repro.preferences.label_law import Channel as LabelChannel
from repro.privacy.channels import Channel, both, matrix_of
from repro.privacy.mechanism import Guarantee, Mechanism
from repro.study.privacy_rows import PrivacyCase
from repro.study.row import method

OVERSTATED, COIN_BIAS = 1.2, 0.9


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleaseCase(PrivacyCase):
    """A label that is released, once by each of several people or several times.

    Attributes:
        people: who release a label at the same time; their labels are independent of the first.
        channel: who randomizes labels.
    """

    people: int = 1
    channel: LabelChannel = label_law.randomized_response

    def response(self, epsilon: float) -> np.ndarray:
        """(2, 2) randomizer at a budget."""
        return matrix_of(self.channel, epsilon)

    def among_people(self, single: np.ndarray) -> tuple[Mechanism, Guarantee]:
        """One person's channel beside those of the others, with the claim that it costs ε."""
        others = self.response(self.epsilon)[[1, 1]]
        matrix = reduce(both, [single, *[others] * (self.people - 1)])
        return Channel.of(matrix), Guarantee(self.epsilon, 0.0)


@method
def randomized_response(case: ReleaseCase) -> tuple[Mechanism, Guarantee]:
    """Eq. (7)."""
    return case.among_people(case.response(case.epsilon))


@method
def epsilon_overstated(case: ReleaseCase) -> tuple[Mechanism, Guarantee]:
    """Wrong: at 1.2·ε."""
    return case.among_people(case.response(OVERSTATED * case.epsilon))


@method
def biased_coin(case: ReleaseCase) -> tuple[Mechanism, Guarantee]:
    """Wrong: flips too rarely."""
    return case.among_people(matrix_of(biased_channel(case.epsilon), case.epsilon))


@method
def raw_labels(case: ReleaseCase) -> tuple[Mechanism, Guarantee]:
    """Wrong: no randomizer."""
    return case.among_people(np.eye(2))


@method
def fresh_coins(case: ReleaseCase) -> tuple[Mechanism, Guarantee]:
    """k releases at ε each, at the sum of budgets."""
    matrix = reduce(both, [case.response(case.epsilon)] * case.horizon)
    return Channel.of(matrix), Guarantee(case.epsilon * case.horizon, 0.0)


@method
def same_answer(case: ReleaseCase) -> tuple[Mechanism, Guarantee]:
    """Wrong: the first report again and again, at the sum of budgets."""
    spent = Guarantee(case.epsilon * case.horizon, 0.0)
    return Channel.of(case.response(case.epsilon)), spent


@method
def noise_ladder(case: ReleaseCase) -> tuple[Mechanism, Guarantee]:
    """k reports, each noised from the next better one, at the largest budget."""
    return Channel.of(nested_reports(case)), Guarantee(case.epsilon, 0.0)


@method
def fresh_ladder(case: ReleaseCase) -> tuple[Mechanism, Guarantee]:
    """Wrong: the same budgets with fresh coins, at the largest budget."""
    matrix = reduce(both, [case.response(budget) for budget in budgets_of(case)])
    return Channel.of(matrix), Guarantee(case.epsilon, 0.0)


def budgets_of(case: ReleaseCase) -> list[float]:
    """ε/k, 2ε/k, …, ε."""
    return [case.epsilon * (step + 1) / case.horizon for step in range(case.horizon)]


def nested_reports(case: ReleaseCase) -> np.ndarray:
    """(2, 2^k) reports at the budgets, the best first, each noised from the one before."""
    budgets = budgets_of(case)
    joint = case.response(budgets[-1])
    last = np.eye(2)
    for weaker, stronger in zip(budgets[-2::-1], budgets[:0:-1], strict=True):
        ratio = label_signal(weaker) / label_signal(stronger)
        step = np.array([[1 + ratio, 1 - ratio], [1 - ratio, 1 + ratio]]) / 2
        joint = (joint[:, :, None] * (last @ step)[None]).reshape(2, -1)
        last = np.tile(np.eye(2), (joint.shape[1] // 2, 1))
    return joint


def biased_channel(epsilon: float) -> LabelChannel:
    """A coin that flips with 0.9 times the right probability."""
    flip = COIN_BIAS * flip_prob(epsilon)
    return AsymmetricResponse(1 - flip, flip)
