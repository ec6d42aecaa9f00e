"""Not knowing ε costs the fast rate: with the budget known up to a factor the gap is β·n^(−1/3).

Own statement (proof in docs/explanations/unknown_budget.md).  Rewards θ·x, two responses a state
with the difference θ·x, x = 1 and 2; a label keeps its signal s = tanh(ε/2), of which the learner
knows that it lies in [s₁/2, s₁], s₁ = tanh(½), that is ε in [.471, 1].  For every n and learner

    max over θ and ε of E SubOpt ≥ (5β/8)·σ′(4βδ)·(2(1 − s₁²/4)/(65·n·s₁²))^(1/3),

δ = 2·(2(1 − s₁²/4)/(65·n·s₁²))^(1/6), which is ≥ .045·β·(n·s₁²)^(−1/3) for βδ ≤ 1/8: (s₁, δ) and
(s₁/2, 2δ) have win probabilities that differ by at most s₁(δx/2)³/2 (Le Cam).  A learner who knows
ε has β/n.  The maximum likelihood estimate of (s, θ) together attains n^(−1/3) here: measured, not
proved.  With a single difference x (s, θ) would not be identified, and the floor constant.

Checks.  The largest mean gap over a ladder of θ that does not move with n: its exponent for the
joint estimate (``unknown``), for the one who knows ε (``known``), and how far above the floor it
lies (``above_the_floor``).  What would refute it: another exponent, or a gap below the floor.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.base.notation import label_signal
from repro.base.schema import KLWeight, Pairs, Positive
from repro.core.check import Algorithm, Check, Quantity, Theorem, named
from repro.core.claims import Inequality, Slope
from repro.worlds.instances.labelled import PrivateLabels

X = torch.tensor([1.0, 2.0], dtype=torch.float64)
"""Reward differences of the two states, over θ."""
SHARE = 0.25
"""How often a pair shows both responses of one of the two states."""
NEWTON = 12
LARGEST = 4.0
"""Largest |θ| of the class."""
ABOVE = 40.0
"""How far above the floor the joint estimate's worst gap is, at most."""


@dataclass(frozen=True, kw_only=True)
class UnknownBudget(PrivateLabels):
    """n labels at a budget that the learner knows up to a factor of its signal.

    Attributes:
        n_pairs: n.
        kl_weight: 1/β.
        smallest: least θ of the ladder, whose largest is 1.
    """

    n_pairs: Pairs
    kl_weight: KLWeight
    smallest: Positive

    def __post_init__(self) -> None:
        if not self.smallest < 1:
            raise ValueError("smallest below 1, the largest of the ladder")

    @property
    def ladder(self) -> Tensor:
        """(L,) θ, three to a factor of e."""
        rungs = 1 + math.ceil(-3 * math.log(self.smallest))
        return torch.from_numpy(np.geomspace(self.smallest, 1, rungs))


@dataclass(frozen=True, eq=False)
class Shares:
    """Frequencies of wins, (R, L, 2) by dataset, θ and state, and how many pairs are behind each.

    Attributes:
        world: that they were drawn from.
        wins: shares.
        pairs: (R, L, 2).
    """

    world: UnknownBudget
    wins: Tensor
    pairs: Tensor


def drawn(world: UnknownBudget, rng: np.random.Generator, replicates: int) -> Shares:
    """R datasets at every θ of the ladder."""
    theta = world.ladder
    chance = world.channel(world.labels(torch.sigmoid(theta[:, None] * X)), world.epsilon)
    shape = (replicates, len(theta))
    seen = rng.multinomial(world.n_pairs, [SHARE, SHARE, 1 - 2 * SHARE], size=shape)[..., :2]
    wins = rng.binomial(seen, chance.numpy())
    pairs = torch.from_numpy(np.maximum(seen, 1).astype(float))
    return Shares(world, torch.from_numpy(wins.astype(float)) / pairs, pairs)


# Algorithms --------------------------------------------------------------------------------------


def _at(data: Shares, signal: float) -> tuple[Tensor, Tensor]:
    """(R, L) θ̂ of the least sum of squares m·(p̂ − ½ − s·tanh(θx/2)/2)² at a signal, and the sum.

    Near p = ½ that is the likelihood.  Gauss–Newton from the linear estimate.
    """
    off = data.wins - 0.5
    theta = (data.pairs * off * X).sum(-1) / (data.pairs * X * X).sum(-1) * 4 / signal
    theta = theta.clamp(-LARGEST, LARGEST)
    for _ in range(NEWTON):
        shape = torch.tanh(theta[..., None] * X / 2)
        miss, slope = off - signal * shape / 2, signal * X * (1 - shape * shape) / 4
        step = (data.pairs * miss * slope).sum(-1) / (data.pairs * slope * slope).sum(-1)
        theta = (theta + step).clamp(-LARGEST, LARGEST)
    miss = off - signal * torch.tanh(theta[..., None] * X / 2) / 2
    return theta, (data.pairs * miss * miss).sum(-1)


