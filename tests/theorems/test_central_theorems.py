"""P3's experiments at a tiny budget: one grid end against the other, per method."""

from pathlib import Path

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.base.schema import validate
from repro.cli.composition import compose_values
from repro.privacy.central_noise import NO_NOISE
from repro.study.config import Overrides
from repro.study.discovery import find
from repro.study.experiment import Setting
from repro.study.plan import built
from repro.study.settings import session_of
from repro.study.stream import stream


def trials_of(slug, **overrides):
    """Trials of an experiment, by name of the row."""
    values = {**compose_values(slug, {}), "output_dir": "unused", **overrides}
    return {trial.row.name: trial for trial in built(session_of(values).plan).trials}


def measured(slug, name, value, replicates, key=None):
    """Values of every method of a row at one grid value."""
    trial = trials_of(slug)[name]
    case = trial.cases[trial.grid.index(value)]
    return trial.row.measure.of(case, stream(0, *(key or (name, value))), replicates)


def exponents(slug, name, replicates=40):
    """Exponent of each method between the first and the last grid value."""
    trial = trials_of(slug)[name]
    first, last = trial.grid[0], trial.grid[-1]
    ends = [measured(slug, name, value, replicates) for value in (first, last)]
    length = np.log(last / first)
    return {
        m.name: float(np.log(np.nanmean(ends[1][m.name]) / np.nanmean(ends[0][m.name])) / length)
        for m in trial.methods
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
    found = exponents("objective_perturbation_error", name)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.12), method


STEPS = ["strong_convexity", "growth", "ridge_convexity", "ridge_step", "noise_step", "output_step"]


@pytest.mark.parametrize("name", STEPS)
def test_steps_hold_as_corrected_and_fail_as_printed(name):
    slug = "objective_perturbation_error"
    trials = trials_of(slug)
    trial = trials[name]
    found = measured(slug, name, trial.grid[-1], 60, key=(name,))
    limit = 0.05 if name == "noise_step" else 1 + 1e-9
    right, control = trial.methods
    wrong = found[control.name]
    assert found[right.name].max() <= limit
    assert (wrong.mean() if name == "noise_step" else wrong.max()) > limit
    printed = trials.get(f"{name}_printed")
    assert printed is None or printed.row.method == control


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
    found = exponents("central_dp_gap", name)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.15), method


def frequencies(slug, name, value, replicates=40):
    return {m: values.mean() for m, values in measured(slug, name, value, replicates).items()}


def test_the_confidence_set_covers_and_the_bound_holds():
    covers = frequencies("central_dp_gap", "confidence_covers", 1e6)
    assert covers["misses"] == 0
    assert covers["misses_without_private_term"] > 0.3
    bound = frequencies("central_dp_gap", "theorem_bound", 1e8)
    assert bound["pessimistic_fails"] == 0
    assert bound["greedy_fails"] > 0.2


def test_the_text_ridge_leaves_the_confidence_set():
    found = exponents("central_dp_gap", "confidence")
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
    found = exponents("covariance_lemmas", name)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.1), method


@pytest.mark.parametrize("kind", ["pairs", "rankings", "trajectories"])
@pytest.mark.parametrize("norm", ["gradient", "hessian"])
def test_printed_norms_hold_and_forgetful_ones_do_not(norm, kind):
    trial = trials_of("covariance_lemmas")[f"{norm}_{kind}"]
    found = measured("covariance_lemmas", trial.row.name, trial.grid[-1], 5, key=(norm,))
    assert found["printed"].max() <= 1 + 1e-12
    assert found[trial.methods[1].name].max() > 1.5


def test_the_ridge_keeps_the_covariance_definite():
    covers = frequencies("covariance_lemmas", "ridge_covers", 8)
    assert covers["uncovered"] == 0 < covers["uncovered_small_ridge"]
    definite = frequencies("covariance_lemmas", "indefinite", 8)
    assert definite["indefinite"] == 0 < definite["indefinite_without_ridge"]


def test_symmetric_part_halves_the_squared_norm():
    ratio = frequencies("covariance_lemmas", "symmetric_gain", 64)
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
    found = exponents("kwise_gap", name, replicates=20)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.15), method


def test_sharp_k_constants_do_not_grow():
    found = exponents("kwise_gap", "ranked_actions_sharp", replicates=20)
    assert found["error_sharp"] < 0.3 < 1 < found["error"]


@pytest.mark.parametrize("name", ["gradient", "hessian", "covariance_term", "curvature"])
def test_corrected_formulas_hold_and_printed_ones_do_not(name):
    trial = trials_of("kwise_gap")[name]
    found = measured("kwise_gap", name, 6, 5, key=(name,))
    right, control = (found[m.name].max() for m in trial.methods)
    assert right <= 1 + 1e-9 < control


MDP = [
    ("n_pairs_greedy", {"greedy": -0.5, "argmin_policy": 0.0}),
    ("epsilon_greedy", {"greedy": -0.5}),
    ("n_pairs", {"pessimistic": -0.57, "printed_objective": 0.0}),
    ("epsilon", {"pessimistic": -0.57, "printed_objective": 0.0}),
]


