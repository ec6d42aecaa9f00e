"""P1 Theorem 5.2: the regret of private online KL-regularised RLHF is logarithmic.

Statement (arXiv 2510.13512, Theorem 5.2).  With probability at least 1−δ, Algorithm 2 has

    Σ_{t≤T} J(π*) − J(π²_t) = O( β·d_F·e^{2B}/(2α−1)² · log(N_F·T/δ) ).

In code: β is 1/kl_weight, 1/(2α−1) is privacy_cost, d_F the pair eluder dimension
(Definition 3.5), N_F the class size or a covering number, B reward_bound.

Testable: regret per round ∝ 1/t along a run (Γ_T is constant along it); the rate dRegret/dlog T,
which the paper leaves implicit and a second-order expansion gives in closed form
(``repro.p1.pokl.rate``); its exponents in c(ε), d and β; that exploration is
needed.

Read with the statement:
- For a linear class d_F itself grows like log T, so the printed bound is log²T across horizons;
  along one run the regret is logarithmic.  So is what is measured: with Γ_T of each horizon the
  regret per unit of log T is the closed form whose Γ² part is ∝ log(N_F·T/δ) (check
  ``across_horizons``; its control sets Γ without T).
- For a finite class regret stops growing once the class is identified (check ``finite_class``):
  less than the bound, and no logarithm.  Γ_T there is that of the linear class, more than it needs.
- With the constant that the proof of Lemma C.3 gives, Γ_T ≈ 700 at ε = 1: the bonus is clipped
  at 1 for every response until t ≈ 1e4, and the regret per round then *rises* until t ≈ 1e6
  (check ``proven_bonus_clips``); the log rate appears from about 1e8 (check ``proven_bonus``), with
  a constant three thousand times that of a sane Γ.
- The cap min{1, ·} of eq. (13) breaks the optimism of Lemma C.4 when B > 1/2: see the
  experiment ``optimism_event``, checks ``cap_one`` and ``cap_two_bounds``.

``reward_class=`` replaces the ball in checks on random worlds: least squares is taken over the
class, and its B and log N are those of Γ_T (docs/explanations/reward_classes.md).

The bonus alone, with the truth for an estimate, has regret ∝ 1/t too: in closed form, and taken
off in the checks ``horizon`` and ``privacy_cost``; ``kl_weight`` is that of the bonus beyond the
estimate's part, at a c where a regret without an error would fall short of it; the checks
``constant_*`` and ``num_features_with_bonus`` hold both parts together as numbers.  ``growth``,
``exploration`` and ``finite_class`` are about the regret of π¹, which is what was learnt from data
that the bonus drew.
In d exploitation alone has exponent 1 (``num_features``); with its bonus Algorithm 2 follows the
closed form, whose bonus has log N ∝ d besides.  The checks of the proof's Γ_T are about Γ_T alone.

What would refute it: regret per round that falls slower than 1/t, or an exponent above the
printed one.  Two-sided checks are on instances where the closed form has exactly that exponent.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from repro.core.check import Assumed, Check, Quantity, Theorem, named
from repro.core.claims import Ratio, Slope
from repro.p1.pokl.algorithms import (
    epsilon_overstated,
    inverted_kl_weight,
    naive_labels,
    pokl,
    without_exploration,
)
from repro.p1.pokl.assumptions import as_told, realizable, small_ridge
from repro.p1.pokl.chosen import ChosenClass
from repro.p1.pokl.curves import (
    BEYOND_BONUS,
    OVER_LIMIT,
    RATE_BEYOND_BONUS,
    RATE_BEYOND_ESTIMATE,
    RegretCurve,
    curious_regret,
    growth,
    last,
    learnt_regret,
    of_curve,
    rate,
)
from repro.p1.pokl.finite import RandomFinite
from repro.p1.pokl.learning import RewardsOn
from repro.p1.pokl.linear import LeadingFeatures, LinearClass
from repro.p1.pokl.run import OnlineRun, printed_weight
from repro.worlds.instances.linear import LinearWorld
from repro.worlds.policies.reward_class import BALL, RewardClass

RANDOM_CLASS = RandomFinite(class_size=64, seed=3)
"""Around the truth."""


# The world: a run over the ball, or over the class that is selected ------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class InClass(OnlineRun):
    """A run whose rewards are fitted in a selected class, of which B and log N of Γ_T are.

    Attributes:
        reward_class: ball, box or finite.
    """

    reward_class: RewardClass = BALL

    @property
    def linear(self) -> LinearWorld:
        world = super().linear
        return world if self.reward_class == BALL else _bounded(world, self.reward_class)

    @property
    def fitted(self) -> RewardsOn:
        usual = self.reward_class == BALL or self.rewards is not LinearClass
        return self.rewards if usual else ChosenClass(self.reward_class)


@lru_cache(maxsize=64)
def _bounded(world: LinearWorld, chosen: RewardClass) -> LinearWorld:
    """The world with the largest reward difference of the class for B."""
    return replace(world, reward_bound=chosen.reward_bound(world))


# Algorithms: what the learner is told, right and wrong -------------------------------------------


def bonus_of_horizon(world: OnlineRun) -> OnlineRun:
    """Algorithm 2 with Γ_T of each horizon."""
    return replace(world, weight_horizon=None)


def finite_class(world: OnlineRun) -> OnlineRun:
    """Algorithm 2 over a finite class; Γ_T is that of the world's own class."""
    return replace(world, gamma=world.bonus_weight, rewards=RANDOM_CLASS)


proven_bonus = named("proven_bonus", pokl)
linear_class = named("linear_class", pokl, "the class is linear, not finite")


def frozen_features(world: OnlineRun) -> OnlineRun:
    """Wrong for a sweep of d: without exploration, and only two features are ever estimated."""
    return replace(world, gamma=0.0, rewards=LeadingFeatures(2))


