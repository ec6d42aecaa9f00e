"""Pages that are made with the site: statements, papers, proofs, a notebook with its outputs."""

import subprocess
import sys

import pytest

from tools.site_pages import (
    ROOT,
    Made,
    experiment_page,
    linked,
    notebook_page,
    paper_page,
    proof_page,
    statement_page,
)

MADE = Made(ROOT / "no" / "runs")
BY_ID = {row.id: row for row in MADE.rows}


def test_a_statement_has_its_verdict_its_text_and_the_row_that_holds():
    page = statement_page(BY_ID["p2.prop_e_1"], MADE)
    assert page.startswith(
        "# P2 Proposition E.1: fast offline rates\n\n**✗ contradicted (error):**"
    )
    assert "<math" in page
    (row,) = [line for line in page.splitlines() if line.startswith("| `printed_floor_ctl`")]
    assert "✗ contradicted (recorded)" in row
    parts = ("**Why", "## Smallest counterexample", "## What holds", "## As printed", "<details")
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert row.endswith("| `floor_horizon_ctl` |")
    assert "(../proofs/p2_propositions_E_1_E_2_false.md)" in page


def test_an_experiment_has_its_statements_and_its_source():
    page = experiment_page("rdpo_identity", MADE)
    assert "(../statements/p4.app_c_rdpo.md)" in page
    assert '```python\n"""' in page


@pytest.mark.parametrize("name", ["p1", "own"])
def test_a_paper_has_a_line_for_each_of_its_statements(name):
    page = paper_page(name, MADE)
    own = [one for one in BY_ID if one.startswith(f"{name}.")]
    assert all(page.count(f"(../statements/{one}.md)") == 1 for one in own)


def test_a_proof_has_what_is_stated_before_how_it_is_proved():
    page = proof_page(ROOT / "proofs" / "p1_lemma_C_1.v")
    assert page.index("What Coq is asked") < page.index("## The proof")
    assert page.count("```coq") == 2


def test_names_of_proofs_and_statements_become_links_outside_of_code():
    text = "see `proofs/a.v: b`\n\n| `p1.x` |\n\n```bash\npython `proofs/a.v`\n```\n"
    found = linked(text, "statements.md", ["p1.x"])
    assert "[`proofs/a.v: b`](proofs/a.md)" in found
    assert "| [`p1.x`](statements/p1.x.md) |" in found
    assert "python `proofs/a.v`" in found
    assert "(../proofs/a.md)" in linked(text, "explanations/one.md", [])


def test_a_notebook_shows_its_outputs():
    cell = {"cell_type": "code", "source": ["1 + 1"], "outputs": [
        {"data": {"text/plain": ["2"]}}, {"data": {"image/png": "AAAA"}},
        {"data": {"text/html": "<table>\n<tr></tr></table>"}},
    ]}  # fmt: skip
    page = notebook_page({"cells": [cell]})
    for shown in ("```python\n1 + 1\n```", "```text\n2\n```", "base64,AAAA", "<table> <tr>"):
        assert shown in page


@pytest.mark.slow
def test_runs_at_hand_join_the_site_as_reports_of_all_and_of_their_papers(tmp_path):
    words = ["theorem=rdpo_identity", "budget=smoke", f"output_dir={tmp_path}", "tracking=none"]
    subprocess.run([sys.executable, "-m", "repro", *words], check=True, capture_output=True)
    made = Made(tmp_path)
    reports = dict(made.reports())
    assert set(reports) == {"gallery.html", "report.html", "report_p4.html"}
    assert all('id="e-rdpo_identity"' in html for html in reports.values())
    (slug,) = made.runs
    name = made.runs[slug].verdict.statements[0]
    assert f"](../report.html#e-{slug})" in statement_page(BY_ID[name], made)
    assert dict(MADE.reports()) == {}
