"""``python -m repro.ablate theorem=offline_gap [--json]``: does each row notice what it needs?

Every stage that a row's worlds have (labels, privacy, an adversary, …) is taken away through the
same code: what the verdict notices is what the row needs.  A row about an algorithm must notice
fair coins, being handed the truth, and its estimate reversed, or say why not.

  python -m repro.ablate theorem=offline_gap
  python -m repro.ablate theorem=offline_gap --write      keep it: conf/needs/offline_gap.json
  python -m repro.ablate "theorem=glob(*,exclude=llm_*)" markdown=docs/ablations.md
  python -m repro.ablate theorem=log_regret,private_xpo budget=laptop --json

Keys and groups are those of ``python -m repro``; budget is smoke unless given.  The matrix is
printed, and kept in OUTPUT_DIR/ablations.json; markdown=FILE writes it as a page too.
Exit status: 0 as in the snapshot, and every row about an algorithm notices what it must or says why
not; 1 the rows are named.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from repro.api import execute
from repro.base.errors import BadInput
from repro.base.files import atomic_write
from repro.cli.command import run_command
from repro.cli.composition import compose_values, named_theorems
from repro.cli.folders import made
from repro.core.ablations import Taken, complaints, taken_away
from repro.core.needs import needs_file
from repro.report.ablation_table import page, printed
from repro.report.progress import progress
from repro.study.ablations import Finding, ablated
from repro.study.parallel import ready_to_measure
from repro.study.plan import built
from repro.study.row import Row
from repro.study.settings import Session, session_of
from repro.study.theorem_experiment import CheckTrial, TheoremExperiment

UNNOTICED = 1
OWN = ("theorem", "markdown")


def main(words: Sequence[str]) -> int:
    """Run, print, keep; the status of the contract."""
    as_json, write = "--json" in words, "--write" in words
    given, own = _separated([word for word in words if word not in ("--json", "--write")])
    target = _file(own["markdown"]) if "markdown" in own else None
    sessions = {name: _composed(name, given) for name in named_theorems(own.get("theorem"))}
    folders = {Path(values["output_dir"]) for values in sessions.values()}
    (folder,) = {made("output_dir", one) for one in folders}
    findings, told = [], []
    for name, values in sessions.items():
        own_findings = take_away(name, values)
        findings += own_findings
        told += _complaints(values, own_findings, write)
    content = json.dumps([_entry(one) for one in findings], indent=2, ensure_ascii=False)
    _write(folder / "ablations.json", f"{content}\n")
    if target is not None:
        _write(target, page(findings, [row for one in sessions.values() for row in _rows(one)]))
    print(content if as_json else printed(findings))
    for line in told:
        print(line, file=sys.stderr if as_json else sys.stdout)
    return UNNOTICED if told else 0


def take_away(theorem: str, values: dict[str, Any]) -> list[Finding]:
    """Every ablation of one experiment.

    Raises:
        BadInput: a value that cannot be used.
    """
    session = session_of(values)
    if issubclass(session.plan.kind, TheoremExperiment):
        return list(_every_stage(session))
    honest = _verdicts(session)
    trials = built(session.plan).trials

    def run(stages: dict[str, Any], rows: list[str]) -> dict[str, str]:
        return _verdicts(
            session_of({**values, "stages": {**values["stages"], **stages}, "only": rows})
        )

    return ablated(theorem, trials, honest, run)


def _every_stage(session: Session) -> Iterator[Finding]:
    """Every stage of every check's worlds, of a theorem whose needs are measured."""
    plan = session.plan
    ready_to_measure()
    trials, budget = built(plan).trials, plan.budget
    with progress(len(trials), plan.slug) as advance:
        for trial in trials:
            assert isinstance(trial, CheckTrial)
            given = plan.seed, budget.blocks, plan.replicates(trial.check), budget.row_error
            with trial.building():
                for one in taken_away(plan.slug, trial.swept, *given, trial.declared):
                    yield _finding(plan.slug, one)
            advance(1)


def _finding(theorem: str, one: Taken) -> Finding:
    need, name = one.ablation.need.value, one.ablation.name
    return Finding(theorem, one.check, one.evidence, need, name, one.before, one.after)


def _complaints(values: dict[str, Any], findings: Sequence[Finding], write: bool) -> list[str]:
    """What is wrong with what the checks of one theorem notice.

    Args:
        values: the composed config.
        findings: of that theorem.
        write: keep what they were seen to need as the snapshot.
    """
    plan = session_of(values).plan
    if not issubclass(plan.kind, TheoremExperiment):
        missed = (one for one in findings if not one.noticed)
        return [f"{one.theorem} {one.row}: does not notice {one.need}" for one in missed]
    trials = [trial for trial in built(plan).trials if isinstance(trial, CheckTrial)]
    by_row = {trial.row.name: [one for one in findings if one.row == trial.row.name]
              for trial in trials}  # fmt: skip
    found = {
        name: list(dict.fromkeys(one.need for one in several if one.noticed))
        for name, several in by_row.items()
    }
    file = needs_file(plan.slug)
    if write:
        if plan.only is not None:
            raise BadInput("only", list(plan.only), "allowed with --write: null")
        lines = (f"  {json.dumps(name)}: {json.dumps(own)}" for name, own in found.items())
        _write(file, "{\n" + ",\n".join(lines) + "\n}\n")
    kept = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return [
        f"{plan.slug} {name}: {line}"
        for trial in trials
        for name in [trial.row.name]
        for line in complaints(
            trial.swept, found[name], kept.get(name), [one.need for one in by_row[name]]
        )
    ]


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
