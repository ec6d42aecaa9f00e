"""Welch's test from printed numbers, against scipy's, and by simulation."""

import numpy as np
import pytest
from scipy import stats

from repro.llm.experiments.contrasts import MOST, P4_CONTRASTS, Contrast


@pytest.mark.parametrize("one", P4_CONTRASTS, ids=lambda one: one.name)
def test_it_is_scipy_s_test(one):
    theirs = stats.ttest_ind_from_stats(
        one.first, one.first_spread, 5, one.second, one.second_spread, 5, equal_var=False
    )
    assert one.p_value(5) == pytest.approx(theirs.pvalue, rel=1e-9)


def test_one_of_four_printed_contrasts_is_significant():
    """With five seeds per arm, as the paper has it."""
    found = [round(one.p_value(5), 3) for one in P4_CONTRASTS]
    assert found == [0.164, 0.105, 0.225, 0.010]
    assert [one.seeds_needed() for one in P4_CONTRASTS] == [16, 13, 24, 5]


def test_so_many_seeds_find_it_so_often():
    one, rng = Contrast("x", 60.0, 5.0, 55.0, 3.0), np.random.default_rng(0)
    found = []
    for seeds in (one.seeds_needed(), one.seeds_needed() // 2):
        a, b = (rng.normal(m, s, (4000, seeds)) for m, s in ((60.0, 5.0), (55.0, 3.0)))
        found.append((stats.ttest_ind(a, b, axis=1, equal_var=False).pvalue < 0.05).mean())
    assert 0.78 < found[0] < 0.88
    assert found[1] < 0.65


def test_no_effect_needs_more_seeds_than_there_are():
    assert Contrast("x", 50.0, 1.0, 50.0, 1.0).seeds_needed() == MOST
    assert Contrast("x", 50.001, 5.0, 50.0, 5.0).seeds_needed() == MOST
