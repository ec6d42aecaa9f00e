"""Private mechanisms on the same data: what each reveals, and how far it moves the estimate.

Own statement (proofs in docs/explanations/mechanism_comparison.md), in either adjacency: μ is the
largest Gaussian shift that is (ε, δ)-private, D the largest distance of two records' gradients at
one θ of the ball where one replaces the other, the largest norm of one where it is added or
removed, n·h and n·H the least and the largest curvature of the summed loss on it, θ̂ the estimate
without privacy.

    output perturbation, noise D/(Aμ) on the minimiser under a ridge A, is (ε, δ)-private, and for
    every A, θ̂ inside the ball  E‖θ̃ − θ̂‖² ≥ min(‖θ̂‖·√d·D/(nHμ), ‖θ̂‖²/4);
    objective perturbation      ‖θ̃ − θ̂‖ ≤ ‖b + Aθ̂‖/(nh + A), so E‖θ̃ − θ̂‖² ≤ (dσ² + A²‖θ̂‖²)/(nh)²,
    with σ = 1.05 to 1.08 D/μ at 5 % of ε for the ridge;
    T steps of gradient descent with noise √T·D/μ on each summed gradient are (ε, δ)-private;
    DP-SGD, whose steps see a share q of the records, tells at most what T draws tell of the
    mixtures (1−q)·N(0, s²) + q·N(±C, s²), C the largest norm of a gradient, or of one of them and
    of N(0, s²) where a record is added; s is dp-accounting's, rounded up.

Where data cover all directions, output perturbation moves θ̂ by 1/√(nμ), the others by 1/(nμ),
which for large n is less than the error 1/√n of the labels.

Checks.  What is released, on neighbours in the plane that are told apart as well as we know
(``*_released`` for a record replaced, ``*_released_added`` for one added, each under noise of its
own; 1/1.1 of the noise is caught).  Both bounds, on every dataset
(``objective_upper``, ``output_lower``); constants (``*_constant``) and exponents in n, ε and d, on
a world that covers all directions evenly and on a spectrum 4^(−k), where a ridge has to stand in
for curvature: there it is 1/√ε for objective perturbation (and 1/√n, as Lemma A.11 has it) and
n^(−1/3) for output perturbation.

DP-SGD (checks ``batches_*``, q = 1/10, T = 100) pays for its sampling for ever: the mean of its
last K = T/2 steps errs by 2(1−q)/(qT) = 18 % more than the labels do, whatever n is, and by twice
the private variance where noise counts (``batches_constant*``: both constants).  So objective
perturbation has the smaller error wherever data cover all directions (``batches_over_objective*``:
1.1 to 1.3 times the squared error, more at small n·ε); on a thin spectrum with few pairs for their
features the two are even (``batches_over_objective_thin``).  ``batches_step*`` are single steps of
neighbours, exactly.

All but DP-SGD are tuned with the world known, which favours those that need it more: the ridge of
output perturbation depends on n, ε, ‖θ*‖ and the curvature, that of objective perturbation does
less, and so does the share of ε that it costs; descent takes steps of length 1/curvature.

What would refute it: neighbours told apart better than claimed, one dataset beyond a bound, or
another exponent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from repro.base.notation import privacy_cost
from repro.base.schema import Count, Pairs, Positive, Share
from repro.core.check import Algorithm, Check, Quantity, Theorem, at_both_ends, named
from repro.core.claims import Claim, Inequality, Ratio, Slope
from repro.core.privacy_claims import ANY_DATA, exact_delta
from repro.labels.privacy.adjacency import ADD_REMOVE, REPLACE, Adjacency
from repro.labels.privacy.central_noise import under
from repro.labels.privacy.gaussian import exact_shift
from repro.labels.privacy.mechanism import Mechanism, worst
from repro.p3.objective_perturbation.calibration import Calibration, corrected, curvature
from repro.p3.objective_perturbation.curator_release import CuratorRelease
from repro.p3.objective_perturbation.gradients import Records, one_pair, pairs_under, reach
from repro.p3.objective_perturbation.neighbour_search import World, most_telling
from repro.p3.private_estimates.linearised_errors import (
    MechanismBudget,
    Spectrum,
    tuned_objective,
    tuned_output,
)
from repro.p3.private_estimates.noisy_descent import noisy_descent, transcript
from repro.p3.private_estimates.output_perturbation import (
    output_perturbation,
    told_apart,
    worst_angle,
)
from repro.p3.private_estimates.sampled_descent import (
    OneStep,
    SampledDescent,
    Vector,
    sampled_descent,
)
from repro.p3.private_estimates.three_estimates import CuratorsData, PrivateEstimate, kept_steps

STEPS = 100
"""T of noisy gradient descent."""
SHORT = 1.1
"""Factor by which the noise of the controls is too small."""
BATCHES, BATCH_SHARE = 100, 0.1
"""T and q of DP-SGD."""
TRIED = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Multiples of the tuned ridge of output perturbation, of which the best is taken."""

