"""Claims, budgets and overrides: the edges of what is allowed."""

import pytest

from repro.base.errors import BadInput
from repro.base.schema import validate
from repro.study.config import Budget, Claim, Overrides, SlopeClaim

SLOPE = {"kind": "slope", "grid": [1, 2, 3], "expected": "supported", "claimed": -1,
         "tolerance": 0.1, "direction": "at_most"}  # fmt: skip
BUDGET = {"name": "smoke", "replicates": 20, "blocks": 5, "resamples": 200}


@pytest.mark.parametrize("grid", [[1, 1, 2], [2, 1, 3], [1, 3, 2], [1, 2, 2]])
def test_a_grid_increases(grid):
    with pytest.raises(BadInput, match="grid values that increase"):
        validate(SlopeClaim, SLOPE | {"grid": grid})


def test_a_slope_needs_three_points_and_other_claims_one():
    assert validate(SlopeClaim, SLOPE).grid == (1.0, 2.0, 3.0)
    with pytest.raises(BadInput, match="grid"):
        validate(SlopeClaim, SLOPE | {"grid": [1, 2]})
    assert validate(Claim, {"grid": [1], "expected": "supported"}).grid == (1.0,)
    with pytest.raises(BadInput, match="grid"):
        validate(Claim, {"grid": [], "expected": "supported"})


def test_a_claim_has_no_own_numbers_unless_given():
    claim = validate(Claim, {"grid": [1], "expected": "supported"})
    assert (claim.epsilon, claim.n_pairs, claim.horizon) == (None, None, None)
    assert claim.replicate_factor == 1.0
    assert set(Overrides().model_dump().values()) == {None}


@pytest.mark.parametrize(
    ("key", "least", "most"),
    [("replicates", 20, 10**7), ("blocks", 5, 1000), ("resamples", 200, 10**5)],
)
def test_edges_of_a_budget(key, least, most):
    for edge in (least, most):
        assert getattr(validate(Budget, BUDGET | {key: edge}), key) == edge
    for beyond in (least - 1, most + 1):
        with pytest.raises(BadInput, match=key):
            validate(Budget, BUDGET | {key: beyond})
