"""Label-private release of a preference file.

    python -m repro.privatize IN.jsonl OUT.jsonl epsilon=0.5 [compose=true] [group=0.8]
                              [ledger=FOLDER]

IN has one JSON object a line: prompt, chosen, rejected.  OUT has prompt, response_1, response_2
and label (+1: the randomised report prefers response_1), in random order; OUT.manifest.json
states the guarantee.  Near-copies from the similarity of group= on share one answer.  Coins come
from the operating system; a seed is refused.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from repro.base.errors import BadInput, one_line
from repro.cli.command import run_command

if TYPE_CHECKING:
    from repro.release.manifest import Counts

KEYS = {"epsilon": "0.5", "compose": "true", "group": "0.8", "ledger": "FOLDER"}
ENTROPY = (
    "real labels are randomised by the operating system's entropy alone; "
    "whoever knows a seed could undo the noise"
)
OUTPUT = "standard output"
REFUSED, MACHINE, INTERRUPTED = 2, 74, 130


def main(words: Sequence[str] | None = None) -> int:
    """Privatise; 0 when released, 2 when refused, 74 when the disk or standard output fails, 130 on
    Ctrl-C, each with one line."""
    words = sys.argv[1:] if words is None else words
    if any(word in ("-h", "--help") for word in words):
        print(__doc__)
        return 0
    try:
        say(_release(words))
    except BadInput as problem:
        print(f"error: {problem}", file=sys.stderr)
        return REFUSED
    except OSError as problem:
        print(one_line(f"error: {problem.filename}: {problem.strerror}"), file=sys.stderr)
        return MACHINE
    except KeyboardInterrupt as stopped:
        print(f"interrupted: {stopped}", file=sys.stderr)
        return INTERRUPTED
    return 0


def say(line: str) -> None:
    """A line on standard output, now.

    Raises:
        OSError: standard output is closed, full or broken.
    """
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "closed")
        print(line, flush=True)
    except OSError as problem:
        _drop_output()
        raise OSError(problem.errno, problem.strerror, OUTPUT) from None


def _drop_output() -> None:
    """What the stream still holds would fail once more when the process ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


def _release(words: Sequence[str]) -> str:
    from repro.privacy.exact_response import ALLOWED, parse_epsilon
    from repro.release.ledger import Ledger, default_folder
    from repro.release.near_copies import similarity
    from repro.release.options import split_options, true_or_false
    from repro.release.privatise import privatise

    for word in words:
        if word.removeprefix("--").startswith("seed="):
            raise BadInput("seed", word.partition("=")[2][:60], ENTROPY)
    (source, target), options = split_options(words, KEYS, ("IN", "OUT"))
    if "epsilon" not in options:
        raise BadInput("epsilon", "(missing)", ALLOWED)
    epsilon, compose = parse_epsilon(options["epsilon"]), true_or_false(options, "compose")
    group = similarity(options["group"]) if "group" in options else None
    folder = Path(options["ledger"]).expanduser() if "ledger" in options else default_folder()
    paths = Path(source), Path(target).absolute()
    done = privatise(*paths, epsilon, Ledger(folder), compose, group, _ready)
    spent = f"total epsilon {done.total}" if done.earlier else "no earlier release known"
    return one_line(
        f"released {done.counts.lines} lines{_alike(done.counts)} at epsilon {done.epsilon}, "
        f"{spent}: {target}, {done.manifest.name}"
    )


def _ready(counts: Counts) -> None:
    """Said before anything is spent: who cannot be told of a release does not pay for it."""
    say(f"randomised {counts.lines} lines")


def _alike(counts: Counts) -> str:
    found = {"repeat a comparison": counts.repeated, "nearly do": counts.joined}
    said = ", ".join(f"{number} {words}" for words, number in found.items() if number)
    return f" ({said})" if said else ""


if __name__ == "__main__":
    run_command(main, private=True)
