"""P3's experiments at a tiny budget: one grid end against the other, per method."""

import numpy as np
import pytest

from repro.cli.composition import compose_values
from repro.errors import BadInput
from repro.study.settings import session_of
from repro.study.stream import stream


def experiment_of(slug, **overrides):
    values = {**compose_values(slug, {}), "output_dir": "unused", **overrides}
    return session_of(values).plan.experiment()


def exponents(experiment, name, replicates=40):
    """Exponent of each method between the first and the last grid value."""
    check = next(check for check in experiment.checks() if check.name == name)
    ends = [
        experiment.measure(check, value, stream(0, name, value), replicates)
        for value in (check.grid[0], check.grid[-1])
    ]
    length = np.log(check.grid[-1] / check.grid[0])
    return {
        m: float(np.log(np.nanmean(ends[1][m]) / np.nanmean(ends[0][m])) / length)
        for m in check.methods
    }


ERROR = [
    ("n_pairs", {"private_mle": -0.5, "text_ridge": -0.25, "loose_solver": 0.0}),
    ("n_pairs_benign", {"private_mle": -1.0, "loose_solver": 0.0}),
    ("n_pairs_scales", {"private_mle": -0.5, "root_n_noise": -0.25}),
    ("epsilon", {"private_mle": -0.5, "budget_ignored": 0.0}),
    ("num_features", {"private_mle": 0.25, "ridge_of_one_feature": 0.0}),
    ("log_inverse_delta", {"private_mle": 0.25, "delta_ignored": 0.0}),
]


@pytest.mark.parametrize(("name", "expected"), ERROR)
def test_objective_perturbation_error(name, expected):
    found = exponents(experiment_of("objective_perturbation_error"), name)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.12), method


GAP = [
    ("n_pairs_greedy", {"greedy": -0.5, "root_n_noise": -0.25, "argmin_policy": 0.0}),
    ("epsilon_greedy", {"greedy": -0.5, "noise_without_epsilon": 0.0}),
    ("n_pairs", {"pessimistic": -0.5, "greedy_into_the_trap": 0.0}),
    ("num_features", {"greedy": 0.5, "labels_per_state": 0.0}),
    ("bound", {"bound": -0.47, "bound_printed": 0.0}),
    ("reference_lemma", {"lemma": 0.0, "lemma_printed": -0.39}),
]


@pytest.mark.parametrize(("name", "expected"), GAP)
def test_central_dp_gap(name, expected):
    found = exponents(experiment_of("central_dp_gap"), name)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.15), method


def frequencies(experiment, name, value, replicates=40):
    check = next(check for check in experiment.checks() if check.name == name)
    found = experiment.measure(check, value, stream(0, name, value), replicates)
    return {m: values.mean() for m, values in found.items()}


def test_the_confidence_set_covers_and_the_bound_holds():
    experiment = experiment_of("central_dp_gap")
    covers = frequencies(experiment, "confidence_covers", 1e6)
    assert covers["misses"] == 0
    assert covers["misses_without_private_term"] > 0.3
    bound = frequencies(experiment, "theorem_bound", 1e8)
    assert bound["pessimistic_fails"] == 0
    assert bound["greedy_fails"] > 0.2


def test_the_text_ridge_leaves_the_confidence_set():
    found = exponents(experiment_of("central_dp_gap"), "confidence")
    assert found["distance"] < 0.05 < 0.1 < found["distance_text_ridge"]


def test_epsilon_above_one_is_refused():
    with pytest.raises(BadInput, match="at most 1"):
        experiment_of("objective_perturbation_error", epsilon=2.0)


def test_a_stricter_budget_asks_for_as_many_times_more_labels():
    half = experiment_of("objective_perturbation_error", epsilon=0.5).checks()[0]
    whole = experiment_of("objective_perturbation_error").checks()[0]
    assert half.grid == tuple(2 * n for n in whole.grid)
