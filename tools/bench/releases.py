"""CPU time and memory of a release, and of its audit, as a shell would start them.

    python -m tools.bench.releases [MEGABYTES=1000] [LINES=100000] [OTHER_TREE]

A file of so many megabytes is privatised; by another checkout of the project too, if one is named,
for the ratio on the same machine.  A release of so many lines is audited.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from repro.preferences.synthetic_pairs import synthetic_pairs

HERE = Path(__file__).parents[2]
TEXTS = 3840
KIBIBYTES = 1024


@dataclass(frozen=True)
class Cost:
    """What a process took: seconds of CPU, user's and system's, and MiB at its peak."""

    cpu: float
    peak: float

    def __str__(self) -> str:
        return f"{self.cpu:.1f} s of CPU, peak {self.peak:.0f} MiB"


def write_pairs(path: Path, size: float, lines: float = float("inf")) -> int:
    """Write distinct comparisons of about 1.1 kB until the file has a size, or so many lines.

    Args:
        path: the file.
        size: bytes.
        lines: at most.
    """
    texts, chance, written, count = synthetic_pairs(TEXTS, seed=3), random.Random(1), 0, 0
    with open(path, "w", encoding="utf-8") as file:
        while written < size and count < lines:
            one, two, three = texts[count % TEXTS], *chance.choices(texts, k=2)
            record = {
                "prompt": f"{one.prompt} ({count})",
                "chosen": f"{one.chosen} {two.chosen} {two.rejected}",
                "rejected": f"{one.rejected} {three.rejected} {three.chosen}",
            }
            written += file.write(json.dumps(record) + "\n")
            count += 1
    return count


def cost(tree: Path, *words: object) -> Cost:
    """Run ``python -m`` some words with a checkout of the project.

    Raises:
        CalledProcessError: it did not end with 0.
    """
    command = [sys.executable, "-m", *map(str, words)]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)}
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / KIBIBYTES)


def release(tree: Path, source: Path, folder: Path) -> Cost:
    """Privatise a file into a new folder, with a ledger of its own."""
    folder.mkdir(mode=0o700)
    words = (source, folder / "out.jsonl", "epsilon=0.5", f"ledger={folder / 'ledger'}")
    return cost(tree, "repro.privatize", *words)


def main(words: list[str]) -> None:
    """Print the costs."""
    megabytes, lines = map(int, [*words[:2], *("1000", "100000")[len(words) :]])
    with tempfile.TemporaryDirectory(dir=".") as name:
        folder = Path(name).absolute()
        count = write_pairs(folder / "in.jsonl", megabytes * 1e6)
        here = release(HERE, folder / "in.jsonl", folder / "here")
        print(f"release of {megabytes} MB, {count} lines: {here}", flush=True)
        for tree in map(Path, words[2:]):
            there = release(tree.absolute(), folder / "in.jsonl", folder / "there")
            ratio = here.cpu / there.cpu
            print(f"by {tree}: {there}; ratio of CPU times {ratio:.2f}", flush=True)
        write_pairs(folder / "in.jsonl", float("inf"), lines)
        release(HERE, folder / "in.jsonl", folder / "audited")
        target = folder / "audited" / "out.jsonl"
        audit = cost(HERE, "repro.audit_release", target, "--original", folder / "in.jsonl")
        print(f"audit of {lines} lines: {audit}")


if __name__ == "__main__":
    main(sys.argv[1:])
