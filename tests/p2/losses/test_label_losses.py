"""The four losses against their definitions, an independent minimiser and each other."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from repro.base.notation import flip_prob, label_signal, privacy_cost
from repro.labels.preferences.label_counts import LabelCounts
from repro.p2.losses.label_losses import (
    LOSSES,
    DebiasedLoss,
    MixtureLoss,
    NaiveLoss,
    SquareLoss,
    minimise_loss,
)
from repro.worlds.estimators.mixture_mle import mixture_mle

X = torch.tensor([[1.0, 0.2], [0.3, -1.0], [-0.5, 0.7], [0.9, 0.9]], dtype=torch.float64)
COUNTS = LabelCounts(
    torch.tensor([[400.0, 300.0, 500.0, 350.0]], dtype=torch.float64),
    torch.tensor([[260.0, 130.0, 240.0, 215.0]], dtype=torch.float64),
)

KINDS = {**LOSSES, "naive": NaiveLoss}


def by_definition(name, epsilon, theta):
    """The loss label by label, as the papers print it."""
    m, k = COUNTS.pairs[0].numpy(), COUNTS.wins[0].numpy()
    p = 1 / (1 + np.exp(-(X.numpy() @ theta)))
    flip, signal, c = flip_prob(epsilon), label_signal(epsilon), privacy_cost(epsilon)
    if name == "mixture":
        q = flip + signal * p
        return -(k * np.log(q) + (m - k) * np.log(1 - q)).sum()
    if name == "square":
        return (k * (2 * p - 1 - c) ** 2 + (m - k) * (2 * p - 1 + c) ** 2).sum()
    if name == "naive":
        return -(k * np.log(p) + (m - k) * np.log(1 - p)).sum()
    keep = 1 - flip
    plus = -(keep * np.log(p) - flip * np.log(1 - p)) / signal
    minus = -(keep * np.log(1 - p) - flip * np.log(p)) / signal
    return (k * plus + (m - k) * minus).sum()


@pytest.mark.parametrize("name", ["mixture", "square", "debiased", "naive"])
@pytest.mark.parametrize("epsilon", [0.7, 3.0])
def test_the_minimiser_is_that_of_the_printed_loss(name, epsilon):
    found = minimise_loss(KINDS[name](epsilon), COUNTS, X, 50.0)[0].numpy()
    best = minimize(lambda t: by_definition(name, epsilon, t), np.zeros(2), method="Nelder-Mead",
                    options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000}).x  # fmt: skip
    assert found == pytest.approx(best, abs=2e-5)


def test_the_mixture_equals_the_algorithm_of_p1():
    own = minimise_loss(MixtureLoss(1.0), COUNTS, X, 5.0)
    assert torch.allclose(own, mixture_mle(COUNTS, X, 1.0, 5.0), atol=1e-7)


def test_all_three_coincide_in_a_saturated_class_and_naive_does_not():
    x = torch.eye(4, dtype=torch.float64)
    fits = [
        minimise_loss(KINDS[name](2.0), COUNTS, x, 50.0)
        for name in ("mixture", "square", "debiased", "naive")
    ]
    assert torch.allclose(fits[0], fits[1], atol=1e-6)
    assert torch.allclose(fits[0], fits[2], atol=1e-6)
    assert (fits[0] - fits[3]).abs().max() > 0.05


def test_shares_outside_the_unit_interval_send_the_debiased_loss_to_the_sphere():
    one = LabelCounts(torch.tensor([[20.0]]).double(), torch.tensor([[18.0]]).double())
    x = torch.ones(1, 1, dtype=torch.float64)
    found = minimise_loss(DebiasedLoss(0.5), one, x, 3.0)
    assert float(found) == pytest.approx(3.0, abs=1e-6)


def test_a_cell_without_pairs_counts_for_nothing():
    empty = LabelCounts(
        torch.cat([COUNTS.pairs, torch.zeros(1, 1)], 1),
        torch.cat([COUNTS.wins, torch.zeros(1, 1)], 1),
    )
    x = torch.cat([X, torch.tensor([[5.0, 5.0]]).double()])
    for name in ("mixture", "square", "debiased"):
        loss = KINDS[name](1.0)
        assert torch.allclose(
            minimise_loss(loss, empty, x, 9.0), minimise_loss(loss, COUNTS, X, 9.0), atol=1e-8
        )


def test_weights_by_hand():
    s = torch.tensor([0.0], dtype=torch.float64)
    assert float(SquareLoss(1.0).weight(s)) == pytest.approx(0.25)
    assert float(MixtureLoss(math.log(3)).weight(s)) == pytest.approx(1.0)
    assert float(DebiasedLoss(1.0).weight(s)) == 1.0


NAMES = pytest.mark.parametrize("name", ["mixture", "square", "debiased", "naive"])
THETA = torch.tensor([0.4, -0.9], dtype=torch.float64)


@NAMES
def test_the_score_is_the_derivative_of_the_value(name):
    loss = KINDS[name](0.7)
    slope = torch.autograd.functional.jacobian(
        lambda t: loss.value(COUNTS, (t @ X.T)[None])[0], THETA
    )
    score, _ = loss.derivatives(COUNTS, (THETA @ X.T)[None], X)
    assert torch.allclose(score[0], -slope, rtol=1e-10)


@NAMES
def test_the_curvature_is_expected_at_the_truth(name):
    """Where the debiased shares are σ(s), the score's derivative is the curvature."""
    loss, p = KINDS[name](0.7), torch.sigmoid(THETA @ X.T)
    flip = 0.0 if name == "naive" else flip_prob(0.7)
    counts = LabelCounts(COUNTS.pairs, COUNTS.pairs * (flip + (1 - 2 * flip) * p))
    slope = torch.autograd.functional.jacobian(
        lambda t: loss.derivatives(counts, (t @ X.T)[None], X)[0][0], THETA
    )
    _, curvature = loss.derivatives(counts, (THETA @ X.T)[None], X)
    assert torch.allclose(curvature[0], -slope, rtol=1e-9)


