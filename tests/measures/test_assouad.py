"""Assouad's lemma: both sides by hand, and on families drawn by hypothesis."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from repro.families.offline_kl.bounds_hypercube import (
    assouad_bound,
    hamming_bayes_risk,
    random_family,
)

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
