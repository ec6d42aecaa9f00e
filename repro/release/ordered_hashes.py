"""Identifiers that are hashes of the texts, or of the label, with or without a salt.

An identifier is computed twice, as if either response were the chosen one.  One that fits only
once gives the label away to whoever knows the recipe.  A salt that is not among those tried
makes an identifier look random: that is out of reach, and the audit says so.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import itertools
import json
import re
import uuid
import zlib
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache

from repro.release.extra_fields import field_names
from repro.release.matching import Line

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
WORDS = (
    ("1", "-1"),
    ("+1", "-1"),
    ("1", "0"),
    ("0", "1"),
    ("A", "B"),
    ("a", "b"),
    ("True", "False"),
)
"""How a label may be written: response_1 chosen, response_2 chosen."""

SALTS = (
    "salt", "pepper", "secret", "key", "password", "salt_", "salt:", "repro", "seed", "0", "1",
    "42", "123", "1234", "12345", "2024", "2025", "2026", "x", "id", "release", "private", "label",
)  # fmt: skip
"""Salts tried, besides those that stand in the manifest, the file's name or another field."""

DECIMAL = tuple(10**k for k in range(6, 21))
BINARY = (2**31, 2**32, 2**53, 2**63)
PRIME = 2**31 - 1
"""What a hash may be divided by, to leave a decimal identifier."""

LONGEST = 512
"""Characters of a value that are read."""

SHORTEST = 4
"""Hex digits below which a match says nothing."""

PROBES, SALTED_PROBES = 16, 3
"""Lines that a recipe is sought on, without and with salt."""

Message = Callable[[str, str, str, int], str]
"""Of prompt, chosen, rejected, and +1 where response_1 is the chosen one."""

Digest = Callable[[bytes, bytes], str]
"""Of salt and message, in hexadecimal."""

DIGESTS: dict[str, Callable[[bytes], str]] = {
    **{
        name: lambda data, name=name: hashlib.new(name, data).hexdigest()
        for name in ("md5", "sha1", "sha256", "sha512", "blake2b", "blake2s", "sha3_256")
    },
    "crc32": lambda data: f"{zlib.crc32(data):08x}",
    "adler32": lambda data: f"{zlib.adler32(data):08x}",
    "uuid5": lambda data: uuid.uuid5(uuid.NAMESPACE_DNS, data.decode()).hex,
}

SALTED: dict[str, Digest] = {
    **{
        f"{name}, salt {where}": (lambda salt, data, d=DIGESTS[name], j=join: d(j(salt, data)))
        for name in ("md5", "sha1", "sha256", "blake2b")
        for where, join in {
            "first": lambda salt, data: salt + data,
            "last": lambda salt, data: data + salt,
            "first, then ':'": lambda salt, data: salt + b":" + data,
        }.items()
    },
    **{
        f"hmac {name}": lambda salt, data, n=name: hmac.new(salt, data, n).hexdigest()
        for name in ("md5", "sha1", "sha256")
    },
}


def guess_by_hash(lines: Sequence[Line], salts: Sequence[str]) -> tuple[str, list[int]]:
    """Recipe found, and ±1 for each line: which response it says is chosen.

    Args:
        lines: any number.
        salts: that stand somewhere in the release.

    Returns:
        Words and guesses; 0 where the identifier does not tell; ("", zeros) where nothing fits.
    """
    best, found = 0, ("", None)
    for name in field_names(lines):
        for words, which, probes in _recipes(lines, name, salts):
            fits = sum(which(line) != 0 for line in lines[:probes])
            if fits > best:
                best, found = fits, (f"{words} in field {name[:40]!r}", which)
            if best > probes // 2:
                break
    words, which = found
    return words, [which(line) if which else 0 for line in lines]


Which = Callable[[Line], int]


def _recipes(
    lines: Sequence[Line], name: str, salts: Sequence[str]
) -> Iterator[tuple[str, Which, int]]:
    """Every recipe for a field that holds digits of a hash in the lines that are probed."""
    if not any(_readings(_scalar(line.values.get(name))) for line in lines[:PROBES]):
        return
    for (kind, digest), (words, message) in itertools.product(DIGESTS.items(), _messages()):
        plain: Digest = lambda salt, data, d=digest: d(data)  # noqa: E731
        yield f"{kind} of {words}", _teller(name, plain, message, _fixed("")), PROBES
    known = [(f"salt {salt!r}", _fixed(salt)) for salt in SALTS]
    known += [("a salt beside the release", _fixed(salt)) for salt in salts]
    known += [(f"salt in field {other[:40]!r}", _field(other)) for other in field_names(lines)]
    for (kind, digest), (told, salt), (words, message) in itertools.product(
        SALTED.items(), known, _short_messages()
    ):
        yield f"{kind} of {words}, {told}", _teller(name, digest, message, salt), SALTED_PROBES


def _teller(name: str, digest: Digest, message: Message, salt: Callable[[Line], str]) -> Which:
    def which(line: Line) -> int:
        one, two = line.originals
        key = salt(line).encode()
        fits = _fitting(_scalar(line.values.get(name)))
        ahead = digest(key, message(line.prompt, one, two, 1).encode())
        behind = digest(key, message(line.prompt, two, one, -1).encode())
        return fits(ahead) - fits(behind)

    return which


