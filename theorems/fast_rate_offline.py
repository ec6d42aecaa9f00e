"""P2 Proposition E.1: fast rates for the KL-regularised objective, and the floor it misprints.

Statement (Proposition E.1).  There are offline algorithms such that with probability 1−δ

    J_β(π*_β) − J_β(π̂) ≤ Õ( D²/(βT)·c(ε)²·log(|G|/δ) )                  privacy only,
    J_β(π*_β) − J_β(π̂) ≤ Õ( D²/(βT)·(c(ε)²·log(|G|/δ) + α²) )           CTL,
    J_β(π*_β) − J_β(π̂) ≤ Õ( D²/(βT)·(c(ε)²·log(|G|/δ) + c(ε)²·α²) )     LTC.

In code: T is horizon, β kl_weight, log|G| is of the order of the number of states S.

Privacy only is held two-sided on a plug-in policy with tabular rewards: exponents −1 in T, 2 in
c(ε), −1 in β (D² and the reward fixed, Δ ≪ β), 1 in S; with a linear class, on a linear world or
on text pairs (instance=preference_text), −1 in T.

The printed CTL and LTC bounds divide α² by T.  That cannot be: by Lemma 3.3 the squared error over
T labels is c²·log|G| + T·α², so after division by T the floor α² stays.  Check printed_floor_*
measures the paper's own algorithm against the worst Huber adversary; checks printed_floor_any_*
settle the matter for every algorithm: Δ and Δ' with tanh(Δ/2) − tanh(Δ'/2) = 2α/(1−α) (times c
under LTC) give the very same distribution of corrupted labels, so on one of the two every
algorithm has at least the gap of the best compromise policy, computed exactly, whatever T (a
guarantee with probability above ½ in both would need a policy that is good in both).  What is
measured there is the algorithm's gap on the worse of the two at every T, and an assumption has that
least gap.  A learner who has learnt nothing has such a slope, too; that this one has the floor
itself is what floor_horizon_* say of the same worlds.  All assumptions hold (α < 1/2, realizable
rewards, D² finite: two responses, uniform π_ref).  The corrected form is

    D²/β·(c(ε)²·log(|G|/δ)/T + α²)   and   D²/β·(c(ε)²·log(|G|/δ)/T + c(ε)²·α²):

checks floor_* hold its exponents 2 in α and 2 in c(ε) (LTC, less the gap of privacy alone, which
has the same exponent), and, as numbers that know neither T
nor, under CTL, ε, the floor itself: labels that say nothing and a learner who debiases too much
leave floors of the same exponents, but other ones.  So it is with 1/β.  The same code without an
adversary has exponent −1 in T (control without_adversary of floor_horizon_*), so that the
contradiction is the adversary's doing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import torch
from pydantic import Field

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from repro.base.schema import Corruption, Count, KLWeight, Pairs, Positive
from repro.core.check import Algorithm, Check, Quantity, SweptCheck, Theorem, named, privacy_mistake
from repro.core.claims import Ratio, Slope
from repro.labels.corruption.huber_square import reported_mean
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_counts import draw_label_counts
from repro.labels.preferences.label_law import on_arrays
from repro.worlds.estimators.mixture_mle import mixture_mle
from repro.worlds.instances.choices import AnyChoice
from repro.worlds.instances.labelled import HuberLabels, PrivateLabels, built
from repro.worlds.instances.linear import LinearWorld
from repro.worlds.policies.gibbs import gibbs_suboptimality

MAX_DIFFERENCE = 2.0
"""Estimates of Δ are clipped to ± this, which no true Δ reaches."""


# The world: two responses in each of S states ---------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class FastRates(PrivateLabels):
    """T labels, and the plug-in policy π̂ ∝ π_ref·exp(r̂/β).

    Attributes:
        horizon: T.
    """

    horizon: Pairs

    def gap(self, estimate: Any) -> np.ndarray:
        """(R,) J_β(π*) − J_β(π̂) of estimated rewards."""
        raise NotImplementedError

    def learn(self, rng: np.random.Generator, replicates: int, cost: float | None = None) -> Any:
        """Rewards estimated from R datasets, reports read with a factor ``cost`` (c(ε) unless
        given).
        """
        raise NotImplementedError


@dataclass(frozen=True, eq=False, kw_only=True)
class Tabular(HuberLabels, FastRates):
    """S equally likely states, uniform π_ref, reward difference Δ everywhere, T labels.

    π̂ ∝ π_ref·exp(r̂/β) with Δ̂ = 2·artanh(c·z̄) state by state, the minimiser of the mixture log
    loss and of the square loss alike; its gap is β·KL(π̂‖π*) exactly.

    Attributes:
        num_states, difference, kl_weight: S, Δ and β.
        claimed_order: of corruption and privacy, in the floor that is claimed.
    """

    num_states: Count
    difference: Positive
    kl_weight: KLWeight
    claimed_order: Order

    def gap(self, estimate: np.ndarray, truth: float | None = None, weight: float | None = None):
        """(R,) J_β(π*) − J_β(π̂) of (R, S) estimates, π̂ computed with 1/``weight``."""
        true = self.difference if truth is None else truth
        best = torch.sigmoid(torch.tensor([true, -true], dtype=torch.float64) / self.kl_weight)
        error = torch.from_numpy(estimate / (weight or self.kl_weight) - true / self.kl_weight)
        ratio, states = torch.stack([error, torch.zeros_like(error)], dim=-1), error.shape[-1]
        uniform = torch.full((states,), 1.0 / states, dtype=torch.float64)
        return gibbs_suboptimality(best.expand(states, 2), ratio, uniform, self.kl_weight).numpy()

    def learn(self, rng: np.random.Generator, replicates: int, cost: float | None = None):
        """(R, S) Δ̂ on simulated datasets, reports read with a factor ``cost`` (c(ε) as printed)."""
        half = np.full(self.num_states + 1, 0.5 / self.num_states)
        half[-1] = 0.5
        pairs = rng.multinomial(self.horizon, half, size=replicates)[:, :-1]
        mean = float(self.reports.mean(np.tanh(self.difference / 2)))
        average = (2.0 * rng.binomial(pairs, (1 + mean) / 2) - pairs) / np.maximum(pairs, 1)
        limit, read = np.tanh(MAX_DIFFERENCE / 2), self.reports.cost if cost is None else cost
        fitted = 2 * np.arctanh(np.clip(read * average, -limit, limit))
        return on_arrays(self.estimate, fitted, np.array(self.difference))


@dataclass(frozen=True, eq=False, kw_only=True)
class CorruptedTabular(Tabular):
    """The same with α > 0: labels of which none is replaced leave no floor."""

    corruption: Annotated[Corruption, Field(gt=0)] = field()


@dataclass(frozen=True, eq=False, kw_only=True)
class Linear(FastRates):
    """A linear class of rewards in place of the table; β is the world's."""

    instance: AnyChoice

    @property
    def world(self) -> LinearWorld:
        instance = built(self.instance)
        assert isinstance(instance, LinearWorld)
        return instance

    def gap(self, estimate: torch.Tensor) -> np.ndarray:
        """(R,) J_β(π*) − J_β(π̂) of (R, d) estimates."""
        world = self.world
        off = estimate - world.theta
        ratio = torch.einsum("sad,rd->rsa", world.features, off) / world.kl_weight
        best, states = world.optimal_policy, world.state_prob
        return gibbs_suboptimality(best, ratio, states, world.kl_weight).cpu().numpy()

    def learn(self, rng: np.random.Generator, replicates: int, cost: float | None = None):
        """(R, d) maximum likelihood on simulated datasets; at ``cost`` 1 it assumes no privacy."""
        world, assumed = self.world, self.epsilon if cost is None else np.inf
        counts = draw_label_counts(
            rng, world.cell_prob, world.reward_diff, self.horizon, self.epsilon, replicates,
            self.labels, self.channel,
        )  # fmt: skip
        fitted = mixture_mle(counts, world.feature_diff, assumed, world.radius)
        return self.estimate(fitted, world.theta)


