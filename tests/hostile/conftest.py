"""Bad values for every key of a config, and the command run in this process."""

import importlib.util
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def spoilt():
    """The module ``spoilt``: a config with one thing wrong, in every way and at every key."""
    spec = importlib.util.spec_from_file_location("spoilt", Path(__file__).with_name("spoilt.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def command(monkeypatch, tmp_path, capsys):
    """Runs ``python -m repro`` with words, in an empty folder; returns (status, out, err)."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        import repro.__main__ as entry

        entry._statuses.clear()
        monkeypatch.setattr(sys, "argv", ["repro", *words])
        try:
            status = entry.main()
        except SystemExit as left:
            status = left.code
        out, err = capsys.readouterr()
        return status, out, err

    return run
