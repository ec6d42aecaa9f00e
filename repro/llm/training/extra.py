"""The libraries of the ``llm`` extra, imported only when a language model is used."""

from __future__ import annotations

import importlib
import logging
import os
from functools import cache
from importlib.util import find_spec
from types import ModuleType

from repro.base.errors import BadInput
from repro.base.places import install_hint

QUIET = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    # read when the libraries are imported, which sets the levels of their loggers
    "HF_HUB_VERBOSITY": "error",
    "TRANSFORMERS_VERBOSITY": "error",
}


NEEDED = ("transformers", "tokenizers", "datasets", "accelerate", "trl", "safetensors")
"""Without one of these no model is trained."""


def require_extra() -> None:
    """Refuse to train where a library is not installed; none is imported.

    Raises:
        BadInput: with the command that installs them.
    """
    for name in NEEDED:
        if find_spec(name) is None:
            raise _missing(name)


def library(name: str) -> ModuleType:
    """A library of the extra.

    Raises:
        BadInput: it is not installed.
    """
    quiet_hub()
    try:
        return importlib.import_module(name)
    except ImportError:
        raise _missing(name) from None


def _missing(name: str) -> BadInput:
    return BadInput("extra", "llm", f"{name} is not installed; {install_hint('llm')}")


@cache
def quiet_hub() -> None:
    """No progress bars, no telemetry, and no log of every retry."""
    for key, value in QUIET.items():
        os.environ.setdefault(key, value)
    for name in ("huggingface_hub", "transformers", "datasets", "httpx"):
        logging.getLogger(name).setLevel(logging.ERROR)
