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
from functools import reduce

import numpy as np

from repro.base.notation import flip_prob, label_signal
from repro.base.schema import Share
from repro.privacy.channels import Channel, both, randomized_response
from repro.privacy.mechanism import Guarantee, Mechanism
from repro.study.checks import Check
from repro.study.legacy import Row
from repro.study.privacy_sweep import PrivacyConfig, PrivacySweep

RATIO, EPSILON = "exact ε over ε", "exact ε of the reports"
WRONG = ("epsilon_overstated", "biased_coin")
OVERSTATED, COIN_BIAS = 1.2, 0.9
LABELS = 1_000_000
"""Reports behind each replicate of the mean."""


class RandomizedResponseConfig(PrivacyConfig):
    """Numbers of the experiment; ``label_mean`` is h."""

    label_mean: Share


class RandomizedResponse(PrivacySweep):
    """Budget, mean and composition of randomized response."""

    slug = "randomized_response"
    title = "P1 Definition 3.10 and Lemma C.1: randomized response"
    statements = ("p1.def_3_10", "p1.lem_c_1")
    settled_by = {
        "p1.def_3_10": ("exact_epsilon", "audit", "fresh_coins", "noise_ladder"),
        "p1.lem_c_1": ("mean",),
    }  # fmt: skip
    config_type = RandomizedResponseConfig
    config: RandomizedResponseConfig

    rows = (
        Row("exact_epsilon", "epsilon_minus_one", "single", "randomized_response", WRONG, RATIO,
            "eq. (7) is exactly ε-private"),
        Row("audit", "n_pairs", "many", "randomized_response", (*WRONG, "raw_labels"), EPSILON,
            "each of n people pays ε, seen from outside"),
        Row("mean", "epsilon_minus_one", "mean", "randomized_response",
            ("biased_coin", "unscaled_mean"), "mean report over (2α − 1)·h", "Lemma C.1"),
        Row("fresh_coins", "horizon", "fresh", "fresh_coins", ("same_answer",),
            "exact ε over the sum of budgets", "k releases of a label with fresh coins cost kε"),
        Row("noise_ladder", "horizon", "ladder", "noise_ladder", ("fresh_ladder",),
            "exact ε over the largest budget", "k nested releases cost the largest budget"),
    )  # fmt: skip

    def audited(self, row: str, value: float, method: str) -> tuple[Mechanism, Guarantee]:
        epsilon = math.log1p(value) if row == "exact_epsilon" else self.epsilon
        single = single_channel(method, epsilon)
        match row:
            case "audit":
                others = randomized_response(epsilon)[[1, 1]]
                matrix = reduce(both, [single, *[others] * (int(value) - 1)])
                return Channel.of(matrix), Guarantee(epsilon, 0.0)
            case "fresh_coins":
                matrix = reduce(both, [single] * int(value)) if method == row else single
                return Channel.of(matrix), Guarantee(epsilon * value, 0.0)
            case "noise_ladder":
                matrix = ladder(epsilon, int(value), nested=method == row)
                return Channel.of(matrix), Guarantee(epsilon, 0.0)
        return Channel.of(single), Guarantee(epsilon, 0.0)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """As for all audits, and simulated means in the row ``mean``."""
        if check.name != "mean":
            return super().measure(check, value, rng, replicates)
        return {m: self._mean_ratio(m, math.log1p(value), rng, replicates) for m in check.methods}

    def _mean_ratio(
        self, method: str, epsilon: float, rng: np.random.Generator, replicates: int
    ) -> np.ndarray:
        """(replicates,) mean of LABELS reports over its prediction."""
        channel = single_channel(method, epsilon)
        mean = self.config.label_mean
        plus = (1 - mean) / 2 * channel[0, 1] + (1 + mean) / 2 * channel[1, 1]
        reports = 2 * rng.binomial(LABELS, plus, replicates) / LABELS - 1
        scale = 1.0 if method == "unscaled_mean" else label_signal(epsilon)
        return reports / (scale * mean)


def single_channel(method: str, epsilon: float) -> np.ndarray:
    """(2, 2) channel of one report."""
    if method == "raw_labels":
        return np.eye(2)
    if method == "epsilon_overstated":
        return randomized_response(OVERSTATED * epsilon)
    if method == "biased_coin":
        flip = COIN_BIAS * flip_prob(epsilon)
        return np.array([[1 - flip, flip], [flip, 1 - flip]])
    return randomized_response(epsilon)


def ladder(epsilon: float, steps: int, nested: bool) -> np.ndarray:
    """(2, 2^steps) reports at ε/k, 2ε/k, …, ε: each noised from the next, or with fresh coins."""
    budgets = [epsilon * (step + 1) / steps for step in range(steps)]
    if not nested:
        return reduce(both, [randomized_response(budget) for budget in budgets])
    joint = randomized_response(budgets[-1])
    last = np.eye(2)
    for weaker, stronger in zip(budgets[-2::-1], budgets[:0:-1], strict=True):
        ratio = label_signal(weaker) / label_signal(stronger)
        step = np.array([[1 + ratio, 1 - ratio], [1 - ratio, 1 + ratio]]) / 2
        joint = (joint[:, :, None] * (last @ step)[None]).reshape(2, -1)
        last = np.tile(np.eye(2), (joint.shape[1] // 2, 1))
    return joint
