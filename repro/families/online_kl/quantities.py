"""What is measured of regret curves, method by method on the same stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from torch import Tensor

from repro.families.online_kl.algorithms_pokl import Game, Round
from repro.pokl.rate import RegretRate, regret_rate
from repro.families.online_kl.cases import OnlineCase, alike, joint_game
from repro.families.online_kl.run_setting import RunSetting
from repro.families.online_kl.simulation import RegretCurve, Watch, regret, simulate_parts
from repro.study.row import Evidence, Measure, Values

Reading = Callable[[OnlineCase, RegretCurve], Iterable[np.ndarray | float]]
"""A curve of M settings → M columns of R values, or M numbers."""


def runs(
    cases: Sequence[OnlineCase],
    reading: Reading,
    rngs: Sequence[np.random.Generator],
    replicates: int,
    ratio: float,
    watch: Watch = regret,
) -> list[Values]:
    """Run every method of some cases and read their curves.

    Cases that differ in numbers alone are simulated in one batch, each with its own stream.
    Methods that fit the case's own class come last, all in one batch: the order in which a
    block's stream is used is part of its results.

    Args:
        cases: what is played.
        reading: what is read of a curve.
        rngs: the block's stream at each case.
        replicates: R.
        ratio: of the times at which policies change.
        watch: what the curve records.
    """
    found: list[dict[str, np.ndarray | float]] = [{} for _ in cases]
    for together in alike(cases):
        members = [cases[i] for i in together]
        by_class = [case.by_class() for case in members]
        for settings in zip(*by_class, strict=True):
            game = joint_game(members, [list(own.values()) for own in settings], replicates)
            streams, horizons = [rngs[i] for i in together], [c.horizon for c in members]
            curves = simulate_parts(game, horizons, ratio, streams, watch)
            for i, case, own, curve in zip(together, members, settings, curves, strict=True):
                found[i].update(zip(own, reading(case, curve), strict=True))
    return found  # type: ignore[return-value]


def of_curve(quantity: str, reading: Reading, watch: Watch = regret) -> Measure:
    """A quantity that is read off blocked runs."""

    def batched(
        cases: Sequence[OnlineCase], rngs: Sequence[np.random.Generator], replicates: int
    ) -> list[Values]:
        return runs(cases, reading, rngs, replicates, cases[0].exploration.grid_ratio, watch)

    def one(case: OnlineCase, rng: np.random.Generator, replicates: int) -> Values:
        return batched([case], [rng], replicates)[0]

    return Measure(quantity, one, Evidence.MEASURED, batched)


def curious_regret(game: Game, now: Round) -> Tensor:
    """(L,) regret, negative where π² shuns the responses that the bonus is largest for.

    To second order regret is even in the bonus; the sign tells optimism from its reverse.
    """
    leaning = ((now.explore - now.exploit) * now.bonus.abs()).sum(-1) @ game.world.state_prob
    return leaning.sign() * now.regret


def last_regret(case: OnlineCase, curve: RegretCurve) -> np.ndarray:
    """(M, R) regret of the policy after T labels."""
    return curve.regret[-1]


def rate(case: OnlineCase, curve: RegretCurve) -> np.ndarray:
    """(M, R) regret per unit of log T."""
    return curve.rate()


def limit(case: OnlineCase) -> RegretRate:
    """What t·regret tends to for the method under test."""
    meant: RunSetting = case.methods[0].run(case)
    return regret_rate(case.world, meant.epsilon, meant.kl_weight, meant.bonus_weight)


def rate_over_closed_form(case: OnlineCase, curve: RegretCurve) -> np.ndarray:
    """(M, R) that rate over its limit for the method under test."""
    return curve.rate() / limit(case).total


def last_over_closed_form(case: OnlineCase, curve: RegretCurve) -> np.ndarray:
    """(M, R) T·regret of the policy after T labels, over the same limit."""
    return case.horizon * curve.regret[-1] / limit(case).total


def last_beyond_bonus(case: OnlineCase, curve: RegretCurve) -> np.ndarray:
    """(M, R) regret after T labels less what the bonus alone costs the method under test."""
    return curve.regret[-1] - limit(case).exploration / case.horizon


REGRET = of_curve("regret per round [reward]", last_regret)
RATE = of_curve("regret per unit of log T [reward]", rate)
RATE_OVER_CLOSED_FORM = of_curve("regret rate / closed form", rate_over_closed_form)
CURIOUS_REGRET = of_curve("regret per round on the curious side [reward]", last_regret,
                          curious_regret)  # fmt: skip
GAP = of_curve("gap of the last iterate [reward]", last_regret)
GAP_OVER_CLOSED_FORM = of_curve("T · gap of the last iterate / closed form", last_over_closed_form)
BEYOND_BONUS = of_curve("regret per round beyond the bonus's own [reward]", last_beyond_bonus)
