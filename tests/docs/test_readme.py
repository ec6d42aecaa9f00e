"""README on one screen: papers by name, two commands, findings, three steps to a statement."""

import re
import subprocess

import pytest

from repro.catalogue.papers import load
from repro.commands.catalogue import main as catalogue
from repro.study.discovery import find
from tests.docs.fences import LONGEST, ROOT, blocks, environment, project_copy

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_at_most_100_lines():
    assert len(README.splitlines()) <= 100


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
@pytest.mark.parametrize("name", load().papers)
def test_every_paper_has_its_title_and_authors(page, name):
    paper = load().papers[name]
    title = paper.title + (f" (arXiv {paper.arxiv})" if paper.arxiv else "")
    text = (ROOT / page).read_text(encoding="utf-8")
    assert f"| {name.upper()} | {title} | {paper.authors} |" in text


@pytest.mark.parametrize(
    ("page", "start", "end", "count"),
    [
        ("README.md", "## Five of seven findings", "\n## ", 5),
        ("docs/headlines.md", "# What", "\0", 8),
    ],
)
def test_every_finding_names_an_experiment_whose_pinned_verdicts_say_so(page, start, end, count):
    """A number of the list that says that something fails is of an experiment that pins it."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(r"theorem=(\w+)", text.partition(start)[2].partition(end)[0])
    assert len(found) == count
    for slug in found:
        pinned = {check.expected for check in find(slug).checks}
        assert ("contradicted" in pinned) == (slug != "order_of_corruption")


def test_a_newcomer_finds_a_statement_in_two_commands(capsys, monkeypatch, tmp_path):
    """README, one command, and on its screen the verdict, the place, the reason and the proof."""
    monkeypatch.chdir(tmp_path)
    (words,) = re.findall(r'repro catalogue "(P1 Theorem 5.2)"', README)
    assert catalogue([words]) == 0
    out = capsys.readouterr().out
    assert out.startswith("P1 Theorem 5.2: ✗ contradicted (error): ")
    assert "As printed (Section 5" in out
    assert "python -m repro theorem=corrected_log_regret" in out
    assert "python proofs/verify.py proofs/p1_algorithm_2_linear_regret.v" in out


@pytest.mark.slow
def test_the_practitioners_commands_run_one_after_the_other_as_printed(
    tmp_path, python_m, kept_blocks
):
    """Each works in the folder, and with the ledger, that those before it leave."""
    pytest.importorskip("trl", reason="the extra llm is not installed")
    (block,) = (block for block in blocks(README) if "repro privatize" in block.code)
    copy = project_copy(tmp_path / "project", python_m, kept_blocks)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.code], cwd=copy, env=environment(copy),
        capture_output=True, text=True, timeout=LONGEST,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("the longer reply  0.6065") == 2
    assert "one label has cost epsilon 5 and delta 0.000001 in all" in " ".join(done.stdout.split())
