"""Left over right sides of the lemmas behind Theorem 5.2 (P1, appendix C)."""

from __future__ import annotations

import torch
from torch import Tensor

from repro.pokl.least_squares import expected_label
from repro.families.online_kl.algorithms_pokl import Game, Round

NOISE_SCALE = 2.0
"""σ of the labels' sub-Gaussian noise, as Lemmas C.3 and C.4 take it."""


def in_sample_error(game: Game, current: Round, logs: float) -> Tensor:
    """(L,) Σ (ĥ − h*)² over 8σ²·log(T·N/δ) (Lemma C.2), h = E[z] as least squares models it."""
    believed = game.batch.believed_signal[:, None]
    truth = expected_label(game.reward_diff, game.batch.label_scale[:, None])
    fitted = expected_label(reward_differences(game, current.reward), believed)
    return (current.pairs * (fitted - truth).square()).sum(-1) / (8 * NOISE_SCALE**2 * logs)


def reward_error(game: Game, current: Round, weight: float) -> Tensor:
    """(L,) Σ (Δ^r* − Δ^r̄)² over Γ_T²/2 (Lemma C.3)."""
    error = reward_differences(game, current.reward) - game.reward_diff
    return (current.pairs * error.square()).sum(-1) / (weight**2 / 2)


def optimism_deficit(game: Game, current: Round) -> Tensor:
    """(L,) max over (s, a) of r* − r̄ − c − b, above 0 where Lemma C.4's event fails.

    c(s) = E_{a~π¹}[r* − r̄]; before the first label there is no event, so −inf.
    """
    if current.time == 0:
        return torch.full_like(current.regret, -torch.inf)
    error = game.reward - current.reward
    centred = error - (current.exploit * error).sum(-1, keepdim=True)
    return (centred - current.bonus).flatten(1).amax(-1)


def bonus_bound(game: Game, current: Round) -> Tensor:
    """(L,) regret over 4·E_{π²}[b²]/kl_weight, the last step of Theorem 5.2's proof."""
    spread = (current.explore * current.bonus.square()).sum(-1) @ game.world.state_prob
    return current.regret * game.batch.kl_weight / (4 * spread)


def reward_differences(game: Game, reward: Tensor) -> Tensor:
    """(L, C) differences of rewards (L, S, A) within the world's cells."""
    first, second = game.world.cells
    return (reward[:, :, first] - reward[:, :, second]).flatten(1)
