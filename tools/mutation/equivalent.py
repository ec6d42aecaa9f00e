"""Changes that no test can see, or that none should: listed by hand with a reason each.

Besides true equivalents these are caps on steps, and slacks and ridges at the size of rounding.

An entry names the file, the stripped text of the line and the change as the tool prints it, and,
where the line has the same change more than once, its place among them.  An entry that fits no
mutant, or more than one, is an error: the code has moved on and the reason must be read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import yaml

from tools.mutation.mutants import Mutant, mutants

LISTED = Path(__file__).with_name("equivalent.yaml")
FIELDS = {"line", "change", "reason", "place"}


class Stale(ValueError):
    """An entry of the list fits no mutant, or several."""


def equivalents(
    paths: Iterable[Path],
    root: Path | None = None,
    listed: Path = LISTED,
    of: Callable[[Path], list[Mutant]] = mutants,
) -> dict[Mutant, str]:
    """The listed mutants of some files with their reasons.

    Args:
        paths: absolute paths of the files that are mutated.
        root: folder that the list's file names are relative to; the working folder by default.
        listed: the list.
        of: all mutants of a file.

    Raises:
        Stale: an entry of one of the files does not fit exactly one mutant.
    """
    root = Path.cwd() if root is None else root
    entries = yaml.safe_load(listed.read_text("utf-8")) or {}
    found = {}
    for path in paths:
        listed_here = entries.get(path.relative_to(root).as_posix(), [])
        known = of(path) if listed_here else []
        for entry in listed_here:
            found[_fitting(entry, known)] = entry["reason"]
    return found


def _fitting(entry: dict, known: list[Mutant]) -> Mutant:
    unknown = set(entry) - FIELDS
    fits = [m for m in known if (m.source, m.text) == (entry["line"], entry["change"])]
    place = entry.get("place", 1)
    if unknown or not entry["reason"] or not 1 <= place <= len(fits):
        raise Stale(f"fits no mutant: {entry}")
    if "place" not in entry and len(fits) > 1:
        raise Stale(f"fits {len(fits)} mutants, say which by its place: {entry}")
    return fits[place - 1]
