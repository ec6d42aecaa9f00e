"""The losses and their gradients against the core's estimators, which work on counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.base.notation import flip_prob, keep_prob, label_signal
from repro.labels.preferences.label_counts import LabelCounts
from repro.llm.training.losses import debiased_loss, log_loss, mixture_loss, square_loss
from repro.p2.losses.label_losses import LOSSES, DebiasedLoss, NaiveLoss
from repro.p4.debiased_mle import logistic
from repro.worlds.estimators.mixture_mle import MixtureLikelihood
from tests.at_each import at_each
from theorems import rdpo_identity

KINDS = {**LOSSES, "naive": NaiveLoss}

X = torch.tensor([[1.0, 0.2], [0.3, -1.0], [-0.5, 0.7], [2.9, 0.9]], dtype=torch.float64)
PAIRS, WINS = torch.tensor([[7.0, 5.0, 9.0, 4.0]]).double(), torch.tensor([[4.0, 0, 3, 4]]).double()
COUNTS = LabelCounts(PAIRS, WINS)
EPSILONS = (0.05, 0.5, 2.0, 8.0, math.inf)
PRIVATE = {"mixture": mixture_loss, "debiased": debiased_loss, "square": square_loss}


def pair_by_pair() -> tuple[torch.Tensor, torch.Tensor]:
    """Cell and label of each of the 25 pairs."""
    cells, labels = [], []
    for cell, (pairs, wins) in enumerate(zip(PAIRS[0], WINS[0], strict=True)):
        cells += [cell] * int(pairs)
        labels += [1] * int(wins) + [-1] * int(pairs - wins)
    return torch.tensor(cells), torch.tensor(labels)


def summed(loss, theta: torch.Tensor, *epsilon: float) -> torch.Tensor:
    cells, labels = pair_by_pair()
    return loss(X[cells] @ theta, labels, *epsilon).sum()


def gradient(value, theta: torch.Tensor) -> torch.Tensor:
    theta = theta.clone().requires_grad_()
    return torch.autograd.grad(value(theta), theta)[0]


THETAS = [torch.tensor(t, dtype=torch.float64) for t in ([0.4, -0.8], [-3.0, 2.0])]


def core_scale(name: str, epsilon: float) -> float:
    """Size of ours in units of the core's: 2σ−1−cz is twice a share, squared, without the ½."""
    return {"mixture": label_signal(epsilon) ** 2, "debiased": 1.0, "square": 8.0}[name]


@at_each("epsilon", EPSILONS)
@at_each("name", PRIVATE)
def test_gradient_is_the_cores_score(name, epsilon):
    for theta in THETAS:
        ours = gradient(lambda t: summed(PRIVATE[name], t, epsilon), theta)
        score, _ = KINDS[name](epsilon).derivatives(COUNTS, (X @ theta)[None], X)
        expected = -core_scale(name, epsilon) * score[0]
        torch.testing.assert_close(ours, expected, rtol=1e-6, atol=1e-6)
        assert expected.norm() > 1e-3


@at_each("epsilon", EPSILONS)
@at_each("name", PRIVATE)
def test_values_differ_from_the_cores_by_a_constant(name, epsilon):
    here, there = THETAS
    core = KINDS[name](epsilon)
    ours = summed(PRIVATE[name], here, epsilon) - summed(PRIVATE[name], there, epsilon)
    theirs = core.value(COUNTS, (X @ here)[None]) - core.value(COUNTS, (X @ there)[None])
    assert float(ours) == pytest.approx(core_scale(name, epsilon) * float(theirs), rel=1e-6)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("wrong", ["naive", "another_budget"])
