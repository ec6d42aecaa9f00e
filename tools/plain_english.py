"""Sentences that are hard to read: too long, or with a listed smell.

    python -m tools.plain_english                   a count for each page of the documentation
    python -m tools.plain_english PAGE ... --list   each place of these pages

Without PAGE it reads README.md, CONTRIBUTING.md and docs/**/*.md but for pages that a command
writes, and beside them the first lines of all statements, the rest of the catalogue and the
``--help`` of all commands.  Code, tables, headings, targets of links and comments are not read.
Smells are heuristics: they miss some sentences and report some that are fine.  Exit status: 0.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from repro.catalogue import papers, rows
from repro.catalogue.standing import standing

LONGEST = 30
"""Words of a sentence, at most."""
WRITTEN = ("findings", "results", "statements", "suspected_slips", "ablations", "responses")
"""Pages of docs/ that commands write."""
FIRST_LINES, CATALOGUE, HELP = "first lines", "catalogue", "--help"
SMELLS = {
    "inverted": re.compile(
        r"(?:^|[;:—–] )(?:so (?:is|are|does|do|has|have)\b|nor (?:is|are|does|do|has|have)\b"
        r"|neither (?:is|are)\b|beside (?:it|them|the \w+) stands?\b)"
        r"|^(?:Beside|Behind|From above|From below|Not (?:noticed|at|in))\b",
        re.IGNORECASE,
    ),
    "no noun": re.compile(
        r"\b(?:ha(?:s|ve) it\b|(?:does|do|is|are) so\b|is one\b(?! \w)|are ones\b|no less will do"
        r"|such a one|the one for|ones? that|that of (?:its|the|a)\b|those of|the others?\b)",
        re.IGNORECASE,
    ),
    "in the place of": re.compile(r"\bin (?:the )?place of\b|\bfor [BCLcn] in\b"),
    "by itself": re.compile(r"\bby (?:itself|construction|the same)\b", re.IGNORECASE),
    "brackets": re.compile(r"(?<!\S)\([^()]*[\w,.] \([^()]*\)[^()]*\)|(?<!\S)\([^()]{90,}\)"),
    "semicolons": re.compile(r";[^;]*;"),
    "house words": re.compile(
        r"\b(?:rows?|slips?|(?<!text )at hand|at length|settle[sd]?|caught|drawn by|told apart|told"
        r"|stands? (?:here|there|as|beside|in)|nobody|whoever|pin(?:ned|s)?)\b",
        re.IGNORECASE,
    ),
}
_ABBREVIATION = re.compile(r"\b(?:eq|eqs|Sec|Fig|resp|cf|i\.e|e\.g|al|No|vs|approx)\.$", re.I)
_END = re.compile(r"(?<=[.!?∎])[)\"”]?\s+(?=[A-ZÄÖÜΑ-Ωα-ω0-9`\"“(‖|])|(?<=\.)  (?=\S)")


def smells(sentence: str) -> list[str]:
    """What is hard to read in one sentence.

    >>> smells("The bound holds.")
    []
    >>> smells("Beside it stands the form that has it.")
    ['inverted', 'no noun']
    """
    plain = re.sub(r"`[^`]*`", "code", sentence)
    long = sum(1 for word in plain.split() if re.search(r"\w", word)) > LONGEST
    return ["long"] * long + [name for name, smell in SMELLS.items() if smell.search(plain)]


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph, links and emphasis taken off.

    >>> sentences("See [the page](a.md). It is *short*.")
    ['See the page.', 'It is short.']
    """
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)
    plain = re.sub(r"(?<!\w)\*\*?|\*\*?(?!\w)", "", plain).replace("\\", "")
    parts: list[str] = []
    for piece in _END.split(plain):
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] += f" {piece}"
        elif piece.strip():
            parts.append(piece.strip())
    return parts


