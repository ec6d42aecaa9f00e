"""Which experiments there are: every module of ``theorems/`` holds one."""

from __future__ import annotations

import importlib
import pkgutil

from repro.base.errors import BadInput, nearest
from repro.study.experiment import Experiment


def slugs() -> list[str]:
    """Names of all experiments."""
    found = pkgutil.iter_modules(importlib.import_module("theorems").__path__)
    return sorted(module.name for module in found if not module.name.startswith("_"))


def find(slug: str) -> type[Experiment]:
    """The experiment of that name.

    Raises:
        BadInput: there is none; the nearest name is suggested.
    """
    known = slugs()
    if slug not in known:
        raise BadInput("theorem", slug, f"{nearest(slug, known)}allowed: {', '.join(known)}")
    module = importlib.import_module(f"theorems.{slug}")
    own = (
        item for item in vars(module).values() if getattr(item, "__module__", "") == module.__name__
    )
    for item in own:
        if isinstance(item, type) and issubclass(item, Experiment):
            return item
    raise TypeError(f"theorems/{slug}.py defines no Experiment")
