"""Three private mechanisms on the same worlds: what is claimed of each, and how far it moves θ̂."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from repro.families.central.algorithms_mechanisms import Dataset
from repro.families.central.algorithms_separable import AxisCounts
from repro.families.central.bounds_gradients import pairs
from repro.families.central.bounds_mechanisms import (
    Budget,
    Spectrum,
    spectrum,
    tuned_objective,
    tuned_output,
)
from repro.families.central.mechanisms_calibration import Calibration, corrected, curvature
from repro.families.central.mechanisms_descent import noisy_descent, transcript
from repro.families.central.mechanisms_gaussian import exact_shift
from repro.families.central.mechanisms_noise import under
from repro.families.central.mechanisms_output import output_perturbation, told_apart
from repro.families.central.searches_neighbours import World, most_telling
from repro.families.central.worlds_axis import AxisWorld
from repro.preferences.label_counts import draw_label_counts
from repro.preferences.label_law import Estimate, LabelLaw, as_fitted, bradley_terry
from repro.privacy.central_noise import GAUSSIAN, CentralNoise
from repro.privacy.mechanism import Guarantee, Mechanism
from repro.study.privacy_rows import PrivacyCase
from repro.study.row import Evidence, Measure, Method, Values, method

STEPS = 100
"""T of noisy gradient descent in the rows."""
SHORT = 1.25
"""Factor by which the noise of the controls is too small."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleasedCase(PrivacyCase):
    """Neighbours in the plane, of whom one mechanism releases an estimate.

    Attributes:
        dp_delta: δ.
        reward_bound: LB, with L = 1.
        noise: what is really added.
    """

    dp_delta: float
    reward_bound: float
    noise: CentralNoise = GAUSSIAN


def released(name: str, mechanism: Callable[[ReleasedCase, float], Mechanism]) -> Method:
    """A method that claims (ε, δ); (case, factor) → neighbours under 1/factor of the noise."""

    def run(case: ReleasedCase) -> tuple[Mechanism, Guarantee]:
        found = under(case.noise, lambda multiple: mechanism(case, 1 / multiple))
        return found, Guarantee(case.epsilon, case.dp_delta)

    return Method(name, run)


def _objective(case: ReleasedCase, factor: float) -> Mechanism:
    made = corrected(case.epsilon, case.dp_delta, pairs(case.reward_bound, 2))
    world = World(case.n_pairs, case.reward_bound, 2)
    return most_telling(world, made.weakened(factor), case.epsilon)


def _output(case: ReleasedCase, factor: float) -> Mechanism:
    given = (case.epsilon, case.dp_delta, case.reward_bound)
    made = output_perturbation(*given, 2, math.sqrt(case.n_pairs))
    return told_apart(made.weakened(factor), case.reward_bound)


def _descent(case: ReleasedCase, factor: float) -> Mechanism:
    made = noisy_descent(case.epsilon, case.dp_delta, case.reward_bound, 2, STEPS)
    return transcript(made.weakened(factor), case.reward_bound)


