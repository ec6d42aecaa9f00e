"""P4's reduction of DPO to estimation, and what happens when its implementation is broken."""

import math

import numpy as np
import pytest
from mpmath import iv

from repro.core.proofs import decided
from repro.p4.linear_rlhf import reduction
from tests.at_each import at_each
from tests.p4.linear_rlhf.worlds_line import ALL, LogLinearLine, random_line
from theorems import dpo_reduction
from theorems.dpo_reduction import BoundedPolicies

BOUND = float(np.log(8) / 2)
RIGHT = ("span", "span_over_4bb", "class_of_3b", "corrected_bound", "of_segment")
WRONG = (
    "of_copies", "of_copies_over_ten", "maximum_as_printed", "span_over_2bb", "maximum_over_2bb",
    "class_of_b", "corrected_over_fifty", "of_segment_ten_percent",
)  # fmt: skip


def test_bad_input_is_one_line(refused):
    refused("changes nothing in dpo_reduction", "horizon=5")


def test_something_is_assumed(plan_of):
    assert plan_of().assumptions()


def test_a_slope_half_as_large_turns_the_verdict(turned):
    """With ½σ′ for σ′ the printed bound would hold."""

    def wrong(right, x):
        return 2 * right(x)

    found = turned("search", dpo_reduction, "interval_inverse_slope", wrong)
    assert found == ("contradicted", "supported")


def test_with_the_slope_of_the_largest_margin_the_printed_bound_would_hold(turned):
    def wrong(right, world, bound):
        return right(dpo_reduction.slope_of_largest_margin(world), bound)

    found = turned("curvature", dpo_reduction, "theorem_6_3", wrong)
    assert found == ("contradicted", "supported")


@pytest.mark.parametrize("name", ["curvature", "curvature_repaired", "curvature_near"])
def test_an_estimate_that_never_falls_short_turns_the_verdict(turned, name):
    """With the upper quantile in the place of the lower one nothing is lost."""

    def wrong(right, world, margin):
        return -right(world, margin)

    before, after = turned(name, dpo_reduction, "exact_fall", wrong)
    # a bound from above holds of what loses nothing
    assert (before == after) == (name == "curvature_near")


def test_gibbs_with_the_sign_reversed_turns_the_verdict(turned):
    def wrong(right, reference, reward, kl_weight):
        return right(reference, -reward, kl_weight)

    found = turned("policies", reduction, "gibbs_policy", wrong)
    assert found == ("supported", "contradicted")


def test_a_vanishing_condition_number_turns_the_verdict(turned):
    found = turned("policies", reduction, "relative_condition_number", lambda *_: 1e-9)
    assert found == ("supported", "contradicted")


def of_class(bound):
    return BoundedPolicies(num_states=1, reward_bound=bound)


def value(name, bound, *point):
    claimed = getattr(dpo_reduction, name)(of_class(bound))
    return float(claimed.ratio(*(iv.mpf(x) for x in point)).mid)


def line(copies, bound=BOUND):
    features, counts = np.array([[1.0, -1.0]]), np.array([[1.0, copies]])
    return LogLinearLine(features, counts, np.ones(1), bound, -bound, bound, 0.7)


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_proved(name):
    assert 0 < decided(getattr(dpo_reduction, name)(of_class(BOUND))) <= 1 + 1e-9


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refuted(name):
    assert decided(getattr(dpo_reduction, name)(of_class(BOUND))) > 1.05


@pytest.mark.parametrize(("copies", "bound"), [(8, BOUND), (1, 0.1)])
def test_the_printed_proposition_on_two_responses(copies, bound):
    """The enclosure over slopes holds the exact ratio, and the worst one is 2/√3 or 8σ′(2B)/√3."""
    world, method = (
        line(copies, bound),
        dpo_reduction.of_copies if copies == 8 else dpo_reduction.of_two,
    )
    for t in (1e-3, 0.05):
        theta = world.optimum - t
        error = world.kl_weight * t * world.pair_variance(world.reference) ** 0.5
        kappa = 2 / world.pair_variance(world.reference)
        exact = abs(world.gap(theta)) / ((1.5 * kappa) ** 0.5 * bound * error)
        found = method(of_class(bound)).ratio(iv.mpf(t))
        assert float(found.a) <= exact * (1 + 1e-9)
        assert exact <= float(found.b) * (1 + 1e-9)
        assert world.condition_number(ALL) <= kappa * (1 + 1e-6)
    win = 1 / (1 + np.exp(-(2 * bound - np.log(copies))))
    assert decided(method(of_class(bound))) == pytest.approx(8 * win * (1 - win) / 3**0.5, rel=5e-3)


@pytest.mark.parametrize("copies", [1, 8, 60])
def test_rewards_of_two_responses(copies):
    world = line(copies)
    largest = float(world.reward.max()) / (2 * world.kl_weight * BOUND)
    assert value("maximum_over_2bb", BOUND, np.log(copies)) == pytest.approx(largest)
    over = world.span / float(world.reward.max())
    assert value("maximum_as_printed", BOUND, np.log(copies)) == pytest.approx(over)
    theta = world.optimum - 0.2
    assert abs(world.gap(theta)) == pytest.approx(world.span * world.variation(theta))


