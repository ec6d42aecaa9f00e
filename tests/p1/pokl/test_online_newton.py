"""Online Newton steps: the step of one label, the steps of the proof, the limit."""

import math

import numpy as np
import pytest
import torch

from repro.base.notation import keep_prob, label_signal, privacy_cost
from repro.labels.preferences.label_information import inverse_slope
from repro.p1.pokl import online_newton as own
from repro.p1.pokl.curves import simulate
from repro.p1.pokl.run import OnlineRun
from repro.p1.pokl.runs import Runs
from repro.worlds.estimators.ball import nearest_in_ball
from repro.worlds.instances.choices import LinearChoice
from repro.worlds.instances.linear import LinearWorld

INSTANCE = LinearChoice(
    kind="linear", num_states=3, num_actions=3, num_features=4, radius=0.7, theta_share=0.8,
    kl_weight=0.5, seed=4,
)  # fmt: skip
WORLD = OnlineRun(
    instance=INSTANCE, horizon=300, epsilon=1.0, failure_prob=0.05, net_radius=1e-6, ridge=3.0,
    grid_ratio=1.2, gamma=0.0, rewards=own.OnlineNewton(),
)  # fmt: skip


@pytest.mark.parametrize("matrix", ["least_slope", "own_slope", "frozen"])
def test_a_block_of_one_label_is_a_step_of_one_label(matrix):
    runs = Runs([WORLD], 5)
    steps = own.NewtonSteps(runs.linear, own.OnlineNewton(matrix))
    block, single = steps.learner(runs), steps.learner(runs)
    rng = np.random.default_rng(2)
    for _ in range(40):
        cells = rng.integers(9, size=5)
        pairs = torch.nn.functional.one_hot(torch.from_numpy(cells), 9).double()
        label = torch.from_numpy(rng.choice([-1.0, 1.0], 5))
        block.observe(pairs, pairs * label[:, None])
        single.observe_one(runs.linear.feature_diff[cells], label)
    torch.testing.assert_close(single.theta, block.theta)
    torch.testing.assert_close(single.inverse, block.inverse)
    torch.testing.assert_close(single.matrix, block.matrix)


def test_the_debiased_label_has_the_clean_mean_and_at_most_the_variance_of_the_proof():
    for epsilon in (0.1, 1.0, 5.0):
        keep, signal = keep_prob(epsilon), label_signal(epsilon)
        for difference in (-2.0, 0.0, 1.3):
            clean = 1 / (1 + math.exp(-difference))
            win = keep * clean + (1 - keep) * (1 - clean)
            values = np.array([(1 + 1 / signal) / 2, (1 - 1 / signal) / 2])
            mean = values @ [win, 1 - win]
            assert mean == pytest.approx(clean)
            variance = values**2 @ [win, 1 - win] - mean**2
            assert variance <= privacy_cost(epsilon) ** 2 / 4 * (1 + 1e-12)
            assert values.max() - values.min() == pytest.approx(privacy_cost(epsilon))


