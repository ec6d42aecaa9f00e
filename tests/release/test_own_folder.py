"""No file of the current folder runs where raw labels are read."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from tests.docs.fences import ROOT, pages

MODULES = ("unicodedata", "json", "sqlite3", "numpy", "theorems/leak", "sitecustomize")
UNSAFE = re.compile(r"python -m repro[. ](privatize|private_reward|audit_release)")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ["privatize", "in.jsonl", "o.jsonl", "epsilon=1"],
        ["private_reward", "in.jsonl", "r.json", "epsilon=1", "delta=1e-6", "reward_bound=1"],
        ["audit_release", "in.jsonl", "original=in.jsonl"],
    ],
    ids=lambda words: words[0],
)
def test_modules_of_the_current_folder_do_not_run(tmp_path, records, words):
    """As the installed script, which puts no folder of the user's first; ``-P`` says the same."""
    (tmp_path / "theorems").mkdir()
    for module in MODULES:
        (tmp_path / f"{module}.py").write_text("open('ran', 'w').close()")
    rows = [{**row, "prompt": f"{k}"} for k, row in enumerate(records[:20])]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ledger = [] if words[0] == "audit_release" else [f"ledger={tmp_path / 'l'}"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "repro", *words, *ledger],
        cwd=tmp_path, capture_output=True, text=True,
        env={"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    wanted = 2 if words[0] == "audit_release" else 0  # a file of raw labels is no release
    assert (done.returncode, (tmp_path / "ran").exists()) == (wanted, False), done.stderr


def test_no_page_has_a_command_on_raw_labels_that_looks_there_first():
    shown = {str(page): UNSAFE.findall(page.read_text(encoding="utf-8")) for page in pages()}
    assert not {page: words for page, words in shown.items() if words}
