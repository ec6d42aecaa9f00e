"""Exponents and constants by channel and by divergence, fitted on sampled labels.

    python -m tools.channel_table [REPLICATES]

prints the table of docs/explanations/beyond_randomized_response.md: exponents of the private MLE's
gap in n, c(ε) and β, and its constant over Fisher's, on states with two responses.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from repro.base.notation import epsilon_of_cost
from repro.labels.preferences.label_mixture import (
    RANDOMIZED_RESPONSE,
    LabelMixture,
    mixture_of_flips,
)
from repro.p1.pessimism.datasets import BuiltLabels
from repro.worlds.instances.two_arms import TwoArmWorld, hypercube_world
from repro.worlds.policies import regularisers as f
from repro.worlds.policies.regularisers import KL, Regulariser

STATES, COVERAGE, DIFFERENCE = 64, 4.0, 0.5
SIZES = (1e8, 1e9, 1e10, 1e11)
COSTS = (2.2, 5.0, 10.0, 20.0)
WEIGHTS = (32.0, 64.0, 128.0)
"""So large that π* is near π_ref for every divergence."""
CHANNELS: dict[str, LabelMixture] = {
    "randomized response": RANDOMIZED_RESPONSE,
    "half no": LabelMixture(0.5, 0.0),
    "half yes": LabelMixture(0.5, 0.5),
    "half a coin": LabelMixture(0.5, 0.25),
    "a tenth no": LabelMixture(0.9, 0.0),
    "a tenth yes": LabelMixture(0.9, 0.1),
    "skewed": LabelMixture(0.7, 0.25),
    "flips .35, .4": mixture_of_flips(0.35, 0.4, 1.0),
}
DIVERGENCES: dict[str, Regulariser] = {
    "KL(π_ref‖π)": f.FORWARD_KL,
    "Hellinger": f.HELLINGER,
    "α = 3/2": f.ALPHA_3_2,
    "χ²": f.CHI_SQUARED,
    "KL and χ²": f.KL_AND_CHI_SQUARED,
}


def world(kl_weight: float) -> TwoArmWorld:
    """Rewards that do not depend on the weight of the divergence."""
    plain = hypercube_world(STATES, COVERAGE, kl_weight, 4.0, 0.0)
    return replace(plain, reward_diff=0 * plain.reward_diff + DIFFERENCE)


def case(response: LabelMixture, regulariser: Regulariser, **numbers: float) -> BuiltLabels:
    """One point; n = 1e11, ε = 1 and kl_weight = 1 unless given."""
    return BuiltLabels(
        truth=world(numbers.get("kl_weight", 1.0)), epsilon=numbers.get("epsilon", 1.0),
        n_pairs=int(numbers.get("n_pairs", 1e11)), channel=response, response=response,
        regulariser=regulariser,
    )  # fmt: skip


def mean_gap(at: BuiltLabels, rng: np.random.Generator, replicates: int) -> tuple[float, float]:
    """Mean gap of the private MLE, and the same over Fisher's."""
    problem = at.draw(rng, replicates)
    gap = float(problem.gap(problem.error(problem.fit(at.epsilon))).mean())
    return gap, gap / problem.predicted_gap()


def exponent(
    values: Sequence[float],
    point: Callable[[float], BuiltLabels],
    rng: np.random.Generator,
    replicates: int,
) -> float:
    """Least-squares slope of log gap on the log of what is swept."""
    gaps = [mean_gap(point(value), rng, replicates)[0] for value in values]
    return float(np.polyfit(np.log(values), np.log(gaps), 1)[0])


def line(
    name: str,
    response: LabelMixture,
    regulariser: Regulariser,
    rng: np.random.Generator,
    replicates: int,
) -> str:
    """One line of the table."""
    given, drawn = (response, regulariser), (rng, replicates)
    in_n = exponent(SIZES, lambda n: case(*given, n_pairs=n), *drawn)
    in_c = exponent(COSTS, lambda c: case(*given, epsilon=epsilon_of_cost(c)), *drawn)
    in_beta = -exponent(WEIGHTS, lambda weight: case(*given, kl_weight=weight), *drawn)
    _, constant = mean_gap(case(*given), *drawn)
    return f"| {name} | {in_n:.3f} | {in_c:.3f} | {in_beta:.3f} | {constant:.3f} |"


def table(replicates: int) -> str:
    """All channels under KL, all divergences under randomized response."""
    drawn = (np.random.default_rng(0), replicates)
    lines = [line(name, one, KL, *drawn) for name, one in CHANNELS.items()]
    lines += [line(name, RANDOMIZED_RESPONSE, one, *drawn) for name, one in DIVERGENCES.items()]
    head = "| channel or divergence | n | c(ε) | β | constant / Fisher's |\n|---|---|---|---|---|"
    return "\n".join([head, *lines])


if __name__ == "__main__":
    print(table(int(sys.argv[1]) if len(sys.argv) > 1 else 400))
