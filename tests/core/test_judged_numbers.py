"""Every number of an outcome, against a hand count or another library."""

import numpy as np
import pytest
from scipy import stats

from repro.core.claims import FrequencyCheck, InequalityCheck, RatioCheck, SlopeCheck
from repro.core.judge import compare, judge
from repro.core.privacy_check import Exact, PrivacyCheck
from repro.core.rates import Interval, fit_slope
from repro.core.results import Series, finite_mean
from repro.labels.privacy.black_box import Attack, Counts
from tests.at_each import at_each

GRID = np.array([1.0, 10.0, 100.0, 1000.0])
COMMON = {"axis": "n_pairs", "grid": tuple(GRID), "quantity": "q", "method": "m"}


def judged(check, series, check_error=0.05):
    return judge(check, "m", series, check_error)


def quadratic(slope, bend, blocks=6):
    log = np.log(GRID)
    centred = log - log.mean()
    means = np.exp(2.0 + slope * centred + bend * centred**2)
    return Series(GRID, means[:, None, None] * np.ones((1, blocks, 3))), centred


def test_a_bent_line_has_its_coefficients():
    series, centred = quadratic(-1.0, 0.02)
    found = judged(SlopeCheck(name="s", claimed=-1.0, direction="at_most", **COMMON), series)
    end = -1.0 + 2 * 0.02 * centred[-1]
    assert found.numbers == {
        "claimed": -1.0,
        "direction": "at_most",
        "tolerance": 0.05,
        "slack": pytest.approx(0.0, abs=1e-12),
        "slope": pytest.approx(-1.0),
        "ci95": pytest.approx([-1.0, -1.0]),
        "curvature": pytest.approx(0.02),
        "curvature_ci95": pytest.approx([0.02, 0.02]),
        "end_slope": pytest.approx(end),
        "end_slope_ci95": pytest.approx([end, end]),
        "local_slopes": pytest.approx(np.diff(np.log(series.means)) / np.log(10)),
    }
    fit = found.fit
    line = fit.intercept + fit.slope * np.log(GRID)
    assert line == pytest.approx(np.polyval(np.polyfit(np.log(GRID), np.log(series.means), 1),
                                            np.log(GRID)))  # fmt: skip
    assert fit.log_axis


def test_weights_are_relative_errors():
    """A grid point ten times as noisy moves the line a hundredth as much."""
    rng = np.random.default_rng(3)
    noise = rng.normal(1, np.array([1, 1, 1, 10])[:, None, None] * 0.005, (4, 8, 50))
    series = Series(GRID, (GRID**-1.0)[:, None, None] * noise)
    relative = series.standard_errors / series.means
    design = np.stack([np.ones(4), np.log(GRID)], axis=1) / relative[:, None]
    expected = np.linalg.lstsq(design, np.log(series.means) / relative, rcond=None)[0]
    fit = fit_slope(np.log(GRID), series)
    assert fit.slope.value == pytest.approx(expected[1], abs=1e-10)
    design, logs = np.stack([np.ones(4), np.log(GRID)]), np.log(GRID)
    weights = 1 / relative**2
    slope_of = np.linalg.inv(design * weights @ design.T)[1] @ (design * weights)
    errors = stats.sem(series.block_means, axis=1) / series.means
    assert fit.slope.error == pytest.approx(np.sqrt(((slope_of * errors) ** 2).sum()))
    terms = (slope_of * errors) ** 2
    assert fit.slope.freedom == pytest.approx(terms.sum() ** 2 / (terms**2 / 7).sum())
    assert logs @ slope_of == pytest.approx(1.0)


def test_standard_errors_are_those_of_scipy():
    values = np.random.default_rng(1).normal(size=(4, 5, 7))
    series = Series(GRID, values)
    assert series.standard_errors == pytest.approx(stats.sem(values.reshape(4, -1), axis=1))
    assert series.block_means == pytest.approx(values.mean(axis=2))


def test_failed_replicates_are_left_out_of_the_means():
    values = np.array([[[1.0, np.nan], [3.0, np.inf]], [[np.nan, np.nan], [2.0, np.nan]]])
    series = Series(GRID[:2], values)
    assert series.failed == 5
    assert series.means == pytest.approx([2.0, 2.0])
    assert series.block_means[0] == pytest.approx([1.0, 3.0])
    assert np.isnan(series.block_means[1, 0])
    assert series.standard_errors[0] == pytest.approx(1.0)
    assert np.isnan(series.standard_errors[1])
    assert np.isnan(finite_mean(np.array([np.nan]), axis=0))


