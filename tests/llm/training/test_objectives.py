"""χPO's objectives against their formulas in numpy, and at the reference policy."""

import math

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.base.notation import flip_prob, keep_prob, privacy_cost
from repro.llm.training.losses import log_loss
from repro.llm.training.objectives import objective

EPSILON = 0.7
FIRST = torch.tensor([0.3, -0.2, 1.1], dtype=torch.float64, requires_grad=True)
SECOND = torch.tensor([-0.4, 0.1, 0.2], dtype=torch.float64, requires_grad=True)
LABEL = torch.tensor([1.0, -1.0, -1.0], dtype=torch.float64)


def chipo(name, epsilon=EPSILON):
    return objective(name, epsilon, 0.1, 2.0)


def difference():
    u, v = np.exp(FIRST.detach().numpy()), np.exp(SECOND.detach().numpy())
    return 0.1 * (u + np.log(u) - v - np.log(v))


def test_private_is_algorithm_1():
    one = chipo("private")
    win = 1 / (1 + np.exp(-LABEL.numpy() * difference()))
    expected = -np.log((2 * keep_prob(EPSILON) - 1) * win + flip_prob(EPSILON))
    found = one.loss(one.difference(FIRST, SECOND), LABEL)
    assert found.tolist() == pytest.approx(expected.tolist(), rel=1e-12)


def test_square_is_algorithm_3():
    one = chipo("square", EPSILON)
    centred = 2 / (1 + np.exp(-difference())) - 1
    expected = (centred - privacy_cost(EPSILON) * LABEL.numpy()) ** 2
    found = one.loss(one.difference(FIRST, SECOND), LABEL)
    assert found.tolist() == pytest.approx(expected.tolist(), rel=1e-12)


def test_without_privacy_both_take_labels_as_clean():
    gap = torch.tensor([0.3, -0.8, 0.1], dtype=torch.float64)
    clean = chipo("private", math.inf).loss(gap, LABEL)
    torch.testing.assert_close(clean, log_loss(gap, LABEL))
    for name in ("private", "square"):
        right, wrong = (chipo(name, epsilon).loss(gap, LABEL) for epsilon in (EPSILON, math.inf))
        assert not torch.allclose(wrong, right)


@pytest.mark.parametrize(
    ("name", "slope"),
    [
        ("dpo", -0.5 * 0.1),
        ("rdpo", -0.5 * 0.1 * privacy_cost(EPSILON)),
        ("private", -0.5 * 2 * 0.1 / privacy_cost(EPSILON)),
        ("square", -2 * 0.1 * privacy_cost(EPSILON)),
    ],
)
def test_derivatives_at_the_reference(name, slope):
    one = chipo(name, EPSILON)
    first = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    second = torch.zeros(1, dtype=torch.float64)
    value = one.loss(one.difference(first, second), torch.ones(1, dtype=torch.float64))
    (found,) = torch.autograd.grad(value.sum(), first)
    assert float(found) == pytest.approx(slope, rel=1e-9)


def test_beyond_the_bound_nothing_pulls():
    one = chipo("private", EPSILON)
    first = torch.tensor([9.0], dtype=torch.float64, requires_grad=True)
    gap = one.difference(first, torch.zeros(1, dtype=torch.float64))
    assert float(gap.detach()) == 4.0
    (found,) = torch.autograd.grad(one.loss(gap, torch.ones(1)).sum(), first)
    assert float(found) == 0


def test_an_unknown_objective():
    with pytest.raises(KeyError):
        chipo("chi", 1.0)


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan])
def test_weights_and_bounds_that_are_no_number_above_0_are_refused(value):
    one = torch.ones(1, dtype=torch.float64)
    for name in ("dpo", "rdpo", "private", "square"):
        with pytest.raises(BadInput, match="kl_weight"):
            objective(name, EPSILON, value, 1.0).difference(one, -one)
    for name in ("private", "square"):
        with pytest.raises(BadInput, match="reward_bound"):
            objective(name, EPSILON, 0.1, value).difference(one, -one)
