"""Addresses in the comparison UI: only from ids that are ids."""

from __future__ import annotations

import pytest

from repro.report.html.tracked import compare_address, run_address

IDS = {"experiment_id": "1", "run_id": "0a"}


@pytest.mark.parametrize(
    "checks",
    [None, [], {}, {"one": "1b"}, {"one": "1b", "two": '"><script>'}, {"one": "1b", "two": ""}],
)
def test_checks_that_cannot_be_compared_have_no_address(checks):
    assert compare_address({"mlflow": IDS | {"checks": checks}}) == ""
    assert run_address({"mlflow": IDS | {"checks": checks}}).endswith("/experiments/1/runs/0a")


@pytest.mark.parametrize("ids", [None, "text", {}, {"experiment_id": "1", "run_id": "a/b"}])
def test_a_run_without_ids_has_no_address(ids):
    checks = {"checks": {"one": "1b", "two": "2c"}}
    facts = {"mlflow": ids | checks if isinstance(ids, dict) else ids}
    assert run_address(facts) == compare_address(facts) == ""


def test_all_checks_are_compared():
    address = compare_address({"mlflow": IDS | {"checks": {"one": "1b", "two": "2c"}}})
    assert address.endswith("/compare-runs?runs=[%221b%22,%222c%22]&experiments=[%221%22]")
