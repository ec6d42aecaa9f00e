"""The rules of a verdict, one case each."""

import numpy as np
import pytest

from repro.core.claims import (
    DeclaredCheck,
    FrequencyCheck,
    InequalityCheck,
    RatioCheck,
    SlopeCheck,
)
from repro.core.judge import compare, judge
from repro.core.rates import Interval
from repro.core.results import Series
from repro.core.verdicts import off_its_pin, overall, worst
from tests.at_each import at_each

GRID = (1.0, 10.0, 100.0, 1000.0)


def interval(low, high):
    return Interval((low + high) / 2, low, high)


@at_each(
    ("low", "high", "direction", "expected"),
    [
        (-1.04, -0.96, "two_sided", "supported"),
        (-1.06, -0.96, "two_sided", "inconclusive"),
        (-1.04, -0.90, "two_sided", "inconclusive"),
        (-0.94, -0.90, "two_sided", "contradicted"),
        (-1.20, -1.06, "two_sided", "contradicted"),
        (-9.00, -0.80, "two_sided", "inconclusive"),
        (-9.00, -0.96, "at_most", "supported"),
        (-9.00, -0.80, "at_most", "inconclusive"),
        (-0.94, -0.80, "at_most", "contradicted"),
        (-1.04, 9.00, "at_least", "supported"),
        (-1.06, 9.00, "at_least", "inconclusive"),
        (-9.00, -1.06, "at_least", "contradicted"),
        (np.nan, 0.00, "two_sided", "inconclusive"),
        (-np.inf, -1.0, "at_most", "inconclusive"),
    ],
)
def test_interval_against_claim(low, high, direction, expected):
    assert compare(interval(low, high), -1.0, 0.05, direction) == expected


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["supported"], "supported"),
        (["supported", "inconclusive"], "inconclusive"),
        (["inconclusive", "contradicted", "supported"], "contradicted"),
        (["contradicted", "assumption_failed"], "assumption_failed"),
        ([], "inconclusive"),
    ],
)
def test_worst(verdicts, expected):
    assert worst(verdicts) == expected


def series(means, spread=0.01, blocks=10, replicates=20, seed=0):
    noise = np.random.default_rng(seed).normal(1, spread, (len(means), blocks, replicates))
    return Series(np.array(GRID[: len(means)]), np.array(means)[:, None, None] * noise)


def verdict(check, measured):
    return judge(check, "m", measured, 0.05)


def slope_check(**changes):
    return SlopeCheck(**{"name": "s", "axis": "n_pairs", "grid": GRID, "quantity": "q",
                         "method": "m", "claimed": -1.0, "tolerance": 0.05} | changes)  # fmt: skip


def test_a_control_that_is_not_contradicted_leaves_the_whole_undecided():
    for control in ("supported", "inconclusive"):
        assert overall([], ["contradicted", control], ["supported"]) == "inconclusive"
    assert overall([True, False], [], ["supported"]) == "assumption_failed"


def test_a_slack_that_is_gone_is_off_its_pin():
    assert off_its_pin({"slack_pinned": 1.5})
    assert off_its_pin({"slack_pinned": 200.0})


def test_slope_supported_and_contradicted():
    assert verdict(slope_check(), series([1, 0.1, 0.01, 0.001])).verdict == "supported"
    assert verdict(slope_check(), series([1, 1, 1, 1])).verdict == "contradicted"


def test_noise_is_inconclusive_never_supported():
    assert (
        verdict(slope_check(), series([1, 0.1, 0.01, 0.001], spread=2.0)).verdict == "inconclusive"
    )


def test_linear_axis_measures_the_exponential_rate():
    grid = (4.0, 6.0, 8.0, 10.0)
    values = np.exp(2 * np.array(grid))[:, None, None] * np.ones((1, 6, 3))
    check = slope_check(axis="reward_bound", grid=grid, claimed=2.0)
    found = judge(check, "m", Series(np.array(grid), values), 0.05)
    assert found.numbers["slope"] == pytest.approx(2.0)
    assert found.fit is not None
    assert not found.fit.log_axis