# What is released of two neighbours --------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ReleasedInThePlane(CuratorRelease):
    """Two neighbouring datasets in d = 2, of which one mechanism releases an estimate.

    Attributes:
        reward_bound: LB, with L = 1.
        n_pairs: n.
        adjacency: what neighbours are.
    """

    reward_bound: Positive
    n_pairs: Pairs
    adjacency: Adjacency = REPLACE

    @property
    def records(self) -> Records:
        """What one record can do."""
        return pairs_under(self.adjacency, self.reward_bound, 2)

    def more_labels(self, other: ReleasedInThePlane) -> float:
        """How many times as many labels another budget needs."""
        return (privacy_cost(other.epsilon) / privacy_cost(self.epsilon)) ** 2


def by_objective(world: ReleasedInThePlane, factor: float) -> Mechanism:
    """Objective perturbation under 1/factor of its noise."""
    calibration = corrected(world.epsilon, world.dp_delta, world.records)
    place = World(world.n_pairs, world.reward_bound, 2, world.adjacency)
    return most_telling(place, calibration.weakened(factor), world.epsilon)


def by_output(world: ReleasedInThePlane, factor: float) -> Mechanism:
    """Output perturbation under 1/factor of its noise."""
    ridge = math.sqrt(world.n_pairs)
    perturbation = output_perturbation(world.epsilon, world.dp_delta, world.records, ridge)
    return told_apart(perturbation.weakened(factor), world.reward_bound, world.adjacency)


def by_descent(world: ReleasedInThePlane, factor: float) -> Mechanism:
    """Every step of noisy gradient descent under 1/factor of its noise."""
    descent = noisy_descent(world.epsilon, world.dp_delta, world.records, STEPS)
    return transcript(descent.weakened(factor), world.reward_bound, world.adjacency)


def weakened(
    world: ReleasedInThePlane, by: Callable[[ReleasedInThePlane, float], Mechanism], factor: float
) -> Mechanism:
    """A mechanism under 1/factor of what its noise really is."""
    return under(world.noise, lambda multiple: by(world, factor / multiple))


def distance_of_a_flip(world: ReleasedInThePlane) -> Mechanism:
    """Wrong: the distance 2L of a flipped label at θ = 0, as if gradients only changed sign."""
    return weakened(world, by_output, world.records.distance / 2)


OBJECTIVE_RELEASED = named("objective", weakened, by=by_objective, factor=1.0)
OUTPUT_RELEASED = named("output", weakened, by=by_output, factor=1.0)
DESCENT_RELEASED = named("descent", weakened, by=by_descent, factor=1.0)
OBJECTIVE_SHORT = named(
    "noise_over_1_1", weakened, "the noise divided by 1.1", by=by_objective, factor=SHORT
)
OUTPUT_SHORT = named(
    "noise_over_1_1", weakened, "the noise divided by 1.1", by=by_output, factor=SHORT
)
DESCENT_SHORT = named(
    "noise_over_1_1", weakened, "the noise divided by 1.1", by=by_descent, factor=SHORT
)
STEPS_FORGOTTEN = named(
    "steps_forgotten",
    weakened,
    "the noise of one step for all of them",
    by=by_descent,
    factor=math.sqrt(STEPS),
)
"""Wrong: every step has the noise of a single one."""

