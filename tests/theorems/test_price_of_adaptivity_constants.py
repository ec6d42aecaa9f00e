"""The algebra of docs/explanations/price_of_adaptivity.md, and its constants."""

import math

import numpy as np
import pytest
import sympy

from repro.base.notation import privacy_cost
from repro.labels.corruption.huber_reports import HuberReports
from repro.labels.corruption.orders import Order
from repro.p2.chipo.losses import log_loss, square_loss
from repro.p2.chipo.policy import two_arm_wrong_prob
from tests.at_each import at_each
from theorems import price_of_adaptivity as bound
from theorems.price_of_adaptivity import (
    Minimiser,
    StatisticalError,
    UnsaturatedLabels,
    as_without_corruption,
    at_capped_coverage,
    coverage_of,
    imitate,
)

LOSSES = {"square": (square_loss, bound.ENOUGH, bound.IMITATION),
          "log": (log_loss, bound.LOG_ENOUGH, bound.LOG_IMITATION)}  # fmt: skip
PENALTY = 0.52
"""Of β, at least: what the penalty alone costs at C = 2 (Theorem 2)."""


def inverse_slope_bound(reward_bound):
    """K_R = max |x − y|/|tanh(x/2) − tanh(y/2)| over |x| ≤ 2R, |y| ≤ R: R·cosh(R)·coth(R/2)."""
    return reward_bound * math.cosh(reward_bound) / math.tanh(reward_bound / 2)


def test_the_mean_slope_of_lemma_1():
    r = sympy.symbols("R", positive=True)
    slope = (sympy.tanh(r) - sympy.tanh(r / 2)) / r
    claimed = sympy.tanh(r / 2) / (r * sympy.cosh(r))
    assert sympy.simplify((slope - claimed).rewrite(sympy.exp)) == 0


@pytest.mark.parametrize("reward_bound", [1e-4, 0.1, 0.5, 1.0, 2.0, 10.0])
def test_the_growth_of_lemma_1(reward_bound):
    largest = inverse_slope_bound(reward_bound)
    assert 2 * max(1, reward_bound / 4) <= largest
    assert largest <= 2 * max(1.0, reward_bound) * math.exp(reward_bound)


def test_squares_of_the_excess_loss():
    """E Y² of both cells, by hand in the page, from the two values of a label."""
    e, c, t, h = sympy.symbols("e c t h", positive=True)

    def second_moment(other, own, mean):
        excess = [(other - c * z) ** 2 - (own - c * z) ** 2 for z in (1, -1)]
        chance = [(1 + mean / c) / 2, (1 - mean / c) / 2]
        return sympy.expand(sum(p * y**2 for p, y in zip(chance, excess, strict=True)))

    assert sympy.simplify(second_moment(e, 0, e) - e**2 * (4 * c**2 - 3 * e**2)) == 0
    stated = (h + t) ** 2 * ((h - t) ** 2 + 4 * (h - t) * t + 4 * c**2)
    assert sympy.simplify(second_moment(h, -t, -t) - stated) == 0


def test_the_bregman_divergence_falls_in_c():
    costs = np.geomspace(1, 100, 200)
    means = np.array([-math.tanh(0.5), math.tanh(1)])
    lost = np.array([np.subtract(*_expected(log_loss, means[::-1], means[0], c)) for c in costs])
    assert np.all(np.diff(costs**2 * lost) < 0)
    assert costs[0] ** 2 * lost[0] <= 1.01
    assert costs[-1] ** 2 * lost[-1] >= 0.748


def _expected(loss, policies, mean, cost):
    win = np.array([(1 + mean / cost) / 2])
    return [float(loss(np.ones(1), win, np.array([one]), cost)) for one in policies]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("order", [Order.CTL, Order.LTC])
def test_imitation_wins_at_least_half_of_the_time_from_the_stated_n(loss, order):
    rng, (objective, enough, _) = np.random.default_rng(3), LOSSES[loss]
    learner, cost = Minimiser(objective, as_without_corruption), privacy_cost(1.0)
    reach = 1.0 if order is Order.CTL else cost
    for corruption in (0.001, 0.25 / reach):
        n = 2 * math.ceil(enough * cost**2 / (reach * corruption) ** 2)  # half are plain prompts
        orders = {"believed_order": order, "order": order}
        labels = UnsaturatedLabels(
            epsilon=1.0, n_pairs=n, corruption=corruption, failure_prob=0.05, **orders
        )
        assert (labels.choices(learner, rng, 2000) == 1).mean() > 0.5


@pytest.mark.parametrize("loss", LOSSES)
def test_the_second_policy_is_as_bad_as_stated(loss):
    objective, _, constant = LOSSES[loss]
    learner = Minimiser(objective, as_without_corruption)
    for bias in np.geomspace(1e-4, 0.25, 12):
        for kl_weight in np.geomspace(1e-9, 0.5, 30):
            for cost in (1.0, 2.0, 20.0):
                arm = learner.arm(float(bias), cost)
                gap = arm.policy(kl_weight, arm.rewards[1])[2]
                assert gap >= min(0.5, constant * bias**2 / kl_weight)


