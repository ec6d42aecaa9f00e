"""What is measured of regret curves, method by method on the same stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from torch import Tensor

from repro.families.online_kl.algorithms_pokl import Game, Round
from repro.families.online_kl.bounds_regret import RegretRate, regret_rate
from repro.families.online_kl.cases import OnlineCase
from repro.families.online_kl.run_setting import RunSetting
from repro.families.online_kl.simulation import RegretCurve, Watch, regret, simulate
from repro.study.row import Evidence, Measure, Values

Reading = Callable[[OnlineCase, RegretCurve], Iterable[np.ndarray | float]]
"""A curve of M settings → M columns of R values, or M numbers."""


def runs(
    case: OnlineCase,
    reading: Reading,
    rng: np.random.Generator,
    replicates: int,
    ratio: float,
    watch: Watch = regret,
) -> Values:
    """Run every method of a case and read its curve.

    Methods that fit the case's own class come last, all in one batch: the order in which a
    block's stream is used is part of its results.

    Args:
        case: what is played.
        reading: what is read of a curve.
        rng: the block's stream.
        replicates: R.
        ratio: of the times at which policies change.
        watch: what the curve records.
    """
    settings: dict[str, RunSetting] = {m.name: m.run(case) for m in case.methods}
    found: dict[str, np.ndarray | float] = {}
    for names in _by_class(case, settings):
        game = case.game([settings[name] for name in names], replicates)
        curve = simulate(game, case.horizon, ratio, rng, watch)
        found.update(zip(names, reading(case, curve), strict=True))
    return found


def _by_class(case: OnlineCase, settings: dict[str, RunSetting]) -> list[list[str]]:
    """Names of methods by the class that they fit, the case's own class last."""
    classes = dict.fromkeys(setting.rewards for setting in settings.values())
    own_last = sorted(classes, key=lambda rewards: rewards == case.rewards)
    return [[n for n, s in settings.items() if s.rewards == rewards] for rewards in own_last]


def of_curve(quantity: str, reading: Reading, watch: Watch = regret) -> Measure:
    """A quantity that is read off blocked runs."""

    def one(case: OnlineCase, rng: np.random.Generator, replicates: int) -> Values:
        return runs(case, reading, rng, replicates, case.exploration.grid_ratio, watch)

    return Measure(quantity, one, Evidence.MEASURED)


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