def bonus_without_horizon(world: OnlineRun) -> OnlineRun:
    """Wrong: log(N/δ) in the place of log(T·N/δ)."""
    return replace(world, gamma=world.weight(world, 1))


def sane_bonus(world: OnlineRun) -> OnlineRun:
    """Wrong for a claim about the proof's Γ_T: the printed one with its constant c."""
    return replace(world, weight=printed_weight)


# Quantities --------------------------------------------------------------------------------------


def saturation(world: OnlineRun, curve: RegretCurve) -> np.ndarray:
    """(R,) regret from the first label to T over that to T/100, NaN where there is none."""
    gained = curve.cumulative - curve.cumulative[1]
    earlier = gained[np.searchsorted(curve.times, curve.times[-1] / 100)]
    return gained[-1] / np.where(earlier > 0, earlier, np.nan)


REGRET = of_curve("regret per round [reward]", last)
CURIOUS_REGRET = of_curve("regret per round on the curious side [reward]", last, curious_regret)
RATE = of_curve("regret per unit of log T [reward]", rate)
LEARNT = of_curve("regret of π¹ per round [reward]", last, learnt_regret)
WEIGHT = of_curve("Akaike weight of log T against √T, regret of π¹", growth, learnt_regret,
                  stream_per_block=True)  # fmt: skip
SATURATION = of_curve("regret of π¹ up to T / up to T/100", saturation, learnt_regret)


# The claims --------------------------------------------------------------------------------------

GAMMA_ALONE = {"estimate": "about Γ_T alone, which is 99.9 % of this regret, whoever knows r*"}
CLIPPED = dict.fromkeys(
    ("labels", "algorithm"),
    "about Γ_T alone: it is clipped for every response up to 1e4 labels, whatever they say",
)
CLOSED_FORM = Ratio("rate → [tr(Cov_π*·V_LS) + Γ²·Var(u)]/(2·kl_weight)")


def check(
    name: str, axis: str, claim: Slope | Ratio, quantity: Quantity, right: Any = pokl,
    wrong: Any = (), **more: Any,
) -> Check:  # fmt: skip
    """A check of Algorithm 2, unless it says otherwise."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 **more)  # fmt: skip


CHECKS = [
    check("horizon", "horizon",
          Slope("Algorithm 2: regret {rate} beyond the bonus's own", -1, symbol="t"),
          BEYOND_BONUS, wrong=[naive_labels, epsilon_overstated]),
    check("growth", "horizon",
          Ratio("cumulative regret of π¹ is a + b·log T, not a + b·√T"), WEIGHT,
          wrong=[naive_labels]),
    check("constant_privacy_cost", "privacy_cost", CLOSED_FORM, OVER_LIMIT,
          wrong=[without_exploration, epsilon_overstated]),
    check("constant_kl_weight", "kl_weight", CLOSED_FORM, OVER_LIMIT, wrong=[without_exploration]),
    check("privacy_cost", "privacy_cost", Slope("rate {rate} beyond the bonus's own", 2),
          RATE_BEYOND_BONUS, wrong=[naive_labels]),
    check("num_features", "num_features",
          Slope("rate {rate} (exploitation alone)", 1, tolerance=0.1), RATE, without_exploration,
          [frozen_features]),
    check("num_features_with_bonus", "num_features",
          Ratio("Algorithm 2: closed form at every d, with Γ_T² ∝ log N"),
          OVER_LIMIT, wrong=[without_exploration, epsilon_overstated]),
    check("kl_weight", "kl_weight", Slope("rate {rate} = β beyond the estimate's own", -1),
          RATE_BEYOND_ESTIMATE, wrong=[inverted_kl_weight]),
    check("across_horizons", "horizon",
          Ratio("Γ_T of each horizon: the rate grows like log(N·T/δ), the regret like log²T"),
          OVER_LIMIT, bonus_of_horizon, [bonus_without_horizon]),
    check("finite_class", "horizon",
          Ratio("finite class: π¹'s regret stops growing once the class is identified",
                tolerance=0.02),
          SATURATION, finite_class, [linear_class]),
    check("proven_bonus", "horizon",
          Slope("the proof's Γ_T: regret {rate} at t ≥ 1e8", -1, symbol="t"), REGRET,
          proven_bonus, [naive_labels], blind=GAMMA_ALONE),
    check("proven_bonus_clips", "horizon",
          Slope("the proof's Γ_T: regret per round {rate} from 1e5 to 1e6", 0, "at_least",
                symbol="t"),
          CURIOUS_REGRET, proven_bonus, [named("pokl", sane_bonus)], blind=CLIPPED),
    check("exploration", "horizon",
          Slope("hard instance: exploration keeps the regret of π¹ {rate}", -1, "at_most",
                tolerance=0.1, symbol="t"),
          LEARNT, wrong=[without_exploration]),
]  # fmt: skip


def surrounded(world: OnlineRun) -> Iterable[Assumed]:
    """Realizability in a class that was selected, and a neighbourhood, as rates assume."""
    chosen, theta = getattr(world, "reward_class", BALL), world.linear.theta
    if chosen != BALL:
        inside = chosen.contains(theta, world.linear)
        yield "the truth in the selected class", inside, str(chosen)
        around = chosen.surrounds(theta, world.linear)
        yield "a neighbourhood of the truth in the selected class", around, str(chosen)


THEOREM = Theorem(
    title="P1 Theorem 5.2: logarithmic regret of private online KL-regularised RLHF",
    settles=["p1.thm_5_2"],
    checks=CHECKS,
    worlds={"in_class": InClass, "in_ball": OnlineRun},
    assumes=as_told(realizable, small_ridge, surrounded),
)
