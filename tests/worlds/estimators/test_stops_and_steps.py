"""What the batched Newton solvers share: when they stop, how fast they are, when they halve."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from repro.labels.preferences.label_counts import LabelCounts
from repro.p1.pokl import least_squares as online
from repro.p2.losses import label_losses
from repro.p2.losses.label_losses import LOSSES, NaiveLoss, SquareLoss
from repro.p3.curator import minimiser
from repro.p3.curator.comparison_losses import PairLoss
from repro.p4.debiased_mle import logistic
from repro.worlds.estimators import mixture_mle

KINDS = {**LOSSES, "naive": NaiveLoss}


def double(values) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


ONE = double([[1.0]])


def of_debiased(labels, x=ONE, mass=ONE, radius=50.0, tolerance=1e-11):
    """By Newton's steps: cells that share no direction are otherwise fitted in closed form."""
    return logistic._by_newton(
        x, mass, torch.as_tensor(labels, dtype=torch.float64), radius, tolerance
    )


def of_label_loss(shares, pairs=1.0, x=ONE, radius=50.0, name="naive", **options):
    shares = double(shares)
    counts = LabelCounts(torch.full_like(shares, pairs), pairs * shares)
    return label_losses.minimise_loss(KINDS[name](1.0), counts, x, radius, **options)


def of_mixture(shares, pairs=1.0, x=ONE, radius=50.0, **options):
    shares = double(shares)
    counts = LabelCounts(torch.full_like(shares, pairs), pairs * shares)
    return mixture_mle.mixture_mle(counts, x, math.inf, radius, **options)


FITS = pytest.mark.parametrize("fit", [of_debiased, of_label_loss, of_mixture])
SOLVERS = {
    of_debiased: logistic,
    of_label_loss: label_losses,
    of_mixture: mixture_mle,
}


@FITS
def test_a_logit_to_twelve_digits(fit):
    for share in (0.9, 0.51, 1e-3):
        assert float(fit([[share]])) == pytest.approx(math.log(share / (1 - share)), rel=1e-11)


@FITS
def test_data_that_agree_with_the_start_finish_at_once(fit):
    assert float(fit([[0.5]], tolerance=0.0)) == 0.0


@FITS
def test_eight_steps_are_enough(fit, monkeypatch):
    """Newton's method doubles its digits: a ridge that is felt would not."""
    monkeypatch.setattr(SOLVERS[fit], "MAX_STEPS", 8)
    assert float(fit([[0.9]])) == pytest.approx(math.log(9), rel=1e-10)


@pytest.mark.parametrize("fit", [of_label_loss, of_mixture])
@pytest.mark.parametrize("pairs", [1e-9, 1e12])
def test_counts_may_be_of_any_size(fit, pairs, monkeypatch):
    monkeypatch.setattr(SOLVERS[fit], "MAX_STEPS", 8)
    assert float(fit([[0.9]], pairs=pairs)) == pytest.approx(math.log(9), rel=1e-9)


def test_masses_may_be_of_any_size(monkeypatch):
    monkeypatch.setattr(logistic, "MAX_STEPS", 8)
    assert float(of_debiased([[0.9]], mass=1e-9 * ONE)) == pytest.approx(math.log(9), rel=1e-9)


@pytest.mark.parametrize("fit", [of_label_loss, of_mixture])
def test_tolerance_is_relative_to_the_parameter_plus_one(fit):
    """The first step goes to (0.97 − ½)/¼ = 1.88 and is final where 1.88 ≤ tolerance·2.88."""
    assert float(fit([[0.97]], tolerance=0.7)) == pytest.approx(1.88)
    assert float(fit([[0.97]], tolerance=0.6)) > 2.0


def test_tolerance_is_relative_to_the_radius():
    assert float(of_debiased([[0.9]], radius=5.0, tolerance=0.33)) == pytest.approx(1.6)
    assert float(of_debiased([[0.9]], radius=5.0, tolerance=0.31)) > 1.7


