"""A row says everything about one check: claim, method, wrong versions, needs, statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

import numpy as np

from repro.base.errors import BadInput, nearest
from repro.base.notation import AXES
from repro.study.checks import Verdict
from repro.study.claims import Claim

INSTANCE = "instance"
"""World of a row that is measured on the ``instance`` config group."""


class Evidence(StrEnum):
    """How a check knows (contract: ``evidence``)."""

    MEASURED = "measured"
    EXACT = "exact"
    SEARCHED = "searched"
    PROVED = "proved"
    COMPUTED = "computed"


class Need(StrEnum):
    """What a row depends on, and must notice when it is taken away (contract: ``needs``)."""

    LABELS = "labels"
    TRUTH_HIDDEN = "truth_hidden"
    PRIVACY = "privacy"
    NOISE = "noise"
    ADVERSARY = "adversary"
    ORDER = "order"
    OPTIMISM = "optimism"
    PESSIMISM = "pessimism"
    COVERAGE = "coverage"
    DEBIASING = "debiasing"
    ALGORITHM = "algorithm"


F = TypeVar("F")


@dataclass(frozen=True)
class Method(Generic[F]):
    """An implementation under test, or one that is wrong on purpose.

    Attributes:
        name: as the verdict and the figure show it; never compared.
        run: what it does; each measure says what it is called with.
        privacy_mistake: it is wrong about privacy, so it is right where there is none.
    """

    name: str
    run: F
    privacy_mistake: bool = False


def method(run: F) -> Method[F]:
    """A method with the name of its function."""
    return Method(run.__name__, run)  # type: ignore[attr-defined]


def privacy_mistake(run: F) -> Method[F]:
    """A wrong version that is no mistake at ε = ∞: rows without privacy leave it out."""
    return Method(run.__name__, run, privacy_mistake=True)  # type: ignore[attr-defined]


Values = Mapping[str, Any]
"""By name of the method, (replicates,) float64 or one number; NaN where a replicate failed."""


@dataclass(frozen=True)
class Measure:
    """How a quantity is measured: a pure function of case, stream and replicates.

    Attributes:
        quantity: what is measured, with its unit in brackets where it has one.
        of: (case, stream, replicates) → values of every method of the case.
        evidence: how it knows.
        batched: several grid points at once, each with its own stream; one by one unless given.
    """

    quantity: str
    of: Callable[[Any, np.random.Generator, int], Values]
    evidence: Evidence
    batched: Callable[[Sequence[Any], Sequence[np.random.Generator], int], list[Values]] | None = (
        None
    )

    def at(
        self, cases: Sequence[Any], rngs: Sequence[np.random.Generator], replicates: int
    ) -> list[Values]:
        """Values at every grid point."""
        if self.batched is not None:
            return self.batched(cases, rngs, replicates)
        return [self.of(case, rng, replicates) for case, rng in zip(cases, rngs, strict=True)]


def per_method(
    one: Callable[[Any, Method, np.random.Generator, int], Any],
) -> Callable[[Any, np.random.Generator, int], Values]:
    """Measure each method of a case in turn, all from the same stream."""

    def each(case: Any, rng: np.random.Generator, replicates: int) -> Values:
        return {m.name: one(case, m, rng, replicates) for m in case.methods}

    return each


@dataclass(frozen=True)
class Row:
    """One check of an experiment; the config's probe of the same name says how it is probed.

    Attributes:
        name: of the check and of its probe.
        over: swept axis, one of ``repro.base.notation.AXES``.
        claim: what is claimed, and by how much it may be missed.
        measure: how the quantity is measured.
        method: implementation under test.
        wrong: wrong versions; each must come out contradicted by the same code path.
        on: name of the world it is measured on, or ``INSTANCE``.
        given: what else the cases of this row are built from (order, adversary, …), by the family.
        needs: what the row depends on.
        settles: catalogue ids it speaks for; those of the experiment unless given.
        expected: verdict pinned for an honest run.
        why: the reason of a pinned verdict other than ``supported``.
        fixed: top-level overrides that do not apply, because the row is about its own value.
        draws: name of its random streams; rows of one name meet the same draws at a grid value.
    """

    name: str
    over: str
    claim: Claim
    measure: Measure
    method: Method
    wrong: tuple[Method, ...] = ()
    on: str = ""
    given: Any = None
    needs: tuple[Need, ...] = ()
    settles: tuple[str, ...] = ()
    expected: Verdict = "supported"
    why: str = ""
    fixed: tuple[str, ...] = ()
    draws: str = ""

    def __post_init__(self) -> None:
        if self.over not in AXES:
            hint = nearest(self.over, AXES)
            raise BadInput(f"{self.name}.over", self.over, f"{hint}allowed: {', '.join(AXES)}")
        if self.expected != "supported" and not self.why:
            raise ValueError(f"{self.name}: a pinned {self.expected} needs its reason in why")
