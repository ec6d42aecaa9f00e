"""Where a statement stands: one verdict, which is computed, and one sentence, on one line."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from repro.base.errors import number_of
from repro.catalogue import machine_checked
from repro.catalogue.coverage import (
    EXECUTED,
    EXPERIMENT,
    IN_PART,
    MISSING,
    NOT_REPRODUCED,
    NOT_RUN,
    REASON,
    SUBSTITUTE,
    StatementCoverage,
)
from repro.catalogue.entries import EXTRA_KINDS, KINDS, OWN, kind, number, paper, spoken
from repro.catalogue.papers import Catalogue, Item, Slip
from repro.catalogue.plain_math import in_unicode
from repro.core.verdicts import worst

WIDTH = 160
"""Signs of a first line, at most."""
SYMBOLS = {"supported": "✓", "contradicted": "✗", "inconclusive": "?", "assumption_failed": "!"}
WITHOUT = {
    EXECUTED: "– executed, no verdict",
    REASON: "– no experiment",
    MISSING: "… no experiment yet",
    NOT_RUN: "… not run yet",
    IN_PART: "… measured in part",
    SUBSTITUTE: "≈ substitute, no verdict",
    NOT_REPRODUCED: "○ not reproduced, no verdict",
}
"""What stands in the place of a verdict, by the status of the statement."""
CONDITIONAL = "under a condition that is not stated"
"""After ``supported``, where the statement is noted or proved to need one."""
GRADES = ("error", "constant", "unstated_condition", "notation")
"""The worst first."""
NO_CLAIM = ("definition", "assumption", "algorithm")
"""Kinds of statements that are never supported; a definition that fails is contradicted."""
_NAME = r"(?:(%s|own)[.,:]?\s*)?([a-z]+)[._\s]*([a-z]?[._]?[0-9][0-9._]*)?\s*"


def pages_of(item: Item) -> tuple[str, ...]:
    """Pages of docs/ with the proof, the numbers or the corrected form of a statement."""
    return tuple(f"explanations/{page}.md" for page in item.pages)


@dataclass(frozen=True)
class Standing:
    """Where one statement stands.

    Attributes:
        name: as people say it, ``P1 Theorem 5.2``; of own results the id.
        verdict: a verdict of the contract, ``executed`` where nothing is claimed, or the status of
            a statement that has no verdict.
        grade: of a contradiction: error, constant, unstated_condition or notation; may be empty.
        text_at_hand: the contradiction rests on signs that a conversion from PDF can move.
        sentence: without a full stop; of a supported statement with how its checks know.
        unstated_condition: it is supported under a condition that is not stated.
    """

    name: str
    verdict: str
    grade: str
    text_at_hand: bool
    sentence: str
    unstated_condition: bool = False

    @property
    def verdict_words(self) -> str:
        """Symbol, verdict and the grade of a contradiction."""
        if self.verdict not in SYMBOLS:
            return WITHOUT.get(self.verdict, WITHOUT[REASON])
        at_hand = ", in the text at hand" if self.text_at_hand else ""
        grade = f" ({self.grade.replace('_', ' ')}{at_hand})" if self.grade else ""
        grade = f" {CONDITIONAL}" if self.unstated_condition else grade
        return f"{SYMBOLS[self.verdict]} {self.verdict.replace('_', ' ')}{grade}"

    @property
    def line(self) -> str:
        """All of it, in at most 160 signs."""
        return shorten(
            f"{self.name}: {self.verdict_words}: {self.sentence}.", WIDTH, placeholder="…"
        )


def standing(row: StatementCoverage, catalogue: Catalogue) -> Standing:
    """Of a statement of the catalogue, from pinned verdicts and the theorems that Coq checks."""
    verdict = _verdict(row)
    notes = list(contradicting(row, catalogue)) if verdict == "contradicted" else []
    # what stands on the text at hand alone is said where nothing else contradicts
    rank = min(((note.text_at_hand, GRADES.index(note.grade)) for note in notes), default=None)
    at_hand, grade = (False, "") if rank is None else (rank[0], GRADES[rank[1]])
    stale = dict.fromkeys(check.stale for _, check in row.speaking if check.stale)
    conditions = _conditions(row) if verdict == "supported" else []
    generated = conditions[0] if conditions else _generated(row, verdict)
    stands = in_unicode(row.item.stands or "").removesuffix(".")
    evidence = f" ({_evidence(row)})" if verdict == "supported" else ""
    differing = [
        f"a run came out {row.expected[slug].replace('_', ' ')}, not as recorded"
        for slug in row.differing
    ]
    parts = [(stands or generated) + evidence, *_behind(row), *dict.fromkeys(differing), *stale]
    sentence = "; ".join(parts)
    return Standing(spoken(row.id), verdict, grade, at_hand, sentence, bool(conditions))


def _behind(row: StatementCoverage) -> Iterator[str]:
    """The statements that it rests on, each with the symbol of its verdict."""
    by_kind: dict[str, list[str]] = {}
    for one in row.rests_on:
        symbol = SYMBOLS.get(_verdict(one), "–")
        by_kind.setdefault(kind(one.id), []).append(f"{number(one.id)} {symbol}")
    named = [
        f"{of_kind.capitalize()}{'s' if others else ''} {', '.join([first, *others])}"
        for of_kind, (first, *others) in by_kind.items()
    ]
    if named:
        yield f"behind it: {', '.join(named)}"


def _conditions(row: StatementCoverage) -> list[str]:
    """What shows that the statement needs a condition that is not stated: its notes and proofs."""
    proofs = [one.says for one in row.machine_checked if one.shows == "unstated_condition"]
    return [slip.suspected for slip in needed(row)] + proofs


def needed(row: StatementCoverage) -> list[Slip]:
    """Its notes of a condition that is not stated."""
    return [slip for slip in row.item.slips.values() if slip.grade == "unstated_condition"]


def _verdict(row: StatementCoverage) -> str:
    if row.status != EXPERIMENT:
        return row.status
    verdicts: set = {
        verdict for verdict in row.expected.values() if verdict not in (EXECUTED, IN_PART)
    }
    if any(verdict.shows == "contradicted" for verdict in row.machine_checked):
        verdicts.add("contradicted")
    verdict = worst(verdicts) if verdicts else EXECUTED
    # what shows that a definition or an algorithm does its work is no claim of the paper
    return EXECUTED if verdict == "supported" and kind(row.id) in NO_CLAIM else verdict


def contradicting(row: StatementCoverage, catalogue: Catalogue) -> Iterator[Slip]:
    """Notes whose evidence contradicts the statement."""
    against = {
        f"{slug}: {item.name}" for slug, item in row.speaking if item.expected != "supported"
    }
    checked = {item.theorem for item in row.machine_checked if item.shows == "contradicted"}
    proved = machine_checked.by_slip(catalogue.theorems)
    for name, slip in catalogue.slips.items():
        theorems = {item.theorem for item in proved.get(name, ())}
        if slip.grade in GRADES and (against & set(slip.evidence) or checked & theorems):
            yield slip


def _generated(row: StatementCoverage, verdict: str) -> str:
    """What the evidence says, where nothing is written."""
    if row.item.reason and row.status == REASON:
        return row.item.reason.rstrip(".")
    if verdict == IN_PART:
        names = dict.fromkeys(name for checks in row.in_part.values() for name in checks)
        return f"{', '.join(names)}; {row.item.title}"
    if verdict not in SYMBOLS:
        return row.item.title
    names = [f"{check.name} of {slug}" for slug, check in row.speaking if check.expected == verdict]
    shown = f"; see {names[0]}" if names and verdict != "supported" else ""
    return row.item.title + shown


def _evidence(row: StatementCoverage) -> str:
    """How the checks know, by commas."""
    how = list(dict.fromkeys(check.evidence.replace("_", " ") for _, check in row.speaking))
    # Beside other evidence a proof is of one check, often a step, and not of the statement.
    return ", ".join("proved in part" if one == "proved" and len(how) > 1 else one for one in how)


def named(
    text: str, rows: Sequence[StatementCoverage], catalogue: Catalogue
) -> list[StatementCoverage]:
    """The statements that words mean: an id, a paper, a verdict, ``P2 Theorem 5.2``, the id of a
    slip, or words to look for.

    >>> from repro.catalogue import papers, rows
    >>> [one.id for one in named("P2 Theorem 5.2", rows(), papers.load())]
    ['p2.thm_5_2']
    """
    said = re.sub(r"[()]", " ", text.lower())
    said = " ".join(said.split())
    if said in {row.id for row in rows}:
        return [row for row in rows if row.id == said]
    if said in {paper(row.id) for row in rows}:
        return [row for row in rows if paper(row.id) == said]
    of_paper, _, slip = said.partition(".")
    if owners := [row for row in rows if paper(row.id) == of_paper and slip in row.item.slips]:
        return owners
    if said in SYMBOLS:
        return [row for row in rows if standing(row, catalogue).verdict == said]
    if (wanted := _of_number(said, catalogue.papers)) is not None:
        of_paper, of_kind, of_number = wanted
        return [
            row
            for row in rows
            if (kind(row.id), number(row.id)) == (of_kind, of_number)
            and of_paper in ("", paper(row.id))
        ]
    words = said.split()
    return [row for row in rows if words and all(word in _searched(row) for word in words)]


NEAR = 0.8
"""Likeness from which names are suggested, of at most 1."""


def near_names(text: str, rows: Sequence[StatementCoverage]) -> str:
    """The names and ids that are most like some words, as a question; nothing where none is.

    >>> from repro.catalogue import rows
    >>> near_names("P4 Theorem 63", rows()), near_names("coverage of moons", rows())
    ('did you mean P4 Theorem 6.3, P4 Theorem 6.2 or P4 Theorem 6.1? ', '')
    """
    ids = {row.id: row.id for row in rows}
    numbered = [row for row in rows if number(row.id)]
    names = [f"{paper(r.id).upper()} {kind(r.id).title()} {number(r.id)}" for r in numbered]
    spelt = ids | {name: name for name in SYMBOLS} | {name.lower(): name for name in names}
    close = difflib.get_close_matches(" ".join(text.lower().split()), spelt, n=3, cutoff=NEAR)
    *others, last = [spelt[word] for word in close] or [""]
    either = f"{', '.join(others)} or {last}" if others else last
    return f"did you mean {either}? " if last else ""


def _of_number(said: str, papers: Iterable[str]) -> tuple[str, str, str] | None:
    """Paper (or nothing), kind and number of what is said with a number.

    >>> [_of_number(said, ["p1"]) for said in ("p1.thm 5.2", "lemma b.1", "coverage")]
    [('p1', 'theorem', '5.2'), ('', 'lemma', 'B.1'), None]
    """
    match = re.fullmatch(_NAME % "|".join(papers), said)
    if not match or not match[3]:
        return None
    kinds = {**KINDS, **EXTRA_KINDS}
    of_kind = kinds.get(match[2], match[2])
    if of_kind not in kinds.values():
        return None
    return match[1] or "", of_kind, match[3].replace("_", ".").upper()


def _searched(row: StatementCoverage) -> str:
    parts = (row.id, spoken(row.id), row.item.title, row.item.reason or "", *row.expected)
    text = in_unicode(row.item.text or "")
    return " ".join([*parts, *row.missing, row.item.stands or "", text]).lower()


def page_name(page: str) -> str:
    """How a page is called in a link.

    >>> page_name("explanations/printed_privacy.md")
    'printed privacy'
    >>> page_name("proofs/p2_theorems_4_8_5_3_small_rewards.md")
    'p2 theorems 4.8 5.3 small rewards'
    """
    return re.sub(r"(?<![a-z\d])([A-E]|\d+)_(\d+)", r"\1.\2", Path(page).stem).replace("_", " ")


PAGE = """# Where every statement stands

