"""P1's logarithmic regret, and what happens when its implementation is broken."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from repro.p1.pokl.curves import akaike_weight
from repro.p1.pokl.linear import LinearLearner
from repro.study.parallel import single_thread
from repro.worlds.policies.reward_class import BALL, Box, FiniteClass
from theorems.log_regret import ChosenClass, InClass, surrounded

single_thread()


def setting(swept, point=0, algorithm=0):
    """What an algorithm makes of a world."""
    return swept.algorithms[algorithm](swept.measured[point])


def test_nothing_is_pinned_as_contradicted(contradicted_rows):
    assert contradicted_rows == set()


def test_gamma_is_that_of_the_longest_horizon_along_a_sweep_of_it(swept_of):
    checks = swept_of()
    swept = checks["horizon"]
    assert len({setting(swept, point).bonus_weight for point in range(len(swept.measured))}) == 1
    costly = checks["privacy_cost"]
    ratio = setting(costly, 1).bonus_weight / setting(costly, 0).bonus_weight
    assert ratio == pytest.approx(5 / 2.6)


def test_the_proof_s_gamma_is_far_larger_than_the_sane_one(swept_of):
    swept = swept_of()["proven_bonus_clips"]
    proven, sane = (setting(swept, algorithm=m).bonus_weight for m in (0, 1))
    assert proven > 40 * sane


def test_overrides_reach_the_settings(swept_of):
    found = setting(swept_of(epsilon=0.5, kl_weight=0.25)["horizon"])
    assert (found.epsilon, found.linear.kl_weight) == (0.5, 0.25)


def test_swept_fields_make_their_own_worlds(swept_of):
    of_features, of_weights = (swept_of()[name].measured for name in ("num_features", "kl_weight"))
    assert [world.linear.features.shape[-1] for world in of_features] == [2, 4, 8, 16]
    first, *_, last = (world.linear.optimal_policy.numpy() for world in of_weights)
    np.testing.assert_allclose(first, last, atol=1e-9)


def test_a_class_of_rewards_enters_where_none_is_the_row_s_own(swept_of, plan_of):
    usual, boxed = swept_of(), swept_of("reward_class=box")
    own = {"finite_class", "exploration"}
    changed = {name for name in usual if usual[name].identity != boxed[name].identity}
    assert changed == set(usual) - own
    (shown,) = plan_of("reward_class=box", "only=[horizon]").checks
    assert shown.settings["reward_class"] == "Box(half_width=1.0)"
    wider = setting(boxed["horizon"]).bonus_weight / setting(usual["horizon"]).bonus_weight
    assert wider > 1.5


def test_bad_numbers_are_one_line(refused):
    refused(
        r"theorem\.worlds\.hidden_arm\.instance\.best_prob=2",
        "theorem.worlds.hidden_arm.instance.best_prob=2",
    )


@pytest.mark.parametrize(("words", "sign"), [((), 1), (("stages.optimism=reversed",), -1)])
def test_a_reversed_bonus_is_on_the_other_side(swept_of, words, sign):
    swept = swept_of("only=[proven_bonus_clips]", *words)["proven_bonus_clips"]
    found = swept.at(-1, np.random.default_rng(0), 3)
    assert (sign * found["proven_bonus"] > 0).all()


def test_no_uncertainty_turns_the_verdict(turned):
    def wrong(right, self, policy):
        return 0 * right(self, policy)

    before, after = turned("proven_bonus_clips", LinearLearner, "uncertainty", wrong)
    assert before == "supported" != after


def test_akaike_weight_counts_replicates():
    """All of them twice: the mean increments are as many times surer as their variance says."""
    times, rng = np.logspace(0, 4, 9), np.random.default_rng(1)
    curves = np.log(times)[:, None] + 2 * rng.standard_normal((9, 10)).cumsum(0)
    odds = [math.log(w / (1 - w)) for w in map(partial(akaike_weight, times),
                                               (curves, np.tile(curves, 2)))]  # fmt: skip
    assert abs(odds[0]) > 0.1
    assert odds[1] / odds[0] == pytest.approx(19 / 9)


def test_akaike_weight_tells_logarithms_from_roots():
    times = np.unique(np.geomspace(1, 10**6, 60).astype(int)).astype(float)
    noise = np.random.default_rng(0).standard_normal((len(times), 30)).cumsum(axis=0) * 0.05
    assert akaike_weight(times, 5 * np.log(times)[:, None] + noise) > 0.999
    assert akaike_weight(times, 0.1 * np.sqrt(times)[:, None] + noise) < 0.001


def test_a_run_in_a_class_has_its_bound_and_its_size(swept_of):
    usual = swept_of()["horizon"].measured[-1]
    assert isinstance(usual, InClass)
    assert list(surrounded(usual)) == []
    finite = replace(usual, reward_class=FiniteClass(30))
    ball = usual.linear
    assert finite.linear.reward_bound == FiniteClass(30).reward_bound(ball)
    assert (finite.fitted, finite.log_size) == (ChosenClass(FiniteClass(30)), math.log(30))
    assert [holds for _, holds, _ in surrounded(finite)] == [True, False]
    small = replace(usual, reward_class=Box(0.1))
    assert [holds for _, holds, _ in surrounded(small)] == [False, False]
    assert [holds for _, holds, _ in surrounded(replace(usual, reward_class=Box()))] == [True, True]
    assert usual.reward_class == BALL
