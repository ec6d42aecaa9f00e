"""What an author has left open: words that ``new_theorem`` and ``new_paper`` write as TODO."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from repro.base.errors import number_of
from repro.base.places import places
from repro.catalogue.entries import paper
from repro.catalogue.papers import load

TO_DO = re.compile(r"\bTODO\b")


def left_to_do(slug: str, statements: Iterable[str], folder: Path | None = None) -> str:
    """Where the file of an experiment or the entry of a statement has TODO; empty if nowhere.

    Args:
        slug: of the experiment.
        statements: ids that it speaks for.
        folder: of the user's theorems; the current one by default.
    """
    files = [place.code(slug) for place in places(folder) if place.has(slug)]
    lines = [
        line
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
        if TO_DO.search(line)
    ]
    items = load(folder).items
    entries = [
        f"{name} of conf/papers/{paper(name)}.yaml"
        for name in statements
        if name in items and TO_DO.search(items[name].model_dump_json())
    ]
    where = [f"theorems/{slug}.py ({number_of(len(lines), 'line')})"] if lines else []
    if not (where := [*where, *entries]):
        return ""
    return f"TODO is left in {', '.join(where)}: the verdict may be that of the scaffold's example"
