"""No figure or table of a paper is supported by a model that the paper did not use."""

import pytest

from repro.catalogue import rows
from repro.catalogue.coverage import NOT_REPRODUCED, SUBSTITUTE
from repro.catalogue.entries import kind
from repro.core.worlds import put
from repro.study import plan
from repro.study.composition import compose_values
from repro.study.discovery import find
from repro.study.settings import session_of

PICTURED = {row.id: row for row in rows() if kind(row.id) in ("figure", "table")}
RUN = {name: row for name, row in PICTURED.items() if row.item.experiments}


@pytest.fixture(scope="module")
def substitutes(tmp_path_factory):
    """By statement, what each check on its default worlds has in the place of the paper's."""
    pytest.importorskip("transformers")
    found = {}
    for slug in sorted({slug for row in RUN.values() for slug in row.item.experiments}):
        values = compose_values(slug, {}, ["tracking=none"])
        values["output_dir"] = str(tmp_path_factory.mktemp("run"))
        experiment = plan.built(session_of(values).plan)
        for swept in experiment.swept:
            declared = experiment.declared(swept)
            for name in declared.statements:
                found.setdefault(name, []).append(declared.substitute)
    return found


def test_every_figure_and_table_has_a_status():
    without = {name for name, row in PICTURED.items() if row.item.reason}
    assert without == {"p4.tab_3", "p4.tab_4", "p4.tab_5"}  # hyperparameters: nothing is claimed
    told = {name for name, row in PICTURED.items() if row.status in (SUBSTITUTE, NOT_REPRODUCED)}
    assert told == {"p1.fig_1", "p1.tab_1", "p4.tab_1", "p4.tab_2"}


@pytest.mark.parametrize("name", sorted(RUN))
def test_another_model_has_a_few_sentences_and_no_verdict(name, substitutes):
    row, own = RUN[name], [not words for words in substitutes[name]]
    if all(own):
        assert not row.item.shown
        return
    assert row.status in (SUBSTITUTE, NOT_REPRODUCED)
    assert set(row.expected.values()) == {row.status}
    assert row.item.shown.count(". ") < 3
    assert "show" in row.item.shown


@pytest.mark.parametrize(
    ("slug", "given", "left"),
    [
        ("llm_ppkl", {"model.path": "meta-llama/Llama-3.2-1B-Instruct"},
         "generated pairs for Anthropic/hh-rlhf"),
        ("llm_ppkl", {"data.path": "Anthropic/hh-rlhf", "data.digest": "0",
                      "model.path": "meta-llama/Llama-3.2-1B-Instruct"}, ""),
        ("llm_rdpo", {"model.path": "openai-community/gpt2-large"},
         "generated pairs for pairs not published, a planted reward for llama3:70b"),
    ],
)  # fmt: skip
def test_what_stands_in_is_read_off_the_world(slug, given, left, tmp_path, monkeypatch):
    pytest.importorskip("transformers")
    monkeypatch.setattr("repro.llm.experiments.study._refuse_unreadable", lambda choice: None)
    values = compose_values(slug, {}, ["tracking=none"]) | {"output_dir": str(tmp_path)}
    (swept, *_) = plan.built(session_of(values).plan).swept
    world = put(swept.sweep.worlds[0], given)
    other = type(swept)(swept.check, type(swept.sweep)(**{**vars(swept.sweep), "worlds": (world,)}))
    assert find(slug).substitute_of(other) == left


def test_a_run_shows_the_status_and_not_the_verdict():
    from types import SimpleNamespace

    from repro.catalogue.answers import answers
    from repro.catalogue.papers import load
    from repro.catalogue.standing import standing
    from repro.report.html.statements import Known, statement
    from repro.report.results_page import results_page
    from repro.report.run_files import VerdictContent

    check = {
        "name": "table_1", "kind": "ratio", "verdict": "supported", "expected": "supported",
        "value": 0.05, "ci95": [0.04, 0.06], "claimed": 0.025, "direction": "at_least",
        "statements": ["p4.tab_1"], "substitute": "a random GPT-2 for gpt2-large",
    }  # fmt: skip
    verdict = VerdictContent.model_validate({
        "theorem": "llm_rdpo", "statements": ["p4.tab_1"], "verdict": "supported", "rows": [1, 1],
        "checks": [check], "controls": [], "seed": 0, "budget": "smoke",
    })  # fmt: skip
    folder = SimpleNamespace(name="llm_rdpo")
    run = SimpleNamespace(
        slug="llm_rdpo", part="", stale=False, changes=(), verdict=verdict, folder=folder
    )
    row, catalogue = RUN["p4.tab_1"], load()
    item = row.item
    known = Known(standing(row, catalogue), answers(row, catalogue))
    line = statement(row, known, {"llm_rdpo": run})
    assert (line.verdict, line.note) == ("substitute", item.substitute.removesuffix("."))
    page = results_page([run], {"p4": "P4"}, {"p4.tab_1": item}, {})
    assert "| p4.tab_1 (substitute) |" in page
    assert f"- p4.tab_1, *substitute*: {item.substitute}" in page
