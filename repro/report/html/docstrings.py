"""Docstrings of theorem files as blocks of text, read without importing them."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass

from repro.base.places import places


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, or a displayed formula or list whose lines stay as they are."""

    text: str
    formula: bool


def experiment_text(slug: str) -> tuple[str, list[Paragraph]]:
    """First line and the blocks of an experiment's docstring; empty where there is no file."""
    for place in places():
        if place.has(slug):
            code = place.code(slug).read_text(encoding="utf-8")
            text = ast.get_docstring(ast.parse(code)) or ""
            title, _, rest = text.partition("\n")
            return title, blocks(rest)
    return "", []


def blocks(text: str) -> list[Paragraph]:
    """Paragraphs, and indented or starred parts kept line by line.

    >>> [b.formula for b in blocks("Words\\nmore.\\n\\n    x = 1\\n")]
    [False, True]
    """
    parts = []
    for part in text.strip("\n").split("\n\n"):
        if not part.strip():
            continue
        kept = part.startswith("    ") or "\n* " in f"\n{part}" or "\n- " in f"\n{part}"
        shown = textwrap.dedent(part) if kept else " ".join(part.split())
        parts.append(Paragraph(shown.replace("``", "").strip("\n"), kept))
    return parts
