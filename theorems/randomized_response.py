"""P1 Definition 3.10, eq. (7) and Lemma C.1: randomized response on a binary label.

Statement.  Keeping a label with probability α = e^ε/(1+e^ε) is ε-locally label private; the mean
report is E[z | s, a¹, a²] = (2α − 1)·h with h = E[y | s, a¹, a²].

Testable exactly: the channel's largest log-likelihood ratio is ε, neither more nor less; the mean
from simulated reports.  Also the price of releasing one label several times: with fresh coins k
releases at ε cost exactly kε, while a ladder of budgets made by noising the best release further
costs only its largest budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch

from repro.base.notation import label_signal
from repro.base.schema import Share
from repro.families.offline_kl import mechanisms_release as release
from repro.families.offline_kl.mechanisms_release import ReleaseCase, biased_channel
from repro.preferences.label_law import Channel, Estimate, as_fitted
from repro.study.case import Case, Point
from repro.study.claims import Ratio
from repro.study.label_cases import LabelCase
from repro.study.privacy_rows import (
    PrivacyExperiment,
    PrivacyProbes,
    Private,
    audit_shares,
    exact_ratio,
)
from repro.study.row import Evidence, Measure, Method, Need, Row, per_method

LABELS = 1_000_000
"""Reports behind each replicate of the mean."""


class RandomizedResponseProbes(PrivacyProbes):
    """Numbers of the experiment; ``label_mean`` is h."""

    label_mean: Share


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanCase(LabelCase):
    """Many reports of labels with a mean; methods say by which channel and what mean they expect.

    Attributes:
        label_mean: h.
        estimate: (mean report, its expectation) → the mean that is used.
    """

    label_mean: float
    estimate: Estimate = as_fitted

    def report_prob(self, channel: Channel) -> float:
        """P(z = +1)."""
        wins = torch.tensor([(1 + self.label_mean) / 2], dtype=torch.float64)
        return float(channel(self.labels(wins), self.epsilon))


def mean_ratio(case: MeanCase, chosen: Method, rng: np.random.Generator, replicates: int):
    """(R,) mean of LABELS reports over what the method expects."""
    report_prob, expected = chosen.run(case)
    reports = 2 * rng.binomial(LABELS, report_prob, replicates) / LABELS - 1
    truth = torch.full((1,), expected, dtype=torch.float64)
    return case.estimate(torch.from_numpy(reports), truth).numpy() / expected


MEAN_RESPONSE = Method(
    "randomized_response",
    lambda case: (case.report_prob(case.channel), label_signal(case.epsilon) * case.label_mean),
)
MEAN_BIASED = Method(
    "biased_coin",
    lambda case: (
        case.report_prob(biased_channel(case.epsilon)),
        label_signal(case.epsilon) * case.label_mean,
    ),
)
MEAN_UNSCALED = Method(
    "unscaled_mean", lambda case: (case.report_prob(case.channel), 1.0 * case.label_mean)
)


def released(point: Point, epsilon: float, config: RandomizedResponseProbes) -> ReleaseCase:
    """Releases of one label."""
    return ReleaseCase(
        methods=point.methods, epsilon=epsilon, runs=config.probes[point.row.name].runs,
        people=int(point.swept("n_pairs", 1)), horizon=int(point.swept("horizon", 0)),
    )  # fmt: skip


def reported(point: Point, epsilon: float, config: RandomizedResponseProbes) -> MeanCase:
    """Reports of many labels."""
    return MeanCase(methods=point.methods, epsilon=epsilon, label_mean=config.label_mean)


AUDIT = Measure("exact ε of the reports", audit_shares, Evidence.MEASURED)
MEAN = Measure("mean report over (2α − 1)·h", per_method(mean_ratio), Evidence.MEASURED)
WRONG = (release.epsilon_overstated, release.biased_coin)
PRIVACY, CHANNEL = (Need.PRIVACY,), ("p1.def_3_10",)


class RandomizedResponse(PrivacyExperiment[Case]):
    """Budget, mean and composition of randomized response."""

    title = "P1 Definition 3.10 and Lemma C.1: randomized response"
    config_type = RandomizedResponseProbes

    rows = (
        Row("exact_epsilon", "epsilon_minus_one",
            Ratio("eq. (7) is exactly ε-private", tolerance=1e-6), exact_ratio("exact ε over ε"),
            release.randomized_response, WRONG, given=released, needs=PRIVACY, settles=CHANNEL),
        Row("audit", "n_pairs", Private("each of n people pays ε, seen from outside"), AUDIT,
            release.randomized_response, (*WRONG, release.raw_labels), given=released,
            needs=PRIVACY, settles=CHANNEL),
        Row("mean", "epsilon_minus_one", Ratio("Lemma C.1", tolerance=0.01), MEAN, MEAN_RESPONSE,
            (MEAN_BIASED, MEAN_UNSCALED), given=reported, needs=(Need.LABELS, Need.PRIVACY),
            settles=("p1.lem_c_1",)),
        Row("fresh_coins", "horizon", Ratio("k releases of a label with fresh coins cost kε",
            tolerance=1e-6), exact_ratio("exact ε over the sum of budgets"),
            release.fresh_coins, (release.same_answer,), given=released, needs=PRIVACY,
            settles=CHANNEL),
        Row("noise_ladder", "horizon", Ratio("k nested releases cost the largest budget",
            tolerance=1e-6), exact_ratio("exact ε over the largest budget"),
            release.noise_ladder, (release.fresh_ladder,), given=released, needs=PRIVACY,
            settles=CHANNEL),
    )  # fmt: skip

    def case(self, point: Point) -> Case:
        """The row's kind of case at the point's budget."""
        swept = point.swept("epsilon_minus_one", None)
        epsilon = self.epsilon if swept is None else math.log1p(swept)
        return point.row.given(point, epsilon, self.config)
