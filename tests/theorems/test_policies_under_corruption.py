"""Theorem 6.2 for policies and Theorem 6.1 at unknown α end to end, and broken learners."""

import math

import pytest

from repro.p4.adversaries.adversary import STRONG
from repro.p4.minimax import covered_policy, modulus
from repro.p4.minimax.covered_policy import least_loss
from theorems import policies_under_corruption as policies


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_the_ratio_to_four_digits(epsilon):
    """c(ε) of three budgets, by hand, from the closed form at α = 1e-7."""
    cost = (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
    ratio = least_loss(cost * 1e-7, 0.3) / least_loss(1e-7, 0.3)
    assert ratio == pytest.approx(cost, rel=1e-10)


def test_where_an_uneven_pair_costs_more_the_even_one_is_not_called_the_worst():
    """2Z/ξ = .866, beyond the .41 of the statement: 1.53 against atanh(.866) = 1.317."""
    share = 0.866 / 2 * 0.5 / policies.privacy_cost(1.0)
    world = policies.CoveredMargin(
        epsilon=1.0, order=policies.Order.LTC, corruption=share, reward_bound=8.0,
        min_eigenvalue=0.5, adversary=STRONG,
    )  # fmt: skip
    assert policies.largest_loss(world, None, 1, policies.moved_in_all) > 1.1 * math.atanh(0.866)


def test_the_limit_of_even_pairs():
    """ℓ·tanh(ℓ/2) = 2 at ℓ = 2.3994, σ(ℓ) − ½ = .4168."""
    length = 2.399357
    assert length * math.tanh(length / 2) == pytest.approx(2, rel=1e-5)
    assert 1 / (1 + math.exp(-length)) - 0.5 == pytest.approx(0.4168, abs=1e-4)
    assert policies.EVEN < 0.4168


@pytest.mark.parametrize("name", ["mixing_ltc", "greedy_twice", "separation"])
def test_a_learner_that_takes_the_better_response_for_the_worse_turns_the_verdict(name, turned):
    def reversed_choice(right, self, labels):
        return 1 - right(self, labels)

    found = turned(name, covered_policy.MarginOnLine, "first", reversed_choice)
    assert found == ("supported", "contradicted")


def test_penalties_that_are_next_to_nothing_turn_the_verdict(turned):
    """Γ ≡ 1e-9: then nothing is spared under α₀ by a large one."""
    found = turned("either_or", policies, "asked_for", lambda right, world: 1e-9)
    assert found == ("supported", "contradicted")
    assert modulus.saturation(2.0) > 1


def test_an_epsilon_at_which_corruption_hides_every_margin_is_refused(refused):
    refused("corruption hides every margin", epsilon=0.3)


def test_a_control_that_forgets_privacy_or_the_order_is_left_out_at_infinity(swept_of):
    """Both orders are one there, and c(ε) = 1."""
    by_name = swept_of(epsilon=math.inf)
    for name in (
        "mixing_coverage",
        "separation_at_any_share",
        "either_or",
    ):
        assert {"order_misread", "swapped"}.isdisjoint(
            one.__name__ for one in by_name[name].algorithms
        )


def test_a_number_of_labels_is_no_setting_of_exact_checks(refused):
    refused("n_pairs=100000000000: changes nothing", "n_pairs=1e11")
