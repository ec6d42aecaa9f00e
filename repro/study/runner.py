"""Run an experiment: plan its blocks, do or fetch each, judge every check."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from repro.study.blocks import Block, BlockStore, code_fingerprint, content_key
from repro.study.checks import Check
from repro.schema import validate
from repro.study.config import Budget
from repro.study.experiment import Experiment, Setting, find
from repro.study.judge import judge, worst
from repro.study.results import CheckResult, Result, Series
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
    """

    slug: str
    config: dict[str, Any]
    setting: Setting
    budget: Budget
    seed: int

    def experiment(self) -> Experiment:
        """Build the experiment, checking its config.

        Raises:
            BadInput: a config value is out of range.
        """
        kind = find(self.slug)
        return kind(validate(kind.config_type, self.config, "theorem"), self.setting)

    def key(self) -> str:
        """Content hash of the plan, the code included."""
        return content_key(
            {
                "code": code_fingerprint(*_sources()),
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


Mapper = Callable[[Callable[[Block], np.ndarray], list[Block]], Iterable[tuple[Block, np.ndarray]]]
"""Applies a pure function to blocks, in any order, in this process or others."""


class Interrupted(Exception):
    """The user stopped the run; finished blocks are kept."""

    def __init__(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        super().__init__(f"{done} of {total} blocks are finished and kept")


def blocks_of(plan: Plan, checks: tuple[Check, ...]) -> list[Block]:
    """All blocks of a plan, in a fixed order."""
    base = plan.key()
    return [
        Block(c, p, b, content_key({"plan": base, "check": repr(check), "at": [p, b]} | size))
        for c, check in enumerate(checks)
        for size in [{"replicates": plan.replicates(check)}]
        for p in range(len(check.grid))
        for b in range(plan.budget.blocks)
    ]


def measure_block(plan: Plan, block: Block) -> np.ndarray:
    """(methods, replicates) of one block: pure in its arguments."""
    experiment, checks = _built(_Frozen(plan))
    check = checks[block.check]
    value = check.grid[block.point]
    rng = stream(plan.seed, plan.slug, check.name, float(value), block.block)
    found = experiment.measure(check, value, rng, plan.replicates(check))
    return np.stack([np.asarray(found[method], dtype=np.float64) for method in check.methods])


def run_plan(
    plan: Plan, store: BlockStore, mapper: Mapper, advance: Callable[[int], None]
) -> tuple[tuple[CheckResult, ...], Experiment]:
    """Measure and judge every check of a plan.

    Args:
        plan: what to run.
        store: finished blocks of this and earlier runs.
        mapper: how missing blocks are computed.
        advance: told how many blocks have become available.

    Raises:
        Interrupted: on Ctrl-C, once finished blocks are on disk.
    """
    experiment, checks = _built(_Frozen(plan))
    blocks = blocks_of(plan, checks)
    values = _fetch(plan, checks, blocks, store, advance)
    missing = [block for block in blocks if block not in values]
    with _interruptible(values, len(blocks)):
        for block, found in mapper(_Measure(plan), missing):
            store.write(block, found)
            values[block] = found
            advance(1)
    return tuple(_judged(plan, i, check, values) for i, check in enumerate(checks)), experiment


def summarise(plan: Plan, checks, assumptions, config, config_hash) -> Result:
    """The experiment's result from its judged checks (contract: what a verdict means)."""
    verdict = worst(c.outcome.verdict for c in checks)
    if not all(c.caught for c in checks):
        verdict = "inconclusive"
    if not all(a.holds for a in assumptions):
        verdict = "assumption_failed"
    expected = worst(c.check.expected for c in checks)
    kind = find(plan.slug)
    return Result(
        theorem=plan.slug,
        statements=kind.statements,
        title=kind.title,
        verdict=verdict,
        expected=expected,
        as_expected=verdict == expected
        and all(c.outcome.verdict == c.check.expected for c in checks),
        checks=checks,
        assumptions=tuple(assumptions),
        config=config,
        config_hash=config_hash,
        seed=plan.seed,
        replicates=plan.budget.replicates,
        budget=plan.budget.name,
    )


@dataclass(frozen=True)
class _Measure:
    """``measure_block`` bound to a plan, picklable for workers."""

    plan: Plan

    def __call__(self, block: Block) -> np.ndarray:
        return measure_block(self.plan, block)


class _Frozen:
    """A plan hashed by content, so that each worker builds its worlds once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._id = content_key({"p": repr(plan)})

    def __hash__(self) -> int:
        return hash(self._id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Frozen) and self._id == other._id


@lru_cache(maxsize=4)
def _built(frozen: _Frozen) -> tuple[Experiment, tuple[Check, ...]]:
    experiment = frozen.plan.experiment()
    return experiment, experiment.checks()


def _sources() -> tuple[Path, Path]:
    import theorems

    return Path(__file__).parents[1], Path(next(iter(theorems.__path__)))


def _fetch(plan, checks, blocks, store, advance) -> dict[Block, np.ndarray]:
    """Blocks that an earlier run has finished."""
    values = {}
    for block in blocks:
        check = checks[block.check]
        found = store.read(block, (len(check.methods), plan.replicates(check)))
        if found is not None:
            values[block] = found
            advance(1)
    return values


@contextlib.contextmanager
def _interruptible(values: dict, total: int) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(len(values), total) from None


def _judged(plan: Plan, index: int, check: Check, values) -> CheckResult:
    """Assemble (G, K, R) per method and judge each by the same code path."""
    ordered = sorted(
        (block for block in values if block.check == index), key=lambda b: (b.point, b.block)
    )
    stacked = np.stack([values[block] for block in ordered])
    stacked = stacked.reshape(len(check.grid), plan.budget.blocks, len(check.methods), -1)
    outcomes = []
    for m, method in enumerate(check.methods):
        series = Series(np.array(check.grid, dtype=float), stacked[:, :, m, :])
        rng = stream(plan.seed, plan.slug, check.name, method, "bootstrap")
        outcomes.append(judge(check, method, series, rng, plan.budget.resamples))
    return CheckResult(check, outcomes[0], tuple(outcomes[1:]))
