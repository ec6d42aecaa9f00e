"""What a reader asks of a statement, in the order of terminal, report and site.

Verdict (``repro.catalogue.standing``); why; the smallest counterexample and the command that runs
it; what holds instead; as printed; evidence, what contradicts first; proofs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from repro.catalogue.coverage import StatementCoverage
from repro.catalogue.papers import SLIP_GRADES, Catalogue, Slip
from repro.catalogue.standing import contradicting
from repro.catalogue.summaries import CheckSummary


@dataclass(frozen=True)
class Answers:
    """What stands between the verdict and the evidence.

    Attributes:
        why: what is wrong with it, or why it has no verdict, in a sentence; may be empty.
        counterexample: the smallest instance in which the printed form fails; may be empty.
        command: runs the check that contradicts it, at smoke, or has Coq check the proof.
        holds: errors that contradict it, each with the form that holds, the worst first.
        others: what else was suspected of it.
    """

    why: str
    counterexample: str
    command: str
    holds: tuple[Slip, ...]
    others: tuple[Slip, ...]


def answers(row: StatementCoverage, catalogue: Catalogue) -> Answers:
    """Of one statement.

    Args:
        row: of the statement.
        catalogue: with what is suspected of every statement.
    """
    against = sorted(contradicting(row, catalogue), key=_worst_first)
    evidence = {f"{slug}: {item.name}" for slug, item in row.speaking}
    own = list(row.item.slips.values())
    concern = [
        item
        for item in catalogue.slips.values()
        if item in own or not evidence.isdisjoint(item.evidence)
    ]
    others = sorted((item for item in concern if item not in against), key=_worst_first)
    proofs = [item for item in row.machine_checked if item.shows == "contradicted"]
    why = against[0].suspected if against else proofs[0].says if proofs else row.item.reason
    example = row.item.counterexample or ""
    return Answers(_sentence(why or ""), example, _command(row), tuple(against), tuple(others))


def _sentence(text: str) -> str:
    """With a capital, where a word begins it and no symbol.

    >>> _sentence("the cap breaks it"), _sentence("e^B is lost")
    ('The cap breaks it', 'e^B is lost')
    """
    return text[:1].upper() + text[1:] if re.match("[a-z]+ ", text) else text


def _worst_first(slip: Slip) -> tuple[bool, int]:
    return slip.text_at_hand, SLIP_GRADES.index(slip.grade)


def _command(row: StatementCoverage) -> str:
    for slug, item in row.speaking:
        if item.expected == "contradicted":
            at = row.item.counterexample_at
            only = [] if any(word.startswith("only=") for word in at) else [f"only={item.name}"]
            words = [f"theorem={slug}", *only, "budget=smoke", *at]
            return shlex.join(["python", "-m", "repro", *words])
    proofs = [item.command for item in row.machine_checked if item.shows == "contradicted"]
    return proofs[0] if proofs else ""


def experiments(row: StatementCoverage) -> list[tuple[str, Sequence[CheckSummary]]]:
    """Its experiments with the checks that speak for it, what contradicts first."""
    by_experiment = [
        (slug, sorted(
            (item for experiment, item in row.speaking if experiment == slug), key=_supported
        ))
        for slug in row.expected
    ]  # fmt: skip
    return sorted(by_experiment, key=lambda item: not item[1] or _supported(item[1][0]))


def _supported(check: CheckSummary) -> bool:
    return check.expected != "contradicted"
