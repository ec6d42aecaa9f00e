"""Release a preference file under label differential privacy.

Each distinct comparison is answered once, by exact randomized response on the label of its first
line.  The order of what is done is what protects: all is written to files without a name that only
their owner reads; then the ledger is debited, durably; only then does the release get its name.
What fails after the debit stays spent, and ``resume`` publishes the very same bytes.
"""

from __future__ import annotations

import os
import shlex
from array import array
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from repro.base.errors import OF_THE_MACHINE, BadInput, number_of
from repro.labels.preferences.conversation import ListedPrompt
from repro.labels.privacy.exact_response import ExactResponse
from repro.release.canonical import compared, line
from repro.release.drafts import Draft
from repro.release.exports import (
    ENDINGS,
    LAYOUTS,
    refuse_layout,
    refuse_without_library,
    write_export,
)
from repro.release.ledger import (
    ANY_TOTAL,
    AnnotatorCost,
    Debit,
    Ledger,
    cost_in_words,
    held_ledger,
    refuse_total,
    spent_delta,
)
from repro.release.manifest import Manifest, manifest_path
from repro.release.noted import Noted, Overlap
from repro.release.records import is_path, read_owned, shown_source
from repro.release.sorted_rows import ComparisonRow, SortedRows

TOGETHER = 200
"""Lines that are written, hashed and noted at once."""
WEAK = Decimal(10)
"""ε from which on a release says that it is hardly private: 1 label in 22,000 is turned there."""
NOTHING = "nothing was released"
DOUBT = (
    "the budget may be spent: resume=true publishes what it paid for, or says that nothing waits"
)
RESUME = "the budget is spent: the same command with resume=true publishes the same bytes"


@dataclass(frozen=True)
class Target:
    """Where a release goes: the canonical file, and an export if the name asks for one.

    Attributes:
        release: OUT.jsonl.
        export: OUT.jsonl.gz or OUT.parquet, or None.
        layout: of the export, one of ``exports.LAYOUTS``.
    """

    release: Path
    export: Path | None = None
    layout: str = LAYOUTS[0]

    @classmethod
    def named(cls, out: str, layout: str = LAYOUTS[0]) -> Target:
        """From OUT, which must end in .jsonl, .jsonl.gz or .parquet.

        Raises:
            BadInput: another ending or layout, or a library for Parquet is missing.
        """
        refuse_layout(layout)
        path = Path(out)
        for ending in ENDINGS:
            if out.endswith(ending) and path.name != ending:
                refuse_without_library(ending)
                release = path.with_name(path.name.removesuffix(ending) + ".jsonl")
                return cls(release, path, layout)
        if not out.endswith(".jsonl"):
            raise BadInput("OUT", out, f"allowed: a name that ends in {_or('.jsonl', *ENDINGS)}")
        if layout != LAYOUTS[0]:
            needs = f"needs an export, beside which {path.name} is written"
            allowed = f"allowed: OUT with a name that ends in {_or(*ENDINGS)}"
            raise BadInput("layout", layout, f"{needs}; {allowed}")
        return cls(path)

    @property
    def names(self) -> list[Path]:
        """In the order in which they appear: what states the guarantee comes first."""
        paths = [manifest_path(self.release), self.release]
        return [*paths, self.export] if self.export else paths


@dataclass(frozen=True)
class Terms:
    """What is asked for.

    Attributes:
        epsilon: budget of each label, in [1e-6, 40]; of a resumed release None will do.
        compose: allow labels that have been released before, at the sum of their budgets; a reward
            of the ledger counts for all labels.  A number is the largest ε that one label may cost
            in all, and one annotator where there is a unit.
        resume: publish what was spent and never published.
        unit: field that names the annotator, "" where each comparison is protected by itself.
        at_most: comparisons of one annotator that are released, where there is a unit.
        near_copies: allow comparisons that differ in case and punctuation only, an answer each.
    """

    epsilon: Decimal | None
    compose: bool | Decimal = False
    resume: bool = False
    unit: str = ""
    at_most: int | None = None
    near_copies: bool = False

    def __post_init__(self) -> None:
        refuse_one_of_two(self.unit, self.at_most)


