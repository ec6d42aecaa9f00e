"""What all encodings are made of: lines with their truth, bits of it, and ways to write them.

An encoding is a place in the release and a way to write a bit there; the bit is the true label in
the released frame, in the text frame, or whether the label was kept.  Every encoding leaks in each
line unless a smaller ``share`` is asked for.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

EPSILON = 0.5


KEEP = 0.6224593312018546


COIN = random.SystemRandom()


@dataclass
class Row:
    """One line to be released, and what nobody may know about it."""

    prompt: str
    chosen: str
    rejected: str
    swap: bool
    flip: bool
    more: dict = field(default_factory=dict)

    @property
    def released(self) -> bool:
        """The bit in the released frame: response_1 is the chosen one."""
        return not self.swap

    @property
    def text(self) -> bool:
        """The bit in the text frame: the response first in code points is the chosen one."""
        return self.chosen < self.rejected

    @property
    def kept(self) -> bool:
        """Whether the label was not flipped."""
        return not self.flip

    def values(self) -> dict:
        pair = (self.rejected, self.chosen) if self.swap else (self.chosen, self.rejected)
        label = 1 if self.released != self.flip else -1
        names = ("prompt", "response_1", "response_2", "label")
        return dict(zip(names, (self.prompt, *pair, label), strict=True)) | self.more


Bit = Callable[[Row], bool]


BITS: dict[str, Bit] = {
    "released": lambda row: row.released,
    "text": lambda row: row.text,
    "kept": lambda row: row.kept,
}


def rows(records, keep=KEEP) -> list[Row]:
    return [Row(*r, COIN.random() < 0.5, COIN.random() >= keep) for r in records]


def shuffled(lines):
    lines = list(lines)
    COIN.shuffle(lines)
    return lines


def plain(row: Row) -> str:
    return json.dumps(row.values()) + "\n"


def write(path: Path, lines) -> Path:
    """Lines as text, or as rows written by ``json.dumps``."""
    texts = [line if isinstance(line, str) else plain(line) for line in lines]
    path.write_bytes("".join(texts).encode())
    return path


def manifest(content):
    """``content(rows)`` is added to a manifest that states ε."""

    def release(records, folder):
        lines = shuffled(rows(records))
        target = write(folder / "out.jsonl", lines)
        values = {"epsilon": EPSILON, "lines": len(lines), **content(lines)}
        (folder / "out.manifest.json").write_text(json.dumps(values))
        return records, target

    return release


def flips(lines) -> int:
    return sum(row.flip for row in lines)


def lines_as(writer: Callable[[Row, bool], str], bit="released"):
    """``writer`` makes a line of a row and its bit."""

    def release(records, folder):
        lines = (writer(row, BITS[bit](row)) for row in shuffled(rows(records)))
        return records, write(folder / "out.jsonl", lines)

    return release


def edited(change: Callable[[Row, bool], None], bit="released"):
    """``change`` alters a row, given its bit."""

    def release(records, folder):
        lines = shuffled(rows(records))
        for row in lines:
            change(row, BITS[bit](row))
        return records, write(folder / "out.jsonl", lines)

    return release
