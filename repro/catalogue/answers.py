"""What a reader asks of a statement, in the order of terminal, report and site.

Verdict (``repro.catalogue.standing``); why; the smallest counterexample and the command that runs
it; what holds instead; as printed; checks that contradict, the other checks; proofs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from repro.catalogue.coverage import ONLY, REASON, StatementCoverage
from repro.catalogue.papers import SLIP_GRADES, Catalogue, Slip
from repro.catalogue.standing import contradicting, needed, standing
from repro.catalogue.summaries import CheckSummary


@dataclass(frozen=True)
class Remedy:
    """A form that holds, and the errors that it mends."""

    text: str
    slips: tuple[Slip, ...]

    @property
    def of(self) -> str:
        """Each place with its grade.

        >>> one = Slip(place="eq. (3)", suspected="2", grade="constant", corrected="4")
        >>> Remedy("4", (one, one.model_copy(update={"place": "eq. (4)"}))).of
        'eq. (3); eq. (4) (constant)'
        """
        places: dict[str, list[str]] = {}
        for slip in self.slips:
            places.setdefault(slip.said, []).append(slip.place)
        return "; ".join(f"{'; '.join(at)} ({said})" for said, at in places.items())


@dataclass(frozen=True)
class Answers:
    """What stands between the verdict and the evidence.

    Attributes:
        why: what is wrong with it or which condition it needs, or why it has no verdict; may be
            empty.
        place: where in the paper the error is; may be empty.
        counterexample: the smallest instance in which the printed form fails; may be empty.
        command: runs the check that contradicts it or has the printed form as its control, at
            smoke, or has Coq check the proof.
        holds: forms that hold, that of the worst error that contradicts it, or of the condition
            that it needs, first.
        others: what else was suspected of it.
    """

    why: str
    place: str
    counterexample: str
    command: str
    holds: tuple[Remedy, ...]
    others: tuple[Slip, ...]


def answers(row: StatementCoverage, catalogue: Catalogue) -> Answers:
    """Of one statement.

    Args:
        row: of the statement.
        catalogue: with what is suspected of every statement.
    """
    own = list(row.item.slips.values())
    conditional = standing(row, catalogue).unstated_condition
    noted = needed(row) if conditional else contradicting(row, catalogue)
    against = sorted(noted, key=lambda slip: (*_worst_first(slip), slip not in own))
    evidence = {f"{slug}: {item.name}" for slug, item in row.speaking}
    concern = [
        item
        for item in catalogue.slips.values()
        if item in own or row.id in item.also or not evidence.isdisjoint(item.evidence)
    ]
    others = sorted((item for item in concern if item not in against), key=_worst_first)
    proofs = [item for item in row.machine_checked if item.shows == "contradicted"]
    slug, check = _contradicting_check(row, against)
    reasons = [slip for slip in against if f"{slug}: {check}" in slip.evidence] or against
    reason = row.item.reason if row.status == REASON else ""
    why = reasons[0].suspected if reasons else proofs[0].says if proofs else reason
    command = _command(row, slug, check) if check else proofs[0].command if proofs else ""
    example = row.item.counterexample or ""
    place = reasons[0].place if reasons else ""
    holds = _remedies(against)
    return Answers(_sentence(why or ""), place, example, command, holds, tuple(others))


def _remedies(against: Sequence[Slip]) -> tuple[Remedy, ...]:
    """Equal ones once; one that stands alone begins like a sentence."""
    by_text: dict[str, list[Slip]] = {}
    for slip in against:
        by_text.setdefault(slip.corrected, []).append(slip)
    written = _sentence if len(by_text) == 1 else str
    return tuple(Remedy(written(text), tuple(slips)) for text, slips in by_text.items())


def _sentence(text: str) -> str:
    """With a capital, where a word begins it and no symbol.

    >>> _sentence("the cap breaks it"), _sentence("e^B is lost")
    ('The cap breaks it', 'e^B is lost')
    """
    return text[:1].upper() + text[1:] if re.match("[a-z]+ ", text) else text


def _worst_first(slip: Slip) -> tuple[bool, int]:
    return slip.text_at_hand, SLIP_GRADES.index(slip.grade)


def _contradicting_check(row: StatementCoverage, against: Sequence[Slip]) -> tuple[str, str]:
    """Experiment and check that show it fail: what its entry names, or evidence of the worst slip.

    Both are empty where no check contradicts it, and its entry names none.
    """
    named = [word.removeprefix(ONLY) for word in row.item.counterexample_at if ONLY in word]
    pairs = [(slug, one.name) for slug, one in row.speaking
             if one.expected == "contradicted" or one.name in named]  # fmt: skip
    reasons = against[0].evidence if against else ()
    pairs.sort(key=lambda pair: (pair[1] not in named, f"{pair[0]}: {pair[1]}" not in reasons))
    return pairs[0] if pairs else ("", "")


def _command(row: StatementCoverage, slug: str, check: str) -> str:
    at = row.item.counterexample_at
    only = [] if any(ONLY in word for word in at) else [f"{ONLY}{check}"]
    words = [f"theorem={slug}", *only, "budget=smoke", *at]
    return shlex.join(["python", "-m", "repro", *words])


def experiments(row: StatementCoverage) -> list[tuple[str, Sequence[CheckSummary]]]:
    """Its experiments with the checks that contradict it; then with their other checks."""
    by_experiment = {
        slug: [item for experiment, item in row.speaking if experiment == slug]
        for slug in row.expected
    }
    against = [
        (slug, [item for item in checks if item.expected == "contradicted"])
        for slug, checks in by_experiment.items()
    ]
    others = [
        (slug, [item for item in checks if item.expected != "contradicted"])
        for slug, checks in by_experiment.items()
    ]
    silent = {slug for slug, checks in by_experiment.items() if not checks}
    return [
        *((slug, checks) for slug, checks in against if checks),
        *((slug, checks) for slug, checks in others if checks or slug in silent),
    ]
