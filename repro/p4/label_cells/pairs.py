"""Label cells for estimation: feature differences, their probabilities, a true parameter.

P4's Definition 5.1: ‖x‖ ≤ 1, ‖θ‖ ≤ B′ and ⟨1, θ⟩ = 0.  Any k-dimensional problem meets the last
condition after an isometry into the complement of the all-ones vector of R^{k+1}.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from repro.worlds.instances.linear import LinearWorld


@dataclass(frozen=True, eq=False)
class PairWorld:
    """Comparison cells with a logistic label.

    Attributes:
        feature_diff: (C, d) x of each cell, norm at most 1; 2 for opposite features.
        cell_prob: (C,) their probabilities; the rest of the pairs has x = 0.
        theta: (d,) θ_true with ⟨1, θ⟩ = 0 inside the ball.
        radius: B′.
    """

    feature_diff: Tensor
    cell_prob: Tensor
    theta: Tensor
    radius: float

    @cached_property
    def basis(self) -> Tensor:
        """(d, d−1) orthonormal basis of the complement of the all-ones vector."""
        return complement_basis(self.feature_diff.shape[1]).to(self.feature_diff)

    @cached_property
    def coordinates(self) -> Tensor:
        """(C, k) x in that basis; what ⟨x, θ⟩ depends on."""
        return self.feature_diff @ self.basis

    @cached_property
    def truth(self) -> Tensor:
        """(k,) θ_true in that basis."""
        return self.theta @ self.basis

    @cached_property
    def reward_diff(self) -> Tensor:
        """(C,) ⟨x, θ_true⟩."""
        return self.feature_diff @ self.theta

    def under_uniform_reference(self) -> PairWorld:
        """The same cells, all equally likely, and no pair of two equal responses."""
        return replace(self, cell_prob=torch.full_like(self.cell_prob, 1 / len(self.cell_prob)))

    @cached_property
    def min_eigenvalue(self) -> float:
        """ξ: least eigenvalue of E[xxᵀ] on the complement of the all-ones vector."""
        covariance = (self.coordinates * self.cell_prob[:, None]).T @ self.coordinates
        return float(torch.linalg.eigvalsh(covariance)[0])


@dataclass(frozen=True, eq=False)
class PolicyPairs(PairWorld):
    """Label cells of log-linear policies.

    Attributes:
        policies: responses, reference and kl_weight that the cells come from.
    """

    policies: LinearWorld

    def under_uniform_reference(self) -> PolicyPairs:
        """The cells of the same responses, each equally likely."""
        return pairs_of(self.policies.under_uniform_reference())


def complement_basis(dimension: int) -> Tensor:
    """(d, d−1) Helmert basis of {θ : ⟨1, θ⟩ = 0}: orthonormal columns that sum to 0.

    >>> (complement_basis(2) * 2**0.5).round().flatten().tolist()
    [1.0, -1.0]
    """
    j = torch.arange(1, dimension, dtype=torch.float64)
    rows = torch.arange(dimension, dtype=torch.float64)[:, None]
    above, at = (rows < j).to(torch.float64), (rows == j).to(torch.float64)
    return (above - j * at) / torch.sqrt(j * (j + 1))


def pair_world(coordinates: Tensor, cell_prob: Tensor, truth: Tensor, radius: float) -> PairWorld:
    """Embed a k-dimensional problem into the complement of the all-ones vector of R^{k+1}."""
    basis = complement_basis(coordinates.shape[1] + 1).to(coordinates)
    return PairWorld(coordinates @ basis.T, cell_prob, basis @ truth, radius)


def orthogonal_cells(
    cell_prob: Sequence[float], reward_diff: Sequence[float], radius: float, device: str = "cpu"
) -> PairWorld:
    """One cell along each of k orthogonal directions, with given probabilities and ⟨x, θ⟩."""
    options = {"dtype": torch.float64, "device": device}
    mass = torch.tensor(tuple(cell_prob), **options)
    truth = torch.tensor(tuple(reward_diff), **options)
    return pair_world(torch.eye(len(mass), **options), mass, truth, radius)


def isotropic_cells(num: int, reward_diff: float, radius: float, device: str = "cpu") -> PairWorld:
    """``num`` orthogonal cells of mass 1/num each: ξ = 1/d, the largest it can be."""
    signs = [reward_diff * (1 - 2 * (j % 2)) for j in range(num)]
    return orthogonal_cells([1 / num] * num, signs, radius, device)


def pairs_of(world: LinearWorld) -> PolicyPairs:
    """The label cells of a linear world, scaled so that ‖x‖ ≤ 1 (⟨x, θ⟩ is kept)."""
    scale = max(1.0, float(world.feature_diff.norm(dim=1).max()))
    pairs = pair_world(
        world.feature_diff / scale, world.cell_prob, world.theta * scale, world.radius * scale
    )
    fields = (pairs.feature_diff, pairs.cell_prob, pairs.theta, pairs.radius)
    return PolicyPairs(*fields, policies=world)


def random_pair_world(
    cells: int, features: int, radius: float, seed: int, device: str = "cpu"
) -> PairWorld:
    """Gaussian cells inside the unit ball, Dirichlet masses, a truth inside the ball of B′."""
    generator = torch.Generator().manual_seed(seed)
    draw = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float64)  # noqa: E731
    x = draw(cells, features)
    x = x / x.norm(dim=1).max()
    mass = torch.softmax(2 * draw(cells), dim=0)
    truth = draw(features)
    truth = truth / truth.norm() * radius * float(torch.rand(1, generator=generator))
    options = {"dtype": torch.float64, "device": device}
    return pair_world(x.to(**options), mass.to(**options), truth.to(**options), radius)


def unseen_direction(device: str = "cpu") -> PairWorld:
    """One cell seen always, one direction of θ never: where only B′√λ bounds the error."""
    options = {"dtype": torch.float64, "device": device}
    x = torch.tensor([[1.0, 0.0]], **options)
    return pair_world(x, torch.ones(1, **options), torch.tensor([0.3, 0.8], **options), 1.0)
