"""What every row of every experiment owes: values of every method, and a control."""

import numpy as np
import pytest
from repro.study.case import EPSILON_OF

from repro.base.errors import BadInput
from repro.cli.composition import compose_values
from repro.study.discovery import find, slugs
from repro.study.plan import built
from repro.study.settings import session_of

SLUGS = [slug for slug in slugs() if not find(slug).extra]
RUN_WHOLE = {
    "central_dp_privacy", "covariance_privacy", "kl_contraction", "local_privacy_channels",
    "lower_bound", "objective_perturbation_privacy", "offline_gap", "p1_literal_readings",
    "p1_scalar_lemmas", "p2_meta_theorem", "p2_optimism_lemmas", "randomized_response",
    "reward_error", "tightness_private_robust",
}  # fmt: skip
"""Their own tests run every row."""

NEVER_FAILS = {
    "private_chipo", "square_chipo", "uniform_convergence_log", "uniform_convergence_square",
    "fast_rate_offline", "p2_scalar_lemmas", "loss_comparison",
}  # fmt: skip
"""Every replicate of every method gives a number."""

MAY_BE_NEGATIVE = {
    "private_chipo", "square_chipo", "log_regret", "log_regret_nonprivate", "fast_rate_online",
    "price_of_adaptivity", "corrected_log_regret",
}  # fmt: skip
"""They measure differences, of which only the mean is positive, or gaps to a comparator that need
not be the best policy."""


def trials(slug, **values):
    composed = compose_values(slug, {"budget": "smoke", **values})
    return built(session_of({**composed, "output_dir": "unused"}).plan).trials


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in RUN_WHOLE])
def test_rows_measure_every_method_and_are_pure(slug):
    for trial in trials(slug):
        case, measure = trial.cases[len(trial.cases) // 2], trial.row.measure
        once, again = (measure.at([case], [np.random.default_rng(3)], 3)[0] for _ in range(2))
        assert set(once) == {method.name for method in trial.methods}
        for name, values in once.items():
            assert np.shape(values) in {(), (1,), (3,)}, (trial.row.name, name)
            finite = np.isfinite(values)
            assert finite.all() if slug in NEVER_FAILS else finite.any(), (trial.row.name, name)
            if slug not in MAY_BE_NEGATIVE:
                assert (np.nan_to_num(values) >= 0).all(), (trial.row.name, name)
            np.testing.assert_array_equal(values, again[name])


@pytest.mark.parametrize("slug", SLUGS)
def test_every_row_has_a_control_or_is_a_contradiction(slug):
    bare = [trial.row for trial in trials(slug) if not trial.row.wrong]
    assert not [row.name for row in bare if row.expected != "contradicted"]


@pytest.mark.parametrize("slug", SLUGS)
def test_without_privacy_mistakes_about_privacy_are_no_controls(slug):
    try:
        found = trials(slug, epsilon=float("inf"))
    except BadInput:
        pytest.skip("needs a finite budget")
    for trial in found:
        if trial.given.epsilon == float("inf") and trial.row.over not in EPSILON_OF:
            assert not any(method.privacy_mistake for method in trial.methods)
