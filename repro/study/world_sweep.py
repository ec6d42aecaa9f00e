"""Sweeps over the worlds of P1's offline results: a check and a grid value make a world."""

from __future__ import annotations

from repro.instances.build import World, build_world
from repro.instances.choices import AnyChoice, Choice, at, instance_choice
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.sweep import INSTANCE, SweepConfig, SweepExperiment


class WorldSweepConfig(SweepConfig):
    """A sweep experiment with built worlds by name."""

    worlds: dict[str, AnyChoice]


class WorldSweep(SweepExperiment):
    """Sweeps one field of a world, or n, or ε."""

    def __init__(self, config: WorldSweepConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self._choices: dict[str, Choice] = {
            **config.worlds,
            INSTANCE: instance_choice(setting.instance),
        }
        self._worlds: dict[Choice, World] = {}

    def world(self, check: Check, value: float) -> World:
        """The world of one grid point, built once a process."""
        choice = self._choices[str(check.settings["world"])]
        given = self.setting.overrides.kl_weight
        if given is not None and check.axis != "kl_weight":
            choice = at(choice, kl_weight=given)
        if check.axis in type(choice).model_fields:
            choice = at(choice, **{check.axis: value})
        if choice not in self._worlds:
            self._worlds[choice] = build_world(choice, self.setting.cache, self.setting.device)
        return self._worlds[choice]
