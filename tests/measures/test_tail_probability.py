"""Exact crossing probabilities against enumeration and simulation."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from repro.families.offline_kl.bounds_scalar import (
    binomial_excess,
    lattice_crossing,
    walk_crossing,
)


@pytest.mark.parametrize(("steps", "boundary"), [(6, 1.5), (7, 2.0), (9, 0.3), (10, 4.0)])
def test_walk_crossing_by_enumeration(steps, boundary):
    crossed = sum(
        max(np.cumsum(path)) > boundary for path in itertools.product((-1, 1), repeat=steps)
    )
    assert walk_crossing(steps, boundary) == pytest.approx(crossed / 2**steps)


def test_walk_crossing_far_in_the_tail_of_many_steps():
    found = walk_crossing(10**8, 6.7 * 10**4)
    assert found == pytest.approx(2 * stats.norm.sf(6.7), rel=1e-2)


def test_binomial_excess_by_hand():
    assert binomial_excess(2, 0.5, 0.5) == pytest.approx(0.25)
    assert binomial_excess(2, 0.5, 0.0) == pytest.approx(0.25)
    assert binomial_excess(2, 0.5, -0.5) == pytest.approx(0.75)


def test_lattice_crossing_of_one_step_by_hand():
    """From 1 to u or 1/u, mean kept: P(up) = 1/(1 + u)."""
    steps = np.ones(20, dtype=int)
    assert lattice_crossing(steps, steps, math.log(3), 1, 1) == pytest.approx(0.25)
    two_rounds = 0.25 + 0.75 * 0  # after u^-1 the level is two steps away
    assert lattice_crossing(steps, steps, math.log(3), 1, 2) == pytest.approx(two_rounds)


def test_lattice_crossing_tends_to_ville_bound():
    steps = np.ones(300, dtype=int)
    assert lattice_crossing(steps, steps, 0.5, 6, 2000) == pytest.approx(math.exp(-3), rel=1e-6)


def test_lattice_crossing_by_simulation():
    rng = np.random.default_rng(0)
    up, down = rng.integers(1, 4, (2, 40))
    exact = lattice_crossing(up, down, 0.3, 4, 25)
    hits = 0
    for _ in range(4000):
        place = 36
        for _ in range(25):
            if place in (0, 40):
                break
            to_up, to_down = min(place + up[place], 40), max(place - down[place], 0)
            rise, fall = math.expm1((to_up - place) * 0.3), -math.expm1((to_down - place) * 0.3)
            place = to_up if rng.random() < fall / (rise + fall) else to_down
        hits += place == 40
    assert hits / 4000 == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 4000))
