"""Computed status of every statement, and what is wrong with the catalogue."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from repro.base.errors import among
from repro.catalogue import machine_checked, slips
from repro.catalogue.entries import OWN, counted, kind, number, paper
from repro.catalogue.machine_checked import Checked
from repro.catalogue.papers import Catalogue, Item
from repro.catalogue.summaries import CheckSummary, Summaries, TheoremSummary
from repro.core.verdicts import worst

ONLY = "only="
"""Before the name of a check in ``counterexample_at``."""
EXPERIMENT, REASON, MISSING = "experiment", "reason", "no experiment yet"
NOT_RUN = "not run yet"
"""Of a statement whose only experiments are files of the current folder, without a finished run."""
IN_PART = "measured in part"
"""Of a statement whose only experiments are known by runs of some of their checks."""
SUBSTITUTE, NOT_REPRODUCED = "substitute", "not_reproduced"
"""Of a figure or table that no run of the paper's own model on its own data speaks for."""
EXECUTED = "executed"
"""Stands for a verdict where an experiment runs an item, say a definition, and tests no claim."""


@dataclass(frozen=True)
class StatementCoverage:
    """One statement as it stands.

    Attributes:
        id: e.g. p1.thm_4_2.
        status: ``experiment`` (at least one exists), ``reason``, ``substitute``,
            ``not_reproduced``, ``measured in part``, ``not run yet`` or ``no experiment yet``.
        expected: by existing experiment the worst verdict of the checks that speak for the
            statement, or ``executed``; the status, where no model of the paper's was run.  The
            verdicts are pinned, or those of a run.
        missing: experiments that do not exist, or have not been run.
        machine_checked: theorems about it that Coq accepts a proof of.
        speaking: experiment and check of everything that speaks for it.
        in_part: checks that were run, by the experiment that is measured in part.
        rests_on: the statements that it sums up.
    """

    id: str
    item: Item
    status: str
    expected: Mapping[str, str]
    missing: tuple[str, ...]
    machine_checked: tuple[Checked, ...] = ()
    speaking: tuple[tuple[str, CheckSummary], ...] = ()
    in_part: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rests_on: tuple[StatementCoverage, ...] = ()

    @property
    def recorded(self) -> dict[str, str]:
        """The same as ``expected`` of pinned verdicts alone."""
        pinned: dict[str, list[Any]] = {slug: [] for slug in self.expected}
        for slug, check in self.speaking if not status_of(self.item) else ():
            pinned[slug].append(check.recorded)
        return {slug: worst(own) if own else self.expected[slug] for slug, own in pinned.items()}

    @property
    def differing(self) -> list[str]:
        """Experiments of which a run did not come out as recorded."""
        return [slug for slug, verdict in self.recorded.items() if verdict != self.expected[slug]]

    def plain(self) -> dict[str, object]:
        """The row as JSON."""
        return {
            "id": self.id,
            "paper": paper(self.id),
            "kind": kind(self.id),
            "number": number(self.id),
            "counted": counted(self.id),
            "title": self.item.title,
            "status": self.status,
            "experiments": list(self.item.experiments),
            "expected": self.recorded,
            "came_out": {slug: self.expected[slug] for slug in self.differing},
            "reason": self.item.reason,
            "shown": self.item.shown or None,
            "machine_checked": [
                {**proof.model_dump(), "command": proof.command} for proof in self.machine_checked
            ],
        }


def completed(catalogue: Catalogue, existing: Summaries) -> Catalogue:
    """The catalogue with what experiments settle and its file does not say.

    A statement of one's own needs no entry: its title is the experiment's, or the claims of its
    checks where the experiment has others.  A printed one must have an entry, and gets the
    experiments that speak for it.
    """
    items = dict(catalogue.items)
    for slug, summary in existing.items():
        for name in summary.statements:
            if name not in items and paper(name) == OWN:
                items[name] = Item(title=_own_title(name, summary), experiments=(slug,))
            elif name in items:
                there = dict.fromkeys((*items[name].experiments, slug))
                items[name] = items[name].model_copy(update={"experiments": tuple(there)})
    return catalogue.model_copy(update={"items": items})


def _own_title(name: str, summary: TheoremSummary) -> str:
    speaking = summary.speaking(name)
    part = 0 < len(speaking) < len(summary.checks)
    return "; ".join(check.claim for check in speaking) if part else summary.title


def rows(catalogue: Catalogue, existing: Summaries) -> list[StatementCoverage]:
    """Every statement with its computed status, in the order of the file."""
    proved = machine_checked.by_statement(catalogue.theorems)
    by_id = {
        name: _row(name, item, existing, tuple(proved.get(name, ())))
        for name, item in catalogue.items.items()
    }
    return [
        replace(row, rests_on=tuple(by_id[name] for name in row.item.rests_on))
        for row in by_id.values()
    ]


