"""A run is held to the pinned curve of each check: exact points tightly, drawn ones by sampling."""

from types import SimpleNamespace

import numpy as np
import pytest

from repro.core.check import largest_of
from repro.core.claims import FrequencyCheck, InequalityCheck, RatioCheck
from repro.core.results import CheckResult, Outcome, Series
from repro.study import slack

PLAN = SimpleNamespace(slug="an_experiment", setting=SimpleNamespace(stages={}))
OTHER_SEED = slack.SEED + 1
GRID = (1.0, 2.0, 4.0)
MEANS = np.array([[0.5], [1.0], [2.0]])
RATIO = RatioCheck("check", "n_pairs", GRID, "q", "method", evidence="measured")
EXACT = RatioCheck("check", "n_pairs", GRID, "q", "method", evidence="exact")
SMALL = InequalityCheck("check", "n_pairs", GRID, "q", "method", evidence="exact")
EVENT = FrequencyCheck("check", "n_pairs", GRID, "q", "method", evidence="measured")


def series(values, seed=None, blocks=20):
    """Blocks of four replicates around values; of a seed with exponential errors of a tenth."""
    values = np.broadcast_to(np.reshape(values, (3, 1)), (3, 4 * blocks))
    if seed is not None:
        errors = np.random.default_rng(seed).exponential(size=values.shape) - 1
        values = values * (1 + 0.1 * errors)
    return Series(np.array(GRID), values.reshape(3, blocks, 4))


@pytest.fixture
def off_curve(monkeypatch):
    """(check, pinned series, another series) → how far it is from its pin; None: not held.

    Further series are those of a control.
    """

    def distance(
        check, at_first, now, *controls, stages=(), beside=(), otherwise=((), ()), seed=OTHER_SEED
    ):
        beside = list(beside)
        monkeypatch.setattr(slack, "numbers_of", lambda plan, check: "the same")
        monkeypatch.setattr(slack, "_beside", lambda plan, check: beside.pop(0) if beside else [])
        first, now, *wrong = (
            Outcome("m", "supported", {}, own) for own in (at_first, now, *controls)
        )
        pin = slack.new_pin(PLAN, CheckResult(check, first, tuple(wrong[:1])), otherwise)
        monkeypatch.setattr(slack, "pins", lambda: {PLAN.slug: {"check": pin}})
        setting, budget = SimpleNamespace(stages=stages), SimpleNamespace(blocks=20, replicates=400)
        plan = SimpleNamespace(slug=PLAN.slug, setting=setting, budget=budget, seed=seed)
        return slack.pinned(plan, check, [now, *wrong[1:]]).get("off_curve")

    return distance


@pytest.mark.parametrize(("factor", "holds"), [(1.0005, True), (1.002, False), (0.998, False)])
def test_a_point_that_draws_nothing_may_move_by_a_thousandth(off_curve, factor, holds):
    changed = MEANS * [[1.0], [factor], [1.0]]
    assert (off_curve(EXACT, series(MEANS), series(changed)) <= 1) == holds


def test_what_is_far_below_an_inequality_is_left_to_rounding(off_curve):
    tiny, other = series(MEANS * 1e-14), series(MEANS * 3e-14)
    assert off_curve(SMALL, tiny, other) <= 1
    assert off_curve(EXACT, tiny, other) > 1


def test_other_seeds_stay_on_the_curve_and_a_constant_off_by_a_fifth_does_not(off_curve):
    distances = [off_curve(RATIO, series(MEANS, 0), series(MEANS, s)) for s in range(1, 300)]
    assert max(distances) <= 1
    assert off_curve(RATIO, series(MEANS, 0), series(1.2 * MEANS, 1)) > 1


@pytest.mark.parametrize(
    ("rounding", "factor", "seed", "holds"),
    [
        (1e-9, 1.00005, slack.SEED, False),
        (1e-9, 1.01, OTHER_SEED, True),
        (1e-6, 1.00005, slack.SEED, True),
        (1e-6, 1.0005, slack.SEED, False),
        (1e-3, 1.01, slack.SEED, True),
    ],
)
def test_the_same_draws_have_the_same_numbers_unless_rounding_decides(
    monkeypatch, off_curve, rounding, factor, seed, holds
):
    monkeypatch.setattr(slack, "DRAWS", slack.draws_now())
    before, now = series(MEANS, 0), series(factor * MEANS, 0)
    otherwise = list(before.means * (1 + rounding)), ()
    assert (off_curve(RATIO, before, now, otherwise=otherwise, seed=seed) <= 1) == holds
    assert off_curve(RATIO, before, before, otherwise=otherwise, seed=seed) < 0.1


def test_another_numpy_that_draws_others_is_held_to_what_sampling_allows(monkeypatch, off_curve):
    before = series(MEANS, 0)
    otherwise, now = (list(before.means), ()), series(1.01 * MEANS, 0)
    for draws, holds in ((slack.draws_now(), False), ("others", True)):
        monkeypatch.setattr(slack, "DRAWS", draws)
        distance = off_curve(RATIO, before, now, otherwise=otherwise, seed=slack.SEED)
        assert (distance <= 1) == holds


