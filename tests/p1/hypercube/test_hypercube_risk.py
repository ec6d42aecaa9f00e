"""Risks on the hypercube: exact sums against simulation and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from repro.p1.hypercube import learners as learner
from repro.p1.hypercube.learners import HypercubeLabels
from repro.p1.hypercube.prior import HypercubePrior, draw_counts
from repro.p1.hypercube.risk import (
    binary_kl,
    exact_bayes_risk,
    exact_separation,
    explicit_bound,
    gap,
    separation,
)

PRIOR = HypercubePrior(2, 4.0, 0.3, 3.0, 0.6, 1.5)


@pytest.mark.parametrize(("u", "w"), [(0.3, -1.2), (2.0, 2.0005), (-5.0, -5.1), (40.0, 41.0)])
def test_binary_kl(u, w):
    p, q = 1 / (1 + math.exp(-u)), 1 / (1 + math.exp(-w))
    rest_p, rest_q = 1 / (1 + math.exp(u)), 1 / (1 + math.exp(w))
    expected = p * math.log(p / q) + rest_p * math.log(rest_p / rest_q)
    assert float(binary_kl(np.float64(u), np.float64(w))) == pytest.approx(
        expected, rel=1e-5, abs=1e-17
    )


def simulated(estimator, replicates):
    signs, pairs, wins = draw_counts(PRIOR, np.random.default_rng(0), 60, replicates)
    return gap(PRIOR, estimator(HypercubeLabels(PRIOR, pairs, wins)), signs)


def test_exact_bayes_risk_is_the_mean_of_simulated_gaps():
    gaps = simulated(learner.posterior_mean, 60_000)
    assert gaps.mean() == pytest.approx(exact_bayes_risk(PRIOR, 60), abs=4 * gaps.std() / 245)


@pytest.mark.parametrize("other", ["mle", "pessimistic", "no_data", "naive_posterior"])
def test_no_estimator_beats_the_bayes_risk(other):
    assert simulated(getattr(learner, other), 20_000).mean() > exact_bayes_risk(PRIOR, 60)


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


@pytest.mark.parametrize("log_odds", [0.0199, 0.0201, 3.0])
def test_the_separation_is_that_of_log_cosh_on_both_sides_of_its_series(log_odds):
    prior = HypercubePrior(1, 4.0, 0.5, 9.0, 0.5 * log_odds, 1.0)
    assert exact_separation(prior) == pytest.approx(math.log(math.cosh(log_odds / 2)), rel=1e-9)
