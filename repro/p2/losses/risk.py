"""Error of a loss on privatised, corrupted labels: in large samples by formula, and simulated.

Risk is the mean squared error of reward differences, E_x ⟨x, θ̂ − θ⟩² [reward²].  Under
contamination the estimate tends to the root of the expected score; its derivative in α is the
influence function, its variance the sandwich.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from repro.base.notation import privacy_cost
from repro.labels.corruption.orders import Order
from repro.labels.preferences.label_counts import LabelCounts
from repro.labels.preferences.label_law import (
    Channel,
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    randomized_response,
)
from repro.p2.losses.label_losses import LabelLoss, minimise_loss
from repro.p2.losses.worlds import LogisticWorld

LossAdversary = Callable[["LossRisk", Tensor], Tensor]
"""(what it attacks, (C,) means of the labels it may replace) → means of those it puts there."""


def worst_for_the_loss(risk: LossRisk, seen: Tensor) -> Tensor:
    """The adversary with the largest bias found of the loss's own estimate."""
    return risk.worst_bad_mean


def always(bad: Tensor) -> LossAdversary:
    """An adversary whose labels have the means b (C,)."""

    def adversary(risk: LossRisk, seen: Tensor) -> Tensor:
        return bad

    return adversary


def idle_adversary(risk: LossRisk, seen: Tensor) -> Tensor:
    """Puts back what it takes."""
    return seen


ASCENTS = 50
REFINEMENTS = 8
STARTS = 64
POPULATION = 1e6
"""Scale of expected counts; any number gives the same limit."""


