from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest

import repro
from repro.labels.preferences.synthetic_pairs import synthetic_pairs

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def records():
    return [
        {"prompt": p.prompt, "chosen": p.chosen, "rejected": p.rejected}
        for p in synthetic_pairs(1200, seed=3)
    ]


@pytest.fixture
def write_input(tmp_path):
    def write(records, name="in.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


@pytest.fixture
def ledger(tmp_path):
    return tmp_path / "state"


@pytest.fixture
def release(tmp_path, ledger, write_input, records):
    """Of the first 200 records; (OUT.jsonl, IN.jsonl)."""
    source = write_input(records[:200])
    repro.privatize(source, 1, output=tmp_path / "out.jsonl", ledger=ledger)
    return tmp_path / "out.jsonl", source


@pytest.fixture
def out():
    """The lines of a release."""
    return lambda path: [json.loads(line) for line in Path(path).read_bytes().splitlines()]


class FixedCoins:
    """Stands in for ``os`` in ``exact_response``: the same words every time.

    Args:
        turned: numbers of words that are replaced by their complement.
    """

    def __init__(self, turned=()):
        self._draw, self._turned = random.Random(5).randbytes, set(turned)

    def urandom(self, size):
        words = bytearray(self._draw(size))
        for number in self._turned:
            at = slice(8 * number, 8 * number + 8)
            words[at] = bytes(255 - byte for byte in words[at])
        self._turned = set()
        return bytes(words)


@pytest.fixture
def fixed_coins(monkeypatch):
    from repro.labels.privacy import exact_response

    def fix(**words):
        monkeypatch.setattr(exact_response, "os", FixedCoins(**words))

    return fix


@pytest.fixture
def command_environment():
    return {**os.environ, "PYTHONPATH": str(ROOT)}
