"""The private MLE over a ball, a box and a finite class."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from repro.labels.preferences.label_mixture import RANDOMIZED_RESPONSE, LabelMixture
from repro.p1.pessimism.class_fits import ClassFits
from repro.p1.pessimism.datasets import BuiltLabels
from repro.worlds.instances.linear import random_linear_world
from repro.worlds.policies.reward_class import BALL, Box, FiniteClass

WORLD = random_linear_world(6, 4, 4, 0.5, 1.0, 0.6, seed=1)
SKEWED = LabelMixture(0.7, 0.25)


def fits(n_pairs=300, response=RANDOMIZED_RESPONSE):
    rng = np.random.Generator(np.random.Philox(5))
    source = BuiltLabels(truth=WORLD, n_pairs=n_pairs, epsilon=1.0, channel=response)
    problem = source.draw(rng, 30)
    return ClassFits(WORLD, problem.counts, 1.0, response)


@pytest.mark.parametrize("response", [RANDOMIZED_RESPONSE, SKEWED])
def test_values_are_log_likelihoods_less_the_truths(response):
    given, members = fits(response=response), FiniteClass(20).members(WORLD)
    found = given.values(members)
    win = response(torch.sigmoid(members @ WORLD.feature_diff.T), 1.0)
    losses = given.counts.pairs - given.counts.wins
    plain = given.counts.wins @ win.log().T + losses @ (1 - win).log().T
    torch.testing.assert_close(found, plain - plain[:, -1:], rtol=0, atol=1e-9)


def test_a_finite_class_takes_its_most_likely_member():
    given, one = fits(), FiniteClass(1200)
    members, best = one.members(WORLD), one.best(given, WORLD)
    assert torch.equal(best, members[given.values(members).argmax(dim=1)])
    assert len(best.unique(dim=0)) > 10


@pytest.mark.parametrize("response", [RANDOMIZED_RESPONSE, SKEWED])
def test_the_box_mle_is_the_maximiser_that_scipy_finds(response):
    given = fits(response=response)
    found = Box(0.6).best(given, WORLD)
    assert float(found.abs().max()) <= 0.6
    assert bool((found.abs() == 0.6).any())
    for row in range(8):

        def loss(theta, row=row):
            return -float(given.values(torch.from_numpy(theta)[None])[row, 0])

        start = np.zeros(4)
        least = minimize(loss, start, method="L-BFGS-B", bounds=[(-0.6, 0.6)] * 4).fun
        assert loss(found[row].numpy()) <= least + 1e-6


def test_a_wider_class_is_at_least_as_likely():
    given = fits()
    inside, ball, box = (
        given.values(one.best(given, WORLD)).diagonal() for one in (Box(0.5), BALL, Box())
    )
    assert bool((inside <= ball + 1e-9).all())
    assert bool((ball <= box + 1e-9).all())
    assert float((box - ball).max()) > 1e-3


def test_at_many_labels_ball_and_box_agree_and_a_finite_class_is_exact():
    given = fits(10**8)
    torch.testing.assert_close(Box().best(given, WORLD), BALL.best(given, WORLD), rtol=0, atol=1e-9)
    assert torch.equal(FiniteClass(1000).best(given, WORLD), WORLD.theta.expand(30, -1))
