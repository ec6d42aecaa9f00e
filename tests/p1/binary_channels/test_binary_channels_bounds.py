"""docs/explanations/beyond_randomized_response.md: algebra by sympy, random search."""

import math

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st

from repro.labels.preferences import label_information as symmetric
from repro.labels.preferences.label_mixture import RANDOMIZED_RESPONSE, LabelMixture
from repro.p1.binary_channels import bounds as bound
from repro.p1.binary_channels.fixed_policy import fixed_policy_world, level_world
from repro.p1.pessimism.gap_constants import label_information, two_arm_curvature
from repro.worlds.policies.regularisers import (
    ALPHA_3_2,
    CHI_SQUARED,
    KL,
    PowerDivergence,
    regularised_suboptimality,
)

MIXTURES = st.tuples(st.floats(0.05, 1), st.floats(0, 1)).map(
    lambda one: LabelMixture(one[0], (1 - one[0]) * one[1])
)


def test_the_law_of_total_variance():
    """p(1−p) = s²σ(1−σ) + (1−σ)b(1−b) + σa(1−a)."""
    a, b, clean = sympy.symbols("a b sigma")
    win = b + (a - b) * clean
    parts = (a - b) ** 2 * clean * (1 - clean)
    parts += (1 - clean) * b * (1 - b) + clean * a * (1 - a)
    assert sympy.expand(win * (1 - win) - parts) == 0


@given(st.floats(-8, 8), st.floats(-1, 1).map(lambda x: 10**x), MIXTURES)
def test_lemma_1_is_the_inverse_of_the_information(difference, epsilon, response):
    at = torch.tensor(difference, dtype=torch.float64)
    information = float(label_information(at, epsilon, response))
    found = bound.inverse_information(difference, epsilon, response)
    assert found * information == pytest.approx(1, rel=1e-9)


@given(st.floats(0, 8), st.floats(0, 1), st.floats(-1, 1).map(lambda x: 10**x), MIXTURES)
def test_the_end_is_the_worst_and_its_logarithm_rises_at_most_by_two(end, share, epsilon, response):
    inside = (2 * share - 1) * end
    largest = bound.largest_inverse_information(end, epsilon, response)
    here = bound.inverse_information(inside, epsilon, response)
    assert here <= largest * (1 + 1e-12)
    step = bound.inverse_information(inside + 1e-4, epsilon, response)
    assert abs(math.log(step / here)) <= 2e-4 * (1 + 1e-6)


def test_of_randomized_response_they_are_the_known_ones():
    given = (3.0, 1.0)
    assert bound.largest_inverse_information(*given, RANDOMIZED_RESPONSE) == pytest.approx(
        symmetric.inverse_information(*given)
    )
    pair = (3.0, 2.5, 1.0)
    assert bound.one_less_affinity(*pair, RANDOMIZED_RESPONSE) == pytest.approx(
        symmetric.one_less_affinity(*pair)
    )


def test_what_an_unknown_flip_rate_costs_small_rewards():
    """36/(θ⁴·(m₆/m₂ − (m₄/m₂)²)): series by sympy."""
    x = sympy.symbols("x")
    clean = 1 / (1 + sympy.exp(-x))
    missing = sympy.series(x * sympy.diff(clean, x) - (clean - sympy.Rational(1, 2)), x, 0, 5)
    assert sympy.simplify(missing.removeO() + x**3 / 24) == 0
    share = (sympy.Rational(4, 576)) / (sympy.Rational(4, 16))
    assert 1 / share == 36


@pytest.mark.parametrize("power", [1.5, 3.0, 4.0])
def test_a_flat_or_sharp_divergence_has_the_gap_of_theorem_7(power):
    world, error, weight = level_world(1, 2.0, 4.0), 1e-2, 2.0
    reward = torch.tensor([[0.0, 0.0]], dtype=torch.float64)
    estimated = torch.tensor([[[error, 0.0]]], dtype=torch.float64)
    found = regularised_suboptimality(
        PowerDivergence(power), world.policies, reward, estimated, world.state_prob, weight
    )
    q = power / (power - 1)
    expected = (power - 1) ** (q - 1) / power * weight ** (1 - q) * (error / 2) ** q
    assert float(found) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("regulariser", "exponent"), [(KL, 1), (ALPHA_3_2, 0.5), (CHI_SQUARED, 0)])
def test_coverage_by_alpha(regulariser, exponent):
    ends = [fixed_policy_world(c, 1.0, 4.0, regulariser) for c in (1e6, 1e8)]
    costs = [float(two_arm_curvature(w, regulariser) / w.cell_prob) for w in ends]
    assert np.log(costs[1] / costs[0]) / np.log(100) == pytest.approx(exponent, abs=2e-3)
