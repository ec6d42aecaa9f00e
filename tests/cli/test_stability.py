"""``repro.suite stability``: rows that do not come out as pinned are counted and named."""

from types import SimpleNamespace

import pytest

from repro import suite
from repro.stability import Unstable, summed, told


def run(seed, **verdicts):
    """A result with rows pinned as supported."""
    checks = [
        SimpleNamespace(
            check=SimpleNamespace(name=name, expected="supported"),
            outcome=SimpleNamespace(verdict=verdict),
        )
        for name, verdict in verdicts.items()
    ]
    pinned = set(verdicts.values()) == {"supported"}
    return SimpleNamespace(seed=seed, checks=checks, as_expected=pinned)


RUNS = {
    "one": [
        run(0, a="supported", b="supported"),
        run(1, a="supported", b="inconclusive"),
        run(2, a="supported", b="contradicted"),
    ],
    "two": [run(0, c="supported")],
}


def test_rows_that_fail_are_counted_by_verdict():
    found = summed(RUNS)
    assert (found.runs, found.rows) == (4, 7)
    assert found.unstable == (Unstable("one", "b", (("contradicted", 1), ("inconclusive", 1)), 3),)
    assert found.failed_runs == (("one", 1), ("one", 2))


def test_the_lines_name_the_row_with_the_interval_of_its_frequency():
    row, total = told(summed(RUNS)).splitlines()
    assert row == "one b: 2 of 3 (0.094 to 0.99): contradicted 1×, inconclusive 1×"
    assert total.startswith("2 of 7 row verdicts are not the pinned ones (28.57%, 95 % 3.67% to")
    assert total.endswith("; 2 of 4 runs")


@pytest.mark.parametrize("word", ["seeds=0", "seeds=x", "budget=huge", "theorem=none", "sed=1"])
def test_bad_words_are_refused(word, capsys):
    assert suite.main(["stability", word]) == 2
    assert capsys.readouterr().err.startswith(f"error: {word.partition('=')[0]}=")


def test_a_stable_experiment_ends_with_zero(tmp_path, capsys):
    words = ["seeds=2", "theorem=rdpo_identity", f"output_dir={tmp_path}"]
    assert suite.main(["stability", *words]) == 0
    assert capsys.readouterr().out.startswith("0 of 4 row verdicts")
