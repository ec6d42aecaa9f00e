"""Risks on the hypercube: exact sums against simulation and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from repro.families.offline_kl.algorithms_hypercube import ESTIMATORS
from repro.families.offline_kl.quantities_hypercube import (
    Ladder,
    binary_kl,
    exact_bayes_risk,
    exact_separation,
    explicit_bound,
    gap,
    risk,
    separation,
    worst_rung,
)
from repro.families.offline_kl.worlds_hypercube import HypercubePrior, draw_counts

PRIOR = HypercubePrior(2, 4.0, 0.3, 3.0, 0.6, 1.5)


@pytest.mark.parametrize(("u", "w"), [(0.3, -1.2), (2.0, 2.0005), (-5.0, -5.1), (40.0, 41.0)])
def test_binary_kl(u, w):
    p, q = 1 / (1 + math.exp(-u)), 1 / (1 + math.exp(-w))
    rest_p, rest_q = 1 / (1 + math.exp(u)), 1 / (1 + math.exp(w))
    expected = p * math.log(p / q) + rest_p * math.log(rest_p / rest_q)
    assert float(binary_kl(np.float64(u), np.float64(w))) == pytest.approx(
        expected, rel=1e-5, abs=1e-17
    )


def test_exact_bayes_risk_is_the_mean_of_simulated_gaps():
    signs, pairs, wins = draw_counts(PRIOR, np.random.default_rng(0), 60, 60_000)
    gaps = gap(PRIOR, ESTIMATORS["posterior_mean"](PRIOR, pairs, wins), signs)
    assert gaps.mean() == pytest.approx(exact_bayes_risk(PRIOR, 60), abs=4 * gaps.std() / 245)


@pytest.mark.parametrize("other", ["mle", "pessimistic", "no_data", "naive_posterior"])
def test_no_estimator_beats_the_bayes_risk(other):
    signs, pairs, wins = draw_counts(PRIOR, np.random.default_rng(0), 60, 20_000)
    gaps = gap(PRIOR, ESTIMATORS[other](PRIOR, pairs, wins), signs)
    assert gaps.mean() > exact_bayes_risk(PRIOR, 60)


def test_without_information_the_risk_is_half_the_separation():
    blind = HypercubePrior(1, 4.0, 0.3, 3.0, 0.6, 1e-6)
    assert exact_bayes_risk(blind, 3) == pytest.approx(exact_separation(blind) / 2, rel=1e-6)


@pytest.mark.parametrize("tilt", [1e-4, 0.1, 2.0, 30.0])
def test_separation_is_the_minimum_over_policies(tilt):
    prior = HypercubePrior(1, 4.0, 0.5, 99.0, tilt, 1.0)
    both = optimize.minimize_scalar(
        lambda u: sum(
            0.5 * float(binary_kl(np.float64(u), np.float64(v * prior.log_odds))) for v in (1, -1)
        ),
        bounds=(-1, 1),
    )
    assert exact_separation(prior) == pytest.approx(both.fun, rel=1e-5)
    assert separation(prior) == pytest.approx(min(tilt**2 / 4, 0.3 * tilt))


def test_explicit_bound_by_hand():
    kl = PRIOR.pair_kl
    assert explicit_bound(PRIOR, 7) == pytest.approx(0.25 * min(0.15, 0.18) * math.exp(-7 * kl))


HYPERCUBES = st.builds(
    HypercubePrior,
    num_states=st.integers(1, 9),
    coverage=st.floats(2.01, 1e5),
    kl_weight=st.floats(1e-3, 3),
    reward_bound=st.just(1e3),
    tilt=st.floats(1e-4, 30),
    epsilon=st.floats(1e-3, 20),
)


@given(HYPERCUBES)
@settings(max_examples=500, deadline=None)
def test_no_counterexample_to_the_steps_of_the_proof(prior):
    """Step 3, and step 4 with 2·keep_prob − 1, which implies it with e^ε − 1."""
    assert separation(prior) <= exact_separation(prior) * (1 + 1e-9)
    unit = prior.tilt**2 / (prior.num_states * prior.coverage)
    assert prior.pair_kl <= math.tanh(prior.epsilon / 2) ** 2 * unit * (1 + 1e-6)


@given(HYPERCUBES, st.integers(1, 6))
@settings(max_examples=100, deadline=None)
def test_no_counterexample_to_the_explicit_bound(prior, n_pairs):
    assert explicit_bound(prior, n_pairs) <= exact_bayes_risk(prior, n_pairs) * (1 + 1e-9)


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
