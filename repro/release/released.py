"""Reading a release, whoever has written it, and saying which of its bytes nobody has fixed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from repro.base.errors import BadInput
from repro.base.files import unreadable
from repro.labels.preferences.conversation import ListedPrompt, NotUnderstood
from repro.labels.preferences.json_lines import LONGEST_LINE
from repro.release.canonical import body, compared, line, texts_of
from repro.release.records import fault, given_rows, is_path, shown_source

FIELDS = ("prompt", "response_1", "response_2", "label")
TRL = ("prompt", "chosen", "rejected")
TOGETHER = 1 << 20


class Answer(NamedTuple):
    """A line of a release: its texts, 1 or 0 for −1, and the names of other fields.

    The prompt is a ``ListedPrompt`` where the line has lists of messages.
    """

    prompt: str
    first: str
    second: str
    label: int
    others: tuple[str, ...]

    @property
    def content(self) -> bytes:
        """The line as a release has it."""
        texts = body(self.prompt, self.first, self.second)
        return line(texts, self.label, isinstance(self.prompt, ListedPrompt))


def read_release(source: Any, key: str = "release", trl: bool = False) -> Iterator[Answer]:
    """Lines of a release: a file in a format of ``pair_rows``, or a table.

    Args:
        source: a path or a table.
        key: what the user calls it, for messages.
        trl: take the layout of exports too, in which "chosen" is what the released label prefers.

    Raises:
        BadInput: it cannot be read, or a line has not these fields; never with a text of it.
    """
    word, rows = given_rows(source, key, (*FIELDS, *TRL))
    empty = True
    for number, row in rows:
        answer = _answer(row, trl)
        if isinstance(answer, str):
            raise BadInput(key, shown_source(source), f"{word} {number}: {answer}")
        empty = False
        yield answer
    if empty:
        raise BadInput(key, shown_source(source), "holds no lines")


def _answer(row: Any, trl: bool) -> Answer | str:
    row = row if isinstance(row, dict) else {}
    names = FIELDS[:3] if FIELDS[1] in row or not trl else TRL
    label = _sign(row.get("label")) if names is not TRL else 1
    try:
        texts = texts_of(*map(row.get, names))
    except NotUnderstood as problem:
        return str(problem)
    if not (label and texts):
        return "not the fields prompt, response_1, response_2 and label, which is 1 or -1"
    known = len(names) + (names is not TRL)
    others = (
        tuple(name for name in row if name not in (*names, "label")) if len(row) > known else ()
    )
    if problem := fault(*texts):
        return problem
    if names is TRL and not compared(*texts)[2]:  # the order of the two is the label
        prompt, chosen, rejected = texts
        return Answer(prompt, rejected, chosen, 0, others)
    return Answer(*texts, int(label == 1), others)


def _sign(label: Any) -> int | None:
    """1 or -1 of a released label, in a CSV file as text; None where it is neither."""
    if isinstance(label, int | float) and not isinstance(label, bool) and label in (1, -1):
        return int(label)
    return {"1": 1, "-1": -1}.get(label) if isinstance(label, str) else None


def fingerprint(source: Any) -> str:
    """SHA-256 of a file, or of the lines that a table stands for.

    Raises:
        BadInput: the file cannot be read.
    """
    digest = sha256()
    if not is_path(source):
        for answer in read_release(source, trl=True):
            digest.update(answer.content)
        return digest.hexdigest()
    try:
        with open(source, "rb") as file:
            while part := file.read(TOGETHER):
                digest.update(part)
    except OSError as problem:
        raise unreadable("release", source, problem) from None
    return digest.hexdigest()


def free_bytes(source: Any) -> list[str]:
    """What in a release its content does not determine, each with the first line that shows it."""
    first_lines: dict[str, int] = {}
    before, listed = b"", None
    for number, (raw, answer) in enumerate(_raw_lines(source), 1):
        if answer is None:
            first_lines.setdefault("lines without the four fields", number)
            continue
        key, _, first = compared(*answer[:3])
        if answer.others:
            first_lines.setdefault("other fields", number)
        if not first:
            first_lines.setdefault("order of responses", number)
        if key <= before:
            first_lines.setdefault("copies" if key == before else "order of lines", number)
        if raw is not None and raw != answer.content:
            first_lines.setdefault("style of JSON", number)
        if listed not in (None, type(answer.prompt)):
            first_lines.setdefault("texts beside lists of messages", number)
        listed = type(answer.prompt)
        before = key
    return [f"{what} (first in line {number})" for what, number in first_lines.items()]


def _raw_lines(source: Any) -> Iterator[tuple[bytes | None, Answer | None]]:
    """Bytes of each line, where there are any, and what it says."""
    if not _is_plain(source):
        yield from ((None, answer) for answer in read_release(source, trl=True))
        return
    with open(source, "rb") as file:
        for raw in iter(lambda: file.readline(LONGEST_LINE), b""):
            try:
                parsed = _answer(json.loads(raw), trl=True)
            except (ValueError, RecursionError):
                parsed = ""
            yield raw, None if isinstance(parsed, str) else parsed


def _is_plain(source: Any) -> bool:
    """Whether it is a file of JSON lines, neither compressed nor another format."""
    if not is_path(source) or Path(source).is_dir():
        return False
    with open(source, "rb") as file:
        return file.read(1) in (b"{", b" ", b"\n", b"\t", b"\r", b"\xef")
