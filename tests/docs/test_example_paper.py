"""docs/examples/kbr: the fifth paper of the how-to, whose formulas are held by enumeration."""

import itertools
import math
import re

import numpy as np
import pytest

from repro.catalogue.papers import load
from repro.study.discovery import find
from tests.docs.fences import ROOT

FOLDER = ROOT / "docs" / "examples" / "kbr"
PAGE = ROOT / "docs" / "howto" / "add_paper.md"


@pytest.fixture(scope="module")
def theorem():
    return find("kbr_prop_4", FOLDER)


def world(theorem, people=3, alphabet=3, epsilon=0.7):
    return theorem.worlds["answers"](people=people, alphabet=alphabet, epsilon=epsilon)


def test_its_statements_are_those_that_its_experiment_settles(theorem):
    listed = [name for name in load(FOLDER).items if name.startswith("kbr.")]
    assert sorted(listed) == sorted(theorem.statements)
    assert load(FOLDER).papers["kbr"].arxiv == "1602.07387"


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_the_risk_is_that_of_all_answers_that_there_are(theorem, epsilon):
    """Three people, three letters, 27 answers, each with its probability."""
    one = world(theorem, epsilon=epsilon)
    answer = one.other + (one.keep - one.other) * one.law
    assert math.isclose(answer.sum(), 1)
    risk = 0.0
    for letters in itertools.product(range(3), repeat=3):
        shares = np.bincount(letters, minlength=3) / 3
        estimate = (shares - one.other) / (one.keep - one.other)
        risk += np.prod(answer[list(letters)]) * np.sum((estimate - one.law) ** 2)
    assert math.isclose(risk, one.risk, rel_tol=1e-12)


def test_the_largest_ratio_of_two_probabilities_is_that_of_the_budget(theorem):
    one = world(theorem, alphabet=5)
    table = np.full((5, 5), one.other) + (one.keep - one.other) * np.eye(5)
    assert np.allclose(table.sum(axis=1), 1)
    ratio = max((column.max() / column.min()) for column in table.T)
    assert math.isclose(math.log(ratio), one.epsilon)
    privacy = next(check for check in theorem.checks if check.name == "privacy")
    assert math.isclose(privacy.right(one), one.epsilon)
    assert all(wrong(one) > one.epsilon for wrong in privacy.wrong)


def test_the_page_shows_what_the_files_have():
    shown = re.findall(r"^```(?:yaml|python)\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    files = [
        path.read_text("utf-8") for path in FOLDER.rglob("*") if path.suffix in (".py", ".yaml")
    ]
    assert len(shown) > 4
    assert [block for block in shown if not any(block in text for text in files)] == []


def test_page_and_files_are_read_in_a_quarter_of_an_hour():
    paths = [PAGE, *FOLDER.rglob("*.yaml"), *FOLDER.rglob("*.py")]
    assert len(paths) == 4
    assert sum(len(path.read_text("utf-8").split()) for path in paths) <= 2000
