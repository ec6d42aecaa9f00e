"""Finished runs below a folder, read from their files."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from repro.base.errors import BadInput, one_line
from repro.base.files import json_object, yaml_mapping
from repro.base.schema import validate
from repro.report.run_files import ConfigFile, FactsFile, VerdictFile
from repro.report.seals import changes, headline
from repro.report.wording import part_words, verdict_words

KEY = "runs"
BUDGETS = ("smoke", "laptop", "paper")
OVERRIDES = ("epsilon", "n_pairs", "horizon", "kl_weight")
"""Keys at the top of a config whose default is null."""


@dataclass(frozen=True)
class StoredRun:
    """One finished run.

    Attributes:
        verdict: ``verdict.json``.
        facts: ``run.json``, empty where it is missing.
        config: ``config.yaml``, empty where it is missing.
        folder: where they are.
        changes: what was done to them since they were written, a phrase each.
    """

    verdict: dict[str, Any]
    facts: dict[str, Any]
    config: dict[str, Any]
    folder: Path
    changes: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """Name of the experiment."""
        return str(self.verdict["theorem"])

    @property
    def part(self) -> str:
        """Such as ``1 of 22 checks`` where not all were run, which settles no statement."""
        return part_words(self.verdict["rows"])

    @property
    def said(self) -> str:
        """Its verdict in words; of a part of the checks only how many they are."""
        return self.part or verdict_words(self.verdict["verdict"])

    @property
    def instance(self) -> str:
        """Kind of the instance, ``linear`` where the config does not say."""
        return str((self.config.get("instance") or {}).get("kind", "linear"))

    @property
    def key(self) -> str:
        """Id of its section: one per experiment and kind of instance."""
        return self.slug if self.instance == "linear" else f"{self.slug}-{self.instance}"

    @property
    def overrides(self) -> dict[str, Any]:
        """Top-level keys that were given, and ``only``."""
        given = {k: self.config.get(k) for k in (*OVERRIDES, "only")}
        return {k: v for k, v in given.items() if v is not None}

    @property
    def command(self) -> str:
        """The command that runs it again."""
        words = [f"theorem={self.slug}", f"budget={self.verdict['budget']}"]
        words += [f"instance={self.instance}"] if self.instance != "linear" else []
        words += [f"seed={self.verdict['seed']}"] if self.verdict["seed"] else []
        for key, value in self.overrides.items():
            shown = f"[{','.join(map(str, value))}]" if isinstance(value, list) else value
            words.append(f"{key}={shown}")
        return one_line(shlex.join(["python", "-m", "repro", *words]))

    def command_of(self, check: str) -> str:
        """The command that runs one of its checks again, at the same numbers."""
        config = self.config | {"only": check}
        return replace(self, config=config).command


def find_runs(folder: Path) -> list[StoredRun]:
    """The run to show of each experiment and kind of instance, by name.

    Of several, one of all checks is preferred, then one without overrides, then the larger budget,
    then the later one.

    Raises:
        BadInput: the folder is missing, or a file in it is no run's.
    """
    if not folder.is_dir():
        raise BadInput(KEY, folder, "allowed: a folder with finished runs")
    best: dict[str, StoredRun] = {}
    for path in sorted(folder.rglob("verdict.json")):
        if ".cache" not in path.parts:
            run = read_run(path)
            if run.key not in best or _rank(run) > _rank(best[run.key]):
                best[run.key] = run
    return [best[key] for key in sorted(best)]


def read_run(path: Path) -> StoredRun:
    """The run of a ``verdict.json``; its headline is that of its checks, whatever it says.

    Raises:
        BadInput: a file cannot be read or lacks what a run has.
    """
    verdict = _checked(VerdictFile, path, json_object)
    facts = _optional(FactsFile, path.with_name("run.json"), json_object)
    config = _optional(ConfigFile, path.with_name("config.yaml"), yaml_mapping)
    shown = verdict | {"verdict": headline(verdict)} if verdict["checks"] else verdict
    return StoredRun(shown, facts, config, path.parent, tuple(changes(path.parent, verdict)))


Load = Callable[[str, Path], dict[str, Any]]


def _checked(model: type[BaseModel], path: Path, load: Load) -> dict[str, Any]:
    """The content as it is in the file, once it has what is shown."""
    try:
        found = load(KEY, path)
        validate(model, found)
    except BadInput as problem:
        why = problem.allowed if problem.key == KEY else problem
        raise BadInput(KEY, path, f"allowed: files of a finished run; {why}") from None
    return found


def _optional(model: type[BaseModel], path: Path, load: Load) -> dict[str, Any]:
    return _checked(model, path, load) if os.path.lexists(path) else {}


def _rank(run: StoredRun) -> tuple[bool, bool, int, str]:
    budget = run.verdict["budget"]
    size = BUDGETS.index(budget) if budget in BUDGETS else -1
    return not run.part, not run.overrides, size, str(run.facts.get("finished", ""))


def say_changes(runs: Iterable[StoredRun]) -> int:
    """A line on stderr for each thing done to a run's files since; 1 if there was one, else 0."""
    found = [(run.folder, change) for run in runs for change in run.changes]
    for folder, change in found:
        print(one_line(f"changed: {folder}: {change}"), file=sys.stderr)
    return int(bool(found))
