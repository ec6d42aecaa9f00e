"""IPO and KTO on privatised labels: another temperature, or other weights, is all the debiasing.

Own statement (proof in docs/explanations/ipo_and_kto.md).  Reports are labels under randomised
response, c = c(ε).  On every dataset, up to a constant and for every policy, so over every class:

    IPO on reports at τ/c  =  the unbiased estimate of IPO on labels at τ;
    KTO on reports with λ′_D, λ′_U  =  the unbiased estimate of KTO on labels with λ_D, λ_U,
    λ′_D = ((c+1)λ_D + (c−1)λ_U)/2,  λ′_U = ((c+1)λ_U + (c−1)λ_D)/2  (λ′ = cλ if λ_D = λ_U).

So KTO with equal weights needs no debiasing.  IPO as it is (temperature τ) is IPO on labels at cτ:
it tends to 1/c of what it should learn.  KTO as it is with λ_D ≠ λ_U decides at a share of
desirable labels of ½ + c·(η* − ½) in the place of η* = λ_U/(λ_D + λ_U); where that leaves [0, 1] it
gives every response the same answer.

What privacy costs.  IPO, log-ratios linear in features, fixed design: the risk in ‖·‖_Σ is
Σ_i p_i·x_iᵀΣ⁻¹x_i·(c² − m_i²)/(4τ²n), m_i the mean label of cell i.  KTO, one cell, log-ratios in
an interval: the largest excess loss over η is of order c/√n.

Checks.  Simulated over exact risk of IPO in both forms (``ipo_debiased``, ``ipo_temperature``),
what IPO as it is tends to (``ipo_as_it_is``), the exponents of KTO's largest excess loss in n and
c, and where KTO as it is decides (``kto_threshold``).  What would refute it: another risk or
exponent.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from repro.base.notation import privacy_cost
from repro.base.schema import Pairs, Positive, Share
from repro.core.check import (
    Algorithm,
    Assumed,
    Check,
    Quantity,
    SweptCheck,
    Theorem,
    named,
    privacy_mistake,
)
from repro.core.claims import Ratio, Slope
from repro.worlds.instances.labelled import PrivateLabels

# Worlds ------------------------------------------------------------------------------------------

FEATURES = torch.tensor(
    [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.8, -0.6], [-0.3, 0.4]], dtype=torch.float64
)
"""x of five cells."""
MASS = torch.tensor([0.3, 0.25, 0.2, 0.15, 0.1], dtype=torch.float64)
FEWEST = 10
"""Pairs of which the least cell has one."""
REWARD = torch.tensor([0.9, -0.4], dtype=torch.float64)
"""θ of the reward that labels follow; the mean label tanh(⟨x, θ⟩/2) is not linear in x."""
COVARIANCE = (FEATURES * MASS[:, None]).T @ FEATURES
FURTHEST = 0.3
"""Largest |η − η*| of the ladder of KTO's cells."""
RUNGS = 4
"""Cells of the ladder to a factor of e; the excess loss is flat where it is largest."""


@dataclass(frozen=True, kw_only=True)
class IpoLabels(PrivateLabels):
    """n labels of pairs for IPO with log-ratios ⟨θ, x⟩.

    Attributes:
        n_pairs: n; every cell has its share of pairs.
        temperature: τ of IPO.
    """

    n_pairs: Pairs
    temperature: Positive

    def __post_init__(self) -> None:
        if self.n_pairs < FEWEST:
            raise ValueError(f"n_pairs at least {FEWEST}, so that every cell has a pair")

    @property
    def wanted(self) -> Tensor:
        """(2,) what IPO on infinitely many labels learns."""
        mean = torch.tanh(FEATURES @ REWARD / 2)
        return torch.linalg.solve(COVARIANCE, (MASS * mean) @ FEATURES) / (2 * self.temperature)


