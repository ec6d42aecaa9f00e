"""The table and the progress line: complete, narrow enough, plain when piped."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from rich.console import Console

import repro
from repro.core.results import AssumptionResult
from repro.report.record import record_of
from repro.report.run_files import CheckEntry, Numbers, OutcomeEntry
from repro.report.terminal import print_folder, print_result, progress
from repro.report.wording import claim_words, note_words


def printed(result, width: int = 100, detail: Literal["verdict", "checks", "all"] = "all") -> str:
    """What a pipe of the given width receives."""
    stream = io.StringIO()
    console = Console(file=stream, width=width)
    print_result(result, detail, console)
    return stream.getvalue()


def test_a_row_says_what_is_claimed_measured_and_concluded(result):
    row = next(line for line in printed(result).splitlines() if " n_pairs " in line)
    assert "slope -1 ± 0.05" in row
    assert "-1.0020 [-1.0062, -0.9978]" in row
    assert "✓ supported" in row


def test_the_headline_says_by_how_much_labels_were_scaled_at_most(result):
    """Every check has a factor of its own."""
    scaled = [
        replace(item, check=replace(item.check, settings={"labels_scaled_by": by}))
        for item, by in zip(result.checks, (4.0, 16.0, 1.0, 1.0), strict=True)
    ]
    assert "up to 16 times as many labels" in printed(replace(result, checks=tuple(scaled)))


def test_units_axis_and_claim_survive_rich_markup(result):
    text = printed(result, 200)
    assert "suboptimality [nats] along labels n" in text
    assert "the gap falls like 1/n" in text


def test_controls_show_their_number_and_whether_they_were_caught(result):
    lines = printed(result).splitlines()
    caught = next(line for line in lines if "naive_likelihood" in line)
    missed = next(line for line in lines if "narrow" in line)
    assert "0.0030 [-0.0012, 0.0072]" in caught
    assert "rejected ✓" in caught
    assert "NOT rejected ✗" in missed
    assert any("control narrow of event was NOT rejected" in line for line in lines)


def test_a_check_is_one_line_of_eighty_columns(result):
    """Units, axes and the controls' numbers are left to ``verbose=true``."""
    lines = printed(result, 80, "checks").splitlines()
    row = next(line for line in lines if line.startswith("n_pairs"))
    for words in ("slope -1 ± 0.05", "-1.0020 ± 0.0042", "✓ supported", "1/1"):
        assert words in row
    missed = next(line for line in lines if line.startswith("event"))
    assert "0/1" in missed
    for item in result.checks:
        assert sum(line.startswith(item.check.name) for line in lines) == 1


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


def test_quiet_is_the_last_line_alone(result):
    text = printed(result, 80, "verdict")
    assert text == "offline_gap: ? inconclusive (NOT as expected; expected: supported)\n"


def test_a_part_of_the_checks_says_of_how_many(result):
    part = replace(result, verdict="supported", checks=result.checks[:3], defined_checks=15)
    assert "(3 of 15 checks; as expected)" in printed(part, 80, "verdict")


def test_what_the_user_set_for_all_checks_stands_on_top(result):
    given = replace(result, config={**result.config, "epsilon": 0.5})
    assert "epsilon 0.5" in printed(given, 80, "checks").splitlines()[1]


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


def test_the_numbers_in_force_stand_beside_each_check(result):
    assert "at ε = 1" in printed(result, 100, "all")


def test_failures_and_verdict_are_stated(result):
    text = printed(result)
    assert "1 of 80 replicates" in text
    verdict = "offline_gap: ? inconclusive (NOT as expected; expected: supported)"
    assert text.rstrip().endswith(verdict)


def test_a_check_that_is_not_decided_names_what_may_decide_it(result):
    check = result.checks[0]
    open_check = replace(check, outcome=replace(check.outcome, verdict="inconclusive"))
    words = "? replicates that would decide: python -m repro suite power theorem=offline_gap"
    assert words in printed(replace(result, checks=(open_check,)), 200)


def test_an_expected_verdict_says_so(result):
    text = printed(replace(result, verdict="supported", checks=result.checks[:3]))
    assert "offline_gap: ✓ supported (as expected)" in text
    text = printed(replace(result, verdict="supported"))
    assert "as expected, but NOT in every check" in text


def test_a_check_without_a_number_shows_what_it_claims(result):
    first, *rest = result.checks
    numbers = {"slope": None, "reason": "no finite value"}
    empty = replace(first, outcome=replace(first.outcome, numbers=numbers))
    text = printed(replace(result, checks=(empty, *rest)), 200)
    assert "slope -1 ± 0.05" in text
    assert "not measured:" in text


def test_a_check_that_is_pinned_undecided_asks_for_nothing_more(result):
    check = result.checks[0]
    open_check = replace(
        check,
        check=replace(check.check, expected="inconclusive"),
        outcome=replace(check.outcome, verdict="inconclusive"),
    )
    assert "would decide" not in printed(replace(result, checks=(open_check,)), 200)


@pytest.mark.parametrize(
    ("direction", "words"),
    [("two_sided", "-1 ± 0.05"), ("at_most", "≤ -1 + 0.05"), ("at_least", "≥ -1 - 0.05")],
)
def test_the_tolerance_of_a_claim_stands_on_the_side_that_it_allows(direction, words):
    numbers = Numbers(kind="ratio", claimed=-1.0, tolerance=0.05, direction=direction)
    assert claim_words(numbers) in (f"ratio {words}", f"ratio{words}")


@pytest.mark.parametrize("verdict", ["supported", "contradicted", "inconclusive"])
def test_a_slack_that_has_left_its_record_is_noted_whatever_the_verdict(verdict):
    check = CheckEntry(name="a", verdict=verdict, slack=14.16, slack_pinned=3.0)
    assert note_words(check, 1) == "slack 14.2, recorded 3"


def test_a_failing_assumption_is_named(result):
    failing = AssumptionResult("coverage", False, "C = inf")
    text = printed(replace(result, assumptions=(failing,)))
    assert "assumption coverage fails: C = inf" in text
    assert "bounded_reward" not in printed(result)


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
    assert "what holds: row of other (`python -m repro theorem=other only=row`)" in text
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
