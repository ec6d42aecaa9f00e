"""Everything that fields beside the four of a release might say, read in many ways."""

from __future__ import annotations

import base64
import binascii
import contextlib
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from repro.release.comparison import trigrams
from repro.release.matching import Line

FIELDS = frozenset({"prompt", "response_1", "response_2", "label"})
DEEPEST = 4
ENDS = 12
"""Characters at either end of a value that are looked at one by one."""
SIZES = 16
"""Classes of numbers by size."""
MODULI = (2, 3, 4, 5, 7, 8, 10, 16)
LARGEST = 1 << 16
"""Bytes that are unpacked."""
LONGEST = 64
"""Characters beyond which a value is text, of which only the ends are read."""

Values = list[Any]


def field_tokens(lines: Sequence[Line]) -> list[list[str]]:
    """Tokens for each line: none where a line has only the four fields."""
    flat = [dict(_flat(line.values)) for line in lines]
    tokens: list[list[str]] = [[f"has {name}" for name in values] for values in flat]
    for name in sorted({name for values in flat for name in values}):
        values = [line.get(name) for line in flat]
        for found, line, value in zip(tokens, lines, values, strict=True):
            found += (f"{name} {token}" for token in _value(value, line))
        for found, token in zip(tokens, _sizes(values), strict=True):
            found += (f"{name} {word}" for word in token)
    return tokens


def field_names(lines: Sequence[Line]) -> list[str]:
    """Names of the further fields, at the top."""
    return sorted({name for line in lines for name in line.values if name not in FIELDS})


def numbers(lines: Sequence[Line]) -> dict[str, np.ndarray]:
    """(n,) values of each field that holds a number in most lines; NaN where it does not."""
    flat = [dict(_flat(line.values)) for line in lines]
    names = sorted({name for values in flat for name in values})
    found = {name: np.array([_number(line.get(name)) for line in flat]) for name in names}
    return {name: values for name, values in found.items() if np.isfinite(values).mean() > 0.5}


def _flat(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if name not in FIELDS:
            yield from _leaves(name, value, DEEPEST)


def _leaves(name: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    inside = value.items() if isinstance(value, dict) else ()
    inside = enumerate(value) if isinstance(value, list) else inside
    if not depth or not isinstance(value, dict | list):
        yield name, value
        return
    yield f"{name}/size", len(value)
    for key, part in inside:
        yield from _leaves(f"{name}/{key}", part, depth - 1)


def _value(value: Any, line: Line) -> Iterator[str]:
    text = value if isinstance(value, str) else repr(value)
    yield f"type {type(value).__name__}"
    yield from _spelt(text)
    yield from _likeness(value, line)
    for name, data in _decoded(text):
        inside = data.decode("utf-8", "replace")
        yield from (f"{name} {token}" for token in (*_spelt(inside), *_likeness(inside, line)))


def _spelt(text: str) -> Iterator[str]:
    """A value by its characters."""
    yield f"is {text[:LONGEST]}"
    yield f"length {len(text)}"
    yield f"length mod 2 {len(text) % 2}"
    for at in range(min(ENDS, len(text))):
        yield f"from start {at} {text[at]}"
        yield f"from end {at} {text[-1 - at]}"
    yield from (f"has {text[i : i + 2]}" for i in range(min(LONGEST, len(text) - 1)))
    codes = [ord(c) for c in text[:LONGEST]]
    yield f"characters mod 2 {sum(codes) % 2}"
    yield f"digits mod 2 {sum(int(c) for c in text[:LONGEST] if c in '0123456789') % 2}"
    yield f"shape {''.join(map(_kind, text[:LONGEST]))}"
    yield from _integer(text)


def _kind(char: str) -> str:
    return "9" if char.isdigit() else "A" if char.isupper() else "a" if char.islower() else char


def _integer(text: str) -> Iterator[str]:
    """A whole number, decimal or hexadecimal, by its remainders and bits."""
    digits = text.removeprefix("0x").replace("-", "")[:LONGEST]
    for base, allowed in ((10, "0123456789"), (16, "0123456789abcdefABCDEF")):
        if digits and not digits.strip(allowed):
            number = int(digits, base)
            yield from (f"base {base} mod {m} {number % m}" for m in MODULI)
            yield f"base {base} bits mod 2 {number.bit_count() % 2}"


def _decoded(text: str) -> Iterator[tuple[str, bytes]]:
    """What base64, base32 or hexadecimal digits hold, also where that was compressed."""
    if not 4 <= len(text) <= 4096:
        return
    padded = text + "=" * (-len(text) % 4)
    for decode in (base64.b64decode, base64.urlsafe_b64decode, base64.b32decode, bytes.fromhex):
        try:
            found = decode(text if decode == bytes.fromhex else padded)
        except (ValueError, binascii.Error):
            continue
        yield decode.__name__, found
        with contextlib.suppress(zlib.error):
            yield "zlib", zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(found, LARGEST)


def _likeness(value: Any, line: Line) -> Iterator[str]:
    """What a value has in common with the texts of its line."""
    texts = dict(zip("p12", (line.prompt, *line.originals), strict=True))
    for name, text in texts.items():
        if isinstance(value, str) and value:
            head, words = value[:ENDS], value.casefold()
            yield f"like {name} {head == text[:ENDS]} {head in text} {value[-ENDS:] in text}"
            yield f"like {name} in small letters {words in text.casefold()}"
        elif isinstance(value, int | float):
            known = (len(text), len(text.encode()), len(text.split()), text.count(" "))
            yield from (f"counts {name} {n} {value == size}" for n, size in enumerate(known))
            yield f"word of {name} {_begins_a_word(text, value)} {_ends_a_word(text, value)}"
    if isinstance(value, str) and value:
        yield f"nearer {_nearer(value, *line.originals)}"


def _begins_a_word(text: str, place: float) -> bool:
    return place in range(len(text)) and f" {text}"[int(place)] == " "


def _ends_a_word(text: str, place: float) -> bool:
    return place in range(1, len(text) + 1) and f"{text} "[int(place)] == " "


def _nearer(value: str, one: str, two: str) -> float:
    """±1: the response that a value has more in common with; 0 where it cannot be told."""
    if " " not in value or len(value) < ENDS:
        return (value[:ENDS] in one) - (value[:ENDS] in two)
    words = trigrams(value)
    return float(np.sign(len(words & trigrams(one)) - len(words & trigrams(two))))


def _sizes(values: Values) -> list[list[str]]:
    """Each number by its size, sign, and its difference from the line before."""
    numbers = np.array([_number(value) for value in values])
    finite = np.isfinite(numbers)
    if not finite.any():
        return [[] for _ in values]
    cuts = np.quantile(numbers[finite], np.arange(1, SIZES) / SIZES)
    steps = np.diff(numbers, prepend=np.nan)
    classes = np.searchsorted(cuts, numbers)
    return [
        _size(number, int(size), step) if np.isfinite(number) else ["no number"]
        for number, size, step in zip(numbers, classes, steps, strict=True)
    ]


def _size(number: float, size: int, step: float) -> list[str]:
    rounded = (places for places in range(7) if round(number, places) == number)
    found = [f"size {size}", f"sign {np.sign(number)}", f"whole {number == int(number)}"]
    found.append(f"places {next(rounded, 7)}")
    if np.isfinite(step):
        found += [f"step {np.sign(step)}", f"step mod 2 {step % 2 >= 1}", f"step of {step:.3g}"]
    return found


def _number(value: Any) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")
    return found if abs(found) < 1e300 else float("nan")
