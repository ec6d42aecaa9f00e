"""The steps of own.hybrid: its lemma, its potential, its lower bound, and its learner by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
import torch
from scipy import stats

from repro.labels.preferences.block_draws import NumpyDraws
from repro.p2.xpo.needles import PairCounts
from repro.p2.xpo.runs import RewardLadder, value_bound
from repro.p2.xpo.simulator import Start, average_gap
from repro.p2.xpo.worst_reward import batch_of
from theorems.hybrid_xpo import (
    SQUARES,
    Given,
    OfflineAndOnline,
    evenly,
    hybrid_xpo,
    least_gap,
    objective,
    offline_only,
    online_only,
)


def played(**changes) -> OfflineAndOnline:
    values = {
        "epsilon": 1.0, "n_pairs": 500, "horizon": 300, "grid_ratio": 1.5,
        "ladder": RewardLadder(low=0.01, high=1, rungs=3), "best_share": 0.1,
    }  # fmt: skip
    return OfflineAndOnline(**(values | changes))


def test_the_exponential_moment_of_one_label():
    """E exp(−X/4c²) ≤ exp(−q·D²/c²) for every clean mean, policy and c: with no pair drawn."""
    rng = np.random.default_rng(0)
    mean, policy = rng.uniform(-1, 1, (2, 10**5))
    cost = 1 + rng.exponential(2, 10**5) * rng.integers(2, size=10**5)
    moment = np.zeros(10**5)
    for label in (-1, 1):
        loss = (policy - cost * label) ** 2 - (mean - cost * label) ** 2
        moment += (1 + label * mean / cost) / 2 * np.exp(-loss / (4 * cost**2))
    assert (moment <= np.exp(-SQUARES * (policy - mean) ** 2 / cost**2) * (1 + 1e-12)).all()


def test_what_a_round_finds_new_is_one_over_the_labels_but_for_a_logarithm():
    rng = np.random.default_rng(1)
    for _ in range(2000):
        n, rounds = (round(10 ** rng.uniform(0, 12)) for _ in range(2))
        given = Given(1.0, n, rounds, 1 + 9 * rng.random(), 10 ** rng.uniform(0, 6), 3.0, 1.0)
        most = 2 / math.log(2) * max(1, math.log1p(rounds / given.coverability))
        effective = n / given.concentrability + rounds / given.coverability
        assert given.new_pairs * effective <= most * (1 + 1e-12)


def test_the_potential_by_summation():
    """Σ_t Σ_x (d^t)²/Q_t ≤ T·Λ for policies drawn at random and for the worst in turn."""
    rng = np.random.default_rng(2)
    for trial in range(200):
        actions, rounds, n = rng.integers(2, 6), 60, int(rng.integers(0, 300))
        policies = rng.dirichlet(np.full(actions, 0.2), 8)
        reference = policies.mean(0) + 1e-3
        reference /= reference.sum()
        cover = policies.max(0)
        given = Given(1.0, n, rounds, float(cover.sum()), float((policies / reference).max()),
                      3.0, 1.0)  # fmt: skip
        seen, total = n * reference + cover, 0.0
        for _ in range(rounds):
            potential = (policies**2 / seen).sum(1)
            chosen = int(potential.argmax()) if trial % 2 else int(rng.integers(8))
            total += potential[chosen]
            seen = seen + policies[chosen]
        assert total <= rounds * given.new_pairs * (1 + 1e-12)


def test_the_sum_of_both_gaps_symbolically():
    odds, k = sympy.symbols("omega k", positive=True)
    share = odds / (1 + odds)
    product = (1 + odds * sympy.exp(k)) * (1 + odds * sympy.exp(-k)) / (1 + odds) ** 2
    claimed = 1 + 2 * share * (1 - share) * (sympy.cosh(k).rewrite(sympy.exp) - 1)
    assert sympy.simplify(product - claimed) == 0


@pytest.mark.parametrize("rare", [0.5, 0.1, 1e-3])
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_the_best_learner_of_two_problems_does_no_better_than_the_lower_bound(rare, epsilon):
    """The Bayes risk of the two problems, exactly, when every label of N is informative."""
    labels, best = 400, 0.0
    cost = 1 / math.tanh(epsilon / 2)
    k = -2 * math.log(rare * (1 - rare))
    for gap in np.geomspace(0.01, 1, 30):
        wins, mean = np.arange(labels + 1), math.tanh(gap / 2) / cost
        laws = [stats.binom.pmf(wins, labels, (1 + s * mean) / 2) for s in (1, -1)]
        share = laws[0] / (laws[0] + laws[1])
        optima = [rare * math.exp(s * k) / (1 - rare + rare * math.exp(s * k)) for s in (1, -1)]
        pooled = sum(np.exp(share * math.log(p) + (1 - share) * math.log(q))
                     for p, q in (optima, [1 - x for x in optima]))  # fmt: skip
        risk = gap / k * float((laws[0] + laws[1]) / 2 @ -np.log(pooled))
        best = max(best, risk)
    assert best >= least_gap(epsilon, 0, labels, rare)


def counts(seed: int) -> PairCounts:
    return PairCounts(
        *torch.from_numpy(np.random.default_rng(seed).integers(1, 9, (3, 1, 2)) * 1.0)
    )


def test_what_the_wrong_learners_read():
    offline, online = counts(0), counts(1)
    assert offline_only(offline, 7, online, 3) is offline
    assert online_only(offline, 7, online, 3) is online
    found = evenly(offline, 7, online, 3)
    torch.testing.assert_close(found.pairs, 5 * (offline.pairs / 7 + online.pairs / 3))


@pytest.mark.parametrize("reward", [0.4, -0.4])
def test_the_learner_is_the_one_of_the_page_label_by_label(reward):
    """W·E_ref[log π] + Σ(h − cz)², on records instead of counts."""
    rng = np.random.default_rng(3)
    world = played(rare_is_worse=reward < 0)
    policies, batch = world.policies(), batch_of(world, hybrid_xpo(world), reward, 1.0, 1)
    reference, table = policies.reference.numpy(), policies.table().numpy()
    beta, cost = float(batch.kl_weight), 1 / float(batch.believed_signal)
    data = [(*rng.integers(2, size=2), int(rng.choice([-1, 1]))) for _ in range(50)]
    pairs, wins = np.zeros((1, 2)), np.zeros((1, 2))
    by_hand = world.weight(reward, 1) * beta * (reference * np.log(table)).sum(1)
    for first, second, label in data:
        implicit = beta * np.log(table / reference)
        shape = np.tanh((implicit[:, first] - implicit[:, second]) / 2)
        by_hand = by_hand + (shape - cost * label) ** 2
        if first != second:
            pairs += 1
            wins[0, first if label == 1 else second] += 1
    zero = np.zeros((1, 2))
    given = PairCounts(*(torch.from_numpy(x) for x in (pairs, wins, zero)))
    found = objective(policies, batch)(given).flatten().numpy()
    tilts = len(policies.tilts)
    assert found[:tilts].argmin() == by_hand[:tilts].argmin()
    # the first response's pairs are all that there are: each policy's loss up to one constant
    np.testing.assert_allclose(np.diff(found[:tilts]), np.diff(by_hand[:tilts]), atol=1e-8)


def test_offline_labels_choose_the_first_policy():
    """One round after very many labels: the gap is that of the right policy."""
    world = played(n_pairs=10**9, horizon=1)
    batch = batch_of(world, hybrid_xpo(world), 0.5, 0.0, 4)
    rng = np.random.default_rng(0)
    cold, warm = (
        average_gap(world.policies(), batch, objective, [0, 1], NumpyDraws(rng), start=start)
        for start in (Start(), Start(world.offline))
    )
    assert float(warm.max()) < 1e-12 < 0.1 < float(cold.min())


def test_both_problems_and_their_mirror():
    better, worse = played().problems
    assert (worse.rewards == -better.rewards).all()
    assert worse.policies().optimal_tilt == -better.policies().optimal_tilt
    assert worse.given(-0.3) == better.given(0.3)
    assert value_bound(worse, -0.3) == pytest.approx(value_bound(better, 0.3))
