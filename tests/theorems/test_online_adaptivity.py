"""One weight of optimism for every α, against labels one by one and the constants of the page."""

import math

import numpy as np
import pytest

from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_law import fair_coins, the_opposite, the_truth
from repro.p2.xpo.runs import RewardLadder
from theorems import online_adaptivity as online
from theorems.online_adaptivity import Alike, Needle, SeenNeedle

LADDER = RewardLadder(low=1e-3, high=0.04, rungs=3)


def world_of(**fields) -> SeenNeedle:
    given = {"epsilon": 1.0, "horizon": 300, "corruption": 0.1, "ladder": LADDER, **fields}
    return SeenNeedle(**given)


def label_by_label(world: SeenNeedle, problem: Needle, grows: bool, rng) -> float:
    """One run in which labels are drawn, replaced and flipped one at a time, w = 1e-30."""
    rare = 1e-30
    ref = np.array([(1 - rare) / 2, (1 - rare) / 2, rare])
    best = np.array([0.25, 0.25, 0.5])
    tilt = np.exp(np.array([1, -1, 0]) * problem.imitated / (2 * problem.kl_weight))
    policies = [best, ref * tilt / (ref @ tilt), ref]
    implicit = [
        np.array([0, 0, problem.needle]),
        np.array([problem.imitated / 2, -problem.imitated / 2, 0]),
    ]
    hope = [float(ref @ np.log(one)) for one in policies[:2]]
    keep, weight = 1 / (1 + math.exp(-world.epsilon)), world.weight * problem.kl_weight
    loss, total, playing = np.zeros(2), 0.0, 2
    for seen in range(1, world.horizon + 1):
        total += problem.kl_weight * float(policies[playing] @ np.log(policies[playing] / best))
        first, second = rng.choice(3, p=policies[playing]), rng.choice(3, p=ref)
        if first != second:
            low, high = sorted((first, second))  # a before b, the needle last: y = 1 if low wins
            true = implicit[0][low] - implicit[0][high]
            y = 1 if rng.random() < 1 / (1 + math.exp(-true)) else -1
            if rng.random() < world.corruption:
                y = 1  # for a, or against the needle
            z = y if rng.random() < keep else -y
            expected = [math.tanh((one[low] - one[high]) / 2) for one in implicit]
            loss += [(h - world.cost * z) ** 2 for h in expected]
        share = seen / world.horizon if grows else 1.0
        scores = [share * weight * h + one for h, one in zip(hope, loss, strict=True)]
        playing = 0 if scores[0] <= scores[1] else 1
    return total / world.horizon


@pytest.mark.slow
@pytest.mark.parametrize("grows", [True, False])
@pytest.mark.parametrize("problem", [(0.1, 1.0), (0.1, 0.3)])
def test_runs_of_single_labels_have_the_same_gaps(grows, problem, monkeypatch):
    monkeypatch.setattr(online, "ONE_BY_ONE", 10**6)
    world, rng = world_of(), np.random.default_rng(2)
    one = Needle(problem[0], problem[1], 2 * math.atanh(world.bias))
    slow = [label_by_label(world, one, grows, rng) for _ in range(250)]
    fast = (online.growing if grows else online.kept)(world.on(one), rng, 4000)[0]
    error = math.sqrt(np.var(slow) / len(slow) + fast.var() / len(fast))
    assert abs(np.mean(slow) - fast.mean()) < 4 * error


def test_gaps_and_pessimism_are_those_of_the_policies():
    rare = 1e-12
    one = Needle(0.05, 0.05 * math.log((1 - rare) / rare), 0.02)
    ref = np.array([(1 - rare) / 2, (1 - rare) / 2, rare])
    each = [np.array([0, 0, one.needle]), np.array([0.01, -0.01, 0.0]), np.zeros(3)]
    best, second, plain = (ref * np.exp(r / one.kl_weight) for r in each)
    best, second, plain = (p / p.sum() for p in (best, second, plain))
    found = [one.kl_weight * float(p @ np.log(p / best)) for p in (best, second, plain)]
    assert one.gaps == pytest.approx(found, abs=1e-10)
    assert one.pessimism == pytest.approx(float(ref @ np.log(second / best)), abs=1e-9)