@pytest.mark.parametrize("radius", [50.0, 2.0])
def test_cells_that_share_no_direction_are_fitted_as_by_newton(radius):
    """Inside the ball in closed form; outside of it the steps take over."""
    x = double([[1.2, 1.6], [-0.4, 0.3]])
    mass = double([[0.3, 0.7], [0.9, 0.1], [0.5, 0.5]])
    labels = double([[0.9, 0.2], [0.4, 0.5], [1.3, 0.6]])
    found = logistic.debiased_logistic(x, mass, labels, radius)
    torch.testing.assert_close(found, of_debiased(labels, x, mass, radius), rtol=1e-7, atol=1e-8)


def outward_residual(score: torch.Tensor, theta: torch.Tensor, radius: float) -> float:
    """What is left of the score's direction once the ball's share is taken off."""
    on_sphere = (theta.norm(dim=1, keepdim=True) > radius * (1 - 1e-9)).double()
    outwards = (score * theta).sum(1, keepdim=True).clamp(min=0) / theta.square().sum(1, True)
    return float((score - on_sphere * outwards * theta).norm(dim=1).max())


DEBIASED_CASES = [
    ([[-7.4, 6.7], [-0.1, -0.5], [2.1, 2.9]], [[0.3, 0.61, 0.09]],
     [[-0.17, 1.25, 1.29], [0.5, 0.4, 0.6]]),
    ([[-8.1, -8.0], [0.1, 0.1], [3.6, 2.5]], [[0.13, 0.58, 0.29]],
     [[1.18, 0.44, -0.17], [1.25, 0.35, -0.46], [0.04, 0.27, -0.45]]),
]  # fmt: skip


@pytest.mark.parametrize(("x", "mass", "labels"), DEBIASED_CASES)
def test_debiased_steps_that_overshoot_are_halved(x, mass, labels):
    """Some rows climb under whole steps; others, beside them, do not."""
    x, mass, labels = double(x), double(mass), double(labels)
    found = of_debiased(labels, x, mass)
    score = (mass * (labels - torch.sigmoid(found @ x.T))) @ x
    assert outward_residual(score, found, 50.0) < 1e-6