def _fixed(salt: str) -> Callable[[Line], str]:
    return lambda line: salt


def _field(name: str) -> Callable[[Line], str]:
    return lambda line: str(line.values.get(name, ""))


@lru_cache(maxsize=256, typed=True)  # the same few lines are read for every recipe
def _fitting(value: Hashable) -> Callable[[str], bool]:
    """Whether a digest, in hexadecimal, is what an identifier holds of it."""
    texts, number = tuple(_readings(value)), _number(value)
    moduli = () if number is None else _moduli(number)

    def fits(digest: str) -> bool:
        if digest.startswith(texts) or digest.endswith(texts):
            return True
        return bool(moduli) and any(int(digest, 16) % modulus == number for modulus in moduli)

    return fits


def _moduli(number: int) -> tuple[int, ...]:
    """Those that could leave a number.

    Of the powers of one base the least is enough: what a greater one leaves, it leaves too.
    """
    least = (next((m for m in powers if number < m), None) for powers in (DECIMAL, BINARY))
    return tuple(m for m in (*least, PRIME) if m is not None and number < m)


def _number(value: Hashable) -> int | None:
    """A decimal number too large to be met by chance."""
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{6,40}", str(value)):
        return None
    return int(str(value))


def _scalar(value: object) -> Hashable:
    return value if isinstance(value, str | int) else None


@lru_cache(maxsize=256, typed=True)
def _readings(value: Hashable) -> frozenset[str]:
    """Hexadecimal readings of an identifier, long enough to mean something."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return frozenset()
    text = str(value)[:LONGEST]
    parts = {text, *re.split(r"[_:/.# ]", text), *re.split(r"[^0-9A-Za-z]+", text)}
    found = {part.lower().removeprefix("0x").replace("-", "") for part in parts}
    for part in parts if isinstance(value, str) else ():
        found |= _decoded(part)
    if isinstance(value, int) and value >= 0:
        found |= {f"{value:x}", f"{value:08x}", f"{value:016x}"}
    return frozenset(r for r in found if len(r) >= SHORTEST and not r.strip("0123456789abcdef"))


def _decoded(text: str) -> set[str]:
    found: set[str] = set()
    if len(text) < SHORTEST:
        return found
    for decode, width in (
        (base64.urlsafe_b64decode, 4),
        (base64.b64decode, 4),
        (base64.b32decode, 8),
    ):
        try:
            found.add(decode(text + "=" * (-len(text) % width)).hex())
        except (ValueError, binascii.Error):
            continue
    return found


def _messages() -> Iterator[tuple[str, Message]]:
    for s in SEPARATORS:
        yield f"prompt, chosen, rejected joined by {s!r}", lambda p, c, r, h, s=s: s.join((p, c, r))
        yield f"chosen, rejected joined by {s!r}", lambda p, c, r, h, s=s: s.join((c, r))
        yield f"prompt, chosen joined by {s!r}", lambda p, c, r, h, s=s: s.join((p, c))
        yield f"prompt, rejected joined by {s!r}", lambda p, c, r, h, s=s: s.join((p, r))
        for words in WORDS:
            for text_frame in (False, True):
                yield (
                    f"prompt and label joined by {s!r}",
                    lambda p, c, r, h, s=s, w=words, t=text_frame: p + s + _word(w, c, r, h, t),
                )
    yield "chosen", lambda p, c, r, h: c
    yield "rejected", lambda p, c, r, h: r
    for names in (("prompt", "chosen", "rejected"), ("chosen", "prompt", "rejected")):
        for ascii_only in (True, False):
            for sort in (True, False):
                yield f"JSON {names}", _json_message(names, ascii_only, sort)


def _short_messages() -> Iterator[tuple[str, Message]]:
    """Those tried with every salt."""
    for s in ("", "|", "\n"):
        yield f"prompt, chosen, rejected joined by {s!r}", lambda p, c, r, h, s=s: s.join((p, c, r))
        yield f"chosen, rejected joined by {s!r}", lambda p, c, r, h, s=s: s.join((c, r))
        yield f"prompt, chosen joined by {s!r}", lambda p, c, r, h, s=s: s.join((p, c))
    yield "chosen", lambda p, c, r, h: c
    yield "rejected", lambda p, c, r, h: r
    for words in WORDS:
        for t in (False, True):
            yield "prompt and label", lambda p, c, r, h, w=words, t=t: p + _word(w, c, r, h, t)
            yield "label", lambda p, c, r, h, w=words, t=t: _word(w, c, r, h, t)


def _word(words: tuple[str, str], chosen: str, rejected: str, first: int, text_frame: bool) -> str:
    return words[0] if (chosen < rejected if text_frame else first > 0) else words[1]


def _json_message(names: tuple[str, ...], ascii_only: bool, sort: bool) -> Message:
    def message(prompt: str, chosen: str, rejected: str, first: int) -> str:
        values = {"prompt": prompt, "chosen": chosen, "rejected": rejected}
        record = {name: values[name] for name in names}
        return json.dumps(record, ensure_ascii=ascii_only, sort_keys=sort)

    return message
