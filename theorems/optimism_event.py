"""P1 Lemmas C.2, C.3 and C.4: the events on which the regret bound of Theorem 5.2 stands.

Statements (arXiv 2510.13512, appendix C), each with probability at least 1−δ for all t ≤ T:

    C.2   Σ (ĥ_t − h*)² ≤ 8σ²·log(T·N/δ), ĥ_t the least-squares fit, noise σ-sub-Gaussian;
    C.3   Σ (Δ^r* − Δ^r̄_t)² ≤ 8(e^−B + 2 + e^B)²/(2α−1)²·log(T·N/δ) = Γ_T²/2;
    C.4   r̄_t + b_t + c_t − r* ≥ 0 everywhere, c_t(s) = E_{a~π¹}[r* − r̄_t],

and, as the proof of Theorem 5.2 uses it, J(π*) − J(π²_t) ≤ 4β·E_{π²}[b²] on the event of C.4.

Testable: how often each fails, and by how much the bound exceeds what it bounds (the largest
ratio over all runs and times: C.2 and C.3 hold in every run, with much to spare).  Short horizons
are checked at every t, long ones at the times of a geometric grid, where failures may be missed.

Contradicted as printed: C.4 with the bonus of eq. (13), b = min{1, Γ_T·U}.  Its proof ends with
"U·Γ_T = b", which the cap makes false.  Rewards lie in [0, B], so r* − r̄ − c reaches 2B: with
B > 1/2 a wrong estimate puts it above the cap (check ``cap_one``; ``cap_one_small_bound`` shows
that B < 1/2 is safe).  All assumptions hold there: two rewards (B, 0) and (0, B), realizable,
Bradley–Terry, λ = 1 ≤ Γ_T²/2.  Corrected form: b = min{2B, Γ_T·U} (check ``cap_two_bounds``).

A block of runs none of which ever errs is no evidence: what is said of no error says nothing.
The checks with a cap on two rewards are long enough for Γ_T·U to fall below it.

Slack: the event of C.4 keeps to its probability with a twentieth of Γ_T, and a hundredth of it
still bounds the regret; the controls are the next that do not.  The control of the first checks is
least squares without the factor 2α−1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.core.batches import blocks_together
from repro.core.check import Check, Quantity, Theorem, named
from repro.core.claims import Frequency, Inequality
from repro.p1.pokl.algorithms import naive_labels, pokl
from repro.p1.pokl.assumptions import as_told, small_ridge
from repro.p1.pokl.curves import RegretCurve, Watch, curves, largest, wrong
from repro.p1.pokl.events import (
    SLACK,
    fails_in_runs,
    how_covered,
    optimism_deficit,
    reward_differences,
)
from repro.p1.pokl.finite import RandomFinite, two_rewards
from repro.p1.pokl.learning import RewardsOn
from repro.p1.pokl.least_squares import expected_label
from repro.p1.pokl.run import OnlineRun, proven_weight
from repro.p1.pokl.runs import Round, Runs

EVERY_ROUND_UP_TO = 100
"""Horizons up to here are checked at every t."""
NOISE_SCALE = 2.0
"""σ of the labels' sub-Gaussian noise, as Lemmas C.3 and C.4 take it."""
RANDOM_CLASS = RandomFinite(class_size=16, seed=3)
"""Around the truth."""


# Worlds: a class of rewards with the proof's Γ_T and no cap --------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class ProvenRun(OnlineRun):
    """Γ_T of the proof, and a bonus without a cap, over the linear class."""

    weight: Callable[[OnlineRun, int], float] = proven_weight
    bonus_cap: float = math.inf


@dataclass(frozen=True, eq=False, kw_only=True)
class FiniteRun(ProvenRun):
    """The same over a random finite class around the truth."""

    rewards: RewardsOn = RANDOM_CLASS


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoRewardsRun(ProvenRun):
    """The same over the two rewards of their own instance."""

    rewards: RewardsOn = two_rewards


# Algorithms: what the learner is told, right and wrong -------------------------------------------

finite_class, linear_class = named("finite_class", pokl), named("linear_class", pokl)


def cap_one(world: OnlineRun) -> OnlineRun:
    """Wrong above B = ½: b = min{1, Γ_T·U}, as printed."""
    return replace(world, bonus_cap=1.0)


def cap_two_bounds(world: OnlineRun) -> OnlineRun:
    """b = min{2B, Γ_T·U}."""
    return replace(world, bonus_cap=2 * world.linear.reward_bound)


def hundredth_bonus(world: OnlineRun) -> OnlineRun:
    """Wrong: a hundredth of Γ_T; a twentieth is as good as all of it."""
    return replace(world, gamma=world.bonus_weight / 100)


def shrunken_bonus(world: OnlineRun) -> OnlineRun:
    """Wrong: a three-hundredth of Γ_T, where a hundredth still bounds the regret."""
    return replace(world, gamma=world.bonus_weight / 300)


# Left over right sides of the lemmas -------------------------------------------------------------


def in_sample_error(runs: Runs, now: Round, logs: float) -> Tensor:
    """(L,) Σ (ĥ − h*)² over 8σ²·log(T·N/δ) (Lemma C.2), h = E[z] as least squares models it."""
    truth = expected_label(runs.reward_diff, runs.label_scale[:, None])
    fitted = expected_label(reward_differences(runs, now.reward), runs.believed_signal[:, None])
    return (now.pairs * (fitted - truth).square()).sum(-1) / (8 * NOISE_SCALE**2 * logs)


def reward_error(runs: Runs, now: Round, weight: float) -> Tensor:
    """(L,) Σ (Δ^r* − Δ^r̄)² over Γ_T²/2 (Lemma C.3)."""
    error = reward_differences(runs, now.reward) - runs.reward_diff
    return (now.pairs * error.square()).sum(-1) / (weight**2 / 2)