@at_each("seed", range(20))
def test_step_d_and_the_corrected_bound_are_what_the_proof_leaves(seed):
    """KL and gap of random lines by means of Var φ over the segment, and both bounds hold."""
    rng = np.random.default_rng(seed)
    world = random_line(rng, 2, BOUND)
    theta = world.optimum + rng.uniform(-1, 1) * BOUND
    step = theta - world.optimum
    place, weight = np.polynomial.legendre.leggauss(60)
    share, weight = (place + 1) / 2, weight / 2
    variances = world.pair_variances(world.optimum + share * step) / 2
    exact = step**2 * float(weight * (1 - share) @ variances)
    assert world.divergence(theta) == pytest.approx(exact, rel=1e-6)
    pull = world.kl_weight * (world.optimum - world.reference) * step
    assert world.gap(theta) == pytest.approx(-pull * float(weight @ variances), rel=1e-6, abs=1e-12)
    largest = world.condition_number(3 * BOUND) * world.pair_variance(world.reference) / 2
    assert exact <= step**2 * largest / 2 * (1 + 1e-6)
    apart, mean = abs(world.optimum - world.reference) / (2 * BOUND), float(weight @ variances)
    left = value("corrected_bound", BOUND, apart, mean / largest, largest)
    error = world.kl_weight * abs(step) * world.pair_variance(world.reference) ** 0.5
    kappa = world.condition_number(3 * BOUND)
    bound = (1.5 * kappa) ** 0.5 * 2 * BOUND * error
    assert abs(world.gap(theta)) / bound == pytest.approx(left, rel=1e-4)


def test_a_class_of_b_by_the_line():
    world = line(np.exp(4 * BOUND))
    theta = 3 * BOUND
    bound = world.condition_number(BOUND) * (theta - world.optimum) ** 2 / 4
    ratio = world.divergence(theta) / (bound * world.pair_variance(world.reference))
    assert value("class_of_b", BOUND, 4 * BOUND) == pytest.approx(ratio, rel=1e-5)


def quotient_of_the_segment(world, theta):
    """|gap| over ‖θ* − θ_sft‖·√(κ/2)·Γ, κ over the segment."""
    error = (
        world.kl_weight * abs(theta - world.optimum) * world.pair_variance(world.reference) ** 0.5
    )
    kappa = world.condition_between(world.optimum, theta)
    return abs(world.gap(theta)) / (
        abs(world.optimum - world.reference) * (kappa / 2) ** 0.5 * error
    )


@at_each("seed", range(20))
def test_the_form_of_the_segment_is_what_the_proof_leaves(seed):
    """One feature: cosine 1, the deviation, and the share of the second root, all in a mean."""
    rng = np.random.default_rng(seed)
    world = random_line(rng, 2, BOUND)
    theta = world.optimum + rng.uniform(-1, 1) * BOUND
    place, weight = np.polynomial.legendre.leggauss(60)
    share, weight = (place + 1) / 2, weight / 2
    inside = world.optimum + share * (theta - world.optimum)
    deviation = (world.pair_variances(inside) / 2) ** 0.5
    largest = world.condition_between(world.optimum, theta) * world.pair_variance(world.reference)
    left = [value("of_segment", BOUND, 0.0, d, d / (largest / 2) ** 0.5) for d in deviation]
    assert quotient_of_the_segment(world, theta) == pytest.approx(weight @ left, rel=1e-4)


def test_the_form_of_the_segment_is_attained_next_to_the_even_policy():
    assert quotient_of_the_segment(line(8), BOUND * (1 - 1e-3)) == pytest.approx(1, abs=1e-5)


@at_each("seed", range(20))
def test_the_form_of_the_segment_in_three_dimensions(seed):
    """The gap is the mean of the proof, and each of its factors is at most 1."""
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((4, 3))
    features /= np.linalg.norm(features, axis=1).max()
    copies = rng.choice([1.0, 8.0, 60.0], 4)
    optimum, reference, other = rng.standard_normal((3, 3))

    def policy(theta):
        score = copies * np.exp(features @ theta)
        return score / score.sum()

    def pairs(theta):
        mean = policy(theta) @ features
        return 2 * (features.T * policy(theta) @ features - np.outer(mean, mean))

    w, v = optimum - reference, other - optimum
    place, weight = np.polynomial.legendre.leggauss(60)
    along = [pairs(optimum + (x + 1) / 2 * v) for x in place]
    gap = (policy(other) - policy(optimum)) @ features @ w
    mean = sum(weight / 2 * [w @ one @ v for one in along])
    assert gap == pytest.approx(mean / 2, rel=1e-6, abs=1e-12)
    for one in along:
        cosine = w @ one @ v / ((w @ one @ w) * (v @ one @ v)) ** 0.5
        assert abs(cosine) <= 1 + 1e-9
        assert (w @ one @ w) ** 0.5 <= 2**0.5 * np.linalg.norm(w)


@pytest.mark.parametrize(("epsilon", "holds"), [(0.5, True), (8, True), (math.inf, False)])
def test_growth_is_assumed_where_margins_exceed_epsilon(plan_of, epsilon, holds):
    """Without privacy the quotient stays below ½: nothing contradicts Theorem 6.3 there."""
    plan = plan_of("only=[curvature]", epsilon=epsilon)
    assert all(one.holds for one in plan.assumptions()) is holds
