"""Assumptions of P1's online results, executed on a world as the learner under test takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from repro.core.check import Assumed, Assumes, SweptCheck
from repro.p1.pokl.run import OnlineRun
from repro.worlds.instances.assumptions import realizable_and_covered


def as_told(*assumed: Callable[[OnlineRun], Iterable[Assumed]]) -> Assumes:
    """Assumptions on the first and the last world of every sweep, as its algorithm is told it."""

    def assumes(swept: SweptCheck) -> Iterable[Assumed]:
        for end in (0, -1):
            world = swept.check.right(swept.sweep.worlds[end])
            for assumption in assumed:
                for name, holds, detail in assumption(world):
                    yield f"at {swept.sweep.grid[end]:g}: {name}", holds, detail

    return assumes


def realizable(world: OnlineRun) -> Iterable[Assumed]:
    """Assumption 3.8 and Definition 3.3 of P1."""
    return realizable_and_covered(world.linear)


def small_ridge(world: OnlineRun) -> Iterable[Assumed]:
    """λ ≤ Γ_T²/2, unless the learner does not explore."""
    weight = world.bonus_weight
    holds = world.ridge <= weight**2 / 2 or weight == 0
    yield "λ ≤ Γ_T²/2", holds, f"λ = {world.ridge:.3g}, Γ_T = {weight:.3g}"
