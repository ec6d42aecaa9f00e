"""P1's scalar lemmas end to end: sharp, and every planted fault is found."""

import numpy as np
import pytest
import sympy
from mpmath import iv

from repro.core.proofs import decided
from theorems import p1_scalar_lemmas as lemmas

CHECKS = {check.name: check for check in lemmas.THEOREM.checks}
PROVED = ("lipschitz", "quadratic", "inverse_lipschitz")


def test_every_lemma_holds_and_every_planted_fault_is_found(smoke, surprises, contradicted_rows):
    assert surprises(smoke) == []
    assert contradicted_rows == set()


@pytest.mark.parametrize(
    "name", ["ville", "lipschitz", "freedman", "quadratic", "inverse_lipschitz"]
)
def test_the_search_comes_near_equality(smoke, name):
    (item,) = [item for item in smoke.result.checks if item.check.name == name]
    assert item.outcome.numbers["max_ratio"] > 0.93


def test_a_fault_inside_a_lemma_turns_the_verdict(turned):
    def wrong(right, x):
        return 1 / right(x)

    found = turned("inverse_lipschitz", lemmas, "interval_inverse_slope", wrong)
    assert found == ("supported", "contradicted")


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.parametrize("at", [0.01, 0.5, 4.0])
def test_the_whole_box_is_proved(name, at):
    assert 0 < decided(CHECKS[name].right(lemmas.BoundedDifferences(reward_bound=at))) <= 1 + 1e-9


@pytest.mark.parametrize("name", PROVED)
def test_every_wrong_version_has_a_counterexample(name):
    for wrong in CHECKS[name].wrong:
        assert decided(wrong(lemmas.BoundedDifferences(reward_bound=1.0))) > 1 + 1e-3


def value(algorithm, bound, *point):
    claimed = algorithm(lemmas.BoundedDifferences(reward_bound=bound))
    return float(claimed.ratio(*(iv.mpf(x) for x in point)).mid)


@pytest.mark.parametrize("bound", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("at", [-0.9, 0.3, 1.0])
def test_derivatives_stand_for_slopes(bound, at):
    """Between two points close to each other the slope is the derivative."""
    x, y = bound * at, bound * at - 1e-6
    slope = lemmas.log_likelihood_slope(x, y, 0.8) / lemmas.sigmoid(bound)
    assert value(lemmas.a_2, bound, x, 0.6) == pytest.approx(slope, rel=1e-5)
    inverse = lemmas.inverse_slope(x, y, 0.8) / lemmas.inverse_constant(bound, 0.8)
    assert value(lemmas.a_8, bound, x) == pytest.approx(inverse, rel=1e-5)


@pytest.mark.parametrize("a", [0.01, 1.0, 30.0])
def test_the_largest_root_in_units_of_b(a):
    b, root = 1.4, np.sqrt(1 + 4 * a / 1.4**2)
    square = lemmas.largest_root(a, b) ** 2
    assert value(lemmas.a_4, 0.7, root) == pytest.approx(square / (b**2 + 2 * a))
    assert value(CHECKS["quadratic"].wrong[1], 0.7, root) == pytest.approx(
        square / abs(b**2 - 2 * a)
    )


def test_rearrangements_symbolically():
    r = sympy.symbols("r", positive=True)
    square = (1 + r) ** 2 / 4 / (1 + (r**2 - 1) / 2)
    assert sympy.simplify(square - (1 - (r - 1) ** 2 / (2 * (1 + r**2)))) == 0
