"""Plans, blocks and what a run makes of them."""

import dataclasses

import numpy as np
import pytest

from repro.core.check import Quantity
from repro.core.claims import Slope
from repro.core.judge import judge
from repro.core.results import AssumptionResult, Result
from repro.core.stream import stream
from repro.study.blocks import BlockStore
from repro.study.parallel import in_process
from repro.study.plan import blocks_of, built
from repro.study.runner import Interrupted, run_plan, summarise

ONE = {"n_pairs": {"grid": [1e3, 1e4, 1e5, 1e6]}}
"""The sweep of a theorem with the toy's first check alone."""


def judged(plan, store, mapper=in_process):
    return run_plan(plan, store, mapper, lambda count: None)[0]


def summary(plan, checks):
    assumed = built(plan).assumptions()
    return summarise(plan, checks, assumed, {"theorem": plan.config}, "hash")


def counting(done):
    """A mapper that notes the blocks it is asked for."""

    def mapper(function, blocks):
        done.extend(blocks)
        return in_process(function, blocks)

    return mapper


@pytest.fixture
def store(tmp_path):
    return BlockStore(tmp_path / "blocks")


def test_a_true_claim_is_supported_and_its_control_caught(plan_of, store):
    result = summary(plan_of(), judged(plan_of(), store))
    assert (result.verdict, result.as_expected) == ("supported", True)
    assert result.checks[0].controls[0].verdict == "contradicted"


def test_controls_are_cut_into_as_many_blocks_as_the_algorithm_under_test(plan_of, store):
    plan, done = plan_of(replicates=1000), []
    check = judged(plan, store, counting(done))[1]
    series = [outcome.series.values for outcome in (check.outcome, *check.controls)]
    assert [values.shape for values in series] == [(2, 10, 100), (2, 10, 40)]
    assert np.array_equal(series[1].ravel(), 2 * series[0][:, :4].ravel())
    again = judged(plan, store, counting(done))[1]
    assert len(done) == len(blocks_of(plan))
    assert np.array_equal(again.controls[0].series.values, series[1])


def test_a_false_claim_is_contradicted(plan_of, store):
    plan = plan_of(exponent=-0.5)
    result = summary(plan, judged(plan, store))
    assert (result.verdict, result.expected, result.as_expected) == (
        "contradicted",
        "supported",
        False,
    )


def test_a_control_that_gets_through_makes_the_run_inconclusive(plan_of, store, toy, toy_check):
    toy(checks=[toy_check(claim=Slope("gap {rate}", 0, tolerance=0.1))])
    plan = plan_of(exponent=0.0, sweeps=ONE)
    checks = judged(plan, store)
    assert checks[0].outcome.verdict == "supported"
    assert not checks[0].caught
    assert summary(plan, checks).verdict == "inconclusive"


def test_a_failed_assumption_comes_first(plan_of, store):
    plan = plan_of(holds=False)
    assert summary(plan, judged(plan, store)).verdict == "assumption_failed"


def test_order_of_work_does_not_matter(plan_of, tmp_path, same_values):
    def backwards(function, blocks):
        yield from in_process(function, blocks[::-1])

    forward = judged(plan_of(), BlockStore(tmp_path / "a"))
    assert same_values(forward, judged(plan_of(), BlockStore(tmp_path / "b"), backwards))


def test_the_seed_matters(plan_of, tmp_path, same_values):
    first = judged(plan_of(), BlockStore(tmp_path / "a"))
    assert not same_values(first, judged(plan_of(seed=1), BlockStore(tmp_path / "a")))


def test_finished_blocks_are_not_done_again(plan_of, store, toy, same_values):
    first = judged(plan_of(), store)
    toy.calls.clear()
    assert same_values(first, judged(plan_of(), store))
    assert toy.calls == []


def test_an_interrupted_run_goes_on(plan_of, store, same_values, tmp_path):
    def stops(function, blocks):
        for done, block in enumerate(blocks):
            if done == 7:
                raise KeyboardInterrupt
            yield block, function(block)

    with pytest.raises(Interrupted) as stopped:
        judged(plan_of(replicates=4000), store, stops)
    assert (stopped.value.done, stopped.value.total) == (7, 20)
    done = []
    resumed = judged(plan_of(replicates=4000), store, counting(done))
    assert len(done) == 20 - 7
    assert same_values(resumed, judged(plan_of(replicates=4000), BlockStore(tmp_path / "other")))