def paragraphs(markdown: str) -> Iterator[tuple[int, str]]:
    """Paragraphs of a page with the number of their first line, without what is no prose."""
    text = re.sub(r"<!--.*?-->", lambda at: "\n" * at[0].count("\n"), markdown, flags=re.DOTALL)
    fenced, lines, start = False, list[str](), 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = re.match(r"\s*(```|~~~)", line)
        fenced ^= bool(fence)
        item = re.match(r"\s*(?:[-*+]|\d+\.)\s+", line)
        ends = fence or fenced or not line.strip() or line.startswith(("#", "|", "!"))
        ends = ends or (re.match(r" {4,}\S", line) and not lines)
        if (ends or item) and lines:
            yield start, " ".join(lines)
            lines = []
        if not ends:
            start = start if lines else number
            lines.append(line[item.end() :] if item else line.strip())


def of_page(path: Path) -> Iterator[tuple[str, str]]:
    """(place, sentence) of a page of Markdown."""
    for line, paragraph in paragraphs(path.read_text(encoding="utf-8")):
        for sentence in sentences(paragraph):
            yield f"{path}:{line}", sentence


def of_first_lines() -> Iterator[tuple[str, str]]:
    """(id, sentence) of where every statement stands."""
    catalogue = papers.load()
    for row in rows():
        yield row.id, f"{standing(row, catalogue).sentence}."


def of_catalogue() -> Iterator[tuple[str, str]]:
    """(id, sentence) of reasons, counterexamples, suspected errors, corrections and proofs."""
    catalogue = papers.load()
    texts = [
        (name, text)
        for name, item in catalogue.items.items()
        for text in (item.reason, item.shown, item.counterexample)
    ]
    texts += [(name, text) for name, slip in catalogue.slips.items()
              for text in (slip.suspected, slip.corrected)]  # fmt: skip
    texts += [(f"{proof.file}.{proof.name}", proof.says) for proof in catalogue.theorems]
    for name, text in texts:
        for sentence in sentences(text or ""):
            yield name, sentence


def of_help() -> Iterator[tuple[str, str]]:
    """(file, sentence) of the help of every command; indented lines are commands and tables."""
    for path in sorted(Path("repro/commands").glob("[a-z]*.py")):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        for part in text.split("\n\n"):
            prose = "\n".join(line for line in part.splitlines() if not line.startswith(" "))
            for sentence in sentences(prose.replace(".\n", ".  ").replace("\n", " ")):
                yield path.stem, sentence


def pages() -> list[Path]:
    """Every page that people write."""
    docs = sorted(Path("docs").rglob("*.md"))
    written = [page for page in docs if page.parent == Path("docs") and page.stem in WRITTEN]
    return [
        Path("README.md"),
        Path("CONTRIBUTING.md"),
        *(one for one in docs if one not in written),
    ]


def main() -> None:
    """Print counts, or places."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "page", nargs="*", type=Path, help="Markdown; none: all, and what is printed"
    )
    parser.add_argument("--list", action="store_true", help="print each place")
    args = parser.parse_args()
    texts = {str(page): list(of_page(page)) for page in args.page or pages()}
    if not args.page:
        texts |= {
            FIRST_LINES: list(of_first_lines()),
            CATALOGUE: list(of_catalogue()),
            HELP: list(of_help()),
        }
    names = ["long", *SMELLS]
    total: Counter[str] = Counter()
    if not args.list:
        print(f"{'page':<48}{'sentences':>10}" + "".join(f"{name:>16}" for name in names))
    for name, said in texts.items():
        found = [(place, smell, sentence) for place, sentence in said for smell in smells(sentence)]
        count = Counter(smell for _, smell, _ in found)
        total += count
        if args.list:
            for place, smell, sentence in found:
                print(f"{place}: {smell}: {sentence}")
        else:
            print(
                f"{name:<48}{len(said):>10}" + "".join(f"{count[one] or '':>16}" for one in names)
            )
    if not args.list:
        everything = sum(map(len, texts.values()))
        print(f"{'all':<48}{everything:>10}" + "".join(f"{total[one]:>16}" for one in names))


if __name__ == "__main__":
    main()
