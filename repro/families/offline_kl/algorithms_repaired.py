"""Algorithm 1 of P1 with the bonus that covers the error at every B and ε.

Γ² = D²·ē in the place of eq. (10), ē the proved bound of the error (``squared_error``).
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from scipy import stats
from torch import Tensor

from repro.families.offline_kl.bounds_corrected import HELLINGER, algorithm_1_upper, squared_error
from repro.instances.assumptions import policy_concentrability, two_arm_concentrability
from repro.pessimism.datasets import TwoArmDatasets
from repro.pessimism.gap_constants import two_arm_bonus_gap, two_arm_gap_constant
from repro.policies.covering import log_covering_table
from repro.preferences.label_counts import randomize_counts
from repro.preferences.label_information import inverse_information, printed_factor
from repro.study.row import Method, method, privacy_mistake


def proved_error(problem: TwoArmDatasets) -> float:
    """ē of the table of differences in [−B, B], at the problem's δ and τ."""
    world, c = problem.world, problem.source
    covering = log_covering_table(len(world.state_prob), world.reward_bound, c.net_radius)
    log_term = covering - math.log(c.failure_prob)
    return squared_error(
        world.reward_bound, problem.epsilon, log_term, problem.n_pairs, c.net_radius
    )


def repaired_bonus(problem: TwoArmDatasets, error: float) -> Tensor:
    """(S,) Γ(first) − Γ(second) with Γ² = D²·error."""
    both = (two_arm_concentrability(problem.world) * error).sqrt()
    return problem.source.pessimism * (both[:, 0] - both[:, 1])


def predicted_gap(problem: TwoArmDatasets) -> float:
    """Second-order prediction of the mean gap of ``repaired``: the MLE's share and the bonus's."""
    own = two_arm_gap_constant(problem.world, problem.epsilon) / problem.n_pairs
    return own + two_arm_bonus_gap(problem.world, repaired_bonus(problem, proved_error(problem)))


def _gap(problem: TwoArmDatasets, epsilon: float, error: float) -> Tensor:
    return problem.gap(problem.error(problem.fit(epsilon)) - repaired_bonus(problem, error))


@method
def repaired(problem: TwoArmDatasets) -> Tensor:
    """(R,) gap of the private MLE less the repaired bonus."""
    return _gap(problem, problem.epsilon, proved_error(problem))


@method
def bonus_ten_percent(problem: TwoArmDatasets) -> Tensor:
    """Wrong: Γ² 10 % too large."""
    return _gap(problem, problem.epsilon, 1.1 * proved_error(problem))


@method
def bonus_in_e_b(problem: TwoArmDatasets) -> Tensor:
    """Wrong: e^B/(2α−1)² in the place of W, as in eq. (10)."""
    bound = problem.world.reward_bound
    ratio = printed_factor(bound, problem.epsilon) / inverse_information(bound, problem.epsilon)
    return _gap(problem, problem.epsilon, ratio * proved_error(problem))


@privacy_mistake
def clean_likelihood(problem: TwoArmDatasets) -> Tensor:
    """Wrong: the clean likelihood on privatised labels."""
    return _gap(problem, math.inf, proved_error(problem))


@method
def privatised_again(problem: TwoArmDatasets) -> Tensor:
    """Wrong for a claim at large ε: labels were privatised at ε = 1 as well, and it is known."""
    noisy = randomize_counts(problem.rngs[0], problem.counts, 1.0)
    known = replace(problem.source, epsilon=1.0)
    return repaired.run(replace(problem, counts=noisy, source=known))


def _share(problem: TwoArmDatasets, error: float) -> Tensor:
    """(R,) largest |r̄ − b − r*|/Γ, the same for both responses of a state; Γ with its sign."""
    world = problem.world
    missed = problem.error(problem.fit(problem.epsilon)).square()
    squared = missed * world.reference * (1 - world.reference) * world.state_prob
    return (squared.amax(dim=1) / error).sqrt() / problem.source.pessimism


@method
def share_of_repaired(problem: TwoArmDatasets) -> Tensor:
    """max |r̄ − b − r*|/Γ with the repaired bonus."""
    return _share(problem, proved_error(problem))


@method
def share_of_a_quarter_more(problem: TwoArmDatasets) -> Tensor:
    """Wrong: Γ² a quarter too large."""
    return _share(problem, 1.25 * proved_error(problem))


@method
def share_of_printed(problem: TwoArmDatasets) -> Tensor:
    """The same with eq. (10) at c = 1."""
    world, c = problem.world, problem.source
    covering = log_covering_table(len(world.state_prob), world.reward_bound, c.net_radius)
    complexity = (covering - math.log(c.failure_prob)) / problem.n_pairs + c.net_radius
    return _share(problem, printed_factor(world.reward_bound, problem.epsilon) * complexity)


def normal_share(problem: TwoArmDatasets) -> float:
    """E of ``share_of_repaired`` where one state's error is normal with the Fisher variance."""
    world = problem.world
    variance = inverse_information(float(world.reward_diff[0]), problem.epsilon) / (
        problem.n_pairs * float(world.cell_prob[0])
    )
    weight = float(world.reference[0] * (1 - world.reference[0]))
    return math.sqrt(2 / math.pi * variance * weight / proved_error(problem))


def gap_quantile(problem: TwoArmDatasets) -> float:
    """(1−δ)-quantile of the gap of ``repaired`` on one state, in the limit of many labels.

    The gap is β·π*(1−π*)/2 times the square of a normal error less the bonus: a χ² of one degree
    of freedom that is not central, for Γ grows with log(1/δ).
    """
    world, delta = problem.world, problem.source.failure_prob
    pairs = problem.n_pairs * float(world.cell_prob[0])
    variance = inverse_information(float(world.reward_diff[0]), problem.epsilon) / pairs
    shift = float(repaired_bonus(problem, proved_error(problem))[0])
    chance = float(world.optimal_policy[0].prod())
    exact = float(stats.ncx2.isf(delta, 1, shift**2 / variance))
    return chance / (2 * world.kl_weight) * variance * exact


def repaired_in_sample(reward_bound: float, epsilon: float, log_term: float) -> float:
    """8·W·log(N/δ), what Σ(Δ_r̄ − Δ_r*)² stays below: (n/2)·Γ² / (D²/4) of the repaired bonus."""
    return HELLINGER * inverse_information(reward_bound, epsilon) * log_term


def _printed_times(scale: float, reward_bound: float, epsilon: float, log_term: float) -> float:
    """The same of eq. (10) with c = 4·scale, 4 being the constant of the repaired bonus."""
    return HELLINGER * scale * printed_factor(reward_bound, epsilon) * log_term


REPAIRED = Method("repaired", repaired_in_sample)
PRINTED_TIMES = tuple(
    Method(f"printed_times_{scale}", partial(_printed_times, float(scale)))
    for scale in (1, 10, 100)
)
"""Wrong: e^B/(2α−1)² in the place of W, with c = 4, 40 and 400."""


def _proved(share: float, problem: TwoArmDatasets) -> float:
    world = problem.world
    coverage = policy_concentrability(
        two_arm_concentrability(world), world.optimal_policy, world.state_prob
    )
    return share * algorithm_1_upper(coverage, world.kl_weight, proved_error(problem))


PROVED = Method("proved", partial(_proved, 1.0))
PROVED_TENTH = Method("proved_tenth", partial(_proved, 0.1))
"""Wrong: a tenth of the bound."""
