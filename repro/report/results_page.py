"""The page of all results: an experiment a line, by paper, with what contradicts it in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from repro.catalogue.coverage import SUBSTITUTE, status_of
from repro.catalogue.machine_checked import Checked
from repro.catalogue.papers import Item
from repro.core.verdicts import worst
from repro.report.html.runs import StoredRun
from repro.report.run_files import CheckEntry, Numbers, VerdictContent
from repro.report.wording import SYMBOLS, in_backticks, in_markdown, plain_words

HEAD = """# Results

Every experiment of `dvc repro`, by paper; written by `python -m repro suite table`{budget}.
[Findings](findings.md) give each contradiction with its number, command and corrected form.

## What a verdict means

- **supported**: the 95 % interval of the measured number lies inside claimed ± tolerance (an
  equivalence test), or on the allowed side of a bound.
- **contradicted**: the interval lies wholly outside.
- **inconclusive**: the interval is too wide, a bend in the curve leads elsewhere, too many
  replicates failed, or a control was not rejected.
- **assumption_failed**: a condition of the statement or of the experiment, computed on the
  instance, does not hold. Then it is the verdict, whatever the checks say.

A figure or table that a paper made with a model and data that were not run here has no verdict:

- **substitute**: its procedure ran on another model or other data. The text below the table says
  what this shows, and what it cannot show.
- **not reproduced**: the substitute lacks its procedure, or does not show its result.

An experiment's verdict is the worst of its checks. ✗ marks a statement that one of its checks
contradicts as printed. A run of some of the checks says how many, and decides no statement. Claims
and tolerances are in `theorems/`, sweeps and replicates in `conf/`. All are fixed before the run.
"""
COLUMNS = (
    "| experiment | statements | verdict | checks | what contradicts |\n"
    "|---|---|---|---|---|"
)  # fmt: skip
PROVED = """## Machine checked

{count} statements of the catalogue have theorems that Coq accepts a proof of, on no axioms but
those of its real numbers. `make -C proofs && make -C proofs check` checks all,
`python proofs/verify.py FILE` one file ([how](howto/check_a_proof.md)).

| statement | as printed | what is proved | file and theorem |
|---|---|---|---|"""
ENORMOUS = 1e6
"""From here on only the power of ten is said."""


def results_page(
    runs: Sequence[StoredRun], papers: Mapping[str, str], items: Mapping[str, Item],
    proved: Mapping[str, Sequence[Checked]],
) -> str:  # fmt: skip
    """Markdown.

    Args:
        runs: finished runs, each in a folder that has its name.
        papers: by the name that ids begin with, the paper in one line.
        items: of the catalogue by id.
        proved: by id, theorems that Coq checks.
    """
    budgets = {run.verdict.budget for run in runs}
    budget_words = in_backticks(f"budget={budgets.pop()}") if len(budgets) == 1 else ""
    said = f" from a run at {budget_words}" if budget_words else ""
    parts = [HEAD.format(budget=said)]
    placed = {run.folder.name: _paper(run, papers) for run in runs}
    for name, title in {**papers, "": "Own results"}.items():
        rows = [_row(run, items) for run in runs if placed[run.folder.name] == name]
        if rows:
            heading = f"{name.upper()}: {title}" if name else title
            lines = [f"## {heading}\n", COLUMNS, *rows, *_shown(items, name)]
            parts.append("\n".join(lines) + "\n")
    return "\n".join([*parts, machine_checked_section(proved)])


def machine_checked_section(proved: Mapping[str, Sequence[Checked]]) -> str:
    """A theorem a line, by statement; what contradicts a statement as printed is marked."""
    rows = [
        f"| {name} | {line.said} | {in_markdown(line.says)} | `{line.file}`: `{line.theorem}` |"
        for name, lines in sorted(proved.items())
        for line in lines
    ]
    return "\n".join([PROVED.format(count=len(proved)), *rows]) + "\n"


def _paper(run: StoredRun, papers: Mapping[str, str]) -> str:
    """The paper of its first statement; own results stand apart."""
    papers_of_run = (name.split(".")[0] for name in run.verdict.statements)
    return next((name for name in papers_of_run if name in papers), "")


def _shown(items: Mapping[str, Item], paper: str) -> Iterator[str]:
    """Figures and tables that no run of the paper's own model on its own data speaks for."""
    for name, item in items.items():
        if item.shown and name.startswith(f"{paper}."):
            yield f"\n- {name}, *{plain_words(status_of(item))}*: {in_markdown(item.shown)}"


def _row(run: StoredRun, items: Mapping[str, Item]) -> str:
    verdict = run.verdict
    checks = verdict.checks
    held = sum(check.verdict == "supported" for check in checks)
    cells = (
        ", ".join(verdict.statements if run.part else _statements(verdict, items)),
        "; ".join([run.part or verdict.verdict, *run.changes]),
        f"{held} of {len(checks)} supported, {len(verdict.controls)} controls",
        "; ".join(_contradictions(checks)) or "–",
    )
    return "| " + " | ".join([in_backticks(run.folder.name), *map(in_markdown, cells)]) + " |"


def _statements(run: VerdictContent, items: Mapping[str, Item]) -> Iterator[str]:
    """Each statement with a mark where the checks that speak for it do not all support it."""
    for name in run.statements:
        verdict = worst(check.verdict for check in run.speaking(name))
        if any(check.substitute for check in run.speaking(name)):
            status = status_of(items[name]) if name in items else ""
            yield f"{name} ({plain_words(status or SUBSTITUTE)})"
            continue
        yield name if verdict == "supported" else f"{name} {SYMBOLS[verdict]}"


def _contradictions(checks: Sequence[CheckEntry]) -> Iterator[str]:
    for check in checks:
        if check.verdict == "contradicted":
            yield f"{check.name}: {in_words(check)}"


def in_words(numbers: Numbers) -> str:
    """What was measured against what is claimed, for a reader without the table of kinds.

    >>> in_words(Numbers(kind="slope", slope=1.9712, claimed=1.0, direction="at_most"))
    'exponent 1.97 where at most 1 is claimed'
    >>> in_words(Numbers(kind="inequality", max_ratio=27123.4, claimed=1))
    '27,123 times what is allowed'
    >>> in_words(Numbers(kind="inequality", value=0.5, allowed=0.05, max_ratio=10.0))
    'in 50 % of draws where at most 5 % are allowed'
    """
    number, claimed, allowed = numbers.headline, numbers.claimed, numbers.allowed
    if number is None:
        return "not measured"
    if allowed is not None:
        return f"in {100 * number:.3g} % of draws where at most {100 * allowed:.3g} % are allowed"
    if numbers.kind == "privacy":
        return f"ε = {number:.3g} where {numbers.claimed_epsilon or math.inf:.3g} is claimed"
    if numbers.kind == "inequality":
        return f"{times(number)} what is allowed"
    side = {"at_most": "at most ", "at_least": "at least "}.get(numbers.direction, "")
    words = f"exponent {number:z.2f}" if numbers.kind == "slope" else f"{number:.3g}"
    return f"{words} where {side}{1 if claimed is None else claimed:g} is claimed"


def times(number: float) -> str:
    """A multiple in words.

    >>> times(1.4749), times(76.09), times(2.692e11)
    ('1.47 times', '76.1 times', '10^11 times')
    """
    if number >= ENORMOUS:
        return f"10^{len(str(int(number))) - 1} times"
    return f"{number:,.0f} times" if number >= 1000 else f"{number:.3g} times"
