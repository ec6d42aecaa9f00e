"""Three private mechanisms on the same data: what each reveals, and how far it moves the estimate.

Statement (ours; proofs in docs/explanations/mechanism_comparison.md).  Privacy is under replacement
of a record.  μ is the largest Gaussian
shift that is (ε, δ)-private, D the largest distance of two records' gradients at one θ of the ball,
n·h and n·H the least and the largest curvature of the summed loss on it, θ̂ the estimate without
privacy.

    output perturbation, noise D/(Aμ) on the minimiser under a ridge A, is (ε, δ)-private, and for
    every A, θ̂ inside the ball  E‖θ̃ − θ̂‖² ≥ min(‖θ̂‖·√d·D/(nHμ), ‖θ̂‖²/4);
    objective perturbation      ‖θ̃ − θ̂‖ ≤ ‖b + Aθ̂‖/(nh + A), so E‖θ̃ − θ̂‖² ≤ (dσ² + A²‖θ̂‖²)/(nh)²,
    with σ = 1.05 to 1.08 D/μ at 5 % of ε for the ridge;
    T steps of gradient descent with noise √T·D/μ on each summed gradient are (ε, δ)-private.

Where data cover all directions, output perturbation moves θ̂ by 1/√(nμ), the others by 1/(nμ),
which for large n is less than the error 1/√n of the labels.

Rows.  What is released, on neighbours in the plane that are told apart as well as we know
(``*_released``; 1/1.25 of the noise is caught).  Both bounds, on every dataset
(``objective_upper``, ``output_lower``); constants (``*_constant``) and exponents in n, ε and d, on
a world that covers all directions evenly and on a spectrum 4^(−k), where a ridge has to stand in
for curvature: there it is 1/√ε for objective perturbation (and 1/√n, as Lemma A.11 has it) and
n^(−1/3) for output perturbation.

All three are tuned with the world known, which favours those that need it more: the ridge of
output perturbation depends on n, ε, ‖θ*‖ and the curvature, that of objective perturbation does
less, and so does the share of ε that it costs; descent takes steps of length 1/curvature.

What would refute it: neighbours told apart better than claimed, one dataset beyond a bound, or
another exponent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from repro.base.notation import privacy_cost
from repro.base.schema import Pairs, Positive
from repro.core.check import Algorithm, Check, Quantity, Theorem, at_both_ends, named
from repro.core.claims import Claim, Inequality, Ratio, Slope
from repro.core.privacy_claims import ANY_DATA, exact_delta
from repro.objective_perturbation.calibration import corrected, curvature
from repro.objective_perturbation.curator_release import CuratorRelease
from repro.objective_perturbation.gradients import pairs
from repro.objective_perturbation.neighbour_search import World, most_telling
from repro.privacy.central_noise import under
from repro.privacy.gaussian import exact_shift
from repro.privacy.mechanism import Mechanism
from repro.private_estimates.linearised_errors import MechanismBudget, tuned_objective, tuned_output
from repro.private_estimates.noisy_descent import noisy_descent, transcript
from repro.private_estimates.output_perturbation import output_perturbation, told_apart
from repro.private_estimates.three_estimates import CuratorsData, PrivateEstimate

STEPS = 100
"""T of noisy gradient descent."""
SHORT = 1.25
"""Factor by which the noise of the controls is too small."""
TRIED = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Multiples of the tuned ridge of output perturbation, of which the best is taken."""

# What is released of two neighbours --------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ReleasedInThePlane(CuratorRelease):
    """Two neighbouring datasets in d = 2, of which one mechanism releases an estimate.

    Attributes:
        reward_bound: LB, with L = 1.
        n_pairs: n.
    """

    reward_bound: Positive
    n_pairs: Pairs

    def more_labels(self, other: ReleasedInThePlane) -> float:
        """How many times as many labels another budget needs."""
        return (privacy_cost(other.epsilon) / privacy_cost(self.epsilon)) ** 2


