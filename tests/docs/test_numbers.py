"""The number beside a command is the command's, in bash and in zsh."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.fences import ROOT

SAID = {
    "docs/tutorial.md": (
        "python -m repro plan epsilon=0.5 target_gap=0.05",
        {
            r"It says ([\d,]+) labels": r"n_pairs = (\d+) labels",
            r"the reference policy, which takes no label, has a gap of ([\d.]+)\.": (
                r"without labels the reference policy has a gap of ([\d.]+)"
            ),
        },
    )
}


@pytest.mark.some(1)
@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize("page", SAID)
def test_a_page_says_the_number_that_its_command_prints(page, shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    command, pairs = SAID[page]
    text = (ROOT / page).read_text("utf-8")
    assert command in text
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    given = os.environ | {"PATH": programs, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [shell, "-c", command], cwd=tmp_path, env=given, capture_output=True, text=True, timeout=300
    )
    for on_page, printed in pairs.items():
        said, found = re.search(on_page, text), re.search(printed, done.stdout)
        assert said, on_page
        assert found, done.stdout + done.stderr
        number = said[1].replace(",", "")
        digits = len(number.partition(".")[2])
        assert f"{float(found[1]):.{digits}f}" == number
