"""The order of verdicts, and whether a slack or a curve has left its pin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from repro.core.claims import Verdict

_SEVERITY: tuple[Verdict, ...] = (
    "supported",
    "inconclusive",
    "contradicted",
    "assumption_failed",
)

WITHIN, FAR = 0.05, 100.0
"""A slack may leave its pin by this share; a pin beyond ``FAR`` only has to stay beyond it, since
what rounding leaves of a claim differs between machines."""

IN_ROUNDING = "/ rounding"
"""End of the words of a quantity that is what rounding leaves, over its size: controls alone have a
pin."""


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
    kinds = set(verdicts) or {"inconclusive"}
    return next(verdict for verdict in reversed(_SEVERITY) if verdict in kinds)


def off_its_pin(numbers: Mapping[str, Any]) -> bool:
    """Whether an outcome's slack, or its curve, has left its pin.

    >>> [off_its_pin({"slack": x, "slack_pinned": y}) for x, y in ((1.06, 1.0), (200.0, 1e6))]
    [True, False]
    >>> off_its_pin({"off_curve": 1.2})
    True
    """
    if numbers.get("off_curve", 0.0) > 1:
        return True
    if "slack_pinned" not in numbers:
        return False
    pin, slack = numbers["slack_pinned"], numbers.get("slack", 0.0)
    if pin > FAR:
        return slack <= FAR
    return abs(slack - pin) > WITHIN * abs(pin) + 1e-9
