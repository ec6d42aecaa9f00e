"""Proofs of χPO's meta theorems: decided, and what they leave against random policies."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from mpmath import iv

from repro.base.notation import privacy_cost
from repro.core.proofs import decided
from repro.p2.chipo import meta_theorem
from repro.p2.chipo.policy import chipo_policy
from tests.at_each import at_each
from theorems import price_of_adaptivity as proof
from theorems.price_of_adaptivity import (
    StatisticalError,
    StepOfAProof,
    at_capped_coverage,
    coverage_of,
)

CLAIMS = {
    "meta": lambda at: meta_theorem.meta(1.0, 0.5),
    "printed_meta": lambda at: meta_theorem.meta(2.0, 2.0),
    "cap": lambda at: meta_theorem.cap(),
    "least_squares": lambda at: proof.least_squares(StepOfAProof()),
    "meta_without_square": lambda at: proof.meta_without_square(StepOfAProof(coverage=at)),
    "cap_without_cap": lambda at: proof.cap_without_cap(StepOfAProof(coverage=at)),
    "coverage_ignored": meta_theorem.coverage_ignored,
    "least_squares_ten_percent": lambda at: proof.least_squares_ten_percent(StepOfAProof()),
    "inverse_slope": lambda at: proof.inverse_slope(StepOfAProof(reward_bound=at)),
    "inverse_slope_ten_percent": lambda at: proof.inverse_slope_ten_percent(
        StepOfAProof(reward_bound=at)
    ),
}
RIGHT = ("meta", "printed_meta", "cap", "least_squares")
WRONG = ("meta_without_square", "cap_without_cap", "coverage_ignored", "least_squares_ten_percent")


def value(name, at, *point):
    return float(CLAIMS[name](at).ratio(*(iv.mpf(x) for x in point)).mid)


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_proved(name):
    assert decided(CLAIMS[name](100.0)) <= 1 + 1e-9


@at_each("name", WRONG)
@at_each("at", [4.0, 1e2, 1e6])
def test_what_is_wrong_is_refuted(name, at):
    if name.endswith("ignored") or at > 4:
        assert decided(CLAIMS[name](at)) > 1.05


@pytest.mark.parametrize("bound", [0.001, 0.1, 1.0, 4.0, 8.0])
def test_lemma_1_is_proved_at_every_bound(bound):
    assert 1 - 1e-9 <= decided(CLAIMS["inverse_slope"](bound)) <= 1 + 1e-9


@pytest.mark.parametrize("bound", [0.001, 1.0, 8.0])
def test_a_smaller_constant_has_a_counterexample(bound):
    assert decided(CLAIMS["inverse_slope_ten_percent"](bound)) > 1.1


@pytest.mark.parametrize(("x", "y"), [(1.9, -0.4), (0.3, 0.3001), (2.0, 1.0)])
def test_the_slope_between_two_differences(x, y):
    ratio = abs(x - y) / abs(np.tanh(x / 2) - np.tanh(y / 2)) / (math.cosh(1.0) / math.tanh(0.5))
    assert value("inverse_slope", 1.0, x, y) == pytest.approx(ratio)


@dataclass(frozen=True)
class Estimated:
    """One state, R_max = 1: true rewards, fitted ones, and a comparator.

    Attributes:
        reference: (A,) π_ref.
        true: (A,) in [0, 1].
        fitted: (A,) implicit rewards.
        comparator: (A,) π*.
        kl_weight: β.
    """

    reference: np.ndarray
    true: np.ndarray
    fitted: np.ndarray
    comparator: np.ndarray
    kl_weight: float

    @cached_property
    def coverage(self) -> float:
        """C^π*."""
        return coverage_of(self.comparator, self.reference)

    @cached_property
    def value_ratio(self) -> float:
        """ρ = V_max/R_max, at least 1."""
        return max(1.0, float(np.ptp(self.fitted)))

    @cached_property
    def error(self) -> float:
        """err of clipped differences."""
        fitted, true = (r[:, None] - r[None] for r in (self.fitted, self.true))
        weight = self.reference[:, None] * self.reference[None]
        return math.sqrt(float((weight * (np.clip(fitted, -2, 2) - true) ** 2).sum()))

    def gap(self, kl_weight: float) -> float:
        """J(π*) − J(π̂) at some β."""
        policy = chipo_policy(self.reference, self.fitted, np.array(kl_weight))
        return float((self.comparator - policy) @ self.true)


def estimated(rare, rng):
    """Half of them any rewards; half one response of mass ``rare`` that is thought too good."""
    if rng.random() < 0.5:
        size = int(rng.integers(2, 7))
        reference = rng.dirichlet(np.ones(size)) * (1 - 1e-9) + 1e-9 / size
        true, noise = rng.random(size), rng.normal(size=size)
        fitted = true + 10 ** rng.uniform(-3, 0.3) * noise
        comparator = rng.dirichlet(np.full(size, 0.3))
        return Estimated(reference, true, fitted, comparator, 10 ** rng.uniform(-4, 1))
    reference, true = np.array([1 - rare, rare]), np.array([1.0, 1 - rng.random()])
    fitted = true + np.array([0.0, 2.0 * rng.random()])
    kl_weight = max(np.ptp(fitted), 1e-3) * rare * 10 ** rng.uniform(0, 2)
    return Estimated(reference, true, fitted, reference, kl_weight)


@dataclass(frozen=True)
class AnyWorld:
    """What ``at_capped_coverage`` reads of a world."""

    reference: np.ndarray

    def policy(self, kl_weight, reward):
        """Policy of a reward."""
        return chipo_policy(self.reference, reward, np.array(kl_weight))


def kl(policy, reference):
    """KL(policy‖reference)."""
    seen = policy > 0
    return float(policy[seen] @ np.log(policy[seen] / reference[seen]))


def over_terms(case, kl_weight):
    """τ, u, q and gap/(βC) of a policy at some β."""
    policy = chipo_policy(case.reference, case.fitted, np.array(kl_weight))
    reached = coverage_of(policy, case.reference)
    tau = case.value_ratio * case.error / (kl_weight * math.sqrt(case.coverage))
    divergence = max(kl(case.comparator, case.reference), 0.0) / case.coverage
    left = case.gap(kl_weight) / (kl_weight * case.coverage)
    return tau, math.sqrt(reached / case.coverage), divergence, left


@pytest.mark.some(12)
@pytest.mark.parametrize("rare", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("seed", range(40))
def test_what_theorem_1_leaves_is_above_the_gap(rare, seed):
    case = estimated(rare, np.random.default_rng(seed))
    tau, u, q, left = over_terms(case, case.kl_weight)
    assert left <= tau + tau * u + (1 - u**2) / 2 + q + 1e-9 * (1 + abs(left))
    assert 0 <= q <= 1 / math.e
    right = tau + 1 + tau**2 / 2
    stated = (tau + tau * u + (1 - u**2) / 2 + q) / right
    assert value("meta", 1.0, tau, u, q) == pytest.approx(stated, rel=1e-9, abs=1e-9)
    printed = stated * right / (2 * tau + 1 + 2 * tau**2)
    assert value("printed_meta", 1.0, tau, u, q) == pytest.approx(printed, rel=1e-9, abs=1e-9)


@pytest.mark.some(12)
@pytest.mark.parametrize("rare", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("seed", range(40))
def test_what_theorem_4_leaves_is_above_the_gap(rare, seed):
    case = estimated(rare, np.random.default_rng(seed))
    least = case.kl_weight
    error = StatisticalError(least * math.sqrt(case.coverage), 0.0, 0.0, case.coverage)
    kl_weight = at_capped_coverage(error, AnyWorld(case.reference), case.fitted)
    _, u, q, left = over_terms(case, kl_weight)
    tau = case.value_ratio * case.error / (least * math.sqrt(case.coverage))
    assert u <= math.sqrt(2) * (1 + 1e-6)
    stated = 1 + (1 + math.sqrt(2)) * tau
    found = value("cap", 1.0, tau, min(u / math.sqrt(2), 1.0), q) * stated
    assert found == pytest.approx(tau + tau * u + (1 - u**2) / 2 + q, rel=1e-5, abs=1e-5)
    assert left * kl_weight / least <= found + 1e-5 * (1 + abs(found))


@pytest.mark.parametrize("rare", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("played", [0.5, 0.7, 0.9])
def test_the_counterexample_is_a_policy_of_the_algorithm(rare, played):
    error, kl_weight = (float(x.mid) for x in meta_theorem._overrated(iv.mpf(rare), iv.mpf(played)))
    reference = np.array([1 - rare, rare])
    fitted = np.array([0.0, meta_theorem.OVERRATED])
    case = Estimated(reference, np.array([1.0, 0.0]), fitted, reference, kl_weight)
    assert case.error == pytest.approx(error)
    assert (case.value_ratio, case.coverage) == (1.0, pytest.approx(1.0))
    assert case.gap(kl_weight) == pytest.approx(played - rare, rel=1e-6)
    assert value("meta_without_square", 1 / rare, played) == pytest.approx(
        case.gap(kl_weight) / (error + kl_weight), rel=1e-6
    )
    assert coverage_of(chipo_policy(reference, case.fitted, np.array(kl_weight)), reference) > 2


@pytest.mark.parametrize("coverage", [4.0, 64.0, 4096.0])
def test_known_rewards_pay_beta_times_the_coverage(coverage):
    reference, kl_weight, played = np.array([1 / coverage, 1 - 1 / coverage]), 1e-6, 0.6
    gap = value("coverage_ignored", coverage, played) * kl_weight
    reward = np.array([gap / (1 - played), 0.0])
    assert reward[0] <= 1
    case = Estimated(reference, reward, reward, np.array([1.0, 0.0]), kl_weight)
    assert (case.error, case.coverage) == (0.0, pytest.approx(coverage))
    assert case.gap(kl_weight) == pytest.approx(gap, rel=1e-6)


@at_each("epsilon", [0.3, 1.0, math.inf])
@at_each("ltc", [False, True])
@at_each("seed", range(5))
def test_the_excess_loss_of_lemma_2(epsilon, ltc, seed):
    """Mean, second moment and range that its proof gives to Bernstein, pair by pair."""
    rng, cost = np.random.default_rng(seed), privacy_cost(epsilon)
    alpha = 0.25 / (cost if ltc else 1.0)
    moved = alpha * (cost if ltc else 1.0)
    chance = rng.dirichlet(np.ones(6))
    true, other, bad = rng.uniform(-1, 1, (3, 6))
    bad = np.sign(bad)  # the adversary's labels
    # mean of the debiased report: with clean labels h*, with the adversary's bad, c·bad after
    mean = (1 - alpha) * true + alpha * bad * (cost if ltc else 1.0)
    win = (1 + mean / cost) / 2
    assert np.all(np.abs(mean - true) <= 2 * moved + 1e-12)
    excess = {y: (other - cost * y) ** 2 - (true - cost * y) ** 2 for y in (1, -1)}
    first = chance @ (win * excess[1] + (1 - win) * excess[-1])
    second = chance @ (win * excess[1] ** 2 + (1 - win) * excess[-1] ** 2)
    z = math.sqrt(chance @ (other - true) ** 2)
    assert first >= z**2 - 4 * moved * z - 1e-12
    assert second <= 16 * cost**2 * z**2 + 1e-12
    assert max(np.abs(excess[1]).max(), np.abs(excess[-1]).max()) <= 8 * cost


@at_each("cost", [1.0, 3.0, 40.0])
@at_each("share", [0.0, 1e-3, 0.3, 1.0])
def test_the_root_of_lemma_2(cost, share):
    """The largest z with z² ≤ zp + q is below p + √q, which is what the proof leaves."""
    first, spread = 1 - share, share
    p, q = first + math.sqrt(32) * spread, 16 / 3 * spread**2 / cost
    largest = p / 2 + math.sqrt(p**2 / 4 + q)
    stated = (p + math.sqrt(q)) / (first + 8 * spread)
    assert largest <= (p + math.sqrt(q)) * (1 + 1e-12)
    assert value("least_squares", 0.1, share, 1 / cost) == pytest.approx(stated, rel=1e-12)


@pytest.mark.parametrize("corruption", [1e-4, 0.01, 0.2])
def test_lemma_2_is_all_but_attained_under_ctl(corruption):
    true, near = 0.99, 0.999
    seen = (1 - corruption) * true - corruption
    other = seen - near * (true - seen)
    assert abs(other - seen) < abs(true - seen)
    assert abs(other) <= 1
    found = (true - other) / (3.6 * corruption)
    assert value("least_squares_ten_percent", corruption, true, near) == pytest.approx(found)
