"""The experiments by paper, a line each, for ``--help``; no theorem is imported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten

from repro.base.places import own_folder, places
from repro.catalogue.entries import load

WIDTH = 80
OWN_RESULTS = "Own results"
TITLE = re.compile(r"""^\s+title\s*=\s*(["'])(.*)\1,?\s*$""", re.MULTILINE)


def listing() -> str:
    """Papers in order, each with its experiments; at last those that name no paper."""
    papers = {name.upper(): paper.title for name, paper in load().papers.items()}
    by_paper: dict[str, list[str]] = {label: [] for label in (*papers, OWN_RESULTS)}
    for name, title in titles():
        label, _, after_label = title.partition(" ")
        of_paper = label in papers
        line = f"  {name:<30}  {after_label if of_paper else title}"
        by_paper[label if of_paper else OWN_RESULTS].append(shorten_line(line))
    parts = (
        "\n".join([shorten_line(f"{label}  {papers.get(label, '')}".rstrip()), *lines])
        for label, lines in by_paper.items()
        if lines
    )
    return "\n".join(parts)


def titles() -> Iterator[tuple[str, str]]:
    """Name and title of every theorem that there is, as written in its file."""
    for place in places(own_folder()):
        for name in place.names():
            yield name, title_in(place.code(name))


def title_in(code: Path) -> str:
    """What a theorem's file gives as ``title``, on a line of its own; empty where it gives none.

    Args:
        code: a file that is read, not run.
    """
    match = TITLE.search(code.read_text(encoding="utf-8", errors="replace"))
    return match[2] if match else ""


def shorten_line(line: str) -> str:
    """The line within WIDTH, its blanks kept.

    >>> len(shorten_line("  name  " + "word " * 30)) <= WIDTH
    True
    """
    if len(line) <= WIDTH:
        return line
    head, words = re.fullmatch(r"(\s*\S+\s+)(.*)", line).groups()  # type: ignore[union-attr]
    return head + shorten(words, WIDTH - len(head), placeholder=" …")
