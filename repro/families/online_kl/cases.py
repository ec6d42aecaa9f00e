"""From a grid point of P1's online results to its case."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import torch

from repro.base.schema import GridRatio, Model, Positive, Probability
from repro.corruption.label_mean import NOBODY, Adversary
from repro.corruption.orders import Order
from repro.pokl.bonus import confidence_weight
from repro.pokl.linear import LinearClass
from repro.families.online_kl.algorithms_pokl import Game
from repro.pokl.chosen import ChosenClass
from repro.families.online_kl.run_setting import RewardsOn, RunSetting, make_batch
from repro.pokl.instances import OnlineChoice, online_world, replaced
from repro.instances.assumptions import realizable_and_covered
from repro.instances.choices import instance_choice
from repro.instances.linear import LinearWorld
from repro.policies.reward_class import BALL, RewardClass
from repro.preferences.label_law import Estimate, as_fitted
from repro.study.case import Point
from repro.study.config import Overrides, Probe, Probes
from repro.study.experiment import Experiment, Setting
from repro.study.label_cases import LabelCase
from repro.study.row import INSTANCE, Row

BonusWeight = Callable[[float, float, float, int, float], float]
"""(B, ε, log N, T, δ) → Γ_T."""


class Exploration(Model):
    """What Algorithm 2 leaves free: δ, τ, λ, the simulator's grid, and the constant c.

    ``scale`` is 1 unless given: the proof of Lemma C.3 has a constant of its own.
    """

    failure_prob: Probability
    net_radius: Positive
    ridge: Positive
    grid_ratio: GridRatio
    scale: Positive = 1.0

    @property
    def weight(self) -> BonusWeight:
        """Γ_T as printed, with the constant c."""
        return partial(confidence_weight, scale=self.scale)


class OnlineProbes(Probes):
    """Probes, what the algorithm leaves free, and the built worlds by name."""

    exploration: Exploration
    worlds: dict[str, OnlineChoice] = {}


@dataclass(frozen=True, eq=False, kw_only=True)
class OnlineCase(LabelCase):
    """One grid point of online learning, stage by stage.

    Attributes:
        world: the truth.
        exploration: what the algorithm leaves free.
        longest: the horizon that Γ_T is set for, where a sweep of T observes one long run.
        weight: how Γ_T follows from the horizon.
        rewards: the class that is fitted, and whose size Γ_T counts.
        class_size: N of the finite class, for methods that fit one in its place.
        bonus_cap: the bonus is at most this (1 as printed).
        adversary: who corrupts them.
        order: whether before (CTL) or after (LTC) they are randomized.
        bonus: multiple of the bonus: 1 as printed, 0 none, −1 reversed.
        estimate: (fitted, truth) → what least squares returns.
    """

    world: LinearWorld
    exploration: Exploration
    longest: int
    weight: BonusWeight
    rewards: RewardsOn = LinearClass
    class_size: int = 0
    bonus_cap: float = 1.0
    adversary: Adversary = NOBODY
    idle_adversary: ClassVar[Any] = NOBODY
    order: Order = Order.CTL
    bonus: float = 1.0
    estimate: Estimate = as_fitted

    def bonus_weight(self, horizon: int) -> float:
        """Γ_T for a horizon."""
        e, world = self.exploration, self.world
        size = self.rewards(world).log_size(e.net_radius)
        return self.weight(world.reward_bound, self.epsilon, size, horizon, e.failure_prob)

    @property
    def setting(self) -> RunSetting:
        """Algorithm 2's setting: Γ_T for the longest horizon, constant along the run."""
        return RunSetting(
            self.epsilon, self.world.kl_weight, self.bonus_weight(self.longest),
            self.bonus_cap, self.exploration.ridge, rewards=self.rewards, channel=self.channel,
            adversary=self.adversary, order=self.order,
        )  # fmt: skip

    def game(self, settings: list[RunSetting], replicates: int) -> Game:
        """What runs of settings with one reward class play, R each."""
        batch = make_batch(settings, replicates, str(self.world.features.device))
        rewards = settings[0].rewards(self.world)
        return Game(self.world, rewards, batch, self.labels, self.bonus, self.estimate)

    def by_class(self) -> list[dict[str, RunSetting]]:
        """Settings of all methods by the class that they fit, the case's own class last."""
        settings: dict[str, RunSetting] = {m.name: m.run(self) for m in self.methods}
        classes = dict.fromkeys(setting.rewards for setting in settings.values())
        own_last = sorted(classes, key=lambda rewards: rewards == self.rewards)
        return [{n: s for n, s in settings.items() if s.rewards == own} for own in own_last]

    @property
    def shared(self) -> tuple[Hashable, ...]:
        """What cases of one batch must have in common: all but numbers of their settings.

        The linear class does not depend on the truth, so there the truths may differ.
        """
        world = self.world
        classes = tuple(next(iter(own.values())).rewards for own in self.by_class())
        place = (world.features, world.state_prob, world.reference)
        truth = () if set(classes) == {LinearClass} else (world.theta,)
        bytes_of = tuple(tensor.cpu().numpy().tobytes() for tensor in (*place, *truth))
        numbers = (world.radius, world.reward_bound, self.bonus, self.exploration.grid_ratio)
        return (bytes_of, world.features.shape, classes, id(self.labels), id(self.estimate),
                *numbers)  # fmt: skip


