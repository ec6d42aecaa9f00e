"""The pairs of rankings that the tool finds lie no farther apart than the theorem allows."""

import pytest

from tools.ranking_gap import certified, farthest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("ranked", "bound"), [(2, 1.0), (3, 1.0), (3, 3.0)])
def test_what_is_found_is_below_the_bound_and_for_pairs_equal_to_it(ranked, bound):
    found, allowed = farthest(ranked, bound, starts=5), certified(ranked, bound, 2).distance
    assert 0.7 * allowed < found <= allowed
    if ranked == 2:
        assert found == pytest.approx(allowed, rel=5e-3)
