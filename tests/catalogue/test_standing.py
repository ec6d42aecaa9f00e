"""Where every statement stands: a computed verdict and a sentence, and who finds it how."""

import re
from dataclasses import replace

import pytest

from repro.catalogue.coverage import completed, rows
from repro.catalogue.papers import load
from repro.catalogue.standing import named, pages_of, standing, statements_page
from repro.catalogue.summaries import summaries
from repro.commands import catalogue as command
from repro.commands.process.command import status_of
from repro.core.check import EVIDENCE
from tests.docs.fences import ROOT

KINDS = "|".join(EVIDENCE)
EXISTING = summaries()
ALL = load()
ROWS = rows(completed(ALL, EXISTING), EXISTING)
BY_ID = {row.id: row for row in ROWS}


def test_a_first_line_has_one_verdict_one_sentence_and_at_most_160_signs():
    for row in ROWS:
        stands = standing(row, ALL)
        assert len(stands.line) <= 160, row.id
        assert stands.line.endswith(f"{stands.sentence}.")  # nothing is cut off
        assert stands.verdict_words[0] in "✗✓–≈○"
        assert stands.line.startswith(f"{stands.name}: {stands.verdict_words}: ")
        evidence = rf"(.*) \(({KINDS}|proved in part)(, ({KINDS}|proved in part))*\)"
        sentence = stands.sentence.partition("; behind it: ")[0]
        known = re.fullmatch(evidence, sentence)
        assert bool(known) == (stands.verdict == "supported"), row.id
        said = known[1] if known else sentence
        assert not row.item.stands or said == row.item.stands


def test_what_an_author_says_is_plain_text_with_one_full_stop():
    row = next(row for row in ROWS if row.item.stands)
    item = row.item.model_copy(update={"stands": r"it needs $\varepsilon$ below 1."})
    said = replace(row, item=item)
    assert standing(said, ALL).sentence == "it needs ε below 1"


def test_pages_are_of_statements_that_there_are_and_lie_in_docs():
    found = [page for row in ROWS for page in pages_of(row.item)]
    assert len(found) > 30
    assert all((ROOT / "docs" / page).is_file() for page in found)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("p1.thm_5_2", "✗ contradicted (error)"),  # by Coq and corrected_log_regret
        ("p1.cor_5_5", "✗ contradicted (error)"),  # pinned supported, contradicted by Coq alone
        ("p2.thm_4_8", "✗ contradicted (unstated condition)"),
        ("p2.thm_5_3", "✗ contradicted (unstated condition)"),  # not for a sign of the text at hand
        ("p1.def_3_2", "✗ contradicted (notation, in the text at hand)"),
        ("p2.thm_5_2", "✓ supported"),
        ("p1.thm_4_5", "✗ contradicted (unstated condition)"),
        ("p3.thm_4_2", "✗ contradicted (unstated condition)"),
        ("p3.thm_4_4", "✗ contradicted (unstated condition)"),
        ("p3.thm_5_2", "✗ contradicted (unstated condition)"),
        ("p3.lem_a_11", "✗ contradicted (unstated condition)"),
        ("p3.lem_a_9", "✗ contradicted (unstated condition)"),
        ("p1.abs_1", "✓ supported under a condition that is not stated"),  # a note and a proof
        ("p4.thm_5_7", "✗ contradicted (unstated condition)"),
        ("p4.thm_6_2", "✗ contradicted (unstated condition)"),
        ("p2.rem_5_1", "✗ contradicted (unstated condition)"),
        ("p4.thm_6_3", "✗ contradicted (unstated condition)"),
        ("p1.rem_4_4", "✓ supported"),  # states its condition
        ("p4.prop_4_6", "✗ contradicted (constant)"),
        ("p1.alg_1", "– executed, no verdict"),
        ("p4.tab_3", "– no experiment"),
        ("p4.tab_1", "≈ substitute, no verdict"),
        ("p1.tab_1", "○ not reproduced, no verdict"),
    ],
)
def test_the_verdict_is_that_of_the_evidence_and_its_grade_that_of_the_note(name, words):
    assert standing(BY_ID[name], ALL).verdict_words == words


