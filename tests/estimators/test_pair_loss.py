"""Claims A.1 and A.2 against autograd."""

import math

import torch

from repro.families.central.algorithms_losses import PairLoss

X = torch.tensor([[1.0, 2.0], [0.5, -1.0], [0.0, 1.0]]).double()
SHARE = torch.tensor([[0.5, 0.3, 0.2]]).double()
WINS = torch.tensor([[0.1, 0.3, 0.05]]).double()
LOSS = PairLoss(X, SHARE, WINS)
THETA = torch.tensor([[0.3, -0.7]]).double()


def test_value_by_hand():
    one = PairLoss(X[:1], torch.ones(1, 1).double(), torch.full((1, 1), 0.25).double())
    expected = -(0.25 * math.log(1 / (1 + math.exp(-3))) + 0.75 * math.log(1 / (1 + math.exp(3))))
    assert math.isclose(float(one.value(torch.ones(1, 2).double())), expected, rel_tol=1e-14)


def test_derivatives_agree_with_autograd():
    gradient, hessian = LOSS.derivatives(THETA)
    flat = THETA[0].clone().requires_grad_()
    automatic = torch.autograd.functional.jacobian(lambda t: LOSS.value(t[None])[0], flat)
    curved = torch.autograd.functional.hessian(lambda t: LOSS.value(t[None])[0], flat)
    torch.testing.assert_close(gradient[0], automatic, rtol=1e-14, atol=1e-15)
    torch.testing.assert_close(hessian[0], curved, rtol=1e-13, atol=1e-15)


def test_covariance_is_the_mean_outer_product():
    expected = 0.5 * X[0].outer(X[0]) + 0.3 * X[1].outer(X[1]) + 0.2 * X[2].outer(X[2])
    torch.testing.assert_close(LOSS.covariance[0], expected)
    assert LOSS.num_features == 2


def test_every_dataset_has_its_covariance():
    loss = PairLoss(X, torch.cat([SHARE, SHARE.flip(1)]), torch.cat([WINS, WINS]))
    assert loss.covariance.shape == (2, 2, 2)
    expected = 0.2 * X[0].outer(X[0]) + 0.3 * X[1].outer(X[1]) + 0.5 * X[2].outer(X[2])
    torch.testing.assert_close(loss.covariance[1], expected)
