"""The registry of proofs in the catalogue, the notes and the pages."""

from __future__ import annotations

import hashlib

import pytest

from repro.base.errors import BadInput
from repro.catalogue import machine_checked, rows, slips
from repro.catalogue.machine_checked import CheckedTheorem, Proof

DIGEST = "0" * 64


def one(**changes) -> dict[str, Proof]:
    theorem = {"statements": ("p1.thm_4_2",), "shows": "supported", "says": "it holds"} | changes
    return {"small": Proof(digest=DIGEST, theorems={"holds": CheckedTheorem(**theorem)})}


def test_every_name_in_the_registry_exists():
    items = {row.id for row in rows()}
    assert not list(machine_checked.dangling(machine_checked.load(), items, slips.load()))


def test_a_statement_or_a_note_that_does_not_exist_is_said():
    found = list(machine_checked.dangling(one(slips=("p1.none",)), ["p1.thm_4_5"], ["p1.cap"]))
    assert found == [
        "proofs/small.v: holds: the catalogue has no p1.thm_4_2",
        "proofs/small.v: holds: conf/slips.yaml has no p1.none",
    ]


def test_a_row_of_the_catalogue_names_its_theorems_contradictions_first():
    row = next(row for row in rows() if row.id == "p1.thm_4_2")
    assert [line.shows for line in row.machine_checked] == ["contradicted", "supported"]
    first = row.plain()["machine_checked"][0]
    assert first["theorem"] == "factor_false"
    assert first["command"] == "python proofs/verify.py proofs/p1_theorem_4_2_factor_false.v"


def test_whether_a_file_was_checked_here(tmp_path, monkeypatch):
    assert "source tree" in machine_checked.here("proofs/small.v", tmp_path)
    file = tmp_path / "small.v"
    file.write_text("Qed.", encoding="utf-8")
    monkeypatch.setattr(machine_checked.shutil, "which", lambda _: None)
    assert machine_checked.here("proofs/small.v", tmp_path) == "not checked here: install coq"
    monkeypatch.setattr(machine_checked.shutil, "which", lambda _: "/usr/bin/coqc")
    assert machine_checked.here("proofs/small.v", tmp_path) == "not checked here yet"
    mark = file.with_suffix(".checked")
    mark.write_text(hashlib.sha256(file.read_bytes()).hexdigest() + "\n", encoding="utf-8")
    assert machine_checked.here("proofs/small.v", tmp_path) == "checked here"
    file.write_text("Admitted.", encoding="utf-8")
    assert machine_checked.here("proofs/small.v", tmp_path) == "changed since it was checked here"


@pytest.mark.parametrize("digest", ["", "abc", "g" * 64])
def test_a_malformed_digest_is_refused(tmp_path, digest):
    file = tmp_path / "proofs.yaml"
    text = f'proofs: {{small: {{digest: "{digest}", theorems: {{}}}}}}'
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match="digest"):
        machine_checked.load(file)
