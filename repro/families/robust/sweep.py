"""Sweeps over the worlds of P4: a check and a grid value make a world of label cells.

An adversary that a sweep has no place for is refused before anything is written.
"""

from __future__ import annotations

from collections.abc import Callable

from repro.base.errors import BadInput, nearest
from repro.corruption.budget import flip_budget
from repro.families.robust.adversaries_huber import MAX_CELLS
from repro.families.robust.algorithms_estimation import ADVERSARIES
from repro.families.robust.worlds_pairs import (
    AnyPairChoice,
    PairWorld,
    build_pair_world,
    pair_choice_at,
    pairs_of,
)
from repro.instances.build import build_world
from repro.instances.choices import instance_choice
from repro.instances.linear import LinearWorld
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import INSTANCE, SweepConfig, SweepExperiment


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


def require_labels(
    experiment: SweepExperiment, share_of: Callable[[Check, float], float | None]
) -> None:
    """Every corrupted grid point has a budget of at least one label.

    Args:
        experiment: whose checks have n and a corruption.
        share_of: α of a check at a grid value; None where nobody corrupts.

    Raises:
        BadInput: ⌊αn⌋ would be 0 with α > 0, or α lies outside [0, ½).
    """
    for check in experiment.checks():
        for value in check.grid:
            share = share_of(check, value)
            if share is not None:
                flip_budget(share, experiment.size(check, value)[0])


def require_adversary(key: str, name: str, cells: Callable[[], int]) -> None:
    """The adversary of that name can attack an instance made of label cells.

    Args:
        key: of the config, for the message.
        name: one of ``ADVERSARIES``.
        cells: number of label cells of the instance; called only where it matters.

    Raises:
        BadInput: it is unknown or enumerates too many cells.
    """
    if name not in ADVERSARIES:
        hint = nearest(name, ADVERSARIES)
        raise BadInput(key, name, f"{hint}allowed: {', '.join(ADVERSARIES)}")
    if name == "huber" and cells() > MAX_CELLS:
        raise BadInput(
            key,
            name,
            f"allowed: at most {MAX_CELLS} label cells, the instance has {cells()}",
        )
