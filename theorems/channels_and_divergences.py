"""Beyond randomized response and KL: the gap for every binary channel and every f-divergence.

Statement (ours; proofs in docs/explanations/beyond_randomized_response.md).  A binary ε-private
channel that does not turn labels round is randomized response with probability w, else a constant
answer.  Each pair is shown in one fixed order, in which I is the information of a report.
J(π) = E[r] − λ·D_f(π‖π_ref); k = h₁h₂/(h₁+h₂) of two responses, h = π_ref/f″(π*/π_ref).

    information:   1/I(x) = V + V²·(κ₀(1−σ) + κ₁σ) ≥ that of randomized response of the same ε;
    every n:       the MLE's error is at most 4·W·L/n with probability ≥ 1−δ, W = max 1/I, as for
                   randomized response; SubOpt ≤ Var_π_ref[error]/(2λ·inf f″), so under χ² neither
                   pessimism nor coverage is needed (Zhao et al., arXiv 2502.06051);
    large n:       n·SubOpt → k/(2λ·q·I) with two responses, tr(H·I⁻¹)/(2λ) with linear rewards:
                   f″ and the channel act as factors.  C^min(1, 2−α) of an α-divergence at fixed π*;
    unknown rates: the same with the block of the reward in the inverse of the joint information;
    flat f:        f = |w−1|^p: gap ∝ n^(−q/2)·λ^(1−q), q = p/(p−1), where π* = π_ref: the fast rate
                   is lost for p > 2.

Rows.  Each constant over Fisher's, for ten channels (five mixtures, flips given as such, a skewed
one with linear rewards, rankings of three, rates estimated, rates calibrated on questions of known
answer) and six divergences; exponents in n, c(ε), λ where f is flat or sharp at 1, and in C by α;
the steps in random cases.
Beside the usual controls one that keeps the signal but believes constant
answers to be fair coins, one that plays the Gibbs policy under another divergence, and one whose
errors are those of half of the labels.

What would refute it: a constant outside its margin, another exponent, one random case above 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from repro.estimators.channel_mle import BOTH, SYMMETRIC
from repro.families.offline_kl import algorithms_rankings as ranked
from repro.families.offline_kl import bounds_channels as bound
from repro.families.offline_kl import proofs_scalar as proof
from repro.families.offline_kl import searches_channels as step
from repro.families.offline_kl.algorithms_channel_learners import (
    believed_symmetric,
    calibrated,
    half_of_the_labels,
    policy_of_kl,
    unknown_flip,
    unknown_flips,
)
from repro.families.offline_kl.cases import OfflineCase, realizable, searched, searched_of_labels
from repro.families.offline_kl.cases_channels import (
    ChannelCase,
    ChannelExperiment,
    RankingCase,
    Setup,
    alike,
    level,
)
from repro.instances.linear import LinearWorld
from repro.pessimism import learners
from repro.policies import regularisers as f
from repro.preferences.label_mixture import LabelMixture, mixture_of_flips
from repro.study.claims import Inequality, Ratio, Slope
from repro.study.proofs import proved
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Need, Row, Values, method, privacy_mistake


def gaps(case: ChannelCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) gap of every method."""
    problem = case.draw(rng, replicates)
    return {m.name: m.run(problem).cpu().numpy() for m in case.methods}


def over(quantity: str, unit: Callable[[ChannelCase], float]) -> Measure:
    """The gap over a number that each case knows."""

    def ratios(case: ChannelCase, rng: np.random.Generator, replicates: int) -> Values:
        known = unit(case)
        return {name: gap / known for name, gap in gaps(case, rng, replicates).items()}

    return Measure(quantity, ratios, Evidence.MEASURED)


def fisher(case: ChannelCase) -> float:
    """The limit of n·gap over n, from the information of a report and f″."""
    honest = ChannelCase(
        methods=(), epsilon=case.epsilon, n_pairs=case.n_pairs, world=case.world,
        response=case.response, regulariser=case.regulariser,
        calibration_share=case.calibration_share,
    )  # fmt: skip
    return honest.draw(np.random.default_rng(0), 1).predicted_gap(with_bonus=False)


