from __future__ import annotations

import json
from decimal import Decimal

import pytest

from repro.preferences.synthetic_pairs import synthetic_pairs
from repro.release.ledger import Ledger
from repro.release.privatise import privatise


def pytest_addoption(parser):
    parser.addoption("--trials", type=int, default=2, help="honest releases that are audited")
    parser.addoption("--encodings", choices=["some", "all"], default="some", help="leaky ones")


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "state")


@pytest.fixture(scope="session")
def records():
    return [(p.prompt, p.chosen, p.rejected) for p in synthetic_pairs(1200, seed=3)]


@pytest.fixture
def write_input(tmp_path):
    def write(records, name="in.jsonl"):
        names = ("prompt", "chosen", "rejected")
        path = tmp_path / name
        lines = (json.dumps(dict(zip(names, record, strict=True))) + "\n" for record in records)
        path.write_text("".join(lines))
        return path

    return write


@pytest.fixture
def one(tmp_path, ledger, write_input, records):
    """A ledger that knows one release of the first 60 records."""
    privatise(write_input(records[:60]), tmp_path / "one.jsonl", Decimal("0.5"), ledger)
    return ledger
