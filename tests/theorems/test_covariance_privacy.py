"""Privacy of P3's noisy covariance, and what happens when it is broken."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import repro
from repro.base.schema import validate
from repro.cli.composition import compose_values
from repro.families.central import mechanisms_gaussian
from repro.families.central.cases_privacy import CentralPrivacyProbes
from repro.study.config import Overrides
from repro.study.experiment import Setting
from repro.study.privacy_rows import Private
from repro.study.trial import Trial
from theorems import covariance_privacy


def test_a_small_run_gives_the_pinned_verdicts(small_run, surprises):
    assert surprises(small_run) == []
    assert small_run.verdict == "contradicted"
    assert all(one.holds for one in small_run.result.assumptions)


def test_only_what_is_printed_is_contradicted(contradicted_rows):
    assert contradicted_rows == {
        "printed_delta",
        "printed_delta_one_item",
        "printed_distance",
        "printed_epsilon",
        "trajectory",
    }


def test_without_noise_nothing_is_private(nothing_is_private):
    nothing_is_private("exact_delta")


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


def test_a_budget_beyond_the_statement_fails_its_assumption():
    few = ["compute.workers=1", "budget.replicates=40", "budget.blocks=5"]
    result = repro.run("covariance_privacy", epsilon=2.0, budget="smoke", overrides=few).result
    assert result.verdict == "assumption_failed"


def test_half_the_noise_turns_the_verdict(turned):
    def wrong(right, *equation, **how):
        return right(*equation, **how) + math.log(2)

    found = turned("exact_delta", mechanisms_gaussian, "brentq", wrong)
    assert found == ("supported", "contradicted")