objective_released = released("objective", _objective)
output_released = released("output", _output)
descent_released = released("descent", _descent)
objective_short = released("noise_over_1_25", lambda case, f: _objective(case, SHORT * f))
output_short = released("noise_over_1_25", lambda case, f: _output(case, SHORT * f))
descent_short = released("noise_over_1_25", lambda case, f: _descent(case, SHORT * f))
output_of_a_flip = released(
    "distance_of_a_flip",
    lambda case, f: _output(case, f * pairs(case.reward_bound, 2).distance / 2),
)
"""Wrong: the distance 2L of a flipped label at θ = 0, as if gradients only changed sign."""
steps_forgotten = released("steps_forgotten", lambda case, f: _descent(case, f * math.sqrt(STEPS)))
"""Wrong: every step has the noise of a single one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MovedCase(PrivacyCase):
    """How far a mechanism moves θ̂ on datasets of one size.

    Attributes:
        dp_delta: δ.
        reward_bound: B, with L = 1.
        world: the truth; its pairs lie along the axes.
        labels: what labels are drawn from.
        noise: what is really added.
        estimate: (fitted, truth) → what the mechanism returns.
    """

    dp_delta: float
    reward_bound: float
    world: AxisWorld
    labels: LabelLaw = bradley_terry
    noise: CentralNoise = GAUSSIAN
    estimate: Estimate = as_fitted

    @property
    def budget(self) -> Budget:
        """What is asked of every mechanism."""
        return Budget(self.epsilon, self.dp_delta, self.reward_bound)

    @cached_property
    def spectrum(self) -> Spectrum:
        """What labels can tell."""
        return spectrum(self.world, self.n_pairs)

    @property
    def shift(self) -> float:
        """μ: the largest Gaussian shift that is (ε, δ)-private."""
        return exact_shift(self.epsilon, self.dp_delta)

    @property
    def distance(self) -> float:
        """D."""
        return pairs(self.reward_bound, self.world.num_features).distance

    @cached_property
    def for_objective(self) -> Calibration:
        """Noise and tuned ridge of objective perturbation."""
        return tuned_objective(self.budget, self.spectrum)

    @cached_property
    def for_output(self):
        """Noise and tuned ridge of output perturbation."""
        return tuned_output(self.budget, self.spectrum)

    @property
    def largest(self) -> float:
        """Curvature at 0 along the steepest axis."""
        return float(self.n_pairs * self.spectrum.weight.max() / 4)

    def draw(self, rng: np.random.Generator, replicates: int) -> Dataset:
        """R datasets."""
        world = self.world
        counts = draw_label_counts(
            rng, world.data_prob, world.reward_diff, self.n_pairs, float("inf"), replicates,
            self.labels,
        )  # fmt: skip
        wins = np.asarray(counts.wins.numpy(), dtype=float)
        drawn = AxisCounts(np.broadcast_to(counts.pairs.numpy(), wins.shape), wins, world.length)
        return Dataset(drawn, self.n_pairs, self.reward_bound, rng, self.noise.multiple)

    def returned(self, fitted: np.ndarray) -> np.ndarray:
        """(R, d) what the mechanism returns of what it has fitted."""
        return self.estimate(torch.from_numpy(fitted), self.world.theta).numpy()

    def length(self, vector: np.ndarray) -> np.ndarray:
        """(R,) norm in Σ: root mean square of a reward difference."""
        return np.sqrt(vector**2 @ self.spectrum.weight)


@method
def objective(case: MovedCase, data: Dataset) -> np.ndarray:
    """Objective perturbation."""
    return data.objective(case.for_objective)


@method
def output(case: MovedCase, data: Dataset) -> np.ndarray:
    """Output perturbation."""
    return data.output(case.for_output)


@method
def descent(case: MovedCase, data: Dataset) -> np.ndarray:
    """Noisy gradient descent in 100 steps."""
    d = case.world.num_features
    made = noisy_descent(case.epsilon, case.dp_delta, case.reward_bound, d, STEPS)
    return data.descent(made, case.largest)


@method
def budget_ignored(case: MovedCase, data: Dataset) -> np.ndarray:
    """Wrong for a sweep of ε: all numbers are those of ε = 1."""
    made = tuned_objective(Budget(1.0, case.dp_delta, case.reward_bound), case.spectrum)
    return data.objective(made)


@method
def output_budget_ignored(case: MovedCase, data: Dataset) -> np.ndarray:
    """Wrong for a sweep of ε: all numbers are those of ε = 1."""
    return data.output(tuned_output(Budget(1.0, case.dp_delta, case.reward_bound), case.spectrum))


def _moved(case: MovedCase, rng: np.random.Generator, replicates: int) -> Values:
    data = case.draw(rng, replicates)
    plain = data.without_privacy()
    return {m.name: case.length(case.returned(m.run(case, data)) - plain) for m in case.methods}


MOVED = Measure("‖θ̃ − θ̂‖ in Σ [reward]", _moved, Evidence.MEASURED)


def _over(predicted: Callable[[MovedCase], float]) -> Callable[..., Values]:
    """Squared distances over what is predicted of them."""

    def of(case: MovedCase, rng: np.random.Generator, replicates: int) -> Values:
        moved, known = _moved(case, rng, replicates), predicted(case)
        return {name: found**2 / known for name, found in moved.items()}

    return of


def _objective_predicted(case: MovedCase) -> float:
    made = case.for_objective
    return case.spectrum.gradient_noise(made.sigma, made.ridge)


def _output_predicted(case: MovedCase) -> float:
    made = case.for_output
    return case.spectrum.output_noise(made.std, made.ridge)


QUANTITY = "‖θ̃ − θ̂‖² in Σ / predicted"
OBJECTIVE_CONSTANT = Measure(QUANTITY, _over(_objective_predicted), Evidence.MEASURED)
OUTPUT_CONSTANT = Measure(QUANTITY, _over(_output_predicted), Evidence.MEASURED)

least_curvature = Method("least_curvature", curvature)
curvature_at_zero = Method("curvature_at_zero", lambda reward_bound: 0.25)
"""Wrong: θ̂ is not at 0."""


def _upper(case: MovedCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) ‖θ̃ − θ̂‖ over ‖b + Aθ̂‖/(h + A), h a bound of the curvature that a method believes."""
    data, made = case.draw(rng, replicates), case.for_objective
    plain, b = data.without_privacy(), data.normal(made.sigma)
    fitted = case.returned(data.counts.minimiser(made.ridge, b, data.radius))
    moved = np.linalg.norm(fitted - plain, axis=1)
    pull = np.linalg.norm(b + made.ridge * plain, axis=1)
    pairs_least = data.counts.pairs.min(1) * data.counts.length**2
    least = {m.name: m.run(case.reward_bound) * pairs_least for m in case.methods}
    return {name: moved * (h + made.ridge) / pull for name, h in least.items()}


UPPER = Measure("‖θ̃ − θ̂‖ / (‖b + Aθ̂‖/(h + A))", _upper, Evidence.SEARCHED)

private_noise = Method("private_noise", 1.0)
third_of_noise = Method("third_of_the_noise", 1 / 3)
"""Wrong: noise that is not private."""
TRIED = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Multiples of the tuned ridge."""


def _lower(case: MovedCase, rng: np.random.Generator, replicates: int) -> Values:
    """(R,) lower bound of E‖θ̃ − θ̂‖² over its value at the best of a few ridges."""
    data = case.draw(rng, replicates)
    plain, d = data.without_privacy(), case.world.num_features
    largest = data.counts.pairs.max(1) * data.counts.length**2 / 4
    norm = np.linalg.norm(plain, axis=1)
    privacy = case.distance / case.shift
    bound = np.minimum(norm * math.sqrt(d) * privacy / largest, norm**2 / 4)
    return {m.name: bound / _smallest(case, data, plain, m.run) for m in case.methods}


def _smallest(case: MovedCase, data: Dataset, plain: np.ndarray, noise: float) -> np.ndarray:
    found = []
    for times in TRIED:
        ridge = times * case.for_output.ridge
        std = noise * case.distance / case.shift / ridge
        fitted = case.returned(data.counts.minimiser(ridge, 0 * plain, data.radius))
        moved = ((fitted - plain) ** 2).sum(1)
        found.append(moved + case.world.num_features * std**2)
    return np.min(found, axis=0)


LOWER = Measure("lower bound / E‖θ̃ − θ̂‖²", _lower, Evidence.SEARCHED)
