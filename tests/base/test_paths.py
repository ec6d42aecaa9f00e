"""Where the project's files are, and how its extras are installed."""

import shlex
import tomllib
from pathlib import Path

import pytest

from repro.base import places as paths


@pytest.mark.parametrize(
    ("extra", "own"), [("llm", "-llm"), ("ray", "-cluster"), ("slurm", "-cluster")]
)
def test_a_clone_installs_an_extra_from_itself(extra, own):
    *words, last = shlex.split(paths.install_hint(extra))
    tested = [str(Path(paths.PACKAGE.parent, f"constraints{end}.txt")) for end in ("", own)]
    assert words == ["pip", "install", "-c", tested[0], "-c", tested[1], "-e"]
    about = tomllib.loads(
        Path(last.removesuffix(f"[{extra}]"), "pyproject.toml").read_text("utf-8")
    )
    assert about["project"]["name"] == "repro-rlhf"
    assert extra in about["project"]["optional-dependencies"]


def test_an_installed_package_installs_it_by_name(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "site-packages" / "repro")
    assert paths.install_hint("llm") == "pip install 'repro-rlhf[llm]'"
