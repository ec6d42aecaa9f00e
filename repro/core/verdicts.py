"""The order of verdicts."""

from __future__ import annotations

from collections.abc import Iterable

from repro.core.claims import Verdict

_SEVERITY: tuple[Verdict, ...] = (
    "supported",
    "inconclusive",
    "contradicted",
    "assumption_failed",
)


def overall(holds: Iterable[bool], controls: Iterable[str], checks: Iterable[Verdict]) -> Verdict:
    """The worst check, unless an assumption fails or a control gets through.

    Args:
        holds: of each executed assumption.
        controls: verdicts of what is wrong on purpose.
        checks: verdicts of what is claimed.

    >>> overall([True], ["contradicted"], ["supported"]), overall([], ["supported"], ["supported"])
    ('supported', 'inconclusive')
    """
    if not all(holds):
        return "assumption_failed"
    if any(control != "contradicted" for control in controls):
        return "inconclusive"
    return worst(checks)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of some verdicts; of none, inconclusive.

    >>> worst(["supported", "contradicted", "inconclusive"])
    'contradicted'
    """
    found = set(verdicts) or {"inconclusive"}
    return next(verdict for verdict in reversed(_SEVERITY) if verdict in found)
