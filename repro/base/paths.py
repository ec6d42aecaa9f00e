"""Where the project's own files are, in a source tree and in an installed wheel."""

from __future__ import annotations

import shlex
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def conf_dir() -> Path:
    """The Hydra config folder: inside the package when installed, beside it in a source tree."""
    inside = PACKAGE / "conf"
    return inside if inside.is_dir() else PACKAGE.parent / "conf"


def install_hint(extra: str) -> str:
    """The command that installs an extra: of this source tree, or of the installed package.

    Of a source tree with the versions that were tested: those of its extras of clusters stand in
    one file.
    """
    tree = PACKAGE.parent
    if (tree / "pyproject.toml").is_file():
        own = "cluster" if extra in ("ray", "slurm") else extra
        files = [tree / "constraints.txt", tree / f"constraints-{own}.txt"]
        tested = [word for file in files if file.is_file() for word in ("-c", str(file))]
        return shlex.join(["pip", "install", *tested, "-e", f"{tree}[{extra}]"])
    return shlex.join(["pip", "install", f"repro-rlhf[{extra}]"])
