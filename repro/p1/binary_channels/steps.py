"""Steps of the theorems on channels and divergences in random cases, and planted faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
import torch
from torch import Tensor

from repro.labels.preferences.label_counts import LabelCounts
from repro.labels.preferences.label_information import inverse_information, inverse_slope
from repro.labels.preferences.label_mixture import LabelMixture
from repro.labels.preferences.label_process import LabelProcess
from repro.p1.binary_channels import bounds as label
from repro.p1.corrected_gap.bounds import HELLINGER
from repro.worlds.estimators.two_arm_mle import two_arm_mle
from repro.worlds.policies.regularisers import (
    AlphaMixture,
    regularised_policy,
    regularised_suboptimality,
)

MOST_LOG_PAIRS = 3.3
LARGEST = 1e12
"""Ratios are cut here: labels that tell nothing have affinity 1."""


def random_mixture(rng: np.random.Generator) -> LabelMixture:
    """Any binary private channel: a third on an edge of the polytope, a third near its corner."""
    truth = rng.uniform(0.05, 1) if rng.random() < 2 / 3 else 1 - 10 ** rng.uniform(-6, -1)
    share = rng.choice([0.0, 1.0]) if rng.random() < 1 / 3 else rng.random()
    return LabelMixture(float(truth), float((1 - truth) * share))


@dataclass(frozen=True)
class TwoReports:
    """Two differences in [−B, B], half of the cases at an end, and a channel.

    Attributes:
        reward_bound: B.
        epsilon: budget of the channel.
        response: the channel that is believed in.
        true: one difference.
        other: the other.
        process: what labels are drawn from and who randomizes them.
    """

    reward_bound: float
    epsilon: float
    response: LabelMixture
    true: float
    other: float
    process: LabelProcess

    @property
    def over_hellinger(self) -> float:
        """(Δ − Δ′)² over W·(1 − affinity); ``LARGEST`` where the two laws are one."""
        less = self.process.one_less_affinity(self.true, self.other, self.epsilon)
        spread = label.largest_inverse_information(self.reward_bound, self.epsilon, self.response)
        apart = (self.true - self.other) ** 2
        return apart / max(spread * less, apart / LARGEST)

    @property
    def over_best(self) -> float:
        """Fisher information of a label at Δ over that of randomized response."""
        lost, won = self.process.ends(self.epsilon)
        given = (self.true, self.epsilon)
        information = ((won - lost) / inverse_slope(self.true)) ** 2
        spread = self.process.win_prob(*given) * self.process.lose_prob(*given)
        return information / spread * inverse_information(*given)


Stages = Callable[[LabelMixture], LabelProcess]
"""From the channel of a case to how its labels come about."""


def as_drawn(response: LabelMixture) -> LabelProcess:
    """Labels go through the channel that is believed in."""
    return LabelProcess(channel=response)


def two_reports(
    reward_bound: float, rng: np.random.Generator, stages: Stages = as_drawn
) -> TwoReports:
    """Half of them anywhere, half close together at either end."""
    if rng.random() < 0.5:
        true, other = reward_bound * rng.uniform(-1, 1, 2)
    else:
        end = rng.choice([-1, 1])
        true = end * reward_bound
        other = end * (reward_bound - min(reward_bound, 10 ** rng.uniform(-4, 0)))
    epsilon, response = 10 ** rng.uniform(-1, 1.2), random_mixture(rng)
    given = reward_bound, epsilon, response, float(true), float(other)
    return TwoReports(*given, stages(response))


def hellinger(case: TwoReports) -> float:
    """(Δ − Δ′)² ≤ 8·W·(1 − affinity) for every channel (Lemma 3)."""
    return case.over_hellinger / HELLINGER


def hellinger_ten_percent(case: TwoReports) -> float:
    """Wrong: 7.2 for 8."""
    return hellinger(case) / 0.9


def hellinger_quieter_end(case: TwoReports) -> float:
    """Wrong: W at the end of the label that is flipped less."""
    given = (case.epsilon, case.response)
    ends = [label.inverse_information(e * case.reward_bound, *given) for e in (-1, 1)]
    return hellinger(case) * max(ends) / min(ends)


def best_channel(case: TwoReports) -> float:
    """No channel tells more than randomized response, at any difference (Lemma 2)."""
    return case.over_best


def best_channel_ten_percent(case: TwoReports) -> float:
    """Wrong: no channel tells more than nine tenths of it."""
    return best_channel(case) / 0.9


@dataclass(frozen=True)
class ReportedState:
    """m reports of one state whose true difference is Δ, and the class [−B, B].

    Attributes:
        reports: Δ, B, ε and the channel.
        pairs: m.
        process: what labels are drawn from and who randomizes them.
    """

    reports: TwoReports
    pairs: int
    process: LabelProcess

    @cached_property
    def mean_squared_error(self) -> float:
        """E(Δ̂ − Δ)² of the MLE given m, exactly."""
        case = self.reports
        wins = torch.arange(self.pairs + 1, dtype=torch.float64)[:, None]
        counts = LabelCounts(torch.full_like(wins, self.pairs), wins)
        given = (case.epsilon, case.reward_bound, case.response)
        fitted = two_arm_mle(counts, *given)[:, 0].numpy()
        returned = self.process.returned(fitted, np.full_like(fitted, case.true))
        win = self.process.win_prob(case.true, case.epsilon)
        chance = scipy.stats.binom.pmf(np.arange(self.pairs + 1), self.pairs, win)
        return float(chance @ (returned - case.true) ** 2)


def table_state(
    reward_bound: float, rng: np.random.Generator, stages: Stages = as_drawn
) -> ReportedState:
    """Any truth and channel, and up to 2000 reports."""
    reports = two_reports(reward_bound, rng, stages)
    return ReportedState(reports, int(10 ** rng.uniform(0, MOST_LOG_PAIRS)), reports.process)


def table_error(case: ReportedState) -> float:
    """E(Δ̂ − Δ)² ≤ 8·W/(m+1) (Theorem 2)."""
    reports = case.reports
    spread = label.largest_inverse_information(
        reports.reward_bound, reports.epsilon, reports.response
    )
    return case.mean_squared_error * (case.pairs + 1) / (HELLINGER * spread)


def table_error_sixteenth(case: ReportedState) -> float:
    """Wrong: W/(2(m+1)), half of what seems to be the best constant."""
    return table_error(case) * HELLINGER / 0.5


@dataclass(frozen=True)
class Plans:
    """A state with a few responses, its true and an estimated reward, and a divergence.

    Attributes:
        reference: (1, A).
        reward: (1, A).
        estimated: (1, A).
        kl_weight: > 0.
        chi_share: weight of ½χ² beside a weight of 1 − chi_share on KL: f″ ≥ chi_share everywhere.
    """

    reference: Tensor
    reward: Tensor
    estimated: Tensor
    kl_weight: float
    chi_share: float

    @property
    def regulariser(self) -> AlphaMixture:
        """f″ = chi_share + (1 − chi_share)/w."""
        chi = ((self.chi_share, 2.0),)
        return AlphaMixture(chi if self.chi_share == 1 else (*chi, (1 - self.chi_share, 1.0)))

    @cached_property
    def gap(self) -> float:
        """SubOpt of the policy of the estimated reward."""
        weight = torch.ones(1, dtype=torch.float64)
        return float(regularised_suboptimality(
            self.regulariser, self.reference, self.reward, self.estimated, weight, self.kl_weight
        ))  # fmt: skip

    @property
    def values_apart(self) -> float:
        """J(π*) − J(π̂), as a difference of two values."""

        def value(reward: Tensor) -> float:
            ratio, _ = regularised_policy(self.regulariser, self.reference, reward, self.kl_weight)
            paid = self.kl_weight * self.regulariser.value(ratio)
            return float((self.reference * (ratio * self.reward - paid)).sum())

        return value(self.reward) - value(self.estimated)


def plans(kl_weight: float, rng: np.random.Generator) -> Plans:
    """Two to six responses, errors from small to larger than the rewards; half of them pure χ²."""
    count = int(rng.integers(2, 7))
    reference = torch.softmax(torch.from_numpy(rng.normal(0, 1.5, (1, count))), -1)
    reward = torch.from_numpy(rng.normal(0, 1, (1, count)))
    error = 10 ** rng.uniform(-2, 0.5) * torch.from_numpy(rng.normal(0, 1, (1, count)))
    share = 1.0 if rng.random() < 0.5 else float(rng.uniform(0.2, 0.99))
    return Plans(reference, reward, reward + error, kl_weight, share)


def identity(case: Plans) -> float:
    """Bregman's form of SubOpt is the difference of two values (Theorem 5)."""
    # J's two values of order 1 agree to a few rounding errors, so small gaps only that far
    apart = abs(case.gap - case.values_apart)
    return apart / (1e-9 * abs(case.values_apart) + 1e-13 * (1 + 1 / case.kl_weight))


def identity_one_percent(case: Plans) -> float:
    """Wrong: a gap 1 % too large."""
    return abs(1.01 * case.gap - case.values_apart) / (1e-9 * abs(case.values_apart) + 1e-13)
