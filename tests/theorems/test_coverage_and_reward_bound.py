"""What coverage does to the factor of B, end to end, by hand, and when its parts are broken."""

import math

import numpy as np
import pytest

from repro.labels.preferences.label_information import inverse_information
from repro.p1.corrected_gap import coverage as capped
from tests.at_each import at_each


def test_the_contradictions_are_thin_coverage_and_small_beta(contradicted_rows):
    assert contradicted_rows == {"printed_full_price", "printed_small_beta"}


@at_each("epsilon", [0.1, 1.0, 4.0, math.inf])
@at_each("beta", [0.3, 1.0, 1.9, 2.0, 5.0])
def test_the_largest_tilted_spread_lies_at_an_end(epsilon, beta):
    """Lemma 1."""
    points = np.linspace(0, 9, 1001)
    tilted = [math.exp(-beta * x) * inverse_information(x, epsilon) for x in points]
    assert max(tilted) == pytest.approx(max(tilted[0], tilted[-1]))
    if beta >= 2:
        assert max(tilted) == pytest.approx(inverse_information(0.0, epsilon))


def test_two_responses_by_hand():
    """tr(Cov·L⁺) of two responses is π*₁π*₂·W(Δ)/(2π₁π₂)."""
    reference, reward, kl_weight = np.array([0.2, 0.8]), np.array([3.0, 0.0]), 0.7
    policy = capped.optimal_policy(reference, reward, kl_weight)
    spread = inverse_information(3.0, 1.0)
    by_hand = policy.prod() * spread / (2 * reference.prod()) / (2 * kl_weight)
    assert capped.limit(reference, reward, kl_weight, 1.0) == pytest.approx(by_hand)


def test_equally_good_best_responses_by_hand():
    """(β/2)·(A−2)·(C/2)/(1/(C·W(0)) + (1−1/C)/W(m)), and the term of the best against the rest."""
    actions, cover, apart, kl_weight = 6, 50.0, 4.0, 0.25
    world = capped.rare_best_world(actions, cover, apart, 5.0, kl_weight)
    reference, reward = world.reference[0].numpy(), world.reward[0].numpy()
    best = capped.optimal_policy(reference, reward, kl_weight)[:-1].sum()
    narrow, wide = inverse_information(0.0, 1.0), inverse_information(apart, 1.0)
    within = (actions - 2) * best * cover / 2 / (1 / (cover * narrow) + (1 - 1 / cover) / wide)
    against = best * (1 - best) * wide / (2 / cover * (1 - 1 / cover))
    found = capped.limit(reference, reward, kl_weight, 1.0)
    assert found == pytest.approx((within + against) / (2 * kl_weight))


def test_the_world_meets_its_coverage_and_its_bound():
    world = capped.rare_best_world(5, 30.0, 4.5, 5.0, 0.25)
    assert float((world.optimal_policy / world.reference).max()) <= 30
    assert float(world.feature_diff.norm(dim=1).max()) * world.radius <= 5 + 1e-12
    assert float(world.theta.norm()) < world.radius
    assert int(np.linalg.matrix_rank(world.feature_diff.numpy())) == 4


def test_the_constants_of_the_lower_bounds():
    slope = 1 / (4 * math.cosh(0.25) ** 2)
    assert 0.34 * slope * 2 / (1 + math.exp(0.2) + 0.1) > capped.OF_PAIRS
    assert 1 / (16 * (math.exp(0.4) + 0.1)) > capped.OF_TWO
    tilt = math.cosh(0.25)
    assert 15 / 16 * 0.75 / tilt / 2 > 0.34
    assert 2 * tilt / (1 + math.exp(-0.5)) < capped.MORE_COVERAGE


def test_lower_bounds_need_their_conditions():
    assert capped.lower(2, 1.5, 4.0, 0.25, 1.0) == 0
    assert capped.lower(3, 1e30, 4.0, 0.25, 1.0) == 0
    assert capped.lower(3, 100.0, 8.0, 0.25, 1.0) > capped.lower(2, 100.0, 8.0, 0.25, 1.0) > 0


def test_responses_count_by_pairs_beside_the_worst():
    """⌊(A−1)/2⌋ of Theorem 3."""
    three, four, five = (capped.lower(actions, 100.0, 8.0, 0.25, 1.0) for actions in (3, 4, 5))
    assert (four, five) == (three, pytest.approx(2 * three))


def test_a_lost_term_of_privacy_turns_the_constant(turned):
    """W without κV² in the closed form."""
    found = turned("constant_b", capped, "inverse_information",
                   lambda right, x, epsilon: right(x, math.inf), replicates=400,
                   blocks=20)  # fmt: skip
    assert found[0] == "supported" != found[1]


def test_the_table_of_the_page_is_printed_anew():
    from pathlib import Path

    from tools.draw_coverage_phases import rows

    page = Path(__file__).parents[2] / "docs/explanations/coverage_and_reward_bound.md"
    assert all(row in page.read_text("utf-8") for row in rows())
