"""Sweeps over runs of Algorithm 2 of P1: a check and a grid value make a world and a setting."""

from __future__ import annotations

from repro.base.notation import epsilon_of_cost
from repro.base.schema import Model, Positive, Probability
from repro.families.online_kl.algorithms_bonus import confidence_weight
from repro.families.online_kl.bounds_regret import RegretRate, regret_rate
from repro.families.online_kl.run_batch import RunSetting
from repro.families.online_kl.worlds import OnlineChoice, online_world, replaced
from repro.instances.choices import instance_choice
from repro.instances.linear import LinearWorld
from repro.policies.covering import log_covering_ball
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, SweepConfig, SweepExperiment


class Exploration(Model):
    """What Algorithm 2 leaves free: δ, τ, the constant c, λ, and the simulator's grid."""

    failure_prob: Probability
    net_radius: Positive
    scale: Positive
    ridge: Positive
    grid_ratio: Positive


class OnlineConfig(SweepConfig):
    """A sweep experiment on online worlds by name."""

    exploration: Exploration
    worlds: dict[str, OnlineChoice]


class OnlineSweep(SweepExperiment):
    """Sweeps the horizon, ε, or one field of a world."""

    def __init__(self, config: OnlineConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.exploration = config.exploration
        self.allowed_failure = config.exploration.failure_prob
        self._choices: dict[str, Model] = {
            **config.worlds,
            INSTANCE: instance_choice(setting.instance),
        }
        self._worlds: dict[Model, LinearWorld] = {}

    def world(self, check: Check, value: float) -> LinearWorld:
        """The world of one grid point, built once a process."""
        choice = self._choices[str(check.settings["world"])]
        given = self.setting.overrides.kl_weight
        if given is not None and check.axis != "kl_weight":
            choice = replaced(choice, kl_weight=given)
        if check.axis in type(choice).model_fields:
            choice = replaced(choice, **{check.axis: value})
        if choice not in self._worlds:
            self._worlds[choice] = online_world(choice, self.setting.device)
        return self._worlds[choice]

    def horizon(self, check: Check, value: float) -> int:
        """Number of rounds T of one grid point."""
        return int(value if check.axis == "horizon" else self._fixed(check, "horizon"))

    def size(self, check: Check, value: float) -> tuple[int, float]:
        """Horizon T and budget ε of one grid point."""
        on_cost = check.axis == "privacy_cost"
        epsilon = epsilon_of_cost(value) if on_cost else self._fixed(check, "epsilon")
        return self.horizon(check, value), float(epsilon)

    def longest(self, check: Check, value: float) -> int:
        """The horizon that Γ_T is set for: a sweep of T observes runs to its largest value."""
        return int(check.grid[-1]) if check.axis == "horizon" else self.horizon(check, value)

    def run_setting(self, check: Check, value: float) -> RunSetting:
        """Algorithm 2's setting: Γ_T for the longest horizon of the check, constant along it."""
        world, (_, epsilon) = self.world(check, value), self.size(check, value)
        weight = self.bonus_weight(check, value, self.longest(check, value))
        return RunSetting(epsilon, world.kl_weight, weight, ridge=self.exploration.ridge)

    def bonus_weight(self, check: Check, value: float, horizon: int) -> float:
        """Γ_T for a horizon."""
        world, e = self.world(check, value), self.exploration
        size = self.log_class_size(world)
        _, epsilon = self.size(check, value)
        return confidence_weight(
            world.reward_bound, epsilon, size, horizon, e.failure_prob, e.scale
        )

    def predicted_rate(self, check: Check, value: float) -> RegretRate:
        """The closed form of regret per unit of log T."""
        setting = self.run_setting(check, value)
        world = self.world(check, value)
        return regret_rate(world, setting.epsilon, setting.kl_weight, setting.bonus_weight)

    def log_class_size(self, world: LinearWorld) -> float:
        """log N of a net of the linear class."""
        features = world.features.shape[-1]
        return log_covering_ball(features, world.radius, self.exploration.net_radius)