@pytest.mark.parametrize(("name", "expected"), MDP)
def test_mdp_gap(name, expected):
    found = exponents("mdp_gap", name, replicates=30)
    for method, exponent in expected.items():
        assert found[method] == pytest.approx(exponent, abs=0.15), method


def test_wrong_noise_on_trajectories_is_seen():
    found = exponents("mdp_gap", "n_pairs_greedy")
    assert found["root_n_noise"] > -0.42
    found = exponents("mdp_gap", "epsilon_greedy")
    assert found["noise_without_epsilon"] > -0.4


def test_curvature_of_trajectories_needs_the_sum_over_steps():
    found = measured("mdp_gap", "covariance", 4, 20, key=("covariance",))
    assert found["covariance"].max() <= 1 < found["covariance_printed"].max()


def test_epsilon_above_one_is_refused():
    with pytest.raises(BadInput, match=r"^epsilon=2.0: allowed: at most 1 .input of P3"):
        trials_of("objective_perturbation_error", epsilon=2.0)
    theorem = compose_values("covariance_lemmas", {})["theorem"]
    theorem["probes"]["excess"]["epsilon"] = 1.5
    with pytest.raises(BadInput, match=r"^theorem.probes.excess.epsilon=1.5: allowed: at most 1"):
        trials_of("covariance_lemmas", theorem=theorem)


def test_a_stricter_budget_asks_for_as_many_times_more_labels():
    half = trials_of("objective_perturbation_error", epsilon=0.5)["n_pairs"]
    whole = trials_of("objective_perturbation_error")["n_pairs"]
    assert half.grid == tuple(2 * n for n in whole.grid)


def test_a_number_that_no_row_reads_is_refused():
    with pytest.raises(BadInput, match=r"^horizon=9.*changes nothing in central_dp_gap"):
        trials_of("central_dp_gap", horizon=9)


STAGES = [
    ("central_dp_gap", "n_pairs", "labels", "fair_coins", "pessimistic"),
    ("central_dp_gap", "n_pairs", "bonus", "none", "pessimistic"),
    ("central_dp_gap", "n_pairs", "bonus", "reversed", "pessimistic"),
    ("central_dp_gap", "n_pairs_greedy", "noise", "no_noise", "greedy"),
    ("kwise_gap", "error", "labels", "fair_coins", "error"),
    ("kwise_gap", "error", "noise", "no_noise", "error"),
    ("mdp_gap", "n_pairs_greedy", "labels", "fair_coins", "greedy"),
    ("objective_perturbation_error", "n_pairs", "labels", "fair_coins", "private_mle"),
    ("objective_perturbation_error", "n_pairs", "noise", "no_noise", "private_mle"),
]


@pytest.mark.parametrize(("slug", "name", "stage", "instead", "method"), STAGES)
def test_a_replaced_stage_reaches_the_measurement(slug, name, stage, instead, method):
    plain = trials_of(slug)[name]
    other = trials_of(slug, stages={stage: instead})[name]
    found = [
        trial.row.measure.of(trial.cases[0], stream(0, "stage"), 20)[method].mean()
        for trial in (plain, other)
    ]
    assert found[0] != pytest.approx(found[1], rel=0.01)


@pytest.mark.parametrize(
    ("slug", "name", "method"),
    [("central_dp_gap", "n_pairs_greedy", "greedy"), ("kwise_gap", "error", "error"),
     ("mdp_gap", "n_pairs_greedy", "greedy"),
     ("objective_perturbation_error", "n_pairs_scales", "private_mle")],
)  # fmt: skip
def test_who_knows_the_truth_makes_no_error(slug, name, method):
    trial = trials_of(slug, stages={"estimate": "the_truth"})[name]
    found = trial.row.measure.of(trial.cases[0], stream(0, "truth"), 5)[method]
    assert found == pytest.approx(np.zeros(5), abs=1e-15)


PRIVATE = [
    ("covariance_privacy", "exact_delta"),
    ("objective_perturbation_privacy", "corrected"),
    ("central_dp_privacy", "kwise_estimate"),
]


@pytest.mark.parametrize(("slug", "name"), PRIVATE)
def test_without_noise_nothing_is_private(slug, name):
    kind = find(slug)
    config = validate(kind.config_type, compose_values(slug, {})["theorem"])
    setting = Setting(Overrides(), {"kind": "linear"}, "cpu", Path("unused"), {"noise": NO_NOISE})
    trial = next(trial for trial in kind(config, setting).trials if trial.row.name == name)
    mechanism, claim = trial.row.method.run(trial.cases[0])
    assert mechanism.exact_delta(claim.epsilon) == 1
    assert mechanism.exact_epsilon(claim.dp_delta) == np.inf
    rng = np.random.default_rng(0)
    assert mechanism.scores(rng, False, 3).tolist() == [0, 0, 0]
    assert mechanism.scores(rng, True, 3).tolist() == [1, 1, 1]
