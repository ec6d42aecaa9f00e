"""What is known of an experiment without importing it, and that a look-up runs nobody's code."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from repro.base.places import own, shipped
from repro.catalogue import summaries as module
from repro.catalogue.papers import load
from repro.catalogue.summaries import TheoremSummary, _of_place, statements_in, summaries
from repro.commands import catalogue, report
from repro.commands.new_theorem import main as new_theorem
from repro.commands.process.command import status_of
from repro.report.files import write_files
from repro.report.html.runs import GONE, code_today, find_runs
from repro.study import discovery
from repro.study.composition import compose_values
from repro.study.discovery import find
from repro.study.plan import built
from repro.study.settings import session_of
from tests.report.conftest import make_result

BOMB = "from pathlib import Path\nPath('executed').touch()\n"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A folder of somebody's with the theorem ``mine``; the user has no summaries yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("repro.report.files._figures", lambda result: {})  # a second each
    assert new_theorem(["mine"]) == 0
    _of_place.cache_clear()
    yield tmp_path
    _of_place.cache_clear()


def refused(*_):
    raise AssertionError("imported")


def test_a_summary_is_kept_until_a_file_that_was_imported_changes(mine, monkeypatch):
    place = own(mine)
    first = _of_place(place, ("mine",))
    assert first["mine"].statements == ("own.mine",)
    assert [check.expected for check in first["mine"].checks] == ["supported"]
    _of_place.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(discovery, "find", refused)
        assert _of_place(place, ("mine",)) == first
    _of_place.cache_clear()
    file = mine / "theorems" / "mine.py"
    file.write_text(file.read_text() + "\n")
    monkeypatch.setattr(discovery, "find", refused)
    with pytest.raises(AssertionError, match="imported"):
        _of_place(place, ("mine",))


def test_a_file_of_summaries_that_is_broken_is_made_anew(mine):
    place = own(mine)
    first = _of_place(place, ("mine",))
    module._file(place).write_text("{")
    _of_place.cache_clear()
    assert _of_place(place, ("mine",)) == first


def not_shipped(monkeypatch):
    """Summaries of what is shipped are empty; those of any other place are read as they are."""
    read, names = (
        module._of_place,
        [one for item in load().items.values() for one in item.experiments],
    )
    shipped_ones = {name: TheoremSummary(title=name, checks=()) for name in names}

    def of_place(place, found):
        return shipped_ones if place == shipped() else read(place, found)

    monkeypatch.setattr(module, "_of_place", of_place)


@pytest.mark.parametrize("words", [[], ["--json"], ["p1.thm_4_2"], ["p1"], ["--page"]])
def test_a_look_up_runs_no_file_of_the_current_folder(words, mine, monkeypatch, capsys):
    (mine / "theorems" / "mine.py").write_text(BOMB)
    not_shipped(monkeypatch)
    catalogue.main(words)
    assert not Path("executed").exists()
    assert ("mine" in capsys.readouterr().err) == (words in ([], ["--json"]))


def test_an_experiment_is_not_run_yet_before_its_first_run(mine, monkeypatch, capsys):
    file = mine / "theorems" / "mine.py"
    assert new_theorem(["other"]) == 0
    file.write_text(BOMB + file.read_text())
    not_shipped(monkeypatch)
    capsys.readouterr()
    text = text_of("own.mine", capsys=capsys)
    assert text.startswith("own.mine: … not run yet: ")
    assert text.endswith("mine: not run yet python -m repro theorem=mine")
    run_of_mine(mine, "one")
    assert text_of("own.mine", capsys=capsys).startswith("own.mine: ✓ supported: ")
    assert text_of("own.other", capsys=capsys).startswith("own.other: … not run yet: ")
    catalogue.main([])
    unread = capsys.readouterr().err.rpartition(": ")[2].split(", ")
    assert ("other" in unread, "mine" in unread) == (True, False)
    assert not Path("executed").exists()


@pytest.mark.parametrize(
    ("text", "ids"),
    [('Theorem(settles=["own.a", "own.b"], checks=[Check(settles=("own.a",))])',
      ("own.a", "own.b")),
     ('IDS = ["own.a"]; Theorem(settles=IDS)', ("own.a",)), ('"settles own.a"', ()),
     ("settles=[", ()), ("\0", ())],
)  # fmt: skip
def test_the_text_of_a_theorem_says_what_it_settles(text, ids, mine):
    (mine / "theorems" / "mine.py").write_text(text)
    assert statements_in(own(mine), "mine") == ids


def test_an_experiment_of_the_current_folder_is_known_by_its_run(mine, monkeypatch):
    (mine / "theorems" / "mine.py").write_text(BOMB + "x = dict(\n    title='my bound',\n)\n")
    write_files(make_result(theorem="mine"), mine / "outputs" / "one", 1.0, 1, "cpu")
    not_shipped(monkeypatch)
    summary = summaries(find_runs(mine / "outputs"))["mine"]
    assert summary.title == "my bound"
    verdicts = {check.name: check.expected for check in summary.checks}
    assert verdicts["n_pairs"] == "supported"
    assert verdicts["event"] == "inconclusive"  # its control is not caught, whatever is pinned
    assert not Path("executed").exists()


def run_of_mine(mine, name, budget="smoke", **fields):
    """Files of a run of the theorem as it is now."""
    check = replace(make_result().checks[0], statements=("own.mine",))
    given = {"statements": ("own.mine",), "budget": budget, "verdict": "supported", **fields}
    run = make_result(check, theorem="mine", **given)
    write_files(run, mine / "outputs" / name, 1.0, 1, "cpu", code_today("mine"))


def text_of(*words, capsys):
    assert status_of(catalogue.main, words) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("file", ["theorems/mine.py", "conf/theorem/mine.yaml"])
def test_a_run_of_code_that_changed_does_not_stand_for_the_code_of_today(
    file, mine, monkeypatch, capsys
):
    not_shipped(monkeypatch)
    run_of_mine(mine, "old", budget="paper")
    assert "measured before" not in text_of("own.mine", capsys=capsys)
    (mine / file).write_text((mine / file).read_text() + "# changed\n")
    text = text_of("own.mine", capsys=capsys)
    assert text.count(f"measured before {file} changed") == 2  # the first line, and beside numbers
    assert "the command above runs it again" in text
    assert status_of(report.main, ["runs=outputs"]) == 0
    line = f"mine: measured before {file} changed; run python -m repro theorem=mine budget=paper"
    assert line in capsys.readouterr().out
    assert line.partition(": ")[2] in Path("outputs/report.html").read_text("utf-8")
    run_of_mine(mine, "new")  # of a smaller budget
    (run,) = find_runs(mine / "outputs")
    assert (run.folder.name, run.stale) == ("new", "")
    assert "measured before" not in text_of("own.mine", capsys=capsys)


@pytest.mark.parametrize(
    ("holds", "control", "came_out"),
    [(True, "contradicted", "supported"), (False, "contradicted", "assumption_failed"),
     (True, "inconclusive", "inconclusive")],
)  # fmt: skip
def test_a_check_came_out_with_its_assumptions_and_controls(holds, control, came_out):
    assumptions = [SimpleNamespace(holds=True), SimpleNamespace(holds=holds)]
    controls = [SimpleNamespace(verdict=control)]
    verdict = SimpleNamespace(assumptions=assumptions, controls_of=lambda check: controls)
    assert module._came_out(verdict, SimpleNamespace(verdict="supported")) == came_out


def test_summaries_are_kept_in_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for named, folder in (("", ".cache"), ("relative", ".cache"), (f"{tmp_path}/own", "own")):
        monkeypatch.setenv("XDG_CACHE_HOME", named)
        assert module._file(shipped()).parent == tmp_path / folder / "repro"
    assert module._file(shipped()) != module._file(own(tmp_path))


def test_a_module_that_is_imported_counts_as_code(mine, monkeypatch):
    monkeypatch.syspath_prepend(mine)
    (mine / "helper_of_mine.py").write_text("x = 1\n")
    file = mine / "theorems" / "mine.py"
    file.write_text(file.read_text() + "import helper_of_mine\n")
    run_of_mine(mine, "old")
    (mine / "helper_of_mine.py").write_text("x = 2\n")
    (run,) = find_runs(mine / "outputs")
    assert run.stale == "measured before the code that it imports changed"


def test_a_run_that_does_not_name_its_code_says_so(mine):
    write_files(make_result(theorem="mine"), mine / "outputs" / "one", 1.0, 1, "cpu")
    (of_mine,) = find_runs(mine / "outputs")
    assert of_mine.stale == "its run.json does not say which code measured it"


def test_a_run_whose_experiment_is_deleted_decides_nothing(mine, monkeypatch, capsys):
    not_shipped(monkeypatch)
    run_of_mine(mine, "old")
    assert status_of(catalogue.main, ["own.mine"]) == 0
    (mine / "theorems" / "mine.py").unlink()
    assert status_of(catalogue.main, ["own.mine"]) == 2
    capsys.readouterr()
    assert status_of(report.main, ["runs=outputs"]) == 0
    assert f"mine: {GONE}\n" in capsys.readouterr().out
    page = Path("outputs/report.html").read_text("utf-8")
    assert "decides no statement" in page
    assert 'id="s-own.mine"' not in page


def test_what_mlflow_copied_is_no_run(mine):
    for folder in ("mlartifacts/1/ab/artifacts", "mlruns/1/ab/artifacts", ".cache/x"):
        run_of_mine(mine, folder)
    assert find_runs(mine / "outputs") == []
    (run,) = find_runs(mine / "outputs" / "mlartifacts")  # asked for by name
    assert run.slug == "mine"


def test_the_reason_of_a_pinned_contradiction_is_beside_the_check(mine, monkeypatch, capsys):
    not_shipped(monkeypatch)
    why = "the exponent is lost in step 3"
    first = make_result().checks[0]
    check = replace(first.check, expected="contradicted", why=why)
    outcome = replace(first.outcome, verdict="contradicted")
    failing = replace(first, check=check, outcome=outcome, statements=("own.mine",))
    fields = {"theorem": "mine", "statements": ("own.mine",), "verdict": "contradicted"}
    write_files(make_result(failing, **fields), mine / "outputs" / "one", 1.0, 1, "cpu",
                code_today("mine"))  # fmt: skip
    assert f"expected contradicted: {why}" in text_of("own.mine", capsys=capsys)
    assert status_of(report.main, ["runs=outputs"]) == 0
    assert f"expected contradicted: {why}" in Path("outputs/report.html").read_text("utf-8")


def test_a_verdict_that_is_not_the_recorded_one_is_said_beside_it(mine, monkeypatch, capsys):
    not_shipped(monkeypatch)
    first = make_result().checks[0]
    outcome = replace(first.outcome, verdict="contradicted")
    other = replace(first, outcome=outcome, statements=("own.mine",))
    fields = {"theorem": "mine", "statements": ("own.mine",), "verdict": "contradicted"}
    write_files(make_result(other, **fields), mine / "outputs" / "one", 1.0, 1, "cpu",
                code_today("mine"))  # fmt: skip
    text = text_of("own.mine", capsys=capsys)
    assert text.startswith("own.mine: ✗ contradicted: ")
    assert "; a run came out contradicted, not as recorded." in text
    catalogue.main(["--json"])
    (row,) = (x for x in json.loads(capsys.readouterr().out)["items"] if x["id"] == "own.mine")
    assert (row["expected"], row["came_out"]) == ({"mine": "supported"}, {"mine": "contradicted"})
    catalogue.main([])
    assert "mine (supported)" in capsys.readouterr().out


def test_the_reason_is_that_of_the_theorem():
    theorem = find("offline_gap")
    reasons = {check.name: check.why for check in theorem.checks}
    assert {one.name: one.why for one in module.summary_of(theorem).checks} == reasons
    values = {**compose_values("offline_gap", {}), "output_dir": "unused"}
    declared = built(session_of(values).plan).checks
    assert {one.name: one.why for one in declared} == reasons
    assert any(reasons.values())


def test_an_experiment_that_was_run_in_part_is_no_missing_one(mine, monkeypatch, capsys):
    not_shipped(monkeypatch)
    run_of_mine(mine, "part", defined_checks=22)
    text = text_of("own.mine", capsys=capsys)
    assert text.startswith("own.mine: … measured in part: n_pairs; ")
    assert "mine: measured in part python -m repro theorem=mine" in text


@pytest.mark.slow
def test_a_look_up_imports_neither_torch_nor_a_theorem(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    _of_place.cache_clear()
    summaries()
    code = (
        "import sys; from repro.commands.catalogue import main; status = main(['p1.thm_4_2']);"
        "print([name for name in sys.modules if name.split('.')[0] in ('torch', 'theorems')]);"
        "sys.exit(status)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                         env=os.environ, check=True)  # fmt: skip
    assert run.stdout.splitlines()[-1] == "[]"
