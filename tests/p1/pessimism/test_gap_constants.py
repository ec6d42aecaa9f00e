"""The constant in front of 1/n: its Fisher information, and the simulation it predicts."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from repro.labels.preferences.label_counts import private_win_prob
from repro.p1.pessimism.datasets import BuiltLabels, LinearDatasets
from repro.p1.pessimism.gap_constants import (
    bonus_gap,
    gap_constant,
    linear_reward_error,
    private_fisher_information,
    reward_error_constant,
    two_arm_curvature,
    two_arm_reward_error,
)
from repro.p1.pessimism.learners import ppkl, private_mle
from repro.worlds.instances.build import build_world
from repro.worlds.instances.choices import LinearChoice
from repro.worlds.instances.linear import LinearWorld, random_linear_world
from repro.worlds.instances.two_arms import hypercube_world
from repro.worlds.policies.gibbs import gibbs_suboptimality
from repro.worlds.policies.regularisers import AlphaMixture


def world(radius: float = 1.0, kl_weight: float = 0.5) -> LinearWorld:
    return random_linear_world(6, 4, 4, kl_weight, radius, 0.6, seed=1)


def problem(n_pairs: int, epsilon: float, replicates: int) -> LinearDatasets:
    rng = np.random.Generator(np.random.Philox(4))
    return BuiltLabels(truth=world(), n_pairs=n_pairs, epsilon=epsilon).draw(rng, replicates)


def expected_log_likelihood(w: LinearWorld, epsilon: float, theta: np.ndarray) -> float:
    """E log P_θ(z) of one label drawn under the truth, from P1's eq. 8."""
    flip = 1 / (1 + math.exp(epsilon)) if epsilon < math.inf else 0.0
    win = lambda d: flip + (1 - 2 * flip) / (1 + np.exp(-d))  # noqa: E731
    truth, tried = (w.feature_diff.numpy() @ t for t in (w.theta.numpy(), theta))
    each = win(truth) * np.log(win(tried)) + win(-truth) * np.log(win(-tried))
    return float(w.cell_prob.numpy() @ each)


def test_twice_a_divergence_is_twice_its_weight():
    """Of two responses, whose h add up to no 1 then."""
    once = hypercube_world(3, 4.0, 1.0, 2.0, 0.5)
    twice = two_arm_curvature(once, AlphaMixture(((2.0, 1.0),)))
    at_twice = two_arm_curvature(replace(once, kl_weight=2 * once.kl_weight))
    torch.testing.assert_close(2 * twice, at_twice)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, math.inf])
@pytest.mark.parametrize("radius", [1.0, 6.0])
def test_information_by_a_numerical_hessian(epsilon, radius):
    w, step, eye = world(radius), 2e-3, np.eye(4)
    value = lambda shift: expected_log_likelihood(w, epsilon, w.theta.numpy() + shift)  # noqa: E731
    hessian = np.array(
        [
            [
                value(step * (a + b))
                - value(step * (a - b))
                - value(step * (b - a))
                + value(-step * (a + b))
                for a in eye
            ]
            for b in eye
        ]
    ) / (4 * step**2)
    information = private_fisher_information(w, epsilon).numpy()
    np.testing.assert_allclose(information, -hessian, atol=2e-5 * np.abs(hessian).max())


def test_information_of_one_cell_by_hand():
    """One pair of responses, φ¹ − φ² = 1, σ = 1/2, ε = log 3: weight ½·(½·¼)²/(½·½)."""
    w = LinearWorld(
        features=torch.tensor([[[1.0], [0.0]]], dtype=torch.float64),
        state_prob=torch.ones(1, dtype=torch.float64),
        reference=torch.full((1, 2), 0.5, dtype=torch.float64),
        theta=torch.zeros(1, dtype=torch.float64),
        radius=1.0,
        reward_bound=1.0,
        kl_weight=0.25,
    )
    assert float(private_fisher_information(w, math.log(3))) == pytest.approx(1 / 32)
    assert float(private_fisher_information(w, math.inf)) == pytest.approx(1 / 8)
    # Cov_π* = 1/4, so tr(Cov·I⁻¹)/(2·kl_weight) = 8/0.5 and 2/0.5
    assert gap_constant(w, math.log(3)) == pytest.approx(16)
    assert gap_constant(w, math.inf) == pytest.approx(4)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, math.inf])
def test_constant_by_simulation(epsilon):
    p = problem(10**8, epsilon, 3000)
    scaled = private_mle(p).numpy() * p.n_pairs
    error = scaled.std(ddof=1) / math.sqrt(len(scaled))
    assert abs(scaled.mean() - gap_constant(p.world, epsilon)) < 3 * error
    assert error < 0.03 * scaled.mean()


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(lambda w: gap_constant(w, math.inf), id="as without privacy"),
        pytest.param(lambda w: gap_constant(w, 1.2), id="20 % more budget"),
        pytest.param(lambda w: 2 * gap_constant(w, 1.0), id="without the half"),
        pytest.param(lambda w: 0.25 * gap_constant(w, 1.0), id="kl_weight inverted"),
        pytest.param(
            lambda w: 4 / math.tanh(0.5) ** 2 / w.kl_weight,
            id="σ′ as 1/4, π_ref for π*",
        ),
    ],
)
def test_wrong_constants_are_refused_by_simulation(wrong):
    p = problem(10**8, 1.0, 3000)
    scaled = private_mle(p).numpy() * p.n_pairs
    error = scaled.std(ddof=1) / math.sqrt(len(scaled))
    assert abs(scaled.mean() - wrong(p.world)) > 3 * error


