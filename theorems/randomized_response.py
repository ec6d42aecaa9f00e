"""P1 Definition 3.10, eq. (7) and Lemma C.1: randomized response on a binary label.

Statement.  Keeping a label with probability α = e^ε/(1+e^ε) is ε-locally label private; the mean
report is E[z | s, a¹, a²] = (2α − 1)·h with h = E[y | s, a¹, a²].

Testable exactly: the channel's largest log-likelihood ratio is ε, neither more nor less; the mean
from simulated reports.  Also the price of releasing one label several times: with fresh coins k
releases at ε cost exactly kε, while a ladder of budgets made by noising the best release further
costs only its largest budget.
"""

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from repro.base.notation import flip_prob, label_signal
from repro.base.schema import Count, FiniteEpsilon, Pairs, Share
from repro.core.check import Check, Quantity, Theorem, named
from repro.core.claims import Ratio
from repro.core.privacy_claims import ANY_DATA, Private, audit_shares, exact_delta
from repro.labels.preferences import label_law
from repro.labels.preferences.label_law import AsymmetricResponse, Channel, on_arrays, released
from repro.labels.privacy.channels import ChannelMechanism, both, matrix_of
from repro.labels.privacy.mechanism import Guarantee, Mechanism
from repro.worlds.instances.labelled import PrivateLabels

LABELS = 1_000_000
"""Reports behind each replicate of the mean."""
OVERSTATED, COIN_BIAS = 1.2, 0.9


# The worlds: releases of a label, and many reports -----------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ReleasedLabel:
    """A label that is released, once by each of several people or several times.

    Attributes:
        epsilon: budget of one report.
        people: who release a label at the same time; their labels are independent of the first.
        runs: of the mechanism behind each replicate of an audit.
        channel: who randomizes labels.
    """

    epsilon: FiniteEpsilon
    people: Pairs = 1
    runs: Pairs = 1000
    channel: Channel = label_law.randomized_response

    @property
    def claimed(self) -> Guarantee:
        """Each of the people pays ε."""
        return Guarantee(self.epsilon, 0.0)

    def response(self, epsilon: float) -> np.ndarray:
        """(2, 2) randomizer at a budget."""
        return matrix_of(self.channel, epsilon)

    def among_people(self, single: np.ndarray) -> Mechanism:
        """One person's channel beside those of the others."""
        others = self.response(self.epsilon)[[1, 1]]
        return ChannelMechanism.of(reduce(both, [single, *[others] * (self.people - 1)]))


@dataclass(frozen=True, kw_only=True)
class FreshReports(ReleasedLabel):
    """k reports of one label at ε each.

    Attributes:
        horizon: k.
    """

    horizon: Count

    @property
    def claimed(self) -> Guarantee:
        """kε: budgets add up."""
        return Guarantee(self.epsilon * self.horizon, 0.0)


@dataclass(frozen=True, kw_only=True)
class NestedReports(ReleasedLabel):
    """k reports of one label at the budgets ε/k, 2ε/k, …, ε.

    Attributes:
        horizon: k.
    """

    horizon: Count

    @property
    def budgets(self) -> list[float]:
        """Increasing."""
        return [self.epsilon * (step + 1) / self.horizon for step in range(self.horizon)]


@dataclass(frozen=True, eq=False, kw_only=True)
class ManyReports(PrivateLabels):
    """Reports of labels with a mean.

    Attributes:
        label_mean: h.
    """

    label_mean: Share

    def average(self, channel: Channel, rng: np.random.Generator, replicates: int) -> np.ndarray:
        """(R,) mean of LABELS reports, or what the estimator returns for it."""
        labels = on_arrays(self.labels, np.array((1 + self.label_mean) / 2))
        report_prob = float(released(channel, labels, self.epsilon))
        reports = 2 * rng.binomial(LABELS, report_prob, replicates) / LABELS - 1
        truth = np.array([label_signal(self.epsilon) * self.label_mean])
        return on_arrays(self.estimate, reports, truth)


# Algorithms: right, and wrong on purpose --------------------------------------------------------


def randomized_response(world: ReleasedLabel) -> Mechanism:
    """Eq. (7)."""
    return world.among_people(world.response(world.epsilon))


def epsilon_overstated(world: ReleasedLabel) -> Mechanism:
    """Wrong: the budget is 1.2·ε."""
    return world.among_people(world.response(OVERSTATED * world.epsilon))


def biased_coin(world: ReleasedLabel) -> Mechanism:
    """Wrong: flips too rarely."""
    return world.among_people(matrix_of(biased_channel(world.epsilon), world.epsilon))


def raw_labels(world: ReleasedLabel) -> Mechanism:
    """Wrong: no randomizer."""
    return world.among_people(np.eye(2))


