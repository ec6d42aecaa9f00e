"""P1 Theorem 4.2: the suboptimality gap of private pessimistic KL-regularised RLHF.

Statement (arXiv 2510.13512, Theorem 4.2).  With probability at least 1−δ, Algorithm 1 has

    SubOpt(π̂) = O( β·D²_π* · e^B/(2α−1)² · (log(N_F(τ)/δ)/n + τ) ).

In code: β is 1/kl_weight, 1/(2α−1) is privacy_cost, D²_π* the single-policy concentrability
(Definition 3.3), N_F(τ) a covering number at a fixed small net_radius τ, B reward_bound.

Testable: the exponent in n, in c(ε), in β, in the coverage C, in the dimension (d, S) and in e^B;
the constant in front of 1/n, which the paper leaves implicit and Fisher information gives; that
the bonus covers the error (event E(δ) of the proof); that D²_π*, not the density ratio, governs
the gap.  Not testable: the universal constant of O(·).

What would refute it: an exponent above the printed one.  Rates are held two-sided only where an
instance is built to attain them; printed upper bounds are held one-sided.  The e^B rows hold the
bound as printed where D²_π*, β·B and log N/n are fixed, which is the regime in which its factor is
contradicted (docs/explanations/corrected_theorem_4_2.md); there the bonus of the two responses
cancels, so every constant c gives the same policy.  The S rows show that without bonus the gap
grows like S (the rate of Theorem 4.5) and with the printed bonus like D²·log N, that is S².

The exponents belong to two algorithms.  Private MLE without bonus: 1 in d, β, C and S.  Algorithm 1
with its bonus: 1 in β and C (rows ``…_with_bonus``), 2 in S; in d, where D² and log N both grow,
no power law but the limit at every d, whose exponents on this world are 1.45, 1.51 and 1.61 from
d = 2 to 16, below the printed 2.

The bonus alone gives a gap of the printed rate, also to a learner who knows the truth, and that
gap is even in the bonus to second order.  So beside its rates in n and c(ε) stand those of
its gap beyond the bonus's own, of which text pairs have too little to be measured; whole gaps are
held to the limit of a normal θ̂ at sizes where the sign of the bonus shows; the gap over S counts
on the side of the response that the bonus spares; and how much of Γ_n the error uses
(``bonus_used``) stands beside the event that it stays below; half of Γ_n covers on the linear
world and a quarter does not (``bonus_half``).
``reward_class=`` replaces the ball in rows with linear rewards: the estimate, B and log N(τ) are
that class's, and rows of a limit need a neighbourhood of the truth in it.

The responses that ``pessimism`` leaves in play are equally good, so fair coins are their true law.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from operator import sub, truediv
from typing import Any

import numpy as np

from repro.base.schema import Model, Positive, Probability
from repro.families.offline_kl import wrong_ppkl as wrong
from repro.families.offline_kl.algorithms_ppkl import (
    BonusConstants,
    LinearProblem,
    OneSidedProblem,
    Problem,
    TwoArmProblem,
    draw_problem,
    joined,
)
from repro.families.offline_kl.cases import OfflineCase, OfflineExperiment, OfflineProbes
from repro.families.offline_kl.wrong_ppkl import event_fails, ppkl, private_mle
from repro.instances.assumptions import realizable_and_covered
from repro.instances.build import World
from repro.instances.linear import LinearWorld
from repro.policies.regularisers import Regulariser
from repro.policies.reward_class import RewardClass
from repro.preferences.label_mixture import LabelMixture
from repro.study.case import Point
from repro.study.claims import Frequency, Ratio, Slope
from repro.study.experiment import Setting
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Evidence, Measure, Need, Row, Values

MAX_KL = 0.02
"""Beyond this the gap is not yet in the regime where its rate is defined."""
MAX_NET_SHARE = 1.0
"""τ·n stays below log(N/δ), so that the theorem's τ term does not show in the sweep of n."""


@dataclass(frozen=True)
class Regime:
    """What a row takes for granted: a prediction, where the row is about large n.

    Attributes:
        predicted: second-order prediction of the mean gap of the row's method; None where the
            row is about no rate.
        normal: whether θ̂ is taken to be normal around the truth in the limit.
    """

    predicted: Callable[[Problem], float] | None
    normal: bool = True


