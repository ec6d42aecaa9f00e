"""Release a preference file under label differential privacy.

Each distinct comparison is answered once: its label (of the first line that has it) goes through
exact randomized response and its responses are put in the order of a fair coin.  Lines that
repeat a comparison, up to what ``canonical`` takes away, repeat the answer, so copies of a label
cannot be averaged.  Lines are released in random order, with no field but the four of the
contract.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path

from repro.base.errors import OF_THE_MACHINE, BadInput
from repro.preferences.pair_rows import text_size
from repro.privacy.exact_response import ExactResponse, random_bytes
from repro.release.answers import Answers
from repro.release.canonical import comparison, fingerprint
from repro.release.ledger import Book, Ledger
from repro.release.ledger_file import trouble_told
from repro.release.manifest import Counts, manifest_path, manifest_text
from repro.release.near_copies import NearCopies
from repro.release.publication import Publication
from repro.release.records import Record, read_records
from repro.release.scratch import Draft
from repro.release.shuffle import shuffled

TOGETHER = 200
"""Lines whose answers are kept by one statement: a statement for each costs a twentieth more."""
TEMPORARY = "temporary files (SQLITE_TMPDIR, TMPDIR)"


@dataclass(frozen=True)
class Release:
    """A finished release: its counts, and what the labels in it have cost so far."""

    counts: Counts
    epsilon: Decimal
    total: Decimal
    earlier: int
    manifest: Path


@dataclass
class Run:
    """Coins of a release, and what has been counted so far."""

    coin: ExactResponse
    near: NearCopies | None = None
    lines: int = 0
    plus: int = 0

    @property
    def similarity(self) -> float | None:
        """From which near-copies share an answer."""
        return self.near.least if self.near else None

    def counts(self, comparisons: int) -> Counts:
        """For the manifest."""
        joined = self.near.joined if self.near else 0
        return Counts(self.lines, self.lines - comparisons, joined, self.plus)


def privatise(
    source: Path,
    target: Path,
    epsilon: Decimal,
    ledger: Ledger,
    compose: bool = False,
    group: float | None = None,
    ready: Callable[[Counts], None] = lambda counts: None,
) -> Release:
    """Write ``target`` and its manifest, whole or not at all.

    Args:
        source: comparisons in a format of ``pair_rows`` and a layout of ``layouts``.
        target: the release; it must not exist, its folder must.
        epsilon: budget of each label, in [1e-6, 40].
        ledger: where earlier releases are noted.
        compose: allow labels that have been released before, at the sum of their budgets.
        group: similarity from which near-copies share an answer; None: copies alone do.
        ready: called before anything is spent; what it raises stops the release.

    Raises:
        BadInput: a faulty input, an existing target, a repeated release without ``compose``.
        OSError: the disk is full, or fails.
    """
    size = text_size(str(source), "IN")
    _refuse_target(target)
    run = Run(ExactResponse.at(epsilon), None if group is None else NearCopies(group))
    with (
        _interruption_told(target),
        trouble_told(TEMPORARY),
        Answers() as answers,
        _draft(target) as draft,
    ):
        with _trouble_with(target):
            lines = randomised(read_records(str(source)), run, ledger.salt, answers)
            draft.file.writelines(shuffled(lines, size, target.parent))
            draft.finish()
        counts = run.counts(len(answers))
        ready(counts)
        with ledger.locked(answers) as book:
            return _publish(target, draft, run, counts, book, compose)


def randomised(
    records: Iterable[Record], run: Run, salt: bytes, answers: Answers
) -> Iterator[bytes]:
    """Released lines in input order; ``answers`` and ``run`` are brought up to date."""
    near = run.near
    drawn = zip(records, run.coin.flips(), random_bytes(), strict=False)
    while together := list(islice(drawn, 1 if near else TOGETHER)):
        fresh, whiches = [], []
        for record, flip, byte in together:
            content, which = comparison(record)
            known, bits = fingerprint(salt, content), which ^ flip | (byte & 1) << 1
            if near and not answers.known(known):
                bits = near.answer(content, bits)
            fresh.append((known, bits))
            whiches.append(which)
        run.lines += len(together)
        found = zip(together, whiches, answers.recall(fresh), strict=True)
        for (record, _, _), which, answer in found:
            order = answer >> 1
            minus = (answer & 1) ^ order
            first = 1 + (order ^ which)
            run.plus += 1 - minus
            yield (
                f'{{"prompt": {quoted(record[0])}, "response_1": {quoted(record[first])}, '
                f'"response_2": {quoted(record[3 - first])}, "label": {("1", "-1")[minus]}}}\n'
            ).encode("ascii")


def _publish(
    target: Path, draft: Draft, run: Run, counts: Counts, book: Book, compose: bool
) -> Release:
    """See what has been spent, and carry the release out."""
    earlier, epsilon, path = book.overlapping(), run.coin.epsilon, manifest_path(target)
    total = sum((Decimal(entry.epsilon) for entry in earlier), epsilon)
    if earlier and not compose:
        raise BadInput("IN", "(labels released before)", _spent_words(len(earlier), total))
    name = secrets.token_hex(8)
    text = manifest_text(run.coin, counts, len(earlier), total, name, run.similarity)
    with _draft(target) as manifest, _trouble_with(target):
        manifest.file.write(text.encode())
        book.carry_out(Publication(name, target, path), epsilon, (draft, manifest))
    return Release(counts, epsilon, total, len(earlier), path)


def _draft(target: Path) -> Draft:
    with _trouble_with(target):
        return Draft(target.parent)


@contextlib.contextmanager
def _interruption_told(target: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as stopped:
        done = os.path.lexists(target)
        raise type(stopped)(f"{target} is complete" if done else "nothing was released") from None


@contextlib.contextmanager
def _trouble_with(target: Path) -> Iterator[None]:
    """What the user can mend is bad input; a full or failing disk stays an OSError."""
    try:
        yield
    except OSError as problem:
        why = problem.strerror or "unknown error"
        if problem.errno in OF_THE_MACHINE:
            raise OSError(problem.errno, why, os.fspath(target)) from None
        raise BadInput("OUT", target, f"cannot be written: {why}") from None


def _spent_words(count: int, total: Decimal) -> str:
    releases = "an earlier release has" if count == 1 else f"{count} earlier releases have"
    return (
        f"{releases} labels of this input; another would bring them to a total epsilon of "
        f"{total}: allowed with compose=true"
    )


def _refuse_target(target: Path) -> None:
    for path in (target, manifest_path(target)):
        with _trouble_with(target), contextlib.suppress(FileNotFoundError):
            os.lstat(path)
            raise BadInput("OUT", path, "exists; choose a new name")
    if not target.parent.is_dir():
        raise BadInput("OUT", target, "its folder does not exist")
