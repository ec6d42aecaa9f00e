"""Did a change of the code change a result?  Two folders of finished runs, side by side.

Prints one line for every experiment: ``same`` where measurements.parquet is the same to the byte
and everything that is judged agrees (words, ``needs`` and
``settings`` apart), otherwise which checks differ and how.  Experiments of one side only are
named.  Exit status: 0 all the same, 1 some are not, 2 a folder without results.

    python tools/compare_suites.py BEFORE AFTER
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WORDS = ("claim", "quantity", "needs", "settings", "method", "check", "name")
"""What tells about a check, and is not judged."""


def differences(before: Path, after: Path) -> Iterator[tuple[str, list[str]]]:
    """(experiment, what differs) for every experiment of either folder, by name."""
    sides = [{path.parent.name: path.parent for path in folder.glob("*/verdict.json")}
             for folder in (before, after)]  # fmt: skip
    for name in sorted(sides[0].keys() | sides[1].keys()):
        if all(name in side for side in sides):
            yield name, list(_changes(sides[0][name], sides[1][name]))
        else:
            yield name, [f"only in {before if name in sides[0] else after}"]


def _changes(before: Path, after: Path) -> Iterator[str]:
    one, other = (_outcomes(run / "verdict.json") for run in (before, after))
    for name in sorted(one.keys() | other.keys()):
        was, now = one.get(name, {}), other.get(name, {})
        for key in sorted(was.keys() | now.keys()):
            if was.get(key) != now.get(key):
                yield f"{name}: {key} {was.get(key, 'absent')} → {now.get(key, 'absent')}"
    tables = [(run / "measurements.parquet").read_bytes() for run in (before, after)]
    if tables[0] != tables[1]:
        yield "measurements.parquet differs"


def _outcomes(file: Path) -> dict[str, dict[str, Any]]:
    """What is judged, by check, and by check and control."""
    content: dict[str, Any] = json.loads(file.read_text())
    checks = {one["name"]: one for one in content["checks"]}
    controls = {f"{one['check']} / {one['name']}": one for one in content["controls"]}
    whole = {
        key: content.get(key) for key in ("verdict", "expected", "statements", "seed", "budget")
    }
    held = all(one["holds"] for one in content.get("assumptions", []))
    found = {"": {**whole, "assumptions hold": held}}
    for name, one in (checks | controls).items():
        found[name] = {key: value for key, value in one.items() if key not in WORDS}
    return found


def main(words: list[str]) -> int:
    """Print the comparison; the exit status."""
    folders = [Path(word) for word in words]
    if len(folders) != 2 or not all(any(one.glob("*/verdict.json")) for one in folders):
        print(f"error: {' '.join(words) or 'nothing'}: allowed: two folders of runs, each run in "
              "a folder named after its experiment", file=sys.stderr)  # fmt: skip
        return 2
    found = dict(differences(*folders))
    for name, changes in found.items():
        print(f"{name}: {'; '.join(changes) or 'same'}")
    print(f"{sum(not changes for changes in found.values())} of {len(found)} experiments the same")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