# What the steps of DP-SGD tell ------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ReleasedInBatches(CuratorRelease):
    """Two neighbouring datasets, all of whose common records are ties, and DP-SGD on them.

    Attributes:
        reward_bound: LB, with L = 1.
        steps, share: T and q.
        adjacency: what neighbours are.
    """

    reward_bound: Positive
    steps: Count
    share: Share
    adjacency: Adjacency = REPLACE

    @property
    def certified(self) -> SampledDescent:
        """Noise of the accountant."""
        given = self.epsilon, self.dp_delta, self.reward_bound
        return sampled_descent(*given, self.adjacency, self.steps, self.share)


def gradients(world: ReleasedInBatches) -> Iterator[tuple[Vector, Vector | None]]:
    """Of the record that differs and of what takes its place, at θ = 0 and at θ = −B·e₁."""
    bound = world.reward_bound
    longest = one_pair(bound).distance
    if world.adjacency == ADD_REMOVE:
        yield (longest, 0.0), None
        return
    yield (1.0, 0.0), (-1.0, 0.0)
    opposite = float(reach(np.array([math.pi]), 2 * bound, 1)[0])
    yield (longest, 0.0), (-opposite, 0.0)
    angle = worst_angle(bound)
    norm = float(reach(np.array([angle]), 2 * bound, 1)[0])
    across = norm * math.sin(angle)
    yield (norm * math.cos(angle), across), (norm * math.cos(angle), -across)


def one_step(world: ReleasedInBatches, descent: SampledDescent) -> Mechanism:
    """A single step, on the gradients that are told apart best."""

    def over_noise(gradient: Vector | None) -> Vector | None:
        return gradient and (gradient[0] / descent.std, gradient[1] / descent.std)

    steps = [OneStep(descent.share, *map(over_noise, pair)) for pair in gradients(world)]  # type: ignore[arg-type]
    return worst(steps, world.epsilon)


def batches_released(
    world: ReleasedInBatches,
    by: Callable[[ReleasedInBatches, SampledDescent], Mechanism],
    factor: float = 1.0,
    all_records: bool = False,
) -> Mechanism:
    """DP-SGD under 1/factor of its noise; with ``all_records`` each step sees them all."""
    descent = world.certified
    if all_records:
        descent = replace(descent, share=1.0)
    return under(world.noise, lambda multiple: by(world, descent.weakened(factor / multiple)))


STEP = named("batches", batches_released, by=one_step)
STEP_SHORT = named(
    "noise_over_1_1", batches_released, "the noise divided by 1.1", by=one_step, factor=SHORT
)
STEP_ON_ALL = named(
    "on_all_records", batches_released, "each step sees all records", by=one_step, all_records=True
)
"""Wrong: the noise of a batch on the sum over all records."""

# How far a mechanism moves the estimate ----------------------------------------------------------


def objective(data: CuratorsData) -> np.ndarray:
    """Objective perturbation."""
    return data.objective(data.world.for_objective)


def output(data: CuratorsData) -> np.ndarray:
    """Output perturbation."""
    return data.output(data.world.for_output)


def descent(data: CuratorsData) -> np.ndarray:
    """Noisy gradient descent in 100 steps."""
    world = data.world
    records = world.budget.records(world.num_features)
    return data.descent(noisy_descent(world.epsilon, world.dp_delta, records, STEPS))


def batches(data: CuratorsData, steps: int = BATCHES) -> np.ndarray:
    """DP-SGD: noisy gradient descent on tenths of the records."""
    return data.batches(by_accountant(data.world, steps))


def by_accountant(world: PrivateEstimate, steps: int = BATCHES) -> SampledDescent:
    """Noise of DP-SGD on this world."""
    given = world.epsilon, world.dp_delta, world.reward_bound, world.adjacency
    return sampled_descent(*given, steps, BATCH_SHARE)


OUTPUT_INSTEAD = named("output", output, "output perturbation")
OBJECTIVE_INSTEAD = named("objective", objective, "objective perturbation")
DESCENT_INSTEAD = named("descent", descent, "every step sees all records")
TEN_BATCHES = named("ten_steps", batches, "10 steps, not 100", steps=10)
"""Wrong where all is to be learnt that can be: ten steps are too few."""


