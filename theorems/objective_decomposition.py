"""P1 Lemmas A.7, B.2 and C.5: how the gap of a Gibbs policy follows from its reward's error.

Statements (arXiv 2510.13512), for the Gibbs policy π_g of a reward g and β = 1/kl_weight:

    A.7   J(π_r) = J(π_{r−b}) for every bias b(s);
    B.2   g ≤ r* everywhere:  J(π*) − J(π_g) ≤ β·E_{π*}[(g − r*)²];
    C.5   g ≥ r* everywhere:  J(π*) − J(π_g) ≤ β·E_{π_g}[(g − r*)²].

Testable exactly, instance by instance: a check reports the largest left side over right side.  For
small errors the gap is β/2·Var(g − r*), so the ratio nears ½ where a small error sits on a rarely
drawn response; the printed constant 1 is twice what is seen.

The controls drop what the lemma needs: the sign is reversed, or the bias depends on the response.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from repro.base.schema import Count
from repro.core.check import Algorithm, Check, Quantity, Theorem
from repro.core.claims import Inequality
from repro.labels.preferences.label_law import Estimate, as_fitted
from repro.worlds.policies.gibbs import gibbs_policy, gibbs_suboptimality

ROUNDING = 1e-10
"""Rounding allowed in the equality of A.7, relative to rewards of size 2."""


# The worlds: random bandits, and an error with a sign --------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Bandits:
    """Random bandits of one size.

    Attributes:
        num_actions: A.
    """

    num_actions: Count


@dataclass(frozen=True, kw_only=True)
class CautiousBandits(Bandits):
    """With a learner whose reward g is r* and an error that a bonus makes negative.

    Attributes:
        pessimism: multiple of that bonus: 1 all of it, 0 none, −1 reversed.
        estimate: (error of g, 0) → the error that is played with.
    """

    pessimism: float = 1.0
    estimate: Estimate = as_fitted


@dataclass(frozen=True, kw_only=True)
class HopefulBandits(Bandits):
    """With a learner whose reward g is r* and an error that a bonus makes positive.

    Attributes:
        optimism: multiple of that bonus: 1 all of it, 0 none, −1 reversed.
        estimate: (error of g, 0) → the error that is played with.
    """

    optimism: float = 1.0
    estimate: Estimate = as_fitted


@dataclass(frozen=True, eq=False)
class RewardPairs:
    """R random bandits with S states and A responses, a true and another reward each.

    Attributes:
        state_prob: (S,) d₀.
        reference: (R, S, A) π_ref.
        reward: (R, S, A) r*.
        error: (R, S, A) the other reward minus r*.
        kl_weight: (R,) weight of KL.
        shift: (R, S) a bias b(s).
        bonus: multiple of what gives errors their sign: 1 all of it, 0 none, −1 reversed.
        estimate: (signed error, 0) → the error that is played with.
    """

    state_prob: Tensor
    reference: Tensor
    reward: Tensor
    error: Tensor
    kl_weight: Tensor
    shift: Tensor
    bonus: float = 1.0
    estimate: Estimate = as_fitted

    @property
    def below(self) -> Tensor:
        """Errors less the bonus that makes them −|error|: g ≤ r* where the whole of it is taken."""
        return self._played(_below(self.error, self.bonus))

    @property
    def above(self) -> Tensor:
        """The mirror image, for an optimist: g ≥ r*."""
        return self._played(-_below(-self.error, self.bonus))

    def _played(self, error: Tensor) -> Tensor:
        return self.estimate(error, torch.zeros_like(error))


def random_reward_pairs(
    rng: np.random.Generator, replicates: int, num_actions: int, num_states: int = 3
) -> RewardPairs:
    """Draw instances whose errors reach from far below to far above kl_weight.

    Rewards are uniform on [0, 2]; errors have log-uniform sizes from 1e−2 to 30 times kl_weight
    and are spread over all responses, or sit on one of them (half of the instances each).
    """
    shape = (replicates, num_states, num_actions)
    kl_weight = 10 ** rng.uniform(-1.5, 1, replicates)
    size = kl_weight * 10 ** rng.uniform(-2, 1.5, replicates)
    error = rng.uniform(-1, 1, shape)
    singled_out = rng.integers(num_actions, size=(replicates, num_states))
    alone = np.arange(num_actions) == singled_out[..., None]
    spread = rng.random(replicates) < 0.5
    error = np.where(spread[:, None, None] | alone, error, 0.0) * size[:, None, None]
    logits = rng.uniform(0, 3, (replicates, 1, 1)) * rng.standard_normal(shape)
    tensors = (rng.uniform(0, 2, shape), error, kl_weight, rng.uniform(-2, 2, shape[:2]))
    reward, other, weight, shift = (torch.from_numpy(np.asarray(x)) for x in tensors)
    state_prob = torch.full((num_states,), 1 / num_states, dtype=torch.float64)
    reference = torch.softmax(torch.from_numpy(logits), dim=-1)
    return RewardPairs(state_prob, reference, reward, other, weight, shift)


def _below(error: Tensor, bonus: float) -> Tensor:
    return error - bonus * (error.abs() + error)


def bandits(world: Bandits, rng: np.random.Generator, replicates: int) -> RewardPairs:
    """R instances, the same for every algorithm."""
    return random_reward_pairs(rng, replicates, world.num_actions)


def cautious(world: CautiousBandits, rng: np.random.Generator, replicates: int) -> RewardPairs:
    """R instances whose learner is a pessimist."""
    drawn = bandits(world, rng, replicates)
    return replace(drawn, bonus=world.pessimism, estimate=world.estimate)


def hopeful(world: HopefulBandits, rng: np.random.Generator, replicates: int) -> RewardPairs:
    """R instances whose learner is an optimist."""
    drawn = bandits(world, rng, replicates)
    return replace(drawn, bonus=world.optimism, estimate=world.estimate)


# The objective and its gap -----------------------------------------------------------------------


def objective(pairs: RewardPairs, policy: Tensor) -> Tensor:
    """(R,) J(π) = E[r*] − kl_weight·KL(π‖π_ref) (P1, eq. 4)."""
    log_ratio = torch.log(policy / pairs.reference)
    value = pairs.reward - pairs.kl_weight[:, None, None] * log_ratio
    return (torch.where(policy > 0, policy * value, 0.0)).sum(-1) @ pairs.state_prob


def objective_of_reward(pairs: RewardPairs, reward: Tensor) -> Tensor:
    """(R,) J of the Gibbs policy of a reward (R, S, A)."""
    weight = pairs.kl_weight[:, None, None]
    return objective(pairs, gibbs_policy(pairs.reference, reward, weight))


def gap_over_squared_error(pairs: RewardPairs, error: Tensor, under_optimum: bool) -> Tensor:
    """(R,) J(π*) − J(π_g) over E[(g − r*)²]/kl_weight, g = r* + error.

    Args:
        pairs: the instances.
        error: (R, S, A).
        under_optimum: the expectation is under π* (Lemma B.2), not under π_g (Lemma C.5).
    """
    weight = pairs.kl_weight[:, None, None]
    best = gibbs_policy(pairs.reference, pairs.reward, weight)
    played = gibbs_policy(pairs.reference, pairs.reward + error, weight)
    gap = gibbs_suboptimality(best, error / weight, pairs.state_prob, pairs.kl_weight)
    policy = best if under_optimum else played
    squared = (policy * error.square()).sum(-1) @ pairs.state_prob
    return gap * pairs.kl_weight / squared


# Algorithms: left over right side, right, and wrong on purpose ----------------------------------


def shifted_by_state(pairs: RewardPairs) -> Tensor:
    """|J(π_r) − J(π_{r−b})| over what rounding allows (A.7)."""
    return _change(pairs, pairs.shift[..., None])


def shifted_by_response(pairs: RewardPairs) -> Tensor:
    """Wrong: a shift that differs between responses."""
    return _change(pairs, pairs.error)


def _change(pairs: RewardPairs, shift: Tensor) -> Tensor:
    before = objective_of_reward(pairs, pairs.reward + pairs.error)
    after = objective_of_reward(pairs, pairs.reward + pairs.error - shift)
    return (before - after).abs() / (ROUNDING * 2.0)


def pessimistic(pairs: RewardPairs) -> Tensor:
    """Lemma B.2 with g ≤ r*."""
    return gap_over_squared_error(pairs, pairs.below, under_optimum=True)


def pessimistic_without_sign(pairs: RewardPairs) -> Tensor:
    """Wrong: Lemma B.2 with g ≥ r*."""
    return gap_over_squared_error(pairs, pairs.above, under_optimum=True)


def pessimistic_045(pairs: RewardPairs) -> Tensor:
    """Wrong: Lemma B.2 with 0.45, 10 % less than the ½ that is approached."""
    return pessimistic(pairs) / 0.45


def optimistic(pairs: RewardPairs) -> Tensor:
    """Lemma C.5 with g ≥ r*."""
    return gap_over_squared_error(pairs, pairs.above, under_optimum=False)


def optimistic_without_sign(pairs: RewardPairs) -> Tensor:
    """Wrong: Lemma C.5 with g ≤ r*."""
    return gap_over_squared_error(pairs, pairs.below, under_optimum=False)


def optimistic_045(pairs: RewardPairs) -> Tensor:
    """Wrong: Lemma C.5 with 0.45."""
    return optimistic(pairs) / 0.45


# Quantities and claims ---------------------------------------------------------------------------


def of_pairs(world: Bandits, algorithm: Algorithm, pairs: RewardPairs, replicates: int):
    """(R,) ratios."""
    return algorithm(pairs).numpy()


CHANGE = Quantity("change of J / rounding", of_pairs, evidence="computed", drawn=bandits)
SHARE = Quantity("gap / (β·E error²)", of_pairs, evidence="searched")
ANY_REWARD = {
    "labels": "a statement about every reward g: no label is read",
}


def check(
    name: str, claim: str, quantity: Quantity, right: Algorithm, wrong: Sequence[Algorithm],
    lemma: str, **more: Any,
) -> Check:  # fmt: skip
    """A lemma over the number of responses."""
    return Check(name=name, axis="num_actions", claim=Inequality(claim), quantity=quantity,
                 right=right, wrong=wrong, settles=[lemma], **more)  # fmt: skip


THEOREM = Theorem(
    title="P1 Lemmas A.7, B.2, C.5: objective decomposition",
    checks=[
        check("state_bias", "Lemma A.7: a bias b(s) does not change J", CHANGE, shifted_by_state,
              [shifted_by_response], "p1.lem_a_7"),
        check("pessimistic_gap", "Lemma B.2: g ≤ r*, error under π*",
              replace(SHARE, drawn=cautious), pessimistic,
              [pessimistic_without_sign, pessimistic_045], "p1.lem_b_2", blind=ANY_REWARD),
        check("optimistic_gap", "Lemma C.5: g ≥ r*, error under π_g",
              replace(SHARE, drawn=hopeful), optimistic,
              [optimistic_without_sign, optimistic_045], "p1.lem_c_5", blind=ANY_REWARD),
    ],
    worlds={"bandits": Bandits, "cautious": CautiousBandits, "hopeful": HopefulBandits},
)  # fmt: skip
