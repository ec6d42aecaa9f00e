"""Beyond randomized response and KL: the gap for every binary channel and every f-divergence.

Own statement (proofs in docs/explanations/beyond_randomized_response.md).  A binary ε-private
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

Checks.  Each constant over Fisher's, for ten channels (five mixtures, flips given as such, a skewed
one with linear rewards, rankings of three, rates estimated, rates calibrated on questions of known
answer) and six divergences; exponents in n, c(ε), λ where f is flat or sharp at 1, and in C by α;
the steps in random cases.
Beside the usual controls one that keeps the signal but believes constant
answers to be fair coins, one that plays the Gibbs policy under another divergence, and one whose
errors are those of half of the labels.

What would refute it: a constant outside its margin, another exponent, one random case above 1.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from repro.base.schema import (
    Count,
    Epsilon,
    Finite,
    KLWeight,
    Pairs,
    Positive,
    Probability,
    RewardBound,
    Share,
)
from repro.core.check import (
    Algorithm,
    Assumed,
    Check,
    Quantity,
    Theorem,
    at_both_ends,
    named,
)
from repro.core.claims import Inequality, Ratio, Slope
from repro.core.proofs import Claimed, proof_of
from repro.core.random_cases import searched
from repro.labels.preferences.label_information import sigmoid
from repro.labels.preferences.label_law import (
    Channel,
    Estimate,
    LabelLaw,
    as_fitted,
    bradley_terry,
)
from repro.labels.preferences.label_mixture import (
    RANDOMIZED_RESPONSE,
    LabelMixture,
    mixture_of_flips,
)
from repro.labels.preferences.label_process import LabelProcess
from repro.p1.binary_channels import bounds as bound
from repro.p1.binary_channels import rankings as ranked
from repro.p1.binary_channels import steps as step
from repro.p1.binary_channels.fixed_policy import (
    either_order_world,
    fixed_policy_world,
    level_world,
)
from repro.p1.pessimism.datasets import (
    Datasets,
    InstanceLabels,
    LinearDatasets,
    OfflineLabels,
    TwoArmDatasets,
)
from repro.p1.pessimism.learners import epsilon_overstated, naive_likelihood, private_mle
from repro.worlds.estimators.channel_mle import BOTH, SYMMETRIC, Directions, channel_mle, rates_of
from repro.worlds.estimators.two_arm_mle import two_arm_mle
from repro.worlds.instances.assumptions import realizable_and_covered
from repro.worlds.instances.labelled import PrivateLabels
from repro.worlds.instances.linear import LinearWorld
from repro.worlds.instances.two_arms import TwoArmWorld
from repro.worlds.policies import regularisers as f
from repro.worlds.policies.regularisers import KL, Regulariser, regularised_policy

FIRST_GUESS = 1.3
"""The search for unknown rates begins at a budget 30 % too high."""
OFF = 0.9
"""A planted constant, 10 % too small."""
FAR = 1e6
"""Largest errors, in units of what they are compared with."""
CHANNELS: Mapping[str, LabelMixture] = {
    "randomized_response": RANDOMIZED_RESPONSE,
    "often_no": LabelMixture(0.5, 0.0),
    "often_yes": LabelMixture(0.5, 0.5),
    "half_coin": LabelMixture(0.5, 0.25),
    "skewed": LabelMixture(0.7, 0.25),
    "flips": mixture_of_flips(0.35, 0.4, 1.0),
}
DIVERGENCES: Mapping[str, Regulariser] = {
    "kl": f.KL,
    "forward_kl": f.FORWARD_KL,
    "chi_squared": f.CHI_SQUARED,
    "hellinger": f.HELLINGER,
    "alpha_3_2": f.ALPHA_3_2,
    "alpha_3": f.AlphaMixture(((1.0, 3.0),)),
    "kl_and_chi_squared": f.KL_AND_CHI_SQUARED,
    "flat": f.PowerDivergence(4.0),
    "sharp": f.PowerDivergence(1.5),
}
WORDS = {"channel": CHANNELS, "response": CHANNELS, "regulariser": DIVERGENCES}
"""What a word of the config stands for; ``response`` is the channel that the learner knows."""


@dataclass(frozen=True, eq=False)
class CalibratedDatasets(LinearDatasets):
    """Labels, and reports on questions of known answer.

    Attributes:
        rates: (R, 2) base and signal, as the reports' frequencies give them.
    """

    rates: Tensor | None = None


# The worlds --------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ChannelInstance(InstanceLabels):
    """Labels of an instance from a known channel.

    Attributes:
        calibration_share: questions of known answer, as a share of n.
    """

    calibration_share: Share
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = WORDS

    def calibrated(self, rng: np.random.Generator, replicates: int) -> CalibratedDatasets:
        """R datasets with the rates that questions of known answer give, half of each answer."""
        data = self.draw(rng, replicates)
        answers = torch.tensor([0.0, 1.0], dtype=torch.float64)
        chances = self.channel(self.labels(answers), self.epsilon).numpy()
        asked = round(self.calibration_share * self.n_pairs / 2)
        reports = torch.from_numpy(rng.binomial(asked, chances, size=(replicates, 2)) / asked)
        rates = torch.stack([reports[:, 0], reports[:, 1] - reports[:, 0]], dim=-1)
        return CalibratedDatasets(**vars(data), rates=rates)


@dataclass(frozen=True, kw_only=True)
class LevelLabels(OfflineLabels):
    """Labels of states with two responses as good as each other: π* = π_ref for every f.

    Attributes:
        num_states, kl_weight, reward_bound: S, λ and B.
    """

    num_states: Count
    kl_weight: KLWeight
    reward_bound: RewardBound
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = WORDS

    @property
    def world(self) -> TwoArmWorld:
        return level_world(self.num_states, self.kl_weight, self.reward_bound)


@dataclass(frozen=True, kw_only=True)
class EitherOrder(OfflineLabels):
    """Labels of two responses that are shown in either order.

    Attributes:
        reward_difference, reward_bound: Δ and B.
    """

    reward_difference: Positive
    reward_bound: RewardBound
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = WORDS

    def __post_init__(self) -> None:
        if self.reward_difference >= self.reward_bound:
            raise ValueError(f"reward_difference below the reward bound {self.reward_bound:g}")

    @property
    def world(self) -> LinearWorld:
        return either_order_world(self.reward_difference, self.reward_bound)


@dataclass(frozen=True, kw_only=True)
class AlikeLabels(OfflineLabels):
    """Labels of one state whose two responses π* plays alike; λ follows coverage and divergence.

    Attributes:
        coverage: C > 2, twice the density ratio π*/π_ref of the first response.
        reward_difference, reward_bound: of the two rewards, and B.
        reference: whether π_ref is as stated, or uniform.
    """

    coverage: Annotated[Finite, Field(gt=2)]
    reward_difference: Positive
    reward_bound: RewardBound
    reference: Literal["as_stated", "uniform"] = "as_stated"
    words: ClassVar[Mapping[str, Mapping[str, Any]]] = WORDS

    @property
    def world(self) -> TwoArmWorld:
        given = self.coverage, self.reward_difference, self.reward_bound, self.regulariser
        stated = fixed_policy_world(*given)
        return stated if self.reference == "as_stated" else stated.under_uniform_reference()


@dataclass(frozen=True, kw_only=True)
class RankedLabels:
    """n reported rankings of the responses of one state.

    Attributes:
        epsilon: budget that the learner believes in.
        n_pairs: n.
        rewards, reference_weights, kl_weight: of the responses, of π_ref, and λ.
        labels: what rankings are drawn from, by their true probabilities.
        channel: who randomizes them.
        estimate: (fitted, truth) → what the estimator returns.
    """

    epsilon: Epsilon
    n_pairs: Pairs
    rewards: Annotated[tuple[Finite, ...], Field(min_length=2, max_length=5)]
    reference_weights: Annotated[tuple[Probability, ...], Field(min_length=2, max_length=5)]
    kl_weight: KLWeight
    labels: LabelLaw = bradley_terry
    channel: Channel = ranked.ranking_response
    estimate: Estimate = as_fitted
    words: ClassVar[Mapping[str, Any]] = {
        **PrivateLabels.words,
        "channel": {"ranking_response": ranked.ranking_response},
    }

    def __post_init__(self) -> None:
        if len(self.rewards) != len(self.reference_weights):
            raise ValueError(f"as many references as rewards, {len(self.rewards)}")

    @property
    def world(self) -> ranked.RankingWorld:
        """The truth."""
        return _ranked(self.rewards, self.reference_weights, self.kl_weight)

    def draw(self, rng: np.random.Generator, replicates: int) -> ranked.RankingProblem:
        """R datasets of n reports."""
        world = self.world
        law = self.labels(world.ranking_prob(world.reward))
        released = self.channel(law / law.sum(), self.epsilon)
        counts = ranked.draw_rankings(rng, released, self.n_pairs, replicates)
        return ranked.RankingProblem(world, counts, self.epsilon, self.estimate)


@lru_cache(maxsize=64)
def _ranked(
    rewards: tuple[float, ...], weights: tuple[float, ...], kl_weight: float
) -> ranked.RankingWorld:
    reward, reference = (torch.tensor(values, dtype=torch.float64) for values in (rewards, weights))
    return ranked.RankingWorld(reward, reference / reference.sum(), kl_weight)


@dataclass(frozen=True, kw_only=True)
class AnyChannel:
    """Random rewards in [−B, B] and random channels.

    Attributes:
        reward_bound: B.
        labels: what labels are drawn from.
        channel: who randomizes them; None: the channel of the case.
        estimate: (fitted, truth) → what the estimator returns.
    """

    reward_bound: RewardBound
    labels: LabelLaw = bradley_terry
    channel: Channel | None = None
    estimate: Estimate = as_fitted

    def stages(self, response: LabelMixture) -> LabelProcess:
        """How labels come about in a case whose channel that is."""
        return LabelProcess(self.labels, self.channel or response, self.estimate)


@dataclass(frozen=True, kw_only=True)
class AnyWeight:
    """Random policies and rewards.

    Attributes:
        kl_weight: λ.
    """

    kl_weight: KLWeight


# Learners: right, and wrong on purpose ----------------------------------------------------------


def believed_symmetric(data: TwoArmDatasets) -> Tensor:
    """Wrong: the right signal, but constant answers believed fair coins."""
    truth = data.source.response.truth
    fair = LabelMixture(truth, (1 - truth) / 2)
    world = data.world
    fitted = two_arm_mle(data.counts, data.epsilon, world.reward_bound, fair)
    return data.gap(data.error(data.source.estimate(fitted, world.reward_diff)))


def orders_forgotten(data: LinearDatasets) -> Tensor:
    """Wrong where pairs come in either order: constant answers taken for fair coins.

    So they are on average over both orders, and the estimate is consistent; it loses information.
    """
    truth = data.source.response.truth
    fair = replace(data.source, response=LabelMixture(truth, (1 - truth) / 2))
    return data.gap(data.error(replace(data, source=fair).fit(data.epsilon)))


def half_of_the_labels(data: Datasets) -> Tensor:
    """Wrong by a factor 2: errors √2 times as large as those of all labels."""
    return data.gap(2**0.5 * data.error(data.fit(data.epsilon)))


def policy_of_kl(data: TwoArmDatasets) -> Tensor:
    """Wrong under another divergence: the Gibbs policy, which KL calls for."""
    error = data.error(data.fit(data.epsilon))
    return _gap_of_policy(data, data.world.reward_diff + error, KL)


def _gap_of_policy(data: TwoArmDatasets, difference: Tensor, played: Regulariser) -> Tensor:
    """(R,) gap, under the data's divergence, of the policy that another calls for."""
    world, own = data.world, data.source.regulariser
    reward = torch.stack([difference, torch.zeros_like(difference)], dim=-1)
    ratio, _ = regularised_policy(played, world.policies, reward, world.kl_weight)
    # the reward whose policy under the data's own divergence that is
    meant = world.kl_weight * own.slope(ratio)
    return data.gap(meant[..., 0] - meant[..., 1] - world.reward_diff)


