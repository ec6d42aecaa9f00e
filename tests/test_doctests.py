"""The examples in docstrings are right."""

import doctest
from importlib import import_module
from pathlib import Path

from tests.at_each import at_each

ROOT = Path(__file__).parents[1]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for folder in ("repro", "theorems", "tools")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]


@at_each("name", MODULES)
def test_examples_of(name):
    assert doctest.testmod(import_module(name)).failed == 0