def alike(cases: Sequence[OnlineCase]) -> list[list[int]]:
    """Places of the cases that one batch can hold, in order."""
    found: dict[Hashable, list[int]] = {}
    for place, case in enumerate(cases):
        found.setdefault(case.shared, []).append(place)
    return list(found.values())


def joint_game(
    cases: Sequence[OnlineCase], settings: Sequence[list[RunSetting]], replicates: int
) -> Game:
    """What cases that are ``alike`` play in one batch, case by case, R runs of each setting."""
    first, together = cases[0], [one for own in settings for one in own]
    game = first.game(together, replicates)
    if all(torch.equal(case.world.theta, first.world.theta) for case in cases):
        return game
    truths = torch.stack([case.world.theta for case in cases])
    runs_each = len(settings[0]) * replicates
    return replace(game, theta=truths.repeat_interleave(runs_each, dim=0))


class OnlineExperiment(Experiment[OnlineCase]):
    """Sweeps the horizon, ε, or one field of a world."""

    config: OnlineProbes

    def __init__(self, config: OnlineProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        self.failure_prob = config.exploration.failure_prob
        self._choices: dict[str, Model] = {
            **config.worlds,
            INSTANCE: instance_choice(setting.instance),
        }
        self._worlds: dict[Model, LinearWorld] = {}

    def case(self, point: Point) -> OnlineCase:
        """World, T and ε of one grid point."""
        e = self.config.exploration
        return OnlineCase(
            methods=point.methods, epsilon=point.epsilon, horizon=point.horizon,
            world=self.world(point), exploration=e, weight=e.weight,
            longest=int(point.grid[-1]) if point.row.over == "horizon" else point.horizon,
        )  # fmt: skip

    def more_labels(self, row: Row, probe: Probe, given: Overrides) -> float:
        """A run has T labels, and T is the statement's own: nothing is scaled."""
        return 1.0

    def world(self, point: Point) -> LinearWorld:
        """The world of one grid point, built once in a process."""
        choice = self._choices[point.row.on]
        if point.given.kl_weight is not None and "kl_weight" in type(choice).model_fields:
            choice = replaced(choice, kl_weight=point.given.kl_weight)
        if point.row.over in type(choice).model_fields:
            choice = replaced(choice, **{point.row.over: point.value})
        if choice not in self._worlds:
            self._worlds[choice] = online_world(choice, self.setting.device)
        return self._worlds[choice]

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """Fields of the row's world."""
        choice = self._choices.get(row.on)
        return {} if choice is None else {"world_fields": choice.model_dump(mode="json")}


def realizable(case: OnlineCase) -> tuple[tuple[str, bool, str], ...]:
    """Assumption 3.8 and Definition 3.3 of P1."""
    return realizable_and_covered(case.world)


def small_ridge(case: OnlineCase) -> tuple[tuple[str, bool, str], ...]:
    """λ ≤ Γ_T²/2 for the method under test, unless it does not explore."""
    setting: RunSetting = case.methods[0].run(case)
    weight = setting.bonus_weight
    holds = setting.ridge <= weight**2 / 2 or weight == 0
    return (("λ ≤ Γ_T²/2", holds, f"λ = {setting.ridge:.3g}, Γ_T = {weight:.3g}"),)


def with_class(case: OnlineCase, chosen: RewardClass | None) -> OnlineCase:
    """The case with another class of linear rewards, whose B enters Γ_T; None: the ball."""
    if chosen is None:
        return case
    world = replace(case.world, reward_bound=chosen.reward_bound(case.world))
    return replace(case, world=world, rewards=ChosenClass(chosen))


def surrounded(case: OnlineCase) -> tuple[tuple[str, bool, str], ...]:
    """Realizability in a class that was selected, and a neighbourhood, as rates assume."""
    rewards = case.rewards(case.world)
    chosen, theta = getattr(rewards, "chosen", BALL), case.world.theta
    return (
        ("the truth in the selected class", chosen.contains(theta, case.world), str(chosen)),
        ("a neighbourhood of the truth in the selected class",
         chosen.surrounds(theta, case.world), str(chosen)),
    )  # fmt: skip
