"""The table and the progress line: complete, narrow enough, plain when piped."""

from __future__ import annotations

import io
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import pytest
from rich.console import Console

import repro
from repro.core.results import AssumptionResult
from repro.report.record import record_of
from repro.report.run_files import CheckEntry, Numbers, OutcomeEntry
from repro.report.terminal import (
    NO_SPREAD,
    _print_failures,
    print_folder,
    print_result,
    progress,
)
from repro.report.wording import beside, brief_words, measured_words, note_words, other_settings
from tests.report.made_up import constants, slopes


def printed(result, width: int = 100, detail: Literal["verdict", "checks", "all"] = "all") -> str:
    """What a pipe of the given width receives."""
    stream = io.StringIO()
    console = Console(file=stream, width=width)
    print_result(result, detail, console)
    return stream.getvalue()


def test_a_claim_of_nineteen_columns_stays_on_its_line(result, make_result):
    item = result.checks[0]
    numbers = {**item.outcome.numbers, "claimed": -0.5, "direction": "at_most"}
    item = replace(item, outcome=replace(item.outcome, numbers=numbers))
    lines = printed(make_result(item), 80, "checks").splitlines()
    (row,) = (line for line in lines if line.startswith("n_pairs"))
    assert "slope ≤ -0.5 + 0.05" in row


@pytest.mark.parametrize("name", ["corrected_rankings_three_dimensions", "a" * 20 + "_" + "b" * 9])
def test_a_long_name_breaks_after_an_underscore_or_not_at_all(result, make_result, name):
    item = result.checks[0]
    item = replace(item, check=replace(item.check, name=name))
    lines = printed(make_result(item, *result.checks[1:]), 80, "checks").splitlines()
    start = next(order for order, line in enumerate(lines) if line.startswith(name[:10]))
    first, second = (line.split(" ")[0] for line in lines[start : start + 2])
    assert first == name or (first.endswith("_") and first + second == name)


def test_a_channel_that_was_chosen_stands_on_top_and_in_the_command(result):
    flips = {"kind": "flips", "p0": 0.35, "p1": 0.4, "epsilon": 1}
    given = replace(result, config={**result.config, "channel": flips})
    assert "channel (flips, p0 0.35, p1 0.4, epsilon 1)" in printed(given, 100, "checks")
    assert record_of(given).command == (
        "python -m repro theorem=offline_gap budget=smoke "
        "channel=flips channel.p0=0.35 channel.p1=0.4 channel.epsilon=1"
    )
    terms = {"regulariser": {"terms": [[1, 2]]}, "channel": {"kind": "mixture", "truth": 0.5}}
    given = replace(result, config={**result.config, **terms})
    assert record_of(given).command.endswith("channel.truth=0.5 'regulariser.terms=[[1,2]]'")


def test_a_check_that_is_not_decided_names_what_may_decide_it(result):
    check = result.checks[0]
    series = check.outcome.series
    whole = replace(series, values=np.nan_to_num(series.values, nan=1.0))
    words = "decide, about:\n  python -m repro suite power theorem=offline_gap\n"
    for measured, decides in ((whole, True), (series, False)):
        outcome = replace(check.outcome, verdict="inconclusive", series=measured)
        open_check = replace(check, outcome=outcome)
        text = printed(replace(result, checks=(open_check,)), 200)
        assert (words in text) == decides


def test_more_replicates_are_no_advice_where_they_decide_nothing(result):
    """An exact slope that bends has no draws."""
    check = result.checks[0]
    whole = np.nan_to_num(check.outcome.series.values, nan=1.0)
    for evidence in ("exact", "computed", "searched"):
        open_check = replace(
            check,
            check=replace(check.check, evidence=evidence),
            outcome=replace(
                check.outcome,
                verdict="inconclusive",
                series=replace(check.outcome.series, values=whole),
            ),
        )
        assert "suite power" not in printed(replace(result, checks=(open_check,)), 200)


def test_where_an_assumption_fails_no_replicates_are_promised(result):
    check = result.checks[0]
    open_check = replace(check, outcome=replace(check.outcome, verdict="inconclusive"))
    fails = AssumptionResult("ε ≥ 0.1", False, "ε = 0.05")
    shown = printed(replace(result, checks=(open_check,), assumptions=(fails,)), 200)
    assert "assumption ε ≥ 0.1 fails" in shown
    assert "would decide" not in shown


