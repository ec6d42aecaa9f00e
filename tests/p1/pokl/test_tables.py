"""Tables of two responses: estimate, uncertainty and the likelihood's set against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from repro.labels.preferences.label_information import inverse_information, one_less_affinity
from repro.p1.pokl.finite import FiniteRewards
from repro.p1.pokl.instances import NearBoundChoice
from repro.p1.pokl.least_squares import (
    finite_least_squares,
    finite_likelihood,
)
from repro.p1.pokl.linear import LinearClass
from repro.p1.pokl.run import OnlineRun
from repro.p1.pokl.runs import Runs
from repro.p1.pokl.tables import LikelihoodTables, TwoResponseTables

BOUND = 3.0
CHOICE = NearBoundChoice(
    kind="near_bound", num_states=2, best_prob=0.8, coverage=4.0, reward_bound=BOUND, difference=2.5
)
PAIRS = torch.tensor([[40.0, 300.0], [7.0, 0.0], [900.0, 25.0]], dtype=torch.float64)
SUMS = torch.tensor([[12.0, 90.0], [7.0, 0.0], [100.0, -25.0]], dtype=torch.float64)
GRID = torch.linspace(-BOUND, BOUND, 6001, dtype=torch.float64)


def batch(epsilon, choice=CHOICE):
    run = OnlineRun(
        instance=choice, epsilon=epsilon, horizon=100, gamma=5.0, failure_prob=0.05,
        net_radius=1e-6, ridge=4 * BOUND**2, grid_ratio=2.0,
    )  # fmt: skip
    return Runs([run], 3)


WORLD = batch(1.0).linear


def fed(epsilon, level=None):
    learner = TwoResponseTables(WORLD, level).learner(batch(epsilon))
    learner.observe(PAIRS, SUMS)
    return learner


@pytest.mark.parametrize("epsilon", [0.5, 2.0, math.inf])
@pytest.mark.parametrize("losses", [finite_least_squares, finite_likelihood])
def test_least_squares_and_likelihood_are_the_closed_form(epsilon, losses):
    found, signal = fed(epsilon).difference(), batch(epsilon).believed_signal
    for state in range(2):
        table = losses(PAIRS[:, [state]], SUMS[:, [state]], GRID[:, None], signal)
        seen = PAIRS[:, state] > 0
        best = GRID[table.argmin(dim=1)][seen]
        torch.testing.assert_close(found[seen, state], best, atol=1.1e-3, rtol=0)
    assert float(found[1, 1]) == 0


def test_the_private_likelihood_is_that_of_the_labels():
    signal = batch(1.0).believed_signal
    table = finite_likelihood(PAIRS, SUMS, torch.tensor([[1.0, -2.0]], dtype=torch.float64), signal)
    keep = 1 / (1 + math.exp(-1.0))
    for run in range(3):
        wanted = 0.0
        for state, x in enumerate((1.0, -2.0)):
            p = 1 - keep + (2 * keep - 1) / (1 + math.exp(-x))
            won = float(PAIRS[run, state] + SUMS[run, state]) / 2
            wanted -= won * math.log(p) + float(PAIRS[run, state] - won) * math.log(1 - p)
        wanted -= float(PAIRS[run].sum()) * math.log(2)
        assert float(table[run, 0]) == pytest.approx(wanted, rel=1e-12)


def test_the_uncertainty_is_definition_3_5_over_all_couples():
    policy = torch.tensor([[0.7, 0.3], [0.2, 0.8]], dtype=torch.float64).expand(3, -1, -1)
    found = fed(1.0).uncertainty(policy)
    gap = 2 * GRID
    for run in range(3):
        for state in range(2):
            ratio = gap.abs() / (4 * BOUND**2 + PAIRS[run, state] * gap.square()).sqrt()
            wanted = ratio.max() * (1 - policy[run, state])
            torch.testing.assert_close(found[run, state], wanted, rtol=1e-12, atol=0)


def test_one_state_is_the_linear_class_of_one_feature():
    """The linear class takes λ over the squared diameter 2B, as the tables do."""
    world = batch(1.0, CHOICE.model_copy(update={"num_states": 1})).linear
    policy = torch.full((3, 1, 2), 0.5, dtype=torch.float64)
    ours, linear = (kind(world).learner(batch(1.0)) for kind in (TwoResponseTables, LinearClass))
    for learner in (ours, linear):
        learner.observe(PAIRS[:, :1], SUMS[:, :1])
    torch.testing.assert_close(ours.uncertainty(policy), linear.uncertainty(policy))
    centred = [one.reward() - one.reward().mean(-1, keepdim=True) for one in (ours, linear)]
    torch.testing.assert_close(*centred, atol=2e-3, rtol=0)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, math.inf])
@pytest.mark.parametrize("level", [0.3, 4.0])
def test_the_likelihood_set_by_brute_force(epsilon, level):
    learner = fed(epsilon, level)
    low, high = learner.interval(level)
    difference = learner.difference()
    for run in range(3):
        for state in range(2):
            at = float(difference[run, state])
            inside = [
                x for x in GRID.tolist()
                if PAIRS[run, state] * one_less_affinity(x, at, epsilon) <= level
            ]  # fmt: skip
            assert min(inside) == pytest.approx(float(low[run, state]), abs=1.1e-3)
            assert max(inside) == pytest.approx(float(high[run, state]), abs=1.1e-3)


def test_the_likelihood_set_is_within_the_repaired_width():
    level = 4.0
    policy = torch.full((3, 2, 2), 0.5, dtype=torch.float64)
    width = fed(1.0, level).uncertainty(policy)
    plain = fed(1.0).uncertainty(policy)
    gamma = math.sqrt(4 * BOUND**2 + 8 * inverse_information(BOUND, 1.0) * level)
    assert (width <= (gamma * plain).clamp(max=2 * BOUND) * (1 + 1e-12)).all()


def test_tables_make_themselves_and_count_their_net():
    tables = LikelihoodTables(2.0)(WORLD)
    assert isinstance(tables, TwoResponseTables)
    assert tables.level == 2.0
    assert tables.log_size(0.01) == pytest.approx(2 * math.log1p(BOUND / 0.01))


def test_the_world_plays_what_it_says():
    policy = WORLD.optimal_policy.numpy()
    np.testing.assert_allclose(policy, [[0.8, 0.2]] * 2, rtol=1e-12)
    odds = policy[0, 0] / policy[0, 1] / (WORLD.reference[0, 0] / WORLD.reference[0, 1])
    assert float(odds) == pytest.approx(4.0)
    assert float(WORLD.reward_diff.max()) == 2.5


def test_a_finite_class_keeps_its_losses():
    rewards = torch.zeros(1, 2, 2, dtype=torch.float64)
    assert FiniteRewards(WORLD, rewards).losses is finite_least_squares
