"""Floors without coverage by hand: suprema over the mass of a rare pair."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from repro.base.notation import epsilon_of_cost
from repro.labels.corruption.orders import Order
from repro.p4.adversaries.adversary import NONE, STRONG
from repro.p4.corruption_floors.rare_labels import RarePairLabels, RarePairs
from repro.p4.corruption_floors.rare_pairs import (
    Uncovered,
    UnseenPair,
    covered_dpo,
    largest_condition_number,
    rare_direction,
    uncovered_dpo,
    uncovered_estimation,
    uncovered_greedy,
    uncovered_pessimism,
    unseen_dpo,
)
from repro.p4.debiased_mle.labels import AttackedLabels
from repro.p4.linear_rlhf.bandit import relative_condition_number
from repro.p4.minimax.modulus import modulus
from repro.worlds.instances.labelled import PrivateLabels

BOUND, COST, SHARE = 2.0, 5.0, 1e-5
MOVED = COST * SHARE


PAIRS = RarePairs(reward_bound=BOUND, lightest=0.5, heaviest=2e4, ratio=1.25, kl_weight=0.02)


def case(share=SHARE, adversary=STRONG):
    return RarePairLabels(
        instance=PAIRS, epsilon=epsilon_of_cost(COST), corruption=share, adversary=adversary,
        order=Order.LTC,
    )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Given(PrivateLabels, AttackedLabels):
    """Labels of what a test gives."""

    world: Any


def test_estimation_attains_the_modulus():
    assert uncovered_estimation(case()) == pytest.approx(modulus(MOVED, BOUND), rel=0.01)


def test_greedy_turns_the_largest_margin_in_the_worst_pair():
    """√m·B′ at m = 2ζα/tanh(B′/2), where σ(B′) − ζα/m = ½."""
    expected = BOUND * math.sqrt(2 * MOVED / math.tanh(BOUND / 2))
    assert uncovered_greedy(case()) == pytest.approx(expected, rel=0.01)


def test_pessimism_pays_for_its_reach():
    assert uncovered_greedy(case()) < uncovered_pessimism(case()) <= 2 * modulus(MOVED, BOUND)


def test_dpo_loses_what_the_straight_gap_says():
    """½·reward·√(moved²)/(4β): state 3 of probability ½, the swing of θ₁ inside the ball."""
    share = 1e-10
    truth = rare_direction(BOUND)
    swing = 2 * abs(float(truth[0]))
    expected = modulus(COST * share, swing / 2) * 0.5 * float(truth[1]) / 2 / 4 / 0.02
    assert uncovered_dpo(case(share)) == pytest.approx(expected, rel=0.01)


def test_under_coverage_dpo_loses_most_at_the_least_mass():
    """½·(½ − √ξ)·θ₀·√ξ·(Z/ξ)/σ′(θ₁)/(4β), by hand."""
    share, least, end = 1e-9, 0.01, BOUND / 2**0.5
    given = Given(
        world=Uncovered(BOUND, (least, 0.25), 1.25, 0.02), epsilon=epsilon_of_cost(COST),
        corruption=share, adversary=STRONG,
    )  # fmt: skip
    found = covered_dpo(given)
    swing = COST * share / least**0.5 * 4 * math.cosh(end / 2) ** 2
    assert found == pytest.approx((0.5 - 0.1) * end / 2 * swing / 4 / 0.02, rel=1e-3)


@pytest.mark.parametrize("seen", [False, True])
def test_a_pair_without_labels_is_taken_as_even(seen):
    mass = 1e-10
    pair = UnseenPair(Uncovered(BOUND, (mass, mass), 1.25, 0.02), mass if seen else 0.0)
    found = unseen_dpo(Given(world=pair, epsilon=epsilon_of_cost(COST)))
    expected = 0.0 if seen else BOUND**2 * math.sqrt(mass) / 32 / 0.02
    assert found == pytest.approx(expected, rel=1e-3, abs=1e-12)


def test_nobody_does_nothing():
    for floor in (uncovered_greedy, uncovered_estimation, uncovered_dpo):
        assert not floor(case(adversary=NONE)) > 1e-9


@pytest.mark.parametrize("mass", [1e-9, 1e-3, 0.2])
def test_the_condition_number_of_all_policies_is_bounded(mass):
    """Largest over policies of the third state: evenly mixed; those of the others are shared."""
    data = np.diag([mass, 0.25])
    chosen = np.array([math.sqrt(mass), 0.5])
    target = data + 0.5 * 0.5 * np.outer(chosen, chosen)
    assert relative_condition_number(target, data) <= largest_condition_number() * (1 + 1e-9)


def test_under_a_uniform_reference_the_rare_pair_is_as_likely_as_the_other():
    even = Uncovered(2.0, (1e-4, 0.1), 1.5, 0.3).under_uniform_reference()
    assert even.masses == (0.25, 0.25)
    assert even.ladder().tolist() == [0.25]
    assert Uncovered(2.0, (0.01, 0.1), 2.0, 0.3).ladder().tolist() == [0.01, 0.02, 0.04, 0.08]