@dataclass(frozen=True, kw_only=True)
class KtoLabels(PrivateLabels):
    """n desirable or undesirable labels of one response, λ_D = 1.

    Attributes:
        n_pairs: n.
        undesirable: λ_U.
        smallest: least |η − η*| of the ladder of cells, on either side.
    """

    n_pairs: Pairs
    undesirable: Positive
    smallest: Share

    def __post_init__(self) -> None:
        if not FURTHEST <= self.threshold <= 1 - FURTHEST:
            raise ValueError("undesirable between 3/7 and 7/3, so that every η is a share")
        if self.smallest >= FURTHEST:
            raise ValueError(f"smallest below {FURTHEST:g}, the largest of the ladder")

    @property
    def threshold(self) -> float:
        """η* from which on a response should be more likely than under the reference."""
        return self.undesirable / (1 + self.undesirable)

    @property
    def ladder(self) -> Tensor:
        """(L,) η."""
        rungs = 2 + math.ceil(RUNGS * math.log(FURTHEST / self.smallest))
        off = torch.from_numpy(np.geomspace(self.smallest, FURTHEST, rungs))
        return self.threshold + torch.cat([-off, off])


@dataclass(frozen=True, eq=False)
class IpoReports:
    """Shares (R, 5) of reports +1 by dataset and cell.

    Attributes:
        world: that they were drawn from.
        wins: the shares.
    """

    world: IpoLabels
    wins: Tensor


@dataclass(frozen=True, eq=False)
class KtoReports:
    """Shares (R, L) of desirable reports by dataset and cell of the ladder.

    Attributes:
        world: that they were drawn from.
        wins: the shares.
    """

    world: KtoLabels
    wins: Tensor


def pairs_drawn(world: IpoLabels, rng: np.random.Generator, replicates: int) -> IpoReports:
    """R datasets of the five cells."""
    win = world.channel(world.labels(torch.sigmoid(FEATURES @ REWARD)), world.epsilon)
    each = (MASS * world.n_pairs).round().long().numpy()
    wins = rng.binomial(each, win.numpy(), size=(replicates, len(each)))
    return IpoReports(world, torch.from_numpy(wins / each))


def responses_drawn(world: KtoLabels, rng: np.random.Generator, replicates: int) -> KtoReports:
    """R datasets at every η of the ladder."""
    desirable = world.channel(world.labels(world.ladder), world.epsilon)
    wins = rng.binomial(world.n_pairs, desirable.numpy(), size=(replicates, len(desirable)))
    return KtoReports(world, torch.from_numpy(wins / world.n_pairs))


# Algorithms: (R,) squared errors of IPO, (R, L) decisions of KTO ---------------------------------


def ipo(data: IpoReports, share: Tensor, temperature: float) -> Tensor:
    """(R, 2) argmin of the mean of (z·⟨θ, x⟩ − 1/(2τ))² where a share (R, 5) of labels z is +1.

    As Azar et al. (2023) print it: both signs of a pair are regressed on 1/(2τ).
    """
    both = torch.cat([FEATURES, -FEATURES])
    weight = torch.cat([MASS * share, MASS * (1 - share)], dim=1)
    moment = torch.einsum("rc,ci,cj->rij", weight, both, both)
    fitted = torch.linalg.solve(moment, weight @ both / (2 * temperature))
    return data.world.estimate(fitted, data.world.wanted)


def debiased_ipo(data: IpoReports) -> Tensor:
    """Every report z replaced by c(ε)·z in the term in which it stands: shares beyond [0, 1]."""
    cost = privacy_cost(data.world.epsilon)
    return ipo(data, 0.5 + cost * (data.wins - 0.5), data.world.temperature)


def colder_ipo(data: IpoReports) -> Tensor:
    """IPO on reports as they are, at τ/c(ε)."""
    return ipo(data, data.wins, data.world.temperature / privacy_cost(data.world.epsilon))


@privacy_mistake
def ipo_as_it_is(data: IpoReports) -> Tensor:
    """Wrong where labels are private: IPO on reports as they are, at τ."""
    return ipo(data, data.wins, data.world.temperature)


@privacy_mistake
def hotter_ipo(data: IpoReports) -> Tensor:
    """Wrong: the temperature is τ·c(ε), not τ/c(ε)."""
    return ipo(data, data.wins, data.world.temperature * privacy_cost(data.world.epsilon))


