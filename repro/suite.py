"""``python -m repro.suite list | table``: the list behind ``dvc repro``, the table of the README.

DVC cannot list a folder, so the list of experiments is a file, conf/suite.yaml; a test compares
it with ``theorems/``.  Experiments that need an optional extra are not in it: run them by name.
The table is read from the verdicts of the last ``dvc repro``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from repro.help import explain_or_run
from repro.paths import conf_dir
from repro.report.wording import SYMBOLS
from repro.study.experiment import find, slugs
from repro.study.verdicts import worst

HEADER = (
    "# The experiments of `dvc repro`; `python -m repro.suite list` rewrites it from theorems/.\n"
)
COLUMNS = (
    "| experiment | statements | verdict | checks | contradicted by the run |\n"
    "|---|---|---|---|---|"
)


def write_list() -> str:
    """Rewrite conf/suite.yaml; returns what was done."""
    found = listed()
    lines = "".join(f"- {slug}\n" for slug in found)
    (conf_dir() / "suite.yaml").write_text(f"{HEADER}theorems:\n{lines}", encoding="utf-8")
    return f"conf/suite.yaml: {len(found)} experiments"


def listed() -> list[str]:
    """Experiments that run without any optional extra."""
    return [slug for slug in slugs() if not find(slug).extra]


def table(folder: Path) -> str:
    """Markdown, one row per verdict below a folder."""
    found = sorted(folder.glob("*/verdict.json"))
    rows = (_row(path.parent.name, json.loads(path.read_text("utf-8"))) for path in found)
    return "\n".join([COLUMNS, *rows])


def _row(name: str, verdict: dict[str, Any]) -> str:
    checks = verdict["checks"]
    held = sum(check["verdict"] == "supported" for check in checks)
    cells = (
        f"`{name}`",
        ", ".join(_statements(verdict["statements"], checks)),
        verdict["verdict"],
        f"{held} of {len(checks)} supported, {len(verdict['controls'])} controls",
        "; ".join(_contradictions(checks)) or "–",
    )
    return "| " + " | ".join(cells) + " |"


def _statements(names: list[str], checks: list[dict[str, Any]]) -> Iterator[str]:
    """Each statement with a mark where the checks that speak for it do not all support it."""
    for name in names:
        found = worst(check["verdict"] for check in checks if name in check["statements"])
        yield name if found == "supported" else f"{name} {SYMBOLS[found]}"


def _contradictions(checks: list[dict[str, Any]]) -> Iterator[str]:
    for check in checks:
        if check["verdict"] == "contradicted":
            keys = ("slope", "value", "max_ratio", "exact_epsilon")
            number = next((check[key] for key in keys if check.get(key) is not None), None)
            claimed = next((check[k] for k in ("claimed", "claimed_epsilon") if k in check), 1)
            yield f"{check['name']}: claimed {claimed:g}, measured {number:.4g}"


def main(words: list[str]) -> int:
    """Do what the word says; 0, or 2 for another word."""
    if words not in (["list"], ["table"]):
        print("error: usage: python -m repro.suite list | table", file=sys.stderr)
        return 2
    print(write_list() if words == ["list"] else table(Path("outputs") / "suite"))
    return 0


if __name__ == "__main__":
    sys.exit(explain_or_run(main, sys.argv[1:], __doc__))
