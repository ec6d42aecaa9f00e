"""Slips that a line of algebra settles."""

import sympy


def test_halving_delta_costs_at_most_a_factor_two():
    """log(2N/δ) ≤ 2·log(N/δ) once N/δ ≥ 2: exp of the difference is (N/δ)²/(2N/δ) = N/(2δ) ≥ 1."""
    ratio = sympy.symbols("x", positive=True)
    difference = 2 * sympy.log(ratio) - sympy.log(2 * ratio)
    assert sympy.simplify(sympy.exp(difference) - ratio / 2) == 0
    assert sympy.solve_univariate_inequality(ratio / 2 >= 1, ratio, relational=False).contains(2)
    below_two = sympy.Rational(19, 10)
    assert float(difference.subs(ratio, below_two)) < 0