def test_a_bend_towards_another_verdict_is_inconclusive():
    """Mean slope within the margin, slope at the far end outside: not supported."""
    log = np.log(np.array(GRID))
    bent = np.exp(-1.0 * log + 0.03 * (log - log.mean()) ** 2)
    found = verdict(slope_check(), series(bent, spread=0.001))
    assert found.numbers["slope"] == pytest.approx(-1.0, abs=0.01)
    assert found.numbers["end_slope"] > -0.9
    assert found.verdict == "inconclusive"


def test_a_series_with_zeros_is_inconclusive_and_says_why():
    found = verdict(slope_check(), Series(np.array(GRID), np.zeros((4, 5, 5))))
    assert (found.verdict, found.numbers["slope"]) == ("inconclusive", None)
    assert "not positive" in str(found.numbers["reason"])


def test_a_slack_may_leave_its_pin_to_neither_side():
    slacks = (1.88, 1.92, 2.08, 2.12)
    left = [off_its_pin({"slack": slack, "slack_pinned": 2.0}) for slack in slacks]
    assert left == [True, False, False, True]


@pytest.mark.parametrize(("failed", "expected"), [(8, "supported"), (9, "inconclusive")])
def test_failed_replicates_are_counted(failed, expected):
    """Of 800 replicates more than 1 % may not fail."""
    measured = series([1, 0.1, 0.01, 0.001])
    measured.values.reshape(-1)[:failed] = np.nan
    assert measured.failed == failed
    assert verdict(slope_check(), measured).verdict == expected


def test_ratio():
    check = RatioCheck("r", "n_pairs", GRID, "q", "m", claimed=1.0, tolerance=0.05)
    assert verdict(check, series([1, 1, 1, 1])).verdict == "supported"
    assert verdict(check, series([1.2, 1.2, 1.2, 1.2])).verdict == "contradicted"
    lost = series([1, 1, 1, 1])
    lost.values[2] = np.nan
    assert verdict(check, lost).verdict == "inconclusive"


def test_inequality_looks_at_every_case():
    check = InequalityCheck("i", "n_pairs", GRID, "q", "m", tolerance=1e-9)
    values = np.linspace(0.1, 0.5, 100).reshape(4, 5, 5)
    assert verdict(check, Series(np.array(GRID), values)).verdict == "supported"
    values[3, 4, 4] = 1.0001
    found = verdict(check, Series(np.array(GRID), values))
    assert found.verdict == "contradicted"
    assert found.numbers["max_ratio"] == pytest.approx(1.0001)
    assert found.numbers["cases"] == 100
    nothing = verdict(check, Series(np.array(GRID), np.full((4, 5, 5), np.nan)))
    assert nothing.verdict == "inconclusive"


def test_an_exact_number_repeated_in_every_replicate_is_one_case():
    check = InequalityCheck("i", "n_pairs", GRID, "q", "m", tolerance=1e-9)
    values = np.repeat([0.1, 0.2, 0.3, 0.4], 25).reshape(4, 5, 5)
    assert verdict(check, Series(np.array(GRID), values)).numbers["cases"] == 4
    values[0, 0, 0] = 0.15
    assert verdict(check, Series(np.array(GRID), values)).numbers["cases"] == 28


@pytest.mark.parametrize(
    ("failures", "expected"), [(0, "supported"), (50, "inconclusive"), (120, "contradicted")]
)
def test_frequency_by_clopper_pearson(failures, expected):
    check = FrequencyCheck("f", "n_pairs", GRID, "q", "m", allowed=0.05)
    values = np.zeros((4, 10, 100))
    values[1].reshape(-1)[:failures] = 1.0
    found = verdict(check, Series(np.array(GRID), values))
    assert found.verdict == expected
    assert found.numbers["value"] == failures / 1000


def test_a_kind_without_rule_is_a_bug():
    with pytest.raises(TypeError, match="no rule"):
        verdict(DeclaredCheck("c", "n_pairs", GRID, "q", "m"), series([1, 1, 1, 1]))
