"""Release a preference file under label differential privacy.

Each distinct comparison is answered once: its label (of the first line that has it) goes through
exact randomized response and its responses are put in the order of a fair coin.  Lines that
repeat a comparison repeat the answer, so copies of a label cannot be averaged.  Lines are
released in random order, with no field but the four of the contract.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path

from repro.base.errors import BadInput
from repro.privacy.exact_response import ExactResponse, random_bytes
from repro.release.comparison import fingerprint, unlabelled
from repro.release.ledger import Ledger
from repro.release.manifest import Counts, manifest_path, manifest_text
from repro.release.records import Record, file_size, read_records
from repro.release.scratch import Draft, publish
from repro.release.seen import Seen
from repro.release.shuffle import shuffled

BYTES_A_COMPARISON = 1024
"""Sizes the table of comparisons at the start; it grows where lines are shorter."""


@dataclass(frozen=True)
class Release:
    """A finished release: its counts, and what the labels in it have cost so far."""

    counts: Counts
    epsilon: Decimal
    total: Decimal
    earlier: int
    manifest: Path


@dataclass
class _Tally:
    lines: int = 0
    plus: int = 0


def privatise(
    source: Path, target: Path, epsilon: Decimal, ledger: Ledger, compose: bool = False
) -> Release:
    """Write ``target`` and its manifest, whole or not at all.

    Args:
        source: JSON lines with prompt, chosen and rejected.
        target: the release; it must not exist, its folder must.
        epsilon: budget of each label, in [1e-6, 40].
        ledger: where earlier releases are noted.
        compose: allow labels that have been released before, at the sum of their budgets.

    Raises:
        BadInput: a faulty input, an existing target, a repeated release without ``compose``.
    """
    size = file_size(str(source), "IN")
    _refuse_target(target)
    coin, tally = ExactResponse.at(epsilon), _Tally()
    try:
        with (
            Seen(target.parent, size // BYTES_A_COMPARISON) as seen,
            Draft(target) as draft,
        ):
            lines = randomised(read_records(str(source)), coin, ledger.salt, seen, tally)
            draft.file.writelines(shuffled(lines, size, target.parent))
            counts = Counts(tally.lines, tally.lines - len(seen), tally.plus)
            return _publish(draft, coin, counts, seen, ledger, compose)
    except OSError as problem:
        raise BadInput("OUT", target, f"cannot be written: {problem.strerror}") from None


def randomised(
    records: Iterable[Record], coin: ExactResponse, salt: bytes, seen: Seen, tally: _Tally
) -> Iterator[bytes]:
    """Released lines in input order; ``seen`` and ``tally`` are brought up to date."""
    for record, flip, byte in zip(records, coin.flips(), random_bytes(), strict=False):
        prompt, first, second, which = unlabelled(record)
        fresh = which ^ flip | (byte & 1) << 1
        answer = seen.recall(fingerprint(salt, prompt, first, second), fresh)
        order = answer >> 1
        minus = (answer & 1) ^ order
        pair = (first, second)
        tally.lines += 1
        tally.plus += 1 - minus
        yield (
            f'{{"prompt": {quoted(prompt)}, "response_1": {quoted(pair[order])}, '
            f'"response_2": {quoted(pair[1 - order])}, "label": {("1", "-1")[minus]}}}\n'
        ).encode("ascii")


def _publish(
    draft: Draft, coin: ExactResponse, counts: Counts, seen: Seen, ledger: Ledger, compose: bool
) -> Release:
    """Note the release in the ledger, then name its files: budget is never spent unnoted."""
    draft.finish()
    with ledger.locked(), Draft(manifest_path(draft.path)) as manifest:
        earlier = ledger.overlapping(seen)
        total = sum((Decimal(entry.epsilon) for entry in earlier), coin.epsilon)
        if earlier and not compose:
            raise BadInput("IN", "(labels released before)", _spent_words(len(earlier), total))
        name = secrets.token_hex(8)
        text = manifest_text(coin, counts, len(earlier), total, name)
        manifest.file.write(text.encode())
        manifest.finish()
        ledger.add(name, coin.epsilon, seen, draft.path.name)
        publish(manifest, draft)
    return Release(counts, coin.epsilon, total, len(earlier), manifest.path)


def _spent_words(count: int, total: Decimal) -> str:
    releases = "an earlier release has" if count == 1 else f"{count} earlier releases have"
    return (
        f"{releases} labels of this input; another would bring them to a total epsilon of "
        f"{total}: allowed with compose=true"
    )


def _refuse_target(target: Path) -> None:
    for path in (target, manifest_path(target)):
        if os.path.lexists(path):
            raise BadInput("OUT", path, "exists; choose a new name")
    if not target.parent.is_dir():
        raise BadInput("OUT", target, "its folder does not exist")
