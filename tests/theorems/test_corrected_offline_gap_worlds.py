"""The hypercube near its bound, at every B, and what a config may ask of it."""

import math

import pytest

from repro.base.errors import BadInput
from repro.study.composition import compose_values
from repro.study.plan import built
from repro.study.settings import session_of
from theorems.corrected_offline_gap import NearBound

SLUG = "corrected_offline_gap"


def on_its_worlds(name, words=()):
    composed = {**compose_values(SLUG, {"budget": "smoke"}, words), "output_dir": "unused"}
    found = built(session_of(composed).plan).swept
    return next(one for one in found if one.name == name)


def test_the_difference_follows_the_bound_and_both_responses_are_equally_good():
    swept = on_its_worlds("eps_one")
    for value, case in zip(swept.sweep.grid, swept.measured, strict=True):
        assert isinstance(case, NearBound)
        assert float(case.world.reward_diff[0]) == pytest.approx(value - 0.5)
        assert float(case.world.optimal_policy[0, 0]) == pytest.approx(0.5)
        assert case.world.kl_weight == pytest.approx((value - 0.5) / math.log(3))
        assert case.world.reward_bound == value


def test_delta_is_that_of_the_bonus_unless_it_is_swept():
    swept = on_its_worlds("algorithm_quantile")
    deltas = [case.failure_prob for case in swept.measured]
    assert deltas == pytest.approx([math.exp(-value) for value in swept.sweep.grid])
    assert on_its_worlds("eps_one").measured[0].failure_prob == pytest.approx(0.05)


@pytest.mark.parametrize("name", ["constant_states", "constant_coverage"])
def test_states_and_coverage_are_swept(name):
    found = on_its_worlds(name)
    worlds = [case.world for case in found.measured if isinstance(case, NearBound)]
    numbers = {
        "constant_states": [len(world.state_prob) for world in worlds],
        "constant_coverage": [1 / float(world.policies[0, 0]) for world in worlds],
    }
    assert numbers[name] == pytest.approx(list(found.sweep.grid))


@pytest.mark.parametrize(
    ("word", "named"),
    [
        ("theorem.worlds.cube.coverage=2", "coverage"),
        ("theorem.worlds.cube.room=0", "room"),
        ("theorem.worlds.cube.room=7", "room"),
        ("theorem.worlds.cube.failure_prob=1", "failure_prob"),
    ],
)
def test_worlds_without_a_hypercube_are_refused_in_one_line(word, named):
    with pytest.raises(BadInput, match=named):
        on_its_worlds("eps_one", (word,))
