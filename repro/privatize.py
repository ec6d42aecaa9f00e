"""Label-private release of a preference file.

    python -m repro.privatize IN OUT.jsonl epsilon=0.5 [compose=true] [group=0.8]
                              [ledger=FOLDER]

IN has prompt, chosen and rejected: JSON lines (also .gz), CSV, Parquet, or a folder saved by
datasets; texts, chat lists, dialogues as in hh-rlhf, or PKU's better_response_id.  OUT has prompt,
response_1, response_2 and label (+1: the randomised report prefers response_1), in random order;
OUT.manifest.json states the guarantee.  Near-copies from the similarity of group= on share one
answer.  Coins come from the operating system; a seed is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from repro.base.errors import BadInput, one_line
from repro.cli.command import run_command
from repro.cli.outcome import explained

if TYPE_CHECKING:
    from repro.release.manifest import Counts

KEYS = {"epsilon": "0.5", "compose": "true", "group": "0.8", "ledger": "FOLDER"}
ENTROPY = (
    "real labels are randomised by the operating system's entropy alone; "
    "whoever knows a seed could undo the noise"
)


def main(words: Sequence[str] | None = None) -> int:
    """Privatise; 0 when released, else what ``repro.cli.outcome`` makes of a failure."""
    words = sys.argv[1:] if words is None else words
    if any(word in ("-h", "--help") for word in words):
        print(__doc__)
        return 0
    try:
        _tell(_release(words))
    except (Exception, KeyboardInterrupt) as problem:  # noqa: BLE001 - no detail holds a label
        return explained(problem, private=True)
    return 0


def _tell(released: str) -> None:
    """Say that it is released: on standard error, where standard output fails meanwhile.

    Raises:
        OSError: standard output is full or broken.
    """
    try:
        print(released, flush=True)
    except OSError:
        print(released, file=sys.stderr, flush=True)
        raise


def _release(words: Sequence[str]) -> str:
    from repro.base.files import expanded
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
    folder = expanded("ledger", options["ledger"]) if "ledger" in options else default_folder()
    paths = Path(source), Path(target).absolute()
    done = privatise(*paths, epsilon, Ledger(folder), compose, group, _ready)
    spent = f"total epsilon {done.total}" if done.earlier else "no earlier release known"
    return one_line(
        f"released {done.counts.lines} lines{_alike(done.counts)} at epsilon {done.epsilon}, "
        f"{spent}: {target}, {done.manifest.name}"
    )


def _ready(counts: Counts) -> None:
    """Said before anything is spent: who cannot be told of a release does not pay for it."""
    print(f"randomised {counts.lines} lines", flush=True)


def _alike(counts: Counts) -> str:
    found = {"repeat a comparison": counts.repeated, "nearly do": counts.joined}
    said = ", ".join(f"{number} {words}" for words, number in found.items() if number)
    return f" ({said})" if said else ""


if __name__ == "__main__":
    run_command(main, private=True)
