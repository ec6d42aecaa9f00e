"""Finished runs below a folder, read from their files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from repro.base.errors import BadInput, one_line
from repro.base.files import json_object, yaml_mapping
from repro.base.places import places
from repro.base.schema import validate
from repro.report.files import changes, headline, stale_words
from repro.report.record import RunRecord
from repro.report.run_files import ConfigFile, FactsFile, VerdictFile

Model = TypeVar("Model", bound=BaseModel)

KEY = "runs"
BUDGETS = ("smoke", "laptop", "paper")
APART = {".cache", "mlartifacts", "mlruns"}
"""Folders whose files are no run's, or copies of a run's."""
GONE = "its experiment is not in this folder, so that it decides nothing"


@dataclass(frozen=True)
class StoredRun(RunRecord):
    """One finished run, with its folder.

    Attributes:
        facts: ``run.json``, empty where it is missing.
        folder: where its files are.
        changes: what was done to them since they were written, a phrase each.
        stale: why it does not stand for the code of today; empty where it does.
        gone: whether no place has its experiment, so that it speaks for no statement.
    """

    facts: dict[str, Any]
    folder: Path
    changes: tuple[str, ...] = ()
    stale: str = ""
    gone: bool = False

    @property
    def stale_words(self) -> str:
        """The same with the command that runs it again; empty where it stands."""
        if self.gone:
            return self.stale
        return f"{self.stale}; run {self.command}" if self.stale else ""


def find_runs(folder: Path) -> list[StoredRun]:
    """The run to show of each experiment and kind of instance, by name.

    Of several, one that the code of today has measured is preferred, then one of all checks, then
    one whose numbers are the shipped ones, then the larger budget, then the later one.

    Raises:
        BadInput: the folder is missing, or a file in it is no run's.
    """
    if not folder.is_dir():
        raise BadInput(KEY, folder, "allowed: a folder with finished runs")
    best: dict[str, StoredRun] = {}
    today = cache(code_today)
    for path in verdict_files(folder):
        run = read_run(path, today)
        if run.key not in best or _rank(run) > _rank(best[run.key]):
            best[run.key] = run
    return [best[key] for key in sorted(best)]


def verdict_files(folder: Path) -> list[Path]:
    """``verdict.json`` of every finished run below a folder, by its path."""
    paths = sorted(folder.rglob("verdict.json"))
    return [path for path in paths if APART.isdisjoint(path.relative_to(folder).parts)]


def code_today(slug: str) -> Mapping[str, str]:
    """Digests of an experiment's code and config as they are now; empty where there is none."""
    from repro.study.sources import code_of

    there = [place for place in places() if place.has(slug)]
    return code_of(slug, there[0]) if there else {}


def read_run(path: Path, today: Callable[[str], Mapping[str, str]] = code_today) -> StoredRun:
    """The run of a ``verdict.json``; its headline is that of its checks, whatever it says.

    Args:
        path: of the file.
        today: experiment → digests of its code and config as they are now.

    Raises:
        BadInput: a file cannot be read or lacks what a run has.
    """
    content, verdict = _read(VerdictFile, path, json_object)
    facts, typed = _read(FactsFile, path.with_name("run.json"), json_object, optional=True)
    _, config = _read(ConfigFile, path.with_name("config.yaml"), yaml_mapping, optional=True)
    if verdict.checks:
        verdict = verdict.model_copy(update={"verdict": headline(content)})
    code = today(verdict.theorem)
    stale = stale_words(typed.code, code) if code else GONE
    edits = tuple(changes(path.parent, content))
    return StoredRun(verdict, config, facts, path.parent, edits, stale, gone=not code)


Load = Callable[[str, Path], dict[str, Any]]


def _read(
    model: type[Model], path: Path, load: Load, optional: bool = False
) -> tuple[dict[str, Any], Model]:
    """The content of a file, and what is shown of it."""
    try:
        content = {} if optional and not os.path.lexists(path) else load(KEY, path)
        return content, validate(model, content)
    except BadInput as problem:
        why = problem.allowed if problem.key == KEY else problem
        raise BadInput(KEY, path, f"allowed: files of a finished run; {why}") from None


def _rank(run: StoredRun) -> tuple[bool, bool, bool, int, str]:
    budget = run.verdict.budget
    size = BUDGETS.index(budget) if budget in BUDGETS else -1
    finished = str(run.facts.get("finished", ""))
    return not run.stale, not run.part, not run.other_settings, size, finished


def say_changes(runs: Iterable[StoredRun]) -> int:
    """A line on stderr for each thing done to a run's files since; 1 if there was one, else 0."""
    all_changes = [(run.folder, change) for run in runs for change in run.changes]
    for folder, change in all_changes:
        print(one_line(f"changed: {folder}: {change}"), file=sys.stderr)
    return int(bool(all_changes))
