"""Hydra outside of the command: compose the config from keyword values."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from repro.base.errors import BadInput
from repro.base.files import yaml_mapping
from repro.base.places import Place, broken, conf_dir, own_folder, places, shipped
from repro.study.discovery import find, slugs
from repro.study.messages import as_bad_input

KEY = re.compile(r"\+{0,2}theorems_from=")
THEOREM = re.compile(r"\+{0,2}theorem=")


FIELD = re.compile(r"theorem\.(sweeps|worlds|instances)\.")
"""A field of a world may be set where its config has no line for the field."""


def as_typed(word: str) -> str:
    """A word that Hydra was given, as a user types it.

    >>> as_typed("++theorem.sweeps.n_pairs.epsilon=8")
    'theorem.sweeps.n_pairs.epsilon=8'
    """
    bare = word.removeprefix("++")
    return bare if FIELD.match(bare) else word


def with_search_path(words: Sequence[str]) -> list[str]:
    """The words of a command line as Hydra needs them, and one by which it finds the other places.

    Hydra adds a key that a config lacks where ``++`` stands before it: fields of worlds and sweeps
    get that, and the experiment refuses those that it does not have.

    It goes beside the overrides, since options may stand before and behind them, and is handed on
    with them to the jobs of a sweep.  Hydra looks in the shipped folder first: nothing of a user's
    folder takes the place of a shipped config.

    Raises:
        BadInput: ``theorems_from`` is no folder with theorems, or a ``glob(…)`` matches none.
    """
    _say_broken()
    folder = _folder(words)
    words = [f"++{word}" if FIELD.match(word) else _without_glob(word, folder) for word in words]
    everywhere = places(folder)
    _refuse_malformed(words, everywhere)
    others = [place for place in everywhere if place != shipped() and place.names()]
    if not others:
        return words
    overrides = (i for i, word in enumerate(words) if "=" in word and not word.startswith("-"))
    at = next(overrides, len(words))
    return [*words[:at], f"hydra.searchpath=[{','.join(map(_quoted, others))}]", *words[at:]]


def _refuse_malformed(words: Sequence[str], everywhere: Sequence[Place]) -> None:
    """Read the configs of the named theorems within bounds, which Hydra does not have.

    Raises:
        BadInput: one is no YAML mapping of plain values, or gives another experiment's name.
    """
    chosen = " ".join(word for word in words if THEOREM.match(word))
    for place in everywhere:
        for name in place.names():
            if re.search(rf"\b{name}\b", chosen):
                file = place.config(name)
                named = yaml_mapping("theorem", file).get("name", "(missing)")
                if named != name:
                    raise BadInput("name", named, f"in {file}; allowed: {name}, as the file")


def _without_glob(word: str, folder: Path) -> str:
    """A word in which ``theorem=glob(…)`` is a list: Hydra's ``glob`` sees shipped names only."""
    if not THEOREM.match(word) or "glob(" not in word:
        return word
    key, _, text = word.partition("=")
    return f"{key}={','.join(_chosen(text, folder))}"


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


def compose_values(
    theorem: str, values: Mapping[str, Any], overrides: Sequence[str] = ()
) -> dict[str, Any]:
    """The composed config as plain values, without the ``hydra`` node.

    Raises:
        repro.base.errors.BadInput: an unknown theorem, group, key, or bad grammar.
    """
    from hydra import compose, initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    before = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(conf_dir()), version_base="1.3"):
            words = [f"{key}={_written(value)}" for key, value in values.items()]
            given = with_search_path([f"theorem={theorem}", *words, *overrides])
            composed = compose("config", given)
            return OmegaConf.to_container(composed, resolve=True)  # type: ignore[return-value]
    except (HydraException, OmegaConfBaseException) as problem:
        raise as_bad_input(problem) from None
    finally:
        GlobalHydra.instance().hydra = before


def named_theorems(text: str | None, words: Sequence[str] = ()) -> list[str]:
    """The experiments of a value of ``theorem=``: a name, a list of them or ``glob(…)``.

    Args:
        text: as Hydra's grammar has it; None for the default experiment.
        words: the other words of the command, which may name a folder by ``theorems_from=``.

    Raises:
        repro.base.errors.BadInput: none is meant, or one is unknown.

    >>> named_theorems("log_regret,offline_gap")
    ['log_regret', 'offline_gap']
    """
    if text is None:
        return ["offline_gap"]
    folder = _folder(words)
    experiments = _chosen(text, folder)
    for name in experiments:
        find(name, folder)
    return experiments


def _chosen(text: str, folder: Path) -> list[str]:
    """The names that a value of ``theorem=`` means, each as it is written.

    Raises:
        repro.base.errors.BadInput: none is meant.
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import Glob
    from hydra.errors import HydraException

    try:
        override = OverridesParser.create().parse_override(f"theorem={text}")
    except HydraException as problem:
        raise BadInput("theorem", text, str(problem).partition("\n")[0]) from None
    value = override.value()
    if isinstance(value, Glob):
        experiments = value.filter(slugs(folder))
    else:
        experiments = (
            list(override.sweep_string_iterator()) if override.is_sweep_override() else [text]
        )
    if not experiments:
        allowed = "names no experiment; allowed: names that repro run --help lists"
        raise BadInput("theorem", text, allowed)
    return experiments


def _written(value: Any) -> str:
    """A value in Hydra's override grammar."""
    if value is None:
        return "null"
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return str(value)