def fresh_coins(world: FreshReports) -> Mechanism:
    """k releases at ε each."""
    return ChannelMechanism.of(reduce(both, [world.response(world.epsilon)] * world.horizon))


def same_answer(world: FreshReports) -> Mechanism:
    """Wrong: the first report again and again, at the sum of budgets."""
    return ChannelMechanism.of(world.response(world.epsilon))


def noise_ladder(world: NestedReports) -> Mechanism:
    """k reports, each noised from the next better one."""
    return ChannelMechanism.of(nested(world))


def fresh_ladder(world: NestedReports) -> Mechanism:
    """Wrong: the same budgets with fresh coins, at the largest budget."""
    return ChannelMechanism.of(reduce(both, [world.response(budget) for budget in world.budgets]))


def nested(world: NestedReports) -> np.ndarray:
    """(2, 2^k) reports at the budgets, the best first, each noised from the one before."""
    budgets = world.budgets
    joint = world.response(budgets[-1])
    last = np.eye(2)  # (reports so far, 2): the worst of them, which is noised next
    for weaker, stronger in zip(budgets[-2::-1], budgets[:0:-1], strict=True):
        ratio = label_signal(weaker) / label_signal(stronger)
        step = np.array([[1 + ratio, 1 - ratio], [1 - ratio, 1 + ratio]]) / 2
        joint = (joint[:, :, None] * (last @ step)[None]).reshape(2, -1)
        last = np.tile(np.eye(2), (joint.shape[1] // 2, 1))
    return joint


def biased_channel(epsilon: float) -> Channel:
    """A coin that flips with 0.9 times the right probability."""
    flip = COIN_BIAS * flip_prob(epsilon)
    return AsymmetricResponse(1 - flip, flip)


def mean_of_reports(world: ManyReports, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """The mean report over (2α − 1)·h."""
    expected = label_signal(world.epsilon) * world.label_mean
    return world.average(world.channel, rng, replicates) / expected


def mean_of_biased_coins(
    world: ManyReports, rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """Wrong: the coin flips too rarely."""
    expected = label_signal(world.epsilon) * world.label_mean
    return world.average(biased_channel(world.epsilon), rng, replicates) / expected


def unscaled_mean(world: ManyReports, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """Wrong: h in the place of (2α − 1)·h."""
    return world.average(world.channel, rng, replicates) / world.label_mean


# Quantities and claims ---------------------------------------------------------------------------


def over_claimed(words: str) -> Quantity:
    """Exact ε over the claimed one."""
    return Quantity(words, exact_delta, evidence="exact")


CHANNEL: Any = {"settles": ["p1.def_3_10"], "blind": ANY_DATA}
WRONG = [epsilon_overstated, biased_coin]

THEOREM = Theorem(
    title="P1 Definition 3.10 and Lemma C.1: randomized response",
    checks=[
        Check(name="exact_epsilon", axis="epsilon_minus_one",
              claim=Ratio("eq. (7) is exactly ε-private", tolerance=1e-6),
              quantity=over_claimed("exact ε / stated ε"), right=randomized_response, wrong=WRONG,
              **CHANNEL),
        Check(name="audit", axis="n_pairs", at="people",
              claim=Private("each of n people pays ε, seen from outside"),
              quantity=Quantity("exact ε of the reports", audit_shares),
              right=randomized_response, wrong=[*WRONG, raw_labels], **CHANNEL),
        Check(name="mean", axis="epsilon_minus_one", claim=Ratio("Lemma C.1", tolerance=0.01),
              quantity=Quantity("mean report over (2α − 1)·h"),
              right=named("randomized_response", mean_of_reports),
              blind={"estimate": "the mean of the reports' law, Lemma C.1: nothing is learnt"},
              wrong=[named("biased_coin", mean_of_biased_coins), unscaled_mean],
              settles=["p1.lem_c_1"]),
        Check(name="fresh_coins", axis="horizon",
              claim=Ratio("k releases of a label with fresh coins cost kε", tolerance=1e-6),
              quantity=over_claimed("exact ε over the sum of budgets"), right=fresh_coins,
              wrong=[same_answer], **CHANNEL),
        Check(name="noise_ladder", axis="horizon",
              claim=Ratio("k nested releases cost the largest budget", tolerance=1e-6),
              quantity=over_claimed("exact ε over the largest budget"), right=noise_ladder,
              wrong=[fresh_ladder], **CHANNEL),
    ],
    worlds={
        "one_label": ReleasedLabel, "fresh": FreshReports, "nested": NestedReports,
        "many_labels": ManyReports,
    },
)  # fmt: skip
