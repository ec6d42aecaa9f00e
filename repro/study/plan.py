"""The plan of a run: plain, picklable, and enough to redo any of its blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from repro.base.errors import BadInput, nearest
from repro.base.schema import validate
from repro.study.blocks import Block, content_key
from repro.study.checks import Check
from repro.study.config import Budget
from repro.study.discovery import find
from repro.study.experiment import Experiment, Setting
from repro.study.fingerprint import fingerprint
from repro.study.machine import machine
from repro.study.row import Evidence
from repro.study.sources import code_fingerprint
from repro.study.stream import stream
from repro.study.theorem_experiment import CheckTrial
from repro.study.trial import Trial


@dataclass(frozen=True)
class Plan:
    """Everything a worker needs to redo any block; plain and picklable.

    Attributes:
        slug: the experiment.
        config: its composed config as plain values.
        setting: instance, overrides, device, cache, stages.
        budget: replicates, blocks, error rate.
        seed: the run's seed.
        only: names of the checks to run; None for all.
        folder: of the user's theorems; None for the current one.
    """

    slug: str
    config: dict[str, Any]
    setting: Setting
    budget: Budget
    seed: int
    only: tuple[str, ...] | None = None
    folder: Path | None = None

    @property
    def kind(self) -> type[Experiment]:
        """The experiment's class."""
        return find(self.slug, self.folder)

    def estimate(self) -> str:
        """What measuring all blocks would need, in words; nothing where it cannot be told."""
        made = built(self)
        points = {t.check.name: self.budget.blocks * self.replicates(t.check) for t in made.trials}
        return made.experiment.estimate(points)

    def replicates(self, check: Check) -> int:
        """Replicates in one block of a check."""
        return max(1, round(self.budget.replicates * check.replicate_factor / self.budget.blocks))


@dataclass(frozen=True, eq=False)
class Built:
    """A plan's experiment and those of its trials that the plan runs."""

    experiment: Experiment
    trials: tuple[Trial, ...]

    @property
    def checks(self) -> tuple[Check, ...]:
        """What is judged, in order."""
        return tuple(trial.check for trial in self.trials)


def built(plan: Plan) -> Built:
    """The plan's experiment and trials, built once in a process.

    Raises:
        BadInput: a config value is out of range, or ``only`` names a check that there is not.
    """
    return _built(_ByContent(plan))


@lru_cache(maxsize=4)
def _built(key: _ByContent) -> Built:
    plan = key.plan
    kind = plan.kind
    experiment = kind(validate(kind.config_type, plan.config, "theorem"), plan.setting)
    known = [trial.check.name for trial in experiment.trials]
    for name in plan.only or ():
        if name not in known:
            raise BadInput("only", name, f"{nearest(name, known)}allowed: {', '.join(known)}")
    chosen = [t for t in experiment.trials if plan.only is None or t.check.name in plan.only]
    return Built(experiment, tuple(chosen))


class _ByContent:
    """A plan that equals another of the same content, so that its worlds are built once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._key = fingerprint(plan)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByContent) and self._key == other._key


def blocks_of(plan: Plan) -> list[Block]:
    """All blocks of a plan, in a fixed order; the key of each holds all that its numbers hold.

    Blocks of an exact or proved row have one key, whatever the seed: nothing is drawn.
    """
    made = built(plan)
    common = {
        "code": code_fingerprint(type(made.experiment).__module__),
        "machine": machine(),
        "slug": plan.slug,
        "device": plan.setting.device,
    }
    return [
        Block(t, b, content_key({**common, **trial_key, **drawn}))
        for t, trial in enumerate(made.trials)
        for trial_key in [_trial_key(plan, trial)]
        for b in range(plan.budget.blocks)
        for drawn in [{} if _without_draws(trial) else {"seed": plan.seed, "block": b}]
    ]


def _without_draws(trial: Trial) -> bool:
    return trial.row.measure.evidence in (Evidence.EXACT, Evidence.PROVED)


def _trial_key(plan: Plan, trial: Trial) -> Mapping[str, object]:
    return {
        "check": trial.check.name,
        "content": trial.identity,
        "replicates": plan.replicates(trial.check),
    }


def measure_block(plan: Plan, block: Block) -> np.ndarray:
    """(G, methods, replicates) of one block: pure in its arguments.

    Where nothing was drawn the values are those of every block and of every seed, and are kept.

    Raises:
        RuntimeError: a row that says that it is exact or proved has drawn.
    """
    trial, kind = built(plan).trials[block.check], plan.kind
    check, replicates = trial.check, plan.replicates(trial.check)
    undrawn = _undrawn(kind, check.name, plan.setting.device, replicates, trial.identity)
    if undrawn:
        return undrawn[0].copy()
    if isinstance(trial, CheckTrial):
        values, drew = trial.measured(plan.slug, plan.seed, block.block, replicates)
        if not drew:
            undrawn.append(values.copy())
        return values
    draws = trial.row.draws or trial.row.name
    rngs = [stream(plan.seed, plan.slug, draws, float(v), block.block) for v in check.grid]
    before = [_state(rng) for rng in rngs]
    found = trial.measure(rngs, replicates)
    values = np.array([[at[method] for method in check.methods] for at in found], dtype=np.float64)
    if [_state(rng) for rng in rngs] == before:
        undrawn.append(values.copy())
    elif _without_draws(trial):
        raise RuntimeError(f"{check.name} is {trial.row.measure.evidence.value}, and draws")
    return values


@lru_cache(maxsize=1024)
def _undrawn(*content: object) -> list[np.ndarray]:
    """Where the values of a row that draws nothing are kept, by all that they depend on."""
    return []


def _state(rng: np.random.Generator) -> str:
    """Where a stream stands."""
    return fingerprint(rng.bit_generator.state)