def batches_predicted(world: PrivateEstimate) -> float:
    """Mean of ‖θ̃ − θ̂‖² in Σ, linearised at θ*, of DP-SGD."""
    return _batches_predicted(world, world.spectrum)


def _batches_predicted(world: PrivateEstimate, linearised: Spectrum) -> float:
    descent = by_accountant(world)
    return linearised.batch_noise(descent, 1 / world.largest, kept_steps(descent.steps))


def over_objective(
    world: PrivateEstimate, algorithm: Algorithm, data: CuratorsData, replicates: int
) -> np.ndarray:
    """(R,) ‖θ̃ − θ*‖² in Σ over its mean under objective perturbation, labels' error included."""
    theirs = squared_error(world, algorithm, data, replicates)
    truth = world.truth.theta.numpy()
    ours = world.length(data.objective(_against_truth(world)) - truth) ** 2
    return theirs / ours.mean()


def squared_error(
    world: PrivateEstimate, algorithm: Algorithm, data: CuratorsData, replicates: int
) -> np.ndarray:
    """(R,) ‖θ̃ − θ*‖² in Σ, labels' error included."""
    return world.length(world.returned(algorithm(data)) - world.truth.theta.numpy()) ** 2


def objective_error_predicted(world: PrivateEstimate) -> float:
    """Its mean, linearised at θ*, of objective perturbation."""
    calibration = _against_truth(world)
    return world.spectrum.against_truth().gradient_noise(calibration.sigma, calibration.ridge)


def _against_truth(world: PrivateEstimate) -> Calibration:
    return tuned_objective(world.budget, world.spectrum.against_truth())


def tuned_for_truth(data: CuratorsData) -> np.ndarray:
    """Wrong: objective perturbation with the ridge that suits errors against θ*."""
    return data.objective(_against_truth(data.world))


def over_objective_predicted(world: PrivateEstimate) -> float:
    """The same, linearised at θ*."""
    theirs = _batches_predicted(world, world.spectrum.against_truth())
    return theirs / objective_error_predicted(world)


def budget_ignored(data: CuratorsData) -> np.ndarray:
    """Wrong for a sweep of ε: all numbers of objective perturbation are those of ε = 1."""
    return data.objective(tuned_objective(_at_epsilon_one(data.world), data.world.spectrum))


def output_budget_ignored(data: CuratorsData) -> np.ndarray:
    """Wrong for a sweep of ε: all numbers of output perturbation are those of ε = 1."""
    return data.output(tuned_output(_at_epsilon_one(data.world), data.world.spectrum))


def _at_epsilon_one(world: PrivateEstimate) -> MechanismBudget:
    return replace(world.budget, epsilon=1.0)


def distance(
    world: PrivateEstimate, algorithm: Algorithm, data: CuratorsData, replicates: int
) -> np.ndarray:
    """(R,) ‖θ̃ − θ̂‖ in Σ."""
    return world.length(world.returned(algorithm(data)) - data.without_privacy)


def squared_distance(
    world: PrivateEstimate, algorithm: Algorithm, data: CuratorsData, replicates: int
) -> np.ndarray:
    """(R,) ‖θ̃ − θ̂‖² in Σ."""
    return distance(world, algorithm, data, replicates) ** 2


def objective_predicted(world: PrivateEstimate) -> float:
    """Its mean, linearised at θ*, of objective perturbation."""
    calibration = world.for_objective
    return world.spectrum.gradient_noise(calibration.sigma, calibration.ridge)


def output_predicted(world: PrivateEstimate) -> float:
    """Its mean, linearised at θ*, of output perturbation."""
    perturbation = world.for_output
    return world.spectrum.output_noise(perturbation.std, perturbation.ridge)


# Both bounds, on every dataset -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PulledData:
    """Datasets whose objective was perturbed by a b that is known.

    Attributes:
        data: the datasets.
        linear: (R, d) b.
    """

    data: CuratorsData
    linear: np.ndarray

    def curved(self, least: float) -> np.ndarray:
        """(R,) curvature of the perturbed objective, if that of a pair is ``least``·‖x‖²."""
        counts = self.data.counts
        return (
            least * (counts.pairs.min(1) * counts.length**2) + self.data.world.for_objective.ridge
        )