def test_the_wrong_loss_has_another_gradient(wrong, epsilon):
    """The comparison above fails for a loss that ignores privacy, or assumes another ε."""
    theta = THETAS[0]
    score, _ = DebiasedLoss(epsilon).derivatives(COUNTS, (X @ theta)[None], X)
    if wrong == "naive":
        if math.isinf(epsilon):
            pytest.skip("without privacy ignoring it is right")
        ours = gradient(lambda t: summed(log_loss, t), theta)
    else:
        ours = gradient(lambda t: summed(debiased_loss, t, min(epsilon, 2.0) / 2), theta)
    assert (ours + score[0]).abs().max() > 1e-4


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_mixture_is_the_private_likelihood_of_the_reward_model(epsilon):
    core = MixtureLikelihood(X, epsilon)
    for theta in THETAS:
        ours = summed(mixture_loss, theta, epsilon)
        assert float(ours) == pytest.approx(-float(core.value(COUNTS, theta[None])), rel=1e-9)
        score, _ = core.derivatives(COUNTS, theta[None])
        found = gradient(lambda t: summed(mixture_loss, t, epsilon), theta)
        torch.testing.assert_close(found, -score[0], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_debiased_is_the_loss_of_the_robust_reward_model(epsilon):
    share = DebiasedLoss(epsilon).share(COUNTS)
    for theta in THETAS:
        expected = logistic.loss(X, PAIRS, share, theta[None])
        ours = summed(debiased_loss, theta, epsilon)
        assert float(ours) == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_debiased_is_rdpo_label_by_label(epsilon):
    logit = np.random.default_rng(1).normal(scale=4, size=200)
    bit = np.random.default_rng(2).integers(0, 2, 200)
    ours = debiased_loss(torch.from_numpy(logit), torch.from_numpy(2 * bit - 1), epsilon).numpy()
    flip = flip_prob(epsilon)
    data = rdpo_identity.LabelledMargins(logit, bit, epsilon, np.ones_like(logit))
    np.testing.assert_allclose(ours, rdpo_identity.p4(data), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours, rdpo_identity.rdpo(data), rtol=1e-9, atol=1e-9)
    if flip > 1e-3:
        assert np.abs(ours - rdpo_identity.label_smoothing(data)).max() > 1e-3


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
@pytest.mark.parametrize(("loss", "unbiased"), [(debiased_loss, True), (log_loss, False)])
def test_only_the_debiased_loss_has_the_clean_loss_as_its_mean(loss, unbiased, epsilon):
    difference = torch.linspace(-3, 3, 7, dtype=torch.float64)
    one = torch.ones_like(difference)
    budget = (epsilon,) if loss is debiased_loss else ()
    mean = keep_prob(epsilon) * loss(difference, one, *budget)
    mean = mean + flip_prob(epsilon) * loss(difference, -one, *budget)
    assert torch.allclose(mean, log_loss(difference, one), atol=1e-9) is unbiased


@pytest.mark.parametrize("name", PRIVATE)
def test_turning_the_pair_round_turns_the_label_round(name):
    difference = torch.linspace(-3, 3, 7, dtype=torch.float64)
    label = torch.tensor([1, -1, 1, -1, 1, 1, -1])
    torch.testing.assert_close(
        PRIVATE[name](difference, label, 0.5), PRIVATE[name](-difference, -label, 0.5)
    )


@pytest.mark.parametrize("name", ["mixture", "debiased"])
def test_without_privacy_the_losses_are_the_log_loss(name):
    difference = torch.linspace(-5, 5, 11, dtype=torch.float64)
    label = torch.where(torch.arange(11) % 2 == 0, 1, -1)
    for epsilon in (math.inf, 800.0):
        torch.testing.assert_close(
            PRIVATE[name](difference, label, epsilon), log_loss(difference, label)
        )


@at_each("epsilon", [1e-3, 1.0, 800.0, math.inf])
@at_each("name", PRIVATE)
def test_values_and_gradients_are_finite_far_out(name, epsilon):
    difference = torch.tensor([-1e4, -90.0, 0.0, 90.0, 1e4], requires_grad=True)
    for label in (torch.ones(5), -torch.ones(5)):
        value = PRIVATE[name](difference, label, epsilon)
        (slope,) = torch.autograd.grad(value.sum(), difference)
        assert bool(torch.isfinite(value).all())
        assert bool(torch.isfinite(slope).all())


def test_gradient_by_finite_differences():
    difference = torch.tensor([-2.0, 0.3, 1.7], dtype=torch.float64, requires_grad=True)
    label = torch.tensor([1, -1, -1])
    for loss in PRIVATE.values():
        assert torch.autograd.gradcheck(lambda d, f=loss: f(d, label, 0.7), (difference,))


@pytest.mark.parametrize(
    "loss", [*PRIVATE.values(), lambda gap, label, epsilon: log_loss(gap, label)]
)
@pytest.mark.parametrize(
    ("label", "words"),
    [
        (torch.tensor([1.0, 0.0]), "convert other codings first"),
        (torch.tensor([True, False]), "label=of booleans"),
        (torch.tensor([[1.0], [-1.0]]), r"label=\(2, 1\): allowed: shape \(2,\)"),
    ],
)
def test_labels_of_another_kind_are_refused(loss, label, words):
    with pytest.raises(BadInput, match=words):
        loss(torch.zeros(2), label, 1.0)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, 5e-324])
@pytest.mark.parametrize("loss", PRIVATE.values())
def test_a_budget_that_says_nothing_is_refused(loss, epsilon):
    with pytest.raises(BadInput, match="epsilon=.*a number above 0, or inf"):
        loss(torch.zeros(2), torch.ones(2), epsilon)