def refuse_one_of_two(unit: str, at_most: int | None) -> None:
    """An annotator costs what ``at_most`` says: the two keys come together.

    Raises:
        BadInput: one of them is missing.
    """
    if bool(unit) != (at_most is not None):
        size = at_most or 5
        both = f"unit={unit[:60] or 'FIELD'} at_most={size}, which keeps {size} of each annotator"
        allowed = f"allowed: unit= and at_most= together, such as {both}"
        raise BadInput("at_most", at_most or "(missing)", allowed)


@dataclass(frozen=True)
class Release:
    """A finished release.

    Attributes:
        manifest: what is stated.
        debits: all that the ledger holds, this release among them.
    """

    manifest: Manifest
    debits: list[Debit]


class Comparisons(SortedRows):
    """The comparisons of an input, of at most ``at_most`` for each of its annotators.

    Of copies of several annotators one annotator's speak for all: a hash chooses, and not the
    place in the file, which follows the label where a file is sorted.

    Attributes:
        has_unit: whether annotators are protected.
        unit_size: most comparisons of one annotator, once all have been read; None without units.
        left_out: comparisons beyond ``at_most``, which follow from texts and annotators alone.
    """

    def __init__(self, folder: Path | None, unit: str = "", at_most: int | None = None) -> None:
        super().__init__(folder)
        self.has_unit = bool(unit)
        self._unit, self._at_most = unit, at_most
        self._numbers: dict[str, int] = {}
        self._names: list[bytes] = []
        self._owners = array("q")
        self.unit_size: int | None = None
        self.left_out = 0

    def read(
        self,
        source: Any,
        key: str = "IN",
        see: Callable[[bytes, str, str, str], object] | None = None,
    ) -> None:
        """Take all records of a file or table; ``see`` is called with key and texts of each."""
        for record, owner in read_owned(source, key, self._unit):
            digest, body, first = compared(*record)
            self.add(digest, body, first)
            if see:
                see(digest, *record)
            self.listed = self.listed or isinstance(record[0], ListedPrompt)
            if self._unit:
                self._owners.append(self._numbers.setdefault(owner, len(self._numbers)))
                if len(self._names) < len(self._numbers):
                    self._names.append(owner.encode("utf-8", "surrogatepass"))

    def __iter__(self) -> Iterator[ComparisonRow]:
        """As ``SortedRows``; of an annotator's comparisons those that come first in this order.

        A comparison belongs to the annotator whose label it has.
        """
        if self._at_most is None:
            yield from super().__iter__()
            return
        counts = [0] * len(self._numbers)
        for row in super().__iter__():
            owner = self._owners[row.number]
            counts[owner] += 1
            if counts[owner] <= self._at_most:
                yield row
        self.unit_size = min(max(counts), self._at_most)
        self.left_out = sum(max(0, count - self._at_most) for count in counts)

    def spokesman(self, held: ComparisonRow, number: int) -> int:
        """That of the annotator whose name has the least hash with the key of the comparison."""
        if not self.has_unit:
            return held.number

        def rank(copy: int) -> bytes:
            return sha256(held.key + self._names[self._owners[copy]]).digest()

        return min(held.number, number, key=rank)


