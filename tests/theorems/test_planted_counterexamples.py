"""One search for counterexamples, over the lemmas and over planted faults in them.

A case is a dictionary of numbers; ``ratio`` is left over right side with the constant multiplied by
``share``.  At share 1 the search finds nothing; at 0.9 (10 % off) and with a flipped sign it
does.  Where a printed constant has room, the constant that is searched is the sharp one.
"""

import math

import pytest
from hypothesis import Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from scipy.stats import chi2

from theorems.concentration_lemmas import chernoff_ratio
from theorems.p1_scalar_lemmas import (
    inverse_constant,
    inverse_slope,
    largest_root,
    log_likelihood_slope,
    sigmoid,
    walk_crossing,
)
from theorems.p2_optimism_lemmas import term_failure
from theorems.p2_scalar_lemmas import inverse_slope as inverse_slope_between

UNIT, BOUND, LOGS = st.floats(-1, 1), st.floats(0.1, 8), st.floats(0.7, 60)
KEEP = st.floats(0.501, 1 - 1e-9)


def apart(first, second):
    return abs(first - second) > 1e-4


def a_2(share, bound, first, second, keep, sign=1):
    if not apart(first, second):
        return 0.0
    return log_likelihood_slope(bound * first, bound * second, keep) / (
        share * sigmoid(sign * bound)
    )


def a_3(share, steps, logs):
    """A ±1 walk: P(max of S > √(2nL) + ⅔L) ≤ e^−L, 2 under the root times share."""
    count = int(10**steps)
    return walk_crossing(count, math.sqrt(2 * share * count * logs) + 2 / 3 * logs) * math.exp(logs)


def a_4(share, a, b, sign=1):
    return largest_root(a, b) ** 2 / abs(b**2 + sign * 2 * share * a)


def a_5(share, epsilon, first, second):
    """Randomised response: KL both ways ≤ min(4, e^2ε)(e^ε−1)²·TV²."""
    signal, flip = math.tanh(epsilon / 2), 1 / (1 + math.exp(epsilon))
    p, q = (flip + signal * (1 + one) / 2 for one in (first, second))
    both = signal * (first - second) / 2 * (math.log(p / q) - math.log((1 - p) / (1 - q)))
    limit = min(4, math.exp(2 * epsilon)) * math.expm1(epsilon) ** 2 * ((first - second) / 2) ** 2
    return both / (share * limit) if apart(first, second) else 0.0


def a_8(share, bound, first, second, keep, sign=1):
    if not apart(first, second):
        return 0.0
    constant = inverse_constant(bound, keep) - (2 / (2 * keep - 1) if sign < 0 else 0)
    return inverse_slope(bound * first, bound * second, keep) / (share * constant)


def c_2(share, bound, first, second, sign=1):
    constant = math.exp(-bound) + sign * 2 + math.exp(bound)
    return float(inverse_slope_between(bound * first, bound * second)) / (share * constant)


def c_5(share, ratio_bound, logs, sign=1):
    """Hoeffding's 8 under the root times share; P(failure) over 2e^−L for 10⁶ rounds."""
    constant = sign * math.sqrt(8 * share)
    found = term_failure(10**6, 10**ratio_bound, constant, logs)
    return found * math.exp(logs) / 2


def c_7(share, furthest, bound, first, second, sign=1):
    """The sharp 0.586 in the place of 8; Y ≥ 1."""
    x, y, span = furthest * first, (1 + bound) * second, furthest * abs(first) + 1 + bound
    limit = 0.586 * share * span * math.exp(sign * 2 * (1 + bound))
    return float(inverse_slope_between(x, y)) / limit


def p3_gradient(share, margin, length):
    """Lemma A.3: ‖∇ℓ‖ = (1 − σ(θ·x))·‖x‖ ≤ 2L with ‖x‖ = 2L·length."""
    return sigmoid(-margin) * length / share


def p3_hessian(share, margin, length):
    """The sharp L² in the place of A.3's 4L²: σ′(θ·x)·‖x‖² ≤ L²."""
    return 4 * sigmoid(margin) * sigmoid(-margin) * length**2 / share


def h_2(share, logs):
    """One Gaussian, Σ = 1: P(x² > 1 + 2√l + 2l) ≤ e^−l, by the χ² tail."""
    return chi2.sf(share * (1 + 2 * math.sqrt(logs) + 2 * logs), 1) * math.exp(logs)


def h_3(share, mean, kept):
    """Cases whose bound is below the smallest float count as 0."""
    representable = 10**mean * (1 - kept) ** 2 < 1000
    return chernoff_ratio(10**mean, kept, 0.5 / share) if representable else 0.0


def h_4(share, epsilon, first, second):
    """Randomised response attains TV/c, here on Bernoulli pairs."""
    signal = math.tanh(epsilon / 2)
    before = abs(first - second) / 2
    after = abs(signal * (1 + first) / 2 - signal * (1 + second) / 2)
    return after / (share * signal * before) if apart(first, second) else 0.0


LEMMAS = {
    "P1 A.2": (a_2, {"bound": BOUND, "first": UNIT, "second": UNIT, "keep": KEEP}),
    "P1 A.3": (a_3, {"steps": st.floats(2, 10), "logs": LOGS}),
    "P1 A.4": (a_4, {"a": st.floats(1e-3, 1e3), "b": st.floats(1e-3, 1e3)}),
    "P1 A.5": (a_5, {"epsilon": st.floats(1e-3, 3), "first": UNIT, "second": UNIT}),
    "P1 A.8": (a_8, {"bound": BOUND, "first": UNIT, "second": UNIT, "keep": KEEP}),
    "P2 C.2": (c_2, {"bound": BOUND, "first": UNIT, "second": UNIT}),
    "P2 C.5": (c_5, {"ratio_bound": st.floats(-4, 1), "logs": LOGS}),
    "P2 C.7": (
        c_7,
        {"furthest": st.floats(0, 50), "bound": st.floats(0, 7), "first": UNIT, "second": UNIT},
    ),
    "P3 A.3 gradient": (p3_gradient, {"margin": st.floats(-40, 40), "length": st.floats(0, 1)}),
    "P3 A.3 Hessian": (p3_hessian, {"margin": st.floats(-9, 9), "length": st.floats(0, 1)}),
    "P4 H.2": (h_2, {"logs": st.floats(0.1, 300)}),
    "P4 H.3": (h_3, {"mean": st.floats(1, 5), "kept": st.floats(0.3, 0.99)}),
    "P4 H.4": (h_4, {"epsilon": st.floats(1e-2, 5), "first": UNIT, "second": UNIT}),
}
SIGNED = ("P1 A.2", "P1 A.4", "P1 A.8", "P2 C.2", "P2 C.5", "P2 C.7")
SEARCH = settings(
    max_examples=1500, deadline=None, derandomize=True, database=None, phases=[Phase.generate]
)


def counterexample(name, share=1.0, **fault):
    """A case above 1, or None."""
    ratio, numbers = LEMMAS[name]
    try:
        return find(
            st.fixed_dictionaries(numbers),
            lambda case: ratio(share, **case, **fault) > 1 + 1e-7,
            settings=SEARCH,
        )
    except NoSuchExample:
        return None


@pytest.mark.parametrize("name", LEMMAS)
def test_no_counterexample(name):
    assert counterexample(name) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", LEMMAS)
def test_ten_percent_off_is_found(name):
    assert counterexample(name, share=0.9) is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", SIGNED)
def test_a_flipped_sign_is_found(name):
    assert counterexample(name, sign=-1) is not None