WITH_BONUS = Regime(lambda problem: problem.predicted_gap(with_bonus=True))
WITHOUT_BONUS = Regime(lambda problem: problem.predicted_gap(with_bonus=False))
LIMIT = Regime(None)
ANY_SIZE = Regime(None, normal=False)


def gaps(case: OfflineCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) gap of every method on the same datasets."""
    return _of_methods(case, case.draw(rng, replicates))


def one_sided_gaps(case: OfflineCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) the same, negative where π̂ plays the rarer response more often than π* does."""
    problem = case.draw(rng, replicates)
    assert isinstance(problem, TwoArmProblem)
    return _of_methods(case, OneSidedProblem(**vars(problem)))


def _of_methods(case: OfflineCase, problem: Problem) -> dict[str, np.ndarray]:
    return {m.name: m.run(problem).cpu().numpy() for m in case.methods}


def gaps_over_sizes(
    cases: Sequence[OfflineCase], rngs: Sequence[np.random.Generator], replicates: int
) -> list[Values]:
    """All sizes of a sweep of n in one batch: they share world and budget."""
    drawn = [case.draw(rng, replicates) for case, rng in zip(cases, rngs, strict=True)]
    batch = joined([problem for problem in drawn if isinstance(problem, LinearProblem)])
    found = {
        name: gap.reshape(-1, replicates) for name, gap in _of_methods(cases[0], batch).items()
    }
    return [{name: rows[g] for name, rows in found.items()} for g in range(len(cases))]


def gaps_at(
    cases: Sequence[OfflineCase], rngs: Sequence[np.random.Generator], replicates: int
) -> list[Values]:
    """In one batch where grid points differ in n alone, else one by one."""
    first = cases[0]
    same = all(case.world is first.world and case.epsilon == first.epsilon for case in cases)
    if same and isinstance(first.world, LinearWorld):
        return gaps_over_sizes(cases, rngs, replicates)
    return [gaps(case, rng, replicates) for case, rng in zip(cases, rngs, strict=True)]


def against(
    change: Callable[[Any, float], Any], quantity: str, number: Callable[[OfflineCase], float]
) -> Measure:
    """The gap divided by a number that each case knows, or less it: ``change`` of the two."""

    def one(case: OfflineCase, rng: np.random.Generator, replicates: int) -> Values:
        known = number(case)
        return {name: change(gap, known) for name, gap in gaps(case, rng, replicates).items()}

    def several(cases: Sequence[OfflineCase], rngs: Any, replicates: int) -> list[Values]:
        found = zip(map(number, cases), gaps_at(cases, rngs, replicates), strict=True)
        return [{name: change(gap, known) for name, gap in at.items()} for known, at in found]

    return Measure(quantity, one, Evidence.MEASURED, several)


over, beyond = partial(against, truediv), partial(against, sub)


def gap_of_bonus(case: OfflineCase) -> float:
    """Gap of Algorithm 1 where it knows r*: what its bonus costs."""
    problem = _printed(case)
    return float(problem.gap(-problem.bonus()[None])[0])


def limit(case: OfflineCase) -> float:
    """Mean gap of Algorithm 1 with a normal θ̂ of the inverse Fisher information."""
    return _limit_gap(*_numbers(case))


def limit_share(case: OfflineCase) -> float:
    """The mean largest |r̄ − b − r*|/Γ_n, likewise."""
    return _limit_share(*_numbers(case))


Numbers = tuple[World, int, float, BonusConstants, LabelMixture, Regulariser, RewardClass]
"""What a limit depends on."""


def _numbers(case: OfflineCase) -> Numbers:
    return (
        case.world, case.n_pairs, case.epsilon, case.constants, case.response, case.regulariser,
        case.reward_class,
    )  # fmt: skip


@lru_cache(maxsize=64)
def _limit_gap(*numbers: Any) -> float:
    """Once per case and process: with text pairs it takes longer than a block of datasets."""
    return _problem(*numbers).limit_gap()


@lru_cache(maxsize=64)
def _limit_share(*numbers: Any) -> float:
    return _problem(*numbers).limit_share_of_bonus()


