"""The corrected Theorem 4.2 end to end, and what happens when its factor is broken."""

import numpy as np
import pytest
import sympy
from mpmath import iv

import repro
from repro.labels.preferences import label_information
from repro.labels.preferences.label_information import (
    inverse_information,
    inverse_slope,
    log_likelihood_slope,
    privacy_excess,
)
from repro.p1.corrected_gap.bounds import CONSTANTS_APART, LARGEST_TILT, hypercube_cell
from theorems import corrected_offline_gap as corrected
from tools.draw_crossover import crossover, two_term


@pytest.mark.parametrize(
    ("check", "slope"),
    [("eps_tenth", 2), ("eps_one", 2), ("eps_16", 1), ("printed_eps_one", 2),
     ("printed_eps_16", 1), ("bonus_printed_growth", 0.5), ("bonus_repaired", 0),
     ("algorithm_eps_one", 2), ("algorithm_eps_16", 1)],
)  # fmt: skip
def test_measured_exponents(smoke, check, slope, by_name):
    assert by_name(smoke)[check].outcome.numbers["slope"] == pytest.approx(slope, abs=0.03)


def test_slopes_are_taken_on_one_side_of_the_crossover(swept_of):
    checks = swept_of(budget="smoke")
    for swept in (checks[name] for name in ("eps_tenth", "eps_one")):
        assert swept.sweep.grid[0] > crossover(swept.measured[0].epsilon) + 5
    for swept in (checks[name] for name in ("eps_16", "printed_eps_16")):
        assert swept.sweep.grid[-1] < crossover(16.0) - 4


def test_steps_are_near_equality(smoke, by_name):
    names = ("two_term_below", "hellinger", "log_likelihood", "table_error_sharp", "lower",
             "constants_apart")  # fmt: skip
    ratios = [by_name(smoke)[name].outcome.numbers["max_ratio"] for name in names]
    assert min(ratios) > 0.9


def test_the_chance_of_a_mistake_is_half_of_its_bound_for_many_labels(smoke, by_name):
    """P(N > √(2x)) ≤ ½·e^(−x), attained at x = 0; only the constant in the exponent is sharp."""
    ratio = by_name(smoke)["in_sample"].outcome.numbers["max_ratio"]
    assert ratio == pytest.approx(0.5, abs=0.02)


def test_a_lost_square_breaks_the_steps(monkeypatch, by_name):
    """κ·V for κ·V², as after the paper's eq. (15)."""
    spread, excess = label_information.inverse_slope, label_information.privacy_excess
    monkeypatch.setattr(
        label_information, "inverse_information", lambda x, e: spread(x) * (1 + excess(e))
    )
    few = ["budget.replicates=40", "compute.workers=1"]
    done = repro.run("corrected_offline_gap", budget="smoke", only=["hellinger", "in_sample"],
                     overrides=few)  # fmt: skip
    found = {name: one.outcome for name, one in by_name(done).items()}
    assert found["hellinger"].verdict == "contradicted"
    # some datasets are left without an error then, too many for a verdict, but not for a bound
    assert found["in_sample"].verdict != "supported"
    assert found["in_sample"].numbers["max_ratio"] > 1


def value(algorithm, world, *point):
    return float(algorithm(world).ratio(*(iv.mpf(x) for x in point)).mid)


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 6.0])
def test_the_two_terms_at_every_budget(epsilon):
    bound = 2.0
    second = two_term(bound, epsilon) / np.exp(bound) - 1
    share, exact = second / (1 + second), inverse_information(bound, epsilon)
    ratio = exact / two_term(bound, epsilon)
    assert value(
        corrected.two_term_above, corrected.DifferenceRange(reward_bound=bound), share
    ) == pytest.approx(ratio / 16)
    assert value(
        corrected.two_term_below, corrected.DifferenceRange(reward_bound=bound), share
    ) == pytest.approx(1 / ratio)


@pytest.mark.parametrize("difference", [-3.0, 0.0, 2.0])
def test_the_slope_of_a_report(difference):
    epsilon = 1.5
    signal, flip = np.tanh(epsilon / 2), 1 / (1 + np.exp(epsilon))
    log_prob = lambda x: np.log(flip + signal / (1 + np.exp(-x)))  # noqa: E731
    slope = (log_prob(difference + 1e-6) - log_prob(difference - 1e-6)) / 2e-6
    found = value(
        corrected.log_likelihood, corrected.OneReport(epsilon=epsilon), np.exp(difference / 2)
    )
    assert found == pytest.approx(slope / log_likelihood_slope(epsilon), rel=1e-6)


@pytest.mark.parametrize("coverage", [2.05, 16.0, 1e4])
@pytest.mark.parametrize("epsilon", [0.1, 2.0, 16.0])
def test_upper_over_lower_bound_by_what_b_leaves(coverage, epsilon):
    """b = B − a for a = min{1/10, 1/(2β)} and β = log(C−1)/b."""
    bound, odds = 6.0, np.log(coverage - 1)
    base = max(bound - LARGEST_TILT, bound / (1 + 0.5 / odds))
    cell = hypercube_cell(3, coverage, base / odds, epsilon)
    assert base + cell.tilt == pytest.approx(bound)
    n_pairs = 1e6 * cell.large(base)
    ratio = cell.upper(bound, n_pairs) / cell.lower_at_large_n(base, n_pairs) / CONSTANTS_APART
    scaled = privacy_excess(epsilon) * inverse_slope(base)
    assert value(
        corrected.constants_apart,
        corrected.DifferenceRange(reward_bound=bound),
        cell.tilt,
        scaled / (1 + scaled),
    ) == pytest.approx(ratio)


def test_the_slope_of_a_report_symbolically():
    v, q = sympy.symbols("v q", positive=True)
    sigma = v / (1 + v)
    slope = (1 - 2 * q) * sigma * (1 - sigma) / (q + (1 - 2 * q) * sigma)
    root = sympy.sqrt(q * (1 - q))
    off = q / v + (1 - q) * v - 2 * root
    assert sympy.simplify(slope - (1 - 2 * q) / (1 + 2 * root + off)) == 0
