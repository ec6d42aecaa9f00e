"""Theorems of private and robust RLHF as experiments with verdicts.

>>> import repro                                    # doctest: +SKIP
>>> repro.run("offline_gap", epsilon=0.5).verdict   # doctest: +SKIP
'contradicted'
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from repro.base.sources_loaded import load_from_source

if TYPE_CHECKING:
    from repro import catalogue as catalogue
    from repro.api import run as run
    from repro.loss_choice import which_loss as which_loss
    from repro.planning import plan as plan
    from repro.private_rewards import private_reward as private_reward
    from repro.releasing import audit as audit
    from repro.releasing import privatize as privatize

if sys.argv[:1] == ["-m"]:  # ``python -m repro…``: Ctrl-C may come while torch is imported
    from repro.cli.process import begin

    begin()

load_from_source(Path(__file__).parents[1])

for _name in ("MLFLOW_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
    os.environ.setdefault(_name, "true")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("repro-rlhf")
    except PackageNotFoundError:
        return "0.0.0"


__version__ = _version()
__all__ = ["audit", "catalogue", "plan", "private_reward", "privatize", "run", "which_loss"]
"""Six functions, and the module of the statements."""


def __getattr__(name: str):
    """Import on first use: the command's ``--help`` must not wait for torch."""
    if name == "run":
        from repro.api import run as found
    elif name == "catalogue":
        import repro.catalogue as found
    elif name == "plan":
        from repro.planning import plan as found
    elif name in ("audit", "privatize"):
        from repro import releasing

        found = getattr(releasing, name)
    elif name == "private_reward":
        from repro.private_rewards import private_reward as found
    elif name == "which_loss":
        from repro.loss_choice import which_loss as found
    else:
        raise AttributeError(name)
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
