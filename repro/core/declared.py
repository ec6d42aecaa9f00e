"""What an experiment promises before it runs: checks, their sweeps and their wrong versions.

A check is declared from the config, never built from results.  Each names the quantity it
measures, the method that is under test and the controls, deliberately wrong methods that
must be contradicted by the very same code path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Direction = Literal["two_sided", "at_most", "at_least"]
Verdict = Literal["supported", "contradicted", "inconclusive", "assumption_failed"]


@dataclass(frozen=True)
class DeclaredCheck:
    """Fields shared by all kinds of checks.

    Attributes:
        name: id within the experiment.
        axis: swept quantity, one of ``repro.base.notation.AXES``.
        grid: swept values, increasing.
        quantity: what is measured, with its unit in brackets where it has one.
        method: name of the implementation under test.
        controls: names of wrong implementations; each must come out contradicted.
        expected: verdict pinned in its row.
        claim: the claim in words, as the table and the figure print it.
        settings: the other numbers of the measurement (epsilon, n_pairs, …).
        replicate_factor: multiplies the budget's replicates for this check.
        evidence: how the check knows: measured, exact, searched, proved or computed.
        needs: what it depends on, and must notice when it is taken away.
        statements: catalogue ids that it speaks for.
    """

    name: str
    axis: str
    grid: tuple[float, ...]
    quantity: str
    method: str
    controls: tuple[str, ...] = ()
    expected: Verdict = "supported"
    claim: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    replicate_factor: float = 1.0
    evidence: str = ""
    needs: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    kind: str = field(default="", init=False)

    @property
    def methods(self) -> tuple[str, ...]:
        """The method under test, then its controls."""
        return (self.method, *self.controls)


@dataclass(frozen=True)
class SlopeCheck(DeclaredCheck):
    """Exponent of ``quantity`` along ``axis``: a weighted regression on logarithms."""

    claimed: float = 0.0
    tolerance: float = 0.05
    direction: Direction = "two_sided"
    kind: str = field(default="slope", init=False)


@dataclass(frozen=True)
class RatioCheck(DeclaredCheck):
    """Mean of measured over predicted, over the whole grid: is the constant right?"""

    claimed: float = 1.0
    tolerance: float = 0.05
    direction: Direction = "two_sided"
    kind: str = field(default="ratio", init=False)


@dataclass(frozen=True)
class InequalityCheck(DeclaredCheck):
    """Left-hand side over right-hand side, at most 1 in every case."""

    tolerance: float = 1e-9
    kind: str = field(default="inequality", init=False)


@dataclass(frozen=True)
class FrequencyCheck(DeclaredCheck):
    """How often an event fails (measurements are 0 or 1), at most ``allowed``.

    Reported as kind ``inequality``: max_ratio is the worst frequency over what is allowed.
    """

    allowed: float = 0.05
    kind: str = field(default="inequality", init=False)