# The bounds -------------------------------------------------------------------------------------


def noise_gap(world: Tabular) -> float:
    """E[gap] without corruption to second order in Δ̂ − Δ: Σ Var(π*)·Var(Δ̂)/(2β) over states."""
    mean, cost = np.tanh(world.difference / 2), privacy_cost(world.epsilon)
    variance = (2 / (1 - mean**2)) ** 2 * (cost**2 - mean**2) * 2 * world.num_states
    best = 1 / (1 + np.exp(-world.difference / world.kl_weight))
    return float(best * (1 - best) * variance / (2 * world.kl_weight * world.horizon))


def floor(world: Tabular) -> float:
    """Gap at T = ∞, where the worst adversary leaves E[y] = (1−α)h − α (CTL) or (1−α)h − cα."""
    reach = 1.0 if world.claimed_order is Order.CTL else privacy_cost(world.epsilon)
    mean = (1 - world.corruption) * np.tanh(world.difference / 2) - world.corruption * reach
    return float(world.gap(np.array([[2 * np.arctanh(mean)]]))[0])


def twin(world: Tabular) -> float:
    """Δ' < Δ whose corrupted labels can have the very distribution of Δ's.

    Both adversaries mix in α: (1−α)·h + α·b = (1−α)·h' + α·b' with b = −1, b' = 1 where h is
    the mean of a raw (CTL) or privatised (LTC) label, so h − h' = 2α/(1−α) or c times that.
    """
    shift = 2 * world.corruption / (1 - world.corruption) * world.reports.reach
    mean = float(np.tanh(world.difference / 2)) - shift
    if mean <= -1:
        need = f"its twin's labels would have mean {mean:.3g}; allowed: a smaller share"
        raise BadInput("corruption", world.corruption, need)
    return float(2 * np.arctanh(mean))


