"""The halfspace estimator on a line, and the ladder of pairs that corruption hides."""

import numpy as np
import pytest
import torch

from repro.p4.minimax.halfspace import HalfspaceOnLine
from repro.p4.minimax.hidden_pairs import ParameterPairs, least_of_halfspaces
from repro.p4.minimax.hidden_policy import HiddenMargin


def double(values):
    return torch.tensor(values, dtype=torch.float64)


def line(truth=1.0):
    """Cells at 1, −2 and 0.5."""
    return HalfspaceOnLine(
        double([1.0, -2.0, 0.5]), double([[0.2, 0.3, 0.1]]), double([truth]), 4.0
    )


def test_the_truth_is_found_from_exact_win_rates_and_the_class_cuts_the_rest():
    world = line()
    labels = torch.sigmoid(world.x * 1.0)[None]
    assert float(world.estimate(labels)) == pytest.approx(1.0, abs=1e-9)
    size = (0.2 + 0.3 * 4 + 0.1 * 0.25) ** 0.5
    assert float(world.distance(double([[1.5]]))) == pytest.approx(0.5 * size)
    assert float(world.damage(labels)) == pytest.approx(0.0, abs=1e-8)
    assert float(world.estimate(double([[1.0, 0.0, 1.0]]))) == pytest.approx(4.0)
    assert float(world.estimate(double([[0.0, 1.0, 0.0]]))) == pytest.approx(-4.0)
    assert world.features[:, 0].tolist() == [1.0, -1.0, 1.0]
    response = world.respond(torch.sigmoid(world.x * 0.25)[None])
    assert float(response.error) == pytest.approx(-0.75 * size)


def test_rows_are_repeated_with_their_truths():
    two = HalfspaceOnLine(double([1.0]), double([[0.2], [0.3]]), double([1.0, -1.0]), 4.0)
    again = two.repeated(3)
    assert again.mass[:, 0].tolist() == [0.2] * 3 + [0.3] * 3
    assert again.truth.tolist() == [1.0] * 3 + [-1.0] * 3
    one = least_of_halfspaces(double([[0.5]]), double([0.3]), 2.0, 9.9)
    assert (one.x.tolist(), one.radius) == ([1.0], 2.0)


def test_pairs_of_margins_lie_in_the_class_and_end_at_it():
    start, step = ParameterPairs(3.0).ladder
    assert start.shape == step.shape
    assert start.min() == -3
    assert (start + step <= 3 * (1 + 1e-9)).all()
    assert (step > 0).all()
    assert step[start == -3].max() == pytest.approx(6)
    even = ParameterPairs(3.0).under_uniform_reference()
    assert (even.coverage, even.reward_bound) == (0.5, 3.0)


def test_a_problem_of_the_hidden_family_by_hand():
    family = HiddenMargin(reward_bound=2.0, slant=3.0, known=0.1)
    bound, other = family.parts
    assert bound == pytest.approx(6 * other)
    assert np.hypot(bound / 2, other) == pytest.approx(1.0)  # θ on the sphere of radius B
    bandit = family.bandit(0.04, -2.0, 0.4)
    assert bandit.state_prob.tolist() == pytest.approx([0.08, 0.1, 0.82])
    assert bandit.theta.tolist() == pytest.approx([0.2, other])
    rewards = (bandit.features @ bandit.theta).tolist()
    third = (0.2 - 2 * other) / 5**0.5
    for found, margin in zip(rewards, (0.2, other, third), strict=True):
        assert found == pytest.approx([margin, -margin])
