"""``repro suite stability``: checks that do not come out as pinned are counted and named."""

import pytest

from repro.commands import suite
from repro.commands.process.command import status_of


@pytest.mark.parametrize("word", ["seeds=0", "seeds=x", "budget=huge", "theorem=none", "sed=1"])
def test_bad_words_are_refused(word, capsys):
    assert status_of(suite.main, ["stability", word]) == 2
    assert capsys.readouterr().err.startswith(f"error: {word.partition('=')[0]}=")


def test_a_stable_experiment_ends_with_zero(tmp_path, capsys):
    words = ["seeds=2", "theorem=rdpo_identity", f"output_dir={tmp_path}"]
    assert status_of(suite.main, ["stability", *words]) == 0
    assert capsys.readouterr().out.startswith("0 of 4 checks")
