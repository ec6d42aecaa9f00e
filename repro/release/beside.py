"""What stands beside the lines: the manifest, the file's name and its times.

Three kinds of leaks.  A *sequence* gives one value for each line, in the order of the release or of
the original: it is a channel like any other.  A *secret number* (flips, raw labels that are +1)
or a *hash of the original* says something about all labels at once: chance has no part in it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np

from repro.base.files import json_object
from repro.base.notation import flip_prob, keep_prob
from repro.release.manifest import manifest_path
from repro.release.matching import MatchedRelease

SHORTEST = 32
"""Values that make a sequence; fewer could not be told from chance."""
SHIFTS = 5
"""Values that may come before those of the lines: a sign, a prefix, the rest of a hex digit."""
MOST = 500
"""Sequences that are read."""
SMALLEST = 10
"""Counts below this stand in every manifest by chance."""
SMALL, CAPITAL = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALPHABETS = (
    "0123456789" + SMALL,
    "0123456789" + CAPITAL + SMALL,
    "0123456789" + SMALL + CAPITAL,
    "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
)
"""Digits of numbers in bases 36, 62 and 58."""
FEWEST_DIGITS, MOST_DIGITS = 20, 20_000
WIDEST = 8
"""Columns of a table that are read."""
LOST = 16
"""Zeros that may have been lost at the front of such a number."""
BYTES = 256
"""Line numbers that one byte can hold."""
NANOSECOND = 10**9
ROUND_SECONDS = (10**6, 10**7)
"""A count may be added to a round time.  Below a million an honest time would agree by chance."""
HEXADECIMAL = re.compile(r"[g-zG-Z]?(?=[a-fA-F]*[0-9])([0-9a-fA-F]{3,15})")
"""A count in a name, with a letter before it or none; without a digit it is a word."""

Sequences = list[tuple[str, np.ndarray]]


@dataclass(frozen=True)
class Beside:
    """Everything that is not a line's own.

    Attributes:
        name: of the file, without folder.
        times: nanoseconds: last modified, last read.
        manifest: every value in it with its path; empty where there is none.
        places: what one place of the release holds, which may be for all lines.
    """

    name: str
    times: tuple[int, ...]
    manifest: tuple[tuple[str, Any], ...]
    places: tuple[tuple[str, Any], ...] = ()

    def values(self) -> Iterator[tuple[str, Any]]:
        """Words and value of all of it."""
        yield from self.places
        yield from self.manifest
        yield "the file's name", self.name
        for part in re.split(r"[^0-9A-Za-z+/=]+|_", self.name):
            if part:
                yield "the file's name", part
            if written := HEXADECIMAL.fullmatch(part):
                yield "the file's name", int(written[1], 16)
        for time in self.times:
            yield "the file's times", time
            yield "the file's times", time // NANOSECOND
            yield "the file's times", time % NANOSECOND
            for places in ROUND_SECONDS:
                yield "the file's times", time // NANOSECOND % places

    def seeds(self) -> list[int]:
        """Whole numbers that could have seeded a generator."""
        found = (int(n) for _, value in self.values() for n in re.findall(r"\d{1,19}", str(value)))
        return list(dict.fromkeys(found))[:200]

    def salts(self) -> list[str]:
        """Words that could have salted a hash."""
        found = [str(value) for _, value in self.values() if isinstance(value, str | int)]
        return list(dict.fromkeys(text for text in found if len(text) <= 128))[:50]


def look_beside(release: Path) -> Beside:
    """Read what stands beside a release.

    Raises:
        BadInput: a manifest that is no JSON object.
    """
    path = manifest_path(release)
    values = json_object("manifest", path) if os.path.lexists(path) else {}
    found = os.stat(release)
    times = (found.st_mtime_ns, found.st_atime_ns)
    return Beside(release.name, times, tuple(_leaves("manifest", values)))


def sequences(beside: Beside, count: int) -> Sequences:
    """Every reading of a value as one small category for each of the first lines.

    Args:
        beside: what to read.
        count: lines of the longer of release and original.
    """
    found: Sequences = []
    known: set[bytes] = set()
    for words, value in beside.values():
        for reading in _readings(value, count):
            for values in (reading[first:] for first in range(SHIFTS)):
                if values.size >= SHORTEST and 1 < np.unique(values).size <= 64:
                    if (key := values[:count].tobytes()) not in known:
                        found.append((words, values[:count]))
                    known.add(key)
    return found[:MOST]


def told_secrets(
    beside: Beside, every: MatchedRelease, single: MatchedRelease, original: Path, epsilon: float
) -> list[str]:
    """Words for every value that is a secret number or a hash of the original.

    Args:
        beside: what to read.
        every: all lines.
        single: one line of each comparison.
        original: the original's path.
        epsilon: budget, whose probabilities are no secret.
    """
    secrets = [*_secret_numbers(every), *_secret_numbers(single)]
    known = [*_public_numbers(every), *_public_numbers(single)]
    known += [flip_prob(epsilon), keep_prob(epsilon)]
    digests = _digests(original, {len(h) for _, v in beside.values() for h in _hexadecimal(v)})
    found = set()
    for words, value in beside.values():
        if any(digest in str(value).lower() for digest in digests):
            found.add(f"{words}: a hash of the original, from which a guess can be checked")
        for number in _numbers(value):
            if _among(number, secrets) and not _among(number, known):
                found.add(f"{words}: a number that only the raw labels give")
    return sorted(found)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    yield name[:60], value
    inside = value.items() if isinstance(value, dict) else ()
    inside = enumerate(value) if isinstance(value, list) and len(value) < SHORTEST else inside
    for key, part in inside:
        yield from _leaves(f"{name} {key}", part)


def _readings(value: Any, count: int) -> Iterator[np.ndarray]:
    if isinstance(value, list | dict):
        yield _codes([*_members_of(value)])
    if isinstance(value, list):
        yield _codes(value)
        yield from _members(value, count)
        yield from _runs(value, count)
        yield from _columns(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        yield from _bits_of(bin(value)[2:])
        yield from _bits_of(str(value))
    if isinstance(value, str):
        yield from _bits_of(value)
        yield _codes(re.split(r"[\s,;|/:]+", value))
        yield from _bits_of(re.sub(r"[\s,;|/:_-]+", "", value))
        yield from _digits(value, count)
        for data in _bytes(value):
            bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8)).astype(int)
            yield from (bits, bits.reshape(-1, 8)[:, ::-1].ravel())
            yield from _bits_of(data.decode("latin-1"))
            yield from _members(list(data), min(count, BYTES))


def _bits_of(text: str) -> Iterator[np.ndarray]:
    """A value for each character, from either end."""
    codes = np.frombuffer(text.encode("latin-1", "replace"), dtype=np.uint8).astype(int)
    yield codes
    yield codes[::-1]
    if text and not text.lower().removeprefix("0x").strip("0123456789abcdef"):
        bits = bin(int(text.lower().removeprefix("0x"), 16))[2:]
        padded = bits.zfill(4 * len(text.removeprefix("0x")))
        for one in (bits, padded):
            yield np.array([int(c) for c in one])
            yield np.array([int(c) for c in one[::-1]])


def _digits(text: str, count: int) -> Iterator[np.ndarray]:
    """Bits of a number in one of the bases beyond 16; zeros that lead it may have been lost."""
    for alphabet in ALPHABETS:
        if FEWEST_DIGITS <= len(text) <= MOST_DIGITS and not text.strip(alphabet):
            number = 0
            for char in text:
                number = len(alphabet) * number + alphabet.index(char)
            bits = bin(number)[2:]
            whole = bits.zfill(count) if count - LOST < len(bits) else bits
            for one in (whole, whole[::-1]):
                yield np.array([int(c) for c in one])


def _members_of(value: Any) -> Iterator[Any]:
    """Everything in lists of lists and objects, in their order."""
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, list | dict):
            yield from _members_of(part)
        else:
            yield part


def _bytes(text: str) -> Iterator[bytes]:
    for decode in (base64.b64decode, base64.urlsafe_b64decode, base64.b85decode):
        try:
            if data := decode(
                text if decode is base64.b85decode else text + "=" * (-len(text) % 4)
            ):
                yield data
        except (ValueError, binascii.Error):
            continue


def _codes(values: Sequence[Any]) -> np.ndarray:
    """Whole numbers for values that are alike."""
    names = [json.dumps(value, sort_keys=True) for value in values]
    return np.unique(names, return_inverse=True)[1] if names else np.zeros(0, dtype=int)


def _members(values: Sequence[Any], count: int) -> Iterator[np.ndarray]:
    """Whether each line's number, from 0 or from 1, is in a list of numbers."""
    numbers = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
    if not numbers or len(numbers) < len(values):
        return
    for first in (0, 1):
        places = [n - first for n in numbers if 0 <= n - first < count]
        member = np.zeros(count, dtype=int)
        member[places] = 1
        yield member


