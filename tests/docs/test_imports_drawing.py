"""The drawing of docs/architecture.md agrees with the code."""

import re
import tomllib

import pytest

from tests.docs.fences import ROOT
from tools.draw_imports import (
    DRAWING,
    actual_imports,
    drawing,
    edges_of,
    room,
)

CHAIN = frozenset({("a", "b"), ("b", "c"), ("a", "c")})


@pytest.fixture(scope="module")
def edges():
    return edges_of(actual_imports())


def test_the_drawing_is_that_of_the_imports(edges):
    assert DRAWING.read_text(encoding="utf-8") == drawing(edges), (
        "python -m tools.draw_imports draws it anew"
    )


def test_every_room_is_drawn(edges):
    drawn = set(re.findall(r">([a-z, ]+)</text>", DRAWING.read_text(encoding="utf-8")))
    assert drawn == {name for edge in edges for name in edge}


def test_lines_agree_with_the_contract_of_the_import_linter(edges):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (one["layers"] for one in contracts["contracts"] if one["type"] == "layers")
    height = {
        room(name.strip()): -index
        for index, row in enumerate(layers)
        for name in re.split("[|:]", row)
    }
    upwards = [(a, b) for a, b in edges if a in height and b in height and height[a] < height[b]]
    assert upwards == []
