"""The table of ranges of docs/howto/add_theorem.md, held against the types of the schema."""

import math
import re
from typing import Annotated, get_origin

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from repro.base import schema
from tests.docs.fences import ROOT

TEXT = (ROOT / "docs" / "howto" / "add_theorem.md").read_text("utf-8")
SECTION = TEXT.partition("## Ranges of fields\n")[2].partition("\n## ")[0]
ROWS = {
    name: words
    for names, words in re.findall(r"^\| (`.*`) \| (.*) \|$", SECTION, re.M)
    for name in re.findall(r"`(\w+)`", names)
}
TEXTS = {"FileName"}


def takes(kind, value):
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError:
        return False
    return True


def test_every_type_of_a_number_is_in_the_table():
    types = {name for name, kind in vars(schema).items() if get_origin(kind) is Annotated}
    assert set(ROWS) == types - TEXTS


@pytest.mark.parametrize("name", ROWS)
def test_a_type_takes_what_the_table_says(name):
    kind, words = getattr(schema, name), ROWS[name]
    whole = "whole" in words
    assert takes(kind, 7) == (whole or takes(kind, 7.0))
    assert takes(kind, 6.5) == (not whole and takes(kind, 7))
    if words.startswith("any "):
        assert all(takes(kind, value) for value in (-(10.0**20), 0, 10.0**20))
        assert takes(kind, math.inf) != whole
        return
    opens, low, high, closes, infinite = re.fullmatch(
        r"(?:whole, )?([\[(])(\S+), (\S+)([\])])( or inf)?", words
    ).groups()
    low, high = float(low), float(high)
    below, above = (
        (low - 1, high + 1)
        if whole
        else (math.nextafter(low, -math.inf), math.nextafter(high, math.inf))
    )
    inside = (low + 1, high - 1) if whole else (math.nextafter(low, 1e9), math.nextafter(high, 0))
    assert (takes(kind, low), takes(kind, high)) == (opens == "[", closes == "]")
    assert all(takes(kind, value) for value in inside)
    assert not any(takes(kind, value) for value in (below, above, -math.inf, math.nan))
    assert takes(kind, math.inf) == bool(infinite)


def test_a_range_of_ones_own_is_written_as_shown():
    (code,) = re.findall(r"`(Annotated\[.*?\]+)`", SECTION)
    kind = eval(code, {"Annotated": Annotated, "Field": Field, "Number": schema.Number})
    assert [takes(kind, value) for value in (-0.1, 0, 0.5, 1, 1.1)] == [0, 1, 1, 1, 0]
