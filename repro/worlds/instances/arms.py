"""One state, two good responses and many rarely seen bad ones: where pessimism matters."""

from __future__ import annotations

from repro.base.torch_later import torch
from repro.worlds.instances.linear import LinearWorld


def bad_arms_world(
    coverage: float,
    num_bad: int,
    reward_difference: float,
    radius: float,
    kl_weight: float,
    device: str = "cpu",
) -> LinearWorld:
    """π_ref puts 1/``coverage`` on each bad response and halves the rest between two good ones.

    The optimal policy hardly uses the bad responses, so the single-policy concentrability
    D²_π* stays near 1 while the density ratio grows (P1, Definition 3.3).

    Args:
        coverage: 1/π_ref of each bad response, above num_bad.
        num_bad: number of bad responses.
        reward_difference: how much worse they are.
        radius: of the class of rewards; ‖θ‖ = reward_difference·√num_bad lies inside.
        kl_weight: weight of KL in the objective.
        device: torch device.
    """
    arms, bad_prob = num_bad + 2, 1 / coverage
    options = {"dtype": torch.float64, "device": device}
    features = torch.zeros(1, arms, arms - 1, **options)
    features[0, 1:] = torch.eye(arms - 1, **options)
    reference = torch.full((1, arms), bad_prob, **options)
    reference[0, :2] = (1 - num_bad * bad_prob) / 2
    theta = torch.full((arms - 1,), -reward_difference, **options)
    theta[0] = 0.0
    return LinearWorld(
        features=features,
        state_prob=torch.ones(1, **options),
        reference=reference,
        theta=theta,
        radius=radius,
        reward_bound=radius * 2**0.5,
        kl_weight=kl_weight,
    )
