"""Which three texts each layout of a record is read as, and which layouts are refused."""

import ast
import json
from pathlib import Path

from repro.labels.preferences.conversation import NotUnderstood
from repro.labels.preferences.layouts import three_texts

RECORDS = Path(__file__).with_name("layouts.txt")


def read(record):
    try:
        found = three_texts(record)
    except NotUnderstood as problem:
        return f"refused: {problem}"
    kinds = {type(text).__name__ for text in found.values()} if isinstance(found, dict) else set()
    listed = " (of lists of messages)" if "ListedPrompt" in kinds else ""
    return json.dumps(found) + listed


def test_every_layout_is_read_as_these_texts(snapshot):
    lines = []
    for line in RECORDS.read_text("utf-8").splitlines():
        lines += [line, f"  {read(ast.literal_eval(line))}"]
    assert "\n".join(lines) == snapshot
