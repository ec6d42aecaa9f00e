"""The page on printed privacy claims has the numbers that the command computes."""

from pathlib import Path

import pytest

from tools.printed_privacy import STATEMENTS, estimate, row

PAGE = Path("docs/explanations/printed_privacy.md").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("at", STATEMENTS, ids=str)
def test_the_page_has_the_row(at):
    name, dimension = at
    assert row(name, dimension, STATEMENTS[at]) in PAGE


def test_a_claim_that_holds_is_said_not_to_fail():
    assert row("none", 1, lambda bound, delta: False) == "| none | 1 | – | – | – | – |"
    assert not estimate(2, 0.25, 1e-3)
