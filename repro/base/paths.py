"""Where the project's own files are, in a source tree and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def conf_dir() -> Path:
    """The Hydra config folder: inside the package when installed, beside it in a source tree."""
    inside = PACKAGE / "conf"
    return inside if inside.is_dir() else PACKAGE.parent / "conf"
