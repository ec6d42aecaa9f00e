"""The hypercube of P1's Theorem 4.5 with its reward difference b just below B, at every B.

There b = kl_weight·log(C−1), so kl_weight follows B, and π* plays both responses alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from repro.base.errors import BadInput
from repro.base.schema import Count, Finite, Model, Positive, RewardBound
from repro.families.offline_kl.cases import LabelledPoint, OfflineCase
from repro.instances.two_arms import TwoArmWorld, hypercube_world
from repro.study.case import Case, Point
from repro.study.config import Probes
from repro.study.experiment import Experiment, Setting
from repro.study.row import Row


class NearBound(Model):
    """A hypercube whose difference is B − room.

    Attributes:
        num_states: S.
        coverage: C > 2; π_ref(−1|s) = 1/C.
        reward_bound: B, where it is not swept.
        room: B − b, so that the class does not cut the estimate.
    """

    num_states: Count
    coverage: Annotated[Finite, Field(gt=2)]
    reward_bound: RewardBound
    room: Positive


class Constants(Model):
    """What the bonus leaves free: δ and τ."""

    failure_prob: Annotated[Positive, Field(lt=1)]
    net_radius: Positive


class NearBoundProbes(Probes):
    """Probes, the hypercubes by name, and δ and τ of the bonus."""

    worlds: dict[str, NearBound]
    bonus: Constants


class NearBoundExperiment(Experiment[Case]):
    """Rows on a hypercube near its bound, and rows on random cases."""

    config_type = NearBoundProbes
    config: NearBoundProbes

    def __init__(self, config: NearBoundProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        self.failure_prob = config.bonus.failure_prob

    def case(self, point: Point) -> Case:
        """The hypercube of a grid point, or the swept value of random cases."""
        world = self.config.worlds.get(point.row.on)
        if world is None:
            return LabelledPoint(methods=point.methods, value=point.value)
        exponent = -math.log(self.failure_prob)
        delta = math.exp(-point.swept("log_inverse_delta", exponent))
        return OfflineCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
            world=near_bound(world, point, self.setting.device),
            failure_prob=delta,
            net_radius=self.config.bonus.net_radius, scale=1.0,
        )  # fmt: skip

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """Fields of the row's hypercube."""
        world = self.config.worlds.get(row.on)
        return {} if world is None else {"world_fields": world.model_dump(mode="json")}


def near_bound(world: NearBound, point: Point, device: str) -> TwoArmWorld:
    """The hypercube with the swept number in place.

    Raises:
        BadInput: no difference is left below the bound.
    """
    coverage = point.swept("coverage", world.coverage)
    reward_bound = point.swept("reward_bound", world.reward_bound)
    if world.room >= reward_bound:
        key = f"theorem.worlds.{point.row.on}.room"
        raise BadInput(key, world.room, f"allowed: below the reward bound {reward_bound:g}")
    return hypercube_world(
        num_states=int(point.swept("num_states", world.num_states)),
        coverage=coverage,
        kl_weight=(reward_bound - world.room) / math.log(coverage - 1),
        reward_bound=reward_bound,
        tilt=0.0,
        device=device,
    )
