"""What experiments claim, in short: read without running a file of the current folder.

A theorem that is shipped or installed is imported once, since torch and SciPy take seconds to
import.  Its summary is then a file in ``$XDG_CACHE_HOME/repro``, by default below ``~/.cache``.  A
summary belongs to the content of every file that was imported; after a change it is made anew.

An experiment of the current folder is known by its finished runs: a look-up must run nobody's code.
Before its first run it is about the statements whose ids are texts of its file.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from repro.base.errors import BadInput
from repro.base.files import json_object, write_whole
from repro.base.places import PACKAGE, Place, installed, places, shipped
from repro.base.schema import Model
from repro.catalogue.entries import is_id
from repro.core.claims import Verdict
from repro.core.verdicts import overall

if TYPE_CHECKING:
    from repro.core.check import Theorem
    from repro.report.html.runs import StoredRun
    from repro.report.run_files import CheckEntry, VerdictContent


class CheckSummary(Model):
    """One check.

    Attributes:
        claim: in words.
        evidence: how it knows: measured, exact, searched, proved or computed.
        expected: the verdict that is pinned; of an experiment that is known by its run, the
            verdict of the run.
        statements: ids that it speaks for.
        of_run: whether it is known by a run.
        pinned: of one that is, the pinned verdict; empty where the run does not say.
        stale: of one that is, why the run does not stand for the code of today; may be empty.
        why: the reason of a pinned verdict other than ``supported``.
        corrected: the check of the form that holds, where that of this one does not.
        controls: algorithms that are wrong on purpose.
        axis: what is swept.
    """

    name: str
    claim: str
    evidence: str
    expected: Verdict
    statements: tuple[str, ...]
    why: str = ""
    corrected: str = ""
    controls: tuple[str, ...] = ()
    axis: str = ""
    of_run: bool = False
    pinned: str = ""
    stale: str = ""

    @property
    def recorded(self) -> str:
        """The verdict that is pinned."""
        return self.pinned or self.expected


class TheoremSummary(Model):
    """One experiment.

    Attributes:
        title: for people.
        checks: all of them; none of one that is known by a run in part, which settles nothing, or
            by the text of its file.
        part: of a run in part, the checks that it has.
        settles: ids of statements that an experiment without checks is about.
    """

    title: str
    checks: tuple[CheckSummary, ...]
    part: tuple[str, ...] = ()
    settles: tuple[str, ...] = ()

    @property
    def not_run(self) -> bool:
        """Whether it is known by the text of its file alone."""
        return not self.checks and not self.part

    @property
    def statements(self) -> tuple[str, ...]:
        """Ids in the catalogue that its checks speak for, or would."""
        own = (name for check in self.checks for name in check.statements)
        return tuple(dict.fromkeys((*self.settles, *own)))

    def speaking(self, statement: str) -> tuple[CheckSummary, ...]:
        """The checks that speak for a statement."""
        return tuple(check for check in self.checks if statement in check.statements)


Summaries = Mapping[str, TheoremSummary]
"""By the name of the experiment."""


def summaries(runs: Iterable[StoredRun] = ()) -> Summaries:
    """Every experiment that is shipped or installed, those that the runs are of, and those of the
    current folder that name statements.

    Args:
        runs: finished ones.

    Raises:
        BadInput: the file of a theorem that is shipped or installed cannot be imported.
    """
    imported = {
        name: summary
        for place in (shipped(), *installed())
        for name, summary in _of_place(place, tuple(place.names())).items()
    }
    others = of_runs(run for run in runs if run.slug not in imported)
    return dict(sorted({**_not_run(), **others, **imported}.items()))


def of_runs(runs: Iterable[StoredRun]) -> Summaries:
    """The experiments that finished runs are of, apart from those that are gone."""
    return {run.slug: _of_run(run) for run in runs if not run.gone}


def _not_run() -> Summaries:
    """Experiments of the current folder whose files name statements, as if they never ran."""
    here = places()[-1]
    statements = {name: statements_in(here, name) for name in here.names()}
    return {
        name: TheoremSummary(title=here.title(name) or name, checks=(), settles=ids)
        for name, ids in statements.items()
        if ids
    }


def statements_in(place: Place, name: str) -> tuple[str, ...]:
    """The ids of statements in the file of an experiment, which is not run."""
    return tuple(filter(is_id, place.texts(name)))


def summary_of(theorem: Theorem) -> TheoremSummary:
    """Of a theorem that has been imported."""
    checks = tuple(
        CheckSummary(
            name=check.name,
            claim=check.claim.said(check.axis),
            evidence=check.quantity.evidence,
            expected=check.expected,
            statements=theorem.statements_of(check),
            why=check.why,
            corrected=theorem.corrected.get(check.name, ""),
            controls=tuple(algorithm.__name__ for algorithm in check.wrong),
            axis=check.axis,
        )
        for check in theorem.checks
    )
    return TheoremSummary(title=theorem.title, checks=checks)


def _of_run(run: StoredRun) -> TheoremSummary:
    verdict = run.verdict
    checks = [
        CheckSummary(
            name=check.name,
            claim=check.claim,
            evidence=check.evidence,
            expected=_came_out(verdict, check),
            statements=tuple(verdict.statements if check.statements is None else check.statements),
            corrected=check.corrected,
            controls=tuple(control.name for control in verdict.controls_of(check)),
            of_run=True,
            pinned=check.expected,
            stale=run.stale,
        )
        for check in verdict.checks
    ]
    title = next((place.title(run.slug) for place in places() if place.has(run.slug)), "")
    if run.part:
        names, settles = tuple(check.name for check in checks), tuple(verdict.statements)
        return TheoremSummary(title=title or run.slug, checks=(), part=names, settles=settles)
    return TheoremSummary(title=title or run.slug, checks=tuple(checks))


def _came_out(verdict: VerdictContent, check: CheckEntry) -> Verdict:
    """Of one check, with its controls and the assumptions."""
    holds = [assumption.holds for assumption in verdict.assumptions]
    controls = [control.verdict for control in verdict.controls_of(check)]
    return overall(holds, controls, [check.verdict])


@cache
def _of_place(place: Place, names: tuple[str, ...]) -> Summaries:
    with suppress(BadInput, KeyError, TypeError, ValueError, OSError, RuntimeError):
        stored = json_object("summaries", _file(place))
        if list(stored["theorems"]) == list(names) and stored["files"] == _digests(stored["files"]):
            return {name: TheoremSummary(**fields) for name, fields in stored["theorems"].items()}
    from repro.study.discovery import find

    imported = {name: summary_of(find(name, place.folder)) for name in names}
    theorems = {name: summary.model_dump(mode="json") for name, summary in imported.items()}
    with suppress(OSError, RuntimeError):
        content = {"files": _digests(_imported_from(place)), "theorems": theorems}
        _file(place).parent.mkdir(parents=True, exist_ok=True)
        write_whole(_file(place), json.dumps(content, ensure_ascii=False))
    return imported


def _file(place: Place) -> Path:
    """Where the summaries of a place are kept.

    Raises:
        RuntimeError: there is no home folder.
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    folder = named if named.is_absolute() else Path("~/.cache").expanduser()
    key = blake2b(str(place.folder).encode(), digest_size=8).hexdigest()
    return folder / "repro" / f"summaries-{key}.json"


def _imported_from(place: Place) -> list[str]:
    """Files of this package and of a place that this process has imported."""
    files = (getattr(module, "__file__", None) or "" for module in list(sys.modules.values()))
    paths = (Path(file) for file in files if file.endswith(".py"))
    return sorted(
        str(path)
        for path in paths
        if path.is_file()
        and (path.is_relative_to(PACKAGE) or path.is_relative_to(place.folder / "theorems"))
    )


def _digests(paths: Iterable[str]) -> dict[str, str]:
    """By path."""
    return {path: blake2b(Path(path).read_bytes(), digest_size=16).hexdigest() for path in paths}
