"""Claims about many cases: random ones, one a replicate, or a fixed list; each algorithm reads all.

An algorithm makes of a case the left over the right side of what is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from repro.core.check import Algorithm, Quantity


def searched(
    words: str, draw: Callable[[Any, np.random.Generator], Any], of_error: bool = False
) -> Quantity:
    """What algorithms make of random cases, the same for every algorithm.

    Args:
        words: of the quantity.
        draw: (world, stream) → a case.
        of_error: whether it is an error over a bound on it: NaN where no case has an error, for
            then the bound is not tested.
    """
    of = _each_error if of_error else _each
    return Quantity(words, of, evidence="searched", drawn=partial(_drawn, draw))


def listed(words: str, cases: Callable[[Any], Sequence[Any]]) -> Quantity:
    """The largest of what algorithms make of a fixed list of cases.

    Args:
        words: of the quantity.
        cases: world → cases.
    """
    return Quantity(words, _largest, evidence="computed", drawn=partial(_listed, cases))


def _drawn(draw: Callable[..., Any], world: Any, rng: np.random.Generator, replicates: int):
    return [draw(world, rng) for _ in range(replicates)]


def _each(world: Any, algorithm: Algorithm, cases: Sequence[Any], replicates: int) -> np.ndarray:
    return np.array([algorithm(case) for case in cases])


def _each_error(
    world: Any, algorithm: Algorithm, cases: Sequence[Any], replicates: int
) -> np.ndarray:
    errors = _each(world, algorithm, cases, replicates)
    return errors if errors.any() else np.full_like(errors, np.nan, dtype=np.float64)


def _listed(cases: Callable[..., Any], world: Any, rng: np.random.Generator, replicates: int):
    return cases(world)


def _largest(world: Any, algorithm: Algorithm, cases: Sequence[Any], replicates: int) -> float:
    return max(algorithm(case) for case in cases)


def _mean(quantity: Quantity, world: Any, algorithm: Algorithm) -> float:
    drawn: Any = quantity.drawn
    return float(np.mean([algorithm(case) for case in drawn(world, None, 1)]))


_largest.beside = _mean  # type: ignore[attr-defined]
"""See ``repro.study.slack``: what a run is pinned to besides the largest of the list."""
