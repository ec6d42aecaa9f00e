"""Every row of P2's offline experiments: measured, finite, on an instance its statement allows."""

from __future__ import annotations

import numpy as np
import pytest

import repro
from repro.cli.composition import compose_values
from repro.corruption.huber_reports import idle_adversary
from repro.corruption.orders import Order
from repro.preferences.label_law import fair_coins, no_randomizer, the_truth
from repro.study.plan import built
from repro.study.settings import session_of
from repro.study.stages import stages_of

SLUGS = [
    "private_chipo",
    "square_chipo",
    "uniform_convergence_log",
    "uniform_convergence_square",
    "fast_rate_offline",
    "p2_scalar_lemmas",
    "loss_comparison",
]


def built_here(slug, tmp_path, instance="linear", **values):
    composed = compose_values(slug, {"instance": instance, "output_dir": str(tmp_path), **values})
    return built(session_of(composed).plan).experiment


@pytest.mark.parametrize("slug", SLUGS)
def test_every_method_of_every_row_gives_finite_replicates(slug, tmp_path):
    for trial in built_here(slug, tmp_path).trials:
        case, rng = trial.cases[-1], np.random.default_rng(0)
        found = trial.row.measure.of(case, rng, 3)
        assert set(found) == {method.name for method in trial.methods}
        for values in found.values():
            assert np.shape(values) in ((), (3,))
            assert np.isfinite(values).all()
            assert (np.asarray(values) >= 0).all()


@pytest.mark.parametrize("slug", SLUGS)
def test_assumptions_hold(slug, tmp_path):
    failing = [a for a in built_here(slug, tmp_path).assumptions() if not a.holds]
    assert failing == []


@pytest.mark.parametrize("slug", ["private_chipo", "fast_rate_offline", "loss_comparison"])
def test_text_pairs_replace_the_linear_world(slug, tmp_path):
    trial = built_here(slug, tmp_path, "preference_text").trials[0]
    found = trial.row.measure.of(trial.cases[0], np.random.default_rng(0), 2)
    assert np.isfinite(found[trial.row.method.name]).all()


@pytest.mark.parametrize("slug", SLUGS)
def test_every_row_has_a_control_or_is_a_contradiction(slug, tmp_path):
    bare = [t.row for t in built_here(slug, tmp_path).trials if not t.row.wrong]
    assert all(row.expected == "contradicted" for row in bare)


@pytest.mark.parametrize("slug", [slug for slug in SLUGS if slug != "p2_scalar_lemmas"])
def test_without_privacy_mistakes_about_privacy_are_no_controls(slug, tmp_path):
    for trial in built_here(slug, tmp_path, epsilon=float("inf")).trials:
        if trial.given.epsilon == float("inf") and trial.row.over != "privacy_cost":
            assert not any(method.privacy_mistake for method in trial.methods)


STAGES = {
    "private_chipo": {"labels", "channel", "estimate"},
    "square_chipo": {"labels", "channel", "estimate", "order", "adversary"},
    "fast_rate_offline": {"labels", "channel", "estimate"},
    "loss_comparison": {"labels", "channel", "estimate", "order", "adversary"},
    "uniform_convergence_log": {"labels", "channel"},
}


@pytest.mark.parametrize("slug", STAGES)
def test_every_case_of_drawn_labels_can_be_ablated(slug, tmp_path):
    for trial in built_here(slug, tmp_path).trials:
        assert STAGES[slug] <= stages_of(trial.cases[0]), trial.row.name


@pytest.mark.parametrize(
    ("slug", "row", "stages"),
    [
        ("square_chipo", "n_pairs", {"labels": fair_coins}),
        ("fast_rate_offline", "horizon", {"labels": fair_coins}),
        ("fast_rate_offline", "horizon_linear", {"estimate": the_truth}),
        ("fast_rate_offline", "floor_horizon_ltc", {"adversary": idle_adversary}),
        ("uniform_convergence_square", "prefactor_ltc", {"order": Order.CTL}),
        ("uniform_convergence_square", "n_pairs", {"channel": no_randomizer}),
    ],
)
def test_a_row_notices_what_it_needs_being_taken_away(slug, row, stages):
    few = {"budget": "smoke", "only": [row], "overrides": ["compute.workers=1"]}
    (plain,) = repro.run(slug, **few).result.checks
    (taken,) = repro.run(slug, **few, stages=stages).result.checks
    assert plain.outcome.verdict == "supported"
    assert taken.outcome.verdict != "supported"