def by_objective(world: ReleasedInThePlane, factor: float) -> Mechanism:
    """Objective perturbation under 1/factor of its noise."""
    made = corrected(world.epsilon, world.dp_delta, pairs(world.reward_bound, 2))
    place = World(world.n_pairs, world.reward_bound, 2)
    return most_telling(place, made.weakened(factor), world.epsilon)


def by_output(world: ReleasedInThePlane, factor: float) -> Mechanism:
    """Output perturbation under 1/factor of its noise."""
    given = (world.epsilon, world.dp_delta, world.reward_bound)
    made = output_perturbation(*given, 2, math.sqrt(world.n_pairs))
    return told_apart(made.weakened(factor), world.reward_bound)


def by_descent(world: ReleasedInThePlane, factor: float) -> Mechanism:
    """Every step of noisy gradient descent under 1/factor of its noise."""
    made = noisy_descent(world.epsilon, world.dp_delta, world.reward_bound, 2, STEPS)
    return transcript(made.weakened(factor), world.reward_bound)


def weakened(
    world: ReleasedInThePlane, by: Callable[[ReleasedInThePlane, float], Mechanism], factor: float
) -> Mechanism:
    """A mechanism under 1/factor of what its noise really is."""
    return under(world.noise, lambda multiple: by(world, factor / multiple))


def distance_of_a_flip(world: ReleasedInThePlane) -> Mechanism:
    """Wrong: the distance 2L of a flipped label at θ = 0, as if gradients only changed sign."""
    return weakened(world, by_output, pairs(world.reward_bound, 2).distance / 2)


OBJECTIVE_RELEASED = named("objective", weakened, by=by_objective, factor=1.0)
OUTPUT_RELEASED = named("output", weakened, by=by_output, factor=1.0)
DESCENT_RELEASED = named("descent", weakened, by=by_descent, factor=1.0)
OBJECTIVE_SHORT = named("noise_over_1_25", weakened, by=by_objective, factor=SHORT)
OUTPUT_SHORT = named("noise_over_1_25", weakened, by=by_output, factor=SHORT)
DESCENT_SHORT = named("noise_over_1_25", weakened, by=by_descent, factor=SHORT)
STEPS_FORGOTTEN = named("steps_forgotten", weakened, by=by_descent, factor=math.sqrt(STEPS))
"""Wrong: every step has the noise of a single one."""

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
    given = (world.epsilon, world.dp_delta, world.reward_bound, world.num_features)
    return data.descent(noisy_descent(*given, STEPS))


def budget_ignored(data: CuratorsData) -> np.ndarray:
    """Wrong for a sweep of ε: all numbers of objective perturbation are those of ε = 1."""
    return data.objective(tuned_objective(_at_epsilon_one(data.world), data.world.spectrum))


def output_budget_ignored(data: CuratorsData) -> np.ndarray:
    """Wrong for a sweep of ε: all numbers of output perturbation are those of ε = 1."""
    return data.output(tuned_output(_at_epsilon_one(data.world), data.world.spectrum))


def _at_epsilon_one(world: PrivateEstimate) -> MechanismBudget:
    return MechanismBudget(1.0, world.dp_delta, world.reward_bound)


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
    made = world.for_objective
    return world.spectrum.gradient_noise(made.sigma, made.ridge)


def output_predicted(world: PrivateEstimate) -> float:
    """Its mean, linearised at θ*, of output perturbation."""
    made = world.for_output
    return world.spectrum.output_noise(made.std, made.ridge)


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
    """Wrong: θ̂ is not at 0."""
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
    apart = pairs(world.reward_bound, world.num_features).distance
    return apart / exact_shift(world.epsilon, world.dp_delta)


