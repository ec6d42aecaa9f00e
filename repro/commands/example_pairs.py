"""Two files of generated preference pairs, as an example for the commands on own pairs.

    repro example_pairs PAIRS.jsonl HELD_OUT.jsonl

The first gets 2,000 pairs of 200 annotators, the second 1,000 new pairs.  Each line has prompt,
chosen, rejected and annotator: the columns of docs/howto/own_preference_data.md.  Prompts are
distinct, and the files are the same every time.  Exit status: 0 done, 2 bad input, such as a file
that exists.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from repro.base.errors import BadInput
from repro.base.files import expanded, write_together
from repro.base.words import split_words

FILES = ("PAIRS", "HELD_OUT")
FIRST, ANNOTATORS, ALL = 2000, 200, 3000


def main(words: Sequence[str]) -> int:
    """Write both files, or none."""
    paths, _ = split_words(words, (), FILES)
    first, other = (_new(key, path) for key, path in zip(FILES, paths, strict=True))
    if os.path.realpath(first) == os.path.realpath(other):
        raise BadInput(FILES[1], paths[1], "allowed: another name than that of PAIRS")
    lines = _lines()
    write_together({first: b"".join(lines[:FIRST]), other: b"".join(lines[FIRST:])})
    print(f"files: {first}, {other}")
    return 0


def _new(key: str, name: str) -> Path:
    path = expanded(key, name)
    if not path.parent.is_dir():
        raise BadInput(key, name, "its folder does not exist")
    if os.path.lexists(path):
        raise BadInput(key, name, "exists; choose a new name")
    return path


def _lines() -> list[bytes]:
    from repro.labels.preferences.synthetic_pairs import synthetic_pairs

    pairs = enumerate(synthetic_pairs(ALL))
    records = ({**vars(pair), "annotator": number % ANNOTATORS} for number, pair in pairs)
    return [json.dumps(record).encode() + b"\n" for record in records]
