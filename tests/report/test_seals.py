"""Results cannot be forged by accident: a changed file is said, the headline is of the checks."""

import json
import shutil

import pytest

from repro.commands import catalogue as catalogue
from repro.commands import report as report
from repro.commands import suite
from repro.commands.process.command import status_of
from repro.report.files import headline, seal_of, verdict_json, write_files
from repro.report.html.runs import read_run


@pytest.fixture(scope="module")
def written(shared_result, tmp_path_factory):
    """A finished run, to copy."""
    folder = tmp_path_factory.mktemp("written") / "toy"
    write_files(shared_result, folder, 1.0, 1, "cpu")
    return folder


@pytest.fixture
def folder(written, tmp_path, monkeypatch):
    """The same, where the suite's table looks."""
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(written, tmp_path / "outputs" / "suite" / "toy")


def edited(folder, **values):
    """Write other values into a ``verdict.json``."""
    path = folder / "verdict.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def test_what_a_run_wrote_is_unchanged(folder, result):
    run = read_run(folder / "verdict.json")
    assert run.changes == ()
    content = verdict_json(result)
    assert json.loads((folder / "verdict.json").read_text()) == content
    assert run.verdict.verdict == headline(content)


def test_another_spelling_of_the_same_json_is_no_change(folder):
    edited(folder)
    assert read_run(folder / "verdict.json").changes == ()


def cut(path):
    path.write_bytes(path.read_bytes()[:-7])


def of_another_run(path):
    path.write_bytes(b"other: run\n")


SPOILT = {
    "verdict": (
        lambda folder: edited(folder, verdict="supported"), "verdict.json was changed after the run"
    ),
    "number": (lambda folder: edited(folder, seed=5), "verdict.json was changed after the run"),
    "measurements cut": (
        lambda folder: cut(folder / "measurements.parquet"),
        "measurements.parquet was changed or is of another run",
    ),
    "measurements gone": (
        lambda folder: (folder / "measurements.parquet").unlink(), "measurements.parquet is missing"
    ),
    "config of another run": (
        lambda folder: of_another_run(folder / "config.yaml"),
        "config.yaml was changed or is of another run",
    ),
    "config cut": (
        lambda folder: cut(folder / "config.yaml"), "config.yaml was changed or is of another run"
    ),
}  # fmt: skip


@pytest.mark.some(3)
@pytest.mark.parametrize(("spoil", "words"), SPOILT.values(), ids=SPOILT)
def test_every_reader_says_what_was_changed(folder, capsys, spoil, words):
    spoil(folder)
    assert words in read_run(folder / "verdict.json").changes
    assert status_of(suite.main, ["table"]) == 1
    out, err = capsys.readouterr()
    assert words in out
    assert f"changed: outputs/suite/toy: {words}\n" in err
    for arguments in (["--runs", "outputs"], ["--runs", "outputs", "--findings", "found.md"]):
        assert status_of(report.main, arguments) == 1
        assert f"changed: outputs/suite/toy: {words}\n" in capsys.readouterr().err
    assert words in (folder.parents[1] / "report.html").read_text()


def test_no_headline_stands_beside_its_contradicted_check(folder, capsys):
    content = json.loads((folder / "verdict.json").read_text())
    content["checks"][0]["verdict"] = "contradicted"
    content |= {"verdict": "supported", "controls": [], "assumptions": []}
    edited(folder, **content | {"seal": seal_of(content)})
    assert status_of(suite.main, ["table"]) == 1
    lines = capsys.readouterr().out.splitlines()
    (row,) = (line.split(" | ") for line in lines if line.startswith("| `toy`"))
    assert row[2] == "contradicted; verdict.json says supported, its checks say contradicted"


def test_an_uncaught_control_and_a_failed_assumption_are_part_of_the_headline():
    check, control = {"verdict": "supported"}, {"verdict": "inconclusive"}
    base = {"checks": [check], "controls": [], "assumptions": []}
    assert headline(base) == "supported"
    assert headline(base | {"controls": [control]}) == "inconclusive"
    assert headline(base | {"assumptions": [{"holds": False}]}) == "assumption_failed"


READERS = {
    "report": lambda: status_of(report.main, ["--runs", "outputs"]),
    "findings": lambda: status_of(report.main, ["--runs", "outputs", "--findings", "found.md"]),
    "table": lambda: status_of(suite.main, ["table"]),
    "metrics": lambda: status_of(suite.main, ["metrics"]),
    "catalogue": lambda: status_of(catalogue.main, ["p1.thm_4_2"]),
}


@pytest.mark.parametrize("missing", ["seal", "files"])
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_verdict_without_seal_or_hashes_is_refused(folder, capsys, read, missing):
    path = folder / "verdict.json"
    content = json.loads(path.read_text())
    del content[missing]
    if missing == "files":  # and sealed again, as whoever took them out would do
        content["seal"] = seal_of(content)
    path.write_text(json.dumps(content))
    assert read() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert f"verdict.json: allowed: files of a finished run; {missing}=(missing)" in err