def least_error(data: CuratorsData, noise: float) -> np.ndarray:
    """(R,) E‖θ̃ − θ̂‖² of output perturbation at the best of a few ridges.

    Args:
        data: the datasets.
        noise: multiple of the noise that is private.
    """
    world, found = data.world, []
    for times in TRIED:
        ridge = times * world.for_output.ridge
        std = noise * gradient_noise(world) / ridge
        moved = ((world.returned(data.fitted(ridge)) - data.without_privacy) ** 2).sum(1)
        found.append(moved + world.num_features * std**2)
    return np.min(found, axis=0)


PRIVATE_NOISE = named("private_noise", least_error, noise=1.0)
THIRD_OF_NOISE = named("third_of_the_noise", least_error, noise=1 / 3)
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
DELTA = Quantity("exact δ(ε) over δ", exact_delta, evidence="exact")
UPPER = Quantity("‖θ̃ − θ̂‖ / (‖b + Aθ̂‖/(h + A))", over_upper, evidence="searched", drawn=pulled)
LOWER = Quantity("lower bound / E‖θ̃ − θ̂‖²", under_lower, evidence="searched", drawn=DRAW)
MOVED = Quantity("‖θ̃ − θ̂‖ in Σ [reward]", distance, drawn=DRAW)
CONSTANT = "‖θ̃ − θ̂‖² in Σ / predicted"
OBJECTIVE_CONSTANT = Quantity(CONSTANT, squared_distance, drawn=DRAW, over=objective_predicted)
OUTPUT_CONSTANT = Quantity(CONSTANT, squared_distance, drawn=DRAW, over=output_predicted)
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
    moves("objective_n", "n_pairs", Slope(-1, OBJECTIVE_MOVES), objective, [output],
          blind=NOISE_OVER_CURVATURE),
    moves("descent_n", "n_pairs", Slope(-1, "noisy gradient descent: θ̂ moved {rate}"), descent,
          [output], blind=NOISE_OVER_CURVATURE),
    moves("objective_constant", "n_pairs", Ratio("objective perturbation: the constant"),
          objective, [output], OBJECTIVE_CONSTANT),
    moves("output_constant", "n_pairs", Ratio("output perturbation: 1/√n and the constant"),
          output, [objective], OUTPUT_CONSTANT),
    moves("objective_epsilon", "epsilon", Slope(-1, OBJECTIVE_MOVES, tolerance=0.1), objective,
          [output, budget_ignored], blind=NOISE_OVER_CURVATURE),
    moves("output_epsilon", "epsilon", Slope(-0.5, OUTPUT_MOVES, tolerance=0.1), output,
          [objective, output_budget_ignored], blind=NOISE_OF_A_RIDGE),
    moves("objective_features", "num_features", Slope(1, OBJECTIVE_MOVES, tolerance=0.1),
          objective, [output], blind=NOISE_OVER_CURVATURE),
    moves("output_features", "num_features", Slope(0.25, OUTPUT_MOVES, tolerance=0.1), output,
          [objective], blind=NOISE_OF_A_RIDGE),
    moves("objective_scales", "epsilon", Slope(-0.5, OBJECTIVE_MOVES, tolerance=0.1), objective,
          [output, budget_ignored]),
    moves("output_scales", "n_pairs", Slope(-1 / 3, OUTPUT_MOVES), output, [objective],
          blind=NOISE_OF_A_RIDGE),
]  # fmt: skip


def truth_on_the_ball(world: PrivateEstimate):
    """‖θ*‖ ≤ B."""
    norm = float(world.truth.theta.norm())
    yield "‖θ*‖ ≤ B", norm <= world.reward_bound, f"‖θ*‖ = {norm:.3g}"


THEOREM = Theorem(
    title="Three private mechanisms on the same data",
    settles=["own.mechanism_comparison"],
    checks=[*RELEASED, *BOUNDS, *RATES],
    worlds={"released": ReleasedInThePlane, "moved": PrivateEstimate},
    assumes=at_both_ends(truth_on_the_ball, of=PrivateEstimate),
)