def _unknown(data: LinearDatasets, directions: Directions) -> Tensor:
    start = rates_of(data.source.response, FIRST_GUESS * data.epsilon, data.counts.wins)
    world = data.world
    fitted = channel_mle(data.counts, world.feature_diff, start, world.radius, directions)
    return data.gap(data.error(data.source.estimate(fitted, world.theta)))


def unknown_flip(data: LinearDatasets) -> Tensor:
    """MLE of reward and flip probability together, both labels flipped alike."""
    return _unknown(data, SYMMETRIC)


def unknown_flips(data: LinearDatasets) -> Tensor:
    """MLE of reward and both flip probabilities together."""
    return _unknown(data, BOTH)


def calibrated(data: CalibratedDatasets) -> Tensor:
    """MLE with the rates of the questions of known answer."""
    assert data.rates is not None
    world = data.world
    fitted = channel_mle(data.counts, world.feature_diff, data.rates, world.radius)
    return data.gap(data.error(data.source.estimate(fitted, world.theta)))


# Random cases and a proof ------------------------------------------------------------------------


def two_reports(world: AnyChannel, rng: np.random.Generator) -> step.TwoReports:
    """Two differences and a channel."""
    return step.two_reports(world.reward_bound, rng, world.stages)


def table_state(world: AnyChannel, rng: np.random.Generator) -> step.ReportedState:
    """Reports of one state."""
    return step.table_state(world.reward_bound, rng, world.stages)


