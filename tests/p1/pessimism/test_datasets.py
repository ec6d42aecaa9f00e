"""Algorithm 1 on counts: its parts put together as printed, its gap against the objective."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from repro.p1.pessimism.datasets import (
    BuiltLabels,
    LinearDatasets,
    TwoArmDatasets,
)
from repro.p1.pessimism.learners import ppkl, private_mle
from repro.worlds.estimators.mixture_mle import mixture_mle
from repro.worlds.estimators.two_arm_mle import two_arm_mle
from repro.worlds.instances.linear import LinearWorld, random_linear_world
from repro.worlds.instances.two_arms import TwoArmWorld, hypercube_world
from repro.worlds.policies.gibbs import gibbs_policy

CONSTANTS = {"failure_prob": 0.05, "net_radius": 0.01, "scale": 0.5}
COST = (math.exp(1) + 1) / (math.exp(1) - 1)


def linear_world() -> LinearWorld:
    return random_linear_world(6, 4, 4, 0.5, 1.0, 0.6, seed=1)


def cube() -> TwoArmWorld:
    return hypercube_world(5, 16.0, 1 / 8, 2.0, 1.0)


def problem(
    world: LinearWorld | TwoArmWorld, n_pairs: int = 10**4, key: int = 3
) -> LinearDatasets | TwoArmDatasets:
    rng = np.random.Generator(np.random.Philox(key))
    return BuiltLabels(truth=world, n_pairs=n_pairs, epsilon=1.0, **CONSTANTS).draw(rng, 30)


def objective(policy: torch.Tensor, reference, reward, state_prob, kl_weight) -> torch.Tensor:
    kl = (torch.xlogy(policy, policy) - policy * reference.log()).sum(-1)
    return ((policy * reward).sum(-1) - kl_weight * kl) @ state_prob


def table(difference: torch.Tensor) -> torch.Tensor:
    """(..., S, 2) rewards of the two responses whose difference this is."""
    return torch.stack([difference, torch.zeros_like(difference)], dim=-1)


def test_kind_of_problem_follows_the_world():
    linear, two = problem(linear_world()), problem(cube())
    assert isinstance(linear, LinearDatasets)
    assert isinstance(two, TwoArmDatasets)
    assert linear.counts.pairs.shape == (30, 36)
    assert two.counts.pairs.shape == (30, 5)
    assert (linear.n_pairs, linear.epsilon) == (10**4, 1.0)


def test_same_stream_same_gaps():
    for world in (linear_world(), cube()):
        assert torch.equal(ppkl(problem(world)), ppkl(problem(world)))
        assert not torch.equal(ppkl(problem(world)), ppkl(problem(world, key=4)))


def test_fit_is_the_private_mle_of_the_class():
    linear, two = problem(linear_world()), problem(cube())
    expected = mixture_mle(linear.counts, linear.world.feature_diff, 0.7, 1.0)
    assert torch.equal(linear.fit(0.7), expected)
    assert torch.equal(two.fit(0.7), two_arm_mle(two.counts, 0.7, 2.0))


def test_error_is_the_estimated_minus_the_true_reward():
    p = problem(linear_world())
    theta = p.fit(1.0)
    expected = torch.einsum("sad,rd->rsa", p.world.features, theta) - p.world.reward
    torch.testing.assert_close(p.error(theta), expected, rtol=0, atol=1e-14)
    exact = p.world.theta.expand(2, -1)
    assert torch.equal(p.error(exact), torch.zeros(2, 6, 4, dtype=torch.float64))


def test_linear_bonus_is_eq_10():
    """B = 2, log N = 4·log(1 + 2/τ), ε = 1, D² by an independent inverse."""
    p = problem(linear_world())
    w = p.world
    mean = torch.einsum("sa,sad->sd", w.reference, w.features)
    spread = (w.features - mean[:, None]).numpy()
    weight = (w.state_prob[:, None] * w.reference).numpy()
    inverse = np.linalg.inv(np.einsum("sa,sai,saj->ij", weight, spread, spread))
    distance = np.einsum("sai,ij,saj->sa", spread, inverse, spread)
    complexity = (4 * math.log(201) + math.log(20)) / 10**4 + 0.01
    expected = np.sqrt(distance * 0.5 * math.exp(2) * COST**2 * complexity)
    np.testing.assert_allclose(p.bonus().numpy(), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("given", "log_covering"), [(None, 5 * math.log(201)), (3.0, 3.0)], ids=["table", "given"]
)
def test_two_arm_bonus_is_the_difference_of_eq_10(given, log_covering):
    """D² = (15, 1/15)·S with C = 16, S = 5."""
    complexity = (log_covering + math.log(20)) / 10**4 + 0.01
    factor = math.sqrt(0.5 * math.exp(2) * COST**2 * complexity)
    expected = factor * (math.sqrt(75) - math.sqrt(1 / 3))
    assert problem(cube()).bonus(given).tolist() == pytest.approx([expected] * 5)


def test_linear_gap_is_the_difference_of_objectives():
    """Step 4 by the policy itself: π̂ ∝ π_ref·exp((r̄ − Γ)/kl_weight)."""
    p = problem(linear_world())
    w = p.world
    estimate = torch.einsum("sad,rd->rsa", w.features, p.fit(1.0)) - p.bonus()
    rest = (w.reference, w.reward, w.state_prob, w.kl_weight)
    chosen = gibbs_policy(w.reference, estimate, w.kl_weight)
    expected = objective(w.optimal_policy, *rest) - objective(chosen, *rest)
    torch.testing.assert_close(ppkl(p), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weight", [None, 1 / 8, 8.0], ids=["true", "the same", "inverted"])
def test_two_arm_gap_is_the_difference_of_objectives(weight):
    p = problem(cube())
    w, estimate = p.world, p.fit(1.0)
    rest = (w.policies, table(w.reward_diff), w.state_prob, w.kl_weight)
    chosen = gibbs_policy(w.policies, table(estimate), weight or w.kl_weight)
    expected = objective(w.optimal_policy, *rest) - objective(chosen, *rest)
    gap = p.gap(p.error(estimate), kl_weight=weight)
    torch.testing.assert_close(gap, expected, rtol=1e-9, atol=1e-12)


def test_two_arm_pessimism_is_subtracted_from_both_responses():
    p = problem(cube())
    w = p.world
    estimate = p.fit(1.0) - p.bonus()
    rest = (w.policies, table(w.reward_diff), w.state_prob, w.kl_weight)
    chosen = gibbs_policy(w.policies, table(estimate), w.kl_weight)
    expected = objective(w.optimal_policy, *rest) - objective(chosen, *rest)
    torch.testing.assert_close(ppkl(p), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("world", [linear_world(), cube()], ids=["linear", "two arms"])
def test_no_error_has_no_gap(world):
    p = problem(world)
    assert float(p.gap(torch.zeros_like(private_error(p))).abs().max()) == 0.0
    assert bool((private_mle(p) > 0).all())


def private_error(p: LinearDatasets | TwoArmDatasets) -> torch.Tensor:
    return p.error(p.fit(p.epsilon))


def test_theorem_4_2_with_its_constant():
    """Under event E, SubOpt ≤ 4β·E_π* Γ² (P1, appendix B), here in every dataset."""
    p = problem(linear_world())
    w = p.world
    centre = private_error(p)
    centre = centre - (w.reference * centre).sum(-1, keepdim=True)
    assert bool((centre.abs() <= p.bonus()).all())
    bound = 4 / w.kl_weight * float((w.optimal_policy * p.bonus() ** 2).sum(-1) @ w.state_prob)
    assert float(ppkl(p).max()) <= bound
