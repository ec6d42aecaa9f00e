"""The registry of proofs in the catalogue, the notes and the pages."""

from __future__ import annotations

import hashlib

import pytest

from repro.base.errors import BadInput
from repro.catalogue import machine_checked, papers, rows


def test_every_name_exists():
    assert not list(machine_checked.dangling(papers.load()))


def test_a_statement_a_slip_or_a_digest_that_does_not_exist_is_said(tmp_path):
    path = tmp_path / "conf" / "papers" / "kbr.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(
        "title: t\nauthors: a\nstatements:\n  thm_1:\n    title: t\n    coq: {small.holds: "
        "{shows: supported, says: it holds, also: [kbr.thm_2], slips: [kbr.none]}}\n"
    )
    assert list(machine_checked.dangling(papers.load(tmp_path))) == [
        "kbr.thm_1: small.holds: proofs has no digest of small",
        "kbr.thm_1: small.holds: the catalogue has no kbr.thm_2",
        "kbr.thm_1: small.holds: there is no slip kbr.none",
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
    file = tmp_path / "kbr.yaml"
    file.write_text(f'title: t\nauthors: a\nstatements: {{}}\nproofs: {{small: "{digest}"}}\n')
    with pytest.raises(BadInput, match="proofs.small"):
        papers.read(file)