def pulled(world: PrivateEstimate, rng: np.random.Generator, replicates: int) -> PulledData:
    """R datasets, and b of objective perturbation."""
    data = world.draw(rng, replicates)
    return PulledData(data, data.normal(world.for_objective.sigma))


def least_curvature(data: PulledData) -> np.ndarray:
    """h + A, h being the least curvature of a pair on the ball."""
    return data.curved(curvature(data.data.world.reward_bound))


def curvature_at_zero(data: PulledData) -> np.ndarray:
    """Wrong: the curvature at 0, where θ̂ is not."""
    return data.curved(0.25)


def over_upper(
    world: PrivateEstimate, curved: Algorithm, data: PulledData, replicates: int
) -> np.ndarray:
    """(R,) ‖θ̃ − θ̂‖ over ‖b + Aθ̂‖/(h + A)."""
    ridge, plain = world.for_objective.ridge, data.data.without_privacy
    fitted = world.returned(data.data.fitted(ridge, data.linear))
    moved = np.linalg.norm(fitted - plain, axis=1)
    pull = np.linalg.norm(data.linear + ridge * plain, axis=1)
    return moved * curved(data) / pull


def gradient_noise(world: PrivateEstimate) -> float:
    """D/μ, μ being the largest Gaussian shift that is (ε, δ)-private."""
    apart = world.budget.records(world.num_features).distance
    return apart / exact_shift(world.epsilon, world.dp_delta)


def least_error(data: CuratorsData, noise: float) -> np.ndarray:
    """(R,) E‖θ̃ − θ̂‖² of output perturbation at the best of a few ridges.

    Args:
        data: the datasets.
        noise: multiple of the noise that is private.
    """
    world, errors = data.world, []
    for times in TRIED:
        ridge = times * world.for_output.ridge
        std = noise * gradient_noise(world) / ridge
        moved = ((world.returned(data.fitted(ridge)) - data.without_privacy) ** 2).sum(1)
        errors.append(moved + world.num_features * std**2)
    return np.min(errors, axis=0)


PRIVATE_NOISE = named("private_noise", least_error, noise=1.0)
THIRD_OF_NOISE = named("third_of_the_noise", least_error, "a third of the noise", noise=1 / 3)
"""Wrong: noise that is not private."""


def under_lower(
    world: PrivateEstimate, error: Algorithm, data: CuratorsData, replicates: int
) -> np.ndarray:
    """(R,) min(‖θ̂‖·√d·D/(nHμ), ‖θ̂‖²/4) over E‖θ̃ − θ̂‖²."""
    plain, d = data.without_privacy, world.num_features
    largest = data.counts.pairs.max(1) * data.counts.length**2 / 4
    norm = np.linalg.norm(plain, axis=1)
    bound = np.minimum(norm * math.sqrt(d) * gradient_noise(world) / largest, norm**2 / 4)
    return bound / error(data)


# The claims --------------------------------------------------------------------------------------

DRAW = PrivateEstimate.draw
DELTA = Quantity("exact δ(ε) / stated δ", exact_delta, evidence="exact")
UPPER = Quantity("‖θ̃ − θ̂‖ / (‖b + Aθ̂‖/(h + A))", over_upper, evidence="searched", drawn=pulled)
LOWER = Quantity("lower bound / E‖θ̃ − θ̂‖²", under_lower, evidence="searched", drawn=DRAW)
MOVED = Quantity("‖θ̃ − θ̂‖ in Σ [reward]", distance, drawn=DRAW)
CONSTANT = "‖θ̃ − θ̂‖² in Σ / predicted"
OBJECTIVE_CONSTANT = Quantity(CONSTANT, squared_distance, drawn=DRAW, over=objective_predicted)
OUTPUT_CONSTANT = Quantity(CONSTANT, squared_distance, drawn=DRAW, over=output_predicted)
BATCHES_CONSTANT = Quantity(CONSTANT, squared_distance, drawn=DRAW, over=batches_predicted)
OVER_OBJECTIVE = Quantity(
    "‖θ̃ − θ*‖² in Σ / that of objective perturbation", over_objective, drawn=DRAW
)
OVER_OBJECTIVE_PREDICTED = replace(OVER_OBJECTIVE, over=over_objective_predicted)
OVER_LINEARISED = Quantity(
    "‖θ̃ − θ*‖² in Σ / that of objective perturbation, linearised",
    squared_error,
    drawn=DRAW,
    over=objective_error_predicted,
)
EVERY_DATASET = "a bound on every dataset, whatever its labels"
NOISE_OVER_CURVATURE = {
    "labels": "noise over curvature: no label has a part in the noise, a pair's Hessian "
    "does not depend on its label, and on the ball it has the same order at every θ̂"
}
NOISE_OF_A_RIDGE = {
    "labels": "at the tuned ridge, which no label has a part in, the noise D/(Aμ) alone has the "
    "exponent of the whole"
}
OBJECTIVE_MOVES = "objective perturbation: θ̂ moved {rate}"
OUTPUT_MOVES = "output perturbation: θ̂ moved {rate}"


