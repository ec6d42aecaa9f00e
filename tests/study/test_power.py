"""Planned replicates are enough, and not many more than that."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from repro.core.claims import FrequencyCheck, InequalityCheck, RatioCheck, SlopeCheck
from repro.core.judge import judge
from repro.core.results import CheckResult, Series
from repro.study.experiment import Budget
from repro.study.power import CHANCE, SPARE, Margin, Tail, margins, planned

GRID = np.logspace(3, 7, 5)
SMOKE = Budget(name="smoke", replicates=400, blocks=20, check_error=0.05)
LAPTOP = Budget(name="laptop", replicates=2000, blocks=40, check_error=1e-5)
COMMON = {"axis": "n_pairs", "grid": tuple(GRID), "quantity": "q", "method": "m"}


def measured(rng, budget, factor, power=0.0, level=1.0):
    """Chi-square replicates around a power law, as many as the budget and the factor give."""
    each = max(1, round(budget.replicates * factor / budget.blocks))
    noise = rng.chisquare(4, (len(GRID), budget.blocks, each)) / 4
    return Series(GRID, level * (GRID**power)[:, None, None] * noise)


def result(check, series, *controls):
    outcomes = [judge(check, "m", one, SMOKE.check_error) for one in (series, *controls)]
    return CheckResult(check, outcomes[0], tuple(outcomes[1:]))


SLOPE = SlopeCheck(name="s", claimed=-1.0, tolerance=0.02, **COMMON)
RATIO = RatioCheck(name="r", tolerance=0.1, **COMMON)


@pytest.mark.some(1)
@pytest.mark.parametrize(("check", "power"), [(SLOPE, -1.0), (RATIO, 0.0)], ids=["slope", "ratio"])
@pytest.mark.parametrize("budget", [SMOKE, LAPTOP], ids=["smoke", "laptop"])
def test_a_planned_row_comes_out_at_every_seed(check, power, budget):
    rng = np.random.default_rng(1)
    factor = planned(result(check, measured(rng, SMOKE, 1.0, power)), SMOKE, [SMOKE, LAPTOP])
    found = [
        judge(check, "m", measured(rng, budget, factor, power), budget.check_error).verdict
        for _ in range(60)
    ]
    assert found.count("supported") >= 59


def test_half_widths_are_the_parts_of_the_tolerance_that_the_contract_asks_for():
    """An estimate on the claim itself: at a third and a sixth of the tolerance."""
    margin = Margin(error=1.0, room=1e9, width=6.0)
    z = stats.norm.ppf(0.975)
    assert margin.times(SMOKE, SMOKE) == pytest.approx(SPARE * (z / 2) ** 2)
    assert margin.times(SMOKE, LAPTOP) == pytest.approx(SPARE * (z / 1) ** 2 / 5)


def test_intervals_that_share_an_error_rate_need_more():
    """Of five points each interval misses with a fifth of the error rate."""
    margin = Margin(error=1.0, room=1.0, width=math.inf, shared=5)
    z = stats.norm.isf(SMOKE.check_error / 5 / 2)
    assert margin.times(SMOKE, SMOKE) == pytest.approx(SPARE * (CHANCE + z) ** 2)


def test_a_value_beyond_the_edge_is_not_mended_by_replicates():
    rng = np.random.default_rng(2)
    beyond = result(RATIO, measured(rng, SMOKE, 10.0, level=1.3))
    assert math.isinf(planned(beyond, SMOKE, [SMOKE]))
    (margin, *_) = margins(RATIO, measured(rng, SMOKE, 10.0, level=1.3), "supported")
    assert margin.room < 0


def test_a_pilot_whose_noise_puts_its_value_beyond_the_edge_is_no_proof():
    z = stats.norm.isf(SMOKE.check_error / 2)
    near = Margin(error=1.0, room=-0.5, width=math.inf)
    assert near.times(SMOKE, SMOKE) == pytest.approx(SPARE * ((CHANCE + z) / (CHANCE - 0.5)) ** 2)
    for error, room in ((1.0, -3.6), (math.nan, 1.0), (0.0, 0.0)):
        assert math.isinf(Margin(error, room, math.inf).times(SMOKE, SMOKE))
    allowed = {"allowed": 0.05, "shared": 1}
    assert math.isfinite(Tail(share=0.06, size=400, **allowed).times(SMOKE, SMOKE))
    assert math.isinf(Tail(share=0.06, size=400_000, **allowed).times(SMOKE, SMOKE))


def test_noise_of_the_pilot_is_not_taken_for_a_bias():
    """At the edge by two standard errors, as at the claim itself; by many, it is a bias."""
    near = Series(GRID, 1.0 + 0.06 * np.ones((len(GRID), 20, 20)))
    near.values[:, ::2] += 0.2
    near.values[:, 1::2] -= 0.2
    exact = Series(GRID, near.values - 0.06)
    for one, other in zip(*(margins(RATIO, s, "supported") for s in (near, exact)), strict=True):
        assert one.room == other.room == RATIO.tolerance
    biased = Series(GRID, 1.0 + (near.values - 1.0) / 20 + 0.06 * 19 / 20)
    assert margins(RATIO, biased, "supported")[0].room < 0.05


def test_one_wrong_point_is_enough_for_a_control():
    rng = np.random.default_rng(3)
    wrong = measured(rng, SMOKE, 4.0)
    wrong.values[2] *= 2.0
    right = planned(result(RATIO, measured(rng, SMOKE, 4.0)), SMOKE, [SMOKE])
    assert planned(result(RATIO, measured(rng, SMOKE, 4.0), wrong), SMOKE, [SMOKE]) < 2 * right


def test_what_is_not_random_needs_no_replicates():
    exact = Series(GRID, np.ones((len(GRID), 20, 20)))
    inequality = InequalityCheck(name="i", **COMMON)
    assert planned(result(RATIO, exact), SMOKE, [SMOKE, LAPTOP]) == 0.0
    assert planned(result(inequality, exact), SMOKE, [SMOKE, LAPTOP]) == 0.0


def test_an_event_that_was_never_seen_needs_more_at_a_stricter_level():
    check = FrequencyCheck(name="f", allowed=0.05, **COMMON)
    never = result(check, Series(GRID, np.zeros((len(GRID), 20, 20))))
    assert 0 < planned(never, SMOKE, [SMOKE]) < 1
    often = result(check, Series(GRID, np.full((len(GRID), 20, 20), 1.0)))
    assert math.isinf(planned(often, SMOKE, [SMOKE]))


def test_points_of_a_ratio_may_straddle_the_edge():
    """The mean over the grid decides, so points need a quarter of what the mean would alone."""
    rng = np.random.default_rng(4)
    series = measured(rng, SMOKE, 1.0)
    mean, *points = margins(RATIO, series, "supported")
    needed = [one.times(SMOKE, SMOKE) for one in points]
    assert mean.error < min(one.error for one in points) / 1.5
    assert max(needed) < mean.times(SMOKE, SMOKE)
    assert margins(RATIO, series, "contradicted")[1].may_straddle is False
    bound = replace(RATIO, direction="at_most")
    assert not any(at.may_straddle for at in margins(bound, series, "supported"))


@pytest.mark.some(2)
@pytest.mark.parametrize("share", [0.0, 0.004, 0.02])
@pytest.mark.parametrize("budget", [SMOKE, LAPTOP], ids=["smoke", "laptop"])
def test_a_planned_frequency_comes_out_at_every_seed(share, budget):
    """Also of an event that is never seen, whose interval is as wide as the replicates are few."""
    check = FrequencyCheck(name="f", allowed=0.05, **COMMON)
    rng = np.random.default_rng(5)

    def drawn(of, factor):
        each = math.ceil(of.replicates * factor / of.blocks)
        return Series(GRID, (rng.random((len(GRID), of.blocks, each)) < share).astype(float))

    factor = planned(result(check, drawn(SMOKE, 10.0)), SMOKE, [SMOKE, LAPTOP]) * 10.0
    assert factor < 6
    for _ in range(40):
        assert judge(check, "m", drawn(budget, factor), budget.check_error).verdict == "supported"


def test_a_slope_without_values_is_not_planned_as_enough():
    nothing = Series(GRID, np.full((len(GRID), 20, 20), math.nan))
    assert planned(result(SLOPE, nothing), SMOKE, [SMOKE]) == math.inf
