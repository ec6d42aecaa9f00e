"""Checks are held to the pins of their slack, and a mutant's numbers are not those kept on disk."""

import pytest

from repro.study import slack
from tools.mutation.theorems import as_pinned, measured, plan_of

NAME, CHECK = "reward_error", "in_sample_needed"


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
