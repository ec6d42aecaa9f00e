"""A theorem's mathematics is of one family: whoever changes a family reruns its theorems only."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXCEPTIONS: dict[str, str] = {}
"""Reason by theorem, for one that needs two families."""


def families_of(path: Path) -> set[str]:
    """Families that a file imports: ``repro.families.xpo.sweep`` is of ``xpo``."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    modules = [f"{node.module}.{one.name}" for node in froms for one in node.names]
    return {m.split(".")[2] for m in modules if m.startswith("repro.families.")}


THEOREMS = sorted((ROOT / "theorems").glob("[a-z]*.py"))


@pytest.mark.parametrize("path", THEOREMS, ids=lambda path: path.stem)
def test_a_theorem_imports_at_most_one_family(path):
    assert (len(families_of(path)) > 1) == (path.stem in EXCEPTIONS), families_of(path)


def test_two_families_are_seen(tmp_path):
    file = tmp_path / "both.py"
    file.write_text(
        "from repro.families.xpo.sweep import XpoSweep\nfrom repro.families import chipo\n"
    )
    assert families_of(file) == {"xpo", "chipo"}


def test_every_family_has_a_theorem():
    used = set().union(*(families_of(p) for p in THEOREMS))
    there = {p.parent.name for p in (ROOT / "repro" / "families").glob("*/__init__.py")}
    assert used == there
