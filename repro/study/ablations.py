"""What is taken away to see whether a row notices: a stage of every case, for each need.

The same code runs, and the method goes on believing in what was taken away.  A row whose verdict
stays where it was does not depend on what it says it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from repro.corruption.debiasing import no_debias
from repro.preferences.label_law import fair_coins, no_randomizer, the_truth
from repro.privacy.central_noise import NO_NOISE
from repro.study.case import Case
from repro.study.row import Need
from repro.study.stages import Instead, stages_of
from repro.study.trial import Trial


@dataclass(frozen=True)
class Ablation:
    """One thing that is taken away.

    Attributes:
        name: in words, as the matrix shows it.
        need: whom it concerns.
        stage: the stage that is replaced, one of ``repro.study.stages.STAGES``.
        put: what stands there instead, or ``Instead`` where that depends on the case.
    """

    name: str
    need: Need
    stage: str
    put: Any

    def concerns(self, trial: Trial) -> bool:
        """Whether a row names the need and its cases have the stage."""
        return self.need in trial.row.needs and self.stage in stages_of(trial.cases[0])


def nobody(case: Case) -> Any:
    """The adversary of the case's family that corrupts nothing."""
    return type(case).idle_adversary


def other_order(case: Any) -> Any:
    """LTC for CTL, and CTL for LTC."""
    return case.order.swapped


def evenly_covered(case: Any) -> Any:
    """The case's world with a uniform reference; as it is where it has no reference."""
    uniform = getattr(case.world, "under_uniform_reference", None)
    return case.world if uniform is None else uniform()


ABLATIONS = (
    Ablation("fair coins as labels", Need.LABELS, "labels", fair_coins),
    Ablation("truth as estimate", Need.TRUTH_HIDDEN, "estimate", the_truth),
    Ablation("no randomizer", Need.PRIVACY, "channel", no_randomizer),
    Ablation("no central noise", Need.NOISE, "noise", NO_NOISE),
    Ablation("idle adversary", Need.ADVERSARY, "adversary", Instead(nobody)),
    Ablation("orders exchanged", Need.ORDER, "order", Instead(other_order)),
    Ablation("no optimism", Need.OPTIMISM, "bonus", 0.0),
    Ablation("optimism reversed", Need.OPTIMISM, "bonus", -1.0),
    Ablation("no pessimism", Need.PESSIMISM, "bonus", 0.0),
    Ablation("pessimism reversed", Need.PESSIMISM, "bonus", -1.0),
    Ablation("reference made uniform", Need.COVERAGE, "world", Instead(evenly_covered)),
    Ablation("no debiasing", Need.DEBIASING, "reading", no_debias),
)


@dataclass(frozen=True)
class Finding:
    """What one row did when one thing was taken away.

    Attributes:
        theorem: experiment.
        row: name of the row.
        evidence: how the row knows.
        need: that was named.
        ablation: what was taken away; empty where no stage of the case can.
        before: verdict of the honest run.
        after: verdict without it.
    """

    theorem: str
    row: str
    evidence: str
    need: str
    ablation: str
    before: str
    after: str

    @property
    def noticed(self) -> bool:
        """Whether the verdict changed."""
        return bool(self.ablation) and self.before != self.after


Verdicts = dict[str, str]
"""Verdict by name of the row."""


def ablated(
    theorem: str,
    trials: Iterable[Trial],
    honest: Verdicts,
    run: Callable[[dict[str, Any], list[str]], Verdicts],
) -> list[Finding]:
    """Take away, one after another, all that the rows of an experiment need.

    Args:
        theorem: its name.
        trials: its rows.
        honest: their verdicts with everything in place.
        run: (stages, names of rows) → their verdicts.
    """
    trials = list(trials)
    found, reached = [], set()
    for ablation in ABLATIONS:
        rows = {t.row.name: t.row for t in trials if ablation.concerns(t)}
        after = run({ablation.stage: ablation.put}, list(rows)) if rows else {}
        for name, row in rows.items():
            reached.add((name, ablation.need))
            evidence = row.measure.evidence.value
            told = (ablation.need.value, ablation.name, honest[name], after[name])
            found.append(Finding(theorem, name, evidence, *told))
    for trial in trials:
        row = trial.row
        for need in row.needs:
            if (row.name, need) not in reached:
                told = (need.value, "", honest[row.name], honest[row.name])
                found.append(Finding(theorem, row.name, row.measure.evidence.value, *told))
    return found