def test_the_adversary_makes_the_pair_look_like_the_second_policy():
    for order in Order:
        world = world_of(order=order, believed_order=order, corruption=0.05)
        first, second = world.needles[0].means
        assert world.cost * world.reports.mean(first)[0] == pytest.approx(second[0])


def test_where_both_look_alike_labels_are_fair_coins_and_gaps_are_those_of_the_policies():
    for order in Order:
        world = world_of(order=order, believed_order=order, corruption=0.05)
        assert world.reports.mean(world.alike.means[0])[0] == pytest.approx(0, abs=1e-12)
    one, odds = Alike(0.3), math.exp(2)
    best = np.array([odds, 1]) / (1 + odds)
    found = [
        one.kl_weight * float(p @ np.log(p / best)) for p in (best, best[::-1], np.full(2, 0.5))
    ]
    assert one.gaps == pytest.approx(found)
    assert one.gaps[1] / 2 >= online.EVERY_ALGORITHM * one.reward  # a coin is right half the time


def test_a_learner_of_coins_is_wrong_half_of_the_time():
    world, rng = world_of(corruption=0.05), np.random.default_rng(3)
    gaps = online.kept(world.on(world.alike), rng, 2000)[0]
    error = gaps.std() / math.sqrt(gaps.size)
    assert abs(gaps.mean() - world.alike.gaps[1] / 2) < 5 * error + 0.01 * gaps.mean()


def test_the_bound_of_theorem_1_by_its_formula():
    world = world_of(order=Order.LTC, believed_order=Order.LTC, corruption=0.2, horizon=10**7)
    q, k, c = (1 - math.exp(-0.25)) / 4, 4 * math.cosh(0.5) ** 2 * 2, world.cost
    new = 2 * math.log(1 + 10**7 / 2) / math.log(2)
    eta, s = (1 + c) * 0.2, c * math.sqrt(math.log(40) / 10**7)
    lam = 1 + math.log(eta / s)
    root = k * math.sqrt(new / (8 * q)) * (2 * s + 3 * eta + 2 * eta * math.sqrt(lam))
    rest = k / (2 * math.sqrt(q)) * eta * (2 + lam) + (2 * k * 2 + k + 2) / 10**7 * eta / s
    assert world.upper == pytest.approx(root + rest)
    plain = world_of(corruption=0.0, horizon=10**7)
    s = plain.cost * math.sqrt(math.log(40) / 10**7)
    assert plain.upper == pytest.approx(
        k * math.sqrt(new / (8 * q)) * 2 * s + (2 * k * 2 + k + 2) / 10**7
    )


@pytest.mark.parametrize("cost", [1.0, 2.0, 50.0])
@pytest.mark.parametrize("bias", [1e-6, 1e-3, 1e-2])
def test_the_constants_of_theorem_2(bias, cost):
    good, tilt = math.tanh(0.5), math.tanh(math.atanh(bias) / 2)
    assert tilt <= 0.51 * bias
    jump = min((good - h) * (good + h + 2 * cost) for h in (-tilt, tilt))
    assert jump >= 0.914 * cost
    before = 5 * (2 * bias * cost + bias**2) + 6 * bias**2 / 8
    assert before <= 10.3 * bias * cost
    assert jump - before >= 0.8 * cost
    v = bias / (2 * cost)
    step = math.exp(v**2) * (math.cosh(v) - 2 * v * math.sinh(v))
    assert step <= 1 - 0.48 * v**2
    assert (1 - 0.49 * 0.48 * v**2) * math.exp(v**2 / 8) <= 1
    assert 1 - math.exp(-0.2 / cost) >= 0.18 / cost
    assert 1 - 2.0**-5 >= 0.968
    assert (1 - good) / 2 >= 0.268
    assert 0.968 * 0.268 * 0.18 - 0.005 >= 0.04
    rare = 1 / (400 * 200)
    entropy = -rare * math.log(rare) - (1 - rare) * math.log(1 - rare)
    assert entropy <= 0.0002
    assert math.log(2) - 0.0002 >= 0.69
    assert (1 - 6 / 200) * 0.69 >= 0.65
    assert 0.65 / 5.6 >= 0.11
    assert 8 * math.log(2) <= 5.6


