"""Algorithms 1 and 2 of P3 on cases with a closed form."""

import numpy as np
import pytest
import torch

from repro.p3.curator.budget import CentralBudget
from repro.p3.curator.comparison_losses import PairLoss
from repro.p3.curator.reward_and_covariance import (
    Perturbation,
    StandardNormals,
    covariance_noise,
    draw_noise,
    norm_in,
    printed_perturbation,
    private_covariance,
    private_mle,
    symmetric_part,
)

RNG = np.random.default_rng(0)


def test_without_data_the_release_is_noise_over_the_ridge_plus_output_noise():
    nothing = torch.zeros(1, 1).double()
    loss = PairLoss(torch.ones(1, 2).double(), nothing, nothing)
    noise = StandardNormals(
        torch.tensor([[1.0, -2.0]]).double(), torch.tensor([[0.5, 0.5]]).double()
    )
    found = private_mle(loss, 10, Perturbation(3.0, 0.2, 0.1, 9.0), noise)
    expected = -3 * noise.linear / 10 / 0.4 + 0.05
    torch.testing.assert_close(found, expected)


def test_printed_numbers():
    budget = CentralBudget(0.5, 40.0, 0.05, 1.0, 2.0, 10.0)
    numbers = printed_perturbation(budget, 1e4, 7, 1e-9)
    assert numbers == Perturbation(
        budget.noise_std,
        budget.ridge(1e4, 7),
        budget.output_std(1e-9, budget.ridge(1e4, 7)),
        2.0,
    )


def test_noise_is_standard_and_independent():
    noise = draw_noise(RNG, 4000, 3)
    both = torch.cat([noise.linear, noise.output], dim=1)
    torch.testing.assert_close(torch.cov(both.T), torch.eye(6).double(), atol=0.1, rtol=0)


def test_symmetric_part_has_the_same_quadratic_form():
    noise = covariance_noise(RNG, 5, 4)
    z = torch.from_numpy(RNG.standard_normal((5, 4)))
    full = torch.einsum("ri,rij,rj->r", z, noise, z)
    half = torch.einsum("ri,rij,rj->r", z, symmetric_part(noise), z)
    torch.testing.assert_close(full, half)
    assert not torch.allclose(noise, noise.mT)
    release = private_covariance(torch.eye(4).double(), noise, 0.1)
    torch.testing.assert_close(release, torch.eye(4).double() + 0.05 * (noise + noise.mT))


def test_norm_is_missing_where_there_is_none():
    matrix = torch.diag(torch.tensor([3.0, -2.0])).double()
    z = torch.eye(2).double()
    found = norm_in(matrix, 1.0, z)
    assert float(found[0]) == pytest.approx(2.0)
    assert torch.isnan(found[1])
