"""P3's gap of centrally private learners, and what happens when its implementation is broken."""

import math
from dataclasses import replace

import numpy as np
import pytest

from repro.labels.preferences.label_law import the_truth
from repro.p3.curator import learning
from theorems.central_dp_gap import _largest_gap, excess_at_half_over_n

GAP = [
    ("n_pairs_greedy", {"greedy": -0.5, "root_n_noise": -0.25, "argmin_policy": 0.0}),
    ("epsilon_greedy", {"greedy": -0.5, "noise_without_epsilon": 0.0}),
    ("n_pairs", {"pessimistic": -0.5, "greedy_into_the_trap": 0.0}),
    ("covered", {"private_sign": -1.0, "root_n_noise_on_the_sum": 0.0}),
    ("bound", {"bound": -0.47, "bound_printed": 0.0}),
    ("reference_lemma", {"lemma": 0.0, "lemma_printed": -0.39}),
]


@pytest.mark.parametrize(("name", "expected"), GAP)
def test_exponents(exponents, name, expected):
    found = exponents(name)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.15), method


def test_the_largest_gap_of_a_table_is_what_labels_alone_cost(means):
    for d in (8, 64):
        found = means("num_features", d, 400)
        assert found["greedy"] == pytest.approx(1, abs=0.15)
        # t·Φ(−t/s) where labels err less often by √d, and t·Φ(t/s)
        assert found["labels_per_state"] == pytest.approx(d**-0.5, abs=0.15)
        assert found["argmin_policy"] == pytest.approx(3.42, abs=0.3)


def test_the_confidence_set_covers_and_the_bound_holds(means):
    covers = means("confidence_covers", 1e6)
    assert covers["misses"] == 0
    assert covers["misses_without_private_term"] > 0.3
    bound = means("theorem_bound", 2e6)
    assert bound["pessimistic_fails"] < 0.03
    assert bound["greedy_fails"] > 0.2


def test_at_the_allowed_tolerance_the_gap_outgrows_its_bound(exponents, swept_of):
    assert exponents("optimizer_tol_printed")["excess_at_half_over_n"] > 0.2
    world = swept_of()["optimizer_tol_printed"].sweep.worlds[0]
    told = replace(world, estimate=the_truth).draw(np.random.default_rng(0), 3)
    # nothing is lost, and η times the largest gap, .05·2·.9, is taken off
    excess = excess_at_half_over_n(told) * _largest_gap(world)
    assert excess.tolist() == pytest.approx([-0.09] * 3)


def test_the_text_ridge_leaves_the_confidence_set(exponents):
    found = exponents("confidence")
    assert found["distance"] < 0.05 < 0.1 < found["distance_text_ridge"]


def test_a_number_that_no_row_reads_is_refused(refused):
    refused(r"^horizon=9.*changes nothing in central_dp_gap", horizon=9)


STAGES = [
    ("n_pairs", "labels", "fair_coins", "pessimistic"),
    ("n_pairs", "pessimism", "none", "pessimistic"),
    ("n_pairs", "pessimism", "reversed", "pessimistic"),
    ("n_pairs_greedy", "noise", "no_noise", "greedy"),
]


@pytest.mark.parametrize("stage", STAGES)
def test_a_replaced_stage_reaches_the_measurement(with_and_without, stage):
    plain, other = with_and_without(*stage)
    assert plain != pytest.approx(other, rel=0.01)


def test_who_knows_the_truth_makes_no_error(of_the_truth):
    assert of_the_truth("n_pairs_greedy", "greedy") == pytest.approx(np.zeros(5), abs=1e-15)


def test_noise_over_the_root_of_n_turns_the_verdict(turned):
    def wrong(right, loss, n, *noise):
        return right(loss, math.sqrt(n), *noise)

    found = turned("n_pairs_greedy", learning, "private_mle", wrong, replicates=100, blocks=20)
    assert found == ("supported", "contradicted")