def test_a_damaged_block_is_done_again(plan_of, store, tmp_path, same_values):
    first = judged(plan_of(replicates=4000), store)
    files = sorted((tmp_path / "blocks").rglob("*.npy"))
    files[0].write_bytes(b"not numpy")
    files[1].write_bytes(files[1].read_bytes()[:-8])
    changed = bytearray(files[2].read_bytes())
    changed[140] ^= 1
    files[2].write_bytes(bytes(changed))
    done = []
    assert same_values(first, judged(plan_of(replicates=4000), store, counting(done)))
    assert len(done) == 3


def test_an_unwritable_store_costs_no_result(plan_of, tmp_path, same_values):
    (tmp_path / "file").write_text("in the way")
    blocked = judged(plan_of(), BlockStore(tmp_path / "file" / "blocks"))
    assert same_values(blocked, judged(plan_of(), BlockStore(tmp_path / "free")))


def test_block_keys_depend_on_the_numbers_and_on_nothing_else(plan_of):
    def keys(plan):
        return {block.key for block in blocks_of(plan)}

    assert len(keys(plan_of())) == 2
    assert len(keys(plan_of(replicates=4000))) == 20
    assert keys(plan_of()) == keys(plan_of())
    for other in (plan_of(seed=1), plan_of(exponent=-2.0), plan_of(blocks=20)):
        assert not keys(plan_of()) & keys(other)


def test_failed_replicates_are_kept_as_such(plan_of, store, toy, toy_check):
    def half_failed(world, algorithm, rng, replicates):
        found = rng.random(replicates)
        if algorithm.__name__ == "right":
            found[::40] = np.nan
        return found

    toy(checks=[toy_check(quantity=Quantity("gap", half_failed))])
    checks = judged(plan_of(seed=11, sweeps=ONE), store)
    assert checks[0].outcome.series.failed == 4 * 10
    assert checks[0].outcome.verdict == "inconclusive"


def test_a_check_speaks_for_its_statements_or_for_those_of_the_theorem(
    plan_of, store, toy, toy_check
):
    assert [check.statements for check in judged(plan_of(), store)] == [("p1.thm_0",)] * 2
    toy(checks=[toy_check(settles=["p1.thm_1", "p1.thm_2"])])
    checks = judged(plan_of(sweeps=ONE), store)
    assert [check.statements for check in checks] == [("p1.thm_1", "p1.thm_2")]


def test_the_config_of_a_result_shows_the_numbers_in_force(plan_of, store):
    plan = plan_of(overrides={"epsilon": 0.5})
    result = summary(plan, judged(plan, store))
    assert result.config["theorem"]["sweeps"]["constant"] == {"grid": [4e3, 4e4], "epsilon": 0.5}
    assert plan.config["sweeps"]["constant"] == {"grid": [1e3, 1e4]}


def test_the_config_of_another_instance_shows_its_own_sweeps(plan_of, store):
    """Only the checks that it names run there."""
    instances = {"tabular": {"n_pairs": {"grid": [10, 100, 1000]}}}
    plan = plan_of(kind="tabular", instances=instances, overrides={"epsilon": 0.5})
    result = summary(plan, judged(plan, store))
    assert [one.check.name for one in result.checks] == ["n_pairs"]
    shown = result.config["theorem"]["instances"]["tabular"]["n_pairs"]
    assert shown == {"grid": [40, 400, 4000], "epsilon": 0.5}
    assert result.config["theorem"]["sweeps"] == plan.config["sweeps"]


def test_every_algorithm_is_judged_at_the_error_of_the_budget(plan_of, store, monkeypatch):
    plan, errors = plan_of(), []
    plan = dataclasses.replace(plan, budget=plan.budget.model_copy(update={"check_error": 0.001}))

    def judging(check, method, series, check_error):
        errors.append(check_error)
        return judge(check, method, series, check_error)

    monkeypatch.setattr("repro.study.runner.judge", judging)
    judged(plan, store)
    assert len(errors) > 1
    assert set(errors) == {0.001}


