"""From a grid point of P3's results to its case: a trusted curator, stage by stage."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from torch import Tensor

from repro.base.errors import BadInput
from repro.base.schema import Count, Model, Positive, Probability, Share
from repro.families.central.algorithms_budget import CentralBudget
from repro.families.central.algorithms_curator import Perturbation, printed_perturbation
from repro.families.central.algorithms_private_budget import PrivateBudget
from repro.families.central.algorithms_release import CentralData, World, draw_data
from repro.preferences.label_law import Estimate, LabelLaw, as_fitted, bradley_terry
from repro.privacy.central_noise import GAUSSIAN, CentralNoise
from repro.study.case import Case, Point
from repro.study.config import Overrides, Probe, Probes
from repro.study.experiment import Assumed, C, Experiment, Setting
from repro.study.row import Evidence, Measure, Row, Values

MOST = "allowed: at most 1 (input of P3's Algorithm 1)"


class Curator(Model):
    """What Algorithms 1–3 take besides the data (P3, section 4).

    Attributes:
        dp_delta: δ, at most 1/n² at every n of the sweeps.
        failure_prob: η.
        feature_norm: L.
        radius: B.
        ridge_scale: C of Lemma A.9, in the units L².
    """

    dp_delta: Probability
    failure_prob: Probability
    feature_norm: Positive
    radius: Positive
    ridge_scale: Positive


class CentralProbes(Probes):
    """Probes of an experiment with a curator."""

    curator: Curator


class GapProbes(CentralProbes):
    """Also the worlds on which the rates of greedy and pessimistic policies are measured.

    Attributes:
        num_levels: (first) states of ``scales``.
        few_levels: of ``trapped``, whose policies are enumerated, besides the trap.
        trap_prob: test mass of the trap.
        theta_share: ‖θ*‖/B.
        error_scale: the constant of O(·) in F, besides its factor of K or H.
        optimizer_tol_power: β = n^(−power).
    """

    num_levels: Count
    few_levels: Count
    trap_prob: Share
    theta_share: Share
    error_scale: Positive
    optimizer_tol_power: Positive


@dataclass(frozen=True, eq=False, kw_only=True)
class LearningCase(Case):
    """One grid point of learning from a trusted curator, stage by stage.

    Attributes:
        world: the truth.
        budget: the constants that Algorithms 1–3 believe in.
        optimizer_tol_power: β = n^(−power).
        error_scale: the constant of O(·) in F.
        labels: what labels are drawn from.
        noise: what the curator really adds.
        estimate: (fitted, truth) → what Algorithm 1 returns.
        bonus: multiple of F in Algorithm 3: 1 as printed, 0 none, −1 reversed.
    """

    world: World
    budget: CentralBudget
    optimizer_tol_power: float
    error_scale: float = 1.0
    labels: LabelLaw = bradley_terry
    noise: CentralNoise = GAUSSIAN
    estimate: Estimate = as_fitted
    bonus: float = 1.0

    def draw(self, rng: np.random.Generator, replicates: int) -> CentralData:
        """R datasets of n comparisons and the noise of their release."""
        return draw_data(rng, self.world, self.n_pairs, replicates, self.labels, self.noise)

    @property
    def perturbation(self) -> Perturbation:
        """The numbers that Algorithm 1 prints."""
        tol = float(self.n_pairs) ** -self.optimizer_tol_power
        return printed_perturbation(self.budget, self.n_pairs, self.world.num_features, tol)

    def theta(self, data: CentralData, noise_factor: float = 1.0) -> Tensor:
        """(R, d) θ̃ (Algorithm 1), with the scale of b times ``noise_factor``."""
        numbers = self.perturbation
        numbers = replace(numbers, noise_std=numbers.noise_std * noise_factor)
        return self.estimate(data.theta(numbers), self.world.theta)

    @property
    def ridge(self) -> float:
        """λ of the appendix."""
        return self.budget.confidence_ridge(self.n_pairs, self.world.num_features)

    @property
    def text_ridge(self) -> float:
        """λ of the main text."""
        return self.budget.text_ridge(self.n_pairs, self.world.num_features)

    @property
    def error_bound(self) -> float:
        """F of eq. (3)."""
        return self.budget.error_bound(self.n_pairs, self.world.num_features, self.error_scale)

    def distance(self, data: CentralData, ridge: float) -> Tensor:
        """(R,) ‖θ* − θ̃‖ in Σ̃ + ridge·I."""
        theta = self.theta(data)
        return data.distance(data.matrix(self.budget, ridge), theta, self.world.theta)


def learnt(quantity: str) -> Measure:
    """(R,) what every method makes of the same datasets and the same noise."""

    def of(case: LearningCase, rng: np.random.Generator, replicates: int) -> Values:
        data = case.draw(rng, replicates)
        return {m.name: m.run(case, data).numpy() for m in case.methods}

    return Measure(quantity, of, Evidence.MEASURED)


class CentralExperiment(Experiment[C]):
    """Sweeps n, ε, d, K or log(1/δ) of a curator.

    Attributes:
        places: by what a row is measured on, (experiment, grid point) → its case.
    """

    config: Any
    places: ClassVar[Mapping[str, Callable[[Any, Point], Any]]]

    def __init__(self, config: CentralProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        self.curator = config.curator
        self.failure_prob = config.curator.failure_prob
        _refuse_above_one("epsilon", setting.overrides.epsilon)
        for name, probe in config.probes.items():
            _refuse_above_one(f"theorem.probes.{name}.epsilon", probe.epsilon)

    def case(self, point: Point) -> C:
        """World, n and budget of one grid point, or a step of the proof."""
        return self.places[point.row.on](self, point)

    @property
    def pairs(self) -> tuple[float, float]:
        """2L, the length of every pair, and ‖θ*‖."""
        return 2 * self.curator.feature_norm, self.config.theta_share * self.curator.radius

    def more_labels(self, row: Row, probe: Probe, given: Overrides) -> float:
        """Errors depend on ε·n: at another ε as many labels as keep it."""
        if probe.epsilon is None or given.epsilon is None:
            return 1.0
        return probe.epsilon / given.epsilon

    def budget(self, point: Point) -> CentralBudget:
        """The curator's constants at one grid point."""
        given = self.curator
        return CentralBudget(
            epsilon=point.epsilon,
            log_inverse_delta=point.swept("log_inverse_delta", math.log(1 / given.dp_delta)),
            failure_prob=given.failure_prob,
            feature_norm=given.feature_norm,
            radius=given.radius,
            ridge_scale=given.ridge_scale,
        )

    def private_budget(self, point: Point) -> CentralBudget:
        """Noise that is private at its stated budget, δ = 1/n² unless it is swept."""
        log_inverse_delta = point.swept("log_inverse_delta", 2 * math.log(point.n_pairs))
        printed = replace(self.budget(point), log_inverse_delta=log_inverse_delta)
        return PrivateBudget(**vars(printed))

    def budget_of(self, point: Point) -> CentralBudget:
        """The budget that a row is given: the printed one unless it says otherwise."""
        given: OfPoint = point.row.given or CentralExperiment.budget
        return given(self, point)

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """The curator's constants, and the numbers that the worlds are built from."""
        apart = {"name", "probes", "instances"}
        return {"world_fields": self.config.model_dump(mode="json", exclude=apart)}


