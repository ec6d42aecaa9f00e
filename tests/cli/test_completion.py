"""A shell can complete experiments and budgets of the ``repro`` script."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("repro theorem=central_dp_p", {"theorem=central_dp_privacy"}),
        ("repro budget=", {"budget=laptop", "budget=paper", "budget=smoke"}),
    ],
)
def test_hydra_completes_groups(typed, offered, tmp_path):
    given = {"COMP_LINE": typed, "COMP_POINT": str(len(typed))}
    words = [sys.executable, "-m", "repro", "-sc", "query=bash"]
    done = subprocess.run(
        words, env=os.environ | given, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, set(done.stdout.split())) == (0, offered), done.stderr
    assert list(tmp_path.iterdir()) == []