{counts}

`python -m repro {command}` writes this page. The verdict of a statement is the worst
recorded verdict of its checks, or of the theorems that Coq checks. A run says whether the recorded
verdicts come out. A contradiction has a grade: *error*, *constant*, *unstated condition*, or
*notation* (a misprint with one reading). *In the text at hand* means that it rests on signs that a
conversion from PDF can move. A statement is contradicted where a check of its printed form, at
values that its hypotheses allow, fails for every constant
([why](adr/0025-the-printed-form-decides.md)). *Supported under a condition that is not stated*
means that no check fails the printed form: the condition is noted, or only a reading that is not
the kindest fails. Brackets after a supported statement say how its checks know
([evidence](glossary.md)), and *proved in part* that a check or a step of the proof is proved. The
last column has experiments, theorems that Coq checks, and pages with the proof or the numbers.
`python -m repro catalogue ID` shows one statement: verdict, why, the smallest counterexample, what
holds instead, as printed, evidence and commands.

The [glossary](glossary.md) has other symbols. n is the number of labels. α is the share of
corrupted labels in P2 and P4; in P1 α is the probability that a label is kept, and in P3 a ridge.
P1's β is 1/`kl_weight`. ζ is 1 under CTL and c(ε) under LTC. L bounds features, and B rewards or
parameters. In P3 and P4 γ is the least slope of the sigmoid at the margins that occur. W(B) is the
inverse information of a label.
"""
OWN_PAGE = """# Where every statement stands