def _row(
    name: str, item: Item, existing: Summaries, proved: tuple[Checked, ...]
) -> StatementCoverage:
    known = {slug for slug, summary in existing.items() if not summary.not_run}
    there = [slug for slug in item.experiments if slug in known]
    missing = tuple(slug for slug in item.experiments if slug not in known)
    to_run = NOT_RUN if any(slug in existing for slug in missing) else MISSING
    in_part = {slug: existing[slug].part for slug in there if existing[slug].part}
    experiments = EXPERIMENT if len(there) > len(in_part) else IN_PART if in_part else to_run
    status = REASON if item.reason and not there else status_of(item) or experiments
    checks = {slug: existing[slug].speaking(name) for slug in there}
    expected = {
        slug: status_of(item) or (IN_PART if slug in in_part else _pinned(own))
        for slug, own in checks.items()
    }
    speaking = tuple((slug, check) for slug, own in checks.items() for check in own)
    return StatementCoverage(name, item, status, expected, missing, proved, speaking, in_part)


def status_of(item: Item) -> str:
    """``substitute`` or ``not_reproduced``; empty where a verdict may stand."""
    if item.substitute:
        return SUBSTITUTE
    return NOT_REPRODUCED if item.not_reproduced else ""


def _pinned(checks: Sequence[CheckSummary]) -> str:
    """The worst verdict that the checks are pinned to; ``executed`` where there is no check."""
    return worst(check.expected for check in checks) if checks else EXECUTED


def problems(catalogue: Catalogue, existing: Summaries, unread: Collection[str] = ()) -> list[str]:
    """One line per thing that is wrong: gaps, dangling names, unlisted experiments.

    Args:
        catalogue: all statements.
        existing: every experiment of which it is known what it claims.
        unread: names of others that exist.
    """
    named = {slug for item in catalogue.items.values() for slug in item.experiments}
    return [
        *(f"{slug}: no such experiment" for slug in sorted(named - {*existing, *unread})),
        *(
            f"{slug}: no statement names it; name its statements in its file (settles=)"
            for slug in sorted(set(existing) - named)
        ),
        *_unlisted(catalogue, existing),
        *_settled_with_reason(catalogue, existing),
        *counterexample_problems(catalogue, existing),
        *evidence_problems(catalogue, existing, unread),
    ]


def _settled_with_reason(catalogue: Catalogue, existing: Summaries) -> Iterator[str]:
    """Statements whose file says why nothing settles them, and that an experiment settles."""
    for name, item in catalogue.items.items():
        for slug in item.experiments if item.reason else ():
            if slug in existing:
                yield f"{slug}: settles {name}; remove its reason from {_where(name, catalogue)}"


def evidence_problems(
    catalogue: Catalogue,
    existing: Summaries,
    unread: Collection[str],
    of: Collection[str] | None = None,
) -> Iterator[str]:
    """Evidence of suspected errors that no experiment has, where its checks are known.

    Args:
        catalogue: all statements.
        existing: as for ``problems``.
        unread: as for ``problems``.
        of: ids of the suspected errors, also those whose checks a run of earlier code has; None:
            all others.
    """
    suspected = catalogue.slips
    if of is not None:
        suspected = {name: slip for name, slip in suspected.items() if name in of}
    stale = {slug for slug, one in existing.items() if any(check.stale for check in one.checks)}
    known = {slug: one for slug, one in existing.items() if one.checks and not one.part}
    known = {slug: one for slug, one in known.items() if of is not None or slug not in stale}
    checks = {slug: {c.name: c.controls for c in one.checks} for slug, one in known.items()}
    return slips.dangling(suspected, checks, None, {*unread, *set(existing) - set(known)}, stale)


def counterexample_problems(
    catalogue: Catalogue, existing: Summaries, of: Collection[str] | None = None
) -> Iterator[str]:
    """Checks that ``counterexample_at`` names and no experiment of the statement has.

    Args:
        catalogue: all statements.
        existing: as for ``problems``.
        of: ids of statements; None: all.
    """
    for name, item in catalogue.items.items():
        named = [word.removeprefix(ONLY) for word in item.counterexample_at if ONLY in word]
        experiments = [existing.get(slug) for slug in item.experiments]
        if (of is not None and name not in of) or not all(map(_is_whole, experiments)):
            continue
        checks = [check.name for one in experiments if one for check in one.checks]
        for check in named:
            if check not in checks:
                yield f"{name}: counterexample_at: no such check: {check}; {among(check, checks)}"


def _is_whole(summary: TheoremSummary | None) -> bool:
    """Whether all checks of today's file are known."""
    if summary is None or summary.not_run or summary.part:
        return False
    return not any(check.stale for check in summary.checks)


def _unlisted(catalogue: Catalogue, existing: Summaries) -> Iterator[str]:
    """Ids that an experiment claims and the catalogue does not give it."""
    for slug, summary in existing.items():
        for name in summary.statements:
            if name not in catalogue.items:
                yield f"{slug}: its statement {name} is not in {_where(name, catalogue)}"
            elif slug not in catalogue.items[name].experiments:
                yield f"{slug}: the catalogue does not list it under {name}"


def _where(name: str, catalogue: Catalogue) -> str:
    of = paper(name)
    if of in catalogue.papers:
        return f"conf/papers/{of}.yaml"
    return f"the catalogue; write conf/papers/{of}.yaml, or name it own.NAME"