def _exactly(data: Shares) -> tuple[Tensor, Tensor]:
    """(R, L) θ and s at which both shares are met, NaN where no θ does.

    With t = tanh(θ/2) the shares less ½ have the ratio tanh(θ)/t = 2/(1 + t²).
    """
    first, second = (data.wins - 0.5).unbind(-1)
    shape = (2 * first / second - 1).sqrt() * first.sign()
    return 2 * torch.atanh(shape), 2 * first / shape


def _gap(data: Shares, fitted: Tensor) -> Tensor:
    """(R, L) gap of the Gibbs policy, π_ref = ½; the mean over the states."""
    world = data.world
    truth = world.ladder.expand_as(fitted)
    theta = world.estimate(fitted, truth)
    right, played = (theta_of[..., None] * X / world.kl_weight for theta_of in (truth, theta))
    chance = torch.sigmoid(played)
    kept = torch.nn.functional.logsigmoid
    excess = chance * (kept(played) - kept(right)) + (1 - chance) * (kept(-played) - kept(-right))
    return world.kl_weight * excess.mean(-1)


def _signal(data: Shares) -> float:
    return label_signal(data.world.epsilon)


def joint_estimate(data: Shares) -> Tensor:
    """Of θ and the signal together: both shares met, or at an end of the signal's range."""
    largest = _signal(data)
    (low, of_low), (high, of_high) = (_at(data, at_signal) for at_signal in (largest / 2, largest))
    theta, signal = _exactly(data)
    inside = (signal > largest / 2) & (signal < largest) & (theta.abs() < LARGEST)
    return _gap(data, torch.where(inside, theta, torch.where(of_low < of_high, low, high)))


def known_budget(data: Shares) -> Tensor:
    """Wrong where ε is unknown: θ at the true signal."""
    return _gap(data, _at(data, _signal(data))[0])


def least_budget(data: Shares) -> Tensor:
    """Wrong: the signal taken for the least that it may be."""
    return _gap(data, _at(data, _signal(data) / 2)[0])


# The bound ---------------------------------------------------------------------------------------


def floor(world: UnknownBudget) -> float:
    """What every learner's worst case is at least."""
    squared, beta = label_signal(world.epsilon) ** 2, 1 / world.kl_weight
    cubed = (2 * (1 - squared / 4) / (65 * world.n_pairs * squared)) ** (1 / 3)
    slope = 1 / (4 * math.cosh(2 * beta * 2 * math.sqrt(cubed)) ** 2)
    return 5 / 8 * beta * slope * cubed


def above(world: UnknownBudget, most: float = ABOVE) -> tuple[float, float]:
    """The floor, and so many times the floor."""
    return floor(world), most * floor(world)


# Quantities --------------------------------------------------------------------------------------


def worst(world: UnknownBudget, algorithm: Algorithm, data: Shares, replicates: int) -> float:
    """The largest over θ of a block's mean gap."""
    return float(algorithm(data).mean(0).max())


def within(world: UnknownBudget, bounds: Algorithm, data: Shares, replicates: int) -> float:
    """The larger of floor over the joint estimate's worst gap, and that over its bound."""
    low, high = bounds(world)
    gap = worst(world, joint_estimate, data, replicates)
    return max(low / gap, gap / high) if gap > 0 else math.inf


WORST = Quantity("largest mean gap over θ [reward]", worst, drawn=drawn, stream_per_block=True)
WITHIN = Quantity("left side / right side of both", within, drawn=drawn, stream_per_block=True)


def check(name: str, claim: Any, quantity: Quantity, right: Algorithm, *wrong: Algorithm) -> Check:
    """A check over n; the claim is about this budget."""
    return Check(name=name, axis="n_pairs", claim=claim, quantity=quantity, right=right,
                 wrong=wrong, keeps=("epsilon",))  # fmt: skip


THEOREM = Theorem(
    title="Not knowing ε costs the fast rate",
    settles=["own.unknown_budget"],
    checks=[
        check(
            "unknown",
            Slope("ε in [.47, 1]: largest gap {rate}", -1 / 3),
            WORST,
            joint_estimate,
            known_budget,
            least_budget,
        ),
        check("known", Slope("ε known: largest gap {rate}", -1), WORST, known_budget, least_budget),
        check(
            "above_the_floor",
            Inequality("every learner's floor ≤ the joint estimate's largest gap ≤ 40 · floor"),
            WITHIN,
            above,
            named("above_by_two", above, "twice the floor, not 40 times", most=2.0),
        ),
    ],
    worlds={"labels": UnknownBudget},
)
