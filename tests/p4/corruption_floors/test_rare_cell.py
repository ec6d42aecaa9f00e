"""The sharper floor, suprema over margins, and DPO against pessimism."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtri

from repro.base.notation import epsilon_of_cost, privacy_cost
from repro.labels.corruption.orders import Order
from repro.p4.adversaries.adversary import NONE, STRONG
from repro.p4.corruption_floors.attacked_margin import (
    MarginLadder,
    attacked_floor,
    floor_constant,
)
from repro.p4.corruption_floors.bounds import (
    curvature,
    printed_floor,
    sharper_floor,
)
from repro.p4.corruption_floors.rare_cell import rare_cell_floors, worst_rare_cell
from repro.p4.debiased_mle.labels import PairLabels
from repro.p4.debiased_mle.priced_labels import PricedAnywhere, tight_world
from repro.p4.label_cells.choices import RareChoice, UncoveredChoice
from repro.p4.linear_rlhf.dpo import (
    UncoveredLabels,
    estimates,
    lost_by_dpo,
    lost_by_pessimism,
)
from repro.p4.linear_rlhf.reduction import (
    pessimistic_ratio,
)
from repro.p4.linear_rlhf.two_arms import (
    InformativePairs,
    TwoArmStates,
    cost_in_many_states,
    deviation,
    estimated_margins,
    exact_error,
    exact_fall,
    exact_gap,
    exact_tail,
    reach_of,
    sampled_gap,
    worst_margin,
)
from repro.p4.minimax.modulus import least_floor

RNG = np.random.default_rng


def rare(order: Order, cost: float, bound: float, masses=(1e-4, 0.9)) -> PairLabels:
    cell = RareChoice(
        kind="rare", reward_bound=bound, reward_share=-1.0, masses=masses, ratio=1.05,
        fixed_mass=0.3,
    )  # fmt: skip
    return PairLabels(
        instance=cell, order=order, epsilon=epsilon_of_cost(cost), corruption=1e-3,
        adversary=STRONG,
    )  # fmt: skip


def worst(order: Order, cost: float, bound: float = 0.25) -> float:
    return worst_rare_cell(rare(order, cost, bound))


def test_theorem_1_is_tight_for_a_small_ball():
    for cost in (2.0, 10.0):
        assert worst(Order.LTC, cost) / sharper_floor(cost, 1e-3, 0.25) == pytest.approx(
            0.99, abs=0.01
        )
    assert worst(Order.CTL, 10.0) / sharper_floor(1.0, 1e-3, 0.25) == pytest.approx(0.99, abs=0.01)


def test_without_coverage_the_separation_is_a_root():
    separation = worst(Order.LTC, 16.0) / worst(Order.CTL, 16.0)
    assert separation == pytest.approx(4.0, rel=0.02)


def test_the_supremum_is_interior():
    assert math.isnan(worst_rare_cell(rare(Order.LTC, 2.0, 0.25, (1e-6, 1e-5))))


def test_rare_cell_by_hand():
    """m = 0.1: w moves from σ(−B′) by c·α/m; the error is √m times the change of the logit."""
    cost = 5.0
    found = rare_cell_floors(rare(Order.LTC, cost, 2.0), np.array([0.1]))
    w = 1 / (1 + math.exp(2)) + cost * 1e-3 / 0.1
    assert found[0] == pytest.approx(math.sqrt(0.1) * (math.log(w / (1 - w)) + 2), rel=1e-3)


@pytest.mark.parametrize("bound", [0.1, 1.0, 4.0])
def test_order_of_the_bounds(bound):
    for worth in (1.0, 20.0):
        low, high = least_floor(worth * 1e-3, bound), sharper_floor(worth, 1e-3, bound)
        assert (
            math.sqrt(2 * bound * worth * 1e-3)
            <= low * 2**0.5
            <= high
            < printed_floor(worth, 1e-3, bound)
        )


def test_curvature_by_hand():
    assert curvature(math.log(4)) == pytest.approx(1 / 6.25)


def test_random_floors_stay_below_and_the_wrong_bound_does_not():
    labels = PricedAnywhere(privacy_costs=(9.99, 10.01), corruption=1e-2, adversary=STRONG)
    floors = [one.drawn_floor(one.cells, rng) for i in range(24)
              for rng in [RNG(i)] for one in [labels.priced(rng)]]  # fmt: skip
    assert max(floor.over_bound() for floor in floors) <= 1 + 1e-6
    assert max(floor.over_bound_without_cost() for floor in floors) > 1
    assert tight_world(0.5, np.random.default_rng(0)).cell_prob.item() == 1.0


def test_a_random_price_is_between_its_ends_under_either_order():
    labels = PricedAnywhere(privacy_costs=(2.0, 8.0), corruption=1e-2, adversary=STRONG)
    drawn = [labels.priced(RNG(i)) for i in range(40)]
    assert {one.order for one in drawn} == {Order.CTL, Order.LTC}
    assert {one.flip_worth for one in drawn if one.order is Order.CTL} == {1.0}
    assert all(2.0 <= one.privacy_cost <= 8.0 for one in drawn)


def margins(states: TwoArmStates, n_pairs: int) -> InformativePairs:
    mass = states.mass * states.num_states
    return InformativePairs(
        n_pairs=n_pairs, epsilon=1.0, mass=mass, num_features=states.num_states
    )  # fmt: skip


def test_margins_are_unbiased_and_as_noisy_as_said():
    states = TwoArmStates(2, 0.2)
    found = estimated_margins(margins(states, 10**8), 0.1, RNG(0), 4000)
    assert found.mean(axis=0) == pytest.approx([0.1, 0.1], abs=1e-4)
    assert found.std() == pytest.approx(deviation(states, 10**8, 1.0), rel=0.03)


MARGIN = 1e-3


def known_margins(shown: float, n_pairs: int, failure_prob: float = 0.05) -> InformativePairs:
    return InformativePairs(
        n_pairs=n_pairs, epsilon=1.0, mass=0.2, failure_prob=failure_prob, known=shown
    )


def test_uneven_labels_are_noisier_by_the_slope_of_the_curve():
    """The delta method, and 1/γ at B′ = 3 against even labels without privacy's floor."""
    world = known_margins(3.0, 10**10)
    unit = deviation(world.stated, 1e10, 1.0, 3.0)
    found = estimated_margins(world, MARGIN, RNG(0), 4000)
    assert found.mean() == pytest.approx(1e-3, abs=4 * unit / 60)
    assert found.std() == pytest.approx(unit, rel=0.04)
    assert unit == world.unit > 5 * deviation(world.stated, 1e10, 1.0)


