"""Theorems 4 and 5 of docs/explanations/reward_range.md."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from scipy.special import xlogy
from scipy.stats import binom

from repro.labels.preferences.label_law import fair_coins, the_truth
from repro.p2.chipo import value_ratio
from repro.p2.chipo.policy import chipo_policy, link
from repro.p2.chipo.statistical_error import statistical_error, statistical_error_of
from repro.p2.chipo.value_ratio import (
    SpuriousValue,
    every_beta,
    penalised_policy,
    with_the_ratio,
)
from tests.at_each import at_each


def case(ratio: float = 64.0, n_pairs: int = 10**8, **fields) -> SpuriousValue:
    given = {"epsilon": 1.0, "coverage": 4.0, "reward_bound": 1.0, **fields}
    return SpuriousValue(n_pairs=n_pairs, value_ratio=ratio, **given)


def test_the_identity_of_three_points():
    u, v, w = sympy.symbols("u v w", positive=True)

    def f(x):
        return x**2 / 2 + x * sympy.log(x) - x

    def phi(x):
        return x + sympy.log(x)

    def d(x, y):
        return f(x) - f(y) - phi(y) * (x - y)

    assert sympy.simplify(sympy.diff(f(u), u) - phi(u)) == 0
    assert sympy.simplify((u - v) * (phi(v) - phi(w)) - (d(u, w) - d(v, w) - d(u, v))) == 0
    # D(u, v) − ½(u − v)² = u·log(u/v) − u + v ≥ 0
    rest = d(u, v) - (u - v) ** 2 / 2 - (u * sympy.log(u) - u * sympy.log(v) - u + v)
    assert sympy.simplify(sympy.expand(rest)) == 0


def test_the_constants_of_theorem_4():
    assert max(link(np.array(2.0)) - 1, 1 - link(np.array(0.5))) <= 2
    rho, error, cover = sympy.symbols("rho e C", positive=True)
    beta = error * sympy.sqrt((3 * rho + sympy.Rational(1, 2)) / (2 * cover))
    both = (3 * rho + sympy.Rational(1, 2)) * error**2 / beta + 2 * beta * cover
    stated = 2 * sympy.sqrt(6 * rho + 1) * sympy.sqrt(cover) * error
    assert sympy.simplify(both**2 - stated**2) == 0


def test_the_constants_of_theorem_5():
    cover = np.linspace(4, 1e4, 10_000)
    assert np.all(cover / 2 - cover / (2 * (cover - 1)) >= cover / 3 - 1e-12)
    best = np.linspace(1e-3, 1, 400)[:, None]
    cost = np.geomspace(1, 1e3, 50)
    u, eta = np.tanh(best) / cost, np.tanh(best / 2) / cost
    assert u.max() <= 0.762
    assert np.all(u + eta <= 1.5 * best / cost)
    assert np.all(1 + u * eta + u**2 / 2 - eta**2 / 2 >= 0.89)
    assert max(1 + u.max(), (1 + 0 * u + (u + eta) / 2 - u).max()) <= 1.77
    assert 1.77**2 <= 3.14
    assert 3.14 / 0.89 <= 3.53
    assert 1.5 / math.sqrt(0.89) <= 1.6
    assert (1 / (2 * math.sqrt(6.53)) - 0.16) ** 2 >= 0.0012
    seen = np.linspace(0.01, 1, 1000)
    assert (seen * np.exp(-2 * seen)).min() * (1 - eta.max()) / 2 >= 0.0026
    x = np.geomspace(1e-6, 1e6, 10_000)
    assert np.all(link(x) <= 1.37 * x)
    assert link(np.array(0.5)) >= -0.194
    assert 0.73 * (1 - 0.194) >= 0.58
    assert 0.58 * 0.005 >= 0.0029 - 1e-15
    assert math.sqrt(0.0012 * 0.0029 / 6) >= 0.00076


@at_each("ratio", [1.0, 2.0, 30.0, 1e4])
@at_each("seed", range(3))
def test_no_policy_beats_theorem_4(ratio, seed):
    assert with_the_ratio(case(ratio), np.random.default_rng(seed), 1) <= 0.5


def drawn(at: SpuriousValue, replicates: int = 400) -> value_ratio.Chosen:
    return value_ratio.chosen(at, np.random.default_rng(5), replicates)


@pytest.mark.parametrize("fields", [
    {"ratio": 4.0}, {"ratio": 1e4}, {"ratio": 50.0, "reward_bound": 0.1, "n_pairs": 10**6},
    {"epsilon": 0.1}, {"epsilon": math.inf}, {"coverage": 400.0, "n_pairs": 10**10},
])  # fmt: skip
def test_every_beta_pays_what_theorem_5_says(fields):
    at = case(**fields)
    floor = min(at.reward_bound, math.sqrt(at.value_ratio) * at.coverage * at.unit)
    assert every_beta(drawn(at)) >= 0.0006 * floor


def test_choices_are_those_of_the_least_log_loss():
    """The spurious policy by an exact law, and π_ref by labels one by one."""
    at, draws = case(n_pairs=10_000), 40_000
    share = drawn(at, draws).share
    win = (1 + math.tanh(0.5) / at.cost) / 2
    probs = (1 + at.means / at.cost) / 2
    for k in (10, 20, 30):
        pairs = np.arange(400)
        wins = np.arange(400)[:, None]
        chance = binom.pmf(pairs, 10_000, 2 * at.rare[k] * (1 - at.rare[k]))
        joint = np.where(wins <= pairs, chance * binom.pmf(wins, pairs, win), 0)
        loss = [-(wins * math.log(p) + (pairs - wins) * math.log(1 - p)) for p in probs]
        least = np.argmin(loss, axis=0)
        for policy in range(3):
            exact = joint[least == policy].sum()
            assert share[k, policy] == pytest.approx(exact, abs=0.012)


def test_the_spurious_policy_is_chipo_s_own():
    at, beta, ratio = case(), 0.003, 64.0
    gaps = value_ratio.spurious_gaps(at, beta, ratio)
    for k in (0, 20, 60):
        reference = np.array([at.rare[k], 1 - at.rare[k]])
        wrong = chipo_policy(reference, np.array([ratio, 0.0]), np.array(beta))[0]
        right = chipo_policy(reference, np.array([0.0, 1.0]), np.array(beta))[0]
        assert gaps[k] == pytest.approx([right, wrong, at.rare[k]], rel=1e-6)


def test_err_squared_of_two_responses():
    reference, true, fitted = np.array([0.3, 0.7]), np.array([0.4, 0.0]), np.array([5.0, 0.0])
    two = statistical_error(0.42, np.array([[2.0]]), np.array(0.4))
    assert statistical_error_of(reference, true, fitted, 1.0) == pytest.approx(two[0])


def test_a_revealed_truth_leaves_nothing_to_pay():
    told = drawn(case(estimate=the_truth))
    assert (told.share[:, 0] == 1).all()
    assert value_ratio.root_of_the_ratio(told) == 0
    assert every_beta(told) < 0.1 * every_beta(drawn(case()))


def test_who_reads_coins_plays_the_reference():
    coins = drawn(case(labels=fair_coins))
    assert coins.share[-1].argmax() == 2
    assert value_ratio.root_of_the_ratio(coins) == pytest.approx(0.25, abs=0.01)


def test_a_loss_that_clips_nothing_turns_the_bound(monkeypatch):
    def unpaid(*given):
        return 1e-4 * statistical_error_of(*given)

    monkeypatch.setattr(value_ratio, "statistical_error_of", unpaid)
    assert with_the_ratio(case(), np.random.default_rng(0), 1) > 1


@pytest.mark.parametrize("bonus", [0.0, -1.0])
def test_without_the_penalty_the_bound_does_not_hold(bonus):
    at = case(pessimism=bonus)
    assert with_the_ratio(at, np.random.default_rng(0), 1) > 2


@pytest.mark.parametrize("bonus", [1.0, 0.0, -1.0])
def test_no_policy_has_more_of_what_is_maximised(bonus):
    rng = np.random.default_rng(1)
    reference, reward, kl_weight = rng.dirichlet(np.ones(4)), rng.random(4), 0.3

    def objective(policy):
        ratio = policy / reference
        divergence = reference @ (ratio - 1) ** 2 / 2 + xlogy(policy, ratio).sum()
        return policy @ reward - bonus * kl_weight * divergence

    found = penalised_policy(reference[None], reward[None], np.array([kl_weight]), bonus)[0]
    others = [*rng.dirichlet(np.ones(4), 300), *np.eye(4)]
    assert max(map(objective, others)) <= objective(found) + 1e-12
