"""The drawing of docs/architecture.md agrees with the code."""

import re

import pytest

from tools.draw_imports import (
    DRAWING,
    actual_imports,
    drawing,
    edges_of,
)


@pytest.fixture(scope="module")
def edges():
    return edges_of(actual_imports())


def test_the_drawing_is_that_of_the_imports(edges):
    assert DRAWING.read_text(encoding="utf-8") == drawing(edges), (
        "python -m tools.draw_imports draws it anew"
    )


def test_every_room_is_drawn(edges):
    drawn = set(re.findall(r">([a-z0-9, ]+)</text>", DRAWING.read_text(encoding="utf-8")))
    assert drawn == {name for edge in edges for name in edge}
