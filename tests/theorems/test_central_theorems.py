"""P3's experiments at a tiny budget: one grid end against the other, per method."""

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.cli.composition import compose_values
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


STEPS = ["strong_convexity", "growth", "ridge_convexity", "ridge_step", "noise_step", "output_step"]


@pytest.mark.parametrize("name", STEPS)
def test_steps_hold_as_corrected_and_fail_as_printed(name):
    experiment = experiment_of("objective_perturbation_error")
    checks = {check.name: check for check in experiment.checks()}
    check = checks[name]
    found = experiment.measure(check, check.grid[-1], stream(0, name), 60)
    limit = 0.05 if name == "noise_step" else 1 + 1e-9
    wrong = found[check.controls[0]]
    assert found[check.method].max() <= limit
    assert (wrong.mean() if name == "noise_step" else wrong.max()) > limit
    printed = checks.get(f"{name}_printed")
    assert printed is None or printed.method == check.controls[0]


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


COVARIANCE = [
    ("excess", {"fixed": -1.0, "root_n_noise": -0.5}),
    ("excess_printed", {"fixed": -1.0}),
    ("excess_epsilon", {"fixed": -1.0, "noise_without_epsilon": 0.0}),
    ("excess_appendix_ridge", {"appendix_ridge": 0.0, "text_ridge": -0.5}),
    ("norm_n_pairs", {"operator_norm": -1.0, "root_n_noise": -0.5}),
    ("norm_num_features", {"operator_norm": 0.54, "diagonal_noise": 0.2}),
]


@pytest.mark.parametrize(("name", "expected"), COVARIANCE)
def test_covariance_lemmas(name, expected):
    found = exponents(experiment_of("covariance_lemmas"), name)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.1), method


@pytest.mark.parametrize("kind", ["pairs", "rankings", "trajectories"])
@pytest.mark.parametrize("norm", ["gradient", "hessian"])
def test_printed_norms_hold_and_forgetful_ones_do_not(norm, kind):
    experiment = experiment_of("covariance_lemmas")
    check = next(c for c in experiment.checks() if c.name == f"{norm}_{kind}")
    found = experiment.measure(check, check.grid[-1], stream(0, norm), 5)
    assert found["printed"].max() <= 1 + 1e-12
    assert found[check.controls[0]].max() > 1.5


def test_the_ridge_keeps_the_covariance_definite():
    experiment = experiment_of("covariance_lemmas")
    covers = frequencies(experiment, "ridge_covers", 8)
    assert covers["uncovered"] == 0 < covers["uncovered_small_ridge"]
    definite = frequencies(experiment, "indefinite", 8)
    assert definite["indefinite"] == 0 < definite["indefinite_without_ridge"]


def test_symmetric_part_halves_the_squared_norm():
    ratio = frequencies(experiment_of("covariance_lemmas"), "symmetric_gain", 64)
    assert ratio["gain"] == pytest.approx(1, abs=0.05)


KWISE = [
    ("n_pairs_greedy", {"greedy": -0.5, "root_n_noise": -0.25, "argmin_policy": 0.0}),
    ("epsilon_greedy", {"greedy": -0.5, "noise_without_epsilon": 0.0}),
    ("n_pairs", {"pessimistic": -0.59, "greedy_into_the_trap": 0.0}),
    ("error", {"error": -0.5, "error_text_ridge": -0.25}),
    ("error_epsilon", {"error": -0.5, "error_without_epsilon": 0.0}),
    ("ranked_actions", {"error": 1.5}),
]


@pytest.mark.parametrize(("name", "expected"), KWISE)
def test_kwise_gap(name, expected):
    found = exponents(experiment_of("kwise_gap"), name, replicates=20)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.15), method


def test_sharp_k_constants_do_not_grow():
    found = exponents(experiment_of("kwise_gap"), "ranked_actions_sharp", replicates=20)
    assert found["error_sharp"] < 0.3 < 1 < found["error"]


@pytest.mark.parametrize("name", ["gradient", "hessian", "covariance_term", "curvature"])
def test_corrected_formulas_hold_and_printed_ones_do_not(name):
    experiment = experiment_of("kwise_gap")
    check = next(c for c in experiment.checks() if c.name == name)
    found = experiment.measure(check, 6, stream(0, name), 5)
    assert found[check.method].max() <= 1 + 1e-9 < found[check.controls[0]].max()


MDP = [
    ("n_pairs_greedy", {"greedy": -0.5, "argmin_policy": 0.0}),
    ("epsilon_greedy", {"greedy": -0.5}),
    ("n_pairs", {"pessimistic": -0.57, "printed_objective": 0.0}),
    ("epsilon", {"pessimistic": -0.57, "printed_objective": 0.0}),
]


@pytest.mark.parametrize(("name", "expected"), MDP)
def test_mdp_gap(name, expected):
    found = exponents(experiment_of("mdp_gap"), name, replicates=30)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.15), method


def test_wrong_noise_on_trajectories_is_seen():
    found = exponents(experiment_of("mdp_gap"), "n_pairs_greedy")
    assert found["root_n_noise"] > -0.42
    found = exponents(experiment_of("mdp_gap"), "epsilon_greedy")
    assert found["noise_without_epsilon"] > -0.4


def test_curvature_of_trajectories_needs_the_sum_over_steps():
    experiment = experiment_of("mdp_gap")
    check = next(c for c in experiment.checks() if c.name == "covariance")
    found = experiment.measure(check, 4, stream(0, "covariance"), 20)
    assert found["covariance"].max() <= 1 < found["covariance_printed"].max()


def test_epsilon_above_one_is_refused():
    with pytest.raises(BadInput, match="at most 1"):
        experiment_of("objective_perturbation_error", epsilon=2.0)


def test_a_stricter_budget_asks_for_as_many_times_more_labels():
    half = experiment_of("objective_perturbation_error", epsilon=0.5).checks()[0]
    whole = experiment_of("objective_perturbation_error").checks()[0]
    assert half.grid == tuple(2 * n for n in whole.grid)
