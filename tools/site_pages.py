"""Pages of the site that are made when it is built: a statement, a paper, a proof, the runs.

Results, findings and ablations are written anew from the runs of a suite where all are at hand;
otherwise the site has them as the repository does.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from repro.base.files import yaml_mapping
from repro.catalogue import machine_checked, papers, rows
from repro.catalogue.answers import Answers, answers, experiments
from repro.catalogue.coverage import StatementCoverage
from repro.catalogue.entries import OWN, paper, spoken
from repro.catalogue.papers import Item, Slip
from repro.catalogue.standing import page_name, pages_of, standing
from repro.report.ablation_table import page as ablations_page
from repro.report.html import ablations, findings, one_paper
from repro.report.html.gallery import gallery_html
from repro.report.html.page import report_html
from repro.report.html.runs import StoredRun, find_runs
from repro.report.html.typeset import typeset
from repro.report.results_page import results_page
from repro.report.wording import (
    in_backticks,
    in_markdown,
    measured_words,
    verdict_words,
    witness_words,
)
from repro.study.discovery import find, slugs

ROOT = Path(__file__).resolve().parents[1]
SUITE = ROOT / "outputs" / "suite"
"""Where `dvc repro` keeps its runs."""
NOTEBOOK = "from_python"
OUTPUT_LINES = 40
"""Lines of a cell's text that a page shows."""


@dataclass(frozen=True)
class Made:
    """What the pages are made of.

    Attributes:
        folder: of finished runs; may be missing.
    """

    folder: Path = SUITE
    _: None = field(default=None, repr=False)

    @cached_property
    def rows(self) -> list[StatementCoverage]:
        return list(rows())

    @cached_property
    def runs(self) -> dict[str, StoredRun]:
        """Runs of all checks, by experiment."""
        found = find_runs(self.folder) if self.folder.is_dir() else []
        return {run.key: run for run in found if not run.part}

    @cached_property
    def papers(self) -> dict[str, str]:
        listed = papers.load()
        return {name: listed.paper_said(name, "own results") for name in (*listed.papers, OWN)}

    def pages(self) -> Iterator[tuple[str, str]]:
        """Each page's place in the site's sources, and its Markdown."""
        for row in self.rows:
            yield f"statements/{row.id}.md", statement_page(row, self)
        for name in self.papers:
            yield f"papers/{name}.md", paper_page(name, self)
        for slug in slugs():
            yield f"experiments/{slug}.md", experiment_page(slug, self)
        for file in sorted((ROOT / "proofs").glob("*.v")):
            yield f"proofs/{file.stem}.md", proof_page(file)
        book = ROOT / "docs" / f"{NOTEBOOK}.ipynb"
        yield f"{NOTEBOOK}_cells.md", notebook_page(json.loads(book.read_text("utf-8")))
        if set(yaml_mapping("suite", ROOT / "conf" / "suite.yaml")["theorems"]) <= set(self.runs):
            yield from self._of_runs()

    def _of_runs(self) -> Iterator[tuple[str, str]]:
        listed = papers.load()
        proved = machine_checked.by_statement(listed.theorems)
        runs = list(self.runs.values())
        said = {name: one.said for name, one in listed.papers.items()}
        yield "results.md", results_page(runs, said, listed.items, proved)
        yield "findings.md", findings.page(findings.findings(listed, self.runs))
        if found := ablations.read(self.folder):
            checks = [one for slug in sorted({one.theorem for one in found})
                      for one in find(slug).checks]  # fmt: skip
            yield "ablations.md", ablations_page(found, checks)

    def reports(self) -> Iterator[tuple[str, str]]:
        """The report over all runs and one a paper, whole HTML pages by file name."""
        if not self.runs:
            return
        listed, runs = papers.load(), list(self.runs.values())
        ablated = ablations.read(self.folder)
        yield "report.html", report_html(runs, listed, ablated)
        yield "gallery.html", gallery_html(runs)
        for name in listed.papers:
            own = one_paper.runs_of(runs, name)
            if own:
                yield f"report_{name}.html", report_html(
                    own, one_paper.catalogue_of(listed, name, own),
                    one_paper.ablations_of(ablated, own), one_paper.title(listed, name),
                )  # fmt: skip


