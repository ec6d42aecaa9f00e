"""The page: everything that was run, rendered with one template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from repro.catalogue.coverage import (
    EXECUTED,
    IN_PART,
    MISSING,
    NOT_REPRODUCED,
    NOT_RUN,
    REASON,
    SUBSTITUTE,
)
from repro.catalogue.entries import OWN
from repro.catalogue.papers import Catalogue
from repro.catalogue.to_do import left_to_do
from repro.report.html import ablations
from repro.report.html.docstrings import experiment_text
from repro.report.html.entries import entries
from repro.report.html.findings import findings
from repro.report.html.pictures import picture
from repro.report.html.runs import StoredRun
from repro.report.html.statements import KINDS_IN_ORDER, StatementLine, by_paper
from repro.report.html.tracked import compare_address, run_address, ui_command
from repro.report.html.typeset import typeset
from repro.report.record import PLAIN
from repro.report.wording import (
    SYMBOLS,
    beside,
    failed_assumptions,
    other_settings,
    replicates_words,
)

TITLE = "Theorems of private and robust RLHF: verdicts"
DIGEST = 12
"""Signs of a digest that are shown."""
ORDER = (*SYMBOLS, EXECUTED, SUBSTITUTE, NOT_REPRODUCED, REASON, IN_PART, NOT_RUN, MISSING)


def report_html(
    runs: list[StoredRun],
    catalogue: Catalogue,
    ablated: Sequence[ablations.Finding] = (),
    title: str = TITLE,
) -> str:
    """One self-contained HTML page; all text from files is escaped.

    Args:
        runs: finished runs.
        catalogue: all statements.
        ablated: what ``repro.ablate`` found; empty where it was not run.
        title: of the page.
    """
    jinja = pages()
    speaking = {run.key: run for run in runs if not run.gone}
    papers = by_paper(catalogue, speaking)
    every = [statement for part in papers for statement in part.statements]
    listed = {statement.id: statement for statement in every}
    page = {
        "title": title,
        "papers": papers,
        "kinds": [k for k in KINDS_IN_ORDER if any(statement.kind == k for statement in every)],
        "counts": {
            "printed": sum(len(part.statements) for part in papers if part.id != OWN),
            "own": sum(len(part.statements) for part in papers if part.id == OWN),
            "papers": ", ".join(part.label for part in papers if part.id != OWN),
            "here": _counts([statement for statement in every if statement.here]),
            "elsewhere": _counts([statement for statement in every if not statement.here]),
            "verdicts": _verdicts(every),
        },
        "findings": findings(catalogue, speaking),
        "ablations": ablations.matrix(ablated),
        "whole": sum(not run.part for run in runs),
        "part": sum(bool(run.part) for run in runs),
        "stale": sum(bool(run.stale) for run in speaking.values()),
        "runs": [_section(run, ablations.by_check(ablated)) for run in runs],
        "listed": listed,
        "printed": {
            n: (statement.place, typeset(statement.text))
            for n, statement in catalogue.items.items()
            if statement.text
        },
    }
    return jinja.get_template("report.html.j2").render(
        page=page,
        style=Markup(source(jinja, "report.css")),
        script=Markup(source(jinja, "report.js")),
    )


def _counts(statements: Sequence[StatementLine]) -> list[tuple[str, str, int]]:
    """Each verdict, its words without a grade and how many statements have these."""
    numbers = Counter((line.verdict, line.words.partition(" (")[0]) for line in statements)
    return [
        (verdict, words, numbers[verdict, words])
        for verdict, words in sorted(numbers, key=lambda pair: (ORDER.index(pair[0]), pair[1]))
    ]


def _verdicts(statements: Sequence[StatementLine]) -> dict[str, str]:
    """Each verdict with its words, without a grade or a condition."""
    words: dict[str, str] = {}
    for verdict, said, _ in _counts(statements):
        words.setdefault(verdict, said)
    return words


def pages() -> Environment:
    """Templates of the pages: everything is escaped, and a missing name is an error."""
    environment = Environment(
        loader=PackageLoader("repro.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters["words"] = _words
    environment.filters["breakable"] = lambda name: escape(name).replace("_", Markup("_<wbr>"))
    return environment


def _words(verdict: str) -> str:
    return f"{SYMBOLS.get(verdict, '–')} {verdict.replace('_', ' ')}"


def source(jinja: Environment, name: str) -> str:
    """A file beside the templates, as it is."""
    assert jinja.loader is not None
    return jinja.loader.get_source(jinja, name)[0]


def _section(run: StoredRun, noticed: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """What the section of one run shows."""
    title, doc = experiment_text(run.slug)
    verdict = run.verdict
    return {
        "key": run.key,
        "verdict": verdict_class(run),
        "said": run.said,
        "expected": _expected(run),
        "stale": run.stale_words,
        "to_do": left_to_do(run.slug, verdict.statements),
        "not_private": run.not_private,
        "elsewhere": other_settings(verdict, run.overrides),
        "title": title,
        "doc": doc,
        "statements": verdict.statements,
        "apart": {
            statement: SYMBOLS[said]
            for said, statements in verdict.contradicted_apart().items()
            for statement in statements
        },
        "picture": picture(run.folder / "figure.png"),
        "checks": entries(run, noticed),
        "beside": beside(verdict, run.overrides),
        "assumptions": verdict.assumptions,
        "failed": bool(failed_assumptions(verdict)),
        "command": run.command,
        "facts": _facts(run),
        "tracked": run_address(run.facts),
        "compared": compare_address(run.facts),
        "tracked_by": ui_command(run.folder),
    }


def verdict_class(run: StoredRun) -> str:
    """What colours its verdict; what decides no statement has no colour."""
    return "none" if run.part or run.gone else run.verdict.verdict


def _expected(run: StoredRun) -> str:
    """How the verdict compares with the pinned one."""
    if run.part or run.gone:
        return f"decides no statement{', as not all checks were run' if run.part else ''}"
    pinned = run.verdict.expected
    return "as expected" if run.verdict.verdict == pinned else f"NOT as expected ({pinned})"


def _digests(run: StoredRun) -> str:
    """Of the files that measured it, each by its first signs, as ``run.json`` has them."""
    code = run.facts.get("code") or {}
    return ", ".join(f"{name} {str(digest)[:DIGEST]}" for name, digest in code.items())


def _facts(run: StoredRun) -> dict[str, Any]:
    """Provenance, what of it is known."""
    versions = run.facts.get("versions") or {}
    named = ", ".join(f"{name} {value}" for name, value in versions.items() if value)
    facts = {
        "finished": run.facts.get("finished"),
        "took": f"{run.facts['seconds']:g} s" if "seconds" in run.facts else None,
        "changed since": "; ".join(run.changes) or None,
        "seed": run.verdict.seed,
        "budget": f"{run.verdict.budget}, {replicates_words(run.verdict)}",
        "instance": run.instance if run.instance != PLAIN else None,
        "changed by path": ", ".join(run.changed) or None,
        "config": run.verdict.config_hash,
        "in MLflow": f"tags.config_hash = '{run.verdict.config_hash}'",
        "commit of repro": run.facts.get("commit"),
        "digests of its files": _digests(run) or None,
        "versions": named or None,
        "device": run.facts.get("device"),
    }
    return {name: value for name, value in facts.items() if value is not None}
