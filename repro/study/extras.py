"""Optional extras: which experiments need one, and whether it is installed."""

from __future__ import annotations

from importlib.util import find_spec

from repro.base.errors import BadInput
from repro.study.discovery import find

LIBRARIES = {"llm": ("transformers", "tokenizers")}
"""By extra, the libraries without which none of its experiments runs."""


def missing_library(slug: str) -> str:
    """The first library that an experiment needs and that is not installed, or nothing."""
    wanted = LIBRARIES.get(find(slug).extra, ())
    return next((name for name in wanted if find_spec(name) is None), "")


def require_extra(slug: str) -> None:
    """Refuse an experiment whose libraries are not installed.

    Raises:
        BadInput: in one line, with the command that installs them.
    """
    name = missing_library(slug)
    if name:
        extra = find(slug).extra
        hint = f"needs {name}, which is not installed; pip install 'repro-rlhf[{extra}]'"
        raise BadInput("theorem", slug, hint)
