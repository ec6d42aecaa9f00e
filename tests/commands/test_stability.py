"""``repro suite stability``: checks that do not come out as pinned are counted and named."""

from types import SimpleNamespace

import pytest

from repro.commands import suite
from repro.commands.process.command import status_of
from repro.commands.runs.stability import Unstable, printed_lines, summed


def run(seed, control="contradicted", **verdicts):
    """A result with checks pinned as supported, each with one control."""
    controls = (SimpleNamespace(method="no_labels", verdict=control),)
    checks = [
        SimpleNamespace(
            check=SimpleNamespace(name=name, expected="supported"),
            verdict=verdict,
            controls=controls,
        )
        for name, verdict in verdicts.items()
    ]
    pinned = set(verdicts.values()) == {"supported"} and control == "contradicted"
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
    assert (found.runs, found.checks) == (4, 7)
    assert found.unstable == (
        Unstable("one", "b", (("contradicted", 1), ("inconclusive", 1)), 2, 3),
    )
    assert found.failed_runs == (("one", 1), ("one", 2))


def test_the_lines_name_the_row_with_the_interval_of_its_frequency():
    check, *seeds, total = printed_lines(summed(RUNS)).splitlines()
    assert seeds == [f"one seed={seed} did not end as recorded" for seed in (1, 2)]
    assert check == "one b: 2 of 3 (0.094 to 0.99): contradicted 1×, inconclusive 1×"
    assert total.startswith("2 of 7 checks not as recorded (28.57%, 95 % 3.67% to")
    assert total.endswith("; 2 of 4 runs")


def test_a_control_that_is_not_caught_counts_and_is_named():
    """The check's own verdict may be right: the run still ends with 1."""
    found = summed({"one": [run(0, a="supported"), run(1, control="inconclusive", a="supported")]})
    assert printed_lines(found).splitlines()[0].endswith(": control no_labels not rejected 1×")
    assert found.failed_runs == (("one", 1),)


@pytest.mark.parametrize("word", ["seeds=0", "seeds=x", "budget=huge", "theorem=none", "sed=1"])
def test_bad_words_are_refused(word, capsys):
    assert status_of(suite.main, ["stability", word]) == 2
    assert capsys.readouterr().err.startswith(f"error: {word.partition('=')[0]}=")


def test_a_stable_experiment_ends_with_zero(tmp_path, capsys):
    words = ["seeds=2", "theorem=rdpo_identity", f"output_dir={tmp_path}"]
    assert status_of(suite.main, ["stability", *words]) == 0
    assert capsys.readouterr().out.startswith("0 of 4 checks")
