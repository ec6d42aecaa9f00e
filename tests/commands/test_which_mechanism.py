"""``python -m repro which_mechanism``: an answer with a reason, one line for what is refused."""

import re
from collections import defaultdict

import pytest

from repro.base.places import PACKAGE
from repro.base.words import split_words
from repro.commands import private_reward
from repro.commands import which_mechanism as mechanism_choice
from repro.commands.process.command import status_of
from repro.p3.private_estimates import linearised_errors
from repro.p3.private_estimates.comparison import (
    EVEN,
    OBJECTIVE,
    compared,
    errors_by_bound,
)
from repro.p3.private_estimates.linearised_errors import MechanismBudget

ASKED = ["epsilon=1", "delta=1e-6", "n_pairs=1e5", "num_features=16", "replicates=40"]
HOWTO = " ".join(
    (PACKAGE.parent / "docs" / "howto" / "private_reward.md").read_text(encoding="utf-8").split()
)
README = ["epsilon=4", "delta=1e-6", "n_pairs=2000", "num_features=16", "reward_bound=5"]


@pytest.mark.parametrize("words", [ASKED[:-1], README, [*README[:1], "delta=1e-3", *README[2:]]])
def test_the_answer_is_short_and_ends_with_the_next_command(capsys, words):
    assert status_of(mechanism_choice.main, [*words, "replicates=20"]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= 20
    assert max(map(len, out.splitlines())) <= 80
    following = out[out.index("\nnext: repro private_reward ") :].replace("\\\n", "").split()
    (pairs, out), options = split_words(following[3:], private_reward.KEYS, ("PAIRS", "OUT"))
    assert (pairs, out) == ("PAIRS", "OUT.json")
    private_reward._terms(options).refuse()
    given = dict(word.split("=") for word in words)
    same = ("epsilon", "num_features", "delta")
    assert all(float(options[key]) == float(given[key]) for key in same)


def test_a_bound_below_the_truth_leaves_what_no_label_removes():
    """Of |θ*| = 1.8 in the ball of radius 0.5 an error of 1.3 remains, times |x| = 0.5 over √d."""
    by_bound = errors_by_bound(MechanismBudget(1.0, 1e-6, 2.0), 10**8, 4, 20, 0)
    assert list(by_bound) == [0.5, 1.0, 2.0, 4.0, 8.0]
    assert by_bound[0.5][EVEN] == pytest.approx(1.3 / 4, rel=0.01)
    assert by_bound[1.0][EVEN] == pytest.approx(0.8 / 4, rel=0.01)
    assert max(by_bound[2.0][EVEN], by_bound[8.0][EVEN]) < 0.01
    assert list(errors_by_bound(MechanismBudget(1, 1e-6, 20), 10, 1, 20, 0)) == [5, 10, 20]


def test_a_bound_above_the_truth_changes_the_error_by_as_much_as_the_howto_says():
    """ε of 1, 4 and 8 and 500 to 1e6 pairs of 16 features, on both worlds."""
    ratios = defaultdict(list)
    for epsilon in (1.0, 4.0, 8.0):
        for n_pairs in (500, 1000, 2000, 4000, 10**4, 10**5, 10**6):
            by_bound = errors_by_bound(MechanismBudget(epsilon, 1e-6, 5.0), n_pairs, 16, 200, 0)
            for bound, errors in by_bound.items():
                ratios[bound / 5] += [errors[world] / by_bound[5][world] for world in errors]
    assert f"{min(ratios[2]):.1f} to {max(ratios[2]):.1f} times the error" in HOWTO
    assert f"{min(ratios[4]):.1f} to {max(ratios[4]):.1f} times" in HOWTO
    assert f"{min(ratios[0.25]):.0f} to {max(ratios[0.25]):.0f} times" in HOWTO


def test_the_answer_has_the_error_of_the_command_that_runs():
    """On the ridge that knows the world the error is smaller."""
    asked = {"delta": 1e-6, "n_pairs": 2000, "num_features": 16, "reward_bound": 5}
    answer = mechanism_choice.which_mechanism(epsilon=4, **asked)
    said = " ".join(repr(answer).split())
    shares = [errors / answer.worlds[world].of_zero for world, errors in answer.by_bound[5].items()]
    assert f"repro private_reward {shares[0]:.2g} {shares[1]:.2g} without" in said
    assert all(answer.tuned[world] < answer.by_bound[5][world] for world in answer.tuned)
    assert said.startswith(f"{OBJECTIVE}, which repro private_reward runs: it learns the reward if")


@pytest.mark.parametrize("n_pairs", [40, 1000, 2500, 3000])
def test_how_many_pairs_would_do_does_not_depend_on_how_many_there_are(n_pairs):
    asked = {"epsilon": 4, "delta": 1e-6, "num_features": 16, "reward_bound": 5}
    answer = mechanism_choice.which_mechanism(n_pairs=n_pairs, **asked)
    assert answer.enough_pairs == 4000
    assert "; about 4000 pairs would do" in " ".join(repr(answer).split())
    assert answer.learns == (n_pairs > 1000)
    assert repr(answer).startswith("none: ") == (n_pairs <= 1000)


def test_with_enough_pairs_nothing_is_said_of_more():
    asked = {"epsilon": 4, "delta": 1e-6, "num_features": 16, "reward_bound": 5}
    answer = mechanism_choice.which_mechanism(n_pairs=4000, **asked)
    first = f"{OBJECTIVE}, which repro private_reward runs: it learns the reward\n"
    assert repr(answer).startswith(first)
    assert answer.enough_pairs is None


def test_verbose_answers_with_a_reason(capsys):
    assert status_of(mechanism_choice.main, [*ASKED, "verbose=true"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        lines[0] == "objective perturbation, which repro private_reward runs: it learns the reward"
    )
    assert any(line.startswith("why: its noise is added once") for line in lines)
    assert sum("private by" in line or "shift" in line for line in lines) == 3
    assert max(map(len, lines)) <= 80


def test_a_mechanism_that_no_command_runs_is_compared_in_full_or_not_named(capsys):
    few = ["epsilon=0.1", "delta=1e-6", "n_pairs=1e5", "num_features=4", "replicates=40"]
    assert status_of(mechanism_choice.main, few) == 0
    assert "descent" not in capsys.readouterr().out
    assert status_of(mechanism_choice.main, [*few, "verbose=true"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "by the rule gradient descent is best" in said
    assert "gradient descent: begin at theta = 0; " in said
    hopeless = ["delta=1e-6", "n_pairs=10", "num_features=64", "replicates=40"]
    assert status_of(mechanism_choice.main, ["epsilon=0.1", *hopeless]) == 0
    assert capsys.readouterr().out.startswith("none: with so few pairs")


@pytest.mark.parametrize(("delta", "warned"), [("1e-3", True), ("9e-4", False)])
def test_a_delta_of_one_over_n_is_warned_of(delta, warned, capsys):
    asked = ["epsilon=1", "n_pairs=1000", "num_features=4", "replicates=20", f"delta={delta}"]
    assert status_of(mechanism_choice.main, asked) == 0
    assert ("warning: delta=0.001 is hardly private" in capsys.readouterr().out) == warned


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("epsilon=0", "epsilon=0: too small; allowed: 1e-6 to 100"),
        ("epsilon=-1", "epsilon=-1: too small; allowed: 1e-6"),
        ("epsilon=inf", "epsilon=inf: too large; allowed: 1e-6 to 100"),
        ("delta=0", "delta=0: allowed: greater than"),
        ("delta=1", "delta=1: allowed: less than"),
        ("n_pairs=0.5", "n_pairs=0.5: allowed: a whole number"),
        ("n_pairs=0", "n_pairs=0: allowed: greater than or equal to 1"),
        ("num_features=0", "num_features=0: allowed: greater than or equal to 1"),
        ("adjacency=swap", "adjacency=swap: allowed: 'replace' or 'add_remove'"),
        ("folder=x", "epsilon=1: allowed: without folder="),
        ("eps=1", "eps=1: unknown key; "),
    ],
)
def test_what_is_refused_is_one_line_and_status_2(capsys, monkeypatch, tmp_path, word, line):
    monkeypatch.chdir(tmp_path)
    key = word.partition("=")[0]
    words = [one for one in ASKED if one.partition("=")[0] != key]
    assert status_of(mechanism_choice.main, [*words, word]) == 2
    found = capsys.readouterr()
    assert found.err.startswith(f"error: {line}")
    assert found.err.count("\n") == 1
    assert found.out == ""
    assert list(tmp_path.iterdir()) == []


def test_every_number_is_required(capsys):
    assert status_of(mechanism_choice.main, ASKED[1:]) == 2
    assert capsys.readouterr().err.startswith("error: epsilon=(missing): a value is required")


def test_the_table_is_written(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(mechanism_choice, "EPSILONS", (1.0,))
    monkeypatch.setattr(mechanism_choice, "FEATURES", (4,))
    assert status_of(mechanism_choice.main, [f"folder={tmp_path}", "replicates=20"]) == 0
    page = (tmp_path / "which_mechanism.md").read_text(encoding="utf-8")
    assert page.count("\n| 1 | 4 |") == 4
    assert "0 of 8 places" in page.replace("\n  ", " ")
    ratios = re.findall(r"\| ([\d.]+) / [\d.]+ / [\d.]+ \|", page)
    assert len(ratios) == 8
    assert f"its error is at most {max(ratios, key=float)} times" in " ".join(page.split())


def test_the_share_of_the_budget_for_the_ridge_is_tuned_where_n_is_small(monkeypatch):
    """One direction, n = 100, ε = 1, δ = 0.1: 5 % of ε for the ridge was not the best share."""
    given = MechanismBudget(1.0, 0.1, 1.0)
    errors = []
    for shares in ((0.05,), linearised_errors.SHARES):
        monkeypatch.setattr(linearised_errors, "SHARES", shares)
        errors.append(compared(given, 100, 1, 2000, 0)[EVEN].errors[OBJECTIVE])
    assert errors[1] < 0.75 * errors[0]
