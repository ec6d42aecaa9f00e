"""``repro ablate offline_gap [--json]``: does each check notice what it needs?

The command takes away each part of a check's worlds (labels, privacy, an adversary, …) in turn.  A
check needs what its verdict notices.  A check of an algorithm must notice fair coins, the truth
handed to it, and its estimate reversed, or say why not.  A check that cannot be measured without a
part needs that part, and the command prints "noticed (not measured)".

  repro ablate theorem=offline_gap
  repro ablate theorem=offline_gap --write   to conf/needs, at status 0
  repro ablate markdown=matrix.md            all that need no extra
  repro ablate theorem=log_regret,private_xpo budget=laptop --json

It takes the keys and groups of ``python -m repro``, with budget=smoke by default.  It prints the
matrix and writes OUTPUT_DIR/ablations.json.  That file keeps what it has of other experiments.
markdown=FILE writes the matrix as a page, too.
Exit status: 0 if the matrix is as recorded and every check of an algorithm notices what it must, or
says why not.  1 otherwise, with the names of the checks.
From Python: ``repro.ablate("offline_gap", only=["n_pairs"]).needs``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from repro.base.errors import BadInput
from repro.base.files import write_whole
from repro.commands.process.table import of_run
from repro.commands.runs.folders import ready_folder
from repro.core.ablations import complaints, findings
from repro.core.needs import needs_file
from repro.core.results import Finding
from repro.report.ablation_table import page, printed
from repro.report.html.ablations import FILE, read
from repro.report.progress import progress
from repro.study.composition import compose_values, named_theorems
from repro.study.discovery import find
from repro.study.parallel import ready_to_measure
from repro.study.plan import built
from repro.study.settings import session_of

UNNOTICED = 1
UNDECIDED = "could not be judged; raise budget.replicates until it has a verdict"
OWN = ("theorem", "markdown")
Progress = Callable[[int, str], AbstractContextManager[Callable[[int], None]]]


@dataclass(frozen=True, repr=False)
class AblationMatrix:
    """What the checks of one experiment noticed.

    Attributes:
        theorem: its name.
        findings: of every check, its verdict with everything in place and without each stage that
            its worlds have.
        needs: by check, what its verdict was seen to depend on, such as ``labels``.
        complaints: what is wrong, a line each: what a check needs is not as in the snapshot
            ``conf/needs/NAME.json``, or one about an algorithm misses what it must notice and gives
            no reason.
    """

    theorem: str
    findings: tuple[Finding, ...]
    needs: Mapping[str, tuple[str, ...]]
    complaints: tuple[str, ...]

    def __repr__(self) -> str:
        """What the command prints."""
        return "\n".join([printed(self.findings), *self.complaints])


def ablate(
    theorem: str = "offline_gap", *, overrides: Sequence[str] = (), **values: Any
) -> AblationMatrix:
    """Take every stage of every check's worlds away, as ``python -m repro ablate`` does.

    Nothing is written.

    Args:
        theorem: name of an experiment.
        overrides: more Hydra overrides, e.g. ``["budget.replicates=100"]``.
        values: top-level keys and groups, e.g. ``only=["n_pairs"], seed=7``; the budget is smoke
            unless it is given.

    Raises:
        repro.base.errors.BadInput: a key or value that cannot be used.

    >>> ablate("label_masks", only=["ctl_rate"]).complaints  # doctest: +SKIP
    ()
    """
    composed = compose_values(theorem, {"budget": "smoke", **values}, overrides)
    findings_of_all = tuple(
        take_away(composed, lambda total, name: nullcontext(lambda count: None))
    )
    checks = [swept.name for swept in built(session_of(composed).plan).swept]
    complaints = tuple(_complaints(composed, findings_of_all, write=False))
    return AblationMatrix(theorem, findings_of_all, _needs(findings_of_all, checks), complaints)


def main(words: Sequence[str]) -> int:
    """Run, print, keep; the status of the contract."""
    as_json, write = "--json" in words, "--write" in words
    given, own = _separated(of_run([word for word in words if word not in ("--json", "--write")]))
    target = _file(own["markdown"]) if "markdown" in own else None
    experiments = named_theorems(own.get("theorem"), given)
    sessions = {name: _composed(name, given, write) for name in experiments}
    folders = {Path(values["output_dir"]) for values in sessions.values()}
    (folder,) = {ready_folder("output_dir", item) for item in folders}
    of_others = [item for item in read(folder) if item.theorem not in sessions]
    all_findings, complaints_of_all = [], []
    for values in sessions.values():
        of_one = list(take_away(values))
        all_findings += of_one
        complaints_of_all += _complaints(values, of_one, write)
    _write(folder / FILE, f"{_content([*of_others, *all_findings])}\n")
    if target is not None:
        _write(
            target, page(all_findings, [item for name in sessions for item in find(name).checks])
        )
    print(_content(all_findings) if as_json else printed(all_findings, sessions))
    for line in complaints_of_all:
        print(line, file=sys.stderr if as_json else sys.stdout)
    return UNNOTICED if complaints_of_all else 0


def take_away(values: dict[str, Any], shown: Progress = progress) -> Iterator[Finding]:
    """Every stage of every check's worlds of one theorem.

    Args:
        values: the composed config.
        shown: how many checks are done.

    Raises:
        BadInput: a value that cannot be used.
    """
    plan = session_of(values).plan
    ready_to_measure()
    experiment, budget = built(plan), plan.budget
    ready_to_measure()
    with shown(len(experiment.swept), plan.slug) as advance:
        for swept in experiment.swept:
            given = plan.seed, budget.blocks, plan.replicates(swept), budget.check_error
            with experiment.building():
                yield from findings(plan.slug, swept, *given, experiment.declared)
            advance(1)


def _complaints(values: dict[str, Any], own_findings: Sequence[Finding], write: bool) -> list[str]:
    """What is wrong with what the checks of one theorem notice.

    Args:
        values: the composed config.
        own_findings: of that theorem.
        write: keep what they were seen to need as the snapshot, where nothing is wrong.
    """
    plan = session_of(values).plan
    checks = built(plan).swept
    needs = _needs(own_findings, [swept.name for swept in checks])
    file = needs_file(plan.slug)
    kept = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    undecided = {finding.check for finding in own_findings if finding.undecided}
    wrong = [f"{plan.slug} {name}: {UNDECIDED}" for name in needs if name in undecided]
    wrong += [
        f"{plan.slug} {check.name}: {line}"
        for check in checks
        if check.name not in undecided
        for line in complaints(
            check,
            list(needs[check.name]),
            None if write else kept.get(check.name),
            [item.need for item in own_findings if item.check == check.name],
        )
    ]
    if write and not wrong:
        lines = (f"  {json.dumps(name)}: {json.dumps(own)}" for name, own in needs.items())
        _write(file, "{\n" + ",\n".join(lines) + "\n}\n")
    elif write:
        wrong.append(f"{plan.slug}: conf/needs/{file.name} is not written")
    return wrong


def _needs(all_findings: Sequence[Finding], checks: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """By check, what was taken away and noticed, each once."""
    return {
        name: tuple(
            dict.fromkeys(
                finding.need
                for finding in all_findings
                if finding.check == name and finding.noticed
            )
        )
        for name in checks
    }


def _composed(theorem: str, given: Sequence[str], write: bool) -> dict[str, Any]:
    budget = [] if any(word.startswith("budget=") for word in given) else ["budget=smoke"]
    values = compose_values(theorem, {}, [*budget, *given])
    only = session_of(values).plan.only  # bad input is refused before anything runs
    if write and only is not None:
        raise BadInput("only", list(only), "allowed with --write: null")
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


def _content(findings: Sequence[Finding]) -> str:
    entries = [{**asdict(finding), "noticed": finding.noticed} for finding in findings]
    return json.dumps(entries, indent=2)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
