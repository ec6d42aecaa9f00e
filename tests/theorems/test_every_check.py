"""What every check of every theorem owes: values of every algorithm, and a control."""

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.study.composition import compose_values
from repro.study.discovery import find, slugs
from repro.study.plan import built
from repro.study.settings import session_of
from tests.at_each import at_each

SLUGS = [slug for slug in slugs() if not find(slug).extra]
RUN_WHOLE = {
    "central_dp_privacy", "covariance_privacy", "kl_contraction", "local_privacy_channels",
    "lower_bound", "objective_perturbation_privacy", "offline_gap", "p1_literal_readings",
    "p1_scalar_lemmas", "p2_meta_theorem", "p2_optimism_lemmas", "randomized_response",
    "reward_error", "tightness_private_robust",
}  # fmt: skip
"""Their own tests run every check."""

NEVER_FAILS = {
    "private_chipo", "square_chipo", "uniform_convergence_log", "uniform_convergence_square",
    "fast_rate_offline", "p2_scalar_lemmas", "loss_comparison",
}  # fmt: skip
"""Every replicate of every algorithm gives a number."""

MAY_BE_NEGATIVE = {
    "private_chipo", "square_chipo", "log_regret", "log_regret_nonprivate", "fast_rate_online",
    "price_of_adaptivity", "corrected_log_regret",
    "corrected_offline_gap",
}  # fmt: skip
"""They measure differences, of which only the mean is positive, or gaps to a comparator that need
not be the best policy."""


SELDOM = {"corrected_log_regret": 100}
"""Replicates of which some err at all: without an error these checks have no number."""


def swept(slug, **values):
    composed = compose_values(slug, {"budget": "smoke", **values})
    return built(session_of({**composed, "output_dir": "unused"}).plan).swept


@pytest.mark.slow
@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug not in RUN_WHOLE])
def test_checks_measure_every_algorithm_and_are_pure(slug):
    for one in swept(slug):
        middle = len(one.measured) // 2
        size = SELDOM.get(slug, 3)
        once, again = (one.at(middle, np.random.default_rng(3), size) for _ in range(2))
        assert [*once] == [algorithm.__name__ for algorithm in one.algorithms], one.name
        for name, values in once.items():
            assert values.shape == (size,), (one.name, name)
            finite = np.isfinite(values)
            assert finite.all() if slug in NEVER_FAILS else finite.any(), (one.name, name)
            if slug not in MAY_BE_NEGATIVE:
                assert (np.nan_to_num(values) >= 0).all(), (one.name, name)
            np.testing.assert_array_equal(values, again[name])


@at_each("slug", SLUGS)
def test_every_check_has_a_control_or_is_a_contradiction(slug):
    bare = [check for check in find(slug).checks if not check.wrong]
    assert [check.name for check in bare if check.expected != "contradicted"] == []


@pytest.mark.some(4)
@pytest.mark.parametrize("slug", SLUGS)
def test_without_privacy_mistakes_about_privacy_are_no_controls(slug):
    """Checks that sweep ε, or keep their own, have them still; some theorems need a finite ε."""
    found, line = (), ""
    try:
        found = swept(slug, epsilon=float("inf"))
    except BadInput as refused:
        line = str(refused)
    assert found or line.startswith("epsilon=inf: ")
    for one in found:
        wrong = [each for each in one.check.wrong if not hasattr(each, "privacy_mistake")]
        free = all(getattr(world, "epsilon", 0) == float("inf") for world in one.sweep.worlds)
        assert [*one.algorithms[1:]] == (wrong if free else [*one.check.wrong])
