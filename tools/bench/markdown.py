"""Tables as docs/performance.md has them."""

from __future__ import annotations

from collections.abc import Iterable


def print_rows(title: str, rows: Iterable[Iterable[object]]) -> None:
    """A Markdown table; nothing where it has no rows."""
    listed = [" | ".join(str(cell) for cell in row) for row in rows]
    if listed:
        columns = title.count("|") + 1
        print(f"\n| {title} |\n|{'---|' * columns}")
        print("\n".join(f"| {row} |" for row in listed))
