"""Fates of mutants and what they sum up to."""

from __future__ import annotations

from collections.abc import Sequence

from scipy import stats

from tools.mutation.mutants import Mutant

NOT_REACHED, KILLED, SURVIVED, TIMEOUT = "not reached", "killed", "SURVIVED", "timeout"
UNFIT, EQUIVALENT = "unfit", "equivalent"
FAILED, CANNOT = 1, 7
"""Exit statuses of the process that tries a mutant."""

Fates = Sequence[tuple[Mutant, str]]


def scored(found: Fates) -> tuple[int, int]:
    """Mutants killed, and all that could be: neither unfit nor listed as equivalent."""
    fates = [fate for _, fate in found if fate not in (UNFIT, EQUIVALENT)]
    return sum(fate in (KILLED, TIMEOUT) for fate in fates), len(fates)


def report(found: Fates) -> str:
    """Score with a 95 % Clopper-Pearson interval, by folder and in all."""
    rooms = sorted({mutant.path.parent.name for mutant, _ in found})
    groups = {room: [f for f in found if f[0].path.parent.name == room] for room in rooms}
    if len(rooms) > 1:
        groups["all"] = list(found)
    return "\n".join(line_of(name, group) for name, group in groups.items())


def line_of(name: str, found: Fates) -> str:
    """The score of some mutants."""
    dead, tried = scored(found)
    if not tried:
        return f"{name}: nothing to kill"
    ci = stats.binomtest(dead, tried).proportion_ci(0.95)
    line = f"{name}: {dead} of {tried} killed, {dead / tried:.3f} [{ci.low:.3f}, {ci.high:.3f}]"
    left = {fate: sum(f == fate for _, f in found) for fate in (EQUIVALENT, UNFIT)}
    return line + "".join(f"; {count} {fate}" for fate, count in left.items() if count)