def test_the_constants_of_theorem_3():
    rare = 1 / (1 + math.exp(10))
    hope = (1 - rare) * math.log(2 * (1 - rare)) + rare * math.log(2 * rare)
    assert hope >= 0.69
    assert 0.69 / 40 >= 1.1 / 64
    assert 0.12 <= math.tanh(1 / 8) <= 1 / 8
    assert (math.log(0.5 / rare) + math.log(0.5 / (1 - rare))) / 2 >= 4.3
    assert 0.5 + rare <= 0.5001
    assert 0.25 / 0.04**2 <= 157
    assert 0.51 * 64 <= 33
    assert 33 / 144 <= 0.23
    assert 4.3 / 40 * (0.5 - 2 / 10**4) >= 0.05
    assert 1 - 157 / 10**4 - 0.23 >= 0.5


@pytest.mark.parametrize("seed", range(4))
def test_what_one_policy_says_of_a_later_one(seed):
    """The step that the recursion of Theorem 1 stands on, for random policies."""
    rng = np.random.default_rng(seed)
    ref, best, early, late = rng.dirichlet(np.full(5, 0.5), 4)
    beta = rng.uniform(0.1, 2)

    def hope(policy):
        return beta * float(ref @ np.log(policy / best))

    def difference(one, other):
        log_ratio = beta * np.log(one / other)
        return log_ratio[:, None] - log_ratio[None]

    pairs = early[:, None] * ref[None]
    left = float((pairs * difference(early, late)).sum())
    assert left >= hope(late) - hope(early) - 1e-12
    both = np.abs(difference(early, best)) + np.abs(difference(late, best))
    assert left <= float((pairs * both).sum()) + 1e-12
    gap = beta * float(late @ np.log(late / best))
    own = float((late[:, None] * ref[None] * difference(late, best)).sum())
    assert gap == pytest.approx(hope(late) + own)


def test_the_sums_of_theorem_1():
    """Both terms of the first m rounds at W of Theorem 1, and the tails of the two last sums."""
    q, k, cost, log_class, horizon, new = online.SQUARES, 3.0, 2.0, 4.0, 10**5, 25.0
    unit, s = k * math.sqrt(new / (8 * q)), cost * math.sqrt(log_class / horizon)
    weight = cost * math.sqrt(128 * q * log_class * horizon / new) / k  # over β
    for m in (10, 1000, horizon):
        for eta in (0.0, s, 10 * s):
            told = 4 * (m * eta**2 + cost**2 * log_class) / weight
            a = 16 * q / (weight * k**2)
            pairs = 2 * new / (4 * a * m)
            stated = unit * (eta**2 * m / (horizon * s) + s + s * horizon / m)
            assert told + pairs == pytest.approx(stated, rel=1e-12)
        t = np.arange(m + 1, 10**6, dtype=float)
        assert (1 / (t * np.sqrt(t - 1))).sum() <= 3 / math.sqrt(m)
        assert (1 / t**2).sum() <= 1 / m


def test_the_weight_knows_no_alpha():
    other = world_of(corruption=0.0, order=Order.LTC, believed_order=Order.LTC)
    assert world_of().weight == other.weight


def test_a_beta_at_which_the_needle_may_be_drawn_is_refused():
    with pytest.raises(ValueError, match="ladder"):
        world_of(horizon=10**12)


@pytest.mark.parametrize("stages", [
    {"labels": fair_coins}, {"estimate": the_truth}, {"estimate": the_opposite},
])  # fmt: skip
def test_what_a_row_needs_is_noticed(taken_away, stages):
    before, after = taken_away("kept_ctl", **stages)
    assert before == "supported" != after
