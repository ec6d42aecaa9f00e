"""The centre of what corruption leaves possible, in one to three features."""

import numpy as np
import pytest
import torch

from repro.p4.label_cells.pairs import orthogonal_cells, pair_world
from repro.p4.minimax.centre import (
    POINTS,
    Halfspaces,
    attacked_error,
    attacks,
    centre,
    centre_of,
    halfspaces,
    least_halfspace,
)
from repro.p4.minimax.modulus import halfspace_floor, hidden_pair


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_centre_of_a_regular_simplex_is_as_far_as_jung_says(k):
    corners = np.eye(k + 1)
    basis = np.linalg.svd(corners - corners.mean(axis=0))[2][:k]
    points = (corners - corners.mean(axis=0)) @ basis.T
    far = np.linalg.norm(points - centre_of(points), axis=1).max()
    assert far == pytest.approx(2**0.5 * (k / (2 * (k + 1))) ** 0.5, rel=0.01)


@pytest.mark.parametrize(("cells", "k", "count"), [(4, 1, 2), (5, 2, 10), (4, 3, 14), (5, 3, 22)])
def test_as_many_halfspaces_as_an_arrangement_has_cells(cells, k, count):
    """2·Σ_{i<k} binom(C−1, i) (Cover), for lines of one sign or either in one feature."""
    features = np.random.default_rng(0).normal(size=(cells, k))
    found = halfspaces(features)
    assert len(found) == count
    seen = {tuple(np.sign(features @ v)) for v in np.random.default_rng(1).normal(size=(9999, k))}
    assert seen <= {tuple(row) for row in found}  # thin ones are missed at random


def test_attacks_spend_all_that_there_is():
    mass = np.array([0.5, 0.3, 0.2])
    spent = np.abs(attacks(mass, 0.01)) @ mass
    assert spent == pytest.approx(np.full(len(spent), 0.01))
    assert len(spent) == 6 + 12


@pytest.mark.parametrize("bound", [0.3, 2.0, 5.5])
def test_one_cell_by_hand(bound):
    """The cell that hides 2Z: labels off by Z leave (−B′, −B′+t), whose middle is t/2 away."""
    allowed = 1e-4
    mass, step = hidden_pair(2 * allowed, bound)
    cells = orthogonal_cells([mass], [-bound], bound)
    there = Halfspaces(cells, halfspace_floor(allowed, bound))
    win = torch.sigmoid(cells.reward_diff).numpy()
    found = attacked_error(there, win, allowed, allowed, centre, lambda theta: theta)
    assert found == pytest.approx(mass**0.5 * step / 2, rel=2 / POINTS[1])
    honest = attacked_error(there, win, 0.0, allowed, least_halfspace, lambda theta: theta)
    assert honest == pytest.approx(0, abs=1e-9)


def test_the_truth_stays_possible_and_the_possible_stay_near():
    rng = np.random.default_rng(4)
    x = torch.from_numpy(rng.normal(size=(4, 2)))
    x = x / x.norm(dim=1).max()
    mass = torch.tensor([0.1, 0.2, 0.3, 0.4]).double()
    cells = pair_world(x, mass, torch.tensor([0.7, -0.4]).double(), 1.5)
    allowed = 0.01
    reach = halfspace_floor(allowed, 1.5)
    there = Halfspaces(cells, reach)
    win = torch.sigmoid(cells.reward_diff).numpy()
    for shift in attacks(there.mass, allowed):
        distances = there.distances(win + shift)
        at = np.linalg.norm(there.offsets, axis=1)
        assert distances[at.argmin()] <= allowed * (1 + 1e-9)
        inside = there.offsets[distances <= allowed]
        apart = np.linalg.norm(inside[:, None] - inside[None], axis=-1).max()
        assert apart <= reach * (1 + 1e-9)
        # inside the grid: nothing is cut off
        assert at[distances <= allowed].max() < reach * 0.999
