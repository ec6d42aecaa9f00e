"""Steps of the corrected Theorem 4.2 in random cases, left over right side, and planted faults."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from scipy import special, stats

from repro.base.notation import flip_prob, label_signal
from repro.families.offline_kl import bounds_corrected as bound
from repro.families.offline_kl.algorithms_counts import two_arm_mle
from repro.families.offline_kl.bounds_corrected import Cell, hypercube_cell
from repro.families.offline_kl.quantities_cosine_prior import CosinePrior
from repro.preferences import label_information as label
from repro.preferences.label_counts import LabelCounts
from repro.preferences.label_information import sigmoid_difference
from repro.study.row import method

TIE = 1e-9
"""Two likelihoods this close in wins are equal; a tie counts as a mistake."""
LEAST_LOG_EPSILON, MOST_LOG_EPSILON = -1.0, 1.2
"""log₁₀ of ε from 0.1 to 16."""


def random_epsilon(rng: np.random.Generator) -> float:
    """Log-uniform from 0.1 to 16."""
    return 10 ** rng.uniform(LEAST_LOG_EPSILON, MOST_LOG_EPSILON)


@dataclass(frozen=True)
class TwoRewards:
    """Two differences in [−B, B], most of them near the end, where the information is least."""

    reward_bound: float
    epsilon: float
    true: float
    other: float

    @property
    def squared(self) -> float:
        """(Δ − Δ′)²/W."""
        spread = label.inverse_information(self.reward_bound, self.epsilon)
        return (self.true - self.other) ** 2 / spread

    @property
    def win_prob(self) -> float:
        """P(z = +1) under the truth."""
        clean = float(special.expit(self.true))
        return flip_prob(self.epsilon) + label_signal(self.epsilon) * clean

    @property
    def log_ratios(self) -> tuple[float, float]:
        """log of the other reward's likelihood over the truth's, of a win and of a loss.

        By the difference of the two probabilities: with 1e13 labels their logarithms would cancel.
        """
        step = label_signal(self.epsilon) * sigmoid_difference(self.other, self.true)
        lose = flip_prob(self.epsilon) + label_signal(self.epsilon) * float(
            special.expit(-self.true)
        )
        return math.log1p(step / self.win_prob), math.log1p(-step / lose)


def two_rewards(reward_bound: float, rng: np.random.Generator) -> TwoRewards:
    """Half of them opposite or spread, half close together at the bound."""
    if rng.random() < 0.5:
        true, other = reward_bound * rng.uniform(-1, 1, 2)
    else:
        true, other = reward_bound, reward_bound - min(reward_bound, 10 ** rng.uniform(-4, 0))
    return TwoRewards(reward_bound, 10 ** rng.uniform(-1, 2), float(true), float(other))


@method
def hellinger(case: TwoRewards) -> float:
    """(Δ − Δ′)² ≤ 8·W·(1 − affinity) (Lemma 2)."""
    less = label.one_less_affinity(case.true, case.other, case.epsilon)
    return case.squared / (bound.HELLINGER * less)


@method
def hellinger_ten_percent(case: TwoRewards) -> float:
    """Wrong: 7.2 for 8."""
    return hellinger.run(case) / 0.9


@dataclass(frozen=True)
class Choice:
    """The private MLE between the truth and another reward, on m pairs that tell them apart."""

    rewards: TwoRewards
    pairs: int

    @cached_property
    def mistake_prob(self) -> float:
        """P(the other reward is at least as likely), exactly."""
        per_win, per_loss = self.rewards.log_ratios
        level = -self.pairs * per_loss / (per_win - per_loss)
        law = (self.pairs, self.rewards.win_prob)
        if per_win > per_loss:
            return float(stats.binom.sf(math.ceil(level - TIE) - 1, *law))
        return float(stats.binom.cdf(math.floor(level + TIE), *law))


def choice_case(reward_bound: float, rng: np.random.Generator) -> Choice:
    """m so that the bound of the mistake lies between e^−1 and e^−60."""
    rewards = two_rewards(reward_bound, rng)
    wanted = bound.HELLINGER * 10 ** rng.uniform(0, 1.78) / max(rewards.squared, 1e-12)
    return Choice(rewards, max(1, math.ceil(wanted)))


def _mistakes(case: Choice, constant: float) -> float:
    return case.mistake_prob / math.exp(-case.pairs * case.rewards.squared / constant)


@method
def in_sample(case: Choice) -> float:
    """P(mistake) ≤ exp(−Σ(Δ − Δ′)²/(8·W)), by which (19) holds with 8·W (Theorem 1)."""
    return _mistakes(case, bound.HELLINGER)


@method
def in_sample_ten_percent(case: Choice) -> float:
    """Wrong: 7.2 for 8."""
    return _mistakes(case, 0.9 * bound.HELLINGER)


@dataclass(frozen=True)
class TableState:
    """m private labels of one state whose true difference is Δ, and the class [−B, B]."""

    reward_bound: float
    epsilon: float
    difference: float
    pairs: int

    @cached_property
    def mean_squared_error(self) -> float:
        """E(Δ̂ − Δ)² of the private MLE given m, exactly."""
        wins = torch.arange(self.pairs + 1, dtype=torch.float64)[:, None]
        counts = LabelCounts(torch.full_like(wins, self.pairs), wins)
        fitted = two_arm_mle(counts, self.epsilon, self.reward_bound)[:, 0].numpy()
        clean = float(special.expit(self.difference))
        win = flip_prob(self.epsilon) + label_signal(self.epsilon) * clean
        chance = stats.binom.pmf(np.arange(self.pairs + 1), self.pairs, win)
        return float(chance @ (fitted - self.difference) ** 2)

    @property
    def spread(self) -> float:
        """W(B, ε)."""
        return label.inverse_information(self.reward_bound, self.epsilon)


def table_state(reward_bound: float, rng: np.random.Generator) -> TableState:
    """Any truth, and up to 3000 labels."""
    share = rng.uniform(-1, 1) if rng.random() < 0.7 else 1.0
    pairs = int(10 ** rng.uniform(0, 3.5))
    return TableState(reward_bound, random_epsilon(rng), reward_bound * share, pairs)


@method
def table_error(case: TableState) -> float:
    """E(Δ̂ − Δ)² ≤ 8·W/(m+1) (Theorem 5)."""
    return case.mean_squared_error * (case.pairs + 1) / (bound.HELLINGER * case.spread)


@method
def table_error_ninth(case: TableState) -> float:
    """Wrong: 0.9·W/(m+1)."""
    return table_error.run(case) * bound.HELLINGER / 0.9


@method
def table_error_sharp(case: TableState) -> float:
    """E(Δ̂ − Δ)² ≤ W/m: conjectured."""
    return case.mean_squared_error * case.pairs / case.spread


@method
def table_error_sharp_ten_percent(case: TableState) -> float:
    """Wrong: 0.9·W/m."""
    return table_error_sharp.run(case) / 0.9


@dataclass(frozen=True)
class LowerBound:
    """One state with a cosine prior, m of whose pairs tell."""

    prior: CosinePrior
    pairs: int

    @cached_property
    def least(self) -> float:
        """Exact Bayes risk."""
        return self.prior.bayes_risk(self.pairs)

    @property
    def bound(self) -> float:
        """Theorem 6 with m for n·q: van Trees' inequality given m."""
        cell = Cell(self.prior.kl_weight, 1.0, self.prior.epsilon)
        return cell.lower(self.prior.base, self.prior.tilt, self.pairs)