def bonus_bound(runs: Runs, now: Round) -> Tensor:
    """(L,) regret over 4·E_{π²}[b²]/kl_weight, the last step of Theorem 5.2's proof."""
    spread = (now.explore * now.bonus.square()).sum(-1) @ runs.linear.state_prob
    return now.regret * runs.kl_weight / (4 * spread)


# What is watched of the runs of a world ----------------------------------------------------------


def fit_error(world: OnlineRun) -> Watch:
    """Lemma C.2."""
    logs = math.log(world.horizon / world.failure_prob) + world.log_size
    return lambda runs, now: in_sample_error(runs, now, logs)


def difference_error(world: OnlineRun) -> Watch:
    """Lemma C.3."""
    weight = world.bonus_weight
    return lambda runs, now: reward_error(runs, now, weight)


def failed_event(world: OnlineRun) -> Watch:
    """Lemma C.4."""
    return how_covered


def regret_over_bonus(world: OnlineRun) -> Watch:
    """The last step of Theorem 5.2's proof; NaN off the event of C.4, which it stands on.

    NaN too where the estimate is right, so that the event says nothing.  A bonus below Γ_T (the
    control) is measured off the event too.
    """
    weight = world.bonus_weight

    def watch(runs: Runs, now: Round) -> Tensor:
        counts = (optimism_deficit(runs, now) <= SLACK) | (runs.bonus_weight < weight)
        return bonus_bound(runs, now).where(counts & wrong(runs, now), torch.nan)

    return watch


Reading = Callable[[OnlineRun, RegretCurve], Any]


def largest_of_errors(world: OnlineRun, curve: RegretCurve) -> Any:
    """(R,) largest left over right side of a run; ∞ where no run has erred, but for rounding."""
    ratios = largest(world, curve)
    return ratios if (ratios > SLACK).any() else ratios + math.inf


def along_runs(
    words: str, side: Callable[[OnlineRun], Watch], reading: Reading = largest_of_errors
) -> Quantity:
    """Watch every round of a short run, and of a long one those of a geometric grid."""

    def together(worlds, algorithms, rngs, replicates: int) -> list[list[Any]]:
        def play(world: OnlineRun, own: list[np.random.Generator]) -> list[list[Any]]:
            every = world.horizon <= EVERY_ROUND_UP_TO
            watched = [replace(world, grid_ratio=1.0 if every else world.grid_ratio)] * len(own)
            played = curves(watched, algorithms, own, replicates, side(world))
            return [[reading(world, curve) for curve in block] for block in played]

        return blocks_together(worlds, rngs, play)

    return Quantity(words, together=together)


SHARE = "largest left side / right side, t ≤ T"
FIT, DIFFERENCE = along_runs(SHARE, fit_error), along_runs(SHARE, difference_error)
BY_BONUS = along_runs(SHARE, regret_over_bonus, largest)
EVENT = along_runs("event fails for some t ≤ T [frequency]", failed_event, fails_in_runs)


# The claims --------------------------------------------------------------------------------------


def check(
    name: str, statement: str, claim: Frequency | Inequality, quantity: Quantity, right: Any,
    wrong: Any = (), axis: str = "horizon", **more: Any,
) -> Check:  # fmt: skip
    """A check of one of the three lemmas."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 settles=[statement], **more)  # fmt: skip


C_2, C_3, C_4 = "p1.lem_c_2", "p1.lem_c_3", "p1.lem_c_4"
WORSE = dict.fromkeys(
    ("labels", "algorithm"), "a counterexample with the labels as stated, as it is with worse ones"
)
CHECKS = [
    check("in_sample_error", C_2,
          Inequality("Lemma C.2, finite class: never above, and by how much"), FIT, finite_class,
          [naive_labels]),
    check("reward_error", C_3,
          Inequality("Lemma C.3, finite class: never above, and by how much"), DIFFERENCE,
          finite_class, [naive_labels]),
    check("optimism", C_4, Frequency("Lemma C.4 with b = Γ_T·U, finite class"), EVENT,
          finite_class, [hundredth_bonus]),
    check("optimism_linear", C_4,
          Frequency("Lemma C.4 with b = Γ_T·U, linear class by its net"), EVENT, linear_class,
          [hundredth_bonus]),
    check("regret_by_bonus", C_4, Inequality("on the event, J(π*) − J(π²) ≤ 4β·E b²"), BY_BONUS,
          linear_class, [shrunken_bonus]),
    check("cap_one_small_bound", C_4, Frequency("Lemma C.4 with b = min{1, Γ_T·U}, B < 1/2"),
          EVENT, cap_one, [hundredth_bonus], "reward_bound"),
    check("cap_one", C_4, Frequency("Lemma C.4 as printed, b = min{1, Γ_T·U}, B > 1/2"), EVENT,
          cap_one, axis="reward_bound", expected="contradicted",
          why="the cap lies below r* − r̄ − c, which reaches 2B", blind=WORSE),
    check("cap_two_bounds", C_4, Frequency("Lemma C.4 with b = min{2B, Γ_T·U}"), EVENT,
          cap_two_bounds, [cap_one], "reward_bound"),
]  # fmt: skip

THEOREM = Theorem(
    title="P1 Lemmas C.2 to C.4: the optimism event",
    checks=CHECKS,
    corrected={
        "cap_one": "cap_two_bounds",
    },
    worlds={"linear": ProvenRun, "finite": FiniteRun, "two_rewards": TwoRewardsRun},
    assumes=as_told(small_ridge),
)
