"""Notes in changelog.d are towncrier's, a sentence each; first results are kept on a page."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTES = sorted((ROOT / "changelog.d").glob("*.change.md"))


@pytest.fixture
def convert():
    spec = importlib.util.spec_from_file_location("convert", ROOT / "changelog.d" / "convert.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_note_is_towncriers(convert):
    assert convert.main(["--check"]) == 0, "run: python changelog.d/convert.py"


def test_a_note_is_one_line():
    lines = {path.name: path.read_text(encoding="utf-8").strip().splitlines() for path in NOTES}
    assert [name for name, text in lines.items() if len(text) != 1] == []


def test_towncrier_reads_them():
    pytest.importorskip("towncrier")
    words = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9.9"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "## 9.9.9" in done.stdout
    for path in NOTES:
        assert path.read_text(encoding="utf-8").split()[1] in done.stdout


def test_the_released_version_is_the_packages_and_has_the_day_of_the_citation():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (day,) = re.findall(rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)$", text, re.MULTILINE)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {version}\n" in citation
    assert f"date-released: {day}\n" in citation


def test_an_old_note_gives_its_sentence_and_its_first_results(convert, tmp_path):
    notes, kept = tmp_path / "notes", tmp_path / "kept"
    notes.mkdir()
    (notes / "a.md").write_text("- `b.c` is new. More.\n\n## First results\n0.3 before.\n")
    (notes / "d.md").write_text("Two\nlines, no results\n")
    (notes / "e.change.md").write_text("As it is.\n")
    convert.convert(notes, kept)
    found = {path.name: path.read_text() for path in notes.iterdir()}
    assert found == {
        "a.change.md": "`b.c` is new.\n",
        "d.change.md": "Two lines, no results\n",
        "e.change.md": "As it is.\n",
    }
    assert (kept / "a.md").read_text() == "# a\n\n## First results\n0.3 before.\n"


def test_another_word_is_refused(convert, capsys):
    assert convert.main(["--chekc"]) == 2
    assert capsys.readouterr().err.startswith("error: usage")
