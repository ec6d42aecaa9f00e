"""What a reader asks of a statement: why, where it fails, what holds, what else is suspected."""

import pytest

from repro.catalogue import table
from repro.catalogue.answers import answers, experiments
from repro.catalogue.coverage import EXPERIMENT, REASON, StatementCoverage
from repro.catalogue.machine_checked import Checked
from repro.catalogue.papers import Catalogue, Item, Slip
from repro.catalogue.summaries import CheckSummary


def slip(grade, *evidence, at_hand=False, suspected="a slip"):
    return Slip(place="p", suspected=suspected, grade=grade, evidence=evidence, corrected="c",
                text_at_hand=at_hand)  # fmt: skip


def check(name, expected="contradicted"):
    return CheckSummary(name=name, claim="c", evidence="exact", expected=expected, statements=())


def row(*speaking, status=EXPERIMENT, proofs=(), **item):
    """The statement p1.thm_1, of checks by experiment."""
    expected = dict.fromkeys((slug for slug, _ in speaking), "contradicted")
    return StatementCoverage("p1.thm_1", Item(title="t", **item), status, expected, (),
                             tuple(proofs), speaking)  # fmt: skip


def asked(statement, **loose):
    """Answers, where the paper has other notes besides."""
    paper = {"title": "t", "authors": "a", "statements": {}}
    more = {f"p1.{name}": note for name, note in loose.items()}
    whole = Catalogue(items={"p1.thm_1": statement.item}, loose=more, papers={"p1": paper})  # type: ignore[arg-type]
    return answers(statement, whole)


PROOF = Checked(file="proofs/f.v", theorem="t", shows="contradicted", says="it is false")
PROVED = Checked(file="proofs/g.v", theorem="u", shows="supported", says="it is true")


def test_what_holds_is_the_worst_first_wherever_it_is_noted():
    own = {"own": slip("constant", "x: a"), "hand": slip("error", "x: a", at_hand=True)}
    found = asked(row(("x", check("a")), slips=own), far=slip("error", "x: a"))
    (hold,) = found.holds
    assert [note.grade for note in hold.slips] == ["error", "constant", "error"]
    assert [note.text_at_hand for note in hold.slips] == [False, False, True]
    assert hold.of == "p (error); p (constant); p (error, as in the text at hand)"
    assert found.others == ()
    same = asked(row(("x", check("a")), slips={"own": slip("error", "x: a", suspected="mine")}),
                 far=slip("error", "x: a"))  # fmt: skip
    assert same.why == "mine"


def test_others_are_its_own_and_those_of_its_evidence():
    statement = row(("x", check("a", "supported")), slips={"own": slip("notation")})
    found = asked(statement, near=slip("cleared", "x: a"), far=slip("cleared", "y: a"))
    assert [note.grade for note in found.others] == ["cleared", "notation"]
    assert (found.holds, found.why, found.command) == ((), "", "")
    elsewhere = slip("error", "y: a").model_copy(update={"also": ("p1.thm_1",)})
    assert elsewhere in asked(statement, elsewhere=elsewhere).others


def test_why_is_the_note_of_the_check_that_is_shown_else_a_proof_else_the_reason():
    checks = ("x", check("a")), ("x", check("b"))
    notes = {"one": slip("error", "x: a", suspected="of a"),
             "two": slip("constant", "x: b", suspected="of b")}  # fmt: skip
    assert asked(row(*checks, slips=notes)).why == "Of a"
    shown = row(*checks, slips=notes, counterexample_at=("only=b",))
    assert asked(shown).why == "Of b"
    assert asked(row(proofs=[PROVED, PROOF])).why == "It is false"
    assert asked(row(proofs=[PROVED])).why == ""
    assert asked(row(status=REASON, reason="no claim")).why == "No claim"
    assert asked(row(reason="no claim")).why == ""


def test_the_command_runs_the_check_that_fails():
    checks = ("x", check("a")), ("x", check("b")), ("y", check("c", "supported"))
    run = "python -m repro theorem=x only=a budget=smoke"
    assert asked(row(*checks)).command == run
    assert asked(row(*checks, slips={"one": slip("error", "x: b")})).command == (
        run.replace("only=a", "only=b")
    )
    at = ("only=b", "kl_weight=0.5")
    found = asked(row(*checks, counterexample_at=at, counterexample="n = 1"))
    assert found.command == "python -m repro theorem=x budget=smoke only=b kl_weight=0.5"
    assert found.counterexample == "n = 1"
    assert asked(row(*checks, counterexample_at=("n_pairs=1",))).command == f"{run} n_pairs=1"
    assert asked(row(proofs=[PROVED, PROOF])).command == "python proofs/verify.py proofs/f.v"


def test_what_contradicts_comes_first_and_what_says_nothing_last():
    checks = ("x", check("a", "supported")), ("y", check("b", "supported")), ("y", check("c"))
    statement = row(*checks)
    expected = {"none": "executed", **statement.expected}
    statement = StatementCoverage("p1.thm_1", statement.item, EXPERIMENT, expected, (), (), checks)
    found = [(slug, [one.name for one in own]) for slug, own in experiments(statement)]
    assert found == [("y", ["c"]), ("none", []), ("x", ["a"]), ("y", ["b"])]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (StatementCoverage("p1.tab_1", Item(title="t", reason="no claim"), REASON, {}, ()),
         "no claim"),
        (StatementCoverage("p1.thm_1", Item(title="t"), EXPERIMENT, {"x": "assumption_failed"},
                           ("later",), (PROOF, PROVED)),
         "x (assumption failed), later (to come), machine checked: proofs/f.v (t)"),
        (StatementCoverage("p1.fig_1", Item(title="t", substitute="a smaller one"), "substitute",
                           {"x": "substitute"}, ()),
         "x (substitute): a smaller one"),
    ],
)  # fmt: skip
def test_what_settles_it_is_in_the_table(statement, text):
    assert table._settled_by(statement) == text
