"""The verdicts of all rows together are wrong with less than 1 % at laptop and paper budgets."""

import pytest

from repro.study.composition import compose_values
from repro.study.discovery import find, slugs


@pytest.mark.parametrize("budget", ["laptop", "paper"])
def test_all_rows_together(budget):
    rows = sum(len(find(slug).checks) for slug in slugs())
    assert rows > 400
    assert rows * compose_values("offline_gap", {"budget": budget})["budget"]["check_error"] <= 0.01


def test_smoke_decides_by_the_printed_interval():
    assert compose_values("offline_gap", {"budget": "smoke"})["budget"]["check_error"] == 0.05
