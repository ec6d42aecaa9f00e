"""``repro.run`` from Python."""

import pytest

import repro
from repro.base.errors import BadInput


@pytest.fixture(scope="module")
def done():
    return repro.run(
        "offline_gap",
        budget="smoke",
        seed=3,
        only=["n_pairs", "constant"],
        overrides=["budget.replicates=100"],
    )


def test_the_result_is_what_the_command_writes(done):
    assert done.verdict_json["seed"] == 3
    assert done.verdict == done.verdict_json["verdict"]
    assert set(done.measurements["check"]) == {c["name"] for c in done.verdict_json["checks"]}
    assert done.figure.axes


def test_nothing_is_written_by_default(monkeypatch, tmp_path, done):
    monkeypatch.chdir(tmp_path)
    again = repro.run(
        budget="smoke", seed=3, only=["n_pairs", "constant"], overrides=["budget.replicates=100"]
    )
    assert list(tmp_path.iterdir()) == []
    assert again.verdict_json == done.verdict_json


def test_a_top_level_epsilon_replaces_the_checks_own():
    few = ["budget.replicates=40"]
    done = repro.run(budget="smoke", epsilon=0.5, only=["n_pairs", "coverage"], overrides=few)
    settings = {c.check.name: c.check.settings["epsilon"] for c in done.result.checks}
    assert set(settings.values()) == {0.5}


@pytest.mark.parametrize(
    ("theorem", "values", "line"),
    [
        ("offline_gpa", {}, "did you mean offline_gap"),
        ("offline_gap", {"epsilon": -1}, "epsilon=-1"),
        ("offline_gap", {"epsilonn": 1}, "unknown key"),
    ],
)
def test_bad_input_is_an_ordinary_error(theorem, values, line):
    with pytest.raises(BadInput, match=line):
        repro.run(theorem, **values)


def test_unknown_attributes_are_missing():
    with pytest.raises(AttributeError):
        _ = repro.nothing
