"""The chance that released labels prefer the wrong response, against sums over all labels."""

from __future__ import annotations

import itertools
import math

import pytest

from repro.base.errors import BadInput
from repro.labels.preferences.label_law import bradley_terry, fair_coins, randomized_response
from repro.labels.preferences.two_rewards import (
    hidden_difference,
    likely_counts,
    refuse_delta,
    released_win_prob,
    wrong_majority_prob,
)
from tests.at_each import at_each


@at_each("n_labels", [1, 2, 5, 8])
@at_each("informative", [1.0, 0.5, 0.2])
def test_sum_over_all_outcomes(n_labels, informative):
    """Each label compares nothing, prefers the better response or the worse one."""
    win = 0.7
    chances = {0: 1 - informative, 1: informative * win, -1: informative * (1 - win)}
    expected = 0.0
    for labels in itertools.product(chances, repeat=n_labels):
        verdict = {True: 1.0, False: 0.0}[sum(labels) < 0] + 0.5 * (sum(labels) == 0)
        expected += verdict * math.prod(chances[label] for label in labels)
    assert wrong_majority_prob(n_labels, informative, win) == pytest.approx(expected, rel=1e-12)


def test_tails_far_out_are_not_lost():
    """Exponent of the large deviation: n·log(2·√(p(1−p))) up to a polynomial."""
    exponent = 10**5 * math.log(2 * math.sqrt(0.55 * 0.45))
    found = math.log(wrong_majority_prob(10**5, 1.0, 0.55))
    assert exponent - 10 < found < exponent


def test_likely_counts_hold_all_the_mass():
    counts = likely_counts(50.0)
    assert counts[0] == 0
    assert counts[-1] > 50 + 59 * math.sqrt(50)


def test_released_labels_follow_both_stages():
    kept = math.e / (1 + math.e)
    clean = 1 / (1 + math.exp(-0.4))
    found = released_win_prob(bradley_terry, randomized_response, 0.4, 1.0)
    assert found == pytest.approx(kept * clean + (1 - kept) * (1 - clean))
    assert released_win_prob(fair_coins, randomized_response, 0.4, 1.0) == pytest.approx(0.5)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_a_difference_that_labels_hide_by_hand(share):
    """At δ = e^−2/4 and n = 6: tanh(Δ/2) = share·1.2·√(2/8)."""
    log_inverse_delta = 2 + math.log(4)
    found = hidden_difference(log_inverse_delta, 6, 1.2, share)
    assert math.tanh(found / 2) == pytest.approx(share * 1.2 * 0.5)
    # what would take more than a sure label is cut below it
    assert 30 < hidden_difference(log_inverse_delta, 1, 3.0) < math.inf


def test_a_delta_that_hides_nothing_or_underflows_is_refused():
    """c² = 3 and n = 8: log(1/(4δ)) below 4; at c = 1 as far as doubles hold δ."""
    cost, most = 3**0.5, math.log(4) + 4
    for fine in (math.log(4) + 1e-6, most - 1e-6):
        refuse_delta(fine, 8, cost)
    for wrong in (math.log(4), most + 1e-6, math.nan):
        with pytest.raises(BadInput, match="log_inverse_delta=.*above log 4 and below 5.386 for"):
            refuse_delta(wrong, 8, cost)
    refuse_delta(690.0, 8, 1.0)
    with pytest.raises(BadInput, match="below 690.8 for so many labels"):
        refuse_delta(691.0, 8, 1.0)
