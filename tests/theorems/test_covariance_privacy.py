"""Privacy of P3's noisy covariance, and what happens when it is broken."""

import math

import numpy as np

import repro
from repro.labels.privacy import gaussian
from tests.at_each import at_each
from theorems.covariance_privacy import CovarianceRelease


def test_a_run_gives_the_pinned_verdicts(smoke, surprises):
    assert surprises(smoke) == []
    assert smoke.verdict == "contradicted"
    assert all(one.holds for one in smoke.result.assumptions)


def test_only_what_is_printed_is_contradicted(contradicted_rows):
    assert contradicted_rows == {
        "printed_delta",
        "printed_delta_added",
        "printed_distance",
        "printed_epsilon",
        "printed_epsilon_added",
        "trajectory",
        "trajectory_added",
    }


def test_without_noise_nothing_is_private(nothing_is_private):
    nothing_is_private("exact_delta")


ITEMS = CovarianceRelease.words["item"]


def test_the_printed_variance_of_a_ranking_is_k_to_the_sixth():
    # Lemma B.5
    pair, ranking = (ITEMS[item].noise(3) for item in ("pair", "ranking"))
    assert (ranking / pair) ** 2 == 729


@at_each("item", ITEMS)
@at_each("value", [2, 4, 5])
def test_no_features_move_the_covariance_further(item, value):
    rng = np.random.default_rng(0)
    largest = 0.0
    for _ in range(200):
        one, other = (_random_item(rng, item, value) for _ in range(2))
        largest = max(largest, float(np.linalg.norm(one - other)))
    assert largest <= math.sqrt(2) * ITEMS[item].sensitivity(value) + 1e-9


def _random_item(rng, item, value):
    """n times a random item's share of Σ, with features of norm 1."""

    def features(count):
        drawn = rng.standard_normal((count, 2))
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    if item == "ranking":
        x = features(value)
        pairs = [x[j] - x[k] for j in range(value) for k in range(j + 1, value)]
        return 2 / (value * (value - 1)) * sum(np.outer(d, d) for d in pairs)
    steps = features(value if item != "pair" else 1) - features(value if item != "pair" else 1)
    if item == "steps":
        return sum(np.outer(d, d) for d in steps)
    return np.outer(steps.sum(axis=0), steps.sum(axis=0))


def test_a_budget_beyond_the_statement_fails_its_assumption():
    few = ["compute.workers=1", "budget.replicates=40", "budget.blocks=5"]
    result = repro.run("covariance_privacy", epsilon=2.0, budget="smoke", overrides=few).result
    assert result.verdict == "assumption_failed"


def test_half_the_noise_turns_the_verdict(turned):
    def wrong(right, *equation, **how):
        return right(*equation, **how) + math.log(2)

    found = turned("exact_delta", gaussian, "brentq", wrong)
    assert found == ("supported", "contradicted")
