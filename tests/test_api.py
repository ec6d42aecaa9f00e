"""``repro.run`` from Python."""

import importlib
import inspect
from pathlib import Path

import pytest

import repro
from repro.base.errors import BadInput
from repro.study.discovery import find


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


def test_a_prompt_shows_at_most_ten_lines_and_failures_first(done):
    lines = repr(done).splitlines()
    assert lines[0].startswith("offline_gap: ")
    every = len(find("offline_gap").checks)
    assert f"2 of {every} checks" in lines[0]
    assert any("n_pairs: " in line and "claimed slope -1 ± 0.05" in line for line in lines)
    assert len(lines) <= 10


def test_a_notebook_shows_verdict_table_and_figure(done):
    page = done._repr_html_()
    assert page.count("<tr>") == 1 + 2
    assert "slope -1 ± 0.05" in page
    assert 'src="data:image/png;base64,' in page


def test_what_the_package_offers_is_listed_and_typed():
    assert set(dir(repro)) == {
        "audit", "catalogue", "plan", "private_reward", "privatize", "run", "which_loss",
        "__version__",
    }  # fmt: skip
    assert repro.catalogue.__doc__.startswith("Every numbered statement")
    assert {"p1.thm_4_2", "p2.thm_5_2"} <= {row.id for row in repro.catalogue.rows()}
    assert Path(repro.__path__[0], "py.typed").is_file()


@pytest.mark.parametrize("name", ["run", "plan", "which_loss"])
def test_functions_stay_functions(name):
    """The commands of the same names are modules, and an import of one would hide the function."""
    if name != "run":
        with pytest.raises(ImportError, match=f"python -m repro.{name} is its command"):
            importlib.import_module(f"repro.{name}")
    found = getattr(repro, name)
    assert inspect.isfunction(found)
    assert inspect.signature(found, eval_str=True).return_annotation.__doc__


def test_a_check_has_its_verdict(done):
    assert {c.verdict for c in done.result.checks} == {"supported"}
