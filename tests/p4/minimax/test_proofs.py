"""Proofs of Lemma 2 of the minimax floor: decided, and their comparison against random cells."""

from dataclasses import dataclass

import numpy as np
import pytest
from mpmath import iv

from repro.core.proofs import decided
from repro.p4.minimax import proofs as proof
from repro.p4.minimax.modulus import (
    modulus,
    per_flip,
    rise,
    saturation,
    step_of,
    win_difference,
    worst_step,
)
from tests.at_each import at_each

BOUNDS = (0.1, 1.0, 4.0, 6.0, 10.0)
CELLS = 4


@dataclass(frozen=True)
class TwoParameters:
    """Masses of orthogonal cells, and their margins under two parameters, each (C,)."""

    mass: np.ndarray
    first: np.ndarray
    second: np.ndarray

    @property
    def squared(self):
        """‖θ − θ′‖² in the norm of the data."""
        return float(self.mass @ (self.first - self.second) ** 2)

    @property
    def moved(self):
        """E|σ(u) − σ(t)|: the labels that tell the two apart."""
        return float(self.mass @ win_difference(self.first, self.second))


def two_parameters(bound, rng):
    """Random margins, many of them near an end; a quarter of the cases tight."""
    mass = rng.dirichlet(np.ones(CELLS))
    ends = bound * rng.choice([-1.0, 1.0], CELLS)
    step = 2 * bound * rng.random(CELLS) ** rng.choice([1, 2, 8])
    if rng.random() < 0.25:
        step = np.zeros(CELLS)
        step[mass.argmin()] = worst_step(bound) * rng.choice([1.0, 0.5, 0.1])
    start = np.where(rng.random(CELLS) < 0.5, ends, rng.uniform(-1, 1, CELLS) * bound)
    start = np.where(step == step.max(), ends, start)
    return TwoParameters(mass, start, np.clip(start - np.sign(ends) * step, -bound, bound))


def at(name, bound, *point):
    found = getattr(proof, name)(bound).ratio(*(iv.mpf(x) for x in point))
    return float(found.mid)


@pytest.mark.some(2)
@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("name", ["separation", "covered_separation"])
def test_lemma_2_is_proved_and_a_tenth_less_is_refuted(name, bound):
    assert 1 - 1e-6 <= decided(getattr(proof, name)(bound)) <= 1 + 1e-9
    assert decided(getattr(proof, name)(bound, share=0.9)) > 1.05


@pytest.mark.parametrize("bound", BOUNDS)
def test_what_is_left_is_the_cost_of_a_step(bound):
    """F(h)/g, and F(h) over its maximum up to r."""
    most = worst_step(bound) / 2
    for h in np.linspace(0.01, 1, 7) * bound:
        exact = float(per_flip(2 * h, bound)) / saturation(bound)
        assert at("separation", bound, h / most) == pytest.approx(exact, rel=1e-9)
        for part in (0.1, 0.7, 1.0):
            over = float(per_flip(2 * part * h, bound)) / saturation(bound, 2 * h)
            assert at("covered_separation", bound, part, h) == pytest.approx(over**0.5, rel=1e-6)


@pytest.mark.parametrize("bound", BOUNDS)
def test_the_slope_and_the_bend_of_log_f(bound):
    def log_f(h):
        return float(np.log(per_flip(2 * h, bound)))

    for h in np.linspace(0.1, 0.9, 5) * bound:
        d = 1e-4 * bound
        slope = (log_f(h + d) - log_f(h - d)) / (2 * d)
        bend = (log_f(h + d) - 2 * log_f(h) + log_f(h - d)) / d**2
        assert float(proof._rate(iv.mpf(h), bound).mid) == pytest.approx(slope, rel=1e-4, abs=1e-6)
        assert float(proof._bend(iv.mpf(h), bound).mid) == pytest.approx(bend, rel=1e-3, abs=1e-4)


@pytest.mark.some(12)
@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("seed", range(20))
def test_the_reduction_to_one_cell(bound, seed):
    """Sums of cells are no worse than their worst cell, none of which lies beyond r."""
    one = two_parameters(bound, np.random.default_rng(seed))
    apart = np.abs(one.first - one.second)
    moved = win_difference(one.first, one.second)
    assert np.all(moved >= np.asarray(rise(apart, bound)) * (1 - 1e-9))
    seen = apart > 0
    cost = np.asarray(per_flip(apart[seen], bound))
    assert one.squared <= cost.max() * one.moved * (1 + 1e-9)
    coverage = float(one.mass.min())
    reach = step_of(one.moved / coverage, bound)
    assert apart.max() <= reach * (1 + 1e-9)
    assert one.squared**0.5 <= modulus(one.moved, bound, coverage) * (1 + 1e-6)


@at_each("bound", BOUNDS)
@at_each("part", [-1.0, -0.3, 0.0, 0.8, 1.0])
def test_win_rates_by_the_middle_of_two_margins(bound, part):
    h = 0.3 * bound
    m = part * (bound - h)
    exact = win_difference(np.array(m + h), np.array(m - h))
    assert float(exact) == pytest.approx(np.sinh(h) / (np.cosh(m) + np.cosh(h)))
    assert float(exact) >= float(rise(2 * h, bound)) * (1 - 1e-12)