@dataclass(frozen=True, eq=False)
class LossRisk:
    """One loss in one setting, against its own worst adversary.

    Attributes:
        world: pairs and truth.
        kind: of loss.
        epsilon: ε.
        corruption: α.
        order: of corruption and privacy.
        labels: what labels are drawn from.
        channel: who randomizes them.
        adversary: who corrupts them.
        estimated: (fitted, truth) → what the estimator returns.
    """

    world: LogisticWorld
    kind: type[LabelLoss]
    epsilon: float
    corruption: float = 0.0
    order: Order = Order.CTL
    labels: LabelLaw = bradley_terry
    channel: Channel = randomized_response
    adversary: LossAdversary = worst_for_the_loss
    estimated: Estimate = as_fitted

    @cached_property
    def loss(self) -> LabelLoss:
        """The loss at ε."""
        return self.kind(self.epsilon)

    @property
    def reach(self) -> float:
        """κ: a bad label moves the debiased mean by κ, 1 under CTL and c under LTC."""
        return 1.0 if self.order is Order.CTL else privacy_cost(self.epsilon)

    def _pull(self, theta: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """(C, d) A⁻¹·x·w·ρ at θ (the truth unless given), and its metric's factor (d, d)."""
        x = self.world.feature_diff
        s = x @ (self.world.theta if theta is None else theta)
        heavy = self.world.cell_prob * self.loss.weight(s)
        slope = torch.sigmoid(s) * torch.sigmoid(-s)
        bread = torch.einsum("c,ci,cj->ij", heavy * slope, x, x)
        return torch.linalg.solve(bread, (x * heavy[:, None]).T).T, self.world.metric

    def influence(self, bad_mean: Tensor) -> Tensor:
        """(…, d) dθ̂/dα at α = 0 when bad labels have mean b (…, C): Σ pull·(κb − h*)/2."""
        pull, _ = self._pull()
        clean = torch.tanh(self.world.reward_diff / 2)
        return ((self.reach * bad_mean - clean) / 2) @ pull

    @cached_property
    def worst_bad_mean(self) -> Tensor:
        """(C,) ±1 labels of the adversary with the largest squared bias found, at this α.

        From the largest of first order and its opposite: every label to the side on which it moves
        the limit further away, by the pull at the limit, as long as that gains.
        """
        if not self.corruption:
            return self.first_order_bad_mean
        first = self.first_order_bad_mean
        return max((self._refined(first), self._refined(-first)), key=lambda refined: refined[1])[0]

    def _refined(self, bad: Tensor) -> tuple[Tensor, float]:
        """Labels (C,) that no turn by the pull at their limit improves, and their squared bias."""
        best, largest = bad, -1.0
        for _ in range(REFINEMENTS):
            limit = replace(
                self, labels=bradley_terry, channel=randomized_response, estimated=as_fitted,
                adversary=always(bad),
            ).limit  # fmt: skip
            if (size := self._risk(limit - self.world.theta)) <= largest * (1 + 1e-9):
                break
            best, largest = bad, size
            pull, metric = self._pull(limit)
            bad = _signs(pull @ (metric @ (limit - self.world.theta)))
        return best, largest

    @cached_property
    def first_order_bad_mean(self) -> Tensor:
        """(C,) ±1 labels of the adversary with the largest first-order squared bias found.

        b ← sign of its own effect, from 64 fixed directions and their opposites; exact for d = 1.
        """
        pull, metric = self._pull()
        rng = np.random.Generator(np.random.Philox(key=5))
        starts = torch.from_numpy(rng.standard_normal((STARTS, len(metric))))
        bad = _signs(torch.cat([starts, -starts]) @ pull.T)
        for _ in range(ASCENTS):
            turned = _signs(self.influence(bad) @ metric @ pull.T)
            if torch.equal(turned, bad):
                break
            bad = turned
        bias = self.influence(bad)
        return bad[((bias @ metric) * bias).sum(-1).argmax()]

    @cached_property
    def win_prob(self) -> Tensor:
        """(C,) P(z = +1) of a report.

        What another law or channel changes is added to the printed formula, so that with the
        printed ones every digit stays.
        """
        clean = torch.tanh(self.world.reward_diff / 2)
        drawn = clean + 2 * (self.labels((1 + clean) / 2) - bradley_terry((1 + clean) / 2))
        if self.order is Order.CTL:
            mixed = self._mixed(drawn, drawn)
            return self._randomized(mixed) + self._channel_moves(mixed)
        moved = self._channel_moves(drawn)
        mixed = self._mixed(drawn, drawn / privacy_cost(self.epsilon) + 2 * moved)
        return self._randomized(mixed) + (1 - self.corruption) * moved

    def _mixed(self, drawn: Tensor, seen: Tensor) -> Tensor:
        """(C,) debiased mean of reports: the labels drawn, and the adversary's."""
        bad = self.adversary(self, seen)
        return (1 - self.corruption) * drawn + self.corruption * self.reach * bad

    def _randomized(self, mean: Tensor) -> Tensor:
        """P(z = +1) of a debiased mean."""
        return (1 + mean / privacy_cost(self.epsilon)) / 2

    def _channel_moves(self, mean: Tensor) -> Tensor:
        """By how much another channel than randomized response moves P(z = +1)."""
        prob = (1 + mean) / 2
        return self.channel(prob, self.epsilon) - randomized_response(prob, self.epsilon)

    @cached_property
    def limit(self) -> Tensor:
        """(d,) what θ̂ tends to."""
        pairs = POPULATION * self.world.cell_prob[None]
        counts = LabelCounts(pairs, pairs * self.win_prob)
        fitted = minimise_loss(
            self.loss, counts, self.world.feature_diff, self.world.radius, tolerance=1e-13
        )
        return self.estimated(fitted, self.world.theta)[0]

    def squared_bias(self) -> float:
        """Risk of the limit, which no n removes."""
        return self._risk(self.limit - self.world.theta)

    def first_order_squared_bias(self) -> float:
        """The same by the influence function, ∝ α²."""
        return self._risk(self.corruption * self.influence(self.first_order_bad_mean))

    def _risk(self, error: Tensor) -> float:
        return float(error @ self.world.metric @ error)

    @cached_property
    def variance(self) -> float:
        """lim n·(risk − squared bias): trace of the metric and the sandwich A⁻¹·B·A⁻ᵀ."""
        x, prob = self.world.feature_diff, self.world.cell_prob
        s = x @ self.limit
        share = self.loss.share(LabelCounts(torch.ones_like(s), self.win_prob))
        weight, miss = self.loss.weight(s), share - torch.sigmoid(s)
        turn = (self.loss.weight(s + 1e-5) - self.loss.weight(s - 1e-5)) / 2e-5
        slope = torch.sigmoid(s) * torch.sigmoid(-s)
        bread = torch.einsum("c,ci,cj->ij", prob * (weight * slope - turn * miss), x, x)
        noise = self.loss.removed_cost**2 * self.win_prob * (1 - self.win_prob) + miss.square()
        meat = torch.einsum("c,ci,cj->ij", prob * weight.square() * noise, x, x)
        inverse = torch.linalg.inv(bread)
        return float(torch.trace(self.world.metric @ inverse @ meat @ inverse.T))

    def risk(self, n_pairs: float) -> float:
        """Predicted risk at n labels."""
        return self.squared_bias() + self.variance / n_pairs


def _signs(effect: Tensor) -> Tensor:
    """Labels ±1 on the side of their effect, +1 where they have none."""
    return 2 * (effect >= 0).to(effect.dtype) - 1


def draw_counts(
    risk: LossRisk, n_pairs: int, rng: np.random.Generator, replicates: int
) -> LabelCounts:
    """Datasets of n labels under the setting's adversary; ties are drawn and dropped."""
    prob = risk.world.cell_prob.numpy()
    rest = max(0.0, 1.0 - float(prob.sum()))
    pairs = rng.multinomial(n_pairs, np.append(prob, rest), size=replicates)[:, :-1]
    wins = rng.binomial(pairs, risk.win_prob.numpy())
    return LabelCounts(
        torch.from_numpy(pairs.astype(np.float64)), torch.from_numpy(wins.astype(np.float64))
    )


def simulate_risk(
    risk: LossRisk,
    n_pairs: int,
    rng: np.random.Generator,
    replicates: int,
    minimised: type[LabelLoss] | None = None,
) -> np.ndarray:
    """(R,) squared error of reward differences on datasets of n labels.

    Args:
        risk: the setting, with the adversary against its own loss.
        n_pairs: n.
        rng: the block's stream.
        replicates: R.
        minimised: the kind of loss that is minimised, the setting's unless given.
    """
    world = risk.world
    counts = draw_counts(risk, n_pairs, rng, replicates)
    loss = (minimised or risk.kind)(risk.epsilon)
    fitted = minimise_loss(loss, counts, world.feature_diff, world.radius)
    error = risk.estimated(fitted, world.theta) - world.theta
    return torch.einsum("ri,ij,rj->r", error, world.metric, error).numpy()
