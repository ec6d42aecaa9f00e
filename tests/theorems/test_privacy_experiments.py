from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import repro
from repro.base.errors import BadInput
from repro.base.schema import validate
from repro.cli.composition import compose_values
from repro.families.central.cases_privacy import CentralPrivacyProbes
from repro.families.offline_kl import mechanisms_release as release
from repro.study import privacy_rows
from repro.study.config import Overrides
from repro.study.experiment import Setting
from repro.study.privacy_rows import Private
from repro.study.trial import Trial
from theorems import covariance_privacy, kl_contraction
from theorems import local_privacy_channels as channels

SMALL = ("compute.workers=1", "budget.replicates=40", "budget.blocks=5", "budget.resamples=200")
EXPECTED = {
    "covariance_privacy": "contradicted",
    "objective_perturbation_privacy": "contradicted",
    "central_dp_privacy": "contradicted",
    "local_privacy_channels": "supported",
    "randomized_response": "supported",
    "kl_contraction": "supported",
}


@pytest.fixture(scope="module")
def small_run():
    """A small run of an experiment, once; the attackers' pilots are small too."""
    done = {}

    def run(slug):
        if slug not in done:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(privacy_rows, "PILOT", 20_000)
                done[slug] = repro.run(slug, budget="smoke", overrides=SMALL).result
        return done[slug]

    return run


@pytest.mark.parametrize("slug", EXPECTED)
def test_a_small_run_gives_the_pinned_verdicts(small_run, slug):
    result = small_run(slug)
    assert result.as_expected
    assert result.verdict == EXPECTED[slug]
    assert all(item.caught for item in result.checks)
    assert all(one.holds for one in result.assumptions)
    contradicted = {c.check.name for c in result.checks if c.outcome.verdict == "contradicted"}
    assert all("printed" in name or name in ("trajectory", "any_constant") for name in contradicted)


@pytest.mark.parametrize("slug", ["objective_perturbation_privacy", "central_dp_privacy"])
def test_audit_bounds_lie_below_the_exact_epsilon(small_run, slug):
    result = small_run(slug)
    audits = [item for item in result.checks if item.check.kind == "privacy"]
    assert max(item.outcome.numbers["audit_lower_bound"] for item in audits) > 0.1
    for item in audits:
        for one in (item.outcome, *item.controls):
            assert 0 <= one.numbers["audit_lower_bound"] <= one.numbers["exact_epsilon"]


KINDS = {
    "pairs": covariance_privacy.PAIRS,
    "kwise": covariance_privacy.KWISE,
    "main_text": covariance_privacy.MAIN_TEXT,
    "trajectory": covariance_privacy.TRAJECTORY,
}


@pytest.mark.parametrize("world", KINDS)
@pytest.mark.parametrize("value", [2, 4, 5])
def test_no_features_move_the_covariance_further(world, value):
    rng = np.random.default_rng(0)
    largest = 0.0
    for _ in range(200):
        one, other = (_random_item(rng, world, value) for _ in range(2))
        largest = max(largest, float(np.linalg.norm(one - other)))
    assert largest <= math.sqrt(2) * KINDS[world].sensitivity(value) + 1e-9


def _random_item(rng, world, value):
    """n times a random item's share of Σ, with features of norm 1."""

    def features(count):
        drawn = rng.standard_normal((count, 2))
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    if world == "kwise":
        x = features(value)
        pairs = [x[j] - x[k] for j in range(value) for k in range(j + 1, value)]
        return 2 / (value * (value - 1)) * sum(np.outer(d, d) for d in pairs)
    steps = features(value if world != "pairs" else 1) - features(value if world != "pairs" else 1)
    if world == "main_text":
        return sum(np.outer(d, d) for d in steps)
    return np.outer(steps.sum(axis=0), steps.sum(axis=0))


def test_the_order_of_corruption_and_privacy():
    case = channels.CorruptedCase(
        methods=(), epsilon=0.5, corruption=0.2, claimed=channels.whole_budget
    )

    def spent(method):
        return method.run(case)[0].exact_epsilon(0.0)

    assert spent(channels.LTC) == pytest.approx(0.5)
    assert spent(channels.CTL) == pytest.approx(channels.ctl_epsilon(0.5, 0.2))
    assert spent(channels.CLC) < spent(channels.CTL) < 0.5 < spent(channels.RAW_ADVERSARY)


def test_a_ladder_of_reports_has_the_right_margins():
    case = release.ReleaseCase(methods=(), epsilon=0.6, horizon=3)
    joint = release.nested_reports(case).reshape(2, 2, 2, 2)
    for axis, budget in enumerate((0.6, 0.4, 0.2)):
        rest = tuple(a for a in (1, 2, 3) if a != axis + 1)
        margin = joint.sum(axis=rest)
        assert np.log(margin[0, 0] / margin[1, 0]) == pytest.approx(budget)


def test_random_channels_are_private_and_varied():
    drawn = kl_contraction.random_channels(np.random.default_rng(0), 0.3, 500)
    assert drawn.sum(axis=2) == pytest.approx(1)
    spent = np.ptp(np.log(drawn), axis=1).max(axis=1)
    assert spent.max() <= 0.3 + 1e-12
    assert np.quantile(spent, 0.9) > 0.25


def test_a_privacy_check_with_two_claims_is_refused():
    """The swept δ makes a claim of its own at every grid point."""
    rows = {row.name: row for row in covariance_privacy.CovariancePrivacy.rows}
    experiment = covariance_privacy.CovariancePrivacy(
        validate(CentralPrivacyProbes, compose_values("covariance_privacy", {})["theorem"]),
        Setting(Overrides(), {"kind": "linear"}, "cpu", Path("unused")),
    )
    row = replace(rows["printed_delta"], claim=Private("two claims"))
    with pytest.raises(ValueError, match="one claim"):
        _ = Trial(experiment, row, experiment.config.probes["printed_delta"]).check


def test_the_budget_can_be_given_at_top_level():
    result = repro.run("randomized_response", epsilon=1.5, budget="smoke", overrides=SMALL).result
    audit = next(item for item in result.checks if item.check.name == "audit")
    assert audit.outcome.numbers["claimed_epsilon"] == 1.5
    assert result.as_expected
    with pytest.raises(BadInput, match="a finite number"):
        repro.run("randomized_response", epsilon=math.inf, budget="smoke", overrides=SMALL)


def test_a_budget_beyond_the_statement_fails_its_assumption():
    result = repro.run("covariance_privacy", epsilon=2.0, budget="smoke", overrides=SMALL).result
    assert result.verdict == "assumption_failed"
