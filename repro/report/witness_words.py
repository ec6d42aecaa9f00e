"""Where a contradicted claim fails and what holds in its place, in words."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from repro.base.notation import SYMBOLS
from repro.report.run_files import CheckEntry, VerdictContent, WitnessEntry
from repro.report.wording import brief_words, claim_words, verdict_words

BOUNDS = {"at_most": "at most ", "at_least": "at least "}


@dataclass(frozen=True)
class Contradiction:
    """A contradicted check, the place where it fails, and the row with the form that holds.

    Attributes:
        name: of the check.
        witness: in words; empty where a run has none.
        corrected: the row that holds, with its numbers or the command that runs it; may be empty.
        command: that runs it, where this run has not.
    """

    name: str
    witness: str
    corrected: str
    command: str = ""


def beside(run: VerdictContent) -> list[Contradiction]:
    """Every contradicted check of a run that has a witness or a corrected form."""
    found = (_beside(check, holds) for check, holds in run.contradicted())
    return [one for one in found if one.witness or one.corrected]


def _beside(check: CheckEntry, holds: CheckEntry | None) -> Contradiction:
    witness = witness_words(check, check.witness) if check.witness else ""
    if holds is not None:
        found = f"{brief_words(holds)}, claimed {claim_words(holds)}"
        words = f"{verdict_words(holds.verdict)} {holds.name}: {found}; {holds.claim}"
        return Contradiction(check.name, witness, words)
    if ": " not in check.corrected:
        return Contradiction(
            check.name, witness, check.corrected and f"{check.corrected}, not run here"
        )
    experiment, row = check.corrected.split(": ")
    command = shlex.join(["python", "-m", "repro", f"theorem={experiment}", f"only={row}"])
    return Contradiction(check.name, witness, f"{row} of {experiment}", command)


def witness_words(check: CheckEntry, found: WitnessEntry) -> str:
    """The swept value and the numbers there.

    >>> check = CheckEntry(name="a", verdict="contradicted", axis="n_pairs", direction="at_most")
    >>> witness_words(check, WitnessEntry(at=8.0, measured=1.21, claimed=1.0))
    'at n = 8 it is 1.21, claimed at most 1'
    >>> named = check.model_copy(update={"quantity": "exact ε(δ) / stated ε"})
    >>> witness_words(named, WitnessEntry(at=8.0, measured=1.21, claimed=1.0))
    'at n = 8 exact ε(δ) / stated ε is 1.21, claimed at most 1'
    >>> growth = {"from": 1e3, "at": 1e5, "measured_from": 0.2, "measured": 0.2, "factor": 1.0}
    >>> witness_words(check, WitnessEntry(**growth, claimed=0.0126))
    'from n = 1000 to 1e+05 it goes from 0.2 to 0.2, by a factor 1; claimed at most 0.0126'
    """
    axis = SYMBOLS.get(check.axis, check.axis)
    axis = axis[1:-1] if axis.startswith("(") else axis
    at = "?" if found.at is None else f"{found.at:.4g}"
    side = "at_most" if check.kind in ("inequality", "privacy") else check.direction
    bound = BOUNDS.get(side, "")
    name = check.quantity.partition(" [")[0] or "it"
    digits = _digits(found.measured, found.claimed)
    claimed = f"claimed {bound}{_number(found.claimed, digits)}"
    if found.start is not None:
        ends = f"from {axis} = {found.start:.4g} to {at}"
        numbers = f"from {_number(found.measured_from)} to {_number(found.measured)}"
        return f"{ends} {name} goes {numbers}, by a factor {_number(found.factor)}; {claimed}"
    where = f"at {axis} = {at}"
    if found.cases is not None:
        where += f" {found.failures} of {found.cases} fail"
        measured = f": {_number(found.measured, digits)}"
    else:
        measured = f" {name} is {_number(found.measured, digits)}"
    drawn = "" if found.block is None else f" (block {found.block}, replicate {found.replicate})"
    return f"{where}{measured}, {claimed}{drawn}"


def _digits(measured: float | None, claimed: float | None) -> int:
    """So many that the two do not look alike."""
    return next(
        (digits for digits in range(4, 17)
         if _number(measured, digits) != _number(claimed, digits)), 4,
    )  # fmt: skip


def _number(value: float | None, digits: int = 4) -> str:
    return "not a number" if value is None else f"{value:.{digits}g}"
