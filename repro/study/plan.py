"""The plan of a run: plain, picklable, and enough to redo any of its blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from repro.base.errors import running_theorem
from repro.base.schema import validate
from repro.core.check import SweptCheck, Theorem
from repro.core.door import TheoremNumbers
from repro.core.fingerprint import fingerprint
from repro.study.blocks import Block, content_key
from repro.study.discovery import find
from repro.study.experiment import Budget, Experiment, Setting
from repro.study.parallel import machine
from repro.study.sources import CALLING, MEASURING, code_fingerprint, is_own, refuse_impure


@dataclass(frozen=True)
class Plan:
    """Everything a worker needs to redo any block; plain and picklable.

    Attributes:
        slug: the theorem.
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
    def theorem(self) -> Theorem:
        """What is claimed."""
        return find(self.slug, self.folder)

    @running_theorem()
    def estimate(self) -> str:
        """What measuring all blocks would need, in words; nothing where it cannot be told."""
        experiment = built(self)
        points = {
            check.name: self.budget.blocks * self.replicates(check) for check in experiment.swept
        }
        return experiment.estimate(points)

    def replicates(self, swept: SweptCheck) -> int:
        """Replicates in one block of a check."""
        times = swept.sweep.replicates
        return max(1, round(self.budget.replicates * times / self.budget.blocks))

    def with_controls(self, swept: SweptCheck) -> int:
        """How many blocks of a check, from the first, measure its controls too."""
        budget = self.budget
        return swept.with_controls(budget.blocks, self.replicates(swept), budget.replicates)


@running_theorem()
def built(plan: Plan) -> Experiment:
    """The plan's experiment with its checks on their worlds, once in a process.

    Raises:
        BadInput: a config value is out of range, or ``only`` names a check that there is not.
    """
    return _built(_ByContent(plan))


@lru_cache(maxsize=4)
def _built(key: _ByContent) -> Experiment:
    plan = key.plan
    numbers = validate(TheoremNumbers, plan.config, "theorem")
    experiment = Experiment(plan.theorem, numbers, plan.setting, plan.only)
    _ = experiment.swept  # what cannot be built is refused here
    return experiment


class _ByContent:
    """A plan that equals another of the same content, so that its worlds are built once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        # the config, plain values and most of a plan, is told apart by its words, twice as fast
        self._key = repr(plan.config), fingerprint(replace(plan, config={}))

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByContent) and self._key == other._key


def blocks_of(plan: Plan) -> list[Block]:
    """All blocks of a plan, in a fixed order; the key of each holds all that its numbers hold.

    An exact or proved check has one block, with one key whatever the seed: nothing is drawn.
    """
    setting = plan.setting
    # an object that is chosen for a field of the worlds may be of any module of the engine
    engine = MEASURING if setting.stages or setting.chosen else CALLING
    common = {
        "code": code_fingerprint(plan.theorem.module, engine),
        "machine": machine(),
        "slug": plan.slug,
        "device": setting.device,
    }
    return [
        Block(index, among[0], content_key({**common, **own, **drawn}), len(among), alone)
        for index, swept in enumerate(built(plan).swept)
        for alone, part, begin, end in _parts(plan, swept)
        for own in [_check_key(plan, part)]
        for among in part.calls(end, plan.replicates(swept), begin)
        for drawn in [
            {"seed": plan.seed, "block": among[0], "count": len(among)}
            if swept.check.quantity.draws
            else {}
        ]
    ]


def _parts(plan: Plan, swept: SweptCheck) -> Iterator[tuple[bool, SweptCheck, int, int]]:
    """Whether controls are left out, the check so, its first block, and that behind its last."""
    last, first = plan.budget.blocks, plan.with_controls(swept)
    yield False, swept, 0, first
    if first < last:
        yield True, swept.alone, first, last


def _check_key(plan: Plan, swept: SweptCheck) -> Mapping[str, object]:
    return {
        "check": swept.name,
        "content": swept.identity,
        "replicates": plan.replicates(swept),
    }


def measure_block(plan: Plan, block: Block) -> np.ndarray:
    """(G, algorithms, blocks, replicates) of one block, or some in a row: pure in its arguments.

    Where nothing was drawn the values are those of every block and of every seed, and are kept.

    Raises:
        BrokenTheorem: a check that says that it is exact or proved has drawn.
    """
    experiment = built(plan)
    whole = experiment.swept[block.check]
    swept = whole.alone if block.alone else whole
    replicates = plan.replicates(swept)
    size, device = (block.count, replicates), plan.setting.device
    undrawn = _undrawn(plan.theorem, swept.name, device, size, swept.identity)
    if undrawn:
        return undrawn[0].copy()
    own = is_own(plan.theorem)

    def measured(numbers: range) -> tuple[np.ndarray, bool]:
        with experiment.building():
            return swept.blocks_and_draws(plan.slug, plan.seed, numbers, replicates)

    values, drew = measured(range(block.block, block.block + block.count))
    if own and block.block == 0:
        refuse_impure(swept, values, drew, lambda: measured(range(1))[0])
    if not drew:
        undrawn.append(values.copy())
    return values


@lru_cache(maxsize=1024)
def _undrawn(*content: object) -> list[np.ndarray]:
    """Where the values of a check that draws nothing are kept, by all that they depend on."""
    return []
