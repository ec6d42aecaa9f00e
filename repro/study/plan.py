"""The plan of a run: plain, picklable, and enough to redo any of its blocks."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from repro.base.errors import BadInput, nearest
from repro.base.schema import validate
from repro.study.blocks import Block, code_fingerprint, content_key
from repro.study.checks import Check
from repro.study.config import Budget
from repro.study.experiment import Experiment, Setting, find
from repro.study.stream import stream


@dataclass(frozen=True)
class Plan:
    """Everything a worker needs to redo any block; plain and picklable.

    Attributes:
        slug: the experiment.
        config: its composed config as plain values.
        setting: instance, overrides, device, cache.
        budget: replicates, blocks, resamples.
        seed: the run's seed.
        only: names of the checks to run; None for all.
    """

    slug: str
    config: dict[str, Any]
    setting: Setting
    budget: Budget
    seed: int
    only: tuple[str, ...] | None = None

    def experiment(self) -> Experiment:
        """Build the experiment, checking its config.

        Raises:
            BadInput: a config value is out of range.
        """
        kind = find(self.slug)
        return kind(validate(kind.config_type, self.config, "theorem"), self.setting)

    def checks(self, experiment: Experiment) -> tuple[Check, ...]:
        """The experiment's checks that this plan runs.

        Raises:
            BadInput: ``only`` names a check that there is not.
        """
        checks = experiment.checks()
        known = [check.name for check in checks]
        for name in self.only or ():
            if name not in known:
                raise BadInput("only", name, f"{nearest(name, known)}allowed: {', '.join(known)}")
        return tuple(check for check in checks if self.only is None or check.name in self.only)

    def estimate(self) -> str:
        """What measuring all blocks would need, in words; nothing where it cannot be told."""
        experiment = self.experiment()
        points = {c.name: self.budget.blocks * self.replicates(c) for c in self.checks(experiment)}
        return experiment.estimate(points)

    def key(self) -> str:
        """Content hash of the plan, the code included."""
        return content_key(
            {
                "code": code_fingerprint(_sources(self.slug)),
                "slug": self.slug,
                "config": self.config,
                "overrides": self.setting.overrides.model_dump(),
                "instance": dict(self.setting.instance),
                "device": self.setting.device,
                "seed": self.seed,
            }
        )

    def replicates(self, check: Check) -> int:
        """Replicates in one block of a check."""
        return max(1, round(self.budget.replicates * check.replicate_factor / self.budget.blocks))


def blocks_of(plan: Plan, checks: tuple[Check, ...]) -> list[Block]:
    """All blocks of a plan, in a fixed order."""
    base = plan.key()
    return [
        Block(c, b, content_key({"plan": base, "check": repr(check), "block": b} | size))
        for c, check in enumerate(checks)
        for size in [{"replicates": plan.replicates(check)}]
        for b in range(plan.budget.blocks)
    ]


def measure_block(plan: Plan, block: Block) -> np.ndarray:
    """(G, methods, replicates) of one block: pure in its arguments."""
    experiment, checks = built(plan)
    check = checks[block.check]
    rngs = [
        stream(plan.seed, plan.slug, check.name, float(value), block.block) for value in check.grid
    ]
    found = experiment.measure_grid(check, rngs, plan.replicates(check))
    return np.array([[at[method] for method in check.methods] for at in found], dtype=np.float64)


class _Frozen:
    """A plan hashed by content, so that each worker builds its worlds once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._id = content_key({"p": repr(plan)})

    def __hash__(self) -> int:
        return hash(self._id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Frozen) and self._id == other._id


def built(plan: Plan) -> tuple[Experiment, tuple[Check, ...]]:
    """The plan's experiment and its checks, built once a process."""
    return _built(_Frozen(plan))


@lru_cache(maxsize=4)
def _built(frozen: _Frozen) -> tuple[Experiment, tuple[Check, ...]]:
    experiment = frozen.plan.experiment()
    return experiment, frozen.plan.checks(experiment)


_READERS = ("report", "cli", "catalogue")


def _sources(slug: str) -> list[Path]:
    """Files that can influence an experiment's numbers: the measuring rooms and its own file."""
    root = Path(__file__).parents[1]
    rooms = [p for p in root.rglob("*.py") if p.relative_to(root).parts[0] not in _READERS]
    own = getattr(importlib.import_module(find(slug).__module__), "__file__", None)
    return sorted(rooms) + ([Path(own)] if own else [])
