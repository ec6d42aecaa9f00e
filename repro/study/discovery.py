"""Which experiments there are, and the theorem of each: every file in ``theorems/`` holds one."""

from __future__ import annotations

import importlib
import re
import sys
import traceback
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from types import ModuleType

from repro.base.errors import BadInput, among, running_theorem
from repro.base.places import Place, install_hint, names, place_of, shipped
from repro.core.check import Check, Quantity, Theorem
from repro.core.claims import Frequency, Inequality, Ratio, Slope

LIBRARIES = {"llm": ("transformers", "tokenizers")}
"""By extra, the libraries without which none of its experiments runs."""


_UNEXPECTED = re.compile(r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'")
_MADE_OF = {
    kind.__name__: kind for kind in (Theorem, Check, Quantity, Slope, Ratio, Inequality, Frequency)
}
"""What a theorem file builds, by name."""


def missing_library(theorem: Theorem) -> str:
    """The first library that an experiment needs and that is not installed, or nothing."""
    wanted = LIBRARIES.get(theorem.extra, ())
    return next((name for name in wanted if find_spec(name) is None), "")


def require_extra(theorem: Theorem) -> None:
    """Refuse an experiment whose libraries are not installed.

    Raises:
        BadInput: in one line, with the command that installs them.
    """
    name = missing_library(theorem)
    if name:
        hint = f"needs {name}, which is not installed; {install_hint(theorem.extra)}"
        raise BadInput("theorem", theorem.slug, hint)


def slugs(folder: Path | None = None) -> list[str]:
    """Names of all experiments; those of the user's ``folder`` are among them."""
    return names(folder)


def without_extra(folder: Path) -> list[str]:
    """Experiments of one folder that run without any optional extra; empty where it has none."""
    return [slug for slug in Place(folder, "").names() if not find(slug, folder).extra]


def find(slug: str, folder: Path | None = None) -> Theorem:
    """The theorem of that name.

    Args:
        slug: its name.
        folder: of the user's theorems; the current one by default.

    Raises:
        BadInput: there is none, or two, or its file cannot be imported or defines none.
    """
    place = place_of(slug, folder)
    if place != shipped():
        # of a file that is edited twice within a second Python would run the first form
        sys.dont_write_bytecode = True
    module = _imported(place.module(slug), place.code(slug))
    if not isinstance(theorem := getattr(module, "THEOREM", None), Theorem):
        raise BadInput("theorem", slug, f"{place.code(slug)} defines no THEOREM")
    return _named(theorem, module.__name__)


@cache
def _named(theorem: Theorem, module: str) -> Theorem:
    return replace(theorem, module=module)


@running_theorem()
def _imported(name: str, path: Path) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (BadInput, OSError, MemoryError):
        raise
    except Exception as problem:
        calls = [
            (call.filename, call.lineno) for call in traceback.extract_tb(problem.__traceback__)
        ]
        if isinstance(problem, SyntaxError):
            calls.append((str(problem.filename), problem.lineno))
        inside = [call for call in calls if Path(call[0]).parent == path.parent]
        file, line = inside[-1] if inside else (path, 1)
        reason = _unknown_argument(problem) or f"{type(problem).__name__}: {problem}"
        complaint = f"line {line or 1} of {file}: {reason}"
        raise BadInput("theorem", path.stem, complaint) from problem


def _unknown_argument(problem: Exception) -> str:
    """A misspelt argument of what a theorem file is made of; empty for another problem.

    >>> _unknown_argument(TypeError("Frequency.__init__() got an unexpected keyword argument 'n'"))
    'Frequency(n=…): no such argument; allowed: words'
    """
    match = _UNEXPECTED.match(str(problem))
    if not isinstance(problem, TypeError) or not match or match[1] not in _MADE_OF:
        return ""
    names = [*signature(_MADE_OF[match[1]]).parameters]
    return f"{match[1]}({match[2]}=…): no such argument; {among(match[2], names)}"
