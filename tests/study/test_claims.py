"""Probes, budgets and overrides: the edges of what is allowed."""

import pytest

from repro.base.errors import BadInput
from repro.base.schema import validate
from repro.study.config import Budget, Overrides, Probe

BUDGET = {"name": "smoke", "replicates": 20, "blocks": 5, "row_error": 0.05}


@pytest.mark.parametrize("grid", [[1, 1, 2], [2, 1, 3], [1, 3, 2], [1, 2, 2]])
def test_a_grid_increases(grid):
    with pytest.raises(BadInput, match="grid values that increase"):
        validate(Probe, {"grid": grid})


def test_a_grid_has_a_value():
    assert validate(Probe, {"grid": [1]}).grid == (1.0,)
    with pytest.raises(BadInput, match="grid"):
        validate(Probe, {"grid": []})


def test_a_probe_has_no_own_numbers_unless_given():
    probe = validate(Probe, {"grid": [1]})
    assert (probe.epsilon, probe.n_pairs, probe.horizon) == (None, None, None)
    assert probe.replicates == 1.0
    assert set(Overrides().model_dump().values()) == {None}


@pytest.mark.parametrize(
    ("key", "least", "most"),
    [("replicates", 20, 10**7), ("blocks", 5, 1000)],
)
def test_edges_of_a_budget(key, least, most):
    for edge in (least, most):
        assert getattr(validate(Budget, BUDGET | {key: edge}), key) == edge
    for beyond in (least - 1, most + 1):
        with pytest.raises(BadInput, match=key):
            validate(Budget, BUDGET | {key: beyond})


def test_an_interval_that_decides_is_at_least_the_printed_one():
    assert validate(Budget, BUDGET).row_error == 0.05
    for beyond in (0.051, 0, -1):
        with pytest.raises(BadInput, match="row_error"):
            validate(Budget, BUDGET | {"row_error": beyond})
