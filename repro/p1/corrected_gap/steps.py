"""Steps of the corrected Theorem 4.2 in random cases, left over right side, and planted faults."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
import torch

from repro.labels.preferences import label_information as label
from repro.labels.preferences.label_counts import LabelCounts
from repro.labels.preferences.label_process import AS_STATED, LabelProcess
from repro.p1.corrected_gap import bounds as bound
from repro.p1.corrected_gap.bounds import Cell
from repro.p1.corrected_gap.cosine_prior import CosinePrior, likely_wins
from repro.worlds.estimators.two_arm_mle import two_arm_mle

TIE = 1e-9
"""Two likelihoods this close in wins are equal; a tie counts as a mistake."""
LEAST_LOG_EPSILON, MOST_LOG_EPSILON = -1.0, 1.2
"""log₁₀ of ε from 0.1 to 16."""
LARGEST = 1e12
"""Ratios are cut here: labels that tell nothing have affinity 1."""


def random_epsilon(rng: np.random.Generator) -> float:
    """Log-uniform from 0.1 to 16."""
    return 10 ** rng.uniform(LEAST_LOG_EPSILON, MOST_LOG_EPSILON)


@dataclass(frozen=True)
class TwoRewards:
    """Two differences in [−B, B], most of them near the end, where the information is least.

    Attributes:
        reward_bound: B.
        epsilon: budget of the labels.
        true: the difference that labels are drawn from.
        other: the one that it is taken for.
        process: what labels are drawn from and who randomizes them.
    """

    reward_bound: float
    epsilon: float
    true: float
    other: float
    process: LabelProcess = AS_STATED

    @property
    def squared(self) -> float:
        """(Δ − Δ′)²/W."""
        spread = label.inverse_information(self.reward_bound, self.epsilon)
        return (self.true - self.other) ** 2 / spread

    @property
    def log_ratios(self) -> tuple[float, float]:
        """log of the other reward's likelihood over the truth's, of a win and of a loss.

        What the MLE believes in, whatever labels are drawn from.  By the difference of the two
        probabilities: with 1e13 labels their logarithms would cancel.
        """
        step = AS_STATED.step(self.other, self.true, self.epsilon)
        given = (self.true, self.epsilon)
        win, lose = AS_STATED.win_prob(*given), AS_STATED.lose_prob(*given)
        return math.log1p(step / win), math.log1p(-step / lose)


def two_rewards(
    reward_bound: float, rng: np.random.Generator, process: LabelProcess = AS_STATED
) -> TwoRewards:
    """Half of them opposite or spread, half close together at the bound."""
    if rng.random() < 0.5:
        true, other = reward_bound * rng.uniform(-1, 1, 2)
    else:
        true, other = reward_bound, reward_bound - min(reward_bound, 10 ** rng.uniform(-4, 0))
    return TwoRewards(reward_bound, 10 ** rng.uniform(-1, 2), float(true), float(other), process)


def hellinger(case: TwoRewards) -> float:
    """(Δ − Δ′)² ≤ 8·W·(1 − affinity) (Lemma 2)."""
    less = case.process.one_less_affinity(case.true, case.other, case.epsilon)
    return case.squared / max(bound.HELLINGER * less, case.squared / LARGEST)


def hellinger_ten_percent(case: TwoRewards) -> float:
    """Wrong: 7.2 for 8."""
    return hellinger(case) / 0.9


@dataclass(frozen=True)
class ChoiceOfTwo:
    """The private MLE between the truth and another reward, on m pairs that tell them apart.

    Attributes:
        rewards: the two.
        pairs: m.
        process: what labels are drawn from and who randomizes them.
    """

    rewards: TwoRewards
    pairs: int
    process: LabelProcess = AS_STATED

    @cached_property
    def mistake_prob(self) -> float:
        """P(the other reward is taken), exactly; a tie is a mistake."""
        beaten = self._beaten
        fitted, chance = np.array([1.0, -1.0]), np.array([1 - beaten, beaten])
        return float(chance[self.process.returned(fitted, np.ones(2)) < 0].sum())

    @cached_property
    def _beaten(self) -> float:
        """P(the other reward is at least as likely)."""
        per_win, per_loss = self.rewards.log_ratios
        level = -self.pairs * per_loss / (per_win - per_loss)
        law = (self.pairs, self.process.win_prob(self.rewards.true, self.rewards.epsilon))
        if per_win > per_loss:
            return float(scipy.stats.binom.sf(math.ceil(level - TIE) - 1, *law))
        return float(scipy.stats.binom.cdf(math.floor(level + TIE), *law))


def choice_case(
    reward_bound: float, rng: np.random.Generator, process: LabelProcess = AS_STATED
) -> ChoiceOfTwo:
    """m so that the bound of the mistake lies between e^−1 and e^−60."""
    rewards = two_rewards(reward_bound, rng)
    wanted = bound.HELLINGER * 10 ** rng.uniform(0, 1.78) / max(rewards.squared, 1e-12)
    return ChoiceOfTwo(rewards, max(1, math.ceil(wanted)), process)


def _mistakes(case: ChoiceOfTwo, constant: float) -> float:
    return case.mistake_prob / math.exp(-case.pairs * case.rewards.squared / constant)


def in_sample(case: ChoiceOfTwo) -> float:
    """P(mistake) ≤ exp(−Σ(Δ − Δ′)²/(8·W)), by which (19) holds with 8·W (Theorem 1)."""
    return _mistakes(case, bound.HELLINGER)


def in_sample_ten_percent(case: ChoiceOfTwo) -> float:
    """Wrong: 7.2 for 8."""
    return _mistakes(case, 0.9 * bound.HELLINGER)


def close_choice(
    reward_bound: float, rng: np.random.Generator, process: LabelProcess = AS_STATED
) -> ChoiceOfTwo:
    """Rewards close together at the bound, and m so that the bound of the mistake is e^−200 to
    e^−500: where 8 is needed.
    """
    other, epsilon = reward_bound - 10 ** rng.uniform(-3, -2), 10 ** rng.uniform(-1, 2)
    rewards = TwoRewards(reward_bound, epsilon, reward_bound, other, process)
    pairs = math.ceil(bound.HELLINGER * rng.uniform(200, 500) / rewards.squared)
    return ChoiceOfTwo(rewards, pairs, process)


def in_sample_exponent(case: ChoiceOfTwo) -> float:
    """log P(mistake) over −Σ(Δ − Δ′)²/(8·W), which tends to 1 (Chernoff); ∞ where P is 0."""
    expected = case.pairs * case.rewards.squared / bound.HELLINGER
    return -math.log(case.mistake_prob) / expected if case.mistake_prob > 0 else math.inf


def in_sample_exponent_of_seven(case: ChoiceOfTwo) -> float:
    """Wrong: 7 for 8."""
    return in_sample_exponent(case) * 7 / 8


@dataclass(frozen=True)
class TableState:
    """m private labels of one state whose true difference is Δ, and the class [−B, B].

    Attributes:
        reward_bound: B.
        epsilon: budget of the labels.
        difference: Δ.
        pairs: m.
        process: what labels are drawn from and who randomizes them.
    """

    reward_bound: float
    epsilon: float
    difference: float
    pairs: int
    process: LabelProcess = AS_STATED

    @cached_property
    def mean_squared_error(self) -> float:
        """E(Δ̂ − Δ)² of the private MLE given m, exactly up to rounding."""
        win = self.process.win_prob(self.difference, self.epsilon)
        likely = likely_wins(np.array([win]), self.pairs)
        wins = torch.as_tensor(likely, dtype=torch.float64)[:, None]
        counts = LabelCounts(torch.full_like(wins, self.pairs), wins)
        fitted = two_arm_mle(counts, self.epsilon, self.reward_bound)[:, 0].numpy()
        returned = self.process.returned(fitted, np.full_like(fitted, self.difference))
        chance = scipy.stats.binom.pmf(likely, self.pairs, win)
        return float(chance @ (returned - self.difference) ** 2)

    @property
    def spread(self) -> float:
        """W(B, ε)."""
        return label.inverse_information(self.reward_bound, self.epsilon)


def table_state(
    reward_bound: float, rng: np.random.Generator, process: LabelProcess = AS_STATED
) -> TableState:
    """Any truth, and up to 3000 labels."""
    share = rng.uniform(-1, 1) if rng.random() < 0.7 else 1.0
    pairs = int(10 ** rng.uniform(0, 3.5))
    return TableState(reward_bound, random_epsilon(rng), reward_bound * share, pairs, process)


def large_state(
    reward_bound: float, rng: np.random.Generator, process: LabelProcess = AS_STATED
) -> TableState:
    """1e5 labels at a difference within half of the bound: the limit, where nothing is cut."""
    difference, epsilon = (
        reward_bound * rng.uniform(-0.5, 0.5),
        10 ** rng.uniform(0, MOST_LOG_EPSILON),
    )
    return TableState(reward_bound, epsilon, float(difference), 100_000, process)


def table_error_limit(case: TableState) -> float:
    """E(Δ̂ − Δ)² over W(Δ)/m, which tends to 1."""
    spread = label.inverse_information(case.difference, case.epsilon)
    return case.mean_squared_error * case.pairs / spread


def table_error_of_nine_tenths(case: TableState) -> float:
    """Wrong: with nine tenths of the labels."""
    return table_error_limit(case) / 0.9


def table_error(case: TableState) -> float:
    """E(Δ̂ − Δ)² ≤ 8·W/(m+1) (Theorem 5)."""
    return case.mean_squared_error * (case.pairs + 1) / (bound.HELLINGER * case.spread)


def table_error_ninth(case: TableState) -> float:
    """Wrong: 0.9·W/(m+1)."""
    return table_error(case) * bound.HELLINGER / 0.9


def table_error_sharp(case: TableState) -> float:
    """E(Δ̂ − Δ)² ≤ W/m: conjectured."""
    return case.mean_squared_error * case.pairs / case.spread


def table_error_sharp_ten_percent(case: TableState) -> float:
    """Wrong: 0.9·W/m."""
    return table_error_sharp(case) / 0.9


@dataclass(frozen=True)
class CosineProblem:
    """One state with a cosine prior, m of whose pairs tell.

    Attributes:
        prior: of the difference.
        pairs: m.
        process: what labels are drawn from, who randomizes them and what the learner returns.
    """

    prior: CosinePrior
    pairs: int
    process: LabelProcess = AS_STATED

    @cached_property
    def least(self) -> float:
        """Exact Bayes risk."""
        return max(self.prior.bayes_risk(self.pairs, self.process), self.bound / LARGEST)

    @property
    def bound(self) -> float:
        """Theorem 6 with m for n·q: van Trees' inequality given m."""
        cell = Cell(self.prior.kl_weight, 1.0, self.prior.epsilon)
        return cell.lower(self.prior.base, self.prior.tilt, self.pairs)


def lower_case(
    reward_bound: float, rng: np.random.Generator, process: LabelProcess = AS_STATED
) -> CosineProblem:
    """b up to B/2 and a small enough for the information to be nearly constant."""
    base, tilt = reward_bound / 2 * rng.random(), 10 ** rng.uniform(-1, -0.3)
    kl_weight, epsilon = 10 ** rng.uniform(-0.5, 2), 10 ** rng.uniform(0, MOST_LOG_EPSILON)
    needed = label.inverse_information(base, epsilon) / tilt**2
    pairs = int(min(needed * 10 ** rng.uniform(0, 2.5), 1e4)) + 1
    return CosineProblem(CosinePrior(base, tilt, kl_weight, epsilon), pairs, process)


def lower(case: CosineProblem) -> float:
    """Lower bound over the exact Bayes risk."""
    return case.bound / case.least


def lower_ten_percent(case: CosineProblem) -> float:
    """Wrong: 1.1 times the bound."""
    return 1.1 * lower(case)


def lower_without_curvature(case: CosineProblem) -> float:
    """Wrong: ½ for σ′(βa) ≤ ¼, the variance of a choice forgotten."""
    return lower(case) * 2 * math.cosh(case.prior.tilt / (2 * case.prior.kl_weight)) ** 2