@pytest.mark.parametrize("failure_prob", [0.5, 0.05])
def test_tails_are_those_of_drawn_errors(failure_prob):
    world = known_margins(1.0, 10**8, failure_prob)
    off = estimated_margins(world, MARGIN, RNG(0), 20000)[:, 0] - MARGIN
    exceeded = exact_error(world, MARGIN)
    assert exceeded == pytest.approx(np.quantile(np.abs(off), 1 - failure_prob), rel=0.03)
    assert exact_tail(world, MARGIN) == pytest.approx(exceeded * 0.2**0.5)
    fall = exact_fall(world, MARGIN)
    assert fall == pytest.approx(-np.quantile(off, failure_prob), abs=0.03 * world.unit)


def test_tails_go_on_where_nothing_is_ever_drawn():
    world = known_margins(0.0, 10**10, math.exp(-26))
    assert exact_error(world, MARGIN) == pytest.approx(
        -deviation(world.stated, 1e10, 1.0) * ndtri(math.exp(-26) / 2), rel=1e-3
    )


def width_at(states: TwoArmStates, n_pairs: float) -> float:
    """Γ at ε = 1 with P(‖θ̂ − θ‖_Σ̂ ≤ Γ) = .95 for large n."""
    return 2 * privacy_cost(1.0) / math.sqrt(n_pairs) * reach_of(states, 0.05)


