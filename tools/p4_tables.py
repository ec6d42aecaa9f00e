"""P4's Tables 1 and 2 at its ε and α: as printed, and on the tiny model with three optimizers.

    python -m tools.p4_tables [seeds=10]

prints the table of docs/howto/language_models.md.  P4 (arXiv 2505.15694, Tables 3 to 5) fine-tunes
GPT2-large and optimises by TRL's defaults: AdamW, a linear schedule, batches of 8, one epoch of
steps of 1e-6.  The same on the tiny model stands beside steps a thousand times as long, and beside
the plain steps of ``llm_rdpo``.  A seed draws coins, batches and answers anew, the same ones for
both arms of a contrast; p is Welch's all the same, as it is for the printed numbers.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from repro.base.device import built_at
from repro.core.stream import stream
from repro.labels.corruption.orders import Order
from repro.llm.experiments.contrasts import MOST, P4_CONTRASTS, Contrast
from repro.llm.experiments.release_study import Seed, dpo, longer_is_better
from repro.llm.training.trainers import Diverged
from repro.study.composition import compose_values
from repro.study.plan import built
from repro.study.settings import session_of
from theorems.llm_rdpo import DpoTuning, rdpo
from tools.seeds import seeds_asked, status_of

PRINTED_SEEDS = 5
CORRUPTION = 0.1
P4 = ("optimizer=adamw", "schedule=linear", "batch_size=8", "max_grad_norm=1.0")
OPTIMIZERS = {
    "plain steps of .05": (),
    "P4's: AdamW, 1e-6": (*P4, "learning_rate=1e-6"),
    "AdamW, 1e-3": (*P4, "learning_rate=1e-3"),
}
"""What is said of ``theorem.worlds.release.procedure.preference``; chosen before the first run."""
EPSILONS = (0.1, 0.5, 1.0, 0.5)
"""Of the four printed contrasts."""


@contextmanager
def world_of(theorem: str, *words: str, kept: Path | None = None) -> Iterator[Any]:
    """The world ``release`` of a theorem, on this machine's CPU.

    Args:
        theorem: whose.
        words: overrides of its config.
        kept: a folder for trained models and what seeds have reached; None keeps nothing.
    """
    with tempfile.TemporaryDirectory() as folder, built_at(_cache(kept or folder), "cpu"):
        values = compose_values(theorem, {}, ["budget=smoke", "tracking=none", *words])
        swept = built(session_of({**values, "output_dir": folder}).plan).swept
        yield swept[0].sweep.worlds[0]


def _cache(folder: Path | str) -> Path:
    """Where features would lie; what language models keep lies beside it."""
    return Path(folder) / "features"


def arms(world: DpoTuning, rng: np.random.Generator) -> Iterator[float]:
    """Two win rates in percent for each contrast, then that of the longest of four answers."""
    worlds = [replace(world, epsilon=one, corruption=CORRUPTION) for one in EPSILONS]
    seed = Seed.of(len(world.study.splits.train), rng)

    def rate(learner, release) -> float:
        try:
            return 100 * learner(release).win_rate
        except Diverged:
            return float("nan")

    for one in worlds[:2]:
        yield from (rate(learner, one.release(seed)) for learner in (rdpo, dpo))
    for one in worlds[2:]:
        labels = (one.masked(seed.coins, order) for order in (Order.CTL, Order.LTC))
        yield from (rate(rdpo, replace(one.release(seed), labels=each)) for each in labels)
    yield 100 * longer_is_better(world.release(seed)).win_rate


def contrasts(rates: np.ndarray) -> list[Contrast]:
    """Of win rates (seeds, arms); seeds that diverged are left out of their arm."""
    mean, spread = np.nanmean(rates, axis=0), np.nanstd(rates, axis=0, ddof=1)
    return [
        Contrast(one.name, mean[2 * k], spread[2 * k], mean[2 * k + 1], spread[2 * k + 1])
        for k, one in enumerate(P4_CONTRASTS)
    ]


def line(where: str, one: Contrast, seeds: int) -> str:
    """A row of the table."""
    arms = f"{one.first:.1f} ± {one.first_spread:.1f} | {one.second:.1f} ± {one.second_spread:.1f}"
    needed = one.seeds_needed()
    few = f"over {MOST:,}" if needed >= MOST else str(needed)
    return f"| {one.name} | {where} | {arms} | {one.p_value(seeds):.2g} | {few} |"


def table(found: dict[str, np.ndarray]) -> list[str]:
    """For each contrast the printed row, then one of each optimizer's win rates (seeds, arms)."""
    rows = {where: contrasts(rates) for where, rates in found.items()}
    lines = ["| contrast | where | first, % | second, % | p | seeds needed |", "|" + "---|" * 6]
    for k, printed in enumerate(P4_CONTRASTS):
        lines.append(line("printed", printed, PRINTED_SEEDS))
        lines += [line(where, rows[where][k], len(rates)) for where, rates in found.items()]
    for where, rates in found.items():
        longest, lost = rates[:, -1], int(np.isnan(rates).sum())
        lines.append(
            f"{where}: {len(rates)} seeds, longest of four "
            f"{longest.mean():.1f} ± {longest.std(ddof=1):.1f}, {lost} runs diverged"
        )
    return lines


def main(words: Sequence[str]) -> None:
    seeds = seeds_asked(words, 10)
    found = {}
    for where, changes in OPTIMIZERS.items():
        steps = (f"theorem.worlds.release.procedure.preference.{one}" for one in changes)
        with world_of("llm_rdpo", *steps) as world:
            found[where] = np.array([[*arms(world, stream(0, "p4", k))] for k in range(seeds)])
    print("\n".join(table(found)))


if __name__ == "__main__":
    sys.exit(status_of(main))
