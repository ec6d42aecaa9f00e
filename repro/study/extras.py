"""Optional extras: which experiments need one, and whether it is installed."""

from __future__ import annotations

from importlib.util import find_spec

from repro.base.errors import BadInput
from repro.base.paths import install_hint
from repro.core.check import Theorem

LIBRARIES = {"llm": ("transformers", "tokenizers")}
"""By extra, the libraries without which none of its experiments runs."""


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
