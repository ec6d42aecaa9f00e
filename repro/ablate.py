"""``python -m repro.ablate theorem=offline_gap [--json]``: does each row notice what it needs?

For every need that a row names (labels, privacy, an adversary, …) that one thing is taken away
through the same code; the row's verdict must change.

  python -m repro.ablate theorem=offline_gap
  python -m repro.ablate "theorem=glob(*,exclude=llm_*)" markdown=docs/ablations.md
  python -m repro.ablate theorem=log_regret,private_xpo budget=laptop --json

Keys and groups are those of ``python -m repro``; budget is smoke unless given.  The matrix is
printed, and kept in OUTPUT_DIR/ablations.json; markdown=FILE writes it as a page too.
Exit status: 0 every need of every row was noticed; 1 the rows that noticed nothing are named.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from repro.api import execute
from repro.base.errors import BadInput
from repro.base.files import atomic_write
from repro.cli.command import run_command
from repro.cli.composition import compose_values, named_theorems
from repro.cli.folders import made
from repro.report.ablation_table import page, printed
from repro.report.progress import progress
from repro.study.ablations import Finding, ablated
from repro.study.plan import built
from repro.study.row import Row
from repro.study.settings import session_of

UNNOTICED = 1
OWN = ("theorem", "markdown")


def main(words: Sequence[str]) -> int:
    """Run, print, keep; the status of the contract."""
    as_json = "--json" in words
    given, own = _separated([word for word in words if word != "--json"])
    target = _file(own["markdown"]) if "markdown" in own else None
    sessions = {name: _composed(name, given) for name in named_theorems(own.get("theorem"))}
    folders = {Path(values["output_dir"]) for values in sessions.values()}
    (folder,) = {made("output_dir", one) for one in folders}
    findings = [one for name, values in sessions.items() for one in take_away(name, values)]
    content = json.dumps([_entry(one) for one in findings], indent=2, ensure_ascii=False)
    _write(folder / "ablations.json", f"{content}\n")
    if target is not None:
        _write(target, page(findings, [row for one in sessions.values() for row in _rows(one)]))
    print(content if as_json else printed(findings))
    return 0 if all(one.noticed for one in findings) else UNNOTICED


def take_away(theorem: str, values: dict[str, Any]) -> list[Finding]:
    """Every ablation of one experiment.

    Raises:
        BadInput: a value that cannot be used.
    """
    session = session_of(values)
    honest = _verdicts(session)
    trials = built(session.plan).trials

    def run(stages: dict[str, Any], rows: list[str]) -> dict[str, str]:
        return _verdicts(
            session_of({**values, "stages": {**values["stages"], **stages}, "only": rows})
        )

    return ablated(theorem, trials, honest, run)


def _verdicts(session) -> dict[str, str]:
    result = execute(session, progress).result
    return {item.check.name: item.outcome.verdict for item in result.checks}


def _rows(values: dict[str, Any]) -> list[Row]:
    return [trial.row for trial in built(session_of(values).plan).trials]


def _composed(theorem: str, given: Sequence[str]) -> dict[str, Any]:
    budget = [] if any(word.startswith("budget=") for word in given) else ["budget=smoke"]
    values = compose_values(theorem, {}, [*budget, *given])
    session_of(values)  # bad input is refused before anything runs
    return values


def _separated(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Overrides for Hydra, and the words that are this command's own."""
    pairs = [word.partition("=") for word in words]
    own = {key: value for key, _, value in pairs if key in OWN}
    for key in own:
        if sum(name == key for name, _, _ in pairs) > 1:
            raise BadInput(key, own[key], "given twice; allowed: once")
    return [word for word in words if word.partition("=")[0] not in OWN], own


def _file(text: str) -> Path:
    path = Path(text)
    if not text or path.is_dir() or not path.parent.is_dir():
        raise BadInput("markdown", text, "allowed: a file in a folder that exists")
    return path


def _entry(one: Finding) -> dict[str, Any]:
    return {**asdict(one), "noticed": one.noticed}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as draft:
        draft.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run_command(main, __doc__)
