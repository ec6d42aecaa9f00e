"""From a grid point to a case with a channel and a divergence of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import torch
from pydantic import Field, model_validator

from repro.base.schema import (
    Count,
    Finite,
    KLWeight,
    Model,
    Positive,
    Probability,
    RewardBound,
    Share,
)
from repro.families.offline_kl.algorithms_channel_learners import CalibratedProblem
from repro.families.offline_kl.algorithms_rankings import (
    RankingProblem,
    RankingWorld,
    draw_rankings,
    ranking_response,
)
from repro.families.offline_kl.cases import (
    LabelledPoint,
    OfflineCase,
    OfflineExperiment,
    OfflineProbes,
)
from repro.families.offline_kl.worlds_fixed_policy import fixed_policy_world, level_world
from repro.instances.two_arms import TwoArmWorld
from repro.pessimism.datasets import LinearDatasets
from repro.policies.regularisers import KL, Regulariser
from repro.preferences.label_law import Channel, Estimate, LabelLaw, as_fitted, bradley_terry
from repro.preferences.label_mixture import RANDOMIZED_RESPONSE, LabelMixture
from repro.study.case import Case, Point
from repro.study.experiment import Setting
from repro.study.row import Row


class Level(Model):
    """States with two responses as good as each other."""

    num_states: Count
    kl_weight: KLWeight
    reward_bound: RewardBound


class Alike(Model):
    """One state whose two responses π* plays alike."""

    reward_difference: Positive
    reward_bound: RewardBound


class Rankings(Model):
    """One state whose responses are ranked."""

    rewards: Annotated[tuple[Finite, ...], Field(min_length=2, max_length=5)]
    reference: Annotated[tuple[Probability, ...], Field(min_length=2, max_length=5)]
    kl_weight: KLWeight

    @model_validator(mode="after")
    def _one_each(self):
        if len(self.rewards) != len(self.reference):
            raise ValueError(f"as many references as rewards, {len(self.rewards)}")
        return self


class ChannelProbes(OfflineProbes):
    """Probes, worlds by name, and the share of labels that calibrate the channel."""

    level: Level
    alike: Alike
    rankings: Rankings
    calibration_share: Share


@dataclass(frozen=True)
class Setup:
    """What a row's learner faces and knows.

    Attributes:
        response: the channel.
        regulariser: the divergence in the objective.
        build: (config, point, divergence) → the row's world; None: one of the configured worlds.
    """

    response: LabelMixture = RANDOMIZED_RESPONSE
    regulariser: Regulariser = KL
    build: Callable[[ChannelProbes, Point, Regulariser], TwoArmWorld] | None = None


def level(config: ChannelProbes, point: Point, regulariser: Regulariser) -> TwoArmWorld:
    """Rewards that are all alike, at the point's kl_weight."""
    kl_weight = point.swept("kl_weight", config.level.kl_weight)
    return level_world(config.level.num_states, kl_weight, config.level.reward_bound)


def alike(config: ChannelProbes, point: Point, regulariser: Regulariser) -> TwoArmWorld:
    """π* = ½ at the point's coverage."""
    difference, bound = config.alike.reward_difference, config.alike.reward_bound
    return fixed_policy_world(point.swept("coverage", 4.0), difference, bound, regulariser)


@dataclass(frozen=True, eq=False, kw_only=True)
class ChannelCase(OfflineCase):
    """One grid point of labels from a known channel.

    Attributes:
        calibration_share: questions of known answer, as a share of n.
    """

    calibration_share: float

    def calibrated(self, rng: np.random.Generator, replicates: int) -> CalibratedProblem:
        """R datasets with the rates that questions of known answer give, half of each answer."""
        problem = self.draw(rng, replicates)
        assert isinstance(problem, LinearDatasets)
        answers = torch.tensor([0.0, 1.0], dtype=torch.float64)
        chances = self.channel(self.labels(answers), self.epsilon).numpy()
        asked = round(self.calibration_share * self.n_pairs / 2)
        reports = torch.from_numpy(rng.binomial(asked, chances, size=(replicates, 2)) / asked)
        rates = torch.stack([reports[:, 0], reports[:, 1] - reports[:, 0]], dim=-1)
        return CalibratedProblem(**vars(problem), rates=rates)


@dataclass(frozen=True, eq=False, kw_only=True)
class RankingCase(Case):
    """One grid point of reported rankings.

    Attributes:
        world: the truth.
        labels: what rankings are drawn from, by their true probabilities.
        channel: who randomizes them.
        estimate: (fitted, truth) → what the estimator returns.
    """

    world: RankingWorld
    labels: LabelLaw = bradley_terry
    channel: Channel = ranking_response
    estimate: Estimate = as_fitted

    def draw(self, rng: np.random.Generator, replicates: int) -> RankingProblem:
        """R datasets of n reports."""
        law = self.labels(self.world.ranking_prob(self.world.reward))
        released = self.channel(law / law.sum(), self.epsilon)
        counts = draw_rankings(rng, released, self.n_pairs, replicates)
        return RankingProblem(self.world, counts, self.epsilon, self.estimate)


class ChannelExperiment(OfflineExperiment[Case]):
    """Rows with a channel and a divergence each, and rows on random cases."""

    config_type = ChannelProbes
    config: ChannelProbes
    searched_on: str
    ranked_on: str

    def __init__(self, config: ChannelProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        chosen = config.rankings
        reward, reference = (
            torch.tensor(one, dtype=torch.float64) for one in (chosen.rewards, chosen.reference)
        )
        self._ranked = RankingWorld(reward, reference / reference.sum(), chosen.kl_weight)

    def case(self, point: Point) -> Case:
        """World, channel and divergence of a row, a ranking, or the swept value of random cases."""
        if point.row.on == self.searched_on:
            return LabelledPoint(methods=point.methods, value=point.value)
        given: Mapping[str, Any] = {
            "methods": point.methods, "epsilon": point.epsilon, "n_pairs": point.n_pairs,
        }  # fmt: skip
        if point.row.on == self.ranked_on:
            return RankingCase(**given, world=self._ranked)
        setup: Setup = point.row.given
        build = setup.build
        world = build(self.config, point, setup.regulariser) if build else self.world(point)
        return ChannelCase(
            **given, world=world, channel=setup.response,
            response=setup.response, regulariser=setup.regulariser,
            calibration_share=self.config.calibration_share,
        )  # fmt: skip

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """Fields of the row's world, where it is a configured one."""
        return super().world_numbers(row) if row.on in self.config.worlds else {}