LABEL_CASES = {
    "square": ([[-1.4, -0.4], [2.3, -1.6], [11.7, 1.9]], [28.0, 70.0, 1556.0], [15.0, 52.0, 729.0]),
    "mixture": ([[-1.5, 0.0], [-3.0, -0.6], [0.9, -2.2]], [2934.0, 33.0, 3585.0],
                [2152.0, 8.0, 737.0]),
    "debiased": ([[26.2, -33.7], [0.1, -0.1], [-7.4, 1.2]], [11.0, 51.0, 4089.0],
                 [5.0, 39.0, 3098.0]),
    "naive": ([[2.7, 1.6], [1.8, -2.4], [0.1, 0.4]], [15.0, 13.0, 7264.0], [7.0, 9.0, 1472.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", list(LABEL_CASES))
def test_steps_on_label_losses_that_overshoot_are_halved(name):
    x, pairs, wins = (double(values) for values in LABEL_CASES[name])
    easy = torch.tensor([0.5, 0.51, 0.49], dtype=torch.float64) * pairs
    counts = LabelCounts(torch.stack([pairs, pairs]), torch.stack([wins, easy]))
    loss = KINDS[name](1.0)
    found = label_losses.minimise_loss(loss, counts, x, 50.0)
    score, _ = loss.derivatives(counts, found @ x.T, x)
    assert outward_residual(score, found, 50.0) < 1e-5 * float(pairs.sum())
    scaled = LabelCounts(1e-9 * counts.pairs, 1e-9 * counts.wins)
    again = label_losses.minimise_loss(loss, scaled, x, 50.0)
    assert torch.allclose(loss.value(counts, again @ x.T), loss.value(counts, found @ x.T))


def test_a_row_is_halved_although_others_fall():
    """Rows of one batch on a square loss that is not convex: each ends as it does alone."""
    x = double([[1.1, 0.7], [-0.0, -1.5], [0.2, 0.1]])
    pairs = double([[254.0, 10.0, 1145.0], [3945.0, 3767.0, 4208.0], [39.0, 8796.0, 451.0]])
    wins = double([[79.0, 3.0, 278.0], [2297.0, 2174.0, 2828.0], [23.0, 4500.0, 134.0]])
    loss = SquareLoss(1.0)
    found = label_losses.minimise_loss(loss, LabelCounts(pairs, wins), x, 50.0)
    for row in range(3):
        alone = LabelCounts(pairs[[row]], wins[[row]])
        assert torch.allclose(found[[row]], label_losses.minimise_loss(loss, alone, x, 50.0))


LIKELIHOOD_CASES = [
    ([[-0.6, -0.6], [-1.1, -7.8], [-17.7, 3.1]], [[739.0, 225.0, 51183.0]] * 2,
     [[221.0, 61.0, 13765.0], [370.5, 113.5, 25592.5]]),
    ([[6.6, 0.7], [0.5, 0.2], [1.9, -3.5]],
     [[136.0, 1275.0, 15.0], [5731.0, 3663.0, 26.0], [838.0, 98.0, 43.0]],
     [[96.0, 831.0, 8.0], [3280.0, 2644.0, 11.0], [415.0, 33.0, 20.0]]),
]  # fmt: skip


@pytest.mark.parametrize(("x", "pairs", "wins"), LIKELIHOOD_CASES)
def test_likelihood_steps_that_overshoot_are_halved_alone(x, pairs, wins):
    x, pairs, wins = double(x), double(pairs), double(wins)
    found = mixture_mle.mixture_mle(LabelCounts(pairs, wins), x, 1.0, 50.0)
    for row in range(len(pairs)):
        alone = LabelCounts(pairs[[row]], wins[[row]])
        assert torch.allclose(found[[row]], mixture_mle.mixture_mle(alone, x, 1.0, 50.0))
    scaled = LabelCounts(1e-9 * pairs, 1e-9 * wins)
    assert torch.allclose(found, mixture_mle.mixture_mle(scaled, x, 1.0, 50.0), atol=1e-4)


def test_objective_steps_that_overshoot_are_halved():
    """One row needs halving and many steps, the other is done after a few."""
    x, share = double([[-9.8, 24.9], [-3.3, 12.2], [4.5, 2.8]]), double([[0.26, 0.33, 0.41]])
    loss = PairLoss(x, share, share * double([[0.48, 0.07, 0.94]]))
    linear = double([[-0.79, 0.18], [0.0, 0.0], [1e-3, 1e-3]])
    found = minimiser.minimise_in_ball(loss, 1e-3, linear, 50.0)
    gradient, _ = minimiser.PerturbedLoss(loss, 1e-3, linear).derivatives(found)
    assert outward_residual(-gradient, found, 50.0) < 1e-9


def test_a_small_climb_is_halved_too():
    """Less than the objective itself, and whole steps still never end."""
    x, share = double([[-1.3, -3.1], [0.3, -0.7], [-0.4, 0.8]]), double([[0.11, 0.41, 0.49]])
    loss = PairLoss(x, share, share * double([[0.24, 0.7, 0.6]]))
    linear = double([[0.71, 0.66]])
    found = minimiser.minimise_in_ball(loss, 1e-3, linear, 50.0)
    gradient, _ = minimiser.PerturbedLoss(loss, 1e-3, linear).derivatives(found)
    assert outward_residual(-gradient, found, 50.0) < 1e-9


def test_eight_newton_steps_are_enough(monkeypatch):
    monkeypatch.setattr(minimiser, "MAX_STEPS", 8)
    loss = PairLoss(ONE, ONE, 0.9 * ONE)
    found = minimiser.minimise_in_ball(loss, 1e-14, double([[0.0]]), 50.0)
    assert float(found) == pytest.approx(math.log(9), rel=1e-10)


def test_a_finished_row_waits_for_the_others():
    """Without data the first row is done after one step; the second is a logit far out."""
    loss = PairLoss(ONE, double([[0.0], [1.0]]), double([[0.0], [0.99]]))
    found = minimiser.minimise_in_ball(loss, 1e-12, double([[0.0], [0.0]]), 50.0)
    assert found[:, 0].tolist() == pytest.approx([0.0, math.log(99)], rel=1e-9)


def least_squares(pairs=1e6, count=1, **options):
    rng = np.random.default_rng(0)
    x, theta = torch.from_numpy(rng.standard_normal((9, 3)) / 2), double([0.4, -0.3, 0.2])
    signal = torch.full((count,), 0.46, dtype=torch.float64)
    counts = torch.full((count, 9), pairs, dtype=torch.float64)
    means = counts * online.expected_label(x @ theta, signal[:, None])
    zero = torch.zeros(count, 3, dtype=torch.float64)
    found = online.linear_least_squares(zero, counts, means, x, signal, 1.0, **options)
    return float((found - theta).abs().max())


def test_least_squares_by_default_are_finer_than_noise():
    """The smallest standard error is about 1e-3 here; the last step is a hundredth of it."""
    assert least_squares() < 1e-7
    by_default = least_squares()
    assert least_squares(tolerance=1e-3) != by_default == least_squares(tolerance=1e-2)
    assert by_default != least_squares(tolerance=10.0)


def test_least_squares_converge_in_a_few_steps(monkeypatch):
    monkeypatch.setattr(online, "MAX_STEPS", 6)
    assert least_squares(tolerance=0.0) < 1e-9
    assert least_squares(pairs=1e12, tolerance=0.0) < 1e-9
    assert least_squares(pairs=1e-5, tolerance=0.0) < 1e-9


def test_least_squares_stop_when_they_are_done():
    steps, inner = [], online.nearest_in_ball_newton
    least_squares(nearest=lambda *given: steps.append(1) or inner(*given))
    assert 2 <= len(steps) <= 6


def jittered(derivatives, rng, size):
    """The score moved by its last bits, as another CPU's linear algebra would."""

    def noisy(*given):
        score, curvature = derivatives(*given)
        bits = torch.from_numpy(rng.standard_normal(tuple(score.shape)))
        return score + size * bits, curvature

    return noisy


FLAT = double([[-8.1, -8.0], [0.1, 0.1], [3.6, 2.5]])
"""Almost collinear: the last bits of a score move the steps by more than a tolerance."""


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("x", "mass", "labels"), DEBIASED_CASES)
def test_debiased_fits_end_whatever_the_last_bits(x, mass, labels, seed, monkeypatch):
    rng, solve = np.random.default_rng(seed), torch.linalg.solve_ex

    def noisy(curvature, score):
        bits = torch.from_numpy(rng.standard_normal(tuple(score.shape)))
        return solve(curvature, score + 1e-14 * bits)

    inner = logistic._loss
    monkeypatch.setattr(torch.linalg, "solve_ex", noisy)
    monkeypatch.setattr(
        logistic, "_loss",
        lambda *given: (v := inner(*given)) * (1 + 2e-16 * float(rng.standard_normal())) + 0 * v,
    )  # fmt: skip
    x, mass, labels = double(x), double(mass), double(labels)
    found = of_debiased(labels, x, mass)
    score = (mass * (labels - torch.sigmoid(found @ x.T))) @ x
    assert outward_residual(score, found, 50.0) < 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_likelihood_fits_end_whatever_the_last_bits(seed, monkeypatch):
    rng, kind = np.random.default_rng(seed), mixture_mle.MixtureLikelihood
    pairs = double([[1e8, 2e8, 1e8]])
    wins = pairs * double([[0.31, 0.52, 0.61]])
    noisy = jittered(lambda *given: exact(*given), rng, 1e-9)
    exact = kind.derivatives_at
    monkeypatch.setattr(kind, "derivatives_at", lambda *given: noisy(*given))
    found = mixture_mle.mixture_mle(LabelCounts(pairs, wins), 1e-5 * FLAT, 1.0, 1e7)
    assert torch.isfinite(found).all()


@pytest.mark.parametrize("seed", range(5))
def test_objectives_end_whatever_the_last_bits(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    share = double([[0.26, 0.33, 0.41]])
    loss = PairLoss(1e-3 * FLAT, share, share * double([[0.48, 0.27, 0.64]]))
    exact = minimiser.PerturbedLoss.derivatives
    noisy = jittered(exact, rng, 1e-19)
    monkeypatch.setattr(minimiser.PerturbedLoss, "derivatives", lambda *given: noisy(*given))
    found = minimiser.minimise_in_ball(loss, 1e-13, double([[0.0, 0.0]]), 1e5)
    assert torch.isfinite(found).all()
