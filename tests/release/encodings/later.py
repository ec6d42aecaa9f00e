"""A third batch, written in one go before any of it was tried; the first result is in the notes.

Most of it leaks through the relation of a line to others, or through one place that holds
the bits of all lines.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

from tests.release.encodings.in_fields import with_field
from tests.release.encodings.in_places import ordered
from tests.release.encodings.rows import (
    BITS,
    COIN,
    Row,
    edited,
    flips,
    manifest,
    plain,
    rows,
    shuffled,
    write,
)


def bits_of(lines, bit="released") -> str:
    return "".join("01"[BITS[bit](row)] for row in lines)


def pairs_by_prompt(lines):
    """Of two lines the one with the lesser prompt comes first where that one has the bit."""
    lines = shuffled(lines)
    found = []
    for one, two in zip(lines[::2], lines[1::2], strict=True):
        least, most = sorted((one, two), key=lambda row: row.prompt)
        found += [least, most] if least.text else [most, least]
    return found


def pairs_by_length(lines):
    """The shorter one comes first where the longer one has the bit."""
    lines = shuffled(lines)
    found = []
    for one, two in zip(lines[::2], lines[1::2], strict=True):
        least, most = sorted((one, two), key=lambda row: len(row.prompt + row.chosen))
        found += [least, most] if most.released else [most, least]
    return found


def framed(before: Callable[[list[Row]], str], after: Callable[[list[Row]], str]):
    """Blanks before the first line, or after the last, that hold the bits of all lines."""

    def release(records, folder):
        lines = shuffled(rows(records))
        texts = [before(lines), *map(plain, lines), after(lines)]
        return records, write(folder / "out.jsonl", ["".join(texts)])

    return release


def blanks(lines) -> str:
    return bits_of(lines).translate({48: " ", 49: "\t"})


def all_in_one_line(records, folder):
    """One line's field holds the bits of all lines."""
    lines = shuffled(rows(records))
    for row in lines:
        row.more = {"note": ""}
    lines[0].more = {"note": bits_of(lines, "kept")}
    return records, write(folder / "out.jsonl", lines)


def gap_of_one_line(records, folder):
    """The white space of one line holds the bits of all lines."""
    lines = shuffled(rows(records))
    texts = [plain(row) for row in lines]
    texts[7] = texts[7].replace(": ", f": {blanks(lines)}", 1)
    return records, write(folder / "out.jsonl", texts)


def four_digits(row: Row, _: bool) -> str:
    return hashlib.md5(row.chosen.encode()).hexdigest()[:4]


def backwards(row: Row, _: bool) -> str:
    return row.chosen[::-1][:40]


def capitals(row: Row, _: bool) -> int:
    return sum(c.isupper() for c in row.chosen) + 100 * sum(c in "aeiou" for c in row.chosen)


def place_of_a_word(row: Row, _: bool) -> list[int]:
    word = max(row.chosen.split(), key=len)
    at = row.chosen.index(word)
    return [at, at + len(word)]


def ascii85(row: Row, bit: bool) -> str:
    return base64.a85encode(f"{COIN.randrange(10**6):06d}{'+-'[bit]}".encode()).decode()


def sentence_order(row: Row, bit: bool) -> None:
    """The prompt's last word is moved to its front."""
    if bit:
        *rest, last = row.prompt.split(" ")
        row.prompt = " ".join([last, *rest])


def look_alike(row: Row, bit: bool) -> None:
    row.prompt = row.prompt.replace("e", "\u0435" if bit else "e", 1)


def rows_of_ten(lines) -> list[list[int]]:
    bits = [int(row.flip) for row in lines]
    return [bits[i : i + 10] for i in range(0, len(bits), 10)]


def by_number(lines) -> dict[str, int]:
    return {str(i): int(row.released) for i, row in enumerate(lines)}


def signs(lines) -> str:
    return " ".join("+-"[row.text] for row in lines)


def in_base_36(lines) -> str:
    number, digits = int(bits_of(lines, "kept"), 2), "0123456789abcdefghijklmnopqrstuvwxyz"
    found = ""
    while number:
        number, digit = divmod(number, 36)
        found = digits[digit] + found
    return found


LATER: dict[str, Callable] = {
    "lines: pairs by prompt": ordered(pairs_by_prompt),
    "lines: pairs by length": ordered(pairs_by_length),
    "bytes: after the last line": framed(lambda lines: "", blanks),
    "bytes: before the first line": framed(blanks, lambda lines: ""),
    "bytes: gap of one line": gap_of_one_line,
    "bytes: length of the end": framed(lambda lines: "", lambda lines: " " * flips(lines)),
    "field: all in one line": all_in_one_line,
    "field: four digits of a hash": with_field("ref", four_digits),
    "field: read backwards": with_field("k", backwards),
    "field: capitals and vowels": with_field("n", capitals),
    "field: place of a word": with_field("span", place_of_a_word),
    "field: ascii85": with_field("tag", ascii85),
    "prompt: last word first": edited(sentence_order, "text"),
    "prompt: look-alike letter": edited(look_alike, "kept"),
    "manifest: rows of ten": manifest(lambda lines: {"map": rows_of_ten(lines)}),
    "manifest: by number": manifest(lambda lines: {"map": by_number(lines)}),
    "manifest: signs": manifest(lambda lines: {"map": signs(lines)}),
    "manifest: in base 36": manifest(lambda lines: {"map": in_base_36(lines)}),
}