def release(
    name: str, words: str, right: Algorithm, wrong: Sequence[Algorithm], **more: Any
) -> Check:
    """A check along LB that a release is private."""
    return Check(name=name, axis="reward_bound", claim=Inequality(words), quantity=DELTA,
                 right=right, wrong=wrong, blind=ANY_DATA, **more)  # fmt: skip


def moves(
    name: str, axis: str, claim: Claim, right: Algorithm, wrong: Sequence[Algorithm],
    quantity: Quantity = MOVED, **more: Any,
) -> Check:  # fmt: skip
    """A check of how far a mechanism moves θ̂."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 **more)  # fmt: skip


RELEASED = [
    release("objective_released", "objective perturbation, d = 2", OBJECTIVE_RELEASED,
            [OBJECTIVE_SHORT], settles=["own.objective_perturbation"]),
    release("output_released", "output perturbation, d = 2", OUTPUT_RELEASED,
            [OUTPUT_SHORT, distance_of_a_flip]),
    release("descent_released", "all steps of noisy gradient descent, d = 2", DESCENT_RELEASED,
            [DESCENT_SHORT, STEPS_FORGOTTEN]),
    release("objective_released_added", "objective perturbation, d = 2, a record added",
            OBJECTIVE_RELEASED, [OBJECTIVE_SHORT], settles=["own.one_record_added"]),
    release("output_released_added", "output perturbation, d = 2, a record added",
            OUTPUT_RELEASED, [OUTPUT_SHORT]),
    release("descent_released_added",
            "all steps of noisy gradient descent, d = 2, a record added", DESCENT_RELEASED,
            [DESCENT_SHORT, STEPS_FORGOTTEN]),
]  # fmt: skip
IN_BATCHES = [
    release("batches_step", "one step of DP-SGD, d = 2", STEP, [STEP_SHORT, STEP_ON_ALL]),
    release("batches_step_added", "one step of DP-SGD, d = 2, a record added", STEP,
            [STEP_SHORT, STEP_ON_ALL]),
]  # fmt: skip
BOUNDS = [
    moves("objective_upper", "n_pairs",
          Inequality("objective perturbation moves θ̂ by at most ‖b + Aθ̂‖/(h + A)"),
          least_curvature, [curvature_at_zero], UPPER, blind={"labels": EVERY_DATASET}),
    moves("output_lower", "n_pairs",
          Inequality("output perturbation moves θ̂ by at least (‖θ̂‖·√d·D/(nHμ))^½"),
          PRIVATE_NOISE, [THIRD_OF_NOISE], LOWER,
          blind={"labels": EVERY_DATASET,
                 "algorithm": "a lower bound, and the opposite of θ̃ lies farther away"}),
]  # fmt: skip
RATES = [
    moves("objective_n", "n_pairs", Slope(OBJECTIVE_MOVES, -1), objective, [OUTPUT_INSTEAD],
          blind=NOISE_OVER_CURVATURE),
    moves("descent_n", "n_pairs", Slope("noisy gradient descent: θ̂ moved {rate}", -1), descent,
          [OUTPUT_INSTEAD], blind=NOISE_OVER_CURVATURE),
    moves("objective_constant", "n_pairs", Ratio("objective perturbation: the constant"),
          objective, [OUTPUT_INSTEAD], OBJECTIVE_CONSTANT),
    moves("output_constant", "n_pairs", Ratio("output perturbation: 1/√n and the constant"),
          output, [OBJECTIVE_INSTEAD], OUTPUT_CONSTANT),
    moves("objective_epsilon", "epsilon", Slope(OBJECTIVE_MOVES, -1, tolerance=0.1), objective,
          [OUTPUT_INSTEAD, budget_ignored], blind=NOISE_OVER_CURVATURE),
    moves("output_epsilon", "epsilon", Slope(OUTPUT_MOVES, -0.5, tolerance=0.1), output,
          [OBJECTIVE_INSTEAD, output_budget_ignored], blind=NOISE_OF_A_RIDGE),
    moves("objective_features", "num_features", Slope(OBJECTIVE_MOVES, 1, tolerance=0.1),
          objective, [OUTPUT_INSTEAD], blind=NOISE_OVER_CURVATURE),
    moves("output_features", "num_features", Slope(OUTPUT_MOVES, 0.25, tolerance=0.1), output,
          [OBJECTIVE_INSTEAD], blind=NOISE_OF_A_RIDGE),
    moves("objective_scales", "epsilon", Slope(OBJECTIVE_MOVES, -0.5, tolerance=0.1), objective,
          [OUTPUT_INSTEAD, budget_ignored]),
    moves("output_scales", "n_pairs", Slope(OUTPUT_MOVES, -1 / 3), output, [OBJECTIVE_INSTEAD],
          blind=NOISE_OF_A_RIDGE),
]  # fmt: skip


NOISE_COUNTS = ["epsilon"]
"""The constants of DP-SGD show where its noise counts: at ε = 0.1."""
OF_BATCHES = [
    moves("batches_constant", "n_pairs",
          Ratio("DP-SGD: the constant, of noise and of sampling", tolerance=0.1), batches,
          [DESCENT_INSTEAD], BATCHES_CONSTANT, keeps=NOISE_COUNTS),
    moves("batches_constant_added", "num_features",
          Ratio("DP-SGD, a record added: the constant, in d", tolerance=0.1), batches,
          [DESCENT_INSTEAD], BATCHES_CONSTANT, keeps=NOISE_COUNTS),
    moves("batches_over_objective", "n_pairs",
          Ratio("DP-SGD's squared error: 1.1 to 1.3 times objective perturbation's", 1.2,
                tolerance=0.1),
          batches, [tuned_for_truth, TEN_BATCHES], OVER_OBJECTIVE),
    moves("batches_over_objective_added", "n_pairs",
          Ratio("the same where a record is added", 1.2, tolerance=0.1), batches,
          [tuned_for_truth, TEN_BATCHES], OVER_OBJECTIVE),
    moves("batches_over_objective_features", "num_features",
          Ratio("DP-SGD's squared error: 1.1 to 1.3 times objective perturbation's, in d", 1.2,
                tolerance=0.1), batches, [tuned_for_truth, TEN_BATCHES], OVER_OBJECTIVE),
    moves("batches_over_objective_epsilon", "epsilon",
          Ratio("DP-SGD's squared error over objective perturbation's: as predicted",
                tolerance=0.1), batches, [tuned_for_truth], OVER_OBJECTIVE_PREDICTED),
    moves("batches_over_objective_thin", "n_pairs",
          Ratio("a thin spectrum, few pairs: DP-SGD's squared error is objective perturbation's",
                tolerance=0.1), batches, [TEN_BATCHES], OVER_LINEARISED, keeps=NOISE_COUNTS),
]  # fmt: skip


def truth_on_the_ball(world: PrivateEstimate):
    """‖θ*‖ ≤ B."""
    norm = float(world.truth.theta.norm())
    yield "‖θ*‖ ≤ B", norm <= world.reward_bound, f"‖θ*‖ = {norm:.3g}"


THEOREM = Theorem(
    title="Four private mechanisms on the same data",
    settles=["own.mechanism_comparison"],
    checks=[*RELEASED, *IN_BATCHES, *BOUNDS, *RATES, *OF_BATCHES],
    worlds={
        "released": ReleasedInThePlane,
        "batches": ReleasedInBatches,
        "moved": PrivateEstimate,
    },
    assumes=at_both_ends(truth_on_the_ball, of=PrivateEstimate),
)