def test_a_run_off_its_pin_is_not_as_expected(plan_of, store):
    plan = plan_of()
    slope, constant = judged(plan, store)
    assert summary(plan, (slope, constant)).as_expected
    numbers = {**constant.outcome.numbers, "off_curve": 1.5}
    off = dataclasses.replace(
        constant, outcome=dataclasses.replace(constant.outcome, numbers=numbers)
    )
    assert not summary(plan, (slope, off)).as_expected


def test_blocks_of_code_that_reads_elsewhere_are_not_kept(plan_of, store, tmp_path, monkeypatch):
    monkeypatch.setattr("repro.study.runner.outside_of_key", lambda theorem: "open in mine.py")
    judged(plan_of(), store)
    assert [*tmp_path.rglob("*.npy")] == []


def test_every_available_block_is_told(plan_of, store):
    told = []
    run_plan(plan_of(replicates=4000), store, in_process, told.append)
    assert told == [1] * 20
    told.clear()
    run_plan(plan_of(replicates=4000), store, in_process, told.append)
    assert told == [1] * 20


def test_a_run_sweeps_its_store_first(plan_of, store, monkeypatch):
    swept = []
    monkeypatch.setattr(store, "tidy", lambda: swept.append(1))
    judged(plan_of(), store)
    assert swept == [1]


def test_an_interrupted_run_says_how_far_it_came():
    stopped = Interrupted(7, 20)
    assert str(stopped) == "7 of 20 blocks are finished and kept"


def test_a_result_holds_what_was_run(plan_of, store):
    plan = plan_of(seed=4)
    checks = judged(plan, store)
    assumptions = built(plan).assumptions()
    config = {"a": 1, "theorem": plan.config}
    result = summarise(plan, checks, assumptions, config, "hash")
    assert result == Result(
        theorem="toy", statements=("p1.thm_0",), title="a power law", verdict="supported",
        expected="supported", as_expected=True, checks=checks, assumptions=assumptions,
        config=config, config_hash="hash", seed=4, replicates=400, budget="smoke",
        defined_checks=2,
    )  # fmt: skip
    assert result.seconds == 0.0


def test_as_expected_is_asked_of_every_check(plan_of, store):
    """Two contradicted checks of which one was expected: the worst agrees, the checks do not."""
    plan = plan_of(exponent=-0.5)
    slope, constant = judged(plan, store)
    expected = dataclasses.replace(
        constant, check=dataclasses.replace(constant.check, expected="contradicted")
    )
    for checks in ((slope, expected), (slope, expected, constant)):
        found = summary(plan, checks)
        assert (found.verdict, found.expected, found.as_expected) == (
            "contradicted",
            "contradicted",
            False,
        )
    both = dataclasses.replace(
        slope, check=dataclasses.replace(slope.check, expected="contradicted")
    )
    assert summary(plan, (both, constant)).as_expected


def test_values_are_those_of_the_labels_streams(plan_of, store):
    plan = plan_of(seed=6)
    slope, constant = judged(plan, store)
    noise = (stream(6, "toy", "constant", 1e3, 0).chisquare(4, 400) / 4).reshape(10, 40)
    assert np.array_equal(constant.outcome.series.values[0], noise)
    assert constant.outcome.series.grid.tolist() == [1e3, 1e4]
    again = judge(constant.check, "two", constant.controls[0].series, plan.budget.check_error)
    assert again.numbers == constant.controls[0].numbers
    assert [control.method for control in slope.controls] == ["flat"]


def test_one_failed_assumption_of_two_is_enough(plan_of, store):
    plan = plan_of()
    checks = judged(plan, store)
    holds, fails = (AssumptionResult(name, name == "holds", "") for name in ("holds", "fails"))
    config = {"theorem": plan.config}
    for assumptions in ((holds, fails), (fails, holds)):
        assert summarise(plan, checks, assumptions, config, "h").verdict == "assumption_failed"
    assert summarise(plan, checks, (holds, holds), config, "h").verdict == "supported"


def test_one_control_that_gets_through_is_not_caught(plan_of, store):
    result = judged(plan_of(), store)[0]
    (caught,) = result.controls
    missed = dataclasses.replace(caught, verdict="inconclusive")
    assert dataclasses.replace(result, controls=(caught, caught)).caught
    for controls in ((caught, missed), (missed, caught)):
        assert not dataclasses.replace(result, controls=controls).caught
