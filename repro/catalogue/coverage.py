"""Computed status of every statement, and what is wrong with the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from repro.catalogue import machine_checked
from repro.catalogue.entries import OWN, Catalogue, Item, counted, kind, number, paper
from repro.catalogue.machine_checked import Checked
from repro.core.claims import Verdict
from repro.core.verdicts import worst
from repro.study.discovery import find, slugs

EXPERIMENT, REASON, MISSING = "experiment", "reason", "no experiment yet"
SUBSTITUTE, NOT_REPRODUCED = "substitute", "not_reproduced"
"""Of a figure or table that no run of the paper's own model on its own data speaks for."""
EXECUTED = "executed"
"""Stands for a verdict where an experiment runs an item, say a definition, that claims nothing."""


@dataclass(frozen=True)
class StatementCoverage:
    """One statement as it stands.

    Attributes:
        id: e.g. p1.thm_4_2.
        status: ``experiment`` (at least one exists), ``reason``, ``substitute``,
            ``not_reproduced`` or ``no experiment yet``.
        expected: by existing experiment the worst verdict pinned for the checks that speak for
            the statement, or ``executed``; the status, where no model of the paper's was run.
        missing: planned experiments that do not exist.
        machine_checked: theorems about it that Coq accepts a proof of.
    """

    id: str
    item: Item
    status: str
    expected: Mapping[str, str]
    missing: tuple[str, ...]
    machine_checked: tuple[Checked, ...] = ()

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
            "expected": dict(self.expected),
            "reason": self.item.reason,
            "shown": self.item.shown or None,
            "machine_checked": [
                {**one.model_dump(), "command": one.command} for one in self.machine_checked
            ],
        }


def statements_of_experiments() -> dict[str, tuple[str, ...]]:
    """Catalogue ids by existing experiment."""
    return {slug: find(slug).statements for slug in slugs()}


def completed(catalogue: Catalogue, existing: Mapping[str, tuple[str, ...]]) -> Catalogue:
    """The catalogue with what experiments settle and its file does not say.

    A statement of one's own needs no entry: its title is the experiment's.  A printed one must
    have an entry, and gets the experiments that speak for it.
    """
    items = dict(catalogue.items)
    for slug, statements in existing.items():
        for name in statements:
            if name not in items and paper(name) == OWN:
                items[name] = Item(title=find(slug).title, experiments=(slug,))
            elif name in items and not items[name].reason:
                there = dict.fromkeys((*items[name].experiments, slug))
                items[name] = items[name].model_copy(update={"experiments": tuple(there)})
    return catalogue.model_copy(update={"items": items})


def rows(catalogue: Catalogue, existing: Mapping[str, tuple[str, ...]]) -> list[StatementCoverage]:
    """Every statement with its computed status, in the order of the file."""
    proved = machine_checked.by_statement(machine_checked.load())
    return [
        _row(name, item, existing, tuple(proved.get(name, ())))
        for name, item in catalogue.items.items()
    ]


def _row(
    name: str, item: Item, existing: Mapping[str, tuple[str, ...]], proved: tuple[Checked, ...]
) -> StatementCoverage:
    there = [slug for slug in item.experiments if slug in existing]
    missing = tuple(slug for slug in item.experiments if slug not in existing)
    status = REASON if item.reason else status_of(item) or (EXPERIMENT if there else MISSING)
    expected = {slug: status_of(item) or pinned_verdict(slug, name) for slug in there}
    return StatementCoverage(name, item, status, expected, missing, proved)


def status_of(item: Item) -> str:
    """``substitute`` or ``not_reproduced``; empty where a verdict may stand."""
    if item.substitute:
        return SUBSTITUTE
    return NOT_REPRODUCED if item.not_reproduced else ""


def pinned_verdict(slug: str, statement: str) -> str:
    """What the checks of an experiment that speak for a statement give in an honest run.

    Returns:
        the worst of the pinned verdicts, or ``executed`` if the experiment claims nothing of it.
    """
    theorem = find(slug)
    if statement not in theorem.statements:
        return EXECUTED
    return worst(c.expected for c in theorem.checks if statement in theorem.statements_of(c))


def pinned_checks(slug: str) -> list[tuple[str, Verdict]]:
    """Name and pinned verdict of every check of an experiment."""
    return [(check.name, check.expected) for check in find(slug).checks]


def problems(catalogue: Catalogue, existing: Mapping[str, tuple[str, ...]]) -> list[str]:
    """One line per thing that is wrong: gaps, dangling names, unlisted experiments."""
    named = {slug for item in catalogue.items.values() for slug in item.experiments}
    planned = set(catalogue.planned)
    return [
        *(
            f"{slug}: planned, but it exists; take it out"
            for slug in sorted(planned & set(existing))
        ),
        *(f"{slug}: planned, but no statement names it" for slug in sorted(planned - named)),
        *(
            f"{slug}: neither an experiment nor planned"
            for slug in sorted(named - planned - set(existing))
        ),
        *(
            f"{slug}: no statement names it; say in its file what it settles"
            for slug in sorted(set(existing) - named)
        ),
        *_unlisted(catalogue, existing),
    ]


def _unlisted(catalogue: Catalogue, existing: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Ids that an experiment claims and the catalogue does not give it."""
    for slug, statements in existing.items():
        for name in statements:
            if name not in catalogue.items:
                yield f"{slug}: its statement {name} is not in the catalogue"
            elif slug not in catalogue.items[name].experiments:
                yield f"{slug}: the catalogue does not list it under {name}"
