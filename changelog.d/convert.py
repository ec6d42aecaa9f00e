"""``python changelog.d/convert.py [--check]``: notes NAME.md become notes of towncrier.

A note is ``changelog.d/NAME.change.md``, one sentence.  What a NAME.md says from "First results" on
(numbers before a sweep or tolerance was changed) goes to docs/preregistration/NAME.md, its first
sentence to the note; what else it says is left to docstrings and pages.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
KEPT = FOLDER.parent / "docs" / "preregistration"
FIRST_RESULTS = re.compile(r"^(#+ |- )?First (results|run)", re.MULTILINE)
SENTENCE = re.compile(r"(.+?[.!?])(?=\s|$)", re.DOTALL)


def parts(text: str) -> tuple[str, str]:
    """The first sentence of a note, and its first results (empty where it has none).

    >>> parts("- Rows `a.b` are\\n  new. More.\\n\\nFirst results: 0.3.")
    ('Rows `a.b` are new.', 'First results: 0.3.')
    """
    cut = FIRST_RESULTS.search(text)
    told, results = (text[: cut.start()], text[cut.start() :]) if cut else (text, "")
    words = " ".join(told.split()).removeprefix("- ")
    found = SENTENCE.match(words)
    return (found[1] if found else words), results.strip().removeprefix("- ")


def old_notes(folder: Path) -> list[Path]:
    """Notes that towncrier does not read."""
    return [path for path in sorted(folder.glob("*.md")) if not path.stem.endswith(".change")]


def convert(folder: Path, kept: Path) -> None:
    """Rewrite the notes of a folder, and keep first results in another."""
    for path in old_notes(folder):
        sentence, results = parts(path.read_text("utf-8").strip())
        if results:
            kept.mkdir(exist_ok=True)
            (kept / path.name).write_text(f"# {path.stem}\n\n{results}\n", encoding="utf-8")
        if sentence:
            path.with_name(f"{path.stem}.change.md").write_text(f"{sentence}\n", encoding="utf-8")
        path.unlink()


def main(words: list[str]) -> int:
    """Convert; with ``--check`` only say (1) that there is something to convert."""
    if words not in ([], ["--check"]):
        print("error: usage: python changelog.d/convert.py [--check]", file=sys.stderr)
        return 2
    if words and (found := old_notes(FOLDER)):
        names = ", ".join(path.name for path in found)
        print(f"{names}: python changelog.d/convert.py", file=sys.stderr)
        return 1
    if not words:
        convert(FOLDER, KEPT)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
