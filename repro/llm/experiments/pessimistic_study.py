"""P1's pipeline, seed by seed: a private reward model, pessimism, and a policy.

The policy is π ∝ π_ref·exp((r − Γ)/kl_weight) itself, by exact reweighting of K responses of the
reference, or one that RLOO trains step by step, where the paper takes PPO.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple

import numpy as np
import torch
from scipy.special import comb
from torch import Tensor

from repro.base.notation import privacy_cost
from repro.llm.experiments.judges import length_controlled, wins
from repro.llm.experiments.pessimism import FeatureBonus, feature_bonus, gibbs_weights
from repro.llm.experiments.release_study import LONGEST_OF, SimulatedRelease
from repro.llm.experiments.reward_head import FeatureMap, RewardModel, fitted_head, with_backbone
from repro.llm.experiments.study import Study, ranking_accuracy
from repro.llm.training.encoding import encode
from repro.llm.training.losses import mixture_loss
from repro.llm.training.policy_gradient import optimised_policy
from repro.llm.training.trainers import run_key

Texts = Sequence[str]


@dataclass(frozen=True)
class Drawn:
    """K responses of the reference to each of P prompts, and K it is compared with.

    Attributes:
        prompts: (P,) texts.
        ours, theirs: (P, K) responses.
        won: (P, K) share of ``theirs`` that each of ``ours`` beats, in both orders.
    """

    prompts: tuple[str, ...]
    ours: list[list[str]]
    theirs: list[list[str]]
    won: np.ndarray

    @property
    def compared(self) -> tuple[list[str], list[str], list[str]]:
        """(P·K,) prompts, responses and the ones they are compared with, one by one."""
        prompts = [prompt for prompt in self.prompts for _ in self.ours[0]]
        return prompts, list(chain(*self.ours)), list(chain(*self.theirs))


class Optimised(NamedTuple):
    """What a policy of RLOO reaches, and how it came there.

    Attributes:
        win_rate: against the fine-tuned model, in both orders.
        at_equal_length: the same at equal length.
        reward: (I,) mean reward of what is drawn, pessimism taken off, by iteration.
        policy_loss: (I,) P1's, of whole responses.
        baseline_error: (I,) squared error of RLOO's baseline, which stands for the value loss.
    """

    win_rate: float
    at_equal_length: float
    reward: np.ndarray
    policy_loss: np.ndarray
    baseline_error: np.ndarray


@lru_cache(maxsize=2)
def feature_map(study: Study) -> FeatureMap:
    """Features of the fine-tuned model on the pairs to train on, once for all seeds."""
    reference, pooling = study.reference, study.procedure.reward.pooling
    own = reference.model, reference.pairs, pooling
    return FeatureMap.of(*own, study.scoring_batch, study.device)


@lru_cache(maxsize=64)
def drawn(study: Study, seed: int) -> Drawn:
    """K and K responses of the fine-tuned model, judged, once for all checks of a seed."""
    count, prompts = study.procedure.samples, study.prompts
    rows = study.respond(study.reference.model, seed, 2 * count)
    ours, theirs = [row[:count] for row in rows], [row[count:] for row in rows]
    rows = zip(prompts, ours, theirs, strict=True)
    flat = [(prompt, a, b) for prompt, left, right in rows for a in left for b in right]
    won = wins(study.judge, *map(list, zip(*flat, strict=True)))
    return Drawn(prompts, ours, theirs, won.reshape(len(prompts), count, count).mean(2))


@lru_cache(maxsize=64)
def drawn_features(study: Study, seed: int) -> Tensor:
    """(P·K, d) features of K responses drawn, once for all heads on the fine-tuned model."""
    return features_of(feature_map(study), study, *drawn(study, seed).compared[:2])


def features_of(features: FeatureMap, study: Study, prompts: Texts, texts: Texts) -> Tensor:
    """(n, d) features of responses."""
    return features(encode(study.backbone.tokenizer, prompts, texts, study.data))


@dataclass(frozen=True, eq=False, kw_only=True)
class PessimisticRelease(SimulatedRelease):
    """What P1's learner has of one seed, on a study whose procedure is pessimistic.

    Attributes:
        pessimism: multiple of Γ that is taken off: 1 as printed, 0 none, −1 reversed.
    """

    pessimism: float

    @property
    def kl_weight(self) -> float:
        """β of the DPO baseline."""
        return self.study.procedure.dpo_kl_weight

    @property
    def reward(self) -> RewardModel:
        """By P1's eq. 9."""
        study, order, labels = self.study, self.seed.order, self.labels
        features, training = feature_map(study), study.procedure.reward
        key = run_key(self.epsilon, order, study.procedure, study.data, labels.tolist())
        loss = partial(mixture_loss, epsilon=self.epsilon)

        def found() -> list[float]:
            first, second = features.first, features.second
            return fitted_head(first, second, labels, loss, training).tolist()

        head = torch.tensor(self._once(found, f"head-{key}", len(features.centre))).float()
        return with_backbone(
            study.reference, features, head, labels, loss, training, order,
            study.folder and study.folder / f"reward-{key}",
        )  # fmt: skip

    def reward_accuracy(self, model: RewardModel) -> float:
        """Ranking accuracy on held-out pairs, honest of its name."""
        return ranking_accuracy(self._held_out(model), self.study.splits.held_out.labels)

    def reward_margin(self, model: RewardModel) -> float:
        """Mean reward difference in favour of the held-out label."""
        signed = self._held_out(model).double() * self.study.splits.held_out.labels
        return float(signed.mean())

    def _held_out(self, model: RewardModel) -> Tensor:
        pairs, features = self.study.held_out, model.features
        first, second = features(pairs.first), features(pairs.second)
        return model.of_features(first) - model.of_features(second)

    @property
    def drawn(self) -> Drawn:
        """Responses of the reference and the judge's word on them."""
        return drawn(self.study, self.seed.draw)

    @property
    def bonus(self) -> FeatureBonus:
        """Γ of the pairs at ε: the coefficient times c(ε)."""
        own, features = self.study.procedure.reward, feature_map(self.study)
        coefficient = own.coefficient * privacy_cost(self.epsilon)
        return feature_bonus(features.first, features.second, own.ridge, coefficient)

    def weights(self, model: RewardModel, bonus: FeatureBonus | None = None) -> np.ndarray:
        """(P, K) weights of the pessimistic policy on the responses drawn; Γ is that of all pairs
        unless given.
        """
        if model.features is feature_map(self.study):
            features = drawn_features(self.study, self.seed.draw)
        else:  # of a backbone of its own, which a cache would keep alive
            features = features_of(model.features, self.study, *self.drawn.compared[:2])
        worth = self.worth(model, bonus or self.bonus, features)
        worth = worth.reshape(-1, self.study.procedure.samples)
        return gibbs_weights(worth, self.study.procedure.kl_weight).numpy()

    def worth(self, model: RewardModel, bonus: FeatureBonus, features: Tensor) -> Tensor:
        """(n,) reward of responses with features (n, d), pessimism taken off."""
        return model.of_features(features).double() - self.pessimism * bonus(features)

    def optimised(self, model: RewardModel, sign: float = 1.0) -> Optimised:
        """The policy that RLOO trains against a reward, and what it reaches.

        Args:
            model: the reward.
            sign: −1 is wrong: the reward is minimised.

        Raises:
            Diverged: its steps blow up.
        """
        study, own, size = (
            self.study,
            self.study.procedure,
            self.study.procedure.rollouts.iterations,
        )
        words = self.epsilon, sign, self.pessimism, own, study.data
        key = run_key("rloo", *words, model.head.tolist())

        def found() -> list[float]:
            bonus = self.bonus

            def reward(prompts: Texts, texts: Texts) -> Tensor:
                features = features_of(model.features, study, prompts, texts)
                return sign * self.worth(model, bonus, features)

            policy, curve = optimised_policy(
                copy.deepcopy(study.reference.model).requires_grad_(True),
                study.backbone.tokenizer, study.splits.train.prompts, reward,
                own.rollouts, own.kl_weight, own.sampling, study.data, self.seed.draw, study.device,
            )  # fmt: skip
            curves = torch.stack([sign * curve.reward, curve.policy_loss, curve.baseline_error])
            return [*self.win_rates(self.responses(policy)), *curves.flatten().tolist()]

        won, level, *curves = self._once(found, key, 2 + 3 * size).tolist()
        return Optimised(won, level, *np.array(curves).reshape(3, size))

    def longest_weights(self) -> np.ndarray:
        """(P, K) weights of the trivial policy: how often each is the longest of four of the K."""
        lengths = np.array([[len(text) for text in row] for row in self.drawn.ours])
        few, shorter = min(LONGEST_OF, lengths.shape[1]), lengths.argsort(1).argsort(1)
        return np.asarray(comb(shorter, few - 1) / comb(lengths.shape[1], few))

    def win_rate(self, weights: np.ndarray) -> float:
        """Mean chance of a response of the policy to beat one of the reference."""
        return float((weights * self.drawn.won).sum(1).mean())

    def controlled(self, weights: np.ndarray) -> float:
        """The same at equal length."""
        rows = self.drawn.compared
        won = wins(self.study.judge, *rows)
        return length_controlled(won, *rows[1:], weights.ravel())


def bonus_size(features: FeatureMap, some: Tensor, ridge: float, shrinks: bool = True) -> float:
    """Mean Γ at coefficient 1 of all responses, from some of the pairs.

    Args:
        features: of all pairs.
        some: (m,) indices of the pairs that Γ is made of.
        ridge: as in ``feature_bonus``.
        shrinks: False is wrong: the covariance in the place of the sum, so that more pairs bring
            no more certainty.
    """
    scale = 1.0 if shrinks else len(some) ** -0.5
    bonus = feature_bonus(features.first[some] * scale, features.second[some] * scale, ridge, 1.0)
    seen = torch.cat([features.first, features.second]).double()
    return float(FeatureBonus(bonus.factor, seen.mean(0), 1.0)(seen).mean())