def kto(data: KtoReports, share: Tensor, desirable: float, undesirable: float) -> Tensor:
    """(R, L) the σ(u) − ½ of least KTO loss, as a sign: λ_D·σ(−u) of a desirable label, λ_U·σ(u).

    The loss is linear in σ(u), so one of both ends is best (Ethayarajh et al., 2024; z₀ reads no
    labels).
    """
    above, below = (1 - share) * undesirable, share * desirable  # the loss at σ(u) = 1 and 0
    fitted = torch.sign(below - above)
    truth = torch.sign(data.world.ladder - data.world.threshold)
    return data.world.estimate(fitted, truth)


@privacy_mistake
def kto_as_it_is(data: KtoReports) -> Tensor:
    """Wrong where weights differ: KTO on reports as they are."""
    return kto(data, data.wins, 1.0, data.world.undesirable)


def debiased_kto(data: KtoReports) -> Tensor:
    """KTO with ((c+1)·ℓ(z) − (c−1)·ℓ(−z))/2 in the place of ℓ(z)."""
    share = 0.5 + privacy_cost(data.world.epsilon) * (data.wins - 0.5)
    return kto(data, share, 1.0, data.world.undesirable)


def reweighted_kto(data: KtoReports) -> Tensor:
    """KTO on reports with λ′_D and λ′_U."""
    return kto(data, data.wins, *_weights(data.world))


@privacy_mistake
def weights_exchanged(data: KtoReports) -> Tensor:
    """Wrong: λ′_D and λ′_U exchanged."""
    desirable, undesirable = _weights(data.world)
    return kto(data, data.wins, undesirable, desirable)


def without_undesirable(data: KtoReports) -> Tensor:
    """Wrong: undesirable examples are left out, as if chosen responses were all that counts."""
    return kto(data, data.wins, 1.0, 0.0)


def _weights(world: KtoLabels) -> tuple[float, float]:
    """λ′_D, λ′_U."""
    cost, other = privacy_cost(world.epsilon), world.undesirable
    return ((cost + 1) + (cost - 1) * other) / 2, ((cost + 1) * other + (cost - 1)) / 2


# Bounds ------------------------------------------------------------------------------------------


def exact_risk(world: IpoLabels) -> float:
    """E‖θ̂ − θ‖²_Σ of debiased IPO."""
    mean = torch.tanh(FEATURES @ REWARD / 2)
    spread = privacy_cost(world.epsilon) ** 2 - mean**2
    heavy = (FEATURES @ torch.linalg.inv(COVARIANCE) * FEATURES).sum(-1)
    pairs = (MASS * world.n_pairs).round()
    return float((MASS**2 * heavy * spread / pairs).sum()) / (4 * world.temperature**2)


def predicted_threshold(world: KtoLabels) -> float:
    """½ + c(ε)·(η* − ½)."""
    return 0.5 + privacy_cost(world.epsilon) * (world.threshold - 0.5)


# Quantities --------------------------------------------------------------------------------------


def squared_error(world: IpoLabels, algorithm: Algorithm, data: IpoReports, replicates: int):
    """(R,) ‖θ̂ − θ‖²_Σ."""
    off = algorithm(data) - world.wanted
    return ((off @ COVARIANCE) * off).sum(-1).numpy()


def along_the_wanted(world: IpoLabels, algorithm: Algorithm, data: IpoReports, replicates: int):
    """(R,) c(ε)·⟨θ̂, θ⟩_Σ/‖θ‖²_Σ, θ what IPO on labels learns."""
    wanted = world.wanted @ COVARIANCE
    share = algorithm(data) @ wanted / (world.wanted @ wanted)
    return privacy_cost(world.epsilon) * share.numpy()


def largest_excess(
    world: KtoLabels, algorithm: Algorithm, data: KtoReports, replicates: int
) -> float:
    """The largest over η of a block's mean excess loss on labels, in units of its range."""
    off = (world.ladder - world.threshold) * (1 + world.undesirable)
    wrong = (algorithm(data) * off).clamp(max=0).abs()
    return float(wrong.mean(0).max())


