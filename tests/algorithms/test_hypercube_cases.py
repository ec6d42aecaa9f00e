"""Random cases of the proof of Theorem 4.5: in range, and faults among them."""

import math

import numpy as np
import pytest

from repro.families.offline_kl.bounds_hypercube import CASE_OF, random_prior


def test_random_hypercubes_meet_the_conditions_of_the_proof():
    rng = np.random.default_rng(0)
    for _ in range(200):
        prior = random_prior(rng)
        assert max(prior.base, prior.tilt) < prior.reward_bound / 2
        assert prior.coverage > 2


def test_given_numbers_are_kept():
    prior = random_prior(np.random.default_rng(0), num_states=1, coverage=4.0, epsilon=2.0)
    assert (prior.num_states, prior.coverage, prior.epsilon) == (1, 4.0, 2.0)


@pytest.mark.parametrize(
    ("name", "value", "right", "faults"),
    [
        ("explicit_bound", 8.0, "bound", ["bound_without_quarter", "bound_sign"]),
        ("separation", 0.1, "separation", ["separation_twice_beta"]),
        ("pair_kl", 0.1, "pair_kl", ["pair_kl_fifth"]),
        ("pair_kl_sharper", 0.1, "pair_kl_sharper", ["pair_kl_sharper_ten_percent"]),
        ("assouad", 1.0, "assouad", ["assouad_half"]),
    ],
)
def test_the_inequality_holds_and_the_search_finds_its_faults(name, value, right, faults):
    rng = np.random.default_rng(0)
    cases = [CASE_OF[name](value, rng) for _ in range(150)]
    assert max(case[right] for case in cases) <= 1 + 1e-9
    for fault in faults:
        assert max(case[fault] for case in cases) > 1, fault
    assert all(math.isfinite(ratio) for case in cases for ratio in case.values())
