"""``seeds=N`` of the tools that run language models: taken, or refused in one line."""

import pytest

from repro.base.errors import BadInput
from tools import seeds


@pytest.mark.parametrize(("words", "count"), [([], 20), (["seeds=2"], 2), (["seeds=40"], 40)])
def test_a_number_of_seeds_is_taken(words, count):
    assert seeds.seeds_asked(words, 20) == count


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["seeds=1"], "seeds=1: allowed: a whole number from 2 on"),
        (["seeds=x"], "seeds=x: allowed: a whole number from 2 on"),
        (["seeds=²"], "seeds=²: allowed: a whole number from 2 on"),
        (["seeds"], "seeds: allowed: a whole number from 2 on"),
        (["sed=3"], "sed=3: allowed: seeds=N, 20 if left out"),
        (["seeds=3", "seeds=4"], "seeds=4: allowed: seeds=N, 20 if left out"),
    ],
)
def test_another_word_is_refused_in_one_line_and_with_status_2(words, line, monkeypatch, capsys):
    with pytest.raises(BadInput, match=f"^{line}$"):
        seeds.seeds_asked(words, 20)
    monkeypatch.setattr("sys.argv", ["tool", *words])
    assert seeds.status_of(lambda given: print(seeds.seeds_asked(given, 20))) == 2
    assert capsys.readouterr() == ("", f"error: {line}\n")
