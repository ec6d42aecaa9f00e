"""The supremum over the tilt."""

import math

import numpy as np
import pytest

from repro.families.offline_kl.quantities_hypercube import Ladder, risk, worst_rung
from repro.families.offline_kl.worlds_hypercube import HypercubePrior

LADDER = Ladder(smallest=1e-4, rungs=13, pilot=2000)


def prior(tilt=math.nan, epsilon=1.0):
    return HypercubePrior(2, 8.0, 0.05, 2.0, tilt, epsilon)


def test_the_ladder_ends_below_half_the_reward_bound():
    tilts = LADDER.tilts(2.0)
    assert tilts[0] == pytest.approx(1e-4)
    assert 0.9 < tilts[-1] < 1.0
    assert (np.diff(tilts) > 0).all()


def test_without_data_the_largest_tilt_is_the_worst():
    assert worst_rung(prior(), 10**6, "no_data", LADDER) == 12


def test_the_bayes_rule_has_an_interior_worst_tilt_that_shrinks_with_n():
    few, many = (worst_rung(prior(), n, "posterior_mean", LADDER) for n in (10**4, 10**8))
    assert 0 < many < few < 12


def test_risk_of_no_data_is_exact():
    found = risk(prior(tilt=0.1), 50, "no_data", np.random.default_rng(0), 4)
    assert found == pytest.approx(0.05 * math.log(math.cosh(1.0)))
