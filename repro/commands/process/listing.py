"""The experiments by paper, a line each, for ``--help``; no theorem is imported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import shorten

from repro.base.places import own_folder, places
from repro.catalogue.papers import load

WIDTH = 80
OWN_RESULTS = "Own results"


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
            yield name, place.title(name)


def shorten_line(line: str) -> str:
    """The line within WIDTH, its blanks kept.

    >>> len(shorten_line("  name  " + "word " * 30)) <= WIDTH
    True
    """
    if len(line) <= WIDTH:
        return line
    head, words = re.fullmatch(r"(\s*\S+\s+)(.*)", line).groups()  # type: ignore[union-attr]
    return head + shorten(words, WIDTH - len(head), placeholder=" …")