def linear_unit(
    covariance: Callable[..., object], *given: object
) -> Callable[[ChannelCase], float]:
    """n·gap that a covariance of θ̂ gives, over n."""

    def unit(case: ChannelCase) -> float:
        assert isinstance(case.world, LinearWorld)
        found = covariance(case.world, case.epsilon, case.response, *given)
        return bound.gap_of_covariance(case.world, found) / case.n_pairs  # type: ignore[arg-type]

    return unit


def calibrated_gaps(case: ChannelCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) gap over its limit, rates read off questions of known answer."""
    problem = case.calibrated(rng, replicates)
    unit = linear_unit(bound.calibrated_covariance, case.calibration_share)(case)
    return {m.name: m.run(problem).cpu().numpy() / unit for m in case.methods}


def ranking_gaps(case: RankingCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) gap over its limit."""
    problem = case.draw(rng, replicates)
    unit = case.world.gap_constant(case.epsilon) / case.n_pairs
    return {m.name: m.run(problem).cpu().numpy() / unit for m in case.methods}


private_mle = method(learners.private_mle)
naive_likelihood = privacy_mistake(learners.naive_likelihood)
epsilon_overstated = privacy_mistake(learners.epsilon_overstated)
QUANTITY = "suboptimality / Fisher's"
GAP = Measure("suboptimality [reward]", gaps, Evidence.MEASURED)
SCALED = over("suboptimality · kl_weight", lambda case: 1 / case.world.kl_weight)
OVER_FISHER = over(QUANTITY, fisher)
OVER_FLIP = over(QUANTITY, linear_unit(bound.profile_covariance, SYMMETRIC))
OVER_FLIPS = over(QUANTITY, linear_unit(bound.profile_covariance, BOTH))
OVER_CALIBRATED = Measure(QUANTITY, calibrated_gaps, Evidence.MEASURED)
OVER_RANKED = Measure(QUANTITY, ranking_gaps, Evidence.MEASURED)
RATIO = "left side / right side"

OFTEN_NO, OFTEN_YES = LabelMixture(0.5, 0.0), LabelMixture(0.5, 0.5)
HALF_COIN, SKEWED = LabelMixture(0.5, 0.25), LabelMixture(0.7, 0.25)
FLIPS = mixture_of_flips(0.35, 0.4, 1.0)
ALPHA_3 = f.AlphaMixture(((1.0, 3.0),))
FLAT, SHARP = f.PowerDivergence(4.0), f.PowerDivergence(1.5)

LABELS = (Need.LABELS, Need.TRUTH_HIDDEN)
IDENTITY = replace(searched("error / rounding", step.plans), evidence=Evidence.COMPUTED)
ON_COVERAGE = (*LABELS, Need.COVERAGE)
PRIVATE = (*LABELS, Need.PRIVACY)
WRONG = (naive_likelihood, epsilon_overstated, half_of_the_labels)
LOPSIDED = (*WRONG, believed_symmetric)
OTHER_F = (half_of_the_labels, policy_of_kl)
NAIVE = (naive_likelihood,)
CHANNEL, DIVERGENCE, RATES = (
    ("own.every_channel",),
    ("own.f_divergence_gap",),
    ("own.unknown_rates",),
)
TABLE, LINEAR, CASES, RANKED = "table", "linear", "random cases", "rankings"
CONSTANT = "n·gap → k/(2λqI)"