def test_the_step_of_theorem_1_in_exact_expectation():
    """E‖θ⁺ − θ*‖²_{V⁺} − ‖θ − θ*‖²_V ≤ −m·κ·Δ² + v·xᵀV⁺⁻¹x, both labels weighed exactly."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        size, epsilon, radius = 3, 10 ** rng.uniform(-1, 1), rng.uniform(0.2, 2)
        theta, truth = (in_ball(rng, size, radius) for _ in range(2))
        x = rng.standard_normal(size)
        kappa = 1 / inverse_slope(radius * float(np.linalg.norm(x)))
        before = np.eye(size) * (x @ x) * rng.uniform(0.3, 5)
        after = before + kappa * np.outer(x, x)
        share = x @ np.linalg.solve(after, x)
        signal = label_signal(epsilon)
        clean, fitted = (1 / (1 + math.exp(-x @ one)) for one in (truth, theta))
        win = 0.5 + signal * (clean - 0.5)
        moved = 0.0
        for label, prob in ((1, win), (-1, 1 - win)):
            miss = fitted - (1 + label / signal) / 2
            step = torch.from_numpy(theta - miss * np.linalg.solve(after, x))[None]
            off = nearest_in_ball(step, torch.from_numpy(after)[None], radius)[0].numpy() - truth
            moved += prob * off @ after @ off
        noise = (1 - (2 * win - 1) ** 2) / (4 * signal**2)
        gap = (x @ (theta - truth)) ** 2
        right = -(1 - share / 4) * kappa * gap + noise * share
        assert moved - (theta - truth) @ before @ (theta - truth) <= right + 1e-9


def in_ball(rng, size, radius):
    found = rng.standard_normal(size)
    return radius * rng.uniform() * found / np.linalg.norm(found)


def test_the_regret_of_a_round_is_at_most_the_squared_error_of_its_pair():
    """(1/β)·log E e^{−β(e−ē)} ≤ (β/2)·ψ(2βB)·E Δ², pairs drawn from π_t × π_t."""
    rng = np.random.default_rng(5)
    for _ in range(500):
        policy, beta = rng.dirichlet(np.full(4, 0.5)), 10 ** rng.uniform(-1, 1)
        error = rng.uniform(-1, 1, 4) * 10 ** rng.uniform(-2, 0.5)
        gap = np.log(policy @ np.exp(-beta * (error - policy @ error))) / beta
        largest = error.max() - error.min()
        squared = policy @ (error[:, None] - error) ** 2 @ policy
        assert gap <= beta / 2 * own.tilt(beta * largest) * squared * (1 + 1e-9) + 1e-12


def test_the_limit_of_one_parameter_is_that_of_stochastic_approximation():
    """t·Var → v/(κ·(2h − κ)), h = σ′(Δ) and v the variance of a debiased label."""
    features = torch.tensor([[[1.0], [0.0]]], dtype=torch.float64)
    half = torch.full((1, 2), 0.5, dtype=torch.float64)
    world = LinearWorld(features, torch.ones(1, dtype=torch.float64), half,
                        torch.tensor([0.4], dtype=torch.float64), 1.0, 1.0, 2.0)  # fmt: skip
    win = 1 / (1 + math.exp(-0.4))
    slope, least, signal = win * (1 - win), 1 / inverse_slope(1.0), math.tanh(0.5)
    noise = (1 - (signal * (2 * win - 1)) ** 2) / (4 * signal**2)
    chosen = 1 / (1 + math.exp(-0.2))
    shown = 2 * chosen * (1 - chosen)
    spread = noise / (shown * least * (2 * slope - least))
    expected = chosen * (1 - chosen) * spread / 4
    found = own.newton_rate(world, 1.0, 1 + 1e-7, "least_slope")
    assert found == pytest.approx(expected, rel=1e-5)
    efficient = chosen * (1 - chosen) * noise / (shown * slope**2) / 4
    assert own.newton_rate(world, 1.0, 1 + 1e-7, "own_slope") == pytest.approx(efficient, rel=1e-5)


def test_single_labels_and_blocks_have_the_same_regret():
    with torch.inference_mode():
        *_, end = own.label_by_label(Runs([WORLD], 1500), [0, 300], np.random.default_rng(0))
    (curve,) = simulate([WORLD], 1500, np.random.default_rng(1))
    one, blocks = end.regret.numpy(), curve.regret[-1]
    error = math.hypot(one.std(), blocks.std()) / math.sqrt(1500)
    assert abs(one.mean() - blocks.mean()) < 4 * error + 0.03 * blocks.mean()


def test_a_block_adds_at_most_its_share():
    assert own.largest_share(WORLD, 5) <= 0.25
    assert own.log_growth(WORLD.linear, 3.0, 300) > 0
    low, high = (own.mean_regret_bound(WORLD.linear, e, 3.0, 300, 0.8) for e in (10.0, 0.1))
    assert low < high
