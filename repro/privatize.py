"""Label-private release of a preference file.

    python -m repro.privatize IN.jsonl OUT.jsonl epsilon=0.5 [compose=true] [ledger=FOLDER]

IN has one JSON object a line: prompt, chosen, rejected.  OUT has prompt, response_1, response_2
and label (+1: the randomised report prefers response_1), in random order; OUT.manifest.json
states the guarantee.  Coins come from the operating system; a seed is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from repro.base.errors import BadInput, one_line
from repro.cli.command import run_command

KEYS = {"epsilon": "0.5", "compose": "true", "ledger": "FOLDER"}
ENTROPY = (
    "real labels are randomised by the operating system's entropy alone; "
    "whoever knows a seed could undo the noise"
)
REFUSED, INTERRUPTED = 2, 130


def main(words: Sequence[str] | None = None) -> int:
    """Privatise; 0 when released, 2 when refused with one line, 130 on Ctrl-C."""
    words = sys.argv[1:] if words is None else words
    if any(word in ("-h", "--help") for word in words):
        print(__doc__)
        return 0
    try:
        print(_release(words))
    except BadInput as problem:
        print(f"error: {problem}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("interrupted: nothing was released", file=sys.stderr)
        return INTERRUPTED
    return 0


def _release(words: Sequence[str]) -> str:
    from repro.privacy.exact_response import ALLOWED, parse_epsilon
    from repro.release.ledger import Ledger, default_folder
    from repro.release.options import split_options, true_or_false
    from repro.release.privatise import privatise

    for word in words:
        if word.removeprefix("--").startswith("seed="):
            raise BadInput("seed", word.partition("=")[2][:60], ENTROPY)
    (source, target), options = split_options(words, KEYS, ("IN", "OUT"))
    if "epsilon" not in options:
        raise BadInput("epsilon", "(missing)", ALLOWED)
    epsilon, compose = parse_epsilon(options["epsilon"]), true_or_false(options, "compose")
    folder = Path(options["ledger"]).expanduser() if "ledger" in options else default_folder()
    done = privatise(Path(source), Path(target).absolute(), epsilon, Ledger(folder), compose)
    repeats = f" ({done.counts.repeated} repeat a comparison)" if done.counts.repeated else ""
    spent = f"total epsilon {done.total}" if done.earlier else "no earlier release known"
    return one_line(
        f"released {done.counts.lines} lines{repeats} at epsilon {done.epsilon}, {spent}: "
        f"{target}, {done.manifest.name}"
    )


if __name__ == "__main__":
    run_command(main, private=True)
