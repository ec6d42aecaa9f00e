"""The command, run in this process and in this folder's stead."""

import sys

import pytest


@pytest.fixture
def command(monkeypatch, tmp_path, capsys):
    """Runs ``python -m repro`` with words, in an empty folder; returns (status, out, err)."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        import repro.commands.run as entry

        entry._statuses.clear()
        monkeypatch.setattr(sys, "argv", ["repro", *words])
        try:
            status = entry.main(list(words))
        except SystemExit as left:
            status = left.code
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture
def quick():
    """Overrides of a run of about two seconds: one check of few replicates."""
    return (
        "budget=smoke",
        "budget.replicates=60",
        "budget.blocks=10",
        "tracking=none",
        "compute.workers=1",
        "only=[n_pairs_no_bonus]",
    )
