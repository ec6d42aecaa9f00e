"""Slopes: against an independent regression, and calibrated on power laws with known exponents."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from repro.core.claims import SlopeCheck
from repro.core.judge import judge
from repro.core.rates import Estimate, SlopeFit, fit_slope, point_estimates
from repro.core.results import Series

GRID = np.logspace(3, 9, 7)
SIMULATIONS = 1000


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
    fit = fit_slope(np.log(GRID), series)
    assert fit.slope.value == pytest.approx(expected[1], abs=1e-10)
    assert fit.intercept == pytest.approx(expected[0], abs=1e-8)


def test_local_slopes_are_differences_of_logs():
    values = (GRID**-2.0)[:, None, None] * np.ones((1, 5, 2))
    fit = fit_slope(np.log(GRID), Series(GRID, values))
    assert np.allclose(fit.local, -2.0)
    shown = fit.slope.interval()
    assert (shown.low, shown.high) == (pytest.approx(-2.0), pytest.approx(-2.0))


LAWS = {
    "chi-square": lambda rng, size: rng.chisquare(4, size) / 4,
    "rare events": lambda rng, size: rng.binomial(1, 0.05, size) / 0.05,
    "heavy": lambda rng, size: rng.lognormal(-0.5, 1.0, size),
    "even": lambda rng, size: rng.uniform(0.5, 1.5, size),
}
MISSES = (0.05, 1e-3)


@pytest.fixture(scope="module", params=LAWS, ids=str)
def missed(request):
    """How often intervals of slope and of all points together miss known power laws."""
    rng, law = np.random.default_rng(20261120), LAWS[request.param]
    slope, points = np.zeros(len(MISSES)), np.zeros(len(MISSES))
    for _ in range(SIMULATIONS):
        exponent = rng.uniform(-2, 2)
        noise = law(rng, (len(GRID), 40, 50))
        scaled = Series(GRID, noise * ((GRID / GRID[0]) ** exponent)[:, None, None])
        found = fit_slope(np.log(GRID), scaled).slope
        slope += [misses(found, exponent, miss) for miss in MISSES]
        means = point_estimates(Series(GRID, noise))
        points += [any(misses(at, 1.0, miss / len(GRID)) for at in means) for miss in MISSES]
    return slope / SIMULATIONS, points / SIMULATIONS


def misses(estimate, truth, miss):
    """Whether the truth lies outside the interval."""
    found = estimate.interval(miss)
    return not found.low <= truth <= found.high


@pytest.mark.some(1)
def test_intervals_miss_as_rarely_as_they_say(missed):
    """One in 20 by 1,000 samples of each kind, and one in 1,000 up to chance and skewness."""
    for of_one_in_20, of_one_in_1000 in missed:
        assert 0.03 <= of_one_in_20 <= 0.08
        assert of_one_in_1000 <= 0.01


@pytest.mark.parametrize("edge", [-1.05, -0.95], ids=["lower", "upper"])
def test_false_support_at_the_margin_is_rare(edge):
    """At claimed ± tolerance exactly, the equivalence test may support in at most 5 %."""
    rng = np.random.default_rng(7)
    check = SlopeCheck("n", "n_pairs", tuple(GRID), "gap", "m", claimed=-1.0, tolerance=0.05)
    supported = sum(
        judge(check, "m", power_law(rng, edge), 0.05).verdict == "supported" for _ in range(600)
    )
    assert supported / 600 <= 0.05


def test_true_exponent_is_supported():
    rng = np.random.default_rng(8)
    check = SlopeCheck("n", "n_pairs", tuple(GRID), "gap", "m", claimed=-1.0, tolerance=0.05)
    verdicts = [judge(check, "m", power_law(rng, -1.0), 0.05).verdict for _ in range(100)]
    assert verdicts.count("supported") >= 95


def test_a_bend_is_seen():
    rng = np.random.default_rng(9)
    straight = [fit_slope(np.log(GRID), power_law(rng, -1.0)).bends for _ in range(200)]
    bent = [fit_slope(np.log(GRID), power_law(rng, -1.0, bend=0.005)).bends for _ in range(50)]
    assert sum(straight) / 200 < 0.12
    assert all(bent)


def test_the_error_falls_with_replicates():
    rng = np.random.default_rng(10)
    few, many = (
        fit_slope(np.log(GRID), power_law(rng, -1.0, replicates=r)).slope.error for r in (10, 1000)
    )
    assert few / many == pytest.approx(10, rel=0.4)


@pytest.mark.slow
def test_intervals_of_two_seeds_overlap_as_they_should():
    """Two 95 % intervals of the same law are disjoint in about 0.6 % of pairs."""
    rng = np.random.default_rng(12)
    disjoint = 0
    for _ in range(1000):
        one, other = (
            fit_slope(np.log(GRID), power_law(rng, -1.0)).slope.interval() for _ in range(2)
        )
        disjoint += one.high < other.low or other.high < one.low
    assert disjoint / 1000 <= 0.02


def test_a_mean_without_logarithm_is_refused():
    values = np.ones((len(GRID), 5, 2))
    values[0] = 0.0
    with pytest.raises(ValueError, match="not positive"):
        fit_slope(np.log(GRID), Series(GRID, values))


@pytest.mark.parametrize(
    ("low", "high", "bends"),
    [(0.0, 0.1, False), (1e-9, 0.1, True), (-0.1, 0.0, False), (-0.1, -1e-9, True),
     (-0.1, 0.1, False)],
)  # fmt: skip
def test_a_bend_is_an_interval_without_zero(low, high, bends):
    exact, half = Estimate(0.0, 0.0, 9.0), (high - low) / 2
    error = half / float(stats.t.isf(0.025, 9.0))
    curvature = Estimate((low + high) / 2, error, 9.0)
    assert SlopeFit(exact, 0.0, exact, curvature, ()).bends == bends