def plans(world: AnyWeight, rng: np.random.Generator) -> step.Plans:
    """A policy for a wrong reward."""
    return step.plans(world.kl_weight, rng)


def no_coverage(world: AnyWeight, share: float = 1.0) -> Claimed:
    """SubOpt over share·Var_π_ref[error]/(2λm), where f″ ≥ m, response by response.

    SubOpt is λ·Σπ_ref·h(ŵ) for h(w) = f(w) − f(w*) − (f′(w*) + c)(w − w*), whatever c is, as
    ŵ − w* has mean 0; with c the mean of f′(ŵ) − f′(w*) the errors' variance is λ²·Σπ_ref·h′(ŵ)².
    As h(w*) = 0,

        h(ŵ) = h′²/(2m) − (h′ + m(w* − ŵ))²/(2m) − R,

    R ≥ 0 the Bregman divergence of the convex f − m·w²/2.  Over h′²/(2m), with z = m(w* − ŵ)/h′ and
    r = 2mR/h′² ≥ 0, that is 1 − (1 + z)² − r.
    """
    return Claimed(((-FAR, FAR), (0.0, FAR)), lambda z, r: (1 - (1 + z) ** 2 - r) / share)


# Quantities --------------------------------------------------------------------------------------


def drawn(world: OfflineLabels, rng: np.random.Generator, replicates: int) -> Datasets:
    """R datasets, the same for every algorithm."""
    return world.draw(rng, replicates)


