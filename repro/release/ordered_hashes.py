"""Identifiers that are hashes of the texts in an order that depends on the label."""

from __future__ import annotations

import hashlib
import itertools
import json
import uuid
import zlib
from collections.abc import Callable, Iterator

from repro.release.opened import Line
from repro.release.signals import FIELDS

SEPARATORS = (
    "",
    " ",
    "\n",
    "\n\n",
    "|",
    "||",
    ",",
    "\t",
    "_",
    "-",
    ":",
    "::",
    "\0",
    "###",
    "[SEP]",
)
SHORTEST = 6
"""Hex digits below which a match says nothing."""

PROBES = 24
"""Lines that an identifier's recipe is sought on."""

Recipe = Callable[[str, str, str], str]
HASHES: dict[str, Callable[[bytes], str]] = {
    **{
        name: lambda data, name=name: hashlib.new(name, data).hexdigest()
        for name in ("md5", "sha1", "sha256", "sha512", "blake2b", "blake2s", "sha3_256")
    },
    "crc32": lambda data: f"{zlib.crc32(data):08x}",
    "adler32": lambda data: f"{zlib.adler32(data):08x}",
    "uuid5": lambda data: uuid.uuid5(uuid.NAMESPACE_DNS, data.decode()).hex,
}


def guess_by_hash(lines: list[Line]) -> tuple[str, list[int]]:
    """Recipe found, and ±1 a line: which response stands in the first place of its hash.

    0 where the identifier does not tell; ("", zeros) where no recipe fits.
    """
    names = sorted({name for line in lines[:PROBES] for name in line.values if name not in FIELDS})
    for name, (label, recipe) in itertools.product(names, _recipes()):
        if any(_which(line, name, recipe) for line in lines[:PROBES]):
            return f"{label} in field {name[:40]!r}", [_which(line, name, recipe) for line in lines]
    return "", [0] * len(lines)


def _which(line: Line, name: str, recipe: Recipe) -> int:
    """+1 where the hash has response_1 in the first place, −1 where response_2, else 0."""
    found = _hex(line.values.get(name))
    one, two = _released(line)
    ahead = _fits(found, recipe(line.prompt, one, two))
    behind = _fits(found, recipe(line.prompt, two, one))
    return int(ahead) - int(behind)


def _fits(found: tuple[str, ...], digest: str) -> bool:
    return any(digest.startswith(text) or digest.endswith(text) for text in found)


def _hex(value: object) -> tuple[str, ...]:
    """Hexadecimal readings of an identifier, long enough to mean something."""
    text = str(value).lower().removeprefix("0x").replace("-", "")
    readings = {text, text.rpartition("_")[2], text.rpartition(":")[2]}
    if isinstance(value, int) and not isinstance(value, bool):
        readings |= {f"{value:x}", f"{value:08x}"}
    return tuple(r for r in readings if len(r) >= SHORTEST and not r.strip("0123456789abcdef"))


def _released(line: Line) -> tuple[str, str]:
    pair = (line.chosen, line.rejected)
    return pair if line.first_chosen else (pair[1], pair[0])


def _recipes() -> Iterator[tuple[str, Recipe]]:
    for (name, digest), (words, join) in itertools.product(HASHES.items(), _joins()):
        yield f"{name} of {words}", lambda p, a, b, d=digest, j=join: d(j(p, a, b).encode())


def _joins() -> Iterator[tuple[str, Recipe]]:
    for separator in SEPARATORS:
        yield (
            f"prompt, a, b joined by {separator!r}",
            lambda p, a, b, s=separator: s.join((p, a, b)),
        )
        yield f"a, b joined by {separator!r}", lambda p, a, b, s=separator: s.join((a, b))
        yield f"prompt, a joined by {separator!r}", lambda p, a, b, s=separator: s.join((p, a))
    yield "a", lambda p, a, b: a
    for names in (("prompt", "chosen", "rejected"), ("chosen", "prompt", "rejected")):
        for ascii_only in (True, False):
            for sort in (True, False):
                yield f"JSON {names}", _json_recipe(names, ascii_only, sort)


def _json_recipe(names: tuple[str, ...], ascii_only: bool, sort: bool) -> Recipe:
    def recipe(prompt: str, a: str, b: str) -> str:
        values = {"prompt": prompt, "chosen": a, "rejected": b}
        record = {name: values[name] for name in names}
        return json.dumps(record, ensure_ascii=ascii_only, sort_keys=sort)

    return recipe
