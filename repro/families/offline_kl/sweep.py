"""Sweeps over the worlds of P1's offline results: a check and a grid value make a world."""

from __future__ import annotations

from typing import Any

from repro.instances.build import World, build_world
from repro.instances.choices import AnyChoice, Choice, at, instance_choice
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, Row, SweepConfig, SweepExperiment


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

    def more_labels(self, row: Row, claim: Any) -> float:
        """Also (own kl_weight/given)² where a smaller weight makes errors count for more."""
        given = self.setting.overrides.kl_weight if row.world == INSTANCE else None
        own = getattr(self._choices[row.world], "kl_weight", None)
        more = 1.0 if given is None or own is None else max(1.0, own / given) ** 2
        return more * super().more_labels(row, claim)

    def world(self, check: Check, value: float) -> World:
        """The world of one grid point, built once a process.

        A top-level kl_weight applies to the instance; built worlds are tied to their own.
        """
        choice = self._choices[str(check.settings["world"])]
        given = self.setting.overrides.kl_weight
        if given is not None and check.settings["world"] == INSTANCE:
            choice = at(choice, kl_weight=given)
        if check.axis in type(choice).model_fields:
            choice = at(choice, **{check.axis: value})
        if choice not in self._worlds:
            self._worlds[choice] = build_world(choice, self.setting.cache, self.setting.device)
        return self._worlds[choice]
