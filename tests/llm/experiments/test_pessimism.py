"""The bonus by hand, its rate, and what would make it a no-op."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.llm.experiments.pessimism import feature_bonus, gibbs_weights


def pairs(n: int, seed: int = 0, width: int = 5) -> tuple[torch.Tensor, torch.Tensor]:
    drawn = np.random.default_rng(seed).normal(size=(2, n, width)).astype(np.float32)
    return torch.from_numpy(drawn[0]), torch.from_numpy(drawn[1])


def test_bonus_by_hand():
    """x = (2, 0) twice and (0, 3) once, ridge 1: Σ = diag(9, 10); the centre is (1, 0)."""
    first = torch.tensor([[2.0, 0.0], [2.0, 0.0], [1.0, 1.5]])
    second = torch.tensor([[0.0, 0.0], [0.0, 0.0], [1.0, -1.5]])
    bonus = feature_bonus(first, second, ridge=1.0, coefficient=2.0)
    found = bonus(torch.tensor([[4.0, 0.0], [1.0, 2.0], [1.0, 0.0]]))
    assert found.tolist() == pytest.approx([2 * 3 / 3, 2 * 2 / math.sqrt(10), 0.0])


def test_bonus_is_the_quadratic_form_of_the_inverse():
    first, second = pairs(40)
    probe = pairs(7, seed=3)[0]
    x = (first.double() - second.double()).numpy()
    centre = torch.cat([first, second]).double().mean(0).numpy()
    inverse = np.linalg.inv(x.T @ x + 0.3 * np.eye(5))
    shifted = probe.double().numpy() - centre
    expected = 1.7 * np.sqrt(np.einsum("ni,ij,nj->n", shifted, inverse, shifted))
    found = feature_bonus(first, second, 0.3, 1.7)(probe).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_bonus_is_positive_and_shrinks_like_one_over_root_n():
    probe = pairs(20, seed=9)[0]
    sizes = np.array([100, 1_000, 10_000, 100_000])
    mean = [float(feature_bonus(*pairs(n), 1e-2, 1.0)(probe).mean()) for n in sizes]
    slope = np.polyfit(np.log(sizes), np.log(mean), 1)[0]
    assert min(mean) > 0
    assert slope == pytest.approx(-0.5, abs=0.05)


def test_bonus_stays_large_where_there_is_no_data():
    first, second = pairs(10_000)
    first[:, 0] = second[:, 0]
    bonus = feature_bonus(first, second, 1.0, 1.0)
    seen, unseen = torch.zeros(5), torch.zeros(5)
    seen[1], unseen[0] = 3.0, 3.0
    assert float(bonus(unseen)) > 50 * float(bonus(seen))


def test_a_ridge_above_the_data_has_another_rate():
    """Control of the rate: with ridge n² the bonus shrinks like 1/n, not n^−1/2."""
    probe = pairs(20, seed=9)[0]
    mean = [
        float(feature_bonus(*pairs(n), float(n) ** 2, 1.0)(probe).mean()) for n in (100, 10_000)
    ]
    assert math.log(mean[1] / mean[0]) / math.log(100) == pytest.approx(-1, abs=0.05)


def test_coefficient_zero_is_no_pessimism():
    assert not feature_bonus(*pairs(10), 1.0, 0.0)(pairs(4, seed=1)[0]).any()


def test_bonus_keeps_leading_axes():
    assert feature_bonus(*pairs(10), 1.0, 1.0)(torch.randn(2, 3, 5)).shape == (2, 3)


ONE = torch.ones(2, 3)


@pytest.mark.parametrize(
    ("first", "second", "ridge", "coefficient", "words"),
    [
        (ONE, torch.ones(2, 4), 1.0, 1.0, r"features=\(2, 3\)"),
        (torch.ones(0, 3), torch.ones(0, 3), 1.0, 1.0, r"features=\(0, 3\)"),
        (torch.ones(3), torch.ones(3), 1.0, 1.0, r"features=\(3,\)"),
        (ONE, ONE * math.nan, 1.0, 1.0, "features: allowed: finite|features=.*finite"),
        (ONE, ONE, 0.0, 1.0, "ridge=0"),
        (ONE, ONE, math.inf, 1.0, "ridge=inf"),
        (ONE, ONE, 1.0, -1.0, "coefficient=-1"),
        (ONE, ONE, 1.0, math.nan, "coefficient=nan"),
        (ONE, ONE, 1.0, math.inf, "coefficient=inf"),
    ],
)
def test_what_is_no_data_or_no_number_is_refused(first, second, ridge, coefficient, words):
    with pytest.raises(BadInput, match=words):
        feature_bonus(first, second, ridge, coefficient)


def test_features_of_another_width_are_refused():
    with pytest.raises(BadInput, match=r"allowed: \(\.\.\., 5\)"):
        feature_bonus(*pairs(10), 1.0, 1.0)(torch.ones(2, 4))


@pytest.mark.parametrize("kl_weight", [0.0, -1.0, math.inf, math.nan])
def test_a_kl_weight_that_is_no_number_above_0_is_refused(kl_weight):
    with pytest.raises(BadInput, match="kl_weight"):
        gibbs_weights(torch.ones(3), kl_weight)


@pytest.mark.parametrize("reward", [torch.tensor(1.0), torch.ones(2, 0)])
def test_rewards_of_no_response_are_refused(reward):
    with pytest.raises(BadInput, match="K > 0"):
        gibbs_weights(reward, 1.0)
