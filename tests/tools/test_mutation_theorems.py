"""Wrong formulas: what is changed, what is noticed, and what a sample adds up to."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from repro.study import slack
from repro.study.discovery import find
from tools.mutation.equivalent import LISTED as LISTED_LINES
from tools.mutation.equivalent import equivalents
from tools.mutation.mutants import formula_mutants, mutants
from tools.mutation.score import EQUIVALENT, KILLED, SURVIVED
from tools.mutation.theorems import LISTED, as_pinned, measured, plan_of, running, tables

NAME, CHECK = "reward_error", "in_sample_needed"
FILE = "theorems/kl_contraction.py"


@pytest.fixture(scope="module")
def plan():
    return plan_of(NAME)


def pin_to(monkeypatch, plan, value):
    (declared,) = (check.check for check in measured(plan, [CHECK]))
    pin = {"of": slack.numbers_of(plan, declared), "slack": value}
    monkeypatch.setattr(slack, "pins", lambda: {NAME: {CHECK: pin}})


@pytest.mark.parametrize(("pin", "holds"), [(34.7, True), (30.0, False), (150.0, False)])
def test_a_slack_off_its_pin_is_noticed(monkeypatch, plan, pin, holds):
    pin_to(monkeypatch, plan, pin)
    (check,) = measured(plan, [CHECK])
    assert check.outcome.numbers["slack_pinned"] == pin
    assert check.verdict == "supported"
    assert as_pinned(check) == holds


def test_a_pin_of_other_numbers_says_nothing(monkeypatch, plan):
    monkeypatch.setattr(slack, "pins", lambda: {NAME: {CHECK: {"of": "other", "slack": 1.0}}})
    (check,) = measured(plan, [CHECK])
    assert "slack_pinned" not in check.outcome.numbers


TOY = '''
def f(x, rng, size):
    """Never: 1 + 1."""
    if x < 0:
        raise ValueError(f"{x + 1}")
    if x is None:
        return 3.0
    y = np.linspace(0, 1, 41)[2] + math.sqrt(x) ** 2
    y = np.stack([y, 2 * y], -1).max(-1)
    return min(x * 0.5, y.sum(axis=1)) + 1e-12 * size
'''


def test_what_is_changed_of_formulas(tmp_path):
    path = tmp_path / "toy.py"
    path.write_text(TOY, "utf-8")
    changes = {(mutant.line, mutant.text) for mutant in formula_mutants(path)}
    assert changes == {
        (6, "if x is None:: test → True"),
        (6, "if x is None:: test → False"),
        (6, "x is None: ops → IsNot"),
        (7, "3.0: value → 3.3"),
        (8, "np.linspace(0, 1, 41)[2] + math.sqrt(x) ** 2: op → Sub"),
        (8, "math.sqrt(x) ** 2: op → Mult"),
        (8, "math.sqrt: attr → 'cbrt'"),
        (8, "2: value → 3"),
        (9, "np.stack([y, 2 * y], -1).max: attr → 'min'"),
        (9, "2 * y: op → Div"),
        (9, "2: value → 3"),
        (10, "min(x * 0.5, y.sum(axis=1)) + 1e-12 * size: op → Sub"),
        (10, "min: id → 'max'"),
        (10, "x * 0.5: op → Div"),
        (10, "0.5: value → 0.55"),
    }


@pytest.mark.parametrize(("listed", "of"), [(LISTED, formula_mutants), (LISTED_LINES, mutants)])
def test_every_entry_of_a_list_fits_one_change(listed, of):
    groups = yaml.safe_load(listed.read_text("utf-8"))
    entries = sum(len(group) for group in groups.values())
    paths = [Path(name).resolve() for name in groups]
    assert len(equivalents(paths, listed=listed, of=of)) == entries


@pytest.mark.slow
def test_a_sample_is_tried_and_taken_up(tmp_path):
    """Some of it is noticed; what only a control runs is not drawn; nothing is tried twice."""
    log = tmp_path / "log.jsonl"
    words = [sys.executable, "-m", "tools.mutation.room", "theorems", "kl_contraction"]
    words += ["--size", "3", "--least", "0", "--log", str(log)]
    first, second = (subprocess.run(words, capture_output=True, text=True) for _ in "ab")
    assert first.returncode == second.returncode == 0, first.stderr
    assert "SURVIVED" in first.stdout or "killed" in first.stdout
    assert second.stdout.startswith("all: ")
    records = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert sum("fate" in record for record in records) == 3
    checks = [record for record in records if "lines" in record]
    assert {record["check"] for record in checks} == {c.name for c in find("kl_contraction").checks}
    control, formula = (line_of(text) for text in ("def random_ten_percent(", "def bound("))
    assert not any(control + 1 in record["lines"][FILE] for record in checks)
    assert any(formula + 2 in record["lines"][FILE] for record in checks)


def line_of(text):
    lines = Path(FILE).read_text("utf-8").splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.startswith(text))


def test_own_checks_are_asked_first_then_one_of_each_other_experiment_in_turn():
    mutant = formula_mutants(Path(FILE).resolve())[0]
    checks = [
        {"slug": slug, "check": check, "seconds": seconds, "lines": {FILE: [mutant.line] * runs}}
        for slug, check, seconds, runs in [
            ("a", "slow", 3.0, 1), ("a", "quick", 0.1, 1), ("a", "elsewhere", 0.1, 0),
            ("b", "quick", 0.2, 1), ("b", "slow", 9.0, 1), ("kl_contraction", "own", 4.0, 1),
        ]
    ]  # fmt: skip
    names = [[f"{r['slug']} {r['check']}" for r in group] for group in running(mutant, checks, 9)]
    assert names == [["kl_contraction own"], ["a quick"], ["b quick"], ["a slow"]]


def test_the_tables():
    lines = {"lines": {}, "kind": "ratio, two-sided", "contradicted": False}
    checks = [{"slug": "a", "check": name, **lines} for name in ("x", "y")]
    of = {"change": "number", "file": "repro/p1/pokl/rate.py"}
    fates = [
        {"fate": KILLED, "seen": {"a: x": "noticed: slack", "a: y": "moved"}},
        {"fate": KILLED, "seen": {"a: x": "noticed: error ValueError", "a: y": "same"}},
        {"fate": SURVIVED, "seen": {"a: x": "same"}},
        {"fate": EQUIVALENT, "seen": {}},
    ]
    told = tables([*checks, *({**of, **fate} for fate in fates)]).splitlines()
    assert "all: 2 of 3, 67% [21, 94]" in told
    assert "all without errors: 1 of 2, 50% [9, 91]" in told
    assert "checks, ratio, two-sided: 2 of 3, 67% [21, 94]" in told
    assert "file, p1: 2 of 3, 67% [21, 94]" in told
    assert "equivalent: 1" in told