def statement_page(row: StatementCoverage, made: Made) -> str:
    """Verdict, why, counterexample, what holds, as printed, evidence, proofs folded."""
    catalogue = papers.load()
    stands, found = standing(row, catalogue), answers(row, catalogue)
    parts = [
        f"# {in_markdown(spoken(row.id))}: {in_markdown(row.item.title)}",
        f"**{stands.verdict_words}:** {in_markdown(stands.sentence)}.",
        *_answered(found),
        *_printed(row.item),
        f"[{in_markdown(made.papers[paper(row.id)])}](../papers/{paper(row.id)}.md)",
        *_experiments(row, made),
        *_proved(row),
        *_also_suspected(found.others),
        *_details(row.item),
        f"```bash\npython -m repro catalogue {row.id}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _answered(found: Answers) -> Iterator[str]:
    if found.why:
        place = f" ({in_markdown(found.place)})" if found.place else ""
        yield f"**Why{place}.** {in_markdown(found.why)}."
    if found.counterexample or found.command:
        heading = "Smallest counterexample" if found.counterexample else "See it fail"
        yield f"## {heading}\n\n{in_markdown(found.counterexample)}"
        yield f"```bash\n{found.command}\n```"
    if len(found.holds) == 1:
        yield f"## What holds instead\n\n{in_markdown(found.holds[0].text)}."
    elif found.holds:
        lines = [f"- {in_markdown(hold.of)}: {in_markdown(hold.text)}." for hold in found.holds]
        yield "## What holds instead\n\n" + "\n".join(lines)


def _also_suspected(slips: Sequence[Slip]) -> Iterator[str]:
    lines = [
        f"- {in_markdown(slip.place)} ({slip.said}): "
        f"{in_markdown(f'{slip.suspected}. What holds: {slip.corrected}')}."
        for slip in slips
    ]
    if lines:
        yield "## Also suspected\n\n" + "\n".join(lines)


def _printed(item: Item) -> Iterator[str]:
    if item.text:
        yield f"## As printed\n\n{in_markdown(item.place or '')}:"
        yield f'<div class="printed" markdown="0">{typeset(item.text)}</div>'.replace("\n", " ")


def _experiments(row: StatementCoverage, made: Made) -> Iterator[str]:
    """The checks that contradict a statement, by experiment; then the other checks."""
    slugs = dict.fromkeys(slug for slug, _ in experiments(row))
    against = {slug: _checks(slug, row.id, made, contradicting=True) for slug in slugs}
    for slug, table in against.items():
        if table:
            yield f"{_head(slug, made)}\n\n{table}"
    for slug, contradicts in against.items():
        table = _checks(slug, row.id, made, contradicting=False)
        if contradicts and table:
            yield f"## [`{slug}`](../experiments/{slug}.md), its other checks\n\n{table}"
        elif not contradicts:
            nothing = "The experiment executes the statement. No check is about it."
            yield f"{_head(slug, made)}\n\n{table or nothing}"


def _head(slug: str, made: Made) -> str:
    report = f" ([its run](../report.html#e-{slug}))" if slug in made.runs else ""
    command = f"```bash\npython -m repro theorem={slug}\n```"
    return f"## [`{slug}`](../experiments/{slug}.md){report}\n\n{command}"


def _checks(slug: str, name: str, made: Made, *, contradicting: bool) -> str:
    """A table of checks that speak for a statement, with the numbers of a run where one is."""
    theorem, run = find(slug), made.runs.get(slug)
    measured = {one.name: one for one in run.verdict.speaking(name)} if run else {}
    verdicts = {
        one.name: measured[one.name].verdict if one.name in measured else one.expected
        for one in theorem.checks
        if name in theorem.statements_of(one)
    }
    own = [
        one for one in theorem.checks
        if one.name in verdicts and (verdicts[one.name] == "contradicted") is contradicting
    ]  # fmt: skip
    if not own:
        return ""
    columns = ("check", "claim", "verdict", "known by", "found, 95 %", "fails at; what holds")
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for one in own:
        ran = measured.get(one.name)
        holds = theorem.corrected.get(one.name, "")
        fails = witness_words(ran, ran.witness) if ran and ran.witness else ""
        cells = (
            f"`{one.name}`", in_markdown(one.claim.said(one.axis)),
            verdict_words(ran.verdict) if ran else f"{verdict_words(one.expected)} (recorded)",
            one.quantity.evidence.replace("_", " "),
            in_markdown(measured_words(ran)) if ran else "not run here",
            "; ".join([*[in_markdown(fails)] * bool(fails), *[f"`{holds}`"] * bool(holds)]) or "–",
        )  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _proved(row: StatementCoverage) -> Iterator[str]:
    proofs = sorted(row.machine_checked, key=lambda one: one.shows != "contradicted")
    lines = [
        f"- {one.said}: {in_markdown(one.says)} "
        f"([`{one.theorem}`](../proofs/{Path(one.file).stem}.md))"
        for one in proofs
    ]
    if lines:
        yield _folded(f"Proofs that Coq accepts ({len(lines)})", "\n".join(lines))


def _folded(summary: str, markdown: str) -> str:
    return f'<details markdown="1"><summary>{summary}</summary>\n\n{markdown}\n\n</details>'


def _details(item: Item) -> Iterator[str]:
    links = [f"[{page_name(page)}](../{page})" for page in pages_of(item)]
    if links:
        yield f"Details: {', '.join(links)}."


def experiment_page(slug: str, made: Made) -> str:
    """An experiment: what it is about, its statements, how to run it, and its source."""
    theorem = find(slug)
    file = ROOT / "theorems" / f"{slug}.py"
    names = {row.id for row in made.rows}
    links = [
        f"[{in_markdown(spoken(one))}](../statements/{one}.md)"
        for one in theorem.statements
        if one in names
    ]
    parts = [
        f"# {in_markdown(theorem.title)}",
        f"Statements: {', '.join(links) or 'none'}.",
        f"```bash\npython -m repro theorem={slug}\n```",
        *([f"[Its run](../report.html#e-{slug}), with figure and numbers."] * (slug in made.runs)),
        f"## The source, `theorems/{slug}.py`",
        f"```python\n{file.read_text('utf-8').strip()}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def paper_page(name: str, made: Made) -> str:
    """A paper's statements, a line each, with their counts."""
    own = [row for row in made.rows if paper(row.id) == name]
    stands = {row.id: standing(row, papers.load()) for row in own}
    counts = Counter(one.verdict_words.partition(" (")[0] for one in stands.values())
    title = made.papers[name]
    parts = [
        f"# {in_markdown(title if name == OWN else f'{name.upper()}: {title}')}",
        "; ".join(f"{count} {words}" for words, count in counts.most_common()) + ".",
    ]
    if any(one_paper.runs_of([run], name) for run in made.runs.values()) and name != OWN:
        parts.append(
            f"[The report of its runs](../report_{name}.html), figures and numbers; "
            "[all figures](../gallery.html)."
        )
    lines = [
        f"| [{in_markdown(_short(row))}](../statements/{row.id}.md) "
        f"| {stands[row.id].verdict_words} | {in_markdown(stands[row.id].sentence)} |"
        for row in own
    ]
    head = "| statement | verdict | where it stands |\n|---|---|---|"
    parts.append("\n".join([head, *lines]))
    parts.append("[What the grades mean, and where authors respond](../for_authors.md)")
    return "\n\n".join(parts) + "\n"


def _short(row: StatementCoverage) -> str:
    return row.item.title if paper(row.id) == OWN else spoken(row.id).partition(" ")[2]


def proof_page(file: Path) -> str:
    """A file that Coq accepts: above the line "proofs" what is stated, below it how."""
    stated, line, proved = file.read_text("utf-8").partition("(* ---- proofs ---- *)")
    title = page_name(file.name)
    parts = [
        f"# {title[0].upper()}{title[1:]}",
        "What Coq is asked: definitions and statements. "
        "[How to check it](../howto/check_a_proof.md) in five minutes.",
        f"```coq\n{stated.strip()}\n```",
        f"## The proof\n\n```coq\n{(line + proved).strip()}\n```",
        f"```bash\npython proofs/verify.py proofs/{file.name}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def notebook_page(book: Mapping[str, object]) -> str:
    """The cells of a notebook with their outputs."""
    cells = book["cells"]
    assert isinstance(cells, list)
    parts = [part for cell in cells for part in _cell(cell)]
    return "\n\n".join(parts) + "\n"


def _cell(cell: Mapping[str, object]) -> Iterator[str]:
    source = "".join(cell["source"])  # type: ignore[arg-type]
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for one in cell.get("outputs", ()):  # type: ignore[union-attr]
        yield _output(one)


def _output(one: Mapping[str, object]) -> str:
    data: Mapping[str, object] = one.get("data", {})  # type: ignore[assignment]
    if "image/png" in data:
        content = base64.b64encode(base64.b64decode("".join(data["image/png"]))).decode()  # type: ignore[arg-type]
        return f"![output of the cell above](data:image/png;base64,{content})"
    if "text/html" in data:
        html = "".join(data["text/html"])  # type: ignore[arg-type]
        return '<div class="output" markdown="0">' + re.sub(r"\s*\n\s*", " ", html) + "</div>"
    text = "".join(data.get("text/plain", one.get("text", "")))  # type: ignore[arg-type]
    shown = text.splitlines()[:OUTPUT_LINES]
    return "```text\n" + "\n".join(shown) + "\n```"


CELL = re.compile(r"(?<=[|,] )`([a-z0-9_]+)`(?=[,| ])")
"""A name in a cell of a table."""
PROOF = re.compile(r"`proofs/(\w+)\.v((?:: \w+)?)`")


def linked(markdown: str, page: str, known: Sequence[str]) -> str:
    """Names of proofs and of statements as links to their pages, outside of code.

    Args:
        markdown: of a page.
        page: its place among the sources.
        known: ids of statements.
    """
    up = "../" * page.count("/")
    parts = re.split(r"(?ms)(^ *```.*?^ *```)", markdown)
    parts[::2] = [_linked(part, up, page, known) for part in parts[::2]]
    return "".join(parts)


def _linked(text: str, up: str, page: str, known: Sequence[str]) -> str:
    text = PROOF.sub(
        lambda m: f"[{in_backticks(f'proofs/{m[1]}.v{m[2]}')}]({up}proofs/{m[1]}.md)", text
    )
    if page == "statements.md":
        for name in known:
            text = text.replace(f"| `{name}` |", f"| [`{name}`](statements/{name}.md) |")
    if page in ("statements.md", "results.md"):
        known_experiments = set(slugs())
        text = CELL.sub(
            lambda m: f"[`{m[1]}`](experiments/{m[1]}.md)" if m[1] in known_experiments else m[0],
            text,
        )
    return text