def test_ratio_numbers():
    values = np.tile(np.array([1.0, 2.0, 3.0, 6.0])[:, None, None], (1, 5, 4))
    found = judged(RatioCheck(name="r", claimed=3.0, tolerance=0.5, **COMMON), Series(GRID, values))
    assert found.numbers == {
        "claimed": 3.0, "value": 3.0, "ci95": [3.0, 3.0], "tolerance": 0.5,
        "by_point": [1.0, 2.0, 3.0, 6.0],
        "by_point_ci95": [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [6.0, 6.0]],
    }  # fmt: skip
    assert found.verdict == "contradicted"


def test_ratio_intervals_hold_together():
    """Student's interval of each point's block means, at 5 % shared by the points."""
    values = np.random.default_rng(2).normal(1.0, 0.1, (4, 8, 5))
    found = judged(RatioCheck(name="r", tolerance=0.1, **COMMON), Series(GRID, values))
    for blocks, shown in zip(values.mean(axis=2), found.numbers["by_point_ci95"], strict=True):
        half = stats.t.ppf(1 - 0.05 / 8, 7) * stats.sem(blocks)
        assert shown == pytest.approx([blocks.mean() - half, blocks.mean() + half])


def test_the_mean_of_a_ratio_has_the_interval_of_its_points():
    values = np.random.default_rng(6).normal(1.0, 0.1, (4, 8, 5))
    found = judged(RatioCheck(name="r", tolerance=0.1, **COMMON), Series(GRID, values))
    errors = stats.sem(values.mean(axis=2), axis=1) / 4
    freedom = (errors**2).sum() ** 2 / (errors**4 / 7).sum()
    half = stats.t.ppf(0.975, freedom) * np.sqrt((errors**2).sum())
    assert found.numbers["ci95"] == pytest.approx([values.mean() - half, values.mean() + half])


def test_a_ratio_is_contradicted_by_any_point():
    """Points that are wrong to either side no longer make up for each other."""
    means = np.array([0.75, 0.9, 1.1, 1.25])[:, None, None]
    found = judged(RatioCheck(name="r", **COMMON), Series(GRID, means * np.ones((4, 5, 4))))
    assert (found.verdict, found.series.means.mean()) == ("contradicted", 1.0)


@at_each(
    ("direction", "value", "verdict"),
    [
        ("at_least", 1e6, "supported"), ("at_least", 0.9, "contradicted"),
        ("at_most", -1e6, "supported"), ("at_most", 1.1, "contradicted"),
    ],
)  # fmt: skip
def test_an_effect_is_held_to_one_side(direction, value, verdict):
    check = RatioCheck(name="r", claimed=1.0, tolerance=0.0, direction=direction, **COMMON)
    noise = np.random.default_rng(1).normal(value, 0.01, (4, 8, 5))
    found = judged(check, Series(GRID, noise))
    assert (found.verdict, found.numbers["direction"]) == (verdict, direction)
    straddling = Series(GRID, np.random.default_rng(1).normal(1.0, 0.1, (4, 8, 5)))
    assert judged(check, straddling).verdict == "inconclusive"


def test_a_stricter_budget_takes_more_to_decide():
    """The same measurements: enough at 5 %, not where 500 verdicts hold together."""
    noise = np.random.default_rng(4).normal(1.0, 0.05, (4, 20, 4))
    slope = SlopeCheck(name="s", claimed=-1.0, tolerance=0.005, **COMMON)
    ratio = RatioCheck(name="r", tolerance=0.012, **COMMON)
    for check, power in ((slope, -1.0), (ratio, 0.0)):
        series = Series(GRID, (GRID**power)[:, None, None] * noise)
        loose, strict = judged(check, series), judged(check, series, 2e-5)
        assert (loose.verdict, strict.verdict) == ("supported", "inconclusive")
        assert loose.numbers == strict.numbers
    few = np.zeros((4, 5, 20))
    few[0, 0, :4] = 1
    frequency = FrequencyCheck(name="f", allowed=0.1, **COMMON)
    assert judged(frequency, Series(GRID, few)).verdict == "inconclusive"
    assert judged(frequency, Series(GRID, few * 0)).verdict == "supported"
    assert judged(frequency, Series(GRID, few * 0), 2e-5).verdict == "inconclusive"


def test_one_block_says_nothing_about_the_error():
    lost = np.full((4, 5, 4), np.nan)
    lost[:, 0] = 1.0
    found = judged(RatioCheck(name="r", **COMMON), Series(GRID, lost))
    assert found.verdict == "inconclusive"