def test_inverse_information_is_the_spread_of_the_estimates():
    p = problem(10**8, 1.0, 3000)
    spread = np.cov(p.fit(1.0).numpy().T) * p.n_pairs
    expected = np.linalg.inv(private_fisher_information(p.world, 1.0).numpy())
    np.testing.assert_allclose(np.diag(spread), np.diag(expected), rtol=4 * math.sqrt(2 / 3000))


def test_small_budgets_cost_their_square():
    ratio = gap_constant(world(), 0.01) / gap_constant(world(), 0.02)
    assert ratio == pytest.approx(4, rel=1e-3)


def test_bonus_gap_by_hand():
    """Two equal responses, Γ = (0.02, 0): variance 1e-4, over 2·kl_weight."""
    w = LinearWorld(
        features=torch.tensor([[[1.0], [0.0]]], dtype=torch.float64),
        state_prob=torch.ones(1, dtype=torch.float64),
        reference=torch.full((1, 2), 0.5, dtype=torch.float64),
        theta=torch.zeros(1, dtype=torch.float64),
        radius=1.0,
        reward_bound=1.0,
        kl_weight=0.25,
    )
    bonus = torch.tensor([[0.02, 0.0]], dtype=torch.float64)
    assert bonus_gap(w, bonus) == pytest.approx(1e-4 / 0.5)
    assert bonus_gap(w, bonus + 7.0) == pytest.approx(1e-4 / 0.5)


def test_bonus_gap_is_the_gap_of_the_bonus_alone():
    w = world()
    bonus = 1e-6 * w.features.square().sum(-1)
    exact = gibbs_suboptimality(w.optimal_policy, -bonus / w.kl_weight, w.state_prob, w.kl_weight)
    assert bonus_gap(w, bonus) == pytest.approx(float(exact), rel=1e-4, abs=0)


def test_gap_with_bonus_is_the_sum():
    p = problem(10**8, 1.0, 3000)
    gaps = ppkl(p).numpy()
    predicted = gap_constant(p.world, 1.0) / p.n_pairs + bonus_gap(p.world, p.bonus())
    error = gaps.std(ddof=1) / math.sqrt(len(gaps))
    assert abs(gaps.mean() - predicted) < 3 * error + 0.005 * predicted


def test_constant_uses_the_private_win_probability():
    """At ε → ∞ the private information tends to the clean one."""
    w = world()
    torch.testing.assert_close(
        private_fisher_information(w, 40.0), private_fisher_information(w, math.inf)
    )
    win = private_win_prob(w.reward_diff, math.inf)
    clean = torch.einsum(
        "c,ci,cj->ij", w.cell_prob * win * (1 - win), w.feature_diff, w.feature_diff
    )
    torch.testing.assert_close(private_fisher_information(w, math.inf), clean)


@pytest.fixture
def linear_world():
    return build_world(
        LinearChoice(
            kind="linear", num_states=3, num_actions=4, num_features=5, radius=1.0,
            theta_share=0.6, kl_weight=0.5, seed=1,
        ),
        Path("unused"),
        "cpu",
    )  # fmt: skip


def test_linear_error_is_the_mean_variance_of_the_reward_error(linear_world):
    theta = torch.randn(6, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    error = torch.einsum("sad,rd->rsa", linear_world.features, theta - linear_world.theta)
    shift = (linear_world.reference * error).sum(-1, keepdim=True)
    brute = (linear_world.reference * (error - shift) ** 2).sum(-1) @ linear_world.state_prob
    assert linear_reward_error(linear_world, theta) == pytest.approx(brute)


def test_two_arm_error_is_the_mean_variance_of_the_reward_error():
    world = hypercube_world(3, 6.0, 0.2, 3.0, 0.5)
    error = torch.tensor([[0.3, -0.2, 1.0]], dtype=torch.float64)
    both = torch.stack([error, torch.zeros_like(error)], dim=-1)
    shift = (world.policies * both).sum(-1, keepdim=True)
    brute = (world.policies * (both - shift) ** 2).sum(-1) @ world.state_prob
    assert two_arm_reward_error(world, world.reward_diff + error) == pytest.approx(brute)


def test_constant_by_an_explicit_inverse(linear_world):
    inverse = torch.linalg.inv(private_fisher_information(linear_world, 1.0))
    draws = torch.randn(200_000, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    theta = linear_world.theta + draws @ torch.linalg.cholesky(inverse).T
    mean = linear_reward_error(linear_world, theta).mean()
    assert reward_error_constant(linear_world, 1.0) == pytest.approx(float(mean), rel=0.02)
