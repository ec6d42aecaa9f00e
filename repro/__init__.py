"""Theorems of private and robust RLHF as experiments with verdicts.

>>> import repro                                    # doctest: +SKIP
>>> repro.run("offline_gap", epsilon=0.5).verdict   # doctest: +SKIP
'contradicted'
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repro import catalogue as catalogue
    from repro import report as report
    from repro.api import run as run
    from repro.commands import suite as suite
    from repro.commands.ablate import ablate as ablate
    from repro.commands.plan import plan as plan
    from repro.commands.private_reward import private_reward as private_reward
    from repro.commands.privatize import audit as audit
    from repro.commands.privatize import privatize as privatize
    from repro.commands.which_loss import which_loss as which_loss
    from repro.commands.which_mechanism import which_mechanism as which_mechanism

for _name in ("MLFLOW_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
    os.environ.setdefault(_name, "true")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("repro-rlhf")
    except PackageNotFoundError:
        return "0.0.0"


_FUNCTIONS = {
    "run": "repro.api",
    "ablate": "repro.commands.ablate",
    "plan": "repro.commands.plan",
    "which_loss": "repro.commands.which_loss",
    "which_mechanism": "repro.commands.which_mechanism",
    "privatize": "repro.commands.privatize",
    "audit": "repro.commands.privatize",
    "private_reward": "repro.commands.private_reward",
}
"""By name, the module of each."""
_MODULES = {
    "catalogue": "repro.catalogue",
    "report": "repro.report",
    "suite": "repro.commands.suite",
}
__all__ = [
    "ablate", "audit", "catalogue", "plan", "private_reward", "privatize", "report", "run",
    "suite", "which_loss", "which_mechanism",
]  # fmt: skip
"""Eight functions, and the modules of the statements, of the report and of all experiments."""


def __getattr__(name: str):
    """Import on first use: the command's ``--help`` must not wait for torch."""
    from importlib import import_module

    if name in _FUNCTIONS:
        return getattr(import_module(_FUNCTIONS[name]), name)
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name == "__version__":
        return _version()
    raise AttributeError(name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