def test_frequency_numbers():
    values = np.zeros((4, 5, 20))
    for point, failures in enumerate((0, 3, 7, 1)):
        values[point].reshape(-1)[:failures] = 1.0
    values[1, 4, 19] = np.nan
    found = judged(FrequencyCheck(name="f", allowed=0.05, **COMMON), Series(GRID, values))
    worst = [stats.beta.ppf(0.05 / 8, 7, 94), stats.beta.ppf(1 - 0.05 / 8, 8, 93)]
    assert found.numbers == {
        "claimed": 0.05, "allowed": 0.05, "value": 0.07, "ci95": pytest.approx(worst),
        "max_ratio": pytest.approx(1.4), "slack": pytest.approx(1 / 1.4), "cases": 399,
    }  # fmt: skip


def test_inequality_at_its_edge():
    """A grid point at which every replicate gives the same number is one case: 25 + 3."""
    values = np.full((4, 5, 5), 0.5)
    values[0, 0, 0] = 1.25
    values[1, 1, 1] = np.nan
    check = InequalityCheck(name="i", tolerance=0.25, **COMMON)
    found = judged(check, Series(GRID, values))
    assert found.verdict == "supported"
    assert found.numbers == {"max_ratio": 1.25, "slack": 0.8, "cases": 28, "tolerance": 0.25}


@at_each(
    ("low", "high", "direction", "expected"),
    [
        (-1.5, -0.5, "two_sided", "supported"),
        (-0.5, 0.0, "two_sided", "inconclusive"),
        (-2.0, -1.5, "two_sided", "inconclusive"),
        (-9.0, -0.5, "at_most", "supported"),
        (-1.5, 9.0, "at_least", "supported"),
        (0.0, np.inf, "at_least", "inconclusive"),
    ],
)
def test_the_edges_of_the_margin_belong_to_the_claim(low, high, direction, expected):
    assert compare(Interval(low, low, high), -1.0, 0.5, direction) == expected


@at_each(
    ("check", "key", "reason"),
    [
        (SlopeCheck(name="s", **COMMON), "slope", "a mean is not positive and finite"),
        (RatioCheck(name="r", **COMMON), "value", "a grid point has no finite value"),
        (InequalityCheck(name="i", **COMMON), "max_ratio", "no case has a finite value"),
        (FrequencyCheck(name="f", **COMMON), "max_ratio", "a grid point has no finite value"),
    ],
)
def test_nothing_measured_is_said(check, key, reason):
    found = judged(check, Series(GRID, np.full((4, 5, 5), np.nan)))
    assert found.verdict == "inconclusive"
    assert found.numbers == {key: None, "reason": reason}


def privacy(shares, exact, **changes):
    own = {"name": "p", "claimed_epsilon": 0.5, "dp_delta": 1e-3, "runs": 1000, "tolerance": 0.01}
    check = PrivacyCheck(**own | {"exact": {"m": exact}} | COMMON | changes)
    return check, judged(check, Series(np.array(check.grid), shares))


def test_privacy_numbers():
    attack = Attack(1.0, 0.0, False)
    exact = (Exact(0.3, 1e-4, attack), Exact(0.45, 2e-4, attack))
    shares = np.tile([0.55, 0.45], (2, 3, 2))
    check, found = privacy(shares, exact, grid=(1.0, 2.0))
    numbers = dict(found.numbers)
    level = 1 - 0.001 / 2
    bound = attack.bound(Counts(3300, 6000, 2700, 6000), 1e-3, level)
    assert numbers.pop("audit_by_point") == pytest.approx([bound, bound])
    assert numbers == {
        "claimed": 0.5, "claimed_epsilon": 0.5, "dp_delta": 1e-3, "exact_delta": 2e-4,
        "audit_lower_bound": pytest.approx(bound), "exact_by_point": [0.3, 0.45],
        "runs_a_side": 6000, "tolerance": 0.01, "exact_epsilon": 0.45,
    }  # fmt: skip
    assert found.series.values.shape == (2, 3, 2)
    assert found.series.values[1] == pytest.approx(0.45)
    assert check.kind == "privacy"


def test_the_worst_point_of_a_privacy_check_counts():
    """Of two points one is told apart much better, and the other has no finite ε."""
    attack = Attack(1.0, 0.0, False)
    exact = (Exact(0.3, 3e-4, attack), Exact(np.inf, 2e-4, attack))
    shares = np.stack([np.tile([0.5, 0.5], (3, 2)), np.tile([0.9, 0.1], (3, 2))])
    _, found = privacy(shares, exact, grid=(1.0, 2.0))
    bounds = found.numbers["audit_by_point"]
    assert bounds[0] == 0.0
    assert bounds[1] > 1.5
    assert found.numbers["audit_lower_bound"] == bounds[1]
    assert found.numbers["exact_delta"] == 3e-4
    assert "exact_epsilon" not in found.numbers
    assert type(found.numbers["runs_a_side"]) is int
    assert found.verdict == "contradicted"
    assert found.series.values[:, 0, 0] == pytest.approx([0.3, bounds[1]])


