"""Sweeps over the worlds of P4: a check and a grid value make a world of label cells."""

from __future__ import annotations

from repro.families.robust.pair_choices import AnyPairChoice, build_pair_world, pair_choice_at
from repro.families.robust.worlds_pairs import PairWorld, pairs_of
from repro.instances.build import build_world
from repro.instances.choices import instance_choice
from repro.instances.linear import LinearWorld
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.sweep import INSTANCE, SweepConfig, SweepExperiment


class PairSweepConfig(SweepConfig):
    """A sweep experiment with worlds of label cells by name."""

    worlds: dict[str, AnyPairChoice]


class PairSweep(SweepExperiment):
    """Sweeps one field of a world of label cells, or n, or ε."""

    worlds_config: PairSweepConfig

    def __init__(self, config: PairSweepConfig, setting: Setting) -> None:
        super().__init__(config, setting)
        self.worlds_config = config
        self._instance_world: PairWorld | None = None

    def world(self, check: Check, value: float) -> PairWorld:
        """The world of one grid point, built once a process."""
        name = str(check.settings["world"])
        if name == INSTANCE:
            return self.instance_world()
        choice = self.worlds_config.worlds[name]
        if check.axis in type(choice).model_fields:
            value = round(value) if check.axis == "num_features" else value
            choice = pair_choice_at(choice, **{check.axis: value})
        return build_pair_world(choice, self.setting.device)  # type: ignore[arg-type]

    def instance_world(self) -> PairWorld:
        """The label cells of the ``instance`` group's world."""
        if self._instance_world is None:
            choice = instance_choice(self.setting.instance)
            world = build_world(choice, self.setting.cache, self.setting.device)
            assert isinstance(world, LinearWorld)
            self._instance_world = pairs_of(world)
        return self._instance_world
