"""What the bytes of a line say besides its texts and label.

The *skeleton* is the line as written, with the value of every string taken out: white space,
line ends, order and spelling of keys, the form of numbers.  A value that could have been written
otherwise (an escape or the character itself) leaves a trace where it differs from the way that
most of the file has it.  A file from any JSON encoder has one skeleton and no traces.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from repro.release.matching import Line

PLACES = {"prompt": "P", "response_1": "1", "response_2": "2"}
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
NUMBER = re.compile(r"-?\d[\d.eE+-]*")
WRITTEN = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[^\x20-\x7e]|/")
"""Parts of a string that are escaped, or that encoders differ about."""

NGRAM = 3
MOST = 20
"""Traces of a literal that are described."""
FAR = 16
SPREAD = 8
"""Parts of a text in which a trace is placed."""

Trace = tuple[str, int, str]
"""The character, where it stands in the literal, how it is written."""


def byte_tokens(lines: Sequence[Line]) -> list[list[str]]:
    """Tokens for each line; none of them depends on the texts of a file of one style.

    What all skeletons have in common tells nothing, and is left out.
    """
    parts = [_parts(line) for line in lines]
    usual = _usual_forms([literal for _, literals in parts for _, literal in literals])
    told = {skeleton: set(_skeleton_tokens(skeleton)) for skeleton, _ in parts}
    common = set.intersection(*told.values()) if told else set()
    own = {skeleton: sorted(tokens - common) for skeleton, tokens in told.items()}
    return [[*own[skeleton], *_trace_tokens(literals, usual)] for skeleton, literals in parts]


def _parts(line: Line) -> tuple[str, list[tuple[str, str]]]:
    """The skeleton of a line, and its string literals with the place each stands in."""
    text = line.released.raw.decode("utf-8")
    pieces: list[str] = []
    literals: list[tuple[str, str]] = []
    key, end = "", 0
    for found in STRING.finditer(text):
        literal = found.group()
        pieces.append(_numbers(text[end : found.start()], key))
        end = found.end()
        if text[end : end + 8].lstrip().startswith(":"):
            key = literal
            pieces.append(literal)
        else:
            place = PLACES.get(key[1:-1], "extra")
            literals.append((place, literal[1:-1]))
            pieces.append(f"<{place}>")
    pieces.append(_numbers(text[end:], key))
    lead = line.released.lead.decode("utf-8", "replace")
    return f"{lead}^{''.join(pieces)}", literals


def _numbers(text: str, key: str) -> str:
    """Numbers by their form: the label without its sign, others with every digit a 9."""
    if not any(c.isdigit() for c in text):
        return text
    if key == '"label"':
        return NUMBER.sub(lambda found: found.group().lstrip("-"), text)
    return re.sub(r"\d", "9", text)


def _skeleton_tokens(skeleton: str) -> Iterator[str]:
    yield f"line {skeleton}"
    yield f"length {len(skeleton)}"
    yield f"length mod 2 {len(skeleton) % 2}"
    yield f"lines before {skeleton.partition('^')[0].count(chr(10))}"
    for i in range(len(skeleton) - NGRAM + 1):
        yield f"written {skeleton[i : i + NGRAM]}"
    for n, gap in enumerate(re.findall(r"\s+", skeleton)):
        yield f"gap {n} {gap}"
        yield f"gap width {len(gap)}"


def _usual_forms(literals: Sequence[str]) -> dict[str, str]:
    """How most of the file writes each character that it writes in several ways."""
    forms: Counter[tuple[str, str]] = Counter()
    plain: Counter[str] = Counter()
    for literal in literals:
        if not _is_plain(literal):
            forms.update((_character(form), form) for form in WRITTEN.findall(literal))
    odd = {char for char, form in forms if char.isascii() and char.isprintable() and char != form}
    for literal in literals if odd else ():
        plain.update({char: literal.count(char) for char in odd - set('"\\') if char in literal})
    for char, count in plain.items():
        forms[char, char] = max(forms[char, char], count)
    ways = Counter(char for (char, _), count in forms.items() if count)
    rising = sorted(forms.items(), key=lambda item: item[1])
    return {char: form for (char, form), _ in rising if ways[char] > 1}


def _trace_tokens(literals: list[tuple[str, str]], usual: dict[str, str]) -> Iterator[str]:
    if not usual:
        return
    for place, literal in literals:
        traces = [] if _is_plain(literal) else list(_traces(literal, usual))
        if traces:
            yield from _described(place, literal, traces)


def _traces(literal: str, usual: dict[str, str]) -> Iterator[Trace]:
    for found in WRITTEN.finditer(literal):
        char = _character(found.group())
        if usual.get(char, found.group()) != found.group():
            yield char, found.start(), found.group()
    for char, form in usual.items():
        if char.isascii() and char.isprintable() and form != char and char not in '"\\/':
            yield from ((char, at.start(), char) for at in re.finditer(re.escape(char), literal))


def _described(place: str, literal: str, traces: list[Trace]) -> Iterator[str]:
    count = len(traces)
    for where in (place, "any"):
        yield f"{where} written otherwise"
        yield f"{where} written otherwise {min(count, 9)} times"
        yield f"{where} written otherwise, count mod 2 {count % 2}"
        for n, (char, at, form) in enumerate(traces[:MOST]):
            beside = literal[at - 1 : at], literal[at + len(form) : at + len(form) + 1]
            yield f"{where} {form} number {n} between {beside}"
            yield f"{where} {form} after {literal[:at].count(char)} others mod 2 {at % 2}"
            yield f"{where} {form} before the end by {min(len(literal) - at, FAR)}"
            yield f"{where} writes {char!r} as {form}"
            yield f"{where} writes {form[:2]} in part {at * SPREAD // len(literal)}"
            yield f"{where} case of escape {form.upper() == form}"


def _is_plain(literal: str) -> bool:
    return (
        literal.isascii() and "\\" not in literal and "/" not in literal and literal.isprintable()
    )


def _character(form: str) -> str:
    """The character that a form stands for."""
    if form.startswith("\\u"):
        units = bytes.fromhex("".join(form.split("\\u")))
        return units.decode("utf-16-be", "replace")
    return SHORT.get(form, form)


SHORT = {f"\\{c}": v for c, v in zip('"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True)}
