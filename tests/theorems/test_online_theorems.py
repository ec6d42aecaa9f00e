"""The online experiments: every row measures, pure in its stream, with its assumptions met."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.cli.composition import compose_values
from repro.families.online_kl.wrong_pokl import METHODS
from repro.study.checks import SlopeCheck
from repro.study.parallel import single_thread
from repro.study.settings import session_of

single_thread()
SLUGS = (
    "log_regret",
    "log_regret_nonprivate",
    "optimism_event",
    "objective_decomposition",
    "private_xpo",
    "square_xpo",
    "fast_rate_online",
)
EXPECTED_CONTRADICTIONS = {
    "optimism_event": {"cap_one"},
    "square_xpo": {"printed_sign"},
    "fast_rate_online": {"corrupted_ctl", "corrupted_ltc", "indistinguishable_pair"},
}


def experiment_of(slug: str, *overrides: str, **values) -> Any:
    composed = compose_values(slug, {"budget": "smoke", "tracking": "none", **values}, overrides)
    return session_of({**composed, "output_dir": "outputs"}).plan.experiment()


@pytest.mark.parametrize("slug", SLUGS)
def test_rows_measure_every_method_and_are_pure(slug):
    experiment = experiment_of(slug)
    for check in experiment.checks():
        value = check.grid[0]
        once, again = (
            experiment.measure(check, value, np.random.default_rng(3), 4) for _ in range(2)
        )
        assert set(once) == set(check.methods)
        for method in check.methods:
            assert once[method].shape == (4,)
            np.testing.assert_array_equal(once[method], again[method])
        if check.axis == "horizon" and isinstance(check, SlopeCheck):
            later = experiment.measure(check, check.grid[-1], np.random.default_rng(3), 4)
            assert set(later) == set(once)


@pytest.mark.parametrize("slug", SLUGS)
def test_assumptions_hold_and_only_known_slips_are_expected_to_be_contradicted(slug):
    experiment = experiment_of(slug)
    assert all(found.holds for found in experiment.assumptions())
    contradicted = {c.name for c in experiment.checks() if c.expected == "contradicted"}
    assert contradicted == EXPECTED_CONTRADICTIONS.get(slug, set())


def test_gamma_is_that_of_the_longest_horizon_along_a_sweep_of_it():
    experiment = experiment_of("log_regret")
    check = next(c for c in experiment.checks() if c.name == "horizon")
    weights = {experiment.run_setting(check, value).bonus_weight for value in check.grid}
    assert len(weights) == 1
    other = next(c for c in experiment.checks() if c.name == "privacy_cost")
    settings = [experiment.run_setting(other, value) for value in other.grid[:2]]
    assert settings[1].bonus_weight / settings[0].bonus_weight == pytest.approx(5 / 2.6)


def test_the_proof_s_gamma_is_far_larger_than_the_sane_one():
    experiment = experiment_of("log_regret")
    check = next(c for c in experiment.checks() if c.name == "proven_bonus")
    proven = experiment._setting(check, 1e9, "proven_bonus")
    sane = experiment._setting(check, 1e9, "pokl")
    assert proven.bonus_weight > 40 * sane.bonus_weight


def test_overrides_reach_the_settings():
    experiment = experiment_of("log_regret", epsilon=0.5, kl_weight=0.25)
    check = next(c for c in experiment.checks() if c.name == "horizon")
    setting = experiment.run_setting(check, 1e6)
    assert (setting.epsilon, setting.kl_weight) == (0.5, 0.25)


def test_swept_fields_make_their_own_worlds():
    experiment = experiment_of("log_regret")
    check = next(c for c in experiment.checks() if c.name == "num_features")
    widths = [experiment.world(check, d).features.shape[-1] for d in (2, 8)]
    assert widths == [2, 8]
    steady = next(c for c in experiment.checks() if c.name == "kl_weight")
    one, other = (experiment.world(steady, k).optimal_policy.numpy() for k in (0.125, 2.0))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_bad_numbers_are_one_line():
    with pytest.raises(BadInput, match="ladders"):
        experiment_of("square_xpo", "theorem.ladders.horizon.high=2")
    with pytest.raises(BadInput, match="best_prob"):
        experiment_of("log_regret", "theorem.worlds.hidden_arm.best_prob=2")


def test_every_declared_method_is_known():
    names = {"any_algorithm", "corrupted_ctl", "corrupted_ltc"} | set(METHODS)
    for slug in ("log_regret", "log_regret_nonprivate", "fast_rate_online"):
        for check in experiment_of(slug).checks():
            assert set(check.methods) <= names
