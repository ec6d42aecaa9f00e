"""Theorems of private and robust RLHF as experiments with verdicts.

>>> import repro                                    # doctest: +SKIP
>>> repro.run("offline_gap", epsilon=0.5).verdict   # doctest: +SKIP
'contradicted'
"""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repro.api import run as run

for _name in ("MLFLOW_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
    os.environ.setdefault(_name, "true")

try:
    __version__ = version("repro-rlhf")
except PackageNotFoundError:
    __version__ = "0.0.0"

__all__ = ["run"]


def __getattr__(name: str):
    """Import ``run`` on first use: the command's ``--help`` must not wait for torch."""
    if name == "run":
        from repro.api import run

        return run
    raise AttributeError(name)
