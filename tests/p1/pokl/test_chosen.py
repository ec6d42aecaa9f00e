"""Algorithm 2 over a chosen class: the ball is the linear class, and every fit is the best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from repro.p1.pokl.chosen import ChosenClass
from repro.p1.pokl.curves import simulate
from repro.p1.pokl.linear import LinearClass
from repro.p1.pokl.run import OnlineRun
from repro.p1.pokl.runs import Runs
from repro.study.parallel import single_thread
from repro.worlds.instances.choices import LinearChoice
from repro.worlds.policies.reward_class import BALL, Box, FiniteClass

single_thread()

CHOICE = LinearChoice(
    kind="linear", num_states=4, num_actions=3, num_features=3, radius=1.0, theta_share=0.6,
    kl_weight=0.5, seed=1,
)  # fmt: skip


def small_run(**more) -> OnlineRun:
    """A small run, some of whose fields are others."""
    usual: dict[str, Any] = {
        "instance": CHOICE,
        "epsilon": 1.0,
        "horizon": 1000,
        "failure_prob": 0.05,
        "net_radius": 1e-6,
        "ridge": 1.0,
        "grid_ratio": 2.0,
        "gamma": 3.0,
    }
    return OnlineRun(**{**usual, **more})


WORLD = small_run().linear
CLASSES = (BALL, Box(), Box(0.6), FiniteClass(30))


def learner_with(chosen, seed=0, runs=4, most=60):
    learner = ChosenClass(chosen)(WORLD).learner(Runs([small_run()], runs))
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, most, (runs, WORLD.feature_diff.shape[0]))
    sums = 2 * rng.binomial(pairs, 0.55) - pairs
    learner.observe(torch.from_numpy(pairs * 1.0), torch.from_numpy(sums * 1.0))
    return learner


def test_the_ball_is_the_linear_class():
    curves = [
        simulate([small_run(rewards=rewards)], 10, np.random.default_rng(0))[0].regret
        for rewards in (LinearClass, ChosenClass(BALL))
    ]
    np.testing.assert_allclose(*curves, rtol=1e-8)


def squares(theta, learner, run):
    fit = float(learner._signal[run]) * np.tanh(WORLD.feature_diff.numpy() @ theta / 2)
    pairs, sums = learner.pairs[run].numpy(), learner.label_sum[run].numpy()
    return float((pairs * fit**2 - 2 * fit * sums).sum())


@pytest.mark.parametrize("width", [1.0, 0.3])
def test_least_squares_over_a_box_is_what_scipy_finds(width):
    learner = learner_with(Box(width))
    for run, theta in enumerate(learner.theta.numpy()):
        assert np.abs(theta).max() <= width * (1 + 1e-9)
        best = minimize(
            squares, np.zeros(3), (learner, run), method="L-BFGS-B", bounds=[(-width, width)] * 3
        )
        assert squares(theta, learner, run) <= best.fun + 1e-4 * abs(best.fun)


def test_least_squares_over_a_finite_class_is_its_best_member():
    chosen = FiniteClass(30)
    learner = learner_with(chosen)
    members = chosen.members(WORLD).numpy()
    for run, theta in enumerate(learner.theta.numpy()):
        losses = [squares(member, learner, run) for member in members]
        np.testing.assert_array_equal(theta, members[int(np.argmin(losses))])


@pytest.mark.parametrize("chosen", CLASSES, ids=str)
def test_the_uncertainty_is_at_least_that_of_definition_3_5(chosen):
    """Random pairs of members, the farthest apart included: none is above."""
    learner = learner_with(chosen, most=6)
    policy = WORLD.reference.expand(4, -1, -1)
    bound = learner.uncertainty(policy)
    rng = np.random.default_rng(1)
    if isinstance(chosen, FiniteClass):
        first = second = chosen.members(WORLD)
    else:
        corners = np.sign(rng.standard_normal((200, 3))) * getattr(chosen, "half_width", 0.0)
        inside = rng.standard_normal((200, 3))
        inside /= np.linalg.norm(inside, axis=1, keepdims=True)
        first = torch.from_numpy(corners if isinstance(chosen, Box) else inside)
        second = -first
    gaps = (first[:, None] - second[None]).flatten(0, 1)
    rewards = torch.einsum("sad,nd->nsa", WORLD.features, gaps)
    centred = rewards - (WORLD.reference * rewards).sum(-1, keepdim=True)
    form = (gaps @ WORLD.feature_diff.T).square()
    for run in range(4):
        known = (form * learner.pairs[run]).sum(-1) + small_run().ridge
        found = (centred.abs() / known.sqrt()[:, None, None]).amax(0)
        assert (found <= bound[run] * (1 + 1e-9)).all()
    if chosen is BALL:
        assert bool((found > 0.5 * bound[3]).any())


def test_nothing_is_uncertain_once_one_member_is_left():
    policy = WORLD.reference.expand(4, -1, -1)
    for most, certain in ((3, False), (10**7, True)):
        learner = learner_with(FiniteClass(30), most=most)
        assert bool((learner.uncertainty(policy) == 0).all()) is certain
        ball = learner_with(Box(), most=most)
        assert bool((ball.uncertainty(policy) > 0).all())


def test_distances_are_sums_over_pairs():
    learner = learner_with(Box())
    members = FiniteClass(5).members(WORLD)
    gap = (members[None] - learner.theta[:, None]) @ WORLD.feature_diff.T
    expected = torch.einsum("lc,lnc->ln", learner.pairs, gap.square())
    torch.testing.assert_close(learner.distance(members), expected)
