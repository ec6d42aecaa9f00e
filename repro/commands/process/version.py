"""``python -m repro --version``."""

from __future__ import annotations

import platform
from importlib.metadata import version

from repro import __version__

LIBRARIES = {"torch": "torch", "NumPy": "numpy", "Hydra": "hydra-core"}
"""By the name that is printed, that of the distribution."""


def versions() -> str:
    """This project's version, then those that numbers depend on, a line each.

    >>> versions().splitlines()[0].split()[0]
    'repro'
    """
    versions_by_name = {"repro": __version__, "Python": platform.python_version()}
    versions_by_name |= {name: version(distribution) for name, distribution in LIBRARIES.items()}
    return "\n".join(f"{name} {number}" for name, number in versions_by_name.items())
