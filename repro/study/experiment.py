"""What a theorem file provides, and how it is found."""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from repro.base.errors import BadInput, nearest
from repro.base.schema import Model
from repro.study.checks import Check
from repro.study.config import Overrides
from repro.study.results import AssumptionResult


@dataclass(frozen=True)
class Setting:
    """What a run hands to an experiment besides its own config.

    Attributes:
        overrides: top-level epsilon, n_pairs, horizon, kl_weight; None where not given.
        instance: the composed ``instance`` group as plain values.
        device: ``cpu`` or ``cuda``.
        cache: folder for label-free tables that are costly to build.
    """

    overrides: Overrides
    instance: Mapping[str, Any]
    device: str
    cache: Path


class Experiment(ABC):
    """One numbered statement, or a family of them, as an experiment; lives in ``theorems/``.

    ``settled_by`` names, where an experiment has several statements, the checks that speak for
    each; a statement it does not name is spoken for by all checks.  ``extra`` names the optional
    extra whose libraries measuring needs; checks and config never need it.

    An instance is built in every worker from plain config, so construction must be cheap or
    cached on disk, and ``measure`` must be pure in (config, check, value, stream).
    """

    slug: ClassVar[str]
    title: ClassVar[str]
    statements: ClassVar[tuple[str, ...]]
    settled_by: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    instances: ClassVar[tuple[str, ...]]
    used_overrides: ClassVar[frozenset[str]]
    config_type: ClassVar[type[Model]]
    extra: ClassVar[str] = ""

    @abstractmethod
    def __init__(self, config: Any, setting: Setting) -> None: ...

    @classmethod
    def statements_of(cls, check: str) -> tuple[str, ...]:
        """Ids of the statements that a check of that name speaks for."""
        own = cls.settled_by
        return tuple(one for one in cls.statements if one not in own or check in own[one])

    @abstractmethod
    def checks(self) -> tuple[Check, ...]:
        """The promises of this run, fixed by the config."""

    def estimate(self, replicates: Mapping[str, int]) -> str:
        """What a run would need, in words, for ``dry_run=true``; nothing by default.

        Args:
            replicates: at each grid value, by name of the check.
        """
        return ""

    @abstractmethod
    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """The statement's assumptions, executed on the instances in use."""

    @abstractmethod
    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Replicates of the check's quantity at one grid value.

        Returns:
            (replicates,) float64 per method of ``check.methods``; NaN where one failed.
        """

    def measure_grid(
        self, check: Check, rngs: Sequence[np.random.Generator], replicates: int
    ) -> list[dict[str, np.ndarray]]:
        """``measure`` at every grid value, each with its own stream.

        Override to fit several grid values in one batch.
        """
        at = zip(check.grid, rngs, strict=True)
        return [self.measure(check, value, rng, replicates) for value, rng in at]


def slugs() -> list[str]:
    """Names of all experiments, by discovery in ``theorems/``."""
    found = pkgutil.iter_modules(importlib.import_module("theorems").__path__)
    return sorted(module.name for module in found if not module.name.startswith("_"))


def find(slug: str) -> type[Experiment]:
    """The experiment of that name.

    Raises:
        BadInput: there is none; the nearest name is suggested.
    """
    known = slugs()
    if slug not in known:
        raise BadInput("theorem", slug, f"{nearest(slug, known)}allowed: {', '.join(known)}")
    module = importlib.import_module(f"theorems.{slug}")
    own = (
        item for item in vars(module).values() if getattr(item, "__module__", "") == module.__name__
    )
    for item in own:
        if isinstance(item, type) and issubclass(item, Experiment):
            return item
    raise TypeError(f"theorems/{slug}.py defines no Experiment")
