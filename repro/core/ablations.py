"""What does a check notice?  Every stage that its worlds have is taken away, through the same code.

The algorithm goes on believing in what was taken away.  What the verdict notices is what the check
needs: measured, and kept as a snapshot (``repro.core.needs``).  A measured, exact or searched check
must notice fair coins, being handed the truth, and the opposite of its estimate, or say why not
(``Check.blind``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from repro.core.check import Instead, SweptCheck
from repro.core.judge import judge
from repro.core.needs import MUST, Need
from repro.core.results import Finding, Outcome, Series
from repro.core.worlds import field_values
from repro.labels.corruption.debiasing import no_debias
from repro.labels.preferences.label_law import fair_coins, no_randomizer, the_opposite, the_truth
from repro.labels.privacy.central_noise import NO_NOISE

UNLIKE = {Need.LABELS: ", which must not be fair coins already"}
"""What the stated world must differ in from what is put there instead."""
ALL_THE_SAME = "where it does and the claim holds without it, as an upper bound may,"
NO_STAGE = "has no stage to show that it notices"
LABELLED = {"labels", "channel", "estimate"}
"""Fields of worlds that have labels; of worlds without, nothing about labels is asked."""
ABOUT_AN_ALGORITHM = ("measured", "exact", "searched")


@dataclass(frozen=True)
class Ablation:
    """One thing that is taken away.

    Attributes:
        name: in words, as the matrix shows it.
        need: what a check that notices is said to need.
        stage: the field of a world that is replaced.
        put: world → what stands there instead.
    """

    name: str
    need: Need
    stage: str
    put: Callable[[Any], Any]


ABLATIONS = (
    Ablation("fair coins as labels", Need.LABELS, "labels", lambda world: fair_coins),
    Ablation("truth as estimate", Need.TRUTH_HIDDEN, "estimate", lambda world: the_truth),
    Ablation("the estimate's opposite", Need.ALGORITHM, "estimate", lambda world: the_opposite),
    Ablation("no randomizer", Need.PRIVACY, "channel", lambda world: no_randomizer),
    Ablation("no central noise", Need.NOISE, "noise", lambda world: NO_NOISE),
    Ablation("idle adversary", Need.ADVERSARY, "adversary", lambda world: world.idle_adversary),
    Ablation("orders exchanged", Need.ORDER, "order", lambda world: world.order.swapped),
    Ablation("no optimism", Need.OPTIMISM, "optimism", lambda world: 0.0),
    Ablation("optimism reversed", Need.OPTIMISM, "optimism", lambda world: -1.0),
    Ablation("no pessimism", Need.PESSIMISM, "pessimism", lambda world: 0.0),
    Ablation("pessimism reversed", Need.PESSIMISM, "pessimism", lambda world: -1.0),
    Ablation("reference made uniform", Need.COVERAGE, "reference", lambda world: "uniform"),
    Ablation("no debiasing", Need.DEBIASING, "reading", lambda world: no_debias),
)


def findings(
    theorem: str, swept: SweptCheck, seed: int, blocks: int, replicates: int, check_error: float,
    declared: Callable[[SweptCheck], Any],
) -> Iterator[Finding]:  # fmt: skip
    """Every stage that the worlds of a check have, taken away one after another.

    Args:
        theorem: its name, which names the streams.
        swept: the check on its worlds.
        seed: of the run.
        blocks: of the budget.
        replicates: in one block.
        check_error: of the budget.
        declared: swept check → what is judged.
    """

    def judged(swept: SweptCheck) -> Outcome:
        measurements = _values(theorem, swept, seed, blocks, replicates)
        series = Series(np.array(swept.sweep.grid), measurements)
        check = declared(swept)
        return judge(check, check.method, series, check_error)

    before = judged(swept).verdict
    have = field_values(swept.sweep.worlds[0])
    for ablation in ABLATIONS:
        if ablation.stage not in have:
            continue
        try:
            outcome = judged(_without(swept, ablation))
            after, unmeasured = outcome.verdict, str(outcome.numbers.get("reason", ""))
        except Exception as problem:  # noqa: BLE001 - what stops without a stage has noticed
            after, unmeasured = f"error: {type(problem).__name__}", ""
        known = theorem, swept.name, swept.check.quantity.evidence
        blind = {MUST[name]: why for name, why in swept.check.blind.items()}.get(ablation.need, "")
        seen = ablation.name, before, after, blind, unmeasured
        yield Finding(*known, ablation.need.value, *seen)


def _without(swept: SweptCheck, ablation: Ablation) -> SweptCheck:
    return swept.instead(**{ablation.stage: Instead(ablation.put)})


def _values(theorem: str, swept: SweptCheck, seed: int, blocks: int, replicates: int):
    """(G, K, R) of the algorithm under test alone."""
    series = []
    for numbers in swept.alone.calls(blocks, replicates):
        values, drew = swept.alone.blocks_and_draws(theorem, seed, numbers, replicates)
        series.append(values[:, 0])
        if not drew:
            return np.repeat(values[:, 0, :1], blocks, axis=1)
    return np.concatenate(series, axis=1)


def complaints(
    swept: SweptCheck, noticed: Sequence[str], kept: Sequence[str] | None, have: Sequence[str]
) -> list[str]:
    """What is wrong with what a check notices.

    Args:
        swept: the check.
        noticed: what it was seen to need.
        kept: what the snapshot says; None where there is none.
        have: needs that could be asked about, since its worlds have the stage.
    """
    lines = []
    if kept is not None and list(kept) != list(noticed):
        lines.append(f"the snapshot has: {', '.join(kept) or 'nothing'}")
    if swept.check.quantity.evidence not in ABOUT_AN_ALGORITHM or _without_labels(swept):
        return lines
    for name, need in MUST.items():
        reason = swept.check.blind.get(name)
        if need.value in noticed and reason:
            lines.append(f"notices {need.value}, against its reason in blind")
        if need.value not in noticed and not reason:
            stage = next(one.stage for one in ABLATIONS if one.need is need)
            read = f"let the algorithm read world.{stage}{UNLIKE.get(need, '')}; {ALL_THE_SAME}"
            why, remedy = (
                ("does not notice", read)
                if need.value in have
                else (NO_STAGE, "derive its worlds from PrivateLabels, or")
            )
            blind = f'blind={{"{name}": "why it need not"}}'
            lines.append(f"{why} {need.value}; {remedy} give the check {blind}")
    return lines


def _without_labels(swept: SweptCheck) -> bool:
    return LABELLED.isdisjoint(field_values(swept.sweep.worlds[0]))
