"""Lemma B.1 of P1 end to end, and what happens when its implementation is broken."""

import math

import pytest

import repro
from repro.families.offline_kl.algorithms_reward import Labels


def test_every_verdict_is_the_pinned_one_and_every_control_is_caught(smoke, surprises):
    assert surprises(smoke) == []


@pytest.mark.parametrize(
    ("check", "slope"),
    [("n_pairs", -1), ("privacy_cost", 2), ("num_features", 1), ("reward_bound_eps_one", 2),
     ("reward_bound_eps_inf", 1)],
)  # fmt: skip
def test_measured_exponents(smoke, check, slope, by_name):
    assert by_name(smoke)[check].outcome.numbers["slope"] == pytest.approx(slope, abs=0.06)


def test_a_missing_debias_turns_the_verdict(monkeypatch):
    right = Labels.error
    monkeypatch.setattr(
        Labels, "error", lambda self, counts, epsilon: right(self, counts, math.inf)
    )
    few = ["budget.replicates=100", "compute.workers=1"]
    done = repro.run("reward_error", budget="smoke", only=["n_pairs", "constant"], overrides=few)
    assert {item.outcome.verdict for item in done.result.checks} == {"contradicted"}
