"""Weights of sampled responses against the exact Gibbs policy."""

from __future__ import annotations

import pytest
import torch

from repro.llm.experiments.pessimism import gibbs_weights
from repro.worlds.policies.gibbs import gibbs_policy

REFERENCE = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
REWARD = torch.tensor([0.0, 1.0, -0.5], dtype=torch.float64)


def reweighted(samples: torch.Tensor, kl_weight: float) -> torch.Tensor:
    """Mass that the weights give to each of the three responses."""
    weights = gibbs_weights(REWARD[samples], kl_weight)
    return torch.zeros(3, dtype=torch.float64).index_add(0, samples, weights)


@pytest.mark.parametrize("kl_weight", [0.2, 1.0, 5.0])
def test_weights_are_the_gibbs_policy_where_shares_are_the_references(kl_weight):
    samples = torch.tensor([0] * 5 + [1] * 3 + [2] * 2)
    expected = gibbs_policy(REFERENCE[None], REWARD, kl_weight)[0]
    torch.testing.assert_close(reweighted(samples, kl_weight), expected)


def test_dropping_duplicates_is_another_policy():
    expected = gibbs_policy(REFERENCE[None], REWARD, 1.0)[0]
    assert (reweighted(torch.tensor([0, 1, 2]), 1.0) - expected).abs().max() > 0.05


def test_draws_converge_to_the_gibbs_policy():
    stream = torch.Generator().manual_seed(5)
    samples = torch.multinomial(REFERENCE, 200_000, replacement=True, generator=stream)
    expected = gibbs_policy(REFERENCE[None], REWARD, 0.5)[0]
    assert (reweighted(samples, 0.5) - expected).abs().max() < 0.01


def test_direction_of_the_kl_weight():
    assert gibbs_weights(REWARD, 1e9).tolist() == pytest.approx([1 / 3] * 3)
    assert gibbs_weights(REWARD, 1e-3).tolist() == pytest.approx([0, 1, 0])
