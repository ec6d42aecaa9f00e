"""The verifier of proofs/: what it accepts, and everything that it has to refuse."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from repro.catalogue import machine_checked, papers

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "proofs"
_SPEC = importlib.util.spec_from_file_location("verify", FOLDER / "verify.py")
assert _SPEC
assert _SPEC.loader
verify = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(verify)

without_coq = pytest.mark.skipif(not shutil.which("coqc"), reason="not checked here: install coq")


def needs_coq(test):
    return pytest.mark.slow(without_coq(test))


FILES = sorted(FOLDER.glob("*.v"))

ABOVE = """Require Import Reals Lra.
Open Scope R_scope.
Definition halves : Prop := forall x : R, x / 2 + x / 2 = x.

"""
BELOW = "Theorem halves_holds : halves.\nProof. intros x; field. Qed.\n"


def written(folder: Path, below: str = BELOW, above: str = ABOVE) -> tuple[Path, dict]:
    """A small file, and its entry as if the statement ABOVE were registered."""
    path = folder / "small.v"
    path.write_text(above + verify.MARK + below, encoding="utf-8")
    return path, {"digest": verify.digest(ABOVE + verify.MARK), "theorems": {"halves": {}}}


def test_every_file_is_registered_and_says_what_is_registered():
    entries = verify.registered()
    assert {path.stem for path in FILES} == set(entries)
    for path in FILES:
        assert verify.digest(path.read_text(encoding="utf-8")) == entries[path.stem]["digest"]


def test_every_registered_statement_stands_above_the_line_and_is_proved_below():
    for name, entry in verify.registered().items():
        above, _, below = (FOLDER / f"{name}.v").read_text(encoding="utf-8").partition(verify.MARK)
        for theorem in entry["theorems"]:
            assert f"\nDefinition {theorem} : Prop :=" in above
            assert f"\nTheorem {theorem}_holds : {theorem}.\n" in below
            assert f"\nPrint Assumptions {theorem}_holds." in below


def test_the_project_lists_every_file():
    listed = (FOLDER / "_CoqProject").read_text(encoding="utf-8").split("\n")[1:]
    assert sorted(filter(None, listed)) == [path.name for path in FILES]


def test_at_least_25_statements_of_the_catalogue_are_machine_checked():
    assert len(machine_checked.by_statement(papers.load().theorems)) >= 25


@needs_coq
def test_a_proof_of_what_is_registered_is_accepted(tmp_path):
    assert verify.refusal(*written(tmp_path)) is None


@needs_coq
@pytest.mark.parametrize(
    ("below", "why"),
    [
        ("Theorem halves_holds : halves.\nAdmitted.\n", "Admitted in the text"),
        (f"Axiom oops : False.\n{BELOW}", "Axiom in the text"),
        (f"Parameter oops : False.\n{BELOW}", "Parameter in the text"),
        (f"Unset Guard Checking.\n{BELOW}", "Guard in the text"),
        (f'Notation "x / y" := x.\n{BELOW}', "Notation below the line"),
        (f"Module M.\n{BELOW}End M.\n", "Module below the line"),
        (f"Require Import Lia.\n{BELOW}", "Require below the line"),
        ("Theorem halves_holds : True.\nProof. exact I. Qed.\n", "Error"),
        ("Theorem halves_holds : halves.\nProof. intros x; lra.\n", "pending proofs"),
        ("Section S.\nHypothesis oops : False.\nTheorem halves_holds : halves.\n"
         "Proof. destruct oops. Qed.\nEnd S.\n", "Error"),
        ("Definition halves := True.\nTheorem halves_holds : halves.\nProof. exact I. Qed.\n",
         "already exists"),
    ],
)  # fmt: skip
def test_what_is_no_proof_is_refused(tmp_path, below, why):
    assert why in str(verify.refusal(*written(tmp_path, below)))


@needs_coq
def test_an_axiom_of_another_library_is_refused(tmp_path):
    above = ABOVE.replace("Lra.", "Lra ClassicalChoice.").replace(
        "halves : Prop := ", "halves : Prop := (exists f : R -> R, forall x, x = f x) /\\ "
    )
    below = (
        "Theorem halves_holds : halves.\nProof. split; [|intros x; field].\n"
        "  apply (choice (fun x y : R => x = y)); intros x; now exists x.\nQed.\n"
    )
    path, entry = written(tmp_path, below, above)
    entry["digest"] = verify.digest(path.read_text(encoding="utf-8"))
    assert "other axioms" in str(verify.refusal(path, entry))


def test_another_statement_is_refused(tmp_path):
    path, entry = written(tmp_path, above=ABOVE.replace("= x.", "= x \\/ True."))
    assert "another statement" in str(verify.refusal(path, entry))


def test_a_file_without_an_entry_or_without_the_line_is_refused(tmp_path):
    path, entry = written(tmp_path)
    assert verify.refusal(path, None) == "not in conf/papers"
    path.write_text(ABOVE + BELOW, encoding="utf-8")
    assert "no line" in str(verify.refusal(path, entry))


@pytest.mark.parametrize("words", [["nope.v"], ["--digest", "nope.v"], ["--digest", "bare.v"]])
def test_what_cannot_be_read_is_one_line(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare.v").write_text("Lemma a : True.\n")
    assert verify.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: FILE={words[-1]}: ")
    assert err.count("\n") == 1


def test_without_coq_it_says_so(monkeypatch, capsys):
    monkeypatch.setattr(verify.shutil, "which", lambda _: None)
    assert verify.main([]) == 3
    assert "install coq" in capsys.readouterr().out


FALSE = [
    # file, text of its statement, what makes it false: a constant too small, or too large
    ("own_affinity_lemma_2", "8 * W B eps", "4 * W B eps"),
    ("own_fisher_information", "kappa eps * / slope x ^ 2", "2 * kappa eps * / slope x ^ 2"),
    ("own_sharper_floor_lemma_1", "gamma B * (exp t - 1)", "gamma B * t"),
    ("own_sharper_floor_lemma_1", "exists m t, xi <= m", "exists m t, 2 * xi <= m"),
    ("own_two_point_floor", "m * s / (2 * c eps)", "m * s / (4 * c eps)"),
    ("p1_abstract_in_epsilon_false", "7 / 8 <= prob", "1 / 8 <= prob"),
    ("p1_algorithm_2_linear_regret", "(INR T - 1) * B / 2", "(INR T - 1) * B * 2"),
    ("p1_algorithm_2_linear_regret", "delta < (1 - p B alpha) / 4", "delta < 1"),
    ("p1_definition_3_2_false", "-> d = 0", "-> d = 1"),
    ("p1_equation_15_false", "least_slope B ^ 2 * (x - y) ^ 2", "least_slope B * (x - y) ^ 2"),
    ("p1_equation_15_false", "least_slope B / 8", "least_slope B ^ 2 / 8"),
    ("p1_lemma_C_4_false", "1 - w B eps / 2", "1 - w B eps"),
    ("p1_lemma_A_4", "b ^ 2 + 2 * a", "b ^ 2 + a"),
    ("p1_lemma_A_7", "ref s a * exp (beta * r s a)", "ref s a * exp (2 * beta * r s a)"),
    ("p1_lemma_A_8", "/ (2 * (2 * alpha - 1))", "/ (4 * (2 * alpha - 1))"),
    ("p1_lemma_C_1", "(2 * alpha - 1) *", "(2 * alpha) *"),
    ("p1_remark_4_4", "4 * / (exp eps", "5 * / (exp eps"),
    ("p4_theorem_6_3_false", "C <= exp (m - beta * B)", "C <= exp (2 * m)"),
    ("p4_theorem_6_3_false", "(1 / 2) (sigma eps) B B", "(1 / 2) (sigma eps) B 0"),
    ("p4_theorem_6_3_gamma", "exp (- (3 * (beta * B)))", "exp (- (4 * (beta * B)))"),
    ("p1_p2_p4_randomised_response", "= / c eps * tv", "= / c eps / 2 * tv"),
    ("p1_theorem_4_2_factor_false", "(K * / B * exp B /", "(K * / B * exp B ^ 2 /"),
    ("p2_propositions_E_1_E_2_false", "/ (2 * beta", "/ (beta / 9"),
    ("p2_remark_5_1_false", "zeta o eps * alpha)", "zeta o eps * 1)"),
    ("p2_theorems_4_8_5_3_small_rewards", "(V_max + R_max) * exp", "1 * exp"),
    ("p3_lemma_A_10_false", "exp (2 * L * B)", "exp (2 * L)"),
    ("p3_lemma_A_7_false", "(64 * ln", "(6400 * ln"),
    ("p4_proposition_4_6_false", "sqrt 3 / sqrt 2 * sqrt K", "2 * sqrt 3 / sqrt 2 * sqrt K"),
    ("p4_proposition_4_6_false", "sqrt (K / 2)", "sqrt (K / 4)"),
]  # fmt: skip


def test_every_file_has_a_false_twin():
    assert {name for name, _, _ in FALSE} == {path.stem for path in FILES}


@needs_coq
@pytest.mark.parametrize(("name", "old", "new"), FALSE)
def test_a_false_statement_is_refused(tmp_path, name, old, new):
    text = (FOLDER / f"{name}.v").read_text(encoding="utf-8")
    above, mark, below = text.partition(verify.MARK)
    head, comment_end, definitions = above.partition("*)")
    assert old in definitions
    path = tmp_path / f"{name}.v"
    changed = head + comment_end + definitions.replace(old, new) + mark + below
    path.write_text(changed, encoding="utf-8")
    entry = verify.registered()[name] | {"digest": verify.digest(changed)}
    complaint = str(verify.refusal(path, entry))
    assert complaint.startswith("Error")
    assert "Syntax" not in complaint
    assert "was not found" not in complaint