def test_one_failure_where_there_was_none_is_sampling(off_curve):
    failure = np.zeros((3, 20, 4))
    failure[1, 5, 2] = 1.0
    assert off_curve(EVENT, series(0 * MEANS), Series(np.array(GRID), failure)) <= 1
    assert off_curve(EVENT, series(0 * MEANS), series(MEANS / 2)) > 1


def test_a_curve_of_another_budget_or_with_a_stage_replaced_is_not_held(off_curve):
    assert off_curve(RATIO, series(MEANS, 0), series(2 * MEANS, 1, blocks=40)) is None
    assert off_curve(RATIO, series(MEANS, 0), series(2 * MEANS, 1), stages={"labels": 1}) is None


def test_a_point_without_a_value_is_off_the_curve(off_curve):
    assert off_curve(EXACT, series(MEANS), series(MEANS * [[1.0], [np.nan], [1.0]])) > 1


def test_a_control_is_held_to_its_mean(off_curve):
    right, wrong = series(MEANS), series(3 * MEANS)
    assert off_curve(EXACT, right, right, wrong, wrong) < 0.001
    assert off_curve(EXACT, right, right, wrong, series(3.1 * MEANS)) > 1


@pytest.mark.parametrize("check", [EXACT, RATIO])
@pytest.mark.parametrize(("factor", "holds"), [(1.000005, True), (1.0001, False)])
def test_a_control_that_rounding_leaves_alone_is_held_to_its_own_mean(
    monkeypatch, off_curve, check, factor, holds
):
    monkeypatch.setattr(slack, "DRAWS", slack.draws_now())
    right, wrong, now = (series(times * MEANS, 0) for times in (1, 3, 3 * factor))
    otherwise = [*right.means, wrong.means.mean()], ()
    seed = slack.SEED
    assert (
        off_curve(check, right, right, wrong, now, otherwise=otherwise, seed=seed) <= 1
    ) == holds
    assert off_curve(check, right, right, wrong, wrong, otherwise=otherwise, seed=seed) < 0.1


@pytest.mark.parametrize(
    ("now", "steady", "holds"),
    [(0.4001, False, True), (0.41, False, False), (0.4001, True, False), (0.400001, True, True)],
)
def test_what_is_not_largest_is_held_too(off_curve, now, steady, holds):
    right, otherwise = series(MEANS), ((), [0.4, 0.4] * steady)
    beside = [[0.4, 0.4], [0.4, now]]
    distance = off_curve(EXACT, right, right, beside=beside, otherwise=otherwise)
    assert (distance <= 1) == holds


@pytest.mark.parametrize(("last", "holds"), [(0.5, True), (0.6, False)])
def test_without_its_controls_a_check_is_held_to_its_own_mean_beside(off_curve, last, holds):
    right, wrong = series(MEANS), series(2 * MEANS)
    beside = [[0.4, 0.8, 0.5, 1.0], [0.4, last]]
    assert (off_curve(EXACT, right, right, wrong, beside=beside) <= 1) == holds


def test_the_largest_of_some_cases_is_held_to_their_mean(monkeypatch):
    multiples = largest_of(lambda world: [world, 2 * world, 6 * world])
    swept = SimpleNamespace(
        name="check",
        algorithms=[multiples, lambda world: 0.0],
        check=SimpleNamespace(quantity=SimpleNamespace(of=None)),
        sweep=SimpleNamespace(worlds=[1.0, 2.0, 5.0]),
    )
    monkeypatch.setattr(slack, "built", lambda plan: SimpleNamespace(swept=[swept]))
    assert multiples(2.0) == 12.0
    assert slack._beside(PLAN, EXACT) == [3.0, 15.0]


def test_of_what_is_measured_in_units_of_rounding_only_controls_are_held(off_curve):
    check = InequalityCheck("check", "n_pairs", GRID, "error / rounding", "m", evidence="computed")
    right, wrong = series(MEANS), series(1e6 * MEANS)
    assert off_curve(check, right, series(2 * MEANS), wrong, wrong) < 0.001
    assert off_curve(check, right, right, wrong, series(1.1e6 * MEANS)) > 1


@pytest.mark.parametrize("check", [RATIO, EXACT, SMALL, EVENT], ids=lambda check: check.kind)
def test_a_new_pin_has_what_is_recorded(check, monkeypatch, snapshot):
    monkeypatch.setattr(slack, "numbers_of", lambda plan, check: "numbers")
    monkeypatch.setattr(slack, "_beside", lambda plan, check: [0.123456789])
    drawn = check.evidence == "measured"
    spread = np.linspace(0.9, 1.1, 20)[None, :, None] if drawn else 1.0
    values = MEANS[:, :, None] * np.ones((3, 20, 4)) * spread
    numbers = {"slack": 1.234567, "slack_pinned": 9.0}
    own = Outcome("m", "supported", numbers, Series(np.array(GRID), values))
    control = Outcome("c", "contradicted", {}, Series(np.array(GRID), 3 * values))
    pin = slack.new_pin(PLAN, CheckResult(check, own, (control,)))
    assert pin == snapshot
