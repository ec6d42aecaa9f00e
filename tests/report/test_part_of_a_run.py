"""A run of some of the checks decides no statement: whatever reads it says how many they are."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import repro
from repro.catalogue import papers
from repro.catalogue.papers import Catalogue, Slip
from repro.commands import catalogue as catalogue
from repro.commands import report as report
from repro.commands import suite
from repro.commands.process.command import status_of
from repro.commands.runs.sweep import Job, print_summary
from repro.report.files import write_files
from repro.report.html.findings import findings
from repro.report.html.runs import code_today, find_runs, read_run
from repro.report.html.statements import statement_lines
from repro.report.latex import table
from repro.report.tracking_content import check_tags, run_tags

PART = "1 of 22 checks"
CODE = code_today("offline_gap")


def line_of_theorem_4_2(run):
    lines = statement_lines(papers.load(), {run.key: run})
    return next(one for one in lines if one.id == "p1.thm_4_2")


@pytest.fixture(scope="module")
def written(make_result, shared_result, tmp_path_factory):
    """The result of one check of 22, supported, and a folder of its files, to copy."""
    check = replace(shared_result.checks[0], statements=("p1.thm_4_2",))
    of_one_check = make_result(
        check, verdict="supported", as_expected=True, defined_checks=22,
        config={**shared_result.config, "only": ["n_pairs"]},
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("written") / "outputs"
    write_files(of_one_check, folder / "suite" / "offline_gap", 1.0, 1, "cpu", CODE)
    return of_one_check, folder


@pytest.fixture
def part(written, tmp_path, monkeypatch):
    """The result, its files where the suite's commands look."""
    monkeypatch.chdir(tmp_path)
    of_one_check, folder = written
    shutil.copytree(folder, tmp_path / "outputs")
    return of_one_check


def test_the_files_say_how_many_checks(part):
    (run,) = find_runs(Path("outputs"))
    assert run.verdict.rows == [1, 22]
    assert json.loads((run.folder / "verdict.json").read_text())["complete"] is False


def test_the_report_gives_no_statement_a_verdict(part):
    (run,) = find_runs(Path("outputs"))
    found = line_of_theorem_4_2(run)
    assert (found.here, found.check) == (False, None)
    assert found.note.endswith(f". Only {PART} run here: python -m repro theorem=offline_gap")
    assert status_of(report.main, ["--runs", "outputs"]) == 0
    text = Path("outputs/report.html").read_text("utf-8")
    assert "<p>0 experiments run here, 1 in part." in text
    assert f'<h3>offline_gap</h3> <span class="verdict none">{PART}</span>' in text
    assert "decides no statement" in text
    (statements,) = re.findall('<section id="statements".*<section id="findings"', text, re.DOTALL)
    assert "✓ supported" in statements
    assert "verdict supported" not in statements


def test_a_whole_run_speaks_whatever_its_budget_and_overrides(part, make_result):
    whole = make_result(part.checks[0], config={"epsilon": 0.5}, budget="smoke")
    write_files(whole, Path("outputs/whole"), 1.0, 1, "cpu", CODE)
    (run,) = find_runs(Path("outputs"))
    assert run.folder.name == "whole"
    assert line_of_theorem_4_2(run).check.verdict == "supported"
    Path("outputs/suite/offline_gap/config.yaml").unlink()  # a part that does not say what was set
    (run,) = find_runs(Path("outputs"))
    assert run.folder.name == "whole"


def test_gallery_table_of_results_latex_and_metrics_say_so(part, capsys):
    assert status_of(report.main, ["--runs", "outputs", "--gallery"]) == 0
    text = Path("outputs/gallery.html").read_text("utf-8")
    assert f'<span class="verdict none">{PART}</span>' in text
    capsys.readouterr()
    assert status_of(suite.main, ["table"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (row,) = (line.split(" | ") for line in lines if line.startswith("| `offline_gap`"))
    assert row[1:3] == ["p1.thm_4_2, p1.lem_b_1", PART]
    (run,) = find_runs(Path("outputs"))
    assert f"; {PART}; " in table(run).splitlines()[0]
    assert status_of(suite.main, ["metrics"]) == 0
    assert json.loads(Path("outputs/metrics/offline_gap.json").read_text())["verdict"] == PART


def test_the_catalogue_says_so(part, capsys):
    assert status_of(catalogue.main, ["p1.thm_4_2"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    ran = f"run: {PART}; a check without numbers stands as recorded; the command above runs all"
    assert ran in text
    numbers = r" ✓ n_pairs: .*? claimed slope -1 ± 0\.05; measured \S+ \[.*?\]; n_pairs \S+ to "
    assert len(re.findall(numbers, text)) == 1
    assert " ✓ n_pairs (" not in text
    assert "✗ contradicted (measured): reward_bound_eps_one: " in text


def test_tags_of_the_tracker_say_so(part, result):
    tags = run_tags(part)
    assert (tags["verdict"], tags["complete"]) == (PART, "false")
    child = check_tags(part, part.checks[0])
    assert (child["verdict"], child["complete"]) == ("supported", "false")
    assert (run_tags(result)["verdict"], run_tags(result)["complete"]) == ("inconclusive", "true")


def test_the_summary_of_a_sweep_says_so(part, capsys):
    print_summary([Job(("seed=1",), Path("outputs/suite/offline_gap"))])
    assert f"supported ({PART})" in " ".join(capsys.readouterr().out.split())


def test_a_finding_from_it_says_so(part):
    note = Slip(place="p", suspected="s", grade="error", corrected="c",
                evidence=("offline_gap: n_pairs",))  # fmt: skip
    (run,) = find_runs(Path("outputs"))
    (found,) = findings(Catalogue(items={}, loose={"own.x": note}), {run.key: run})
    assert found.evidence[0].words.endswith(PART)


def test_a_finding_has_the_number_that_its_command_prints(tmp_path):
    """At another budget and seed than the defaults, from a run of all checks."""
    note = Slip(place="p", suspected="s", grade="error", corrected="c",
                evidence=("label_masks: ctl_rate",))  # fmt: skip

    def told(run):
        write_files(run.result, tmp_path / "run", 1.0, 1, "cpu", run.code)
        read = read_run(tmp_path / "run" / "verdict.json")
        (found,) = findings(Catalogue(items={}, loose={"own.x": note}), {read.key: read})
        return found.evidence[0]

    whole = told(repro.run("label_masks", budget="smoke", seed=3))
    words = shlex.split(whole.command)
    assert words[:4] == ["python", "-m", "repro", "theorem=label_masks"]
    given = dict(word.split("=") for word in words[4:])
    assert given == {"budget": "smoke", "seed": "3", "only": "ctl_rate"}
    alone = told(repro.run("label_masks", budget="smoke", seed=3, only=["ctl_rate"]))
    assert re.fullmatch(re.escape(whole.words) + r"; 1 of \d+ checks", alone.words)
    assert alone.command == whole.command


def test_a_command_with_brackets_is_quoted_for_any_shell(part):
    (run,) = find_runs(Path("outputs"))
    assert run.command.endswith("budget=smoke 'only=[n_pairs]'")
