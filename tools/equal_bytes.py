"""The same config gives the same bytes, however Python is started and however many workers run.

Runs each experiment named once as it is and once under each of ``WAYS``, every time without
anything cached, and compares measurements.parquet and verdict.json byte for byte.  Exit status: 0
all the same, 1 some differ or did not run, 2 bad input.

    python -m tools.equal_bytes rdpo_identity kl_contraction budget=smoke
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FILES = ("measurements.parquet", "verdict.json")


@dataclass(frozen=True)
class Way:
    """How a run is started.

    Attributes:
        name: what is printed of it.
        python: options of the interpreter.
        words: overrides, which must not change the config's hash.
        environment: variables besides those of this process.
    """

    name: str
    python: Sequence[str] = ()
    words: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


PLAIN = Way("one worker", words=["compute.workers=1"])
WAYS = (
    Way("two workers", words=["compute.workers=2"]),
    Way("three workers", words=["compute.workers=3"]),
    Way("-OO", ["-OO"]),
    Way("-X dev", ["-X", "dev"]),
    Way("hash seed 0", environment={"PYTHONHASHSEED": "0"}),
    Way("hash seed 4242", environment={"PYTHONHASHSEED": "4242"}),
    Way("locale C", environment={"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}),
    Way("locale tr_TR", environment={"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}),
    Way("time zone", environment={"TZ": "Pacific/Kiritimati"}),
    Way("eight threads", environment={"OMP_NUM_THREADS": "8", "MKL_NUM_THREADS": "8"}),
)


def differences(
    theorem: str, words: Sequence[str], ways: Sequence[Way] = WAYS
) -> Iterator[tuple[Way, list[str]]]:
    """(way, names of files that differ from a run with one worker), in turn.

    A way whose run ends without results differs in all of them.
    """
    with tempfile.TemporaryDirectory() as folder:
        wanted = _bytes_of(theorem, words, PLAIN, Path(folder) / "plain")
        for number, way in enumerate(ways):
            found = _bytes_of(theorem, words, way, Path(folder) / str(number))
            yield way, [name for name in FILES if name not in wanted
                        or found.get(name) != wanted[name]]  # fmt: skip


def _bytes_of(theorem: str, words: Sequence[str], way: Way, folder: Path) -> dict[str, bytes]:
    """What is in the files of a run, by name; nothing where it did not end well."""
    command = [sys.executable, *way.python, "-m", "repro", f"theorem={theorem}", "tracking=none",
               f"output_dir={folder}", *words, *way.words]  # fmt: skip
    environment = os.environ | way.environment
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode not in (0, 1):
        print(ended.stderr.strip()[-500:], file=sys.stderr)
        return {}
    return {path.name: path.read_bytes() for name in FILES for path in folder.rglob(name)}


def main() -> int:
    """Print a line for every experiment and way."""
    theorems = [word for word in sys.argv[1:] if "=" not in word]
    words = [word for word in sys.argv[1:] if "=" in word]
    if not theorems:
        print("which experiments? python -m tools.equal_bytes rdpo_identity", file=sys.stderr)
        return 2
    equal = True
    for theorem in theorems:
        for way, names in differences(theorem, words):
            print(f"{theorem}, {way.name}: {', '.join(names) + ' differ' if names else 'same'}")
            equal = equal and not names
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
