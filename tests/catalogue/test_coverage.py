"""The catalogue against the experiments there are, and its checks against planted faults."""

import pytest

from repro.catalogue.coverage import MISSING, completed, evidence_problems, problems, rows
from repro.catalogue.papers import Catalogue, load
from repro.catalogue.summaries import CheckSummary, TheoremSummary, summaries
from repro.study.discovery import find, slugs

ITEMS = {
    "p1.thm_4_2": {"title": "t", "experiments": ["offline_gap"]},
    "p1.alg_1": {"title": "t"},
    "p1.tab_1": {"title": "t", "reason": "no statement"},
}


def claiming(*statements, expected="supported"):
    """The summary of an experiment with one check."""
    check = CheckSummary(
        name="c", claim="c", evidence="exact", expected=expected, statements=statements
    )
    return TheoremSummary(title="t of it", checks=(check,))


EXISTING = {"offline_gap": claiming("p1.thm_4_2", expected="contradicted")}


def catalogue(**more):
    return Catalogue(items={**ITEMS, **more})  # type: ignore[arg-type]


WITH_REASON = {"offline_gap": claiming("p1.thm_4_2", "p1.tab_1")}


def with_evidence(evidence):
    slip = {"place": "p", "suspected": "s", "grade": "error", "corrected": "c"}
    slips = {"p1.x": {**slip, "evidence": [evidence]}}
    paper = {"title": "t", "authors": "a", "statements": {}}
    return Catalogue(items=ITEMS, loose=slips, papers={"p1": paper})  # type: ignore[arg-type]


def test_the_catalogue_is_sound():
    existing = summaries()
    assert problems(completed(load(), existing), existing) == []


def test_an_experiment_needs_no_entry_for_its_own_statement_and_joins_a_printed_one():
    existing = {"lower_bound": claiming("own.x", "p1.thm_4_2", "p1.tab_1", "p1.thm_9_9")}
    found = completed(catalogue(), existing).items
    assert found["own.x"].title == "t of it"
    assert found["own.x"].experiments == ("lower_bound",)
    assert found["p1.thm_4_2"].experiments == ("offline_gap", "lower_bound")
    assert found["p1.tab_1"].experiments == ("lower_bound",)
    assert "p1.thm_9_9" not in found


def test_an_own_statement_of_some_checks_is_titled_by_their_claims():
    (one,) = claiming("own.x").checks
    printed = one.model_copy(update={"name": "d", "claim": "d", "statements": ("p1.thm_4_2",)})
    other = one.model_copy(update={"name": "e", "claim": "e"})
    mine = TheoremSummary(title="P1 Theorem 4.2: cost", checks=(one, printed, other))
    assert completed(catalogue(), {"mine": mine}).items["own.x"].title == "c; e"


def test_a_sound_small_catalogue_has_no_problems():
    assert problems(catalogue(), EXISTING) == []


@pytest.mark.parametrize(
    ("faulty", "existing", "complaint"),
    [
        (catalogue(**{"p1.alg_2": {"title": "t", "experiments": ["gone"]}}), EXISTING,
         "no such experiment"),
        (catalogue(), {**EXISTING, "new": claiming()}, "new: no statement names it"),
        (catalogue(), {"offline_gap": claiming("p1.thm_9_9")},
         "p1.thm_9_9 is not in the catalogue; write"),
        (catalogue(), {"offline_gap": claiming("p1.tab_1")}, "does not list it under p1.tab_1"),
        (completed(catalogue(), WITH_REASON), WITH_REASON,
         "offline_gap: settles p1.tab_1; remove its reason from"),
        (with_evidence("offline_gap: d"), EXISTING, "p1.x: no such evidence: offline_gap: d"),
        (catalogue(**{"p1.thm_4_2": {**ITEMS["p1.thm_4_2"], "counterexample_at": ["only=d"]}}),
         EXISTING, "p1.thm_4_2: counterexample_at: no such check: d; allowed: c"),
        (with_evidence("gone: c"), EXISTING, "p1.x: no such evidence: gone: c"),
    ],
)  # fmt: skip
def test_faults_are_found(faulty, existing, complaint):
    found = problems(faulty, existing)
    assert any(complaint in line for line in found), found


def test_an_experiment_that_exists_and_was_not_run_is_no_fault():
    entry = {"p1.alg_2": {"title": "t", "experiments": ["mine"]}}
    assert problems(catalogue(**entry), EXISTING, ["mine"]) == []
    row = next(row for row in rows(catalogue(**entry), EXISTING) if row.id == "p1.alg_2")
    assert (row.status, row.missing) == ("no experiment yet", ("mine",))


@pytest.mark.parametrize("part", [{"part": ("c",)}, {"stale": "old"}])
def test_evidence_of_checks_that_are_not_all_known_is_no_fault(part):
    whole = claiming("p1.thm_4_2")
    mine = whole.model_copy(update=part if "part" in part else {
        "checks": tuple(check.model_copy(update=part) for check in whole.checks)
    })  # fmt: skip
    existing = {**EXISTING, "mine": mine}
    listed = with_evidence("mine: gone")
    items = completed(listed, existing)
    assert problems(items, existing) == []
    line = "p1.x: no such evidence: mine: gone; allowed: c"
    assert problems(items, {**existing, "mine": whole}) == [line]
    unread = with_evidence("unread: gone")
    assert problems(unread, EXISTING, ["unread"]) == []
    asked = [*evidence_problems(items, existing, (), {"p1.x"})]
    earlier = "p1.x: no such evidence: mine: gone in its last run, of earlier code; allowed: c"
    assert asked == ([] if "part" in part else [earlier])