def test_without_a_written_sentence_the_note_or_the_proof_names_the_condition():
    row = replace(BY_ID["p1.abs_1"], rests_on=())
    unsaid = replace(row, item=row.item.model_copy(update={"stands": None}))
    suspected = row.item.slips["bound_in_epsilon_minus_one"].suspected
    assert standing(unsaid, ALL).sentence == f"{suspected} (measured)"
    bare = unsaid.item.model_copy(update={"slips": {}})
    unproved = replace(unsaid, item=bare, machine_checked=())
    assert standing(unproved, ALL).verdict_words == "✓ supported"
    proof, *_ = row.machine_checked
    proved = replace(unproved, machine_checked=(proof,))
    assert standing(proved, ALL).sentence == f"{proof.says} (measured)"


def test_an_abstract_says_which_of_its_theorems_are_contradicted():
    assert standing(BY_ID["p2.abs_1"], ALL).sentence.endswith(
        "; behind it: Lemmas 3.1 ✓, 3.3 ✓, Theorems 4.4 ✓, 4.8 ✗, 5.2 ✓, 5.3 ✗"
    )
    abstracts = [row for row in ROWS if "abs" in row.id and row.id.startswith("p")]
    assert len(abstracts) == 5
    for row in abstracts:
        words = standing(row, ALL).sentence.partition("; behind it: ")[2]
        verdicts = [standing(BY_ID[name], ALL).verdict_words[0] for name in row.item.rests_on]
        assert [sign for sign in words if sign in "✗✓–"] == verdicts != []


def test_a_written_sentence_changes_no_verdict():
    row = BY_ID["p2.thm_5_2"]
    before = standing(row, ALL).verdict_words
    said = replace(row, item=row.item.model_copy(update={"stands": "it fails"}))
    assert standing(said, ALL).line == f"P2 Theorem 5.2: {before}: it fails (measured)."


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("P4 eq. (20)", ["p4.eq_20"]),
        ("eq. (20)", ["p1.eq_20", "p4.eq_20"]),
        ("p1.thm_5_2", ["p1.thm_5_2"]),
        ("P1 Theorem 5.2", ["p1.thm_5_2"]),
        ("p1 thm 5.2", ["p1.thm_5_2"]),
        ("Lemma A.10", ["p3.lem_a_10"]),
        ("lemma b.1", ["p1.lem_b_1", "p2.lem_b_1"]),
        ("P1, Theorem 9.9", []),
        ("zebra", []),
        ("", []),
    ],
)
def test_a_statement_is_found_as_people_say_it(words, found):
    assert [row.id for row in named(words, ROWS, ALL)] == found


def test_words_find_titles_and_a_paper_all_of_its_statements():
    assert "p1.thm_4_2" in [row.id for row in named("coverage", ROWS, ALL)]
    assert "p1.lem_a_1" in [row.id for row in named("adapted filtration", ROWS, ALL)]  # its text
    assert {row.id for row in named("p1", ROWS, ALL)} == {n for n in BY_ID if n.startswith("p1.")}


def test_several_are_a_line_each_and_one_is_a_page(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert status_of(command.main, ["theorem 5.2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    begun = [line.split()[0] for line in lines if not line.startswith("    ")]
    assert begun == ["p1.thm_5_2", "p2.thm_5_2", "p3.thm_5_2"]
    assert max(map(len, lines)) <= 80
    assert status_of(command.main, ["P2", "Theorem", "5.2"]) == 0
    assert "As printed (Section 5" in capsys.readouterr().out


def test_the_page_has_a_line_for_each_and_is_the_one_in_docs():
    papers = {name: one.said for name, one in load().papers.items()}
    page = statements_page(ROWS, papers, ALL)
    assert all(page.count(f"| `{row.id}` |") == 1 for row in ROWS)
    kept = (ROOT / "docs" / "statements.md").read_text(encoding="utf-8")
    assert kept == page, "run: python -m repro catalogue --page > docs/statements.md"


def test_a_verdict_names_its_statements():
    false = {row.id for row in named("contradicted", ROWS, ALL)}
    assert (
        false == {row.id for row in ROWS if standing(row, ALL).verdict == "contradicted"} != set()
    )
