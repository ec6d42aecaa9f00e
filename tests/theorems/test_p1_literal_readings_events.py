"""The events of P1's Lemma B.1 against enumeration, and the price of a union of two."""

import itertools
import math

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from repro.base.notation import flip_prob, keep_prob
from theorems.p1_literal_readings import OppositeRewards

CASE = OppositeRewards(2.0, 1.0, 7, 0.4, 0.8)


def enumerated(case, printed):
    """P(either event fails) over all sequences of pairs (telling or not) and labels."""
    clean = 1 / (1 + math.exp(-case.reward_bound))
    right = keep_prob(1.0) * clean + flip_prob(1.0) * (1 - clean)
    inverse = (1 + math.exp(case.reward_bound)) ** 2 / math.exp(case.reward_bound)
    cost = (keep_prob(1.0) - flip_prob(1.0)) ** -2
    allowed = (4 * inverse if printed else 16 * inverse**2) * cost * case.log_term
    factor, p, total = (4 if printed else 8), case.telling_prob, 0.0
    mean = case.n_pairs * p * (2 * case.reward_bound) ** 2
    slack = math.sqrt(factor * case.n_pairs * case.reward_bound**2 * case.log_term * mean / 7)
    slack += 8 / 3 * case.reward_bound**2 * case.log_term
    chances = {"silent": 1 - p, "right": p * right, "wrong": p * (1 - right)}
    for drawn in itertools.product(chances, repeat=case.n_pairs):
        squared = sum(one != "silent" for one in drawn) * (2 * case.reward_bound) ** 2
        mistaken = drawn.count("wrong") >= drawn.count("right")
        if mean - squared > slack or (mistaken and squared > allowed):
            total += math.prod(chances[one] for one in drawn)
    return total


@pytest.mark.parametrize("printed", [True, False])
@pytest.mark.parametrize("log_term", [0.8, 0.02])
def test_the_chance_that_either_event_fails(printed, log_term):
    case = OppositeRewards(2.0, 1.0, 7, 0.4, log_term)
    assert case.either_fails(printed) == pytest.approx(enumerated(case, printed), rel=1e-9)


@pytest.mark.parametrize("bound", [0.3, 2.0, 6.0])
@pytest.mark.parametrize("telling_prob", [0.02, 0.3])
def test_the_sum_over_telling_pairs_loses_nothing_that_can_be_heard(bound, telling_prob):
    """With both events failing above and below, every term of 3,000 added by itself."""
    for log_term in (0.7, 3.0, 20.0):
        case = OppositeRewards(bound, 0.8, 3000, telling_prob, log_term)
        m = np.arange(3001)
        low = m < 3000 * telling_prob - case.population_boundary(4)
        high = m * (2 * bound) ** 2 > case.in_sample_limit(True) * log_term
        terms = stats.binom.pmf(m, 3000, telling_prob) * np.where(low, 1.0, case.mistake_prob(m))
        expected = math.fsum(terms[low | high])
        assert case.either_fails(True) == pytest.approx(expected, rel=1e-13, abs=1e-300)


def test_the_failure_probability_is_two_exponentials():
    assert CASE.failure_prob == pytest.approx(2 * math.exp(-0.8))


def test_the_boundary_in_units_of_a_telling_pair():
    """√(2·v·L) + ⅔L with v = n·p, by Lemma A.3 with M = 1 and E X² ≤ E Y."""
    assert CASE.population_boundary(8) == pytest.approx(math.sqrt(2 * 2.8 * 0.8) + 0.8 * 2 / 3)
    assert CASE.population_boundary(4) == pytest.approx(math.sqrt(2.8 * 0.8) + 0.8 * 2 / 3)


CHANCES = (st.floats(6, 12), st.floats(-4, -0.31), st.floats(0.7, 60))


def largest(factor, pairs, telling, log_term):
    case = OppositeRewards(1.0, 1.0, int(10**pairs), 10**telling, log_term)
    return case.population_failure(factor) / case.failure_prob


@given(*CHANCES)
@settings(max_examples=300, deadline=None)
def test_no_counterexample_to_eq_20_with_eight(pairs, telling, log_term):
    assert largest(8.0, pairs, telling, log_term) <= 1


@pytest.mark.parametrize("factor", [4.0, 7.2])
def test_the_same_search_finds_planted_counterexamples(factor):
    @given(*CHANCES)
    @settings(max_examples=2000, deadline=None, derandomize=True, database=None)
    def search(pairs, telling, log_term):
        assume(largest(factor, pairs, telling, log_term) > 1)
        raise LookupError("found")

    with pytest.raises(LookupError, match="found"):
        search()


def test_half_the_failure_probability_costs_at_most_a_factor_two():
    """2·log x − log 2x = log(x/2), which is ≥ 0 for x = N/δ ≥ 2."""
    x = sympy.symbols("x", positive=True)
    assert (
        sympy.simplify(sympy.expand_log(2 * sympy.log(x) - sympy.log(2 * x) - sympy.log(x / 2)))
        == 0
    )
    assert sympy.log(x / 2).subs(x, 2) == 0
    assert sympy.diff(sympy.log(x / 2), x).is_positive
