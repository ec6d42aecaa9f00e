"""The catalogue against the papers' own texts, where the folder with the texts is at hand."""

import re
from pathlib import Path

import pytest

from repro.base.errors import BadInput
from repro.catalogue.entries import counted
from repro.catalogue.papers import Slip, load, read
from repro.catalogue.plain_math import unknown_macro

TEXTS = Path(__file__).parents[3] / "shared" / "papers"
PAPERS = {"p1": "p1_kl*.txt", "p2": "p2_*.txt", "p3": "p3_*.txt", "p4": "p4_*.txt"}
PREFIX = {
    "Definition": "def", "Assumption": "asm", "Lemma": "lem", "Claim": "claim",
    "Proposition": "prop", "Theorem": "thm", "Corollary": "cor", "Algorithm": "alg",
    "Table": "tab", "Figure": "fig",
}  # fmt: skip
HEADING = rf"({'|'.join(PREFIX)}) ([A-Z]\.\d+|\d+(?:\.\d+)?)"
AT_LINE_START = re.compile(rf"^{HEADING}(?=[.: ]|$)", re.MULTILINE)
EMPHASISED = re.compile(rf"\*{{1,2}}{HEADING}\.?\*{{1,2}}")


def numbered_items(paper, text):
    """Ids of the items whose headings a text prints."""
    heading = EMPHASISED if EMPHASISED.search(text) else AT_LINE_START
    return {
        f"{paper}.{PREFIX[m[1]]}_{m[2].replace('.', '_').lower()}" for m in heading.finditer(text)
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Theorem 4.2 (Gap).\nby Theorem 5.6 of\nLemma A.5 (Duchi).", {"p1.thm_4_2", "p1.lem_a_5"}),
        ("Table 1: Rates.\nAlgorithm 2 POKL\n Algorithm 3", {"p1.tab_1", "p1.alg_2"}),
        ("142 **Lemma A.10.** *x*\n*Claim C.1.*", {"p1.lem_a_10", "p1.claim_c_1"}),
        ("*Claim C.1.*\n*Proof of Theorem 4.1.*", {"p1.claim_c_1"}),
    ],
)  # fmt: skip
def test_headings_are_recognised(text, found):
    assert numbered_items("p1", text) == found


@pytest.mark.parametrize("paper", PAPERS)
def test_every_numbered_item_of_a_paper_is_listed_and_no_other(paper):
    if not TEXTS.is_dir():
        pytest.skip("the papers' texts are not part of the repository")
    (path,) = TEXTS.glob(PAPERS[paper])
    printed = numbered_items(paper, path.read_text(encoding="utf-8"))
    listed = {name for name in load().items if name.startswith(f"{paper}.") and counted(name)}
    assert listed == printed


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("{title: t, text: x, pages: nowhere}", "pages=nowhere: allowed: a list in brackets"),
        ("{title: t, text: x, slips: []}", "slips: allowed: keys and values"),
        *(
            (
                f"{{title: t, text: x, slips: {{s: {{place: p, suspected: s, grade: error, "
                f"corrected: c, evidence: [{evidence}]}}}}}}",
                'allowed: "experiment: check", ',
            )
            for evidence in ('"krr_thm_1:small"', "krr_thm_1: small", "krr_thm_1")
        ),
    ],
)
def test_a_mistake_in_a_statement_is_one_line(tmp_path, statement, line):
    file = tmp_path / "conf" / "papers" / "krr.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(f"title: t\nauthors: a\nstatements:\n  thm_1: {statement}\n")
    with pytest.raises(BadInput, match=r"^papers.krr.statements.thm_1.") as refused:
        read(file)
    assert line in str(refused.value)


SLIP = r"slips: {s: {place: p, grade: error, evidence: [], suspected: 'a', corrected: 'b'}}"


@pytest.mark.parametrize(
    ("statement", "key"),
    [
        (r"text: 'at $\tildee{p}$'", "text"),
        (r"text: t, stands: 'at $\tildee{p}$'", "stands"),
        (SLIP.replace("'a'", r"'at $\tildee{p}$'"), "slips.s.suspected"),
        (SLIP.replace("'b'", r"'at $\tildee{p}$'"), "slips.s.corrected"),
    ],
)
def test_a_mistyped_macro_is_refused_with_its_place(tmp_path, statement, key):
    file = tmp_path / "conf" / "papers" / "krr.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(f"title: t\nauthors: a\nstatements:\n  thm_1: {{title: t, {statement}}}\n")
    at = f"papers.krr.statements.thm_1.{key}"
    with pytest.raises(BadInput) as refused:
        read(file)
    line = rf"{at}=\tildee: unknown macro; did you mean \tilde? allowed"
    assert str(refused.value).startswith(line)


def test_every_macro_of_the_papers_is_known():
    texts = {name: item.text for name, item in load().items.items() if item.text}
    assert len(texts) > 100
    assert {name: unknown_macro(text) for name, text in texts.items() if unknown_macro(text)} == {}


def test_all_papers_together():
    assert sum(counted(name) for name in load().items) == 31 + 32 + 38 + 31


def test_what_holds_is_plain_text_without_its_full_stop():
    given = {"place": "p", "suspected": "a root is lost.", "grade": "constant"}
    slip = Slip.model_validate({**given, "corrected": r"$O(c(\varepsilon)^{2}/n)$."})
    assert (slip.suspected, slip.corrected) == ("a root is lost", "O(c(ε)²/n)")


@pytest.mark.parametrize(
    ("entry", "key"),
    [
        ("rests_on: [krr.thm_2]", "rests_on"),
        ("slips: {s: {place: p, suspected: a, grade: notation, also: [krr.thm_2], corrected: c}}",
         "slips.s.also"),
    ],
)  # fmt: skip
def test_a_statement_that_an_entry_names_is_there(tmp_path, entry, key):
    file = tmp_path / "conf" / "papers" / "krr.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(
        "title: t\nauthors: a\nstatements:\n"
        f"  abs_1: {{title: t, {entry}}}\n  thm_1: {{title: t}}\n"
    )
    with pytest.raises(BadInput) as refused:
        load(tmp_path)
    assert str(refused.value) == (
        f"krr.abs_1.{key}=krr.thm_2: no such statement; did you mean krr.thm_1?"
    )


def test_a_letter_in_latex_is_that_of_the_text_which_is_shown(tmp_path):
    file = tmp_path / "kbr.yaml"
    file.write_text(
        "title: t\nauthors: a\nstatements: {}\n"
        "letters: {\\varepsilon: one, $\\nu$: two, δ: three, d_T: four}\n"
    )
    assert read(file).letters == {"ε": "one", "ν": "two", "δ": "three", "d_T": "four"}
