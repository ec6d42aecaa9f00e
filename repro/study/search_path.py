"""Where Hydra looks for configs of theorems beside the shipped ones."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import cache

from repro.base.errors import BadInput
from repro.base.files import yaml_mapping
from repro.base.places import Place, broken, own_folder, places, shipped

KEY = re.compile(r"\+{0,2}theorems_from=")
THEOREM = re.compile(r"\+{0,2}theorem=")


def with_search_path(words: Sequence[str]) -> list[str]:
    """The words of a command line, and a word by which Hydra finds the other places.

    It goes beside the overrides, since options may stand before and behind them, and is handed on
    with them to the jobs of a sweep.  Hydra looks in the shipped folder first: nothing of a user's
    folder takes the place of a shipped config.

    Raises:
        BadInput: ``theorems_from`` is no folder with theorems.
    """
    _say_broken()
    others = [one for one in places(_folder(words)) if one != shipped() and one.names()]
    if not others:
        return list(words)
    _refuse_malformed(words, others)
    overrides = (i for i, word in enumerate(words) if "=" in word and not word.startswith("-"))
    at = next(overrides, len(words))
    return [*words[:at], f"hydra.searchpath=[{','.join(map(_quoted, others))}]", *words[at:]]


def _refuse_malformed(words: Sequence[str], others: Sequence[Place]) -> None:
    """Read the configs of the named theorems within bounds, which Hydra does not have.

    Raises:
        BadInput: one is no YAML mapping of plain values.
    """
    chosen = " ".join(word for word in words if THEOREM.match(word))
    for place in others:
        for name in place.names():
            if "glob(" in chosen or re.search(rf"\b{name}\b", chosen):
                yaml_mapping("theorem", place.config(name))


@cache
def _say_broken() -> None:
    for line in broken():
        print(line, file=sys.stderr)


def _quoted(place: Place) -> str:
    path = str(place.folder / "conf").replace('"', '\\"')
    return f'"file://{path}"'


def _folder(words: Sequence[str]):
    from hydra.core.override_parser.overrides_parser import OverridesParser

    given = [word for word in words if KEY.match(word)]
    if not given:
        return own_folder()
    override = OverridesParser.create().parse_override(given[-1])
    value = override.value()
    if override.is_sweep_override() or not isinstance(value, str | None):
        raise BadInput("theorems_from", given[-1].partition("=")[2], "allowed: one folder")
    return own_folder(value)
