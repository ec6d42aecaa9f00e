from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from repro.preferences.synthetic_pairs import synthetic_pairs
from repro.release.ledger import Ledger


@pytest.fixture
def ledger(tmp_path):
    return Ledger(tmp_path / "state")


@pytest.fixture(scope="session")
def records():
    return [(p.prompt, p.chosen, p.rejected) for p in synthetic_pairs(1200, seed=3)]


@pytest.fixture(scope="session")
def leaky():
    spec = importlib.util.spec_from_file_location("leaky", Path(__file__).with_name("leaky.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def write_input(tmp_path):
    def write(records, name="in.jsonl"):
        names = ("prompt", "chosen", "rejected")
        path = tmp_path / name
        lines = (json.dumps(dict(zip(names, record, strict=True))) + "\n" for record in records)
        path.write_text("".join(lines))
        return path

    return write
