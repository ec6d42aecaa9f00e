"""What a report of any binary channel tells about a reward, and what rates cost that are unknown.

Proofs: docs/explanations/beyond_randomized_response.md, whose theorems the functions name.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from repro.labels.preferences.label_information import inverse_slope, sigmoid, sigmoid_difference
from repro.labels.preferences.label_mixture import LabelMixture
from repro.p1.pessimism.gap_constants import curvature
from repro.worlds.estimators.channel_mle import Directions
from repro.worlds.instances.linear import LinearWorld
from repro.worlds.policies.regularisers import KL, Regulariser


def inverse_information(difference: float, epsilon: float, response: LabelMixture) -> float:
    """1/I(x) = V + V²·(κ₀·(1 − σ(x)) + κ₁·σ(x)), V = 1/σ′(x) (Lemma 1).

    κ₀ and κ₁ are the variances of the report after −1 and +1 over the squared signal.

    Args:
        difference: x.
        epsilon: budget in (0, inf].
        response: the channel.
    """
    spread = inverse_slope(difference)
    after_loss, after_win = response.noise(epsilon)
    mixed = sigmoid(-difference) * after_loss + sigmoid(difference) * after_win
    return spread + spread**2 * mixed / response.signal(epsilon) ** 2


def largest_inverse_information(
    reward_bound: float, epsilon: float, response: LabelMixture
) -> float:
    """W(B): 1/I at the end of [−B, B] on the side of the noisier label, its maximum there."""
    return max(inverse_information(end, epsilon, response) for end in (-reward_bound, reward_bound))


def one_less_affinity(first: float, second: float, epsilon: float, response: LabelMixture) -> float:
    """1 − Σ_z √(p_z(x)·p_z(y)) of the reports at two differences, without cancellation."""
    signal, base = response.signal(epsilon), response.base(epsilon)
    never = response.noise(epsilon)[0] / base if base > 0 else 1.0  # 1 − base
    step = signal * sigmoid_difference(first, second)
    wins = sum(math.sqrt(base + signal * sigmoid(x)) for x in (first, second))
    losses = sum(
        math.sqrt(max(never - signal, 0.0) + signal * sigmoid(-x)) for x in (first, second)
    )
    return step**2 * (wins**-2 + losses**-2) / 2


def profile_covariance(
    world: LinearWorld, epsilon: float, response: LabelMixture, directions: Directions
) -> Tensor:
    """(d, d) n times the covariance of θ̂ when rates are estimated beside it (Theorem 4).

    The block of θ in the inverse of the joint information.
    """
    win, slope = _slopes(world, epsilon, response)
    clean = torch.sigmoid(world.reward_diff)
    along = torch.stack([torch.ones_like(clean), clean], dim=-1)
    joint = torch.cat([slope, along @ slope.new_tensor(directions).T], dim=-1)
    weight = world.cell_prob / (win * (1 - win))
    information = torch.einsum("c,ci,cj->ij", weight, joint, joint)
    features = slope.shape[1]
    return torch.linalg.inv(information)[:features, :features]


def calibrated_covariance(
    world: LinearWorld, epsilon: float, response: LabelMixture, share: float
) -> Tensor:
    """(d, d) n times the covariance of θ̂ with rates read off share·n questions of known answer.

    I⁻¹ + A·R·Aᵀ, A = −I⁻¹·I_θη the shift of θ̂ by wrong rates and R the rates' covariance; half of
    the questions have the answer +1.
    """
    win, slope = _slopes(world, epsilon, response)
    clean = torch.sigmoid(world.reward_diff)
    weight = world.cell_prob / (win * (1 - win))
    information = torch.einsum("c,ci,cj->ij", weight, slope, slope)
    along = torch.stack([torch.ones_like(clean), clean], dim=-1)
    cross = torch.einsum("c,ci,cj->ij", weight, slope, along)
    shift = torch.linalg.solve(information, cross)
    after_loss, after_win = (2 * twice / share for twice in response.noise(epsilon))
    rates = slope.new_tensor([[after_loss, -after_loss], [-after_loss, after_loss + after_win]])
    return torch.linalg.inv(information) + shift @ rates @ shift.T


def gap_of_covariance(
    world: LinearWorld, covariance: Tensor, regulariser: Regulariser = KL
) -> float:
    """tr(curvature·covariance)/(2·kl_weight): n times the gap's mean for n times a covariance."""
    return float((curvature(world, regulariser) @ covariance).trace() / (2 * world.kl_weight))


def _slopes(world: LinearWorld, epsilon: float, response: LabelMixture) -> tuple[Tensor, Tensor]:
    """(C,) P(z = +1), and (C, d) its derivative in θ."""
    clean = torch.sigmoid(world.reward_diff)
    slope = response.signal(epsilon) * clean * torch.sigmoid(-world.reward_diff)
    return response(clean, epsilon), slope.unsqueeze(-1) * world.feature_diff