def test_a_statement_is_measured_in_part_where_nothing_else_is_there():
    part = claiming("p1.thm_4_2").model_copy(update={"part": ("c", "d")})
    entry = {"p1.alg_1": {"title": "t", "experiments": ["mine"]},
             "p1.thm_4_2": {"title": "t", "experiments": ["offline_gap", "mine"]}}  # fmt: skip
    found = {row.id: row for row in rows(catalogue(**entry), {**EXISTING, "mine": part})}
    assert (found["p1.alg_1"].status, found["p1.alg_1"].in_part) == (
        "measured in part", {"mine": ("c", "d")}
    )  # fmt: skip
    assert found["p1.alg_1"].expected == {"mine": "measured in part"}
    assert found["p1.thm_4_2"].status == "experiment"
    reason = {"p1.tab_1": {"title": "t", "reason": "none"}}
    both = completed(catalogue(**reason), {"offline_gap": claiming("p1.tab_1")})
    (settled,) = [row for row in rows(both, WITH_REASON) if row.id == "p1.tab_1"]
    assert settled.status == "experiment"


def test_status_is_computed():
    found = {row.id: row.status for row in rows(catalogue(), EXISTING)}
    assert found == {
        "p1.thm_4_2": "experiment", "p1.alg_1": "no experiment yet", "p1.tab_1": "reason",
    }  # fmt: skip


def test_no_verdict_stands_where_another_model_was_run():
    """Shown is what the other model says; supported or contradicted it is by the paper's alone."""
    entries = {
        "p1.tab_1": {"title": "t", "experiments": ["offline_gap"], "substitute": "a smaller one"},
        "p4.tab_1": {"title": "t", "experiments": ["offline_gap"], "not_reproduced": "no PPO"},
        "p1.fig_1": {"title": "t", "not_reproduced": "no PPO"},
    }
    found = {row.id: row for row in rows(catalogue(**entries), EXISTING)}
    assert {name: found[name].status for name in entries} == {
        "p1.tab_1": "substitute", "p4.tab_1": "not_reproduced", "p1.fig_1": "not_reproduced",
    }  # fmt: skip
    assert found["p1.tab_1"].expected == {"offline_gap": "substitute"}
    assert found["p4.tab_1"].expected == {"offline_gap": "not_reproduced"}
    assert found["p1.tab_1"].plain()["shown"] == "a smaller one"


SUMMARIES = summaries()
ALL = completed(load(), SUMMARIES)


@pytest.mark.parametrize(
    ("slug", "statement", "verdict"),
    [
        ("offline_gap", "p1.thm_4_2", "contradicted"),
        ("lower_bound", "p1.thm_4_5", "contradicted"),
        ("lower_bound", "p1.abs_1", "supported"),
        ("lower_bound", "own.abstract_at_every_epsilon", "contradicted"),
        ("covariance_lemmas", "p3.lem_a_3", "supported"),
        ("covariance_lemmas", "p3.lem_a_8", "contradicted"),
        ("offline_gap", "p1.def_3_2", "executed"),
    ],
)
def test_a_statement_has_the_worst_pinned_verdict_of_its_own_checks(slug, statement, verdict):
    row = next(row for row in rows(ALL, SUMMARIES) if row.id == statement)
    assert row.expected[slug] == verdict


def test_every_statement_of_a_shipped_paper_has_an_experiment_or_a_reason():
    assert [row.id for row in rows(ALL, SUMMARIES) if row.status == MISSING] == []


def test_a_row_as_json():
    (row, *_) = rows(catalogue(), EXISTING)
    plain = row.plain()
    assert plain.pop("machine_checked") == []
    assert plain == {
        "id": "p1.thm_4_2", "paper": "p1", "kind": "theorem", "number": "4.2", "counted": True,
        "title": "t", "status": "experiment", "experiments": ["offline_gap"],
        "expected": {"offline_gap": "contradicted"}, "came_out": {}, "reason": None, "shown": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "algorithms"),
    [
        ("p4.thm_5_4", {"algorithm_1", "of_the_labels", "worst_mass", "end"}),
        ("p4.thm_6_1", {"algorithm_1", "algorithm_2"}),
        ("p4.thm_6_3", {"rdpo"}),
        ("p2.thm_5_2", {"square_chipo", "knows_alpha"}),
        ("p2.thm_5_3", {"square_xpo", "printed_sign"}),
    ],
)
def test_a_theorem_is_settled_by_checks_of_its_own_algorithm(statement, algorithms):
    """knows_alpha is SquareχPO at its own β, worst_mass Algorithm 1 in the worst cell."""
    checks = [
        check
        for theorem in map(find, slugs())
        for check in theorem.checks
        if statement in theorem.statements_of(check)
    ]
    assert checks
    assert {check.right.__name__ for check in checks} <= algorithms
    assert "computed" not in {check.quantity.evidence for check in checks}
