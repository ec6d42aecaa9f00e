"""The online experiments: every row measures, pure in its stream, with its assumptions met."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.cli.composition import compose_values
from repro.study.parallel import single_thread
from repro.study.plan import built
from repro.study.settings import session_of

single_thread()
SLUGS = (
    "log_regret",
    "log_regret_nonprivate",
    "optimism_event",
    "private_xpo",
    "square_xpo",
    "fast_rate_online",
)
EXPECTED_CONTRADICTIONS = {
    "optimism_event": {"cap_one"},
    "square_xpo": {"printed_sign"},
    "fast_rate_online": {"corrupted_ctl", "corrupted_ltc", "indistinguishable_pair"},
}


def trials_of(slug: str, *overrides: str, **values) -> dict[str, Any]:
    """Trials by the name of their check."""
    composed = compose_values(slug, {"budget": "smoke", "tracking": "none", **values}, overrides)
    plan = session_of({**composed, "output_dir": "outputs"}).plan
    return {trial.check.name: trial for trial in built(plan).trials}


@pytest.mark.parametrize("slug", SLUGS)
def test_rows_measure_every_method_and_are_pure(slug):
    for trial in trials_of(slug).values():
        case, measure = trial.cases[0], trial.row.measure
        once, again = (measure.of(case, np.random.default_rng(3), 4) for _ in range(2))
        assert set(once) == set(trial.check.methods)
        for method in trial.check.methods:
            assert np.broadcast_to(once[method], (4,)).shape == (4,)
            np.testing.assert_array_equal(once[method], again[method])


@pytest.mark.parametrize("slug", SLUGS)
def test_assumptions_hold_and_only_known_slips_are_expected_to_be_contradicted(slug):
    composed = compose_values(slug, {"budget": "smoke", "tracking": "none"}, ())
    made = built(session_of({**composed, "output_dir": "outputs"}).plan)
    assert all(found.holds for found in made.experiment.assumptions())
    contradicted = {c.name for c in made.checks if c.expected == "contradicted"}
    assert contradicted == EXPECTED_CONTRADICTIONS.get(slug, set())


def setting(trial, point: int = 0, method: int = 0):
    """What a method makes of a grid point."""
    case = trial.cases[point]
    return case.methods[method].run(case)


def test_gamma_is_that_of_the_longest_horizon_along_a_sweep_of_it():
    trials = trials_of("log_regret")
    swept = trials["horizon"]
    assert len({setting(swept, point).bonus_weight for point in range(len(swept.grid))}) == 1
    costly = trials["privacy_cost"]
    ratio = setting(costly, 1).bonus_weight / setting(costly, 0).bonus_weight
    assert ratio == pytest.approx(5 / 2.6)


def test_the_proof_s_gamma_is_far_larger_than_the_sane_one():
    trial = trials_of("log_regret")["proven_bonus_clips"]
    proven, sane = (setting(trial, method=m).bonus_weight for m in (0, 1))
    assert proven > 40 * sane


def test_overrides_reach_the_settings():
    found = setting(trials_of("log_regret", epsilon=0.5, kl_weight=0.25)["horizon"])
    assert (found.epsilon, found.kl_weight) == (0.5, 0.25)


def test_swept_fields_make_their_own_worlds():
    trials = trials_of("log_regret")
    assert [c.world.features.shape[-1] for c in trials["num_features"].cases] == [2, 4, 8, 16]
    first, *_, last = (c.world.optimal_policy.numpy() for c in trials["kl_weight"].cases)
    np.testing.assert_allclose(first, last, atol=1e-9)


def test_the_adversary_of_a_corrupted_row_comes_where_the_row_says():
    trials = trials_of("fast_rate_online", "theorem.corruption=0.01")
    before, after = (trials[name].cases[0] for name in ("corrupted_ctl", "corrupted_ltc"))
    assert before.adversary.share == after.adversary.share == 0.01
    assert (before.order, after.order) == ("CTL", "LTC")
    assert trials["horizon"].cases[0].adversary.share == 0
    wrong = setting(trials["floor_cost_ltc"], method=1)
    assert wrong.order == "CTL"


def test_off_the_event_the_bonus_bounds_nothing():
    """With labels that know nothing the event fails, and the row has nothing to support it."""
    trial = trials_of("optimism_event", "stages.bonus=none", "only=[regret_by_bonus]")[
        "regret_by_bonus"
    ]
    (at,) = trial.row.measure.at(trial.cases[:1], [np.random.default_rng(0)], 3)
    assert np.isnan(at["linear_class"]).all()
    assert (at["shrunken_bonus"] > 1).all()


def test_bad_numbers_are_one_line():
    with pytest.raises(BadInput, match="ladder"):
        trials_of("square_xpo", "theorem.probes.horizon.ladder.high=2")
    with pytest.raises(BadInput, match="best_prob"):
        trials_of("log_regret", "theorem.worlds.hidden_arm.best_prob=2")
    with pytest.raises(BadInput, match="n_pairs"):
        trials_of("private_xpo", n_pairs=100)