class ChannelsAndDivergences(ChannelExperiment):
    """Constants and exponents by channel and by divergence."""

    title = "P1 beyond randomized response and KL: every binary channel, every f-divergence"
    settles = CHANNEL
    searched_on, ranked_on = CASES, RANKED

    rows = (
        Row("randomized_response", "epsilon", Ratio(CONSTANT), OVER_FISHER, private_mle, WRONG,
            on=TABLE, given=Setup(), needs=PRIVATE),
        Row("often_no", "epsilon", Ratio(f"{CONSTANT}: half of the answers are no"), OVER_FISHER,
            private_mle, LOPSIDED, on=TABLE, given=Setup(OFTEN_NO), needs=PRIVATE),
        Row("often_yes", "epsilon", Ratio(f"{CONSTANT}: half of the answers are yes"), OVER_FISHER,
            private_mle, LOPSIDED, on=TABLE, given=Setup(OFTEN_YES), needs=PRIVATE),
        Row("half_coin", "epsilon", Ratio(f"{CONSTANT}: half of the answers are coins"),
            OVER_FISHER, private_mle, WRONG, on=TABLE, given=Setup(HALF_COIN), needs=PRIVATE),
        Row("skewed", "epsilon", Ratio(f"{CONSTANT}: three in ten constant, most of them yes"),
            OVER_FISHER, private_mle, LOPSIDED, on=TABLE, given=Setup(SKEWED), needs=PRIVATE),
        Row("flips", "epsilon", Ratio(f"{CONSTANT}: flips .35 and .4 at ε = 1"), OVER_FISHER,
            private_mle, LOPSIDED, on=TABLE, given=Setup(FLIPS), needs=PRIVATE),
        Row("skewed_linear", "n_pairs", Ratio("n·gap → tr(H·I⁻¹)/(2λ), skewed"), OVER_FISHER,
            private_mle, WRONG, on=LINEAR, given=Setup(SKEWED), needs=PRIVATE),
        Row("rankings", "epsilon", Ratio("n·gap → tr(Cov_π*·I⁺)/(2λ): one of K! rankings",
            tolerance=0.1),
            OVER_RANKED, ranked.ranking_mle,
            (ranked.rankings_overstated, ranked.half_of_the_rankings),
            on=RANKED, needs=PRIVATE),
        Row("unknown_flip", "n_pairs", Ratio("n·gap → tr(H·J⁻¹)/(2λ): flip rate estimated",
            tolerance=0.1),
            OVER_FLIP, unknown_flip, (private_mle, epsilon_overstated), on=LINEAR,
            given=Setup(), needs=LABELS, settles=RATES),
        Row("unknown_flips", "n_pairs", Ratio("n·gap → tr(H·J⁻¹)/(2λ): both rates estimated",
            tolerance=0.1),
            OVER_FLIPS, unknown_flips, (private_mle, epsilon_overstated), on=LINEAR,
            given=Setup(SKEWED), needs=LABELS, settles=RATES),
        Row("calibrated", "n_pairs", Ratio("rates read off questions of known answer",
            tolerance=0.1),
            OVER_CALIBRATED, calibrated, (private_mle, epsilon_overstated), on=LINEAR,
            given=Setup(SKEWED), needs=LABELS, settles=RATES),
        Row("rate_n", "n_pairs", Slope(-1, "skewed labels, Hellinger: gap {rate}"), GAP,
            private_mle, NAIVE, on=TABLE, given=Setup(SKEWED, f.HELLINGER), needs=LABELS,
            settles=(*CHANNEL, *DIVERGENCE)),
        Row("rate_cost", "privacy_cost", Slope(2, "mostly no, χ²: gap {rate}"), GAP, private_mle,
            NAIVE, on=TABLE, given=Setup(OFTEN_NO, f.CHI_SQUARED), needs=PRIVATE,
            settles=(*CHANNEL, *DIVERGENCE)),
        Row("forward_kl", "kl_weight", Ratio(f"{CONSTANT}: KL(π_ref‖π)"), OVER_FISHER, private_mle,
            OTHER_F, on=TABLE, given=Setup(SKEWED, f.FORWARD_KL), needs=PRIVATE,
            settles=DIVERGENCE),
        Row("chi_squared", "kl_weight", Ratio(f"{CONSTANT}: χ²"), OVER_FISHER, private_mle,
            OTHER_F, on=TABLE, given=Setup(SKEWED, f.CHI_SQUARED), needs=PRIVATE,
            settles=DIVERGENCE),
        Row("hellinger_gap", "kl_weight", Ratio(f"{CONSTANT}: Hellinger"), OVER_FISHER,
            private_mle, OTHER_F, on=TABLE, given=Setup(SKEWED, f.HELLINGER), needs=PRIVATE,
            settles=DIVERGENCE),
        Row("alpha_3_2", "kl_weight", Ratio(f"{CONSTANT}: α = 3/2"), OVER_FISHER, private_mle,
            OTHER_F, on=TABLE, given=Setup(SKEWED, f.ALPHA_3_2), needs=PRIVATE,
            settles=DIVERGENCE),
        Row("kl_and_chi_squared", "kl_weight", Ratio(f"{CONSTANT}: KL and χ²"), OVER_FISHER,
            private_mle, OTHER_F, on=TABLE, given=Setup(SKEWED, f.KL_AND_CHI_SQUARED),
            needs=PRIVATE, settles=DIVERGENCE),
        Row("flat_n", "n_pairs", Slope(-2 / 3, "f = |w−1|⁴: gap {rate}"), GAP, private_mle,
            (policy_of_kl,), on="level", given=Setup(SKEWED, FLAT, level),
            needs=(Need.TRUTH_HIDDEN,), settles=DIVERGENCE),
        Row("flat_cost", "privacy_cost", Slope(4 / 3, "f = |w−1|⁴: gap {rate}"), GAP, private_mle,
            NAIVE, on="level", given=Setup(SKEWED, FLAT, level),
            needs=(Need.TRUTH_HIDDEN, Need.PRIVACY), settles=DIVERGENCE),
        Row("flat_kl_weight", "kl_weight", Slope(-1 / 3, "f = |w−1|⁴: gap {rate}"), GAP,
            private_mle, (policy_of_kl,), on="level", given=Setup(SKEWED, FLAT, level),
            needs=(Need.TRUTH_HIDDEN,), settles=DIVERGENCE),
        Row("sharp_n", "n_pairs", Slope(-1.5, "f = |w−1|^1.5: gap {rate}"), GAP, private_mle,
            (policy_of_kl,), on="level", given=Setup(SKEWED, SHARP, level),
            needs=(Need.TRUTH_HIDDEN,), settles=DIVERGENCE),
        Row("coverage_kl", "coverage", Slope(1, "KL: λ·gap {rate} at fixed π*"), SCALED,
            private_mle, NAIVE, on="alike", given=Setup(SKEWED, f.KL, alike), needs=ON_COVERAGE,
            settles=DIVERGENCE),
        Row("coverage_alpha_3_2", "coverage", Slope(0.5, "α = 3/2: λ·gap {rate} at fixed π*"),
            SCALED, private_mle, NAIVE, on="alike", given=Setup(SKEWED, f.ALPHA_3_2, alike),
            needs=ON_COVERAGE, settles=DIVERGENCE),
        Row("coverage_chi_squared", "coverage", Slope(0, "χ²: λ·gap {rate} at fixed π*"), SCALED,
            private_mle, NAIVE, on="alike", given=Setup(SKEWED, f.CHI_SQUARED, alike),
            needs=LABELS, settles=DIVERGENCE),
        Row("coverage_alpha_3", "coverage", Slope(-1, "α = 3: λ·gap {rate} at fixed π*"), SCALED,
            private_mle, NAIVE, on="alike", given=Setup(SKEWED, ALPHA_3, alike), needs=ON_COVERAGE,
            settles=DIVERGENCE),
        Row("best_channel", "reward_bound",
            Inequality("no binary ε-private channel tells more than randomized response"),
            searched_of_labels(RATIO, step.two_reports), step.best_channel,
            (step.best_channel_ten_percent,), on=CASES, needs=(Need.PRIVACY,)),
        Row("hellinger", "reward_bound", Inequality("(Δ − Δ′)² ≤ 8W·(1 − affinity)"),
            searched_of_labels(RATIO, step.two_reports), step.hellinger,
            (step.hellinger_ten_percent, step.hellinger_quieter_end), on=CASES,
            needs=(Need.LABELS,)),
        Row("table_error", "reward_bound", Inequality("E(Δ̂ − Δ)² ≤ 8W/(m+1)"),
            searched_of_labels(RATIO, step.table_state), step.table_error,
            (step.table_error_sixteenth,), on=CASES, needs=(Need.LABELS,)),
        Row("no_coverage", "kl_weight", Inequality("SubOpt ≤ Var_π_ref[error]/(2λ·inf f″)"),
            proved(RATIO), proof.no_coverage, (proof.no_coverage_ten_percent,),
            on=CASES, settles=DIVERGENCE),
        Row("identity", "kl_weight", Inequality("Bregman's form of SubOpt, to rounding"),
            IDENTITY, step.identity,
            (step.identity_one_percent,), on=CASES, settles=DIVERGENCE),
    )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 3.8 and Definition 3.3 at both ends of every measured sweep."""
        return self.at_both_ends(OfflineCase, realizable)
