"""README on one screen: papers by name, two commands, findings, three steps to a statement."""

import re

import pytest

from repro.catalogue.__main__ import main as catalogue
from repro.catalogue.entries import load
from repro.study.discovery import find
from tests.docs.fences import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_at_most_120_lines():
    assert len(README.splitlines()) <= 120


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
@pytest.mark.parametrize("name", load().papers)
def test_every_paper_has_its_title_and_authors(page, name):
    paper = load().papers[name]
    title = paper.title + (f" (arXiv {paper.arxiv})" if paper.arxiv else "")
    text = (ROOT / page).read_text(encoding="utf-8")
    assert f"| {name.upper()} | {title} | {paper.authors} |" in text


def test_every_finding_names_an_experiment_whose_pinned_verdicts_say_so():
    """A number of the list that says that something fails is of an experiment that pins it."""
    section = README.partition("## What was found")[2].partition("\n## ")[0]
    found = re.findall(r"theorem=(\w+)", section)
    assert len(found) == 8
    for slug in found:
        pinned = {check.expected for check in find(slug).checks}
        assert ("contradicted" in pinned) == (slug != "ctl_ltc_separation")


def test_a_newcomer_finds_a_statement_in_three_steps(capsys, monkeypatch, tmp_path):
    """README, one command, and on its screen the verdict, the place, the reason and a command."""
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(r"python -m repro.catalogue (p2\.thm_5_2)", README)
    assert catalogue([command]) == 0
    out = capsys.readouterr().out
    assert "✓ supported" in out
    assert "As printed (Section 5" in out
    assert "python -m repro theorem=square_chipo" in out
    assert any("exponent" in line or "∝" in line or "pinned" in line for line in out.splitlines())
