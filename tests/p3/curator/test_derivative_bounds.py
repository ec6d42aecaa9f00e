"""Proofs of the norms, and their instances against the derivatives of the losses themselves."""

import numpy as np
import pytest
import torch
from mpmath import iv

from repro.core.proofs import decided
from repro.p3.curator import derivative_bounds as proof
from repro.p3.curator.comparison_losses import PairLoss
from tests.at_each import at_each
from theorems.kwise_gap import automatic_derivatives

NORMS = [
    proof.PairGradient, proof.PairHessian, proof.RankingGradient, proof.RankingHessian,
    proof.TrajectoryGradient, proof.TrajectoryHessian,
]  # fmt: skip


@at_each("norm", NORMS)
@at_each("size", [2, 5, 10])
def test_the_printed_bound_is_proved_and_the_sharp_one_is_all_but_attained(norm, size):
    world = norm(size=size)
    assert 0 < decided(proof.printed(world)) <= 1 + 1e-9
    assert decided(proof.sharp_ten_percent(world)) > 1
    assert 0.9 < float(world.attained.mid) / world.sharp <= 1 + 1e-12


@pytest.mark.parametrize("longest", [2.0, 6.0])
@pytest.mark.parametrize("reach", [0.0, 0.3, 1.0])
def test_derivatives_of_a_pair(longest, reach):
    x = torch.full((1, 1), longest, dtype=torch.float64)
    one = torch.ones(1, 1, dtype=torch.float64)
    gradient, hessian = PairLoss(x, one, 0 * one).derivatives(proof.FAR * reach / x)
    steps = round(longest / 2)
    m = proof.FAR * reach
    win = 1 / (1 + np.exp(-m))
    assert float(gradient.norm()) == pytest.approx(
        float(proof.TrajectoryGradient(size=steps).most(iv.mpf(win), iv.mpf(1)).mid)
    )
    assert float(hessian.norm()) == pytest.approx(
        float(proof.TrajectoryHessian(size=steps).most(iv.mpf(m), iv.mpf(1)).mid)
    )


@pytest.mark.parametrize("count", [2, 3, 5, 10])
def test_derivatives_of_a_ranking(count):
    features = -torch.ones(1, count, 1, dtype=torch.float64)
    features[:, -1] = 1.0
    theta = torch.full((1, 1), proof.FAR / 2, dtype=torch.float64)
    gradient, _ = automatic_derivatives(theta, features)
    attained = float(proof.RankingGradient(size=count).attained.mid)
    assert float(gradient.norm()) == pytest.approx(attained)
    features = torch.tensor([(-1.0) ** k for k in range(count)], dtype=torch.float64)[None, :, None]
    _, hessian = automatic_derivatives(0 * theta, features)
    attained = float(proof.RankingHessian(size=count).attained.mid)
    assert float(hessian.norm()) == pytest.approx(attained)


@pytest.mark.parametrize("count", [2, 3, 6])
def test_no_ranking_exceeds_the_sum_over_choices(count):
    rng = np.random.default_rng(count)
    features = torch.from_numpy(rng.standard_normal((300, count, 2)))
    features = features / features.norm(dim=-1, keepdim=True)
    theta = torch.from_numpy(10 * rng.standard_normal((300, 2)))
    gradient, hessian = automatic_derivatives(theta, features)
    assert float(gradient.norm(dim=-1).max()) <= 2 * (count - 1) + 1e-9
    assert float(torch.linalg.matrix_norm(hessian, ord=2).max()) <= count - 1 + 1e-9
