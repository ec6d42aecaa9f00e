"""P4's Tables 1 and 2 cell by cell, ours beside the printed ones.

The same ε, α, optimiser, schedule and number of seeds as printed (``p4_appendix_d``), and then our
plain steps, both on the tiny model and the substitute pairs of llm_rdpo, in the extra ``llm``; with
a p-value of Welch's test for each contrast.

    python -m tools.p4_cells [seeds=5]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from repro.cli.composition import compose_values
from repro.corruption.orders import Order
from repro.llm.cases import ReleaseCase
from repro.llm.contrasts import P4_CONTRASTS, Contrast
from repro.llm.release_study import Seed
from repro.study.plan import built
from repro.study.settings import session_of
from repro.study.stream import stream

TABLE_1, TABLE_2, ALPHA = (0.1, 0.5), (1.0, 0.5), 0.1
HEAD = "| contrast | printed, % | p | {} |\n|---|---|---|{}"
STEPS = {"P4's AdamW, 1e-6": "p4_appendix_d", "plain steps": "tiny"}


def study(procedure: str):
    """The study of llm_rdpo with a procedure, on this machine's CPU."""
    group = f"theorem/llm_procedure@theorem.procedure={procedure}"
    with tempfile.TemporaryDirectory() as folder:
        values = compose_values("llm_rdpo", {}, [group, "budget=smoke", "tracking=none"])
        experiment = built(session_of({**values, "output_dir": folder}).plan).experiment
    return replace(experiment.study, folder=None)  # type: ignore[attr-defined]


def contrasts(one, seeds: int) -> Iterator[Contrast]:
    """Ours, in the order of ``P4_CONTRASTS``: means and standard deviations in percent."""

    def rates(epsilon: float, *arms) -> np.ndarray:
        found = []
        for k in range(seeds):
            rng = stream(0, "p4_cells", epsilon, k)
            case = ReleaseCase(methods=(), study=one, epsilon=epsilon)
            coins, seed = case.coins(rng), Seed.of(one, rng)
            found.append(
                [seed.reached(loss, epsilon, of(case, coins)).win_rate for loss, of in arms]
            )
        return 100 * np.array(found)

    def released(case, coins):
        return case.released(coins)

    def masked(order):
        return lambda case, coins: case.masked(coins, order, ALPHA)

    sides = [
        *(rates(e, ("rdpo", released), ("dpo", released)) for e in TABLE_1),
        *(rates(e, ("rdpo", masked(Order.CTL)), ("rdpo", masked(Order.LTC))) for e in TABLE_2),
    ]
    for printed, found in zip(P4_CONTRASTS, sides, strict=True):
        (a, b), (s, t) = found.mean(0), found.std(0, ddof=1)
        yield Contrast(printed.name, *map(float, (a, s, b, t)))


def row(one: Contrast, seeds: int) -> str:
    """Both means ± deviations, and what Welch's test says of them."""
    arms = f"{one.first:.1f} ± {one.first_spread:.1f}, {one.second:.1f} ± {one.second_spread:.1f}"
    return f"{arms} | {one.p_value(seeds):.2f}"


def main(words: list[str]) -> None:
    seeds = int(dict(word.split("=") for word in words).get("seeds", 5))
    ours = {name: list(contrasts(study(steps), seeds)) for name, steps in STEPS.items()}
    titles = " | ".join(f"ours, {name} | p" for name in ours)
    print(HEAD.format(titles, "---|" * 2 * len(ours)))
    for k, printed in enumerate(P4_CONTRASTS):
        cells = [row(printed, 5), *(row(found[k], seeds) for found in ours.values())]
        print(f"| {printed.name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main(sys.argv[1:])
