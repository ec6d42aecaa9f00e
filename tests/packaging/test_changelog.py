"""CHANGELOG.md is what the notes in changelog.d say."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def build():
    spec = importlib.util.spec_from_file_location("build", ROOT / "changelog.d" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_changelog_is_up_to_date(build):
    assert build.main(["--check"]) == 0, "run: python changelog.d/build.py"


def test_a_new_note_makes_it_out_of_date(build, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(build, "TARGET", tmp_path / "CHANGELOG.md")
    assert build.main(["--check"]) == 1
    assert "out of date" in capsys.readouterr().err
    assert build.main([]) == 0
    assert build.main(["--check"]) == 0
    build.TARGET.write_text(build.TARGET.read_text().replace("### ", "#### ", 1))
    assert build.main(["--check"]) == 1


def test_notes_come_by_name_and_first_results_stay_behind(build, tmp_path):
    (tmp_path / "b.md").write_text("Added b.\nTwo lines.\n\nFirst results: a slope of 0.3.\n")
    (tmp_path / "a.md").write_text("- `a`: x.\n\n## First results\nFirst run: y.\n")
    text = build.changelog(tmp_path)
    link = "[First results](changelog.d/{}.md) before a change are kept."
    assert text.partition("released)\n")[2] == (
        f"\n### a\n\n- `a`: x.\n\n{link.format('a')}\n\n### b\n\nAdded b.\nTwo lines.\n\n"
        f"{link.format('b')}\n"
    )


def test_another_word_is_refused(build, capsys):
    assert build.main(["--chekc"]) == 2
    assert capsys.readouterr().err.startswith("error: usage")
