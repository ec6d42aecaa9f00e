"""``repro suite stability``: checks that do not come out as pinned are counted and named."""

from types import SimpleNamespace

import pytest

from repro.commands import suite
from repro.commands.process.command import status_of
from repro.commands.runs import many_runs


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