def test_width_covers_as_calibrated():
    states, n = TwoArmStates(3, 0.1), 10**9
    found = estimated_margins(margins(states, n), 1e-9, RNG(0), 4000)
    inside = (states.mass * found**2).sum(axis=1) <= width_at(states, n) ** 2
    assert inside.mean() == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize("failure_prob", [None, 0.05], ids=["greedy", "pessimistic"])
def test_the_gap_of_one_state_is_its_law_summed(failure_prob):
    states, n = TwoArmStates(1, 0.3), 10**10
    unit, reach = deviation(states, n, 1.0), 0.0
    if failure_prob:
        reach = reach_of(states, failure_prob)
    margin, cost = worst_margin(reach)
    world, width = margins(states, n), reach * unit * math.sqrt(states.mass)
    exact = exact_gap(world, margin * unit, width)
    assert exact == pytest.approx(cost * unit, rel=2e-3)
    drawn = sampled_gap(world, margin * unit, RNG(0), 20000, width)
    assert drawn.mean() == pytest.approx(exact, rel=0.03)


def test_many_states_cost_what_the_law_of_large_numbers_says():
    states, n = TwoArmStates(256, 0.3 / 256), 10**10
    unit, width = deviation(states, n, 1.0), width_at(states, n)
    gap = sampled_gap(margins(states, n), 1.5 * unit, RNG(0), 400, width).mean()
    claimed = cost_in_many_states(1.5, reach_of(states, 0.05) / 16) * unit
    assert gap == pytest.approx(claimed, rel=0.02)


def test_attacked_floor_between_the_width_and_twice_of_it():
    """Theorem 6.1 with κ = 1/m: SubOpt/√κ ≤ 2Γ; and the floor is what the win rate says."""
    moved = 5.0 * 1e-5
    world = MarginLadder(
        reward_bound=2.0, claimed_order=Order.LTC, epsilon=epsilon_of_cost(5.0), corruption=1e-5,
        adversary=STRONG,
    )  # fmt: skip
    floor = attacked_floor(world)
    assert floor == pytest.approx(floor_constant(2.0) * math.sqrt(moved), rel=1e-6)
    assert least_floor(moved, 2.0) < floor <= 2 * sharper_floor(5.0, 1e-5, 2.0)
    assert math.isnan(attacked_floor(replace(world, adversary=NONE)))


@pytest.mark.parametrize("states", [1, 2])
def test_reduction_ratios(states):
    rngs = [np.random.default_rng(i) for i in range(8)]
    assert max(pessimistic_ratio(r, states) for r in rngs) <= 1 + 1e-6


def test_a_set_that_misses_the_truth_breaks_the_bound():
    ratios = [pessimistic_ratio(np.random.default_rng(i), 1, 0.2) for i in range(40)]
    assert max(ratios) > 1


def estimated(share: float, **stages):
    arms = UncoveredChoice(
        kind="uncovered", coverage=1 / share, rewards=(0.02, 0.0, -0.2), reward_bound=2.0,
        kl_weight=0.05,
    )  # fmt: skip
    world = UncoveredLabels(instance=arms, epsilon=1.0, n_pairs=10**4, **stages)
    return estimates(world, RNG(0), 40)


def test_dpo_pays_for_an_uncovered_response_and_pessimism_does_not():
    rare, covered = estimated(0.001), estimated(0.1)
    assert lost_by_dpo(rare).mean() > 3 * lost_by_dpo(covered).mean()
    assert lost_by_pessimism(rare).mean() <= 1.2 * lost_by_pessimism(covered).mean()


def test_without_pessimism_and_with_optimism_the_uncovered_response_is_taken():
    pessimistic, greedy, optimistic = (
        lost_by_pessimism(estimated(0.001, pessimism=share)).mean() for share in (1.0, 0.0, -1.0)
    )
    assert pessimistic < greedy < optimistic
    assert optimistic > 0.15
