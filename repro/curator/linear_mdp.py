"""Finite-horizon MDPs with linear rewards: exact occupancies, policies and trajectory pairs (P3).

Two responses (actions) in every state.  States are numbered layer by layer; a deterministic policy
is a choice of the second action or the first at each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import torch
from torch import Tensor

from repro.curator.axis_world import AxisWorld
from repro.curator.comparison_losses import PairLoss
from repro.curator.policy_table import PolicyTable, all_choices
from repro.preferences.label_counts import draw_label_counts
from repro.preferences.label_law import LabelLaw, bradley_terry


@dataclass(frozen=True, eq=False)
class LinearMDP:
    """A layered MDP.

    Attributes:
        start: (S₁,) ρ₀ of the test.
        data_start: (S₁,) initial states of the compared trajectories.
        features: per layer (S_h, 2, d) φ.
        transitions: per layer but the last (S_h, 2, S_{h+1}).
        theta: (d,) θ*.
    """

    start: Tensor
    data_start: Tensor
    features: tuple[Tensor, ...]
    transitions: tuple[Tensor, ...]
    theta: Tensor

    @property
    def horizon(self) -> int:
        """H."""
        return len(self.features)

    @property
    def num_features(self) -> int:
        """d."""
        return len(self.theta)

    @cached_property
    def _layers(self) -> list[int]:
        return [len(layer) for layer in self.features]

    def expected_features(self, chosen: Tensor) -> Tensor:
        """(P, d) Σ_h E[φ(s_h, a_h)] of policies (P, S), exactly, by their occupancies."""
        state = self.start.expand(len(chosen), -1)
        total = torch.zeros(len(chosen), self.num_features, dtype=torch.float64)
        for h, choice in enumerate(chosen.split(self._layers, dim=1)):
            second = choice.double()
            occupancy = state[..., None] * torch.stack([1 - second, second], dim=-1)
            total = total + torch.einsum("psa,sad->pd", occupancy, self.features[h])
            if h + 1 < self.horizon:
                state = torch.einsum("psa,sat->pt", occupancy, self.transitions[h])
        return total

    def best_choices(self, theta: Tensor) -> Tensor:
        """(R, S) optimal policy of the rewards ⟨θ, φ⟩ by backward induction; θ (R, d)."""
        found: list[Tensor] = []
        value = None
        for h in reversed(range(self.horizon)):
            action = torch.einsum("rd,sad->rsa", theta, self.features[h])
            if value is not None:
                action = action + torch.einsum("sat,rt->rsa", self.transitions[h], value)
            found.insert(0, action[..., 1] > action[..., 0])
            value = action.amax(-1)
        return torch.cat(found, dim=1)

    @cached_property
    def optimal_value(self) -> float:
        """max over π of E Σ_h r."""
        best = self.best_choices(self.theta[None])
        return float(self.expected_features(best) @ self.theta)

    def gap(self, chosen: Tensor) -> Tensor:
        """(P,) exact sub-optimality of policies (P, S)."""
        return (self.optimal_value - self.expected_features(chosen) @ self.theta).clamp(min=0)

    def greedy_gap(self, theta: Tensor) -> Tensor:
        """(R,) exact sub-optimality of the policies that are optimal for θ (R, d)."""
        return self.gap(self.best_choices(theta))

    def draw(
        self,
        rng: np.random.Generator,
        n_pairs: int,
        replicates: int,
        labels: LabelLaw = bradley_terry,
    ) -> tuple[PairLoss, Tensor]:
        """R datasets of n compared pairs of trajectories: ℓ_D divided by n, and Σ_D."""
        x, prob = self.trajectory_pairs
        counts = draw_label_counts(
            rng, prob, x @ self.theta, n_pairs, float("inf"), replicates, labels
        )
        loss = PairLoss(x, counts.pairs / n_pairs, counts.wins / n_pairs)
        return loss, loss.covariance

    @cached_property
    def policies(self) -> PolicyTable:
        """All 2^S policies; the reference vector v is that of always taking the first action."""
        chosen = all_choices(sum(self._layers))
        features = self.expected_features(chosen)
        return PolicyTable(features - features[0], self.gap(chosen))

    @cached_property
    def trajectory_pairs(self) -> tuple[Tensor, Tensor]:
        """(C, d) x = Σ_h φ(τ₁) − φ(τ₀) and (C,) probability of each unordered pair.

        Both trajectories start in one state and act uniformly; pairs with x = 0 are left out.
        """
        cells: list[tuple[Tensor, float]] = []
        for state in torch.nonzero(self.data_start).flatten().tolist():
            paths = list(self._paths(state))
            for i, (first, p) in enumerate(paths):
                for second, q in paths[:i]:
                    if not torch.equal(first, second):
                        cells.append((first - second, 2 * p * q * float(self.data_start[state])))
        prob = torch.tensor([p for _, p in cells], dtype=torch.float64)
        return torch.stack([x for x, _ in cells]), prob

    def _paths(self, state: int):
        """Summed features and probability of every trajectory from a first state."""
        layers = [range(size) for size in self._layers[1:]]
        for actions in product((0, 1), repeat=self.horizon):
            for later in product(*layers):
                states, p = (state, *later), 0.5**self.horizon
                for h in range(self.horizon - 1):
                    p *= float(self.transitions[h][states[h], actions[h], states[h + 1]])
                steps = zip(self.features, states, actions, strict=True)
                yield torch.stack([f[s, a] for f, s, a in steps]).sum(0), p


def two_stage_mdp(axis: AxisWorld, later_share: float, tilt: float) -> LinearMDP:
    """An axis world whose responses lead to one of two states with a second choice.

    Args:
        axis: first stage; ``data_prob`` are the initial states of the data, ``test_prob`` ρ₀.
        later_share: each later coordinate of θ* relative to ‖θ*‖ of the first stage.
        tilt: how much likelier a response's own later state is than the other, in (0, 1).
    """
    d = axis.num_features
    first, later = torch.zeros(d, 2, d + 2).double(), torch.zeros(2, 2, d + 2).double()
    half = axis.length / 2
    for s in range(d):
        first[s, 0, s], first[s, 1, s] = -half, half
    for s, size in enumerate((half, 0.9 * half)):
        later[s, 0, d + s], later[s, 1, d + s] = -size, size
    own = (1 - tilt) / 2 + tilt * torch.eye(2, dtype=torch.float64)
    more = later_share * axis.theta.norm().expand(2)
    return LinearMDP(
        axis.test_prob, axis.data_prob, (first, later), (own.expand(d, 2, 2),),
        torch.cat([axis.theta, more]),
    )  # fmt: skip