{counts}

`python -m repro {command}` writes this page. The verdict of a statement is the worst
verdict of its checks in the finished runs below `outputs`. A contradiction has a grade: *error*,
*constant*, *unstated condition*, or *notation* (a misprint with one reading). *In the text at hand*
means that it rests on signs that a conversion from PDF can move. *Supported under a condition that
is not stated* means that no check fails, and that the condition is noted. Brackets after a
supported statement say how its checks know. The last column has experiments.
`python -m repro catalogue ID` shows one statement with its numbers.
"""
"""Of a paper of the current folder."""


def counts(rows: Sequence[StatementCoverage], catalogue: Catalogue) -> str:
    """How many statements the papers have, and how many have which verdict, in a sentence."""
    printed = [row for row in rows if paper(row.id) != OWN]
    words = [standing(row, catalogue).verdict_words.partition(" (")[0] for row in printed]
    each = "; ".join(f"{count} {verdict}" for verdict, count in Counter(words).most_common())
    papers = "paper has" if len({paper(row.id) for row in printed}) == 1 else "papers have"
    return f"The {papers} {number_of(len(printed), 'statement')}: {each}."


def statements_page(
    rows: Sequence[StatementCoverage],
    papers: Mapping[str, str],
    catalogue: Catalogue,
    command: str = "catalogue --page",
    introduction: str = PAGE,
) -> str:
    """All statements as Markdown, a line each.

    Args:
        rows: of the catalogue.
        papers: by the name that ids begin with, the paper in one line.
        command: that writes the page.
        introduction: with open places for counts and command.
    """
    parts = [introduction.format(counts=counts(rows, catalogue), command=command)]
    for name, title in {**papers, OWN: ""}.items():
        heading = f"{name.upper()}: {title}" if title else "Own results"
        lines = [_page_row(row, catalogue) for row in rows if paper(row.id) == name]
        if lines:
            columns = ("statement", "id", "where it stands", "experiments, proofs, pages")
            head = f"| {' | '.join(columns)} |\n" + "|---" * len(columns) + "|"
            parts.append("\n".join([f"\n## {heading}\n", head, *lines]) + "\n")
    return "".join(parts)


def _page_row(row: StatementCoverage, catalogue: Catalogue) -> str:
    shown = standing(row, catalogue)
    name = f"{kind(row.id).capitalize()} {number(row.id)}".strip()
    experiments = [f"`{slug}`" for slug in row.expected]
    proved = [f"`{file}`" for file in dict.fromkeys(proof.file for proof in row.machine_checked)]
    links = [f"[{page_name(page)}]({page})" for page in pages_of(row.item)]
    cells = (
        name if paper(row.id) != OWN else row.item.title.partition(":")[0],
        f"`{row.id}`",
        f"{shown.verdict_words}: {shown.sentence}",
        ", ".join([*experiments, *proved, *links]) or "–",
    )
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"