def test_the_adversary_makes_the_pair_look_like_the_second_policy():
    for order, reach in ((Order.CTL, 1.0), (Order.LTC, privacy_cost(0.5))):
        world = Minimiser(square_loss, as_without_corruption).arm(0.01 * reach, privacy_cost(0.5))
        reports = HuberReports(0.5, 0.01, order, adversary=imitate)
        seen = privacy_cost(0.5) * reports.mean(world.means[0])
        assert seen == pytest.approx([world.means[1, 0], *world.means[0, 1:]], rel=1e-9)
        assert np.abs(np.diff(world.rewards[:, [1, 0, 2]], axis=1)).max() <= 2


def test_the_assumptions_of_the_world():
    world = Minimiser(square_loss, as_without_corruption).arm(0.25, 1.0)
    assert world.coverage <= 2.02
    assert world.bad_reference <= 0.0053
    assert (1 - world.bad_reference) ** 2 / 2 >= 0.494


def test_what_the_penalty_costs():
    for kl_weight in (0.01, 0.3, 0.42, 0.44, 1.0, 10.0):
        difference = min(2.29 * kl_weight, 1.0)
        wrong = two_arm_wrong_prob(np.array(0.5), np.array(difference / kl_weight))
        assert difference * wrong >= min(PENALTY * kl_weight, 0.22)


def test_the_cap_binds_or_beta_stays():
    world = Minimiser(square_loss, as_without_corruption).world(0.01, 2.0)
    error = StatisticalError(1e-6, 0.0, 0.0, world.coverage)
    for reward in world.rewards:
        kl_weight = at_capped_coverage(error, world, reward)
        reached = coverage_of(world.policy(kl_weight, reward), world.reference)
        free = kl_weight == as_without_corruption(error, world, reward)
        assert (free and reached <= 2 * world.coverage) or reached == pytest.approx(
            2 * world.coverage, rel=1e-6
        )


@at_each(("loss", "constant"), [(square_loss, 0.036), (log_loss, 0.026)])
@at_each("value", [2.0, 5.0, 40.0, 1000.0])
@at_each("bias", [0.01, 0.1, 0.25])
def test_the_gap_grows_with_v_max_to_the_first_power(loss, constant, value, bias):
    """The corollary of Theorem 2, and that clipped differences lose no more than at V_max = 2."""
    for cost in (1.0, 2.2, 20.0):
        world = Minimiser(loss, as_without_corruption).arm(bias, cost)
        for kl_weight in np.geomspace(bias**2 / 50, 0.5, 30):
            implicit = np.array([world.imitated, 0.0, value])
            gap = world.policy(kl_weight, implicit)[2]
            assert gap >= min(0.5, constant * value * bias**2 / kl_weight)
        clipped = np.tanh(np.minimum([value - world.imitated, value], 2.0) / 2)
        one, reports = np.ones(1), np.tanh(-0.5) / cost
        lost = [
            loss(one, one * (1 + reports) / 2, np.array([m]), cost)
            for m in (np.tanh(-0.5), *clipped, np.tanh(1.0))
        ]
        assert max(lost[1], lost[2]) - lost[0] <= (lost[3] - lost[0]) * (1 + 1e-12)


def test_plain_prompts_are_a_second_state():
    """Joint policies against each state on its own: gap, coverage and π_ref."""
    world = Minimiser(square_loss, as_without_corruption).world(0.1, 2.0)
    assert world.reference.sum() == pytest.approx(1)
    for reward in world.rewards:
        joint = world.policy(0.3, reward)
        own = world.arm.policy(0.3, reward[:3])
        worse = two_arm_wrong_prob(np.array(0.5), np.array((reward[3] - reward[4]) / 0.3))
        plain = np.array([1 - worse, worse])
        assert joint == pytest.approx(np.concatenate([own, plain]) / 2, rel=1e-9)
        assert world.gap(0.3, reward) == pytest.approx((own[2] + worse) / 2, rel=1e-9)
        covered = ((own**2 / world.arm.reference).sum() + (plain**2 / 0.5).sum()) / 2
        assert coverage_of(joint, world.reference) == pytest.approx(covered, rel=1e-9)
    assert world.means[2].tolist() == [*world.means[0, :3], 0.0]


def test_alpha_falls_as_the_world_says():
    labels = UnsaturatedLabels(
        epsilon=1.0, n_pairs=10**14, corruption=0.01, failure_prob=0.05, fades=0.25
    )
    assert labels.share == pytest.approx(0.001)
    assert labels.reports.corruption == labels.share == labels.bias