OfPoint = Callable[[CentralExperiment[Any], Point], CentralBudget]
PRIVATE: OfPoint = CentralExperiment.private_budget
"""Given to rows whose noise is private at its stated budget."""
NOT_PRIVATE = "printed noise, not private at its stated budget"
"""What P3's own noise is called in the rows that use it, with pairs or trajectories: at their δ
Lemma A.7 fails whether an item is replaced or added."""


class OfBudget(Protocol):
    """A case of n labels on a curator's constants."""

    @property
    def n_pairs(self) -> int: ...

    @property
    def budget(self) -> CentralBudget: ...


def inputs_of_algorithm_1(case: OfBudget) -> Iterator[Assumed]:
    """ε ≤ 1 and δ ≤ 1/n²."""
    budget, most = case.budget, -2 * math.log(case.n_pairs)
    holds = budget.epsilon <= 1 and -budget.log_inverse_delta <= most
    detail = f"ε {budget.epsilon:.3g}, log δ {-budget.log_inverse_delta:.1f} ≤ {most:.1f}"
    yield "ε ≤ 1 and δ ≤ 1/n²", holds, detail


def _refuse_above_one(key: str, epsilon: float | None) -> None:
    if epsilon is not None and epsilon > 1:
        raise BadInput(key, epsilon, MOST)
