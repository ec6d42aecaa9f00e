"""Slopes: against an independent regression, and calibrated on power laws with known exponents."""

import numpy as np
import pytest
import statsmodels.api as sm

from repro.study.checks import RatioCheck, SlopeCheck
from repro.study.judge import judge
from repro.study.rates import fit_mean, fit_slope
from repro.study.results import Series

GRID = np.logspace(3, 9, 7)
SIMULATIONS = 2000


def power_law(rng, exponent, blocks=40, replicates=50, bend=0.0):
    """Chi-square replicates, as squared errors of four parameters are."""
    log = np.log(GRID / GRID[0])
    mean = np.exp(exponent * log + bend * log**2)
    noise = rng.chisquare(4, size=(len(GRID), blocks, replicates)) / 4
    return Series(GRID, mean[:, None, None] * noise)


def test_slope_equals_statsmodels():
    series = power_law(np.random.default_rng(0), -1.0)
    weights = (series.means / series.standard_errors) ** 2
    design = sm.add_constant(np.log(GRID))
    expected = sm.WLS(np.log(series.means), design, weights).fit().params
    fit = fit_slope(np.log(GRID), series, np.random.default_rng(1), 200)
    assert fit.slope.value == pytest.approx(expected[1], abs=1e-10)
    assert fit.intercept == pytest.approx(expected[0], abs=1e-8)


def test_local_slopes_are_differences_of_logs():
    values = (GRID**-2.0)[:, None, None] * np.ones((1, 5, 2))
    fit = fit_slope(np.log(GRID), Series(GRID, values), np.random.default_rng(0), 200)
    assert np.allclose(fit.local, -2.0)
    assert fit.slope.low == pytest.approx(-2.0)
    assert fit.slope.high == pytest.approx(-2.0)


@pytest.fixture(scope="module")
def simulated():
    """Coverage of the 95 % intervals of slope and mean over many known power laws."""
    rng = np.random.default_rng(20261120)
    slope_covered = mean_covered = 0
    for _ in range(SIMULATIONS):
        exponent = rng.uniform(-2, 2)
        series = power_law(rng, exponent)
        slope = fit_slope(np.log(GRID), series, rng, 400).slope
        scaled = Series(GRID, series.values / (GRID / GRID[0])[:, None, None] ** exponent)
        mean = fit_mean(scaled, rng, 400)
        slope_covered += slope.low <= exponent <= slope.high
        mean_covered += mean.low <= 1 <= mean.high
    return slope_covered / SIMULATIONS, mean_covered / SIMULATIONS


def test_slope_intervals_cover(simulated):
    assert 0.93 <= simulated[0] <= 0.97


def test_mean_intervals_cover(simulated):
    assert 0.93 <= simulated[1] <= 0.97


@pytest.mark.parametrize("edge", [-1.05, -0.95], ids=["lower", "upper"])
def test_false_support_at_the_margin_is_rare(edge):
    """At claimed ± tolerance exactly, the equivalence test may support in at most 5 %."""
    rng = np.random.default_rng(7)
    check = SlopeCheck("n", "n_pairs", tuple(GRID), "gap", "m", claimed=-1.0, tolerance=0.05)
    supported = sum(
        judge(check, "m", power_law(rng, edge), rng, 300).verdict == "supported" for _ in range(600)
    )
    assert supported / 600 <= 0.05


def test_true_exponent_is_supported():
    rng = np.random.default_rng(8)
    check = SlopeCheck("n", "n_pairs", tuple(GRID), "gap", "m", claimed=-1.0, tolerance=0.05)
    verdicts = [judge(check, "m", power_law(rng, -1.0), rng, 300).verdict for _ in range(100)]
    assert verdicts.count("supported") >= 95


def test_a_bend_is_seen():
    rng = np.random.default_rng(9)
    straight = [fit_slope(np.log(GRID), power_law(rng, -1.0), rng, 300).bends for _ in range(200)]
    bent = [
        fit_slope(np.log(GRID), power_law(rng, -1.0, bend=0.005), rng, 300).bends for _ in range(50)
    ]
    assert sum(straight) / 200 < 0.12
    assert all(bent)


def test_the_interval_narrows_with_replicates():
    rng = np.random.default_rng(10)
    few, many = (
        fit_slope(np.log(GRID), power_law(rng, -1.0, replicates=r), rng, 500).slope
        for r in (10, 1000)
    )
    assert (few.high - few.low) / (many.high - many.low) == pytest.approx(10, rel=0.4)


def test_a_mean_without_logarithm_is_refused():
    values = np.ones((len(GRID), 5, 2))
    values[0] = 0.0
    with pytest.raises(ValueError, match="not positive"):
        fit_slope(np.log(GRID), Series(GRID, values), np.random.default_rng(0), 200)


def test_ratio_check_uses_the_same_mean():
    rng = np.random.default_rng(11)
    series = power_law(rng, 0.0)
    check = RatioCheck("c", "n_pairs", tuple(GRID), "ratio", "m")
    found = judge(check, "m", series, rng, 300)
    assert found.numbers["value"] == pytest.approx(series.means.mean())