def _runs(values: Sequence[Any], count: int) -> Iterator[np.ndarray]:
    """Two values in turn, each as many times as a list of numbers says."""
    if all(isinstance(v, int) and 0 <= v <= count for v in values) and sum(values) <= 2 * count:
        yield np.repeat(np.arange(len(values)) % 2, values)


def _columns(values: Sequence[Any]) -> Iterator[np.ndarray]:
    """Each member of short lists of one length."""
    if values and all(isinstance(v, list) and len(v) == len(values[0]) <= WIDEST for v in values):
        yield from map(_codes, zip(*values, strict=True))


def _numbers(value: Any) -> Iterator[float]:
    """The number that a value is, also where it is written as text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value) if abs(value) < 1e300 else 0.0
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,17})?", value):
        yield float(value)


def _among(number: float, known: Sequence[float]) -> bool:
    return any(isclose(number, one, rel_tol=1e-6, abs_tol=1e-12) for one in known)


def _secret_numbers(matched: MatchedRelease) -> list[float]:
    """Counts and shares that take the raw labels to know, in both frames."""
    kept, side = matched.kept, matched.truth * matched.position
    counts: list[int] = []
    for truth in (matched.truth, side, kept):
        counts += [int((truth > 0).sum()), int((truth < 0).sum())]
        for label in (matched.labels, matched.position):
            cells = 2 * (truth > 0) + (label > 0)
            counts += np.bincount(cells, minlength=4).tolist()
    shares = [c / matched.truth.size for c in counts if c >= SMALLEST]
    shares = [share for share in shares if round(share, 2) != share]
    sums = [abs(int(truth.sum())) for truth in (matched.truth, side, kept)]
    return [float(c) for c in (*counts, *sums) if c >= SMALLEST] + shares


def _public_numbers(matched: MatchedRelease) -> list[float]:
    """Counts and shares that whoever has the release knows."""
    ones = int((matched.labels > 0).sum())
    first = int((matched.position > 0).sum())
    size, (read, plus) = matched.labels.size, matched.read
    counts = [size, ones, size - ones, first, size - first, read, plus, read - plus]
    return [*map(float, counts), *(c / size for c in counts)]


def _hexadecimal(value: Any) -> list[str]:
    """Where a hash could stand."""
    return re.findall(r"[0-9A-Fa-f]{32,}", str(value))


def _digests(original: Path, lengths: set[int]) -> list[str]:
    """Hexadecimal hashes of the original's bytes that are no longer than what stands there."""
    content = original.read_bytes() if lengths and original.is_file() else b""
    names = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s")
    fit = (n for n in names if content and 2 * hashlib.new(n).digest_size <= max(lengths))
    return [hashlib.new(name, content).hexdigest() for name in fit]