def decides_at(world: KtoLabels, algorithm: Algorithm, rng: object, replicates: int) -> float:
    """The share of desirable labels, of n → ∞, at which a decision turns, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        everywhere = torch.full_like(world.ladder, middle)[None]
        share = world.channel(world.labels(everywhere), world.epsilon)
        up = float(algorithm(KtoReports(world, share))[0, 0]) > 0
        low, high = (low, middle) if up else (middle, high)
    return (low + high) / 2


RISK = Quantity("squared error / exact risk", squared_error, drawn=pairs_drawn, over=exact_risk)
SHRUNK = Quantity("c(ε) · share of what IPO on labels learns", along_the_wanted,
                  drawn=pairs_drawn)  # fmt: skip
EXCESS = Quantity(
    "largest mean excess KTO loss over η",
    largest_excess,
    drawn=responses_drawn,
    stream_per_block=True,
)
TURNS = Quantity("η at which KTO turns / ½ + c(ε)·(η* − ½)", decides_at, evidence="exact",
                 over=predicted_threshold)  # fmt: skip

# The claims --------------------------------------------------------------------------------------


def check(
    name: str, axis: str, claim: Ratio | Slope, quantity: Quantity, right: Algorithm,
    *wrong: Algorithm,
) -> Check:  # fmt: skip
    """A check of a loss on reports."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong)


CHECKS = [
    check("ipo_debiased", "privacy_cost", Ratio("IPO with c(ε)·z: exact risk"), RISK, debiased_ipo,
          ipo_as_it_is, hotter_ipo),
    check("ipo_temperature", "privacy_cost", Ratio("IPO on reports at τ/c(ε): the same risk"),
          RISK, colder_ipo, ipo_as_it_is, hotter_ipo),
    check("ipo_as_it_is", "privacy_cost", Ratio("IPO on reports at τ tends to 1/c(ε) of it"),
          SHRUNK, named("ipo_on_reports", ipo_as_it_is),
          named("colder_ipo", colder_ipo, "the temperature is τ/c(ε), not τ")),
    check("kto_equal_n_pairs", "n_pairs", Slope("KTO as it is, λ_D = λ_U: {rate}", -0.5), EXCESS,
          named("kto_on_reports", kto_as_it_is), without_undesirable),
    check("kto_equal_privacy_cost", "privacy_cost", Slope("KTO as it is, λ_D = λ_U: {rate}", 1),
          EXCESS, named("kto_on_reports", kto_as_it_is), without_undesirable),
    check("kto_n_pairs", "n_pairs", Slope("debiased KTO, λ_D ≠ λ_U: {rate}", -0.5), EXCESS,
          debiased_kto, kto_as_it_is, without_undesirable),
    check("kto_privacy_cost", "privacy_cost", Slope("KTO with λ′, λ_D ≠ λ_U: {rate}", 1), EXCESS,
          reweighted_kto, weights_exchanged, without_undesirable),
    check("kto_threshold", "privacy_cost",
          Ratio("KTO as it is, λ_D ≠ λ_U, turns at ½ + c(ε)(η* − ½)", tolerance=1e-6), TURNS,
          named("kto_on_reports", kto_as_it_is),
          named("debiased_kto", debiased_kto, "the loss is debiased"), weights_exchanged),
]  # fmt: skip


def assumes(swept: SweptCheck) -> Iterable[Assumed]:
    """KTO as it is turns somewhere in (0, 1), where a check is about the place."""
    if swept.name == "kto_threshold":
        for world in (swept.sweep.worlds[0], swept.sweep.worlds[-1]):
            threshold = predicted_threshold(world)
            yield (
                f"c(ε) = {privacy_cost(world.epsilon):.3g}: turns",
                0 < threshold < 1,
                f"{threshold:.3g}",
            )


THEOREM = Theorem(
    title="IPO and KTO under randomised response: what debiasing they need",
    settles=["own.ipo_and_kto"],
    checks=CHECKS,
    worlds={"pairs": IpoLabels, "responses": KtoLabels},
    assumes=assumes,
)