def test_a_measured_number_without_an_interval_says_why(result):
    check = result.checks[0]
    assert NO_SPREAD not in printed(replace(result, checks=(check,)), 100, "checks")
    number = check.outcome.numbers["slope"]
    same = {**check.outcome.numbers, "ci95": [number, number]}
    without = replace(check, outcome=replace(check.outcome, numbers=same))
    assert NO_SPREAD in printed(replace(result, checks=(without,)), 100, "checks")


def test_a_check_that_is_pinned_undecided_asks_for_nothing_more(result):
    check = result.checks[0]
    open_check = replace(
        check,
        check=replace(check.check, expected="inconclusive"),
        outcome=replace(check.outcome, verdict="inconclusive"),
    )
    assert "would decide" not in printed(replace(result, checks=(open_check,)), 200)


@pytest.mark.parametrize("verdict", ["supported", "contradicted", "inconclusive"])
def test_a_slack_that_has_left_its_record_is_noted_whatever_the_verdict(verdict):
    check = CheckEntry(name="a", verdict=verdict, slack=14.16, slack_pinned=3.0)
    assert note_words(check, 1) == "slack 14.2, recorded 3"


@pytest.mark.parametrize(("verdict", "shown"), [("supported", True), ("contradicted", False)])
def test_slack_is_explained_only_where_one_is_shown(result, make_result, verdict, shown):
    item = result.checks[0]
    numbers = {**item.outcome.numbers, "slack": 0.5}
    item = replace(item, outcome=replace(item.outcome, verdict=verdict, numbers=numbers))
    text = " ".join(printed(make_result(item), 80, "checks").split())
    assert ("slack: room" in text, "slack 0.5" in text) == (shown, shown)


def test_a_distance_is_explained_only_where_one_is_shown(result, make_result):
    _, exact, _ = constants()
    texts = (printed(make_result(item), 80, "checks") for item in (exact, result.checks[0]))
    shown = [("off by: distance" in text, "off by 2" in text) for text in texts]
    assert shown == [(True, True), (False, False)]


def test_a_number_has_the_figures_of_its_slack():
    rare = Numbers(value=0.000625, ci95=(0.0, 0.0043), allowed=0.05, slack=80.0)
    assert brief_words(rare) == "0.000625 [0, 0.004]"
    assert measured_words(rare) == "0.000625 [0.0000, 0.0043]"


def test_the_verdict_alone_is_one_line_at_any_width(result):
    assert len(printed(result, 30, "verdict").splitlines()) == 1


def test_a_ratio_says_below_the_name_of_what(result, make_result):
    item = next(one for one in result.checks if one.check.kind == "inequality")
    item = replace(item, check=replace(item.check, quantity="exact ε / stated ε"))
    lines = printed(make_result(item), 80, "checks").splitlines()
    start = next(order for order, line in enumerate(lines) if line.startswith(item.check.name))
    assert "ratio ≤ 1" in lines[start]
    assert lines[start + 1].startswith("exact ε / stated ε")


def test_what_rounding_leaves_has_no_slack():
    check = CheckEntry(name="a", verdict="supported", slack=1170.0, quantity="|x − y| / rounding")
    assert note_words(check, 1) == "equal to rounding"


def test_without_controls_no_column_counts_them(result, make_result):
    item = replace(result.checks[0], controls=())
    item = replace(item, check=replace(item.check, controls=()))
    table = printed(make_result(item), 80, "checks").partition("? ")[0]
    assert "check" in table
    assert "–" not in table


@pytest.mark.parametrize("detail", ["checks", "all"])
@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_cut(result, width, detail):
    text = printed(result, width, detail)
    assert max(len(line) for line in text.splitlines()) <= width
    assert "…" not in text
    assert "\x1b" not in text


def test_an_output_that_cannot_hold_the_signs_shows_the_words(result, tmp_path):
    import pickle

    (tmp_path / "result").write_bytes(pickle.dumps(result))
    program = (
        "import pickle, sys; from pathlib import Path; from repro.report.terminal import *\n"
        "print_result(pickle.loads(Path(sys.argv[1]).read_bytes()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "result"],
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        cwd=Path(repro.__path__[0]).parent,
    )
    assert b"? supported" in done.stdout
    assert done.stderr == b""


