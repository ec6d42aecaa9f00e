"""Relative links and anchors of Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

_FENCE = re.compile(r"^( *)(`{3,}).*?^\1\2 *$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def links(text: str) -> list[str]:
    """Targets of links and images, without those in code.

    >>> links("[a](b.md#c) ![d](e.png) `[f](g)`")
    ['b.md#c', 'e.png']
    """
    return _LINK.findall(_CODE.sub("", _FENCE.sub("", text)))


def anchors(text: str) -> set[str]:
    """Anchors of the headings, as GitHub and the site name them.

    >>> sorted(anchors("# Change it\\n## A `b.c`, d\\n"))
    ['a-bc-d', 'change-it']
    """
    found = (re.sub(r"[^\w\- ]", "", title).strip() for title in _HEADING.findall(
        _FENCE.sub("", text)))  # fmt: skip
    return {title.lower().replace(" ", "-") for title in found}


def broken(page: Path, root: Path) -> Iterator[str]:
    """One line for each relative link of a page that leads nowhere, or out of the project."""
    for link in links(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.is_relative_to(root) or not target.exists():
            yield f"{page.relative_to(root)}: no such file: {link}"
        elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
            yield f"{page.relative_to(root)}: no such heading: {link}"
