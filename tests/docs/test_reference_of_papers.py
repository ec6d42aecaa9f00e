"""docs/reference/paper.md lists every key of a paper's file, and every axis with its field."""

import re

import pytest

from repro.base.errors import BadInput
from repro.base.notation import AXES, SYMBOLS
from repro.catalogue.papers import Item, Paper, Slip, read
from repro.core.worlds import FIELD_OF
from tests.docs.fences import ROOT

PAGE = (ROOT / "docs" / "reference" / "paper.md").read_text("utf-8")


def names(heading: str) -> set[str]:
    """Names in the first column of the table below a heading."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


@pytest.mark.parametrize(
    ("heading", "model"),
    [("The paper", Paper), ("A statement", Item), ("A suspected error", Slip)],
)
def test_every_key_is_listed(heading, model):
    assert names(heading) == set(model.model_fields)


def test_every_axis_is_listed_with_its_field():
    for name in names("Axes"):
        field = FIELD_OF[name][0] if name in FIELD_OF else name
        assert f"| `{name}` | {AXES[name]} | {SYMBOLS[name]} | `{field}` |\n" in PAGE
    # those that a theorem declares are its own
    from_notation = (ROOT / "repro" / "base" / "notation.py").read_text("utf-8")
    shipped = re.findall(r'^    "(\w+)": "', from_notation.partition("SYMBOLS")[0], re.M)
    assert names("Axes") == set(shipped)


def test_a_key_that_is_not_there_names_the_page(tmp_path):
    file = tmp_path / "kbr.yaml"
    file.write_text("title: t\nauthors: a\nstatements: {thm_1: {title: t, counter: c}}\n")
    with pytest.raises(BadInput, match="docs/reference/paper.md lists all"):
        read(file)
