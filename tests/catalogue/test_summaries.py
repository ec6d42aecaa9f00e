"""What is known of an experiment without importing it, and that a look-up runs nobody's code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from repro.base.places import own, shipped
from repro.catalogue import summaries as module
from repro.catalogue.papers import load
from repro.catalogue.summaries import TheoremSummary, _of_place, summaries
from repro.commands import catalogue
from repro.commands.new_theorem import main as new_theorem
from repro.report.files import write_files
from repro.report.html.runs import find_runs
from repro.study import discovery
from tests.report.conftest import make_result

BOMB = "from pathlib import Path\nPath('executed').touch()\n"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A folder of somebody's with the theorem ``mine``; the user has no summaries yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
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
