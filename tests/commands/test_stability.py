"""``repro suite stability``: checks that do not come out as pinned are counted and named."""

from types import SimpleNamespace

import pytest

from repro.base.errors import BadInput
from repro.commands import suite
from repro.commands.new_theorem import main as new_theorem
from repro.commands.process.command import status_of
from repro.commands.runs import many_runs
from repro.commands.runs.power import PowerRequest


@pytest.mark.parametrize("word", ["seeds=0", "seeds=x", "budget=huge", "theorem=none", "sed=1"])
def test_bad_words_are_refused(word, capsys):
    assert status_of(suite.main, ["stability", word]) == 2
    assert capsys.readouterr().err.startswith(f"error: {word.partition('=')[0]}=")


def test_a_stable_experiment_ends_with_zero(tmp_path, capsys):
    words = ["seeds=2", "theorem=rdpo_identity", f"output_dir={tmp_path}"]
    assert status_of(suite.main, ["stability", *words]) == 0
    assert capsys.readouterr().out.startswith("0 of 4 checks")


def test_each_seed_is_run_at_that_seed(monkeypatch, tmp_path):
    monkeypatch.setattr(
        many_runs, "execute", lambda session, progress: SimpleNamespace(result=None)
    )
    request = many_runs.ManyRuns(output_dir=str(tmp_path))
    runs = request.at_seeds("kl_contraction", [3, 5], budget="smoke")
    assert [session.plan.seed for session, _ in runs] == [3, 5]


def test_without_a_name_the_experiments_are_those_of_the_folder(tmp_path, monkeypatch):
    """Where it has none they are all that need no extra, and no shipped config is written."""
    monkeypatch.chdir(tmp_path)
    everything = many_runs.ManyRuns().theorems()
    assert "offline_gap" in everything
    assert not any(name.startswith("llm_") for name in everything)
    with pytest.raises(BadInput, match=r"write=true: allowed: theorem=NAME, or a folder"):
        PowerRequest(write=True).theorems()
    assert PowerRequest(write=True, theorem="offline_gap").theorems() == ["offline_gap"]
    assert new_theorem(["mine"], tmp_path) == 0
    assert PowerRequest(write=True).theorems() == ["mine"]
    assert many_runs.ManyRuns(theorem="glob(*_gap)").theorems() != ["mine"]