def test_a_privacy_check_at_one_point():
    exact = (Exact(0.3, 1e-4, Attack(1.0, 0.0, False)),)
    _, found = privacy(np.full((1, 3, 4), 0.5), exact, grid=(1.0,))
    assert found.numbers["runs_a_side"] == 6000
    assert found.verdict == "supported"


@at_each("points", [1, 3])
def test_every_point_of_a_privacy_check_is_known(points):
    attack = Attack(1.0, 0.0, False)
    exact = (Exact(0.3, 1e-4, attack),) * points
    with pytest.raises(ValueError, match="argument 2 is"):
        privacy(np.full((2, 3, 4), 0.5), exact, grid=(1.0, 2.0))


@at_each(
    ("slope", "bend", "direction", "expected"),
    [
        (-0.8, -0.05, "at_most", "inconclusive"),
        (-0.8, 0.05, "at_most", "contradicted"),
        (-1.2, 0.05, "at_most", "inconclusive"),
        (-1.2, -0.05, "at_most", "supported"),
        (-0.8, 0.0, "at_most", "contradicted"),
    ],
)
def test_a_bend_to_the_other_side_decides_nothing(slope, bend, direction, expected):
    """At the far end the slope is the mean one plus about 7·bend."""
    series, _ = quadratic(slope, bend)
    check = SlopeCheck(name="s", claimed=-1.0, tolerance=0.05, direction=direction, **COMMON)
    assert judged(check, series).verdict == expected


def test_a_frequency_without_a_value_at_one_point_is_inconclusive():
    values = np.zeros((4, 5, 20))
    values[2] = np.nan
    found = judged(FrequencyCheck(name="f", **COMMON), Series(GRID, values))
    assert found.numbers["reason"] == "a grid point has no finite value"


def test_bends_are_those_of_a_weighted_parabola_where_the_data_are_none():
    rng = np.random.default_rng(5)
    log, noise = np.log(GRID), rng.normal(1, 0.01, (4, 6, 50))
    means = np.exp(-log + 0.02 * (log - 3) ** 3)
    series = Series(GRID, means[:, None, None] * noise)
    fit = fit_slope(log, series)
    centred = log - log.mean()
    weights = series.means / series.standard_errors
    bend, slope, _ = np.polyfit(centred, np.log(series.means), 2, w=weights)
    assert fit.curvature.value == pytest.approx(bend, rel=1e-9)
    assert fit.end_slope.value == pytest.approx(slope + 2 * bend * centred[-1], rel=1e-9)
    assert fit.end_slope.value != pytest.approx(fit.slope.value, abs=0.1)


def test_a_bound_has_to_hold_at_every_point():
    """Points far below the bound do not make up for one above it."""
    rng = np.random.default_rng(5)
    levels = np.array([0.4, 0.9, 1.1, 0.9])[:, None, None]
    series = Series(GRID, levels * rng.normal(1, 0.2, (4, 20, 20)))
    check = RatioCheck(name="r", direction="at_most", **COMMON)
    outcome = judged(check, series)
    assert outcome.numbers["ci95"][1] < 1
    assert outcome.verdict != "supported"
    assert outcome.numbers["slack"] == pytest.approx(1 / series.means.max())
    below = Series(GRID, np.minimum(levels, 0.9) * np.ones((1, 20, 20)))
    assert judged(check, below).verdict == "supported"


@pytest.mark.parametrize(("errors", "verdict"), [(2.4, "inconclusive"), (3.5, "supported")])
def test_a_point_of_a_bound_is_held_to_it_with_all_the_others(errors, verdict):
    """Alone a point 2.4 errors inside would be in; among four it may still be outside."""
    blocks = np.resize([-1.0, 1.0], 20) * 0.01
    error = blocks.std(ddof=1) / np.sqrt(20)
    means = np.array([0.5, 0.5, 0.5, 1.05 - errors * error])
    values = (means[:, None] + blocks)[:, :, None]
    check = RatioCheck("row", "n_pairs", (1.0, 2.0, 4.0, 8.0), "q", "m", direction="at_most")
    series = Series(np.array(check.grid), values)
    assert judge(check, "m", series, 0.05).verdict == verdict
