"""The order of verdicts."""

from __future__ import annotations

from collections.abc import Iterable

from repro.study.checks import Verdict

_SEVERITY: tuple[Verdict, ...] = (
    "supported",
    "inconclusive",
    "contradicted",
    "assumption_failed",
)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of some verdicts; of none, inconclusive.

    >>> worst(["supported", "contradicted", "inconclusive"])
    'contradicted'
    """
    found = set(verdicts) or {"inconclusive"}
    return next(verdict for verdict in reversed(_SEVERITY) if verdict in found)
