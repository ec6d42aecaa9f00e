"""Whether an input was released before, asked without releasing it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from repro.release.ledger import Debit, held_ledger
from repro.release.noted import Noted, Overlap
from repro.release.privatise import Comparisons


def released_before(
    source: Any, folder: Path, tell: Callable[[str], object] = lambda words: None
) -> tuple[Overlap, list[Debit]]:
    """What releases of labels have answered of an input, and the debits that count for it.

    The input is noted in a debit that is taken back: the ledger holds what it held.  The answer
    follows from texts and the ledger, never from a label.

    Args:
        source: comparisons, as ``privatise`` takes them.
        folder: of the ledger.
        tell: hears of waiting.

    Raises:
        BadInput: a faulty input, or a ledger that cannot be used.
    """
    with held_ledger(folder, tell) as ledger, Comparisons(None) as rows:
        number = ledger.begin()
        rows.read(source, see=ledger.look_up)
        noted = Noted(ledger, number)
        for row in rows:
            noted.add([row])
        ledger.add_near(number)
        return Overlap.of(rows, ledger, number), ledger.earlier(number)