def calibrating(world: ChannelInstance, rng: np.random.Generator, replicates: int):
    """R datasets with calibrated rates."""
    return world.calibrated(rng, replicates)


def rankings(world: RankedLabels, rng: np.random.Generator, replicates: int):
    """R datasets of rankings."""
    return world.draw(rng, replicates)


def of_data(world: Any, algorithm: Algorithm, data: Any, replicates: int) -> np.ndarray:
    """(R,) gap."""
    return algorithm(data).cpu().numpy()


@lru_cache(maxsize=256)
def fisher(world: OfflineLabels) -> float:
    """The limit of n·gap over n, from the information of a report and f″."""
    return world.draw(np.random.default_rng(0), 1).predicted_gap()


def _of_covariance(world: ChannelInstance, covariance: Callable[..., Tensor], given: Any) -> float:
    """n·gap that a covariance of θ̂ gives, over n."""
    truth = world.world
    assert isinstance(truth, LinearWorld)
    of_theta = covariance(truth, world.epsilon, world.response, given)
    return bound.gap_of_covariance(truth, of_theta) / world.n_pairs


def mean_information(world: EitherOrder) -> float:
    """k/(2λqĪ)/n with Ī = (I(Δ) + I(−Δ))/2, q = ½ and k = π*(1−π*)."""
    apart = world.reward_difference
    informed = [
        1 / bound.inverse_information(x, world.epsilon, world.response) for x in (apart, -apart)
    ]
    chance = sigmoid(apart) * sigmoid(-apart)
    return chance / (0.5 * sum(informed) * world.n_pairs)


