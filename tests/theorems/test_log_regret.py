"""P1's logarithmic regret, and what happens when its implementation is broken."""

import numpy as np
import pytest

from repro.pokl.linear import LinearLearner
from repro.study.parallel import single_thread

single_thread()


def setting(trial, point=0, method=0):
    """What a method makes of a grid point."""
    case = trial.cases[point]
    return case.methods[method].run(case)


def test_nothing_is_pinned_as_contradicted(contradicted_rows):
    assert contradicted_rows == set()


def test_gamma_is_that_of_the_longest_horizon_along_a_sweep_of_it(trials_of):
    trials = trials_of()
    swept = trials["horizon"]
    assert len({setting(swept, point).bonus_weight for point in range(len(swept.grid))}) == 1
    costly = trials["privacy_cost"]
    ratio = setting(costly, 1).bonus_weight / setting(costly, 0).bonus_weight
    assert ratio == pytest.approx(5 / 2.6)


def test_the_proof_s_gamma_is_far_larger_than_the_sane_one(trials_of):
    trial = trials_of()["proven_bonus_clips"]
    proven, sane = (setting(trial, method=m).bonus_weight for m in (0, 1))
    assert proven > 40 * sane


def test_overrides_reach_the_settings(trials_of):
    found = setting(trials_of(epsilon=0.5, kl_weight=0.25)["horizon"])
    assert (found.epsilon, found.kl_weight) == (0.5, 0.25)


def test_swept_fields_make_their_own_worlds(trials_of):
    trials = trials_of()
    assert [c.world.features.shape[-1] for c in trials["num_features"].cases] == [2, 4, 8, 16]
    first, *_, last = (c.world.optimal_policy.numpy() for c in trials["kl_weight"].cases)
    np.testing.assert_allclose(first, last, atol=1e-9)


def test_a_class_of_rewards_enters_where_none_is_the_row_s_own(trials_of):
    usual, boxed = trials_of(), trials_of("reward_class=box")
    own = {"finite_class", "exploration"}
    changed = {name for name in usual if usual[name].identity != boxed[name].identity}
    assert changed == set(usual) - own
    assert boxed["horizon"].settings["reward_class"] == "Box(half_width=1.0)"
    wider = setting(boxed["horizon"]).bonus_weight / setting(usual["horizon"]).bonus_weight
    assert wider > 1.5


def test_bad_numbers_are_one_line(refused):
    refused("best_prob", "theorem.worlds.hidden_arm.best_prob=2")


@pytest.mark.parametrize(("words", "sign"), [((), 1), (("stages.bonus=reversed",), -1)])
def test_a_reversed_bonus_is_on_the_other_side(trials_of, words, sign):
    trial = trials_of("only=[proven_bonus_clips]", *words)["proven_bonus_clips"]
    found = trial.row.measure.of(trial.cases[-1], np.random.default_rng(0), 3)
    assert (sign * found["proven_bonus"] > 0).all()


def test_no_uncertainty_turns_the_verdict(turned):
    def wrong(right, self, policy):
        return 0 * right(self, policy)

    before, after = turned("proven_bonus_clips", LinearLearner, "uncertainty", wrong)
    assert before == "supported" != after
