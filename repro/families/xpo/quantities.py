"""The average gap of P2's online algorithms, as a supremum over a ladder of reward gaps."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import torch

from repro.base.notation import label_signal
from repro.corruption.label_mean import exchanged, released_mean
from repro.families.xpo.algorithms import average_gap
from repro.families.xpo.cases import XpoCase
from repro.families.xpo.worlds import NeedleClass, XpoBatch
from repro.families.xpo.wrong import Update
from repro.preferences.block_draws import draws_on, geometric_times
from repro.study.row import Evidence, Measure, Values

OPTIMAL_ODDS = 2.0
"""Log odds of the best response under π*_β; kl_weight is the reward gap over the tilt to them."""

OPTIMISM_SHARE = 0.5
"""γ = share·β·c(ε)/√T."""


def ladder_gap(
    case: XpoCase, update: Update, rng: np.random.Generator, replicates: int
) -> tuple[np.ndarray, int]:
    """Average gap on the worst rung of a ladder of reward gaps, without selection bias.

    Half of the runs choose the rung (and the best multiple of γ on each rung), the other half
    measure it there.

    Args:
        case: what is played.
        update: how.
        rng: the block's stream.
        replicates: R runs that measure.

    Returns:
        (R,) gaps and the index of the rung.
    """
    found = [
        _gaps(case, update, multiple, rng, 2 * replicates).reshape(-1, 2, replicates)
        for multiple in update.optimism
    ]
    gaps = np.stack(found)
    chosen = gaps[:, :, 0].mean(axis=-1)
    rung = int(chosen.min(axis=0).argmax())
    return gaps[chosen[:, rung].argmin(), rung, 1], rung


def _gaps(case: XpoCase, update: Update, multiple: float, rng, runs: int) -> np.ndarray:
    """(M · runs,) average gap of every run, rung by rung."""
    case = replace(case, horizon=case.horizon * update.rounds)
    gaps = average_gap(
        policies_of(case), batch_of(case, update, multiple, runs), update.objective,
        geometric_times(case.horizon, case.grid_ratio), draws_on(case.device, rng),
        case.labels, case.estimate,
    )  # fmt: skip
    return gaps.cpu().numpy()


def policies_of(case: XpoCase) -> NeedleClass:
    """Policies with log odds of the best response from −4, or 4 below π_ref, to 4.

    In steps of ½ from −4 on, of 2 below: there policies hardly differ.
    """
    away = math.log(1 / case.best_share - 1)
    far = torch.arange(math.floor(-4 - away), -4, 2, dtype=torch.float64) if away > 4 else None
    near = torch.linspace(-4, 4, 17, dtype=torch.float64)
    log_odds = near if far is None else torch.cat([far, near])
    return NeedleClass(
        case.num_actions, log_odds.to(case.device) + away, OPTIMAL_ODDS + away, case.best_share
    )


def batch_of(case: XpoCase, update: Update, multiple: float, runs: int) -> XpoBatch:
    """Every rung of the ladder ``runs`` times."""
    ladder = torch.as_tensor(case.ladder.values(), dtype=torch.float64, device=case.device)
    gap, signal = ladder.repeat_interleave(runs), label_signal(case.epsilon)
    tilt = policies_of(case).optimal_tilt
    weight = multiple * OPTIMISM_SHARE / (tilt * signal * math.sqrt(case.horizon))
    order = exchanged(case.order) if update.other_order else case.order
    mean = released_mean(case.epsilon, case.channel, case.adversary, order)
    sign, full = -1.0 if update.flipped else 1.0, torch.full_like
    batch = XpoBatch(
        reward_gap=gap,
        kl_weight=gap / tilt,
        optimism_weight=case.bonus * (gap * weight),
        label_scale=full(gap, sign * mean.scale),
        label_offset=full(gap, sign * mean.offset),
        label_shift=full(gap, sign * mean.shift),
        believed_signal=full(gap, signal),
    )
    # blind to privacy: believes in ε = ∞, up to rounding
    return replace(batch, believed_signal=full(gap, 1 - 1e-12)) if update.blind else batch


def worst_gaps(case: XpoCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) gap of every method on its worst rung.

    NaN for the method under test where its supremum must lie inside the ladder and does not.
    """
    under_test, ends = case.methods[0], (0, case.ladder.rungs - 1)
    found = {}
    for m in case.methods:
        gap, rung = ladder_gap(case, m.run, rng, replicates)
        unfit = case.interior and m is under_test and rung in ends
        found[m.name] = np.full_like(gap, np.nan) if unfit else gap
    return found


SWEEP = tuple(4.0**k for k in range(-1, 5))
"""Multiples of γ = β·c(ε)/(2√T) that ``over_best`` tries."""


def over_best(case: XpoCase, rng: np.random.Generator, replicates: int) -> Values:
    """Worst mean gap of every method over that of the best multiple of γ in a sweep."""
    under_test = case.methods[0].run
    best = min(_worst_mean(case, under_test, one, rng, replicates) for one in SWEEP)
    return {
        m.name: _worst_mean(case, m.run, m.run.optimism[0], rng, replicates) / best
        for m in case.methods
    }


def _worst_mean(case: XpoCase, update: Update, multiple: float, rng, runs: int) -> float:
    gaps = _gaps(case, update, multiple, rng, 2 * runs).reshape(-1, 2, runs).mean(axis=-1)
    return float(gaps[gaps[:, 0].argmax(), 1])


WORST_GAP = Measure("average gap on the worst rung [reward]", worst_gaps, Evidence.MEASURED)