def _printed(case: OfflineCase) -> LinearProblem:
    """The problem with Algorithm 1's own bonus and labels, whatever is done to them in a run."""
    return _problem(*_numbers(case))


def _problem(
    world: World,
    n_pairs: int,
    epsilon: float,
    constants: BonusConstants,
    response: LabelMixture,
    regulariser: Regulariser,
    reward_class: RewardClass,
) -> LinearProblem:
    problem = draw_problem(world, n_pairs, epsilon, constants, np.random.default_rng(0), 1)
    assert isinstance(problem, LinearProblem)
    return replace(problem, response=response, regulariser=regulariser, reward_class=reward_class)


def prediction(regime: Regime) -> Callable[[OfflineCase], float]:
    """The mean gap that second-order expansion predicts, for the case's n and ε."""

    def predicted(case: OfflineCase) -> float:
        assert regime.predicted is not None
        return regime.predicted(replace(case, bonus=1.0).draw(np.random.default_rng(0), 1))

    return predicted


GAP = Measure("suboptimality [reward]", gaps, Evidence.MEASURED, gaps_at)
SCALED = over("suboptimality · kl_weight", lambda case: 1 / case.world.kl_weight)
PREDICTED = "suboptimality / predicted"
OVER_PREDICTED = over(PREDICTED, prediction(WITHOUT_BONUS))
OVER_LIMIT = over("suboptimality / limit", limit)
BEYOND_BONUS = beyond("suboptimality beyond the bonus's own [reward]", gap_of_bonus)
ONE_SIDED = Measure("suboptimality on the cautious side [reward]", one_sided_gaps,
                    Evidence.MEASURED)  # fmt: skip
SHARE = over("largest |r̄ − b − r*|/Γ_n over its limit", limit_share)
EVENT = Measure("event E fails [frequency]", gaps, Evidence.MEASURED)

WRONG = (wrong.naive_likelihood, wrong.epsilon_overstated, wrong.unaccounted_randomizer)
LABELS = (Need.LABELS, Need.TRUTH_HIDDEN)
PRIVATE = (*LABELS, Need.PRIVACY)
SQUARED = "e^{2B} at this ε as B grows at a fixed β·B: a square is lost after eq. (15)"


class Bonus(Model):
    """What eq. (10) leaves free: δ, τ and the constant c."""

    failure_prob: Probability
    net_radius: Positive
    scale: Positive


class OfflineGapProbes(OfflineProbes):
    """Numbers of the experiment; conf/theorem/offline_gap.yaml gives them."""

    bonus: Bonus


