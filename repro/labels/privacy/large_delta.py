"""δ of an (ε, δ)-private release beside the number n of protected records.

δ is added to every bound of the guarantee.  Publishing one random record as it is satisfies
δ = 1/n, so a δ of 1/n or more promises hardly anything.
"""

from __future__ import annotations

from decimal import Decimal


def warning_of_delta(delta: Decimal | float, records: int) -> str:
    """A warning where δ is 1/n or more, else "".

    >>> warning_of_delta(0.001, 2000).partition("; ")[2]
    'take delta=1e-05 or less'
    >>> warning_of_delta(0.00049, 2000)
    ''
    """
    if delta * records < 1:
        return ""
    small = 10.0 ** -(len(str(records)) + 1)
    return (
        f"warning: delta={delta:g} is hardly private: publishing one random record as it is "
        f"satisfies delta = 1/{records}; take delta={small:g} or less"
    )