def test_progress_off_a_terminal_is_one_line_at_once(capsys):
    with progress(7, "offline_gap") as advance:
        assert capsys.readouterr().err == "running offline_gap: 7 blocks\n"
        advance()
        advance(3)
    assert capsys.readouterr() == ("", "")


def test_progress_on_a_terminal_counts_on_stderr_and_leaves(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with progress(7, "gap [x]") as advance:
        advance(3)
        advance(count=4)
    assert stream.getvalue().startswith("running gap [x]: 7 blocks\n")
    assert "7/7" in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[1A\x1b[2K")


def test_an_error_passes_through_progress(capsys):
    with pytest.raises(KeyError), progress(2, "x"):
        raise KeyError("boom")


def test_beside_a_contradicted_row_stand_where_it_fails_and_what_holds(result):
    fails = {"from": 1e3, "at": 1e6, "measured_from": 1, "measured": 1, "factor": 1, "claimed": 0.2}
    first, second, *others = result.checks
    outcome = replace(first.outcome, verdict="contradicted")
    check = replace(first.check, corrected=second.check.name)
    printed_row = replace(first, check=check, outcome=outcome, witness=fails)
    text = printed(replace(result, checks=(printed_row, second, *others)), 200, "checks")
    assert "✗ n_pairs: from n = 1000 to 1e+06 suboptimality goes from 1 to 1, by a factor 1" in text
    assert "what holds: ✓ supported constant: 0.9900 ± 0.0050" in text
    elsewhere = replace(printed_row, check=replace(check, corrected="other: row"))
    text = printed(replace(result, checks=(elsewhere,)), 200, "checks")
    assert "what holds: row of other\n  python -m repro theorem=other only=row\n" in text
    left_out = replace(printed_row, check=replace(check, corrected="a_form_that_holds_everywhere"))
    text = printed(replace(result, checks=(left_out,)), 40, "checks")
    command = f"  python -m repro theorem={result.theorem} only=a_form_that_holds_everywhere"
    assert command in text.splitlines()
    assert "what holds" not in printed(result, 200, "checks")


def test_a_run_says_which_command_writes_a_page_about_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    print_folder(tmp_path / "outputs" / "my gap")
    assert capsys.readouterr().out == (
        f"files: {tmp_path}/outputs/my gap\npage: repro report 'runs=outputs/my gap'\n"
    )
    print_folder(Path("/elsewhere"))
    assert capsys.readouterr().out.endswith("page: repro report runs=/elsewhere\n")


def test_a_bend_is_told_where_its_interval_has_one_sign():
    for interval, words in (((0.1, 0.2), "curved: slope 0.5 at the far end"), ((-0.1, 0.2), "")):
        outcome = OutcomeEntry(
            name="a", verdict="inconclusive", slope=0.3, curvature_ci95=interval, end_slope=0.5
        )
        assert note_words(outcome, 10) == words


def test_what_holds_in_another_experiment_is_at_its_own_numbers():
    check = CheckEntry(name="a", verdict="contradicted", corrected="other: form_that_holds")
    run: Any = SimpleNamespace(theorem="this", contradicted=lambda: [(check, None)], assumptions=[])
    assert beside(run, {"only": "a"})[0].corrected == "form_that_holds of other"
    (pointer,) = beside(run, {"epsilon": 4})
    assert pointer.corrected.endswith("other, at its own numbers, not at epsilon=4")
    run.assumptions = [SimpleNamespace(name="ε finite", holds=False, detail="ε = inf")]
    assert beside(run, {"epsilon": math.inf}) == []


def test_nothing_is_said_to_hold_whose_own_check_is_undecided(make_result):
    """And its line says where it is undecided, though the printed interval lies below 1."""
    printed_check = next(slope for slope in slopes() if slope.check.corrected == "rate")
    form = next(constant for constant in constants() if constant.check.name == "slack")
    numbers = {"by_point_ci95": [[0.5, 0.9], [0.6, 0.99], [0.4, 0.8]], "value": 0.7}
    for verdict, heading in (("supported", "what holds"), ("inconclusive", "corrected form")):
        outcome = replace(form.outcome, verdict=verdict, numbers={
            **form.outcome.numbers, **numbers, "claimed": 1.0, "tolerance": 0.0,
            "ci95": [0.69, 0.71],
        })  # fmt: skip
        corrected = replace(form, outcome=outcome, check=replace(form.check, name="rate"))
        run = make_result(printed_check, corrected)
        (contradiction,) = beside(record_of(run).verdict, {})
        assert contradiction.heading == heading
        assert f"  {heading}: " in printed(run, 80, "checks")
    where = "[0.6, 0.99]; the interval that decides is wider"
    assert contradiction.corrected.endswith(where)


@pytest.mark.parametrize(("value", "hinted"), [(0.5, True), (None, False)])
def test_more_replicates_are_no_hint_where_none_has_a_value(value, hinted):
    check = CheckEntry(
        name="a", verdict="inconclusive", expected="supported", evidence="measured", value=value
    )
    run: Any = SimpleNamespace(
        theorem="x", checks=[check], controls=[], assumptions=[], with_controls=lambda: []
    )
    stream = io.StringIO()
    _print_failures(run, Console(file=stream))
    assert ("suite power" in stream.getvalue()) == hinted


@pytest.mark.parametrize(
    ("as_expected", "given", "named"),
    [(False, ["n_pairs", "only"], True), (False, ["only"], False), (True, ["n_pairs"], False)],
)
def test_what_is_not_as_expected_names_the_settings_that_are_not_the_recorded_ones(
    as_expected, given, named
):
    run: Any = SimpleNamespace(as_expected=as_expected, checks=[])
    words = other_settings(run, given)
    recorded = "the expected verdicts were recorded without n_pairs. "
    limit = "What is claimed for other settings can miss here: that alone refutes no statement"
    assert words == (recorded + limit if named else "")


@pytest.mark.parametrize(("slope", "below"), [(0.6, True), (1.4, False)])
def test_less_growth_than_claimed_contradicts_no_upper_bound(slope, below):
    check = CheckEntry(
        name="a", verdict="contradicted", kind="slope", direction="two_sided", claimed=1.0,
        slope=slope,
    )  # fmt: skip
    run: Any = SimpleNamespace(as_expected=False, checks=[check])
    words = other_settings(run, ["theorem.sweeps.a.grid"])
    assert (
        words.endswith("Less growth than claimed (a) does not contradict an upper bound") == below
    )


def test_every_detail_says_what_is_wrong_with_a_control():
    run = repro.run("offline_gap", budget="smoke", overrides=["only=[n_pairs,n_pairs_no_bonus]"])
    text = printed(run.result, width=80)
    line = "naive_likelihood: the likelihood takes the private labels for clean ones"
    assert text.count(line) == 1
    assert "naive_likelihood:" not in printed(run.result, width=80, detail="checks")


def test_the_last_line_says_which_statement_is_contradicted(result, make_result):
    """Its title names a theorem that holds: only a display of its proof is contradicted."""
    holds = replace(result.checks[0], statements=("p4.thm_5_4",))
    fails = replace(holds.outcome, verdict="contradicted")
    fails = replace(
        holds,
        outcome=fails,
        statements=("p4.eq_20",),
        check=replace(holds.check, name="printed", expected="contradicted", why="a constant"),
    )
    pinned = {"verdict": "contradicted", "expected": "contradicted", "as_expected": True}
    both = make_result(holds, fails, statements=("p4.thm_5_4", "p4.eq_20"), **pinned)
    line = (
        "offline_gap: ✗ contradicted: P4 Equation 20; ✓ supported: P4 Theorem 5.4 (as expected)\n"
    )
    assert printed(both, detail="verdict") == line
    assert record_of(both).said == "✗ contradicted: 1 of 2 statements"
    part = replace(both, defined_checks=3)
    ends = "offline_gap: ✗ contradicted (2 of 3 checks run; as expected)\n"
    assert printed(part, detail="verdict") == ends
    alone = make_result(fails, statements=("p4.eq_20",), **pinned)
    assert printed(alone, detail="verdict") == "offline_gap: ✗ contradicted (as expected)\n"
