"""One class for a name: whoever reads a name anywhere knows which class is meant."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]


def places_of_classes(paths: Iterable[Path]) -> dict[str, list[str]]:
    """Files and lines at which a class is defined, at the top or inside, by its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(f"{path.name}:{node.lineno}")
    return found


def doubled(places: dict[str, list[str]]) -> dict[str, list[str]]:
    """Names with more than one place."""
    return {name: where for name, where in sorted(places.items()) if len(where) > 1}


def test_every_class_name_is_defined_once():
    code = [path for top in ("repro", "theorems") for path in sorted((ROOT / top).rglob("*.py"))]
    places = places_of_classes(code)
    assert len(places) > 300
    assert doubled(places) == {}


def test_two_classes_of_one_name_are_found_where_one_is_nested(tmp_path):
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text("class Outer:\n    class Inner:\n        pass\n")
    second.write_text("def made():\n    class Inner:\n        pass\n    return Inner\n")
    assert doubled(places_of_classes([first, second])) == {"Inner": ["first.py:2", "second.py:2"]}