@NAMES
def test_the_observed_curvature_is_that_of_these_labels(name):
    loss = KINDS[name](0.7)
    slope = torch.autograd.functional.jacobian(
        lambda t: loss.derivatives(COUNTS, (t @ X.T)[None], X)[0][0], THETA
    )
    _, curvature = loss.derivatives(COUNTS, (THETA @ X.T)[None], X, observed=True)
    assert torch.allclose(curvature[0], -slope, rtol=1e-9)


@NAMES
def test_newton_steps_end_where_scoring_does(name, monkeypatch):
    """One or two labels a cell, at ε = .7: shares far outside [0, 1] bend single cells down."""
    rng = np.random.default_rng(0)
    pairs = rng.poisson(1.5, (50, 200)).astype(float)
    x = torch.from_numpy(rng.standard_normal((200, 4)) / 2)
    win = torch.sigmoid(x @ torch.tensor([1.0, -0.5, 0.3, 0.0]).double()).numpy()
    wins = rng.binomial(pairs.astype(int), 0.25 + win / 2).astype(float)
    counts = LabelCounts(torch.from_numpy(pairs), torch.from_numpy(wins))
    loss = KINDS[name](0.7)
    found = minimise_loss(loss, counts, x, 6.0)
    monkeypatch.setattr("repro.p2.losses.label_losses.SCORED", 1000)
    scored = minimise_loss(loss, counts, x, 6.0)
    lower = loss.value(counts, found @ x.T) - loss.value(counts, scored @ x.T)
    assert float(lower.max()) < 1e-9
    # where scoring hardly moves in a flat direction it stops short of the minimum
    assert torch.allclose(found, scored, atol=1e-3)


def test_shares_by_hand():
    """A quarter of a label is a label in expectation; a cell without pairs is even."""
    counts = LabelCounts(
        torch.tensor([[0.0, 0.25, 1.0, 4.0]]).double(),
        torch.tensor([[0.0, 0.2, 1.0, 1.0]]).double(),
    )
    raw = torch.tensor([[0.5, 0.8, 1.0, 0.25]]).double()
    assert torch.allclose(NaiveLoss(1.0).share(counts), raw)
    debiased = DebiasedLoss(math.log(3)).share(counts)
    assert torch.allclose(debiased, (raw - 0.25) / 0.5)
