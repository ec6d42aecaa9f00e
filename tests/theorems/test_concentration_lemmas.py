"""P4's concentration lemmas, and what happens when its implementation is broken."""

import math

import numpy as np
import pytest

from theorems import concentration_lemmas
from theorems.concentration_lemmas import (
    chernoff_ratio,
    contraction_ratio,
    covariance_failure,
    quadratic_form_tail,
)

RNG = np.random.default_rng


def test_something_is_assumed(plan_of):
    assert plan_of().assumptions()


def test_mechanisms_of_a_larger_budget_turn_the_verdict(turned):
    def wrong(right, cost, *more):
        smaller = (1 + cost) / 2
        return right(smaller, *more) * cost / smaller

    found = turned("contraction", concentration_lemmas, "contraction_ratio", wrong)
    assert found == ("supported", "contradicted")


def test_covariances():
    """Against draws, with a ridge for which a failure is common."""
    assert covariance_failure(4, 10**4, 1.0, 0.05) < 0.01
    mass, ridge = np.array([1 - 3e-4, 1e-4, 1e-4, 1e-4]), 0.01 * 4 * math.log(10**4 / 0.05)
    seen = RNG(0).multinomial(10**4, mass, size=20_000)
    ratio = (seen + ridge) / (10**4 * mass + ridge)
    fails = ((ratio < 1 / 3) | (ratio > 5 / 3)).any(axis=1).mean()
    assert covariance_failure(4, 10**4, 0.01, 0.05) * 0.05 == pytest.approx(fails, abs=0.01)


def test_quadratic_forms():
    assert quadratic_form_tail(2, True, 0.5) == pytest.approx(1)  # xᵀΣx = 2 ± 1 and tr Σ = 2
    assert quadratic_form_tail(8, False, 0.05) < 1 < quadratic_form_tail(8, True, 0.05)


def test_chernoff_holds_with_half_and_not_with_one():
    assert chernoff_ratio(100, 0.7, 0.5) <= 1
    assert chernoff_ratio(100, 0.7, 1.0) > 1


def test_total_variation_contracts_by_the_cost_and_no_more():
    ratios = [contraction_ratio(3.0, 1, RNG(i)) for i in range(200)]
    assert max(ratios) == pytest.approx(1.0)
    assert min(ratios) < 0.9
    assert max(contraction_ratio(3.0, 2, RNG(i)) for i in range(50)) > 2.5