# Algorithms: right, and wrong on purpose --------------------------------------------------------


def plugin(world: FastRates, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """The plug-in policy."""
    return world.gap(world.learn(rng, replicates))


@lru_cache(maxsize=64)
def least_of_any(world: Tabular) -> float:
    """min over policies of the larger gap on the twins: no algorithm beats it, at any T."""
    other = low = twin(world)
    high, gaps = world.difference, (0.0, 0.0)
    for _ in range(100):
        middle = np.array([[(low + high) / 2]])
        gaps = world.gap(middle)[0], world.gap(middle, truth=other)[0]
        low, high = (middle.item(), high) if gaps[0] > gaps[1] else (low, middle.item())
    return float(max(gaps))


def better_response(truth: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The adversary of the twin: the better response always wins."""
    return np.ones_like(truth)


def on_the_worse_twin(world: Tabular, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(R,) the plug-in policy's gaps on Δ or on its twin, where their mean is larger."""
    other = replace(world, difference=twin(world), adversary=better_response)
    return max((plugin(candidate, rng, replicates) for candidate in (world, other)), key=np.mean)


def inverted_kl_weight(world: Tabular, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: the policy uses 1/β."""
    return world.gap(world.learn(rng, replicates), weight=1 / world.kl_weight)


def without_adversary(world: Tabular, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong for a floor: labels are only privatised."""
    return plugin(replace(world, corruption=0.0), rng, replicates)


def corruption_after_privacy(world: Tabular, rng, replicates: int) -> np.ndarray:
    """Wrong for CTL: corruption comes second."""
    return plugin(replace(world, order=Order.LTC), rng, replicates)


def corruption_before_privacy(world: Tabular, rng, replicates: int) -> np.ndarray:
    """Wrong for LTC: corruption comes first."""
    return plugin(replace(world, order=Order.CTL), rng, replicates)


@privacy_mistake
def naive_likelihood(world: FastRates, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: reports are taken for labels."""
    return world.gap(world.learn(rng, replicates, cost=1.0))


without_privacy_cost = privacy_mistake(named("without_privacy_cost", naive_likelihood))


# The claims --------------------------------------------------------------------------------------

GAP = Quantity("regularised suboptimality [reward]")
WORSE_TWIN = Quantity("regularised suboptimality on the worse twin [reward]")
LINEAR_GAP = replace(GAP, alike=True)
OVER_NOISE = Quantity("regularised suboptimality / predicted", over=noise_gap)
OVER_FLOOR = Quantity("regularised suboptimality / its limit", over=floor)
BY_CORRUPTION = Quantity("regularised suboptimality beyond privacy's [reward]", less=noise_gap)
PRINTED: Any = {
    "axis": "horizon",
    "expected": "contradicted",
    "why": "corruption leaves a floor α², which the printed bound divides by T",
    "blind": {
        "labels": "on fair coins the gap does not fall either: floor_horizon_* notice them",
        "algorithm": "the opposite's gap does not fall either: floor_horizon_* notice it",
    },
}


def check(
    name: str, axis: str, claim: Slope | Ratio, wrong: Sequence[Algorithm] = (),
    quantity: Quantity = GAP, right: Algorithm = plugin, **more: Any,
) -> Check:  # fmt: skip
    """A check of the plug-in policy's gap, unless it says otherwise."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right,
                 wrong=wrong, **more)  # fmt: skip


PRIVACY_ONLY = [
    check("horizon_linear", "horizon", Slope("privacy only, linear class: {rate}", -1),
          [naive_likelihood], LINEAR_GAP),
    check("horizon", "horizon", Slope("privacy only: {rate}", -1), [naive_likelihood]),
    check("privacy_cost", "privacy_cost", Slope("privacy only: {rate}", 2), [naive_likelihood]),
    check("kl_weight", "kl_weight",
          Ratio("privacy only: gap → Var(π*)·Var(Δ̂)/(2β), Var(Δ̂) = 8·S·(c² − h²)/((1 − h²)²·T)"),
          [inverted_kl_weight, naive_likelihood], OVER_NOISE),
    check("num_states", "num_states", Slope("privacy only: {rate}", 1), [naive_likelihood]),
]  # fmt: skip
AS_PRINTED = [
    check("printed_floor_ctl", claim=Slope("as printed, CTL: {rate}", -1, "at_most"), **PRINTED),
    check("printed_floor_ltc", claim=Slope("as printed, LTC: {rate}", -1, "at_most"), **PRINTED),
    check("printed_floor_any_ctl", quantity=WORSE_TWIN,
          claim=Slope("as printed, CTL, worse twin: {rate}", -1, "at_most"),
          right=on_the_worse_twin, **PRINTED),
    check("printed_floor_any_ltc", quantity=WORSE_TWIN,
          claim=Slope("as printed, LTC, worse twin: {rate}", -1, "at_most"),
          right=on_the_worse_twin, **PRINTED),
]  # fmt: skip
CORRECTED = [
    check("floor_horizon_ctl", "horizon",
          Ratio("corrected, CTL: gap → gap of E[y] = (1−α)h − α at every T"),
          [without_adversary], OVER_FLOOR),
    check("floor_horizon_ltc", "horizon",
          Ratio("corrected, LTC: gap → gap of E[y] = (1−α)h − c·α at every T"),
          [without_adversary], OVER_FLOOR),
    check("floor_corruption_ctl", "corruption", Slope("corrected, CTL: floor {rate}", 2),
          [without_privacy_cost]),
    check("floor_corruption_ltc", "corruption", Slope("corrected, LTC: floor {rate}", 2),
          [without_privacy_cost]),
    check("floor_privacy_cost_ctl", "privacy_cost",
          Ratio("corrected, CTL: floor → gap of E[y] = (1−α)h − α, free of c(ε)"),
          [corruption_after_privacy], OVER_FLOOR),
    check("floor_privacy_cost_ltc", "privacy_cost", Slope("corrected, LTC: floor {rate}", 2),
          [corruption_before_privacy], BY_CORRUPTION),
    check("floor_kl_weight", "kl_weight",
          Ratio("corrected, CTL: floor → β·KL between σ(Δ'/β), tanh(Δ'/2) = E[y], and σ(Δ/β)"),
          [inverted_kl_weight], OVER_FLOOR),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """α < 1/2, realizable differences, and twins with equal reports where they are used."""
    world = swept.sweep.worlds[-1]
    if isinstance(world, Linear):
        return
    fits = world.corruption < 0.5 and world.difference < MAX_DIFFERENCE
    yield "realizable, α < 1/2", fits, f"Δ = {world.difference:g}, α = {world.corruption:g}"
    if swept.check.right is on_the_worse_twin:
        other, reports = twin(world), world.reports
        yield "the twin is realizable", abs(other) < MAX_DIFFERENCE, f"Δ' = {other:.3g}"
        h = np.tanh(np.array([other, world.difference]) / 2)
        mean = reported_mean(h[0], reports.cost, reports.corruption, reports.order, 1.0)
        apart = abs(float(mean) - float(reports.mean(h[1])))
        yield "the twins' labels agree", apart < 1e-12, f"difference of E[z] = {apart:.1e}"
        least = least_of_any(world)
        yield "every algorithm loses on a twin", least > 0, f"at least {least:.3g} at any T"


THEOREM = Theorem(
    title="P2 Proposition E.1: offline fast rates, and the floor of corruption",
    settles=["p2.prop_e_1"],
    checks=[*PRIVACY_ONLY, *AS_PRINTED, *CORRECTED],
    corrected={
        "printed_floor_ctl": "floor_horizon_ctl",
        "printed_floor_ltc": "floor_horizon_ltc",
        "printed_floor_any_ctl": "floor_horizon_ctl",
        "printed_floor_any_ltc": "floor_horizon_ltc",
    },
    worlds={"tabular": Tabular, "corrupted": CorruptedTabular, "linear": Linear},
    assumes=assumes,
)
