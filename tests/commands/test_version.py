"""``python -m repro --version``."""

import platform
import subprocess
import sys
from importlib.metadata import version

import pytest


@pytest.mark.parametrize("more", [[], ["theorem=no_such_experiment"]])
def test_versions_are_printed_before_anything_is_read(more, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "repro", "--version", *more],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names == ["repro", "Python", "torch", "NumPy", "Hydra"]
    assert done.stdout.splitlines()[1:] == [
        f"Python {platform.python_version()}", f"torch {version('torch')}",
        f"NumPy {version('numpy')}", f"Hydra {version('hydra-core')}",
    ]  # fmt: skip
    assert list(tmp_path.iterdir()) == []
