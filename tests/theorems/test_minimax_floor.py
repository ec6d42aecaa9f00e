"""The minimax floor end to end, and what happens when one of its halves is broken."""

import math

import pytest

from repro.p4.corruption_floors.bounds import sharper_floor
from repro.p4.minimax import modulus
from repro.p4.minimax.modulus import halfspace_floor, least_floor


@pytest.mark.parametrize("bound", [0.1, 1.0, 4.0, 10.0])
def test_upper_and_lower_bound_are_a_factor_two_apart(bound):
    for coverage in (0.0, 1e-3, 0.3):
        pair = (halfspace_floor(1e-6, bound, coverage), least_floor(1e-6, bound, coverage))
        assert pair[0] / pair[1] == pytest.approx(2)


@pytest.mark.parametrize(
    ("bound", "apart"), [(0.1, 1.42), (1, 1.53), (2, 1.90), (4, 3.69), (8, 7.02), (10, 7.86)]
)
def test_the_table_of_the_page(bound, apart):
    """Algorithm 1's proved bound over what no estimator stays below."""
    assert sharper_floor(5.0, 1e-6, bound) / least_floor(5e-6, bound) == pytest.approx(
        apart, abs=0.006
    )


def test_steps_are_tight(smoke, by_name):
    found = by_name(smoke)
    for name in ("separation", "covered_separation", "regimes_above", "centre"):
        assert found[name].outcome.numbers["max_ratio"] > 0.999
    # the halfspace estimator on one cell has half the squared error that is proved; .7 is asked for
    assert found["halfspace"].outcome.numbers["max_ratio"] == pytest.approx(0.7 / 0.5**0.5)


def test_a_straight_curve_breaks_the_pairs(turned):
    """p(t) = t/4, as if the logistic curve had the slope of its middle everywhere."""
    found = turned("pairs_reward_bound", modulus, "rise", lambda right, t, bound: t / 4)
    assert found == ("supported", "contradicted")


def test_a_control_that_forgets_privacy_or_the_order_is_left_out_at_infinity(swept_of):
    """Both orders are one there, and c(ε) = 1."""
    by_name = swept_of(epsilon=math.inf)
    for name in (
        "exact_reward_bound",
        "exact_coverage",
    ):
        assert "order_misread" not in [one.__name__ for one in by_name[name].algorithms]