def flip_estimated(world: ChannelInstance) -> float:
    """Both labels flipped alike, with an estimated probability."""
    return _of_covariance(world, bound.profile_covariance, SYMMETRIC)


def rates_estimated(world: ChannelInstance) -> float:
    """Both rates estimated."""
    return _of_covariance(world, bound.profile_covariance, BOTH)


def rates_calibrated(world: ChannelInstance) -> float:
    """Rates read off questions of known answer."""
    return _of_covariance(world, bound.calibrated_covariance, world.calibration_share)


def ranked_gap(world: RankedLabels) -> float:
    """tr(Cov_π*·I⁺)/(2λn)."""
    return world.world.gap_constant(world.epsilon) / world.n_pairs


def inverse_weight(world: Any) -> float:
    """1/λ."""
    return 1 / world.world.kl_weight


QUANTITY, RATIO = "suboptimality / Fisher's", "left side / right side"
GAP = Quantity("suboptimality [reward]", of_data, drawn=drawn)
SCALED = Quantity("suboptimality · kl_weight", of_data, drawn=drawn, over=inverse_weight)
OVER_FISHER = Quantity(QUANTITY, of_data, drawn=drawn, over=fisher)
OVER_MEAN = replace(OVER_FISHER, over=mean_information)
OVER_FLIP = replace(OVER_FISHER, over=flip_estimated)
OVER_FLIPS = replace(OVER_FISHER, over=rates_estimated)
OVER_CALIBRATED = Quantity(QUANTITY, of_data, drawn=calibrating, over=rates_calibrated)
OVER_RANKED = Quantity(QUANTITY, of_data, drawn=rankings, over=ranked_gap)
PROVED = Quantity(RATIO, proof_of, evidence="proved")
IDENTITY = replace(searched("error / rounding", plans), evidence="computed")

# The claims --------------------------------------------------------------------------------------

WRONG = (naive_likelihood, epsilon_overstated, half_of_the_labels)
known_flips = named("private_mle", private_mle, "the flip rate is given, not estimated")
LOPSIDED = (*WRONG, believed_symmetric)
EITHER = (*WRONG, orders_forgotten)
OTHER_F = (half_of_the_labels, policy_of_kl)
NAIVE = (naive_likelihood,)
CHANNEL, DIVERGENCE, RATES = "own.every_channel", "own.f_divergence_gap", "own.unknown_rates"
CONSTANT = "n·gap → k/(2λqI)"
NO_ESTIMATE = dict.fromkeys(
    ("estimate", "algorithm"), "about the law of a label: nothing is learnt"
)
TOLD = {"labels": "an upper bound on what a label tells: fair coins tell nothing", **NO_ESTIMATE}
LEVEL = ("flat_n", "flat_cost", "flat_kl_weight", "sharp_n")
"""Checks on responses that are equally good."""
EQUALLY_GOOD = {
    "labels": "f″ is 0 or ∞ at w = 1 alone, that is for equally good responses: fair coins are the "
    "true law of their labels",
    "algorithm": "f″ is 0 or ∞ at π_ref alone: the opposite of the estimate has the same law",
}
BUILT = ("kl_weight", "channel", "response", "regulariser", "reward_class")
"""What an override leaves alone: channel and divergence are what a check is about."""


