"""Does a release give away more than its ε allows?  First equality, then its labels.

Every byte that is not a label is rebuilt from what the release itself says, and from the original,
and compared: where nothing is left to choose nothing can be hidden.  What is left are the labels,
which ``labels`` tests.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import stat
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from repro.base.errors import BadInput, number_of
from repro.labels.preferences.conversation import ListedPrompt
from repro.labels.privacy.exact_response import ExactResponse
from repro.release.canonical import compared, near_key
from repro.release.drafts import Draft
from repro.release.groups import field_groups
from repro.release.labels import (
    MOST,
    LabelTest,
    ReleasedLines,
    agreement,
    findings,
    unseen_share,
)
from repro.release.ledger import Debit, debits_of, default_folder
from repro.release.manifest import (
    Manifest,
    content_of,
    exact_epsilon,
    manifest_path,
    name_of,
    parsed_manifest,
    read_manifest,
)
from repro.release.privatise import (
    Comparisons,
    Target,
    Written,
    publish,
    refuse_one_of_two,
    refuse_target,
    trouble_with,
)
from repro.release.records import given_rows, is_path
from repro.release.released import fingerprint, free_bytes, read_release
from repro.release.reward.reward import is_reward
from repro.release.sorted_rows import ComparisonRow, SortedRows

CANONICAL, LEAKS, NOT_CANONICAL = 0, 1, 4
OUT_OF_REACH = (
    "coins from a secret key, honest coins drawn again until a hash of the file says something, "
    "a public rule or seed that is on no list, and labels that the texts reveal"
)
_START, _ONE, _TWO, _END = b'{"prompt":"', b'","response_1":"', b'","response_2":"', b'","label":'
"""What stands between the texts of a body; inside of a text every quotation mark is escaped."""
_DIGITS = 15
"""Of a key in hexadecimal, that make a number of 60 bits."""


@dataclass(frozen=True)
class ReleaseAudit:
    """What was found.

    Attributes:
        lines: released comparisons that the original knows.
        epsilon: the budget that is claimed.
        free: bytes that the content does not determine, in words; none in a canonical release.
        findings: tests of the labels.
        outside: what lies beside the bytes and is not vouched for, and warnings.
        unseen: share of lines that may be raw and are more often missed than seen.
        in_ledger: whether the ledger knows the release; None where no ledger was named.
    """

    lines: int
    epsilon: Decimal
    free: list[str] = field(default_factory=list)
    findings: list[LabelTest] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    unseen: float = 1.0
    in_ledger: bool | None = None

    @property
    def nearest(self) -> LabelTest | None:
        """The test whose p-value is smallest beside its limit; None where nothing was tested."""
        return min(self.findings, key=lambda test: test.p / test.limit, default=None)

    @property
    def leaks(self) -> list[str]:
        """What a sound release would hardly ever show."""
        return [
            f"{finding.what}: p {_shown(finding.p)}" for finding in self.findings if finding.leaks
        ]

    @property
    def canonical(self) -> bool:
        """Whether no byte but the labels is free."""
        return not self.free

    @property
    def status(self) -> int:
        """0 canonical and consistent with randomized response, 1 it leaks, 4 neither.

        That is, not canonical, or not known to the ledger that was named.
        """
        if self.leaks:
            return LEAKS
        return CANONICAL if self.canonical and self.in_ledger is not False else NOT_CANONICAL


@dataclass(frozen=True)
class Question:
    """What a release is held against.

    Attributes:
        original: the file or table that was released.
        epsilon: the budget that is claimed; by default the manifest's.
        manifest: of a table; that of a file lies beside it.
        ledger: folder of the ledger, which knows the release and earlier ones.
        unit, at_most: of the release, where annotators are protected.
        others: other releases of the same comparisons.
    """

    original: Any
    epsilon: Decimal | None = None
    manifest: dict[str, Any] | None = None
    ledger: Path | None = None
    unit: str = ""
    at_most: int | None = None
    others: Sequence[Any] = ()

    def __post_init__(self) -> None:
        refuse_one_of_two(self.unit, self.at_most)


def audit_release(source: Any, question: Question) -> ReleaseAudit:
    """Audit a release.

    Args:
        source: OUT.jsonl, another file, or a table.
        question: what it is held against.

    Raises:
        BadInput: it or the original cannot be read, or nothing states ε.
    """
    _refuse_reward(source)
    given_rows(source, "release", None)  # whether there is one comes before what it promises
    content = _stated(source, question)
    epsilon = question.epsilon or _claim(content, source)
    with Comparisons(None, question.unit, question.at_most) as known:
        known.read(question.original, "original")
        with _answers(source) as theirs:
            beside = Beside(known, theirs)
        others = [_kept_by(other, known) for other in question.others]
    free, written = beside.free, beside.written
    if written.sha256 != fingerprint(source):
        free += free_bytes(source) or [_of_the_format(source)]
    debits = _debits(question.ledger, written)
    free += _free_in_manifest(content, written, known.unit_size, question, debits)
    flip_prob = float(ExactResponse.at(epsilon).flip_prob)
    lines = beside.lines
    groups = field_groups(question.original)
    lines = replace(lines, groups={name: values[lines.origin] for name, values in groups.items()})
    label_tests = findings(lines, flip_prob)
    label_tests += [agreement(beside.kept, other, len(others)) for other in others]
    if beside.answered_twice:
        label_tests.append(
            LabelTest(f"comparisons that have several answers: {beside.answered_twice}", 0.0, 1.0)
        )
    outside = [*beside.warnings, *_outside(source)]
    unseen = unseen_share(lines.kept.size, flip_prob)
    in_ledger = None if debits is None else bool(debits)
    return ReleaseAudit(lines.kept.size, epsilon, free, label_tests, outside, unseen, in_ledger)


def rewritten(source: Any, epsilon: Decimal, target: Path) -> Manifest:
    """Write the public part of any release canonically; its labels stay as they are.

    Raises:
        BadInput: it cannot be read, or ``target`` exists.
    """
    named = Target.named(os.fspath(target))
    refuse_target(named)
    with (
        trouble_with(named.release),
        _answers(source) as rows,
        Draft(named.release.parent) as draft,
    ):
        written = Written(rows.listed)
        written.write(iter(rows), lambda row: rows.labels[row.number], draft.file)
        manifest = Manifest(epsilon, (), None, written.lines, written.plus, written.sha256)
        publish(manifest, named, draft)
    return manifest


class Beside:
    """A release beside its original, comparison by comparison.

    Attributes:
        written: the release as it would be canonically.
        kept: (m,) for each comparison of the original 1 kept, 0 flipped, −1 not released.
        free: texts that are not the original's, in words.
        answered_twice: comparisons whose copies have different labels.
    """

    def __init__(self, known: Comparisons, theirs: SortedRows) -> None:
        self.written, self.answered_twice = Written(theirs.listed), 0
        self._labels = known.labels, theirs.labels
        self._share = min(1.0, 1.2 * MOST / len(known.labels))
        self._draw = random.Random(secrets.randbits(128)).random
        self._kept, self._flags = bytearray(), tuple(bytearray() for _ in range(5))
        self._origin, self._place = array("q"), array("q")
        self._texts: dict[int, tuple[str, str, str]] = {}
        self._near = array("q")
        wrong: Counter[str] = Counter()
        rows = self._beside(iter(known), iter(theirs), wrong)
        self.written.write(rows, lambda row: theirs.labels[row.number], Nowhere())
        self.kept = np.frombuffer(self._kept, np.int8)
        self.free = [f"{number_of(n, 'comparison')} {what}" for what, n in wrong.items()]
        if known.listed != theirs.listed:
            self.free.append("texts instead of lists of messages, or lists instead of texts")

    @property
    def lines(self) -> ReleasedLines:
        """What the tests need."""
        kept, disputed, *frames = (np.frombuffer(flags, bool) for flags in self._flags)
        origin, place = (np.frombuffer(flags, np.int64) for flags in (self._origin, self._place))
        return ReleasedLines(kept, np.stack(frames, 1), disputed, origin, place, self._texts)

    @property
    def warnings(self) -> list[str]:
        """Of comparisons that are nearly the same."""
        alike = len(self._near) - np.unique(np.frombuffer(self._near, np.int64)).size
        if not alike:
            return []
        differ = "comparison differs" if alike == 1 else "comparisons differ"
        what = "from another in case or punctuation only: the answers to both can be averaged"
        return [f"{alike} {differ} {what}"]

    def _beside(
        self, ours: Iterator[ComparisonRow], theirs: Iterator[ComparisonRow], wrong: Counter[str]
    ) -> Iterator[ComparisonRow]:
        """Rows of the release; both come in order of keys."""
        mine = next(ours, None)
        for row in theirs:
            while mine and mine.key < row.key:
                mine = self._miss(ours, wrong)
            if mine and mine.key == row.key:
                if mine.body != row.body:
                    wrong["in other texts than the original's"] += 1
                self._take(mine, row)
                mine = next(ours, None)
            else:
                wrong["unknown to the original"] += 1
            self._near.append(int(near_key(row.body)[:_DIGITS], 16))
            self.answered_twice += row.disputed
            yield row
        while mine:
            mine = self._miss(ours, wrong)

    def _miss(self, ours: Iterator[ComparisonRow], wrong: Counter[str]) -> ComparisonRow | None:
        wrong["of the original missing"] += 1
        self._kept.append(255)
        return next(ours, None)

    def _take(self, mine: ComparisonRow, row: ComparisonRow) -> None:
        truth, given = self._labels[0][mine.number], self._labels[1][row.number]
        asked, _, both = mine.body.partition(_ONE)
        first, _, two = both[: -len(_END)].partition(_TWO)
        chosen, rejected = (first, two) if truth else (two, first)
        facts = truth == given, mine.disputed, truth, chosen < rejected, len(chosen) > len(rejected)
        for kept, value in zip(self._flags, facts, strict=True):
            kept.append(value)
        self._kept.append(facts[0])
        if self._draw() < self._share:
            texts = _text(asked[len(_START) :]), _text(chosen), _text(rejected)
            self._texts[len(self._origin)] = texts
        self._origin.append(mine.number)
        self._place.append(row.number)


class Nowhere:
    """A file that keeps nothing."""

    def write(self, content: bytes) -> None:
        """Forget it."""


def _text(quoted: bytes) -> str:
    return json.loads(b'"%b"' % quoted)


@contextmanager
def _answers(source: Any, key: str = "release") -> Iterator[SortedRows]:
    """The lines of a release in canonical order."""
    with SortedRows() as rows:
        for answer in read_release(source, key, trl=True):
            digest, body, first = compared(*answer[:3])
            rows.add(digest, body, answer.label if first else 1 - answer.label)
            rows.listed = rows.listed or isinstance(answer.prompt, ListedPrompt)
        yield rows


def _refuse_reward(source: Any) -> None:
    """A reward has no labels to test.

    Raises:
        BadInput: it is a released reward.
    """
    if is_path(source) and is_reward(Path(source)):
        what = "is a released reward, which no command audits; allowed: a release of labels"
        raise BadInput("release", source, what)


def _kept_by(other: Any, known: Comparisons) -> np.ndarray:
    with _answers(other, "others") as theirs:
        return Beside(known, theirs).kept


def _stated(source: Any, question: Question) -> bytes:
    """The bytes of the manifest; none where there is none."""
    if question.manifest is not None:
        return content_of(question.manifest)
    return read_manifest(manifest_path(Path(source))) if is_path(source) else b""


def _of_the_format(source: Any) -> str:
    """Of a file whose lines are canonical, in a format that is not."""
    names = f"{name_of(Path(source))}.jsonl" if is_path(source) else "OUT.jsonl"
    return f"the bytes of this format: audit {names}, from which the file was exported"


def _claim(content: bytes, source: Any) -> Decimal:
    try:
        return exact_epsilon(json.loads(content)["epsilon"])
    except (ValueError, KeyError, TypeError, RecursionError):
        where = manifest_path(Path(source)) if is_path(source) else "(of a table)"
        what = "is missing or states no epsilon; allowed: epsilon=, the budget of the release"
        raise BadInput("manifest", where, what) from None


def _debits(folder: Path | None, written: Written) -> list[Debit] | None:
    """What a ledger knows of the release; None without a ledger.

    Raises:
        BadInput: there is no ledger in the folder.
    """
    if folder is None:
        return None
    return [debit for debit in debits_of(folder) if debit.manifest.sha256 == written.sha256]


def _shown(p: float) -> str:
    """A p-value that a double may hold as 0."""
    return f"= {p:.1e}" if p > 0 else "< 1e-300"


def _free_in_manifest(
    content: bytes,
    written: Written,
    unit_size: int | None,
    question: Question,
    debits: list[Debit] | None,
) -> Iterator[str]:
    """What in the manifest does not follow from the release, the original and the ledger."""
    stated = parsed_manifest(content)
    if stated is None:
        yield "a manifest with other keys" if content else "no manifest"
        return
    if question.epsilon not in (None, stated.epsilon):
        yield f"the manifest's epsilon, {stated.epsilon}"
    counts = {"lines": written.lines, "plus": written.plus, "sha256": written.sha256}
    if content not in (due := replace(stated, **counts).contents):
        yield _unlike(content, due[0])
    if stated.unit_size != unit_size:
        yield (
            "the manifest's number of comparisons of one annotator: repeat with the unit= and "
            "at_most= that were given to the release"
        )
    if not debits:
        if stated.earlier or stated.earlier_delta:
            yield (
                "the manifest's earlier budgets, which the ledger alone knows: repeat with "
                f"ledger={_usual_ledger()}, or with the ledger= that was given to the release"
            )
    elif all(_spent_before(debit.manifest) != _spent_before(stated) for debit in debits):
        yield "the manifest's earlier budgets: they are not the ledger's"


def _unlike(content: bytes, due: bytes) -> str:
    """The keys of a manifest whose values do not follow from the release."""
    stated, expected = json.loads(content), json.loads(due)
    keys = [
        key
        for key in {**expected, **stated}
        if key not in stated or key not in expected or stated[key] != expected[key]
    ]
    if not keys:
        return "the style of JSON in the manifest"
    return f"values of the manifest that do not follow from the release: {', '.join(keys)}"


def _usual_ledger() -> Path | str:
    try:
        return default_folder()
    except BadInput:  # no home folder
        return "FOLDER"


def _spent_before(manifest: Manifest) -> tuple[Any, ...]:
    return manifest.earlier, float(manifest.earlier_delta)  # as a manifest can state it


def _outside(source: Any) -> Iterator[str]:
    """What a file has beside its bytes."""
    if not is_path(source):
        return
    for path in (Path(source), manifest_path(Path(source))):
        with suppress(OSError):
            status = os.stat(path)
            more = os.listxattr(path) if hasattr(os, "listxattr") else []
            odd = status.st_mtime_ns or status.st_nlink != 1 or more
            if odd or stat.S_IMODE(status.st_mode) & 0o7133:
                yield f"{path.name}: time, mode, links or attributes are not a fresh release's"
