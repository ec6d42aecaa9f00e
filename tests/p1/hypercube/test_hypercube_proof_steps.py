"""Random cases of the proof of Theorem 4.5: in range, and faults among them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from repro.p1.hypercube import proof_steps as step
from repro.p1.hypercube.proof_steps import (
    assouad_bound,
    hamming_bayes_risk,
    random_family,
    random_prior,
)


def test_random_hypercubes_meet_the_conditions_of_the_proof():
    rng = np.random.default_rng(0)
    for _ in range(200):
        prior = random_prior(rng)
        assert max(prior.base, prior.tilt) < prior.reward_bound / 2
        assert prior.coverage > 2


def test_given_numbers_are_kept():
    prior = random_prior(np.random.default_rng(0), num_states=1, coverage=4.0, epsilon=2.0)
    assert (prior.num_states, prior.coverage, prior.epsilon) == (1, 4.0, 2.0)


@pytest.mark.parametrize(
    ("draw", "value", "right", "faults"),
    [
        (step.bayes_case, 8, step.bound, [step.bound_without_quarter, step.bound_sign]),
        (step.pair_case, 0.1, step.pair_kl, [step.pair_kl_fifth]),
        (step.pair_case, 0.1, step.pair_kl_sharper, [step.pair_kl_sharper_ten_percent]),
        (step.assouad_case, 1, step.assouad, [step.assouad_half]),
    ],
)
def test_the_inequality_holds_and_the_search_finds_its_faults(draw, value, right, faults):
    rng = np.random.default_rng(0)
    cases = [draw(value, rng) for _ in range(150)]
    assert max(right(case) for case in cases) <= 1 + 1e-9
    for fault in faults:
        ratios = [fault(case) for case in cases]
        assert max(ratios) > 1, fault.name
        assert all(math.isfinite(ratio) for ratio in ratios)


TWO = np.array([[0.25, 0.75], [0.5, 0.5]])


def test_one_coordinate_by_hand():
    assert hamming_bayes_risk(TWO) == pytest.approx(0.5 * (0.25 + 0.5))
    forward = 0.25 * np.log(0.5) + 0.75 * np.log(1.5)
    backward = 0.5 * np.log(2) + 0.5 * np.log(2 / 3)
    assert assouad_bound(TWO) == pytest.approx(0.25 * np.exp(-max(forward, backward)))


def test_coordinates_of_a_product_add_up():
    assert hamming_bayes_risk(np.kron(TWO, TWO)) == pytest.approx(2 * hamming_bayes_risk(TWO))
    assert assouad_bound(np.kron(TWO, TWO)) == pytest.approx(2 * assouad_bound(TWO))


@given(arrays(float, (4, 3), elements=st.floats(1e-6, 1)))
@settings(max_examples=300, deadline=None)
def test_the_lemma_holds(weights):
    family = weights / weights.sum(axis=1, keepdims=True)
    assert assouad_bound(family) <= hamming_bayes_risk(family) * (1 + 1e-9)


def test_the_same_search_finds_half_for_a_quarter():
    rng = np.random.default_rng(0)
    families = [random_family(rng, 2) for _ in range(60)]
    ratios = [assouad_bound(f, 0.5) / hamming_bayes_risk(f) for f in families]
    assert max(ratios) > 1
    assert all(f.shape[0] == 4 and np.allclose(f.sum(1), 1) for f in families)
