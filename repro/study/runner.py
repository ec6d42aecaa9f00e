"""Run a plan: fetch or compute its blocks, judge every check, sum up."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from repro.core.check import cut
from repro.core.claims import DeclaredCheck, Verdict
from repro.core.door import DEFAULT_INSTANCE
from repro.core.judge import judge
from repro.core.results import AssumptionResult, CheckResult, Result, Series
from repro.core.verdicts import off_its_pin, overall, worst
from repro.core.witness import witness_of
from repro.study.blocks import Block, BlockStore
from repro.study.experiment import Experiment
from repro.study.plan import Plan, blocks_of, built, measure_block
from repro.study.slack import pinned
from repro.study.sources import outside_of_key

Mapper = Callable[[Callable[[Block], np.ndarray], list[Block]], Iterable[tuple[Block, np.ndarray]]]
"""Applies a pure function to blocks, in any order, in this process or others."""


class Interrupted(KeyboardInterrupt):
    """The user stopped the run; finished blocks are kept, and a sweep does not go on."""

    def __init__(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        super().__init__(f"{done} of {total} blocks are finished and kept")


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
    store.tidy()
    experiment = built(plan)
    checks = experiment.checks
    blocks = blocks_of(plan)
    values = _fetch(plan, blocks, store, advance)
    missing = [block for block in blocks if block not in values]
    pure = not outside_of_key(plan.theorem)
    with _interruptible(store, blocks):
        for block, measured in mapper(partial(measure_block, plan), missing):
            if pure:
                store.write(block, measured)
            values[block] = measured
            advance(1)
    return tuple(_judged(plan, i, check, values) for i, check in enumerate(checks)), experiment


def summarise(
    plan: Plan,
    checks: tuple[CheckResult, ...],
    assumptions: tuple[AssumptionResult, ...],
    config: Mapping[str, object],
    config_hash: str,
) -> Result:
    """The experiment's result from its judged checks (contract: what a verdict means)."""
    verdict = _overall(checks, assumptions)
    expected = worst(c.check.expected for c in checks)
    theorem = plan.theorem
    return Result(
        theorem=plan.slug,
        statements=theorem.statements,
        title=theorem.title,
        verdict=verdict,
        expected=expected,
        as_expected=verdict == expected
        and all(c.outcome.verdict == c.check.expected for c in checks)
        and not any(off_its_pin(c.outcome.numbers) for c in checks),
        checks=checks,
        assumptions=assumptions,
        config=in_force(plan, config),
        config_hash=config_hash,
        seed=plan.seed,
        replicates=plan.budget.replicates,
        budget=plan.budget.name,
        defined_checks=built(plan).defined_checks,
    )


def in_force(plan: Plan, config: Mapping[str, object]) -> dict[str, object]:
    """The config with the numbers that the sweeps really had: overrides and scaled labels."""
    updated, experiment = copy.deepcopy(dict(config)), built(plan)
    kind = plan.setting.instance_kind
    for swept in experiment.swept:
        theorem: Any = updated["theorem"]
        sweeps = theorem["sweeps"] if kind == DEFAULT_INSTANCE else theorem["instances"][kind]
        sweeps[swept.name] |= experiment.numbers_in_force(swept)
    return updated


def _overall(checks: tuple[CheckResult, ...], assumptions: tuple[AssumptionResult, ...]):
    controls = (control.verdict for check in checks for control in check.controls)
    outcomes: list[Verdict] = [check.outcome.verdict for check in checks]
    return overall((assumption.holds for assumption in assumptions), controls, outcomes)


def _fetch(plan, blocks, store, advance) -> dict[Block, np.ndarray]:
    """Blocks that an earlier run has finished."""
    values = {}
    for block in blocks:
        swept = built(plan).swept[block.check]
        part = swept.alone if block.alone else swept
        shape = len(swept.sweep.grid), len(part.algorithms), block.count, plan.replicates(swept)
        if (stored := store.read(block, shape)) is not None:
            values[block] = stored
            advance(1)
    return values


@contextlib.contextmanager
def _interruptible(store: BlockStore, blocks: list[Block]) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(store.kept(blocks), len(blocks)) from None


def _judged(plan: Plan, index: int, check: DeclaredCheck, values) -> CheckResult:
    """Assemble (G, K, R) per method and judge each by the same code path."""
    own = sorted((block for block in values if block.check == index), key=lambda b: b.block)
    right = np.concatenate([values[block][:, 0] for block in own], axis=1)  # (G, K, R)
    wrong = np.concatenate([values[block][:, 1:] for block in own if not block.alone], axis=2)
    blocks, quantity = plan.budget.blocks, built(plan).swept[index].check.quantity
    if not quantity.draws:  # one block stands for all
        right, wrong = right.repeat(blocks, axis=1), wrong.repeat(blocks, axis=2)
    if wrong.shape[2] < blocks and not quantity.stream_per_block:
        wrong = cut(wrong, blocks)
    outcomes = []
    for method, measured in zip(check.methods, [right, *np.moveaxis(wrong, 1, 0)], strict=True):
        series = Series(np.array(check.grid, dtype=float), measured)
        outcomes.append(judge(check, method, series, plan.budget.check_error))
    own_outcome, *controls = outcomes
    numbers = {**own_outcome.numbers, **pinned(plan, check, outcomes)}
    outcome = replace(own_outcome, numbers=numbers)
    return CheckResult(
        check, outcome, tuple(controls), check.statements, witness_of(check, outcome)
    )
