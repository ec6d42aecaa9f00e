"""Where a contradicted claim fails, one case for each kind of claim."""

from typing import Any

import numpy as np
import pytest

from repro.core.claims import FrequencyCheck, InequalityCheck, RatioCheck, SlopeCheck
from repro.core.privacy_check import PrivacyCheck
from repro.core.results import Outcome, Series
from repro.core.witness import witness_of

GRID = (1.0, 10.0, 100.0)
COMMON: dict[str, Any] = {
    "name": "row", "axis": "n_pairs", "grid": GRID, "quantity": "gap", "method": "mle",
}  # fmt: skip


def fails(check, means, verdict="contradicted") -> Any:
    """The witness of (G, 2, 2) values around means, the last replicate a little above them."""
    values = np.repeat(np.array(means, dtype=float), 4).reshape(-1, 2, 2)
    values[:, 1, 1] *= 1.0001
    outcome = Outcome("mle", verdict, {}, Series(np.array(check.grid), values))
    return witness_of(check, outcome)


def slope(claimed, direction, axis="n_pairs"):
    return SlopeCheck(**{**COMMON, "axis": axis}, claimed=claimed, direction=direction)


def test_what_is_not_contradicted_has_no_witness():
    assert fails(slope(-1, "two_sided"), [1, 0.1, 0.01], "supported") is None
    assert fails(slope(-1, "two_sided"), [1, 1, 1], "inconclusive") is None


def test_a_slope_fails_between_two_swept_values():
    found = fails(slope(-1, "at_most"), [1, 1, 0.1])
    assert (found["from"], found["at"]) == (1, 10)
    assert found["factor"] == pytest.approx(1)
    assert found["claimed"] == pytest.approx(10**-0.95)


@pytest.mark.parametrize(
    ("direction", "means", "allowed"),
    [
        ("at_most", [1, 100, 1e4], 100**1.05),
        ("at_least", [1, 1, 1], 100**0.95),
        ("two_sided", [1, 100, 1e4], 100**1.05),
        ("two_sided", [1, 1, 1], 100**0.95),
    ],
)
def test_the_factor_that_is_allowed_is_on_the_side_that_fails(direction, means, allowed):
    found = fails(slope(1, direction), means)
    assert (found["from"], found["at"]) == (1, 100)
    assert found["claimed"] == pytest.approx(allowed)


def test_on_an_axis_of_rewards_the_factor_is_exponential():
    found = fails(slope(1, "at_most", "reward_bound"), np.exp(2 * np.array(GRID)))
    assert found["claimed"] == pytest.approx(np.exp(1.05 * 99))


def test_a_slope_of_no_positive_number_has_no_witness():
    assert fails(slope(1, "at_most"), [-1, -2, -3]) is None


@pytest.mark.parametrize(("direction", "at"), [("at_most", 10), ("at_least", 1), ("two_sided", 1)])
def test_a_ratio_fails_where_it_is_farthest_on_a_side_that_is_not_allowed(direction, at):
    check = RatioCheck(**COMMON, claimed=3.0, direction=direction)
    assert fails(check, [0.5, 5, 3])["at"] == at


def test_an_inequality_names_the_draw_of_its_largest_ratio_where_it_drew():
    for evidence in ("searched", "measured"):
        found = fails(InequalityCheck(**COMMON, evidence=evidence), [0.5, 2.0, 1.5])
        assert found["at"] == 10
        assert found["measured"] == pytest.approx(2.0002)
        assert (found["block"], found["replicate"]) == (1, 1)
    assert "block" not in fails(InequalityCheck(**COMMON, evidence="proved"), [0.5, 2.0, 1.5])


def test_a_frequency_counts_failures_and_names_the_first():
    check = FrequencyCheck(**COMMON, allowed=0.05)
    values = np.zeros((3, 2, 2))
    values[2, 1, 0] = values[2, 1, 1] = values[1, 0, 0] = 1
    values[2, 0, 0] = values[0, 0, 0] = np.nan
    outcome = Outcome("mle", "contradicted", {}, Series(np.array(GRID), values))
    found: Any = witness_of(check, outcome)
    assert found["at"] == 100
    assert (found["failures"], found["cases"]) == (2, 3)
    assert (found["block"], found["replicate"]) == (1, 0)
    assert (found["measured"], found["claimed"]) == (pytest.approx(2 / 3), 0.05)


def test_a_privacy_claim_fails_where_epsilon_is_largest():
    found = fails(PrivacyCheck(**COMMON, claimed_epsilon=1.0), [1.0, 3.0, 2.0])
    assert found["at"] == 10
    assert found["claimed"] == 1.0
