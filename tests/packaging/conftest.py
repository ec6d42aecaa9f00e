"""The wheel and the sdist, built once, and an environment with nothing of ours but the wheel."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("repro", "theorems", "conf", "tests", "tools", "changelog.d", "pyproject.toml")
KINDS = ("", "-llm", "-cluster")
LISTS = ("constraints", "requirements-hashed")
CONSTRAINTS = tuple(f"{one}{kind}.txt" for one in LISTS for kind in KINDS)
FILES_OF_TEXT = ("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md")


def call(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command away from the source tree and from the caller's search path."""
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    return subprocess.run(
        list(map(str, words)), cwd=cwd, env=kept, capture_output=True, text=True, timeout=300
    )


@pytest.fixture(scope="session")
def outside():
    """``call``, for the tests."""
    return call


@pytest.fixture(scope="session")
def dists(tmp_path_factory) -> Path:
    """A folder with one wheel and one sdist; the wheel is built from the sdist."""
    for tool in ("build", "hatchling"):
        if importlib.util.find_spec(tool) is None:
            pytest.skip(f"{tool} is not installed (it comes with the dev extra)")
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("dist")
    for name in (*SOURCES, *CONSTRAINTS, *FILES_OF_TEXT):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name)
        else:
            shutil.copy(ROOT / name, tree / name)
    done = call(
        sys.executable, "-m", "build", "--no-isolation", "--outdir", out, tree, cwd=tree.parent
    )
    assert done.returncode == 0, done.stderr
    return out


def environment(folder: Path, dist: Path) -> Path:
    """The interpreter of a new environment: one dist inside, third-party packages lent to it."""
    call(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    python = folder / "bin" / "python"
    asked = call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder)
    lent = {path for path in sys.path if path.endswith(("site-packages", "dist-packages"))}
    site = Path(asked.stdout.strip())
    (site / "lent.pth").write_text("".join(f"{path}\n" for path in sorted(lent)))
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index")
    done = call(*pip, "--no-build-isolation", dist, cwd=folder)
    assert done.returncode == 0, done.stderr
    return python


@pytest.fixture(scope="session")
def installed(dists, tmp_path_factory) -> Path:
    """An environment with the wheel."""
    (wheel,) = dists.glob("*.whl")
    return environment(tmp_path_factory.mktemp("env"), wheel)


@pytest.fixture(scope="session")
def from_sdist(dists, tmp_path_factory) -> Path:
    """An environment with what the sdist builds."""
    (sdist,) = dists.glob("*.tar.gz")
    return environment(tmp_path_factory.mktemp("env_of_sdist"), sdist)
