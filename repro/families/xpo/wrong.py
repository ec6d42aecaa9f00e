"""PrivXPO, SquareXPO and deliberately wrong versions, by name, on a ladder of reward gaps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from repro.base.notation import label_signal
from repro.families.xpo.algorithms import (
    Objective,
    average_gap,
    log_objective,
    printed_square_objective,
    square_objective,
)
from repro.families.xpo.worlds import NeedleClass, XpoBatch
from repro.preferences.block_draws import draws_on, geometric_times

OPTIMAL_TILT = 2.0
"""Log odds of the best response under π*_β: kl_weight is the reward gap over it, plus log(A−1)."""

TILTS = torch.linspace(-4, 4, 17, dtype=torch.float64)
OPTIMISM_SHARE = 0.5
"""γ = share·β·c(ε)/√T."""


@dataclass(frozen=True)
class XpoProblem:
    """One point of a sweep.

    Attributes:
        horizon: T.
        epsilon: privacy budget.
        num_actions: A.
        corruption: α of the Huber adversary, who always prefers the worse response.
        after_privacy: LTC, the adversary acts after randomized response; CTL otherwise.
    """

    horizon: int
    epsilon: float
    num_actions: int = 2
    corruption: float = 0.0
    after_privacy: bool = False


@dataclass(frozen=True)
class XpoMethod:
    """An objective and what is wrong with it.

    Attributes:
        objective: what an update minimises.
        blind: the loss ignores privacy: ε = ∞ in the likelihood, c = 1 in the square loss.
        flipped: labels enter with the wrong sign.
        other_order: the adversary acts on the other side of the randomizer.
        optimism: multiples of γ; the best in hindsight counts.
    """

    objective: Objective
    blind: bool = False
    flipped: bool = False
    other_order: bool = False
    optimism: tuple[float, ...] = field(default=(1.0,))


METHODS = {
    "priv_xpo": XpoMethod(log_objective),
    "naive_likelihood": XpoMethod(log_objective, blind=True),
    "label_flip": XpoMethod(log_objective, flipped=True),
    "square_xpo": XpoMethod(square_objective),
    "without_cost": XpoMethod(square_objective, blind=True),
    "square_label_flip": XpoMethod(square_objective, flipped=True),
    "other_order": XpoMethod(square_objective, other_order=True),
    "printed_sign": XpoMethod(printed_square_objective, optimism=(0.01, 1.0, 100.0, 1e4)),
}


def ladder_gap(
    problem: XpoProblem,
    method: XpoMethod,
    ladder: np.ndarray,
    ratio: float,
    rng: np.random.Generator,
    replicates: int,
    device: str = "cpu",
) -> tuple[np.ndarray, int]:
    """Average gap on the worst rung of a ladder of reward gaps, without selection bias.

    Half of the runs choose the rung (and the best multiple of γ on each rung), the other half
    measure it there.

    Args:
        problem: what is played.
        method: how.
        ladder: (M,) increasing reward gaps, kl_weight in proportion.
        ratio: of the grid of times at which policies change.
        rng: the block's stream.
        replicates: R runs that measure.

    Returns:
        (R,) gaps and the index of the rung.
    """
    tilt = OPTIMAL_TILT + math.log(problem.num_actions - 1)
    tilts = TILTS.to(device) + math.log(problem.num_actions - 1)
    policies = NeedleClass(problem.num_actions, tilts, tilt)
    times = geometric_times(problem.horizon, ratio)
    found = []
    for multiple in method.optimism:
        batch = _batch(problem, method, ladder, multiple, tilt, 2 * replicates, device)
        gaps = average_gap(policies, batch, method.objective, times, draws_on(device, rng))
        found.append(gaps.cpu().numpy().reshape(len(ladder), 2, replicates))
    gaps = np.stack(found)
    chosen = gaps[:, :, 0].mean(axis=-1)
    rung = int(chosen.min(axis=0).argmax())
    return gaps[chosen[:, rung].argmin(), rung, 1], rung


def _batch(problem, method, ladder, multiple, tilt, runs, device) -> XpoBatch:
    """Every rung ``runs`` times."""
    gap = torch.as_tensor(ladder, dtype=torch.float64, device=device).repeat_interleave(runs)
    signal, share = label_signal(problem.epsilon), problem.corruption
    after = problem.after_privacy != method.other_order
    sign = -1.0 if method.flipped else 1.0
    weight = multiple * OPTIMISM_SHARE / (tilt * signal * math.sqrt(problem.horizon))
    full = torch.full_like
    batch = XpoBatch(
        reward_gap=gap,
        kl_weight=gap / tilt,
        optimism_weight=gap * weight,
        label_scale=full(gap, sign * signal * (1 - share)),
        label_offset=full(gap, sign * share * (1.0 if after else signal)),
        believed_signal=full(gap, signal),
    )
    return replace(batch, believed_signal=full(gap, 1 - 1e-12)) if method.blind else batch
