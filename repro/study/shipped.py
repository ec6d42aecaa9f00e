"""The shipped file of an experiment says which keys its config has: none may go, none be invented.

Values may be overridden.  A claim's number may not be taken away, since the check would find out
in the middle of the run, and a name that no row uses is a misspelt one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from repro.base.errors import BadInput, nearest
from repro.base.paths import conf_dir

REQUIRED = "a value is required"


def refuse_departures(kept: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    """Compare the keys of a composed ``theorem`` node with those of the experiment's file.

    Raises:
        BadInput: a key of the file is missing, a claim's number is null, or a name is not in the
            file.
    """
    _compare(config, kept, "theorem")


@cache
def shipped_instance(kind: str) -> Mapping[str, Any]:
    """The file of a kind of instance."""
    return _read(conf_dir() / "instance" / f"{kind}.yaml")


@cache
def shipped(path: Path) -> Mapping[str, Any]:
    """The file of an experiment without its defaults list, which Hydra has resolved by now."""
    values = _read(path) if path.is_file() else {}
    return {key: value for key, value in values.items() if key != "defaults"}


def _read(path: Path) -> dict[str, Any]:
    """A file as Hydra reads it: 1e5 is a number to it, and a word to plain YAML."""
    from omegaconf import OmegaConf

    return OmegaConf.to_container(OmegaConf.load(path), resolve=False)  # type: ignore[return-value]


def _compare(given: Mapping[str, Any], meant: Mapping[str, Any], place: str) -> None:
    for key, value in meant.items():
        at = f"{place}.{key}"
        if key not in given:
            raise BadInput(at, "(missing)", REQUIRED)
        if (
            value is not None
            and given[key] is None
            and place.startswith(
                ("theorem.probes", "theorem.sweeps", "theorem.worlds", "theorem.instances")
            )
        ):
            raise BadInput(at, "null", REQUIRED)
        if isinstance(value, Mapping) and isinstance(given[key], Mapping):
            _compare(given[key], value, at)
    if all(isinstance(value, Mapping) for value in meant.values()):
        _refuse_other_names(given, meant, place)


def _refuse_other_names(given: Mapping[str, Any], meant: Mapping[str, Any], place: str) -> None:
    """A mapping of mappings holds things by name: probes, worlds."""
    for key in given:
        if meant and key not in meant:
            hint = nearest(str(key), meant)
            raise BadInput(f"{place}.{key}", "(unknown)", f"{hint}allowed: {', '.join(meant)}")
