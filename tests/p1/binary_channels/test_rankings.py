"""Rankings by Plackett–Luce and their release: laws, slopes and information by hand."""

import itertools
import math

import numpy as np
import pytest
import torch

from repro.p1.binary_channels.rankings import (
    RankingProblem,
    RankingWorld,
    draw_rankings,
    ranking_mle,
    ranking_response,
    ranking_signal,
    rankings_overstated,
)
from repro.worlds.policies.gibbs import gibbs_policy

REWARD = torch.tensor([0.4, -0.3, 0.1], dtype=torch.float64)
WORLD = RankingWorld(REWARD, torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64), 0.7)


def test_the_law_of_a_ranking_is_a_product_of_choices():
    weight = REWARD.exp().tolist()
    expected = []
    for ranking in itertools.permutations(range(3)):
        prob, left = 1.0, sum(weight)
        for place in ranking:
            prob, left = prob * weight[place] / left, left - weight[place]
        expected.append(prob)
    found = WORLD.ranking_prob(REWARD)
    assert found.tolist() == pytest.approx(expected)
    assert WORLD.rankings.tolist() == [list(one) for one in itertools.permutations(range(3))]
    both = WORLD.ranking_prob(torch.stack([REWARD, 2 * REWARD]))
    assert both.shape == (2, 6)
    assert both[0].tolist() == pytest.approx(expected)


def test_slopes_are_derivatives_of_log_probabilities():
    jacobian = torch.autograd.functional.jacobian(lambda r: WORLD.ranking_prob(r).log(), REWARD)
    torch.testing.assert_close(WORLD.slopes(REWARD), jacobian)


@pytest.mark.parametrize("epsilon", [0.5, 3.0, math.inf])
def test_a_report_keeps_its_ranking_or_is_any_other_one(epsilon):
    others = 1 / (math.exp(epsilon) + 5) if math.isfinite(epsilon) else 0.0
    prob = WORLD.ranking_prob(REWARD)
    expected = others * (1 - prob) + (1 - 5 * others) * prob
    torch.testing.assert_close(ranking_response(prob, epsilon), expected)
    assert ranking_signal(epsilon, 6) == pytest.approx(1 - 6 * others)


def test_information_is_that_of_the_report_and_a_shift_has_none():
    def report(reward):
        return ranking_response(WORLD.ranking_prob(reward), 1.0)

    law, slope = report(REWARD), torch.autograd.functional.jacobian(report, REWARD)
    expected = slope.T @ (slope / law[:, None])
    found = WORLD.information(REWARD, 1.0)
    torch.testing.assert_close(found, expected)
    assert (found @ torch.ones(3, dtype=torch.float64)).abs().max() < 1e-12


def test_the_gap_is_that_of_the_gibbs_policy_and_its_constant_the_limit():
    counts = torch.zeros(2, 6, dtype=torch.float64)
    problem = RankingProblem(WORLD, counts, 1.0)
    reward = torch.stack([REWARD + 0.3, torch.tensor([0.0, 0.2, 0.0], dtype=torch.float64)])
    best = gibbs_policy(WORLD.reference, WORLD.reward, 0.7)
    expected = []
    for one in reward:
        policy = gibbs_policy(WORLD.reference, one, 0.7)
        expected.append(0.7 * float((policy * (policy / best).log()).sum()))
    assert problem.gap(reward).tolist() == pytest.approx(expected, abs=1e-12)
    rng, n = np.random.default_rng(0), 10**7
    drawn = draw_rankings(rng, ranking_response(WORLD.ranking_prob(REWARD), 2.0), n, 400)
    assert drawn.sum(-1).tolist() == [n] * 400
    gaps = ranking_mle(RankingProblem(WORLD, drawn, 2.0))
    assert n * float(gaps.mean()) == pytest.approx(WORLD.gap_constant(2.0), rel=0.2)
    overstated = rankings_overstated(RankingProblem(WORLD, drawn, 2.0))
    assert float(overstated.mean()) > 10 * float(gaps.mean())


def test_counts_without_information_have_no_number_and_the_other_datasets_theirs():
    counts = torch.stack([torch.full((6,), 1e4), torch.zeros(6)]).double()
    together = ranking_mle(RankingProblem(WORLD, counts, 1.0))
    alone = ranking_mle(RankingProblem(WORLD, counts[:1], 1.0))
    assert together[0] == pytest.approx(float(alone[0]), rel=1e-6)
    assert together[1].isnan()