class OfflineGap(OfflineExperiment[OfflineCase]):
    """Theorem 4.2 and its parts, each on the smallest world that shows it."""

    title = "P1 Theorem 4.2: offline gap of private pessimistic KL-regularised RLHF"
    settles = ("p1.thm_4_2",)
    config_type = OfflineGapProbes
    config: OfflineGapProbes

    rows = (
        Row("n_pairs", "n_pairs", Slope(-1, "Algorithm 1: gap {rate}"), GAP, ppkl, WRONG,
            on=INSTANCE, given=WITH_BONUS, needs=(Need.LABELS,)),
        Row("n_pairs_beyond_bonus", "n_pairs",
            Slope(-1, "Algorithm 1: gap {rate} beyond the bonus's own"), BEYOND_BONUS, ppkl,
            (wrong.naive_likelihood, wrong.unaccounted_randomizer), on="linear", given=WITH_BONUS,
            needs=LABELS),
        Row("n_pairs_no_bonus", "n_pairs", Slope(-1, "private MLE alone: gap {rate}"), GAP,
            private_mle, WRONG, on=INSTANCE, given=WITHOUT_BONUS, needs=LABELS),
        Row("privacy_cost", "privacy_cost", Slope(2, "gap {rate}"), GAP, ppkl, WRONG,
            on=INSTANCE, given=WITH_BONUS, needs=(Need.LABELS, Need.PRIVACY)),
        Row("privacy_cost_beyond_bonus", "privacy_cost",
            Slope(2, "gap {rate} beyond the bonus's own"), BEYOND_BONUS, ppkl, WRONG,
            on="linear", given=WITH_BONUS, needs=PRIVATE),
        Row("constant", "n_pairs", Ratio("n·gap → tr(Cov_π*·I⁻¹)/(2·kl_weight)"), OVER_PREDICTED,
            private_mle, WRONG, on=INSTANCE, given=WITHOUT_BONUS, needs=PRIVATE),
        Row("constant_with_bonus", "n_pairs",
            Ratio("gap → E gap of r_θ − Γ_n, θ normal with covariance I⁻¹/n"), OVER_LIMIT,
            ppkl, (private_mle, wrong.epsilon_overstated), on=INSTANCE, given=LIMIT,
            needs=(*PRIVATE, Need.PESSIMISM)),
        Row("bonus_covers", "n_pairs",
            Frequency("|r̄ − b − r*| ≤ Γ_n everywhere with probability ≥ 1−δ"), EVENT, event_fails,
            (wrong.event_fails_without_root,), on=INSTANCE, given=ANY_SIZE,
            needs=(Need.LABELS, Need.PESSIMISM)),
        Row("bonus_half", "n_pairs",
            Frequency("|r̄ − b − r*| ≤ Γ_n/2, c = .1, with probability ≥ 1−δ"), EVENT,
            wrong.event_fails_at_half, (wrong.event_fails_at_quarter,), on="linear",
            given=ANY_SIZE, needs=(Need.LABELS, Need.PESSIMISM)),
        Row("bonus_used", "n_pairs", Ratio("E max |r̄ − b − r*|/Γ_n → that of a normal θ̂"), SHARE,
            wrong.share_of_bonus, (wrong.share_of_half_bonus,), on=INSTANCE, given=LIMIT,
            needs=(*PRIVATE, Need.PESSIMISM)),
        Row("num_features", "num_features", Slope(1, "gap {rate}", tolerance=0.1), GAP,
            private_mle, (wrong.frozen_features,), on="features", given=WITHOUT_BONUS,
            needs=LABELS),
        Row("kl_weight", "kl_weight", Slope(-1, "gap {rate} = β"), GAP, private_mle,
            (wrong.inverted_kl_weight,), on="hypercube", given=WITHOUT_BONUS, needs=LABELS),
        Row("coverage", "coverage", Slope(1, "gap {rate}"), GAP, private_mle,
            (wrong.uniform_reference,), on="hypercube", given=WITHOUT_BONUS,
            needs=(*LABELS, Need.COVERAGE)),
        Row("num_states", "num_states", Slope(1, "gap {rate} = log N (rate of Theorem 4.5)"), GAP,
            private_mle, WRONG, on="hypercube", given=WITHOUT_BONUS, needs=LABELS),
        Row("num_states_with_bonus", "num_states", Slope(2, "Algorithm 1: gap {rate} = D²·log N"),
            ONE_SIDED, ppkl, (wrong.bonus_of_one_state,), on="hypercube", given=WITH_BONUS,
            needs=(Need.PESSIMISM,)),
        Row("num_features_with_bonus", "num_features",
            Ratio("Algorithm 1: gap → E gap of r_θ − Γ_n at every d"), OVER_LIMIT, ppkl,
            (private_mle, wrong.epsilon_overstated), on="features", given=LIMIT,
            needs=(*PRIVATE, Need.PESSIMISM)),
        Row("kl_weight_with_bonus", "kl_weight", Slope(-1, "Algorithm 1: gap {rate} = β"),
            ONE_SIDED, ppkl, (wrong.inverted_kl_weight_with_bonus,), on="hypercube",
            given=WITH_BONUS, needs=(Need.PESSIMISM,)),
        Row("coverage_with_bonus", "coverage", Slope(1, "Algorithm 1: gap {rate} = D²"), ONE_SIDED,
            ppkl, (wrong.bonus_without_coverage,), on="hypercube", given=WITH_BONUS,
            needs=(Need.PESSIMISM,)),
        Row("reward_bound_eps_half", "reward_bound", Slope(1, "gap {rate} at ε = 1/2", "at_most"),
            SCALED, ppkl, on="large_difference", given=WITH_BONUS, needs=PRIVATE,
            fixed=("epsilon",), expected="contradicted", why=SQUARED),
        Row("reward_bound_eps_one", "reward_bound", Slope(1, "gap {rate} at ε = 1", "at_most"),
            SCALED, ppkl, on="large_difference", given=WITH_BONUS, needs=PRIVATE,
            fixed=("epsilon",), expected="contradicted", why=SQUARED),
        Row("reward_bound_eps_inf", "reward_bound", Slope(1, "gap {rate} without privacy"),
            SCALED, ppkl, (wrong.hidden_randomizer,), on="large_difference", given=WITH_BONUS,
            needs=LABELS, fixed=("epsilon",)),
        Row("pessimism", "coverage",
            Ratio("n·gap → tr(Cov_π*·I⁻¹)/(2·kl_weight) however small π_ref of bad responses is",
            tolerance=0.1), OVER_PREDICTED, ppkl, (wrong.without_bonus,), on="bad_arms",
            given=ANY_SIZE, needs=(Need.TRUTH_HIDDEN, Need.PESSIMISM)),
    )  # fmt: skip

    def __init__(self, config: OfflineGapProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        self.constants = BonusConstants(**config.bonus.model_dump())
        self.failure_prob = self.constants.failure_prob

    def case(self, point: Point) -> OfflineCase:
        """World, n and ε of one grid point."""
        return OfflineCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
            world=self.world(point), constants=self.constants, **self.selected(point.row),
        )  # fmt: skip

    def selected(self, row: Row) -> dict[str, Any]:
        """The run's channel, divergence and class, in rows with linear rewards.

        The other rows are about worlds in which π* or π_ref is built for KL, or about e^B.
        """
        if row.on not in (INSTANCE, "linear"):
            return {}
        setting = self.setting
        found: dict[str, Any] = {
            "channel": setting.channel, "response": setting.channel,
            "regulariser": setting.regulariser, "reward_class": setting.reward_class,
        }  # fmt: skip
        return {name: one for name, one in found.items() if one is not None}

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """Fields of the row's world, and what was selected in place of the usual."""
        chosen = {name: str(one) for name, one in self.selected(row).items() if name != "response"}
        return {**super().world_numbers(row), **chosen}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 3.8 and Definition 3.3 at both ends of every sweep, and τ ≪ log N/n."""
        return self._selected_class() + tuple(
            AssumptionResult(f"{place}: {name}", holds, detail)
            for trial, place, case in self.ends(OfflineCase)
            for name, holds, detail in (
                *realizable_and_covered(case.world),
                self._negligible_net(case),
                _small_gap(case, trial.row.given),
            )
        )

    def _selected_class(self) -> tuple[AssumptionResult, ...]:
        """Realizability in a class that was selected, and in rows of a limit a neighbourhood."""
        chosen = self.setting.reward_class
        if chosen is None:
            return ()
        found = {
            "the truth in the selected class": chosen.contains,
            "a neighbourhood of the truth in the selected class": chosen.surrounds,
        }
        outside: dict[str, list[str]] = {name: [] for name in found}
        for trial in self.trials:
            world, row = trial.cases[0].world, trial.row
            if not self.selected(row) or not isinstance(world, LinearWorld):
                continue
            for (name, holds), asked in zip(found.items(), (True, row.given.normal), strict=True):
                if asked and not holds(world.theta, world):
                    outside[name].append(row.name)
        return tuple(
            AssumptionResult(name, not rows, f"{chosen}; not in {', '.join(rows) or 'no row'}")
            for name, rows in outside.items()
        )

    def _negligible_net(self, case: OfflineCase) -> tuple[str, bool, str]:
        share = self.constants.net_radius * case.n_pairs
        return "net radius", share <= MAX_NET_SHARE, f"τ·n = {share:.3g}"


def _small_gap(case: OfflineCase, regime: Regime) -> tuple[str, bool, str]:
    """Rates are about n large enough: predicted KL(π̂‖π*) at most MAX_KL."""
    name = "labels enough for the rate to show"
    if regime.predicted is None:
        return name, True, "not a rate"
    kl = prediction(regime)(case) / case.world.kl_weight
    return name, kl <= MAX_KL, f"predicted KL {kl:.2g}"
