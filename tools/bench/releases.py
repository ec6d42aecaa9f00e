"""CPU time and memory of a release, and of its audit, as a shell would start them.

    python -m tools.bench.releases [LINES=1000000] [OTHER_TREE ...]

A file of so many comparisons, of about 560 bytes each, is privatised and audited; privatised by
other checkouts of the project, too, if any are named, for the ratio on the same machine.
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

from repro.labels.preferences.synthetic_pairs import synthetic_pairs

HERE = Path(__file__).parents[2]
LINES, TEXTS = 1_000_000, 3840
KIBIBYTES = 1024


@dataclass(frozen=True)
class Cost:
    """What a process took: seconds of CPU, user's and system's, and MiB at its peak."""

    cpu: float
    peak: float

    def __str__(self) -> str:
        return f"{self.cpu:.1f} s of CPU, peak {self.peak:.0f} MiB"


def write_pairs(path: Path, lines: int) -> int:
    """Write so many distinct comparisons; the bytes of the file."""
    texts, chance, written = synthetic_pairs(TEXTS, seed=3), random.Random(1), 0
    with open(path, "w", encoding="utf-8") as file:
        for count in range(lines):
            one, (two,) = texts[count % TEXTS], chance.choices(texts, k=1)
            record = {
                "prompt": f"{one.prompt} ({count})",
                "chosen": f"{one.chosen} {two.chosen}"[:230],
                "rejected": f"{one.rejected} {two.rejected}"[:230],
            }
            written += file.write(json.dumps(record) + "\n")
    return written


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
    return cost(tree, "repro", "privatize", *words)


def main(words: list[str]) -> None:
    """Print the costs."""
    lines = int(words[0]) if words else LINES
    with tempfile.TemporaryDirectory(dir=".") as name:
        folder = Path(name).absolute()
        size = write_pairs(folder / "in.jsonl", lines)
        here = release(HERE, folder / "in.jsonl", folder / "here")
        print(f"release of {lines} lines, {size / 1e6:.0f} MB: {here}", flush=True)
        for tree in map(Path, words[1:]):
            there = release(tree.absolute(), folder / "in.jsonl", folder / "there")
            ratio = here.cpu / there.cpu
            print(f"by {tree}: {there}; ratio of CPU times {ratio:.2f}", flush=True)
        target = folder / "here" / "out.jsonl"
        audit = cost(HERE, "repro", "audit_release", target, "--original", folder / "in.jsonl")
        print(f"audit: {audit}")


if __name__ == "__main__":
    main(sys.argv[1:])
