"""Decisions are numbered in their headings as in the names of their files."""

import re

from tests.docs.fences import ROOT


def test_a_decision_has_the_number_of_its_file():
    headings = {path.name: path.read_text().splitlines()[0] for path in ROOT.glob("docs/adr/*.md")}
    assert headings
    numbers = {name: re.match(r"# (\d+)\. ", heading) for name, heading in headings.items()}
    assert [name for name, at in numbers.items() if not at or int(at[1]) != int(name[:4])] == []
