"""Which checks have left their pin: each is named, and the exit status says so."""

from types import SimpleNamespace

import pytest

from tools import slack


@pytest.mark.parametrize(
    ("numbers", "status"), [({"slack": 3.0, "slack_pinned": 3.0}, 0), ({"off_curve": 1.5}, 1)]
)
def test_a_check_that_has_left_its_pin_is_named_with_status_1(numbers, status, monkeypatch, capsys):
    check = SimpleNamespace(name="n_pairs")
    checks = [SimpleNamespace(check=check, outcome=SimpleNamespace(numbers=numbers))]
    run = SimpleNamespace(result=SimpleNamespace(checks=checks))
    monkeypatch.setattr(slack, "plan_of", lambda slug: None)
    monkeypatch.setattr(slack.repro, "run", lambda *given, **options: run)
    assert slack.main(["offline_gap"]) == status
    assert ("offline_gap n_pairs: has left its pin" in capsys.readouterr().out) == bool(status)