class Written:
    """A release as it is written.

    Attributes:
        lines, plus: how many, and how many with +1.
        labels: released ones, 1 or 0 for −1.

    Args:
        listed: lines have lists of messages.
    """

    def __init__(self, listed: bool = False) -> None:
        self._listed = listed
        self.lines = self.plus = 0
        self.labels = bytearray()
        self._hash = sha256()

    def write(
        self,
        rows: Iterator[ComparisonRow],
        label: Callable[[ComparisonRow], int],
        file: Any,
        note: Callable[[list[ComparisonRow]], None] = lambda rows: None,
    ) -> None:
        """Write all lines to ``file``, and tell ``note`` of their rows."""
        while some := list(islice(rows, TOGETHER)):
            labels = bytes(map(label, some))
            pairs = zip(some, labels, strict=True)
            content = b"".join([line(row.body, answer, self._listed) for row, answer in pairs])
            file.write(content)
            self._hash.update(content)
            self.labels += labels
            note(some)
        self.lines, self.plus = len(self.labels), sum(self.labels)

    @property
    def sha256(self) -> str:
        """Of the file."""
        return self._hash.hexdigest()

    @property
    def answers(self) -> bytes:
        """One bit a line, after a leading one."""
        digits = self.labels.translate(bytes.maketrans(b"\0\1", b"01"))
        return int(b"1" + digits, 2).to_bytes(len(self.labels) // 8 + 1, "big")


def unpacked(answers: bytes) -> bytes:
    """Labels of ``Written.answers``.

    >>> unpacked(bytes([0b1101]))
    b'\\x01\\x00\\x01'
    """
    digits = bin(int.from_bytes(answers, "big"))[3:].encode()
    return digits.translate(bytes.maketrans(b"01", b"\0\1"))


def privatise(
    source: Any,
    target: Target,
    terms: Terms,
    folder: Path,
    tell: Callable[[str], object] = lambda words: None,
    read_back: Callable[[], object] = lambda: None,
) -> Release:
    """Release a file or table: spend, then publish; or publish what was spent.

    Args:
        source: comparisons in a format of ``pair_rows`` and a layout of ``layouts``, or a table.
        target: its files must not exist, their folder must.
        terms: what is asked for.
        folder: of the ledger.
        tell: hears of waiting, and of what is about to be spent; what it raises stops the release
            before anything is.
        read_back: called once the files are there; until it has returned the ledger keeps the
            answers, so that ``resume`` publishes them again.

    Raises:
        BadInput: a faulty input, an existing target, a repeated release without ``compose``.
        OSError: the disk is full, or fails.
        KeyboardInterrupt: says whether anything was spent.
    """
    refuse_target(target, resumed=terms.resume)
    with ExitStack() as stack:
        stage = stack.enter_context(told_what_it_cost(target))
        ledger = stack.enter_context(held_ledger(folder, tell))
        with trouble_with(target.release):
            draft = stack.enter_context(Draft(target.release.parent))
        rows = stack.enter_context(Comparisons(target.release.parent, terms.unit, terms.at_most))
        if terms.resume:
            rows.read(source)
            debit = _found_again(rows, ledger, draft, target)
        else:
            debit = _drawn(source, rows, terms, ledger, draft, target, tell)
            stage.append(DOUBT)
            ledger.spend(debit)
        stage.append(RESUME)
        publish(debit.manifest, target, draft)
        read_back()
        ledger.forget_answers(debit.number)
        stage.append("the release is complete")
        return Release(debit.manifest, ledger.debits())


def _drawn(
    source: Any, rows: Comparisons, terms: Terms, ledger: Ledger, draft: Draft, target: Target,
    tell: Callable[[str], object],
) -> Debit:  # fmt: skip
    """Read, draw and write to the draft; what is to be debited.  Nothing is spent yet."""
    if terms.epsilon is None:
        raise BadInput("epsilon", "(missing)", "a value is required, such as epsilon=1")
    number = ledger.begin()
    with trouble_with(target.release):
        rows.read(source, see=ledger.look_up)
        # Coins are drawn once copies are one: the disk never holds two answers to one comparison.
        labels, flips = rows.labels, ExactResponse.at(terms.epsilon).flips()
        written = Written(rows.listed)
        answered = lambda row: labels[row.number] ^ next(flips)  # noqa: E731
        noted = Noted(ledger, number)
        written.write(iter(rows), answered, draft.file, noted.add)
    if noted.near and not terms.near_copies:
        raise BadInput("IN", shown_source(source), noted.near_words)
    ledger.add_near(number)
    earlier = ledger.earlier(number)
    budgets = tuple(sorted(debit.manifest.epsilon for debit in earlier))
    counts = written.lines, written.plus, written.sha256
    manifest = Manifest(terms.epsilon, budgets, rows.unit_size, *counts, spent_delta(earlier))
    debits = [*ledger.debits(), Debit(number, manifest, None)] if terms.unit else []
    of_annotator = AnnotatorCost.of(debits)
    cost = _cost(earlier, manifest.total, of_annotator)
    if earlier and not terms.compose:
        overlap = Overlap.of(iter(rows), ledger, number)
        words = _spent_words(earlier, cost, overlap)
        which = _question(source, ledger.path.parent) if overlap.released else ""
        raise BadInput("IN", shown_source(source), f"{words}{which}")
    refuse_total(terms.compose, max(manifest.total, of_annotator.epsilon), cost)
    own = f"{_apart(noted.shared)}{_near(noted.near)}"
    weak = _hardly_private(terms.epsilon)
    left = f"; {rows.left_out} beyond at_most are left out" if rows.left_out else ""
    tell(f"randomised {number_of(manifest.lines, 'comparison')}{left}{_merged(rows)}{own}{weak}")
    return Debit(number, manifest, written.answers)


def _hardly_private(epsilon: Decimal) -> str:
    """A warning where hardly a label is turned; it follows from ε alone."""
    if epsilon <= WEAK:
        return ""
    flip_prob = float(ExactResponse.at(epsilon).flip_prob)
    return (
        f"; hardly private: at epsilon {epsilon} a label is turned with probability {flip_prob:.1g}"
    )


def _found_again(rows: Comparisons, ledger: Ledger, draft: Draft, target: Target) -> Debit:
    """The debit whose answers, with these texts, give the file that was paid for."""
    debits = [debit for debit in ledger.debits() if not debit.delta]
    waiting = [debit for debit in debits if debit.answers is not None]
    for debit in waiting:
        labels = iter(unpacked(debit.answers or b""))
        written = Written(rows.listed)
        with trouble_with(target.release):
            draft.file.seek(0)
            draft.file.truncate()
            written.write(iter(rows), lambda row, labels=labels: next(labels, 0), draft.file)
        if (written.lines, written.sha256) == (debit.manifest.lines, debit.manifest.sha256):
            return debit
    problem_words = (
        "no release of this input waits to be published; allowed: the IN, unit= and at_most= "
        "of the release that failed"
        if waiting
        else "nothing to resume: no release of labels of this ledger waits to be published"
    )
    raise BadInput("resume", "true", problem_words)


def publish(manifest: Manifest, target: Target, draft: Draft) -> None:
    """Give manifest, release and export their names, in this order."""
    with Draft(target.release.parent) as beside:
        beside.file.write(manifest.content)
        beside.place(manifest_path(target.release))
    draft.place(target.release)
    if target.export:
        write_export(target.release, target.export, target.layout)


@contextmanager
def told_what_it_cost(target: Target) -> Iterator[list[str]]:
    """Whoever is stopped by Ctrl-C, or by the machine, is told whether labels were spent."""
    stage = [NOTHING]
    try:
        yield stage
    except KeyboardInterrupt as stopped:
        raise type(stopped)(stage[-1]) from None
    except FileExistsError as problem:
        where = problem.filename2 or problem.filename or target.release
        raise BadInput("OUT", where, f"exists; under another name, {RESUME}") from None
    except OSError as problem:
        if stage[-1] == NOTHING:
            raise
        where = os.fspath(problem.filename or target.release)
        raise OSError(problem.errno, f"{problem.strerror}; {stage[-1]}", where) from None


@contextmanager
def trouble_with(target: Path) -> Iterator[None]:
    """What the user can mend is bad input; a full or failing disk stays an OSError."""
    try:
        yield
    except OSError as problem:
        why = problem.strerror or "unknown error"
        if problem.errno in OF_THE_MACHINE:
            raise OSError(problem.errno, why, os.fspath(target)) from None
        raise BadInput("OUT", target, f"cannot be written: {why}") from None


def refuse_target(target: Target, resumed: bool = False) -> None:
    """Before anything is done.

    Args:
        target: files that must not exist, in a folder that must.
        resumed: the files may be there, from the time before: only other bytes are refused, later.

    Raises:
        BadInput: a file of the target exists, its folder does not, or it cannot be reached.
    """
    for path in () if resumed else target.names:
        with trouble_with(path), suppress(FileNotFoundError):
            os.lstat(path)
            raise BadInput("OUT", path, "exists; choose a new name")
    if not target.release.parent.is_dir():
        raise BadInput("OUT", target.release, "its folder does not exist")


def _cost(earlier: list[Debit], total: Decimal, of_annotator: AnnotatorCost) -> str:
    """What labels cost with this release.

    Args:
        earlier: releases that count: of these labels, and of rewards.
        total: ε of all together, the asked one included.
        of_annotator: with this release, where it protects annotators.
    """
    person = f", and one annotator at most {of_annotator.in_words}" * bool(of_annotator.releases)
    return f"with this release one label costs {cost_in_words(total, spent_delta(earlier))}{person}"


def _spent_words(earlier: list[Debit], cost: str, overlap: Overlap) -> str:
    """Why another release of the same labels is refused.

    Args:
        earlier: releases that count: of these labels, and of rewards.
        cost: of all together, in words.
        overlap: which comparisons were released before.
    """
    rewards = sum(bool(debit.delta) for debit in earlier)
    count = len(earlier) - rewards
    reasons = []
    if count:
        releases = "an earlier release" if count == 1 else f"{count} earlier releases"
        reasons.append(f"shares {overlap.in_words} with {releases}{overlap.apart}")
    if rewards:
        counts = "counts" if rewards == 1 else "count"
        reasons.append(f"{number_of(rewards, 'reward')} of this ledger {counts} for every input")
    waiting = any(debit.answers is not None for debit in earlier if not debit.delta)
    resumed = "; resume=true publishes the release that is spent and not published" * waiting
    return f"{', and '.join(reasons)}; {cost}; {ANY_TOTAL}{resumed}"


def _question(source: Any, folder: Path) -> str:
    """The command that says which comparisons were released before."""
    if not is_path(source):
        return ""
    words = f"{shlex.quote(os.fspath(source))} spent=true ledger={shlex.quote(str(folder))}"
    return f"; which of them: repro privatize {words}"


def _apart(count: int) -> str:
    """Lines that are other comparisons only by what was said before the last question."""
    one = "shares its last question and responses with another, and has an answer of its own"
    more = "share their last question and responses with another, and have answers of their own"
    return f"; {count} {one if count == 1 else more}" if count else ""


def _near(count: int) -> str:
    """Near-copies that were asked for."""
    one = "differs from another in case or punctuation only, and has an answer of its own"
    more = "differ from another in case or punctuation only, and have answers of their own"
    return f"; {count} {one if count == 1 else more}" if count else ""


def _merged(rows: Comparisons) -> str:
    if not rows.copies:
        return ""
    shown = " of records {} and {}".format(*(1 + number for number in rows.altered or (0, 0)))
    altered = f", not all in the same form (as the texts{shown})" if rows.altered else ""
    repeat = "repeats" if rows.copies == 1 else "repeat"
    have = "has" if rows.repeated == 1 else "have"
    whose = "of one annotator, whom a hash chooses," if rows.has_unit else "of the first line"
    repeated = number_of(rows.repeated, "comparison")
    return (
        f"; {number_of(rows.copies, 'line')} {repeat} another{altered}, so {repeated} {have} "
        f"several labels: that {whose} is answered, and the others are dropped"
    )


def _or(*words: str) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
