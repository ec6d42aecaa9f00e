"""Classes of rewards: their size, their members, and what a config may ask for."""

import math

import pytest
import torch

from repro.worlds.instances.linear import random_linear_world
from repro.worlds.policies.covering import log_covering_box
from repro.worlds.policies.reward_class import BALL, Box, FiniteClass

WORLD = random_linear_world(6, 4, 4, 0.5, 1.0, 0.6, seed=1)


def uniform(count, seed=0):
    return 2 * torch.rand(count, 4, generator=torch.Generator().manual_seed(seed)).double() - 1


def largest_difference(parameters):
    return float((parameters @ WORLD.feature_diff.T).abs().max())


def test_the_box_bounds_reward_differences_and_a_corner_attains_it():
    corners = torch.cartesian_prod(*[torch.tensor([-1.0, 1.0]).double()] * 4)
    assert Box(0.7).reward_bound(WORLD) == pytest.approx(0.7 * largest_difference(corners))
    assert largest_difference(0.7 * uniform(1000)) <= Box(0.7).reward_bound(WORLD)


def test_a_finite_class_has_its_size_the_truth_and_the_ball_around_it():
    one = FiniteClass(1500, seed=3)
    members = one.members(WORLD)
    assert members.shape == (1500, 4)
    assert torch.equal(members[-1], WORLD.theta)
    assert float(members.norm(dim=1).max()) <= WORLD.radius
    assert len(members.unique(dim=0)) == 1500
    assert float((members.norm(dim=1) < 0.5**0.25).double().mean()) == pytest.approx(0.5, abs=0.05)
    assert one.reward_bound(WORLD) == pytest.approx(largest_difference(members))
    assert one.log_covering(WORLD, 1e-3) == math.log(1500)
    assert not torch.equal(members, FiniteClass(1500, seed=4).members(WORLD))


def test_the_ball_has_the_numbers_of_its_world():
    assert BALL.reward_bound(WORLD) == WORLD.reward_bound
    assert BALL.log_covering(WORLD, 0.5) == pytest.approx(4 * math.log(5))


def test_log_covering_of_a_box_counts_cubes_of_half_diagonal_tau():
    assert log_covering_box(4, 3.0, 0.5) == pytest.approx(4 * math.log(13))
    # one dimension: intervals of length 2·0.1 cover [−1, 1] ten times over
    assert math.log(10) <= log_covering_box(1, 1.0, 0.1) <= math.log(11) + 1e-12


@pytest.mark.parametrize(
    ("one", "has_it", "around"),
    [(BALL, True, True), (Box(), True, True), (Box(0.46), True, True), (Box(0.4), False, False),
     (FiniteClass(10), True, False)],
)  # fmt: skip
def test_what_contains_the_truth(one, has_it, around):
    assert one.contains(WORLD.theta, WORLD) is has_it
    assert one.surrounds(WORLD.theta, WORLD) is around
    assert not one.contains(3 * WORLD.theta, WORLD)


def test_the_ball_around_a_class():
    assert BALL.outer_radius(WORLD) == 1.0
    assert Box(0.7).outer_radius(WORLD) == pytest.approx(1.4)
    assert 0.9 < FiniteClass(200).outer_radius(WORLD) <= 1.0


def test_only_a_finite_class_is_ever_down_to_one_member():
    def forms(members):  # of two datasets: the squared norm, and nothing
        return torch.stack([members.square().sum(-1), 0 * members[:, 0]])

    norms = FiniteClass(9).members(WORLD).norm(dim=-1).sort().values
    for level, several in (((norms[0] + norms[1]) / 2, False), (norms[1] + 1e-9, True)):
        found = FiniteClass(9).several(forms, torch.tensor([float(level) ** 2, 0.0]), WORLD)
        assert found.tolist() == [several, True]
    for one in (BALL, Box()):
        assert one.several(forms, torch.zeros(2), WORLD).tolist() == [True, True]


def test_the_edge_of_a_class_belongs_to_it_and_is_not_surrounded():
    for one, edge in ((BALL, [0.6, 0.8, 0.0, 0.0]), (Box(0.5), [0.1, -0.5, 0.0, 0.5])):
        theta = torch.tensor(edge, dtype=torch.float64)
        assert one.contains(theta, WORLD)
        assert not one.surrounds(theta, WORLD)
        assert one.surrounds(0.99 * theta, WORLD)
        assert not one.contains(1.01 * theta, WORLD)


def test_the_best_of_a_class_is_asked_for_at_its_size():
    """Of 1100 members the likeliest of each dataset, also beyond the first ones compared."""

    class Fitted:
        def in_ball(self, radius):
            return "ball", radius

        def in_box(self, half_width):
            return "box", half_width

        def values(self, members):
            return -torch.cdist(wanted, members)

    one = FiniteClass(1100, seed=2)
    members = one.members(WORLD)
    wanted = members[[3, 700, 1099]]
    assert torch.equal(one.best(Fitted(), WORLD), wanted)
    assert BALL.best(Fitted(), WORLD) == ("ball", 1.0)
    assert Box(0.7).best(Fitted(), WORLD) == ("box", 0.7)
    assert Box(0.7).log_covering(WORLD, 0.1) == log_covering_box(4, 0.7, 0.1)
