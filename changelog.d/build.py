"""``python changelog.d/build.py [--check]``: CHANGELOG.md from the notes in this folder.

A change brings one note, ``changelog.d/<slug>.md``, so that two changes never touch the same lines.
What a note says from "First results" on (numbers before a sweep or tolerance was changed) stays in
the note; the changelog links to it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
TARGET = FOLDER.parent / "CHANGELOG.md"
HEADER = """# Changelog

Built from the notes in `changelog.d/` by `python changelog.d/build.py`; edit those.

## 0.1.0 (not yet released)
"""
FIRST_RESULTS = re.compile(r"^(#+ |- )?First (results|run)", re.MULTILINE)


def entry(note: Path) -> str:
    """One note as a section, without its first results."""
    text = note.read_text("utf-8").strip()
    cut = FIRST_RESULTS.search(text)
    if cut:
        link = f"[First results](changelog.d/{note.name}) before a change are kept."
        text = f"{text[: cut.start()].strip()}\n\n{link}".strip()
    return f"### {note.stem}\n\n{text}\n"


def changelog(folder: Path = FOLDER) -> str:
    """The whole file: every note of a folder, by name."""
    return "\n".join([HEADER, *(entry(note) for note in sorted(folder.glob("*.md")))])


def main(words: list[str]) -> int:
    """Write the file; with ``--check`` only say (1) that it is out of date."""
    if words not in ([], ["--check"]):
        print("error: usage: python changelog.d/build.py [--check]", file=sys.stderr)
        return 2
    current = TARGET.read_text("utf-8") if TARGET.exists() else ""
    if words and current != changelog():
        print("CHANGELOG.md is out of date: python changelog.d/build.py", file=sys.stderr)
        return 1
    if not words:
        TARGET.write_text(changelog(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
