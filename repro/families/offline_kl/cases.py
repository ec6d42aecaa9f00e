"""From a grid point of P1's offline results to its case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from repro.instances.assumptions import realizable_and_covered
from repro.instances.build import World, build_world
from repro.instances.choices import AnyChoice, Choice, at, instance_choice
from repro.pessimism.datasets import BuiltLabels, Datasets
from repro.policies.regularisers import KL, Regulariser
from repro.policies.reward_class import BALL, RewardClass
from repro.preferences.label_counts import LabelCounts, draw_label_counts
from repro.preferences.label_law import (
    Channel,
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
    randomized_response,
)
from repro.preferences.label_mixture import RANDOMIZED_RESPONSE, LabelMixture
from repro.preferences.label_process import LabelProcess
from repro.study.case import Point, PointCase
from repro.study.config import Overrides, Probe, Probes
from repro.study.experiment import Assumed, C, Experiment, Setting
from repro.study.label_cases import LabelCase
from repro.study.row import INSTANCE, Evidence, Measure, Method, Row, Values, per_method


class OfflineProbes(Probes):
    """Probes, and the built worlds by name."""

    worlds: dict[str, AnyChoice] = {}


@dataclass(frozen=True, eq=False, kw_only=True)
class WorldCase(LabelCase):
    """One grid point of private labels from a world, stage by stage.

    Attributes:
        world: the truth.
        estimate: (fitted, truth) → what the estimator returns.
    """

    world: World
    estimate: Estimate = as_fitted

    def counts(self, rng: np.random.Generator, replicates: int) -> LabelCounts:
        """(R, C) privatised labels of R datasets of size n."""
        return draw_label_counts(
            rng, self.world.cell_prob, self.world.reward_diff, self.n_pairs, self.epsilon,
            replicates, self.labels, self.channel,
        )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class OfflineCase(WorldCase):
    """One grid point of pessimistic offline learning.

    Attributes:
        failure_prob, net_radius, scale: of the bonus.
        bonus: multiple of the bonus: 1 as printed, 0 none, −1 reversed.
        response: the channel that the learner believes in.
        regulariser: the divergence in the objective.
        reward_class: what the estimate is taken over.
    """

    failure_prob: float = 0.05
    net_radius: float = 1e-15
    scale: float = 0.1
    bonus: float = 1.0
    response: LabelMixture = RANDOMIZED_RESPONSE
    regulariser: Regulariser = KL
    reward_class: RewardClass = BALL

    def draw(self, rng: np.random.Generator, replicates: int) -> Datasets:
        """R datasets of n privatised labels."""
        source = BuiltLabels(
            truth=self.world, n_pairs=self.n_pairs, epsilon=self.epsilon, labels=self.labels,
            channel=self.channel, estimate=self.estimate, failure_prob=self.failure_prob,
            net_radius=self.net_radius, scale=self.scale, pessimism=self.bonus,
            response=self.response, regulariser=self.regulariser, reward_class=self.reward_class,
        )  # fmt: skip
        return source.draw(rng, replicates)


def searched(quantity: str, draw: Callable[[float, np.random.Generator], Any]) -> Measure:
    """Left over right side in random cases: one case per replicate, the same for every method.

    Args:
        quantity: what a method makes of a case.
        draw: (swept value, stream) → a case, which each method's ``run`` takes.
    """

    def ratios(case: PointCase, rng: np.random.Generator, replicates: int) -> Values:
        found = [draw(case.value, rng) for _ in range(replicates)]
        return {m.name: np.array([m.run(one) for one in found]) for m in case.methods}

    return Measure(quantity, ratios, Evidence.SEARCHED)


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledPoint(PointCase):
    """A swept value, and the stages of the label that exact random cases are about.

    Attributes:
        labels: what labels are drawn from.
        channel: who randomizes them; None: whom the case drawn says.
        estimate: (fitted, truth) → what the estimator returns.
    """

    labels: LabelLaw = bradley_terry
    channel: Channel | None = None
    estimate: Estimate = as_fitted

    def process(self, channel: Channel = randomized_response) -> LabelProcess:
        """How a comparison becomes a label where the case drawn names that channel."""
        return LabelProcess(self.labels, self.channel or channel, self.estimate)


def searched_of_labels(quantity: str, draw: Callable[[float, np.random.Generator], Any]) -> Measure:
    """``searched``, with the labels of every case through the stages of the grid point.

    Args:
        quantity: what a method makes of a case.
        draw: (swept value, stream) → a dataclass with ``process``, which each ``run`` takes.
    """

    def ratios(case: LabelledPoint, rng: np.random.Generator, replicates: int) -> Values:
        drawn = [draw(case.value, rng) for _ in range(replicates)]
        found = [replace(one, process=case.process(one.process.channel)) for one in drawn]
        return {m.name: np.array([m.run(one) for one in found]) for m in case.methods}

    return Measure(quantity, ratios, Evidence.SEARCHED)


def computed_over(quantity: str, cases: Callable[[float], Iterable[Any]]) -> Measure:
    """The largest left over right side in a fixed list of cases: one closed form over another.

    Args:
        quantity: what a method makes of a case.
        cases: swept value → what each method's ``run`` takes.
    """

    def largest(case: PointCase, m: Method, rng: np.random.Generator, replicates: int) -> float:
        return max(m.run(one) for one in cases(case.value))

    return Measure(quantity, per_method(largest), Evidence.COMPUTED)


class OfflineExperiment(Experiment[C]):
    """Sweeps one field of a world, or n, or ε."""

    config: OfflineProbes

    def __init__(self, config: OfflineProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        self._choices: dict[str, Choice] = {
            **config.worlds,
            INSTANCE: instance_choice(setting.instance),
        }
        self._worlds: dict[Choice, World] = {}

    def more_labels(self, row: Row, probe: Probe, given: Overrides) -> float:
        """Also (own kl_weight/given)² where a smaller weight makes errors count for more."""
        own = getattr(self._choices.get(row.on), "kl_weight", None)
        weight = given.kl_weight if row.on == INSTANCE else None
        more = 1.0 if weight is None or own is None else max(1.0, own / weight) ** 2
        return more * super().more_labels(row, probe, given)

    def world(self, point: Point) -> World:
        """The world of one grid point, built once in a process.

        A top-level kl_weight applies to the instance; built worlds are tied to their own.
        """
        choice = self._choices[point.row.on]
        if point.given.kl_weight is not None and point.row.on == INSTANCE:
            choice = at(choice, kl_weight=point.given.kl_weight)
        if point.row.over in type(choice).model_fields:
            choice = at(choice, **{point.row.over: point.value})
        if choice not in self._worlds:
            self._worlds[choice] = build_world(choice, self.setting.cache, self.setting.device)
        return self._worlds[choice]

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """Fields of the row's world."""
        return {"world_fields": self._choices[row.on].model_dump(mode="json")}


class OfWorld(Protocol):
    """A case on a world with a known truth."""

    @property
    def world(self) -> World: ...


def realizable(case: OfWorld) -> Iterable[Assumed]:
    """Assumption 3.8 and Definition 3.3 of P1."""
    return realizable_and_covered(case.world)
