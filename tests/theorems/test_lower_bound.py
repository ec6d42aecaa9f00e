"""Theorem 4.5 of P1 end to end, and what happens when its implementation is broken."""

import math

import numpy as np
import pytest
from mpmath import iv

import repro
from repro.p1.hypercube import learners, risk
from repro.p1.hypercube.prior import HypercubePrior
from repro.study.composition import compose_values
from repro.study.plan import built
from repro.study.settings import session_of
from theorems.lower_bound import (
    AnyTilt,
    bound_as_printed,
    bound_of_enough_labels,
    separation,
)


@pytest.mark.parametrize(
    ("check", "slope"),
    [("n_pairs", -1), ("n_pairs_root", -0.5), ("privacy_cost", 2), ("privacy_cost_root", 1),
     ("num_states", 1), ("coverage_root", 0.5), ("kl_weight", -1)],
)  # fmt: skip
def test_measured_exponents(smoke, check, slope, by_name):
    assert by_name(smoke)[check].outcome.numbers["slope"] == pytest.approx(slope, abs=0.03)


def test_the_exponent_in_e_to_the_epsilon_follows_its_closed_form(smoke, by_name):
    """The local exponent is −4/(e^ε+1); at the two ends of the grid, about −1.48 and −0.16."""
    local = by_name(smoke)["epsilon_minus_one"].outcome.numbers["local_slopes"]
    middle = np.sqrt([0.5 * 1, 16 * 32])
    assert [local[0], local[-1]] == pytest.approx(-4 / (middle + 2), abs=0.12)


def test_tightness_of_the_steps(smoke, by_name):
    ratios = {
        name: by_name(smoke)[name].outcome.numbers["max_ratio"]
        for name in ("pair_kl", "pair_kl_sharper", "assouad")
    }
    assert ratios == pytest.approx(
        {"pair_kl": 0.25, "pair_kl_sharper": 1.0, "assouad": 0.598}, abs=0.02
    )


def test_a_missing_debias_turns_the_verdict(monkeypatch, by_name):
    right = learners._mle
    monkeypatch.setattr(learners, "_mle", lambda labels, epsilon: right(labels, math.inf))
    few = [
        "budget.replicates=100",
        "compute.workers=1",
        "theorem.worlds.small_tilt.ladder.pilot=500",
    ]
    done = repro.run("lower_bound", budget="smoke", only=["n_pairs_mle"], overrides=few)
    assert by_name(done)["n_pairs_mle"].outcome.verdict == "contradicted"


def test_few_labels_break_the_unstated_condition():
    few = {**compose_values("lower_bound", {"n_pairs": 10}), "output_dir": "unused"}
    failed = [a.name for a in built(session_of(few).plan).assumptions() if not a.holds]
    assert any("n > 4SC" in name for name in failed)


def test_the_printed_bound_at_one_label_is_worked_out_by_hand(swept_of):
    """√(2.5·10)/(√e − 1) = 7.707 is below 2·2.5·10/(√e − 1)²; at the least n it is B/2."""
    world = swept_of()["few_labels_printed"].sweep.worlds[0]
    assert bound_as_printed(world) == pytest.approx(5 / (math.sqrt(math.e) - 1))
    assert bound_of_enough_labels(world) == pytest.approx(0.5)


@pytest.mark.parametrize("log_odds", [1e-3, 0.3, 0.999, 1.0, 2.4, 40.0, 700.0])
def test_the_cost_of_two_corners(log_odds):
    """Where u ≤ 1 an enclosure, from there on the value."""
    prior = HypercubePrior(1, 4.0, 1.0, 2e3, log_odds, 1.0)
    exact = risk.separation(prior) / risk.exact_separation(prior)
    place = log_odds if log_odds <= 1 else 2 - 1 / log_odds
    found = separation(AnyTilt(kl_weight=1.0)).ratio(iv.mpf(place))
    assert float(found.a) * (1 - 1e-9) <= exact <= float(found.b) * (1 + 1e-9)
    assert float(found.b) <= 1.05 * exact
    assert exact < 0.607
