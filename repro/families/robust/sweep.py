"""Refuse, before anything is written, an adversary that a sweep has no place for."""

from __future__ import annotations

from collections.abc import Callable

from repro.base.errors import BadInput, nearest
from repro.corruption.budget import flip_budget
from repro.families.robust.adversaries_huber import MAX_CELLS
from repro.families.robust.algorithms_estimation import ADVERSARIES
from repro.study.checks import Check
from repro.study.sweep import SweepExperiment


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
