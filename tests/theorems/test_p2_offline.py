"""Every row of P2's offline experiments: measured, finite, on an instance its statement allows."""

from __future__ import annotations

import numpy as np
import pytest

from repro.cli.composition import compose_values
from repro.study.settings import session_of

SLUGS = [
    "private_chipo",
    "square_chipo",
    "uniform_convergence_log",
    "uniform_convergence_square",
    "fast_rate_offline",
    "p2_scalar_lemmas",
    "loss_comparison",
]


def built(slug, tmp_path, instance="linear", **values):
    composed = compose_values(slug, {"instance": instance, "output_dir": str(tmp_path), **values})
    return session_of(composed).plan.experiment()


@pytest.mark.parametrize("slug", SLUGS)
def test_every_method_of_every_row_gives_finite_replicates(slug, tmp_path):
    experiment = built(slug, tmp_path)
    for check in experiment.checks():
        found = experiment.measure(check, check.grid[-1], np.random.default_rng(0), 3)
        assert set(found) == set(check.methods)
        for method in check.methods:
            assert found[method].shape == (3,)
            assert np.isfinite(found[method]).all()
            assert (found[method] >= 0).all()


@pytest.mark.parametrize("slug", SLUGS)
def test_assumptions_hold(slug, tmp_path):
    failing = [a for a in built(slug, tmp_path).assumptions() if not a.holds]
    assert failing == []


@pytest.mark.parametrize("slug", ["private_chipo", "fast_rate_offline", "loss_comparison"])
def test_text_pairs_replace_the_linear_world(slug, tmp_path):
    experiment = built(slug, tmp_path, "preference_text")
    for check in experiment.checks()[:1]:
        found = experiment.measure(check, check.grid[0], np.random.default_rng(0), 2)
        assert np.isfinite(found[check.method]).all()


@pytest.mark.parametrize("slug", SLUGS)
def test_every_row_has_a_control_or_is_a_contradiction(slug, tmp_path):
    bare = [c for c in built(slug, tmp_path).checks() if not c.controls]
    assert all(check.expected == "contradicted" for check in bare)


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug != "p2_scalar_lemmas"])
def test_without_privacy_mistakes_about_privacy_are_no_controls(slug, tmp_path):
    experiment = built(slug, tmp_path, epsilon=float("inf"))
    for check in experiment.checks():
        if check.settings["epsilon"] == float("inf") and check.axis != "privacy_cost":
            assert not set(check.controls) & experiment.privacy_mistakes