def lower_case(reward_bound: float, rng: np.random.Generator) -> LowerBound:
    """b up to B/2 and a small enough for the information to be nearly constant."""
    base, tilt = reward_bound / 2 * rng.random(), 10 ** rng.uniform(-1, -0.3)
    kl_weight, epsilon = 10 ** rng.uniform(-0.5, 2), 10 ** rng.uniform(0, MOST_LOG_EPSILON)
    needed = label.inverse_information(base, epsilon) / tilt**2
    pairs = int(min(needed * 10 ** rng.uniform(0, 2.5), 1e4)) + 1
    return LowerBound(CosinePrior(base, tilt, kl_weight, epsilon), pairs)


@method
def lower(case: LowerBound) -> float:
    """Lower bound over the exact Bayes risk."""
    return case.bound / case.least


@method
def lower_ten_percent(case: LowerBound) -> float:
    """Wrong: 1.1 times the bound."""
    return 1.1 * lower.run(case)


@method
def lower_without_curvature(case: LowerBound) -> float:
    """Wrong: ½ for σ′(βa) ≤ ¼, the variance of a choice forgotten."""
    return lower.run(case) * 2 * math.cosh(case.prior.tilt / (2 * case.prior.kl_weight)) ** 2


@dataclass(frozen=True)
class Apart:
    """A hypercube whose difference b lies just below B, at a large n."""

    reward_bound: float
    epsilon: float
    num_states: int
    coverage: float
    times_large: float

    def cell(self) -> tuple[Cell, float]:
        """The cell and b = B − a for a = min{1/10, 1/(2β)}; β follows from b = log(C−1)/β."""
        odds = math.log(self.coverage - 1)
        base = max(self.reward_bound - bound.LARGEST_TILT, self.reward_bound / (1 + 0.5 / odds))
        return hypercube_cell(self.num_states, self.coverage, base / odds, self.epsilon), base

    def ratio(self) -> float:
        """Upper over lower bound of the gap."""
        cell, base = self.cell()
        n_pairs = self.times_large * cell.large(base)
        return cell.upper(self.reward_bound, n_pairs) / cell.lower_at_large_n(base, n_pairs)


def apart_case(reward_bound: float, rng: np.random.Generator) -> Apart:
    """Any ε, S and C, and n from the smallest allowed to a thousand times it."""
    states, coverage = int(10 ** rng.uniform(0, 3)), 2 + 10 ** rng.uniform(-1, 4)
    return Apart(reward_bound, random_epsilon(rng), states, coverage, 10 ** rng.uniform(0, 3))


@method
def constants_apart(case: Apart) -> float:
    """Upper over lower bound is at most 14."""
    return case.ratio() / bound.CONSTANTS_APART


@method
def constants_apart_ten_percent(case: Apart) -> float:
    """Wrong: 12.6 for 14."""
    return case.ratio() / (0.9 * bound.CONSTANTS_APART)