def check(
    name: str, axis: str, claim: Any, quantity: Quantity, right: Algorithm,
    wrong: Sequence[Algorithm] = (), settles: Sequence[str] = (CHANNEL,),
    keeps: Sequence[str] = BUILT, **more: Any,
) -> Check:  # fmt: skip
    """A check on a channel and a divergence of its own, which the config names."""
    if name in LEVEL:
        more["blind"] = EQUALLY_GOOD
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 settles=settles, keeps=keeps, **more)  # fmt: skip


def assumed(world: OfflineLabels) -> Iterable[Assumed]:
    """Assumption 3.8 and Definition 3.3."""
    return realizable_and_covered(world.world)  # type: ignore[attr-defined]


THEOREM = Theorem(
    title="P1 beyond randomized response and KL: every binary channel, every f-divergence",
    settles=[CHANNEL],
    checks=[
        check("randomized_response", "epsilon", Ratio(CONSTANT), OVER_FISHER, private_mle, WRONG),
        check("often_no", "epsilon", Ratio(f"{CONSTANT}: half of the answers are no"), OVER_FISHER,
            private_mle, LOPSIDED),
        check("often_yes", "epsilon", Ratio(f"{CONSTANT}: half of the answers are yes"),
            OVER_FISHER, private_mle, LOPSIDED),
        check("half_coin", "epsilon", Ratio(f"{CONSTANT}: half of the answers are coins"),
            OVER_FISHER, private_mle, WRONG),
        check("skewed", "epsilon", Ratio(f"{CONSTANT}: three in ten constant, most of them yes"),
            OVER_FISHER, private_mle, LOPSIDED),
        check("flips", "epsilon", Ratio(f"{CONSTANT}: flips .35 and .4 at ε = 1"), OVER_FISHER,
            private_mle, LOPSIDED),
        check("either_order_no", "epsilon",
            Ratio("n·gap → k/(2λqĪ), either order: half of the answers are no"), OVER_MEAN,
            private_mle, EITHER),
        check("either_order_skewed", "epsilon",
            Ratio("n·gap → k/(2λqĪ), either order: skewed"), OVER_MEAN, private_mle, EITHER),
        check("skewed_linear", "n_pairs", Ratio("n·gap → tr(H·I⁻¹)/(2λ), skewed"), OVER_FISHER,
            private_mle, WRONG),
        check("rankings", "epsilon", Ratio("n·gap → tr(Cov_π*·I⁺)/(2λ): one of K! rankings",
            tolerance=0.1),
            OVER_RANKED, ranked.ranking_mle,
            (ranked.rankings_overstated, ranked.half_of_the_rankings)),
        check("unknown_flip", "n_pairs", Ratio("n·gap → tr(H·J⁻¹)/(2λ): flip rate estimated",
            tolerance=0.1),
            OVER_FLIP, unknown_flip, (known_flips, epsilon_overstated), settles=[RATES],
            keeps=(*BUILT, "epsilon")),
        check("unknown_flips", "n_pairs", Ratio("n·gap → tr(H·J⁻¹)/(2λ): both rates estimated",
            tolerance=0.1),
            OVER_FLIPS, unknown_flips, (known_flips, epsilon_overstated), settles=[RATES]),
        check("calibrated", "n_pairs", Ratio("rates read off questions of known answer",
            tolerance=0.1),
            OVER_CALIBRATED, calibrated, (known_flips, epsilon_overstated), settles=[RATES]),
        check("rate_n", "n_pairs", Slope("skewed labels, Hellinger: gap {rate}", -1), GAP,
            private_mle, NAIVE,
            settles=[CHANNEL, DIVERGENCE]),
        check("rate_cost", "privacy_cost", Slope("mostly no, χ²: gap {rate}", 2), GAP, private_mle,
            NAIVE,
            settles=[CHANNEL, DIVERGENCE]),
        check("forward_kl", "kl_weight", Ratio(f"{CONSTANT}: KL(π_ref‖π)"), OVER_FISHER,
            private_mle, OTHER_F,
            settles=[DIVERGENCE]),
        check("chi_squared", "kl_weight", Ratio(f"{CONSTANT}: χ²"), OVER_FISHER, private_mle,
            OTHER_F,
            settles=[DIVERGENCE]),
        check("hellinger_gap", "kl_weight", Ratio(f"{CONSTANT}: Hellinger"), OVER_FISHER,
            private_mle, OTHER_F,
            settles=[DIVERGENCE]),
        check("alpha_3_2", "kl_weight", Ratio(f"{CONSTANT}: α = 3/2"), OVER_FISHER, private_mle,
            OTHER_F,
            settles=[DIVERGENCE]),
        check("kl_and_chi_squared", "kl_weight", Ratio(f"{CONSTANT}: KL and χ²"), OVER_FISHER,
            private_mle, OTHER_F, settles=[DIVERGENCE]),
        check("flat_n", "n_pairs", Slope("f = |w−1|⁴: gap {rate}", -2 / 3), GAP, private_mle,
            (policy_of_kl,), settles=[DIVERGENCE]),
        check("flat_cost", "privacy_cost", Slope("f = |w−1|⁴: gap {rate}", 4 / 3), GAP, private_mle,
            NAIVE, settles=[DIVERGENCE]),
        check("flat_kl_weight", "kl_weight", Slope("f = |w−1|⁴: gap {rate}", -1 / 3), GAP,
            private_mle, (policy_of_kl,), settles=[DIVERGENCE]),
        check("sharp_n", "n_pairs", Slope("f = |w−1|^1.5: gap {rate}", -1.5), GAP, private_mle,
            (policy_of_kl,), settles=[DIVERGENCE]),
        check("coverage_kl", "coverage", Slope("KL: λ·gap {rate} at fixed π*", 1), SCALED,
            private_mle, NAIVE,
            settles=[DIVERGENCE]),
        check("coverage_alpha_3_2", "coverage", Slope("α = 3/2: λ·gap {rate} at fixed π*", 0.5),
            SCALED, private_mle, NAIVE, settles=[DIVERGENCE]),
        check("coverage_chi_squared", "coverage", Slope("χ²: λ·gap {rate} at fixed π*", 0), SCALED,
            private_mle, NAIVE, settles=[DIVERGENCE]),
        check("coverage_alpha_3", "coverage", Slope("α = 3: λ·gap {rate} at fixed π*", -1), SCALED,
            private_mle, NAIVE,
            settles=[DIVERGENCE]),
        check("best_channel", "reward_bound",
            Inequality("no binary ε-private channel tells more than randomized response"),
            searched(RATIO, two_reports), step.best_channel,
            (step.best_channel_ten_percent,), blind=TOLD),
        check("hellinger", "reward_bound", Inequality("(Δ − Δ′)² ≤ 8W·(1 − affinity)"),
            searched(RATIO, two_reports), step.hellinger,
            (step.hellinger_ten_percent, step.hellinger_quieter_end), blind=NO_ESTIMATE),
        check("table_error", "reward_bound", Inequality("E(Δ̂ − Δ)² ≤ 8W/(m+1)"),
            searched(RATIO, table_state, of_error=True), step.table_error,
            (step.table_error_sixteenth,)),
        check("no_coverage", "kl_weight", Inequality("SubOpt ≤ Var_π_ref[error]/(2λ·inf f″)"),
            PROVED, no_coverage, [named("no_coverage_ten_percent", no_coverage,
                                        "the bound is 10 % smaller", share=OFF)],
            settles=[DIVERGENCE]),
        check("identity", "kl_weight", Inequality("Bregman's form of SubOpt, to rounding"),
            IDENTITY, step.identity,
            (step.identity_one_percent,), settles=[DIVERGENCE]),
    ],
    worlds={
        "instance": ChannelInstance, "level": LevelLabels, "either_order": EitherOrder,
        "alike": AlikeLabels, "rankings": RankedLabels,
        "any_channel": AnyChannel, "any_weight": AnyWeight,
    },
    assumes=at_both_ends(assumed, of=OfflineLabels),
)  # fmt: skip
