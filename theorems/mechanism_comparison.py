"""Three private mechanisms on the same data: what each reveals, and how far it moves the estimate.

Statement (ours; proofs in docs/explanations/mechanism_comparison.md).  Privacy is under replacement
of a record.  μ is the largest Gaussian
shift that is (ε, δ)-private, D the largest distance of two records' gradients at one θ of the ball,
n·h and n·H the least and the largest curvature of the summed loss on it, θ̂ the estimate without
privacy.

    output perturbation, noise D/(Aμ) on the minimiser under a ridge A, is (ε, δ)-private, and for
    every A, θ̂ inside the ball  E‖θ̃ − θ̂‖² ≥ min(‖θ̂‖·√d·D/(nHμ), ‖θ̂‖²/4);
    objective perturbation      ‖θ̃ − θ̂‖ ≤ ‖b + Aθ̂‖/(nh + A), so E‖θ̃ − θ̂‖² ≤ (dσ² + A²‖θ̂‖²)/(nh)²,
    with σ = 1.05 to 1.08 D/μ;
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
output perturbation depends on n, ε, ‖θ*‖ and the curvature, that of objective perturbation (where
all is covered) on ε alone; descent takes steps of length 1/curvature.

What would refute it: neighbours told apart better than claimed, one dataset beyond a bound, or
another exponent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from repro.base.schema import Count, Positive, Probability, Share
from repro.families.central.cases_mechanisms import (
    LOWER,
    MOVED,
    OBJECTIVE_CONSTANT,
    OUTPUT_CONSTANT,
    UPPER,
    MovedCase,
    ReleasedCase,
    budget_ignored,
    curvature_at_zero,
    descent,
    descent_released,
    descent_short,
    least_curvature,
    objective,
    objective_released,
    objective_short,
    output,
    output_budget_ignored,
    output_of_a_flip,
    output_released,
    output_short,
    private_noise,
    steps_forgotten,
    third_of_noise,
)
from repro.families.central.worlds_axis import even_world, multi_scale_world
from repro.study.case import Point
from repro.study.claims import Inequality, Ratio, Slope
from repro.study.config import Probes
from repro.study.experiment import Experiment
from repro.study.privacy_rows import PrivacyCase, exact_ratio
from repro.study.results import AssumptionResult
from repro.study.row import Need, Row

PLANE, EVEN, SCALES = "two neighbours in the plane", "even", "scales"
LENGTH = 2.0
"""‖x‖ of every pair, 2L."""
RATIO = exact_ratio("exact δ(ε) over δ")
NOISE, HIDDEN = (Need.NOISE,), (Need.TRUTH_HIDDEN,)
BOTH = (*HIDDEN, *NOISE)
OURS, OBJECTIVE = ("own.mechanism_comparison",), ("own.objective_perturbation",)


class MechanismProbes(Probes):
    """Numbers of the experiment.

    Attributes:
        dp_delta: δ.
        reward_bound: LB where it is not swept, with L = 1.
        theta_share: ‖θ*‖/B.
        num_features: d of ``even`` where it is not swept.
        num_levels: d of ``scales``.
    """

    dp_delta: Probability
    reward_bound: Positive
    theta_share: Share
    num_features: Count
    num_levels: Count


class MechanismComparison(Experiment[PrivacyCase]):
    """Objective perturbation, output perturbation and noisy gradient descent."""

    title = "Three private mechanisms on the same data"
    settles = OURS
    config_type = MechanismProbes
    config: MechanismProbes

    rows = (
        Row("objective_released", "reward_bound", Inequality("objective perturbation, d = 2"),
            RATIO, objective_released, (objective_short,), on=PLANE, needs=NOISE,
            settles=OBJECTIVE),
        Row("output_released", "reward_bound", Inequality("output perturbation, d = 2"), RATIO,
            output_released, (output_short, output_of_a_flip), on=PLANE, needs=NOISE),
        Row("descent_released", "reward_bound",
            Inequality("all steps of noisy gradient descent, d = 2"), RATIO, descent_released,
            (descent_short, steps_forgotten), on=PLANE, needs=NOISE),
        Row("objective_upper", "n_pairs",
            Inequality("objective perturbation moves θ̂ by at most ‖b + Aθ̂‖/(h + A)"), UPPER,
            least_curvature, (curvature_at_zero,), on=EVEN, needs=HIDDEN),
        Row("output_lower", "n_pairs",
            Inequality("output perturbation moves θ̂ by at least (‖θ̂‖·√d·D/(nHμ))^½"), LOWER,
            private_noise, (third_of_noise,), on=EVEN, needs=HIDDEN),
        Row("objective_n", "n_pairs", Slope(-1, "objective perturbation: θ̂ moved {rate}"), MOVED,
            objective, (output,), on=EVEN, needs=HIDDEN),
        Row("descent_n", "n_pairs", Slope(-1, "noisy gradient descent: θ̂ moved {rate}"), MOVED,
            descent, (output,), on=EVEN, needs=HIDDEN),
        Row("objective_constant", "n_pairs", Ratio("objective perturbation: the constant"),
            OBJECTIVE_CONSTANT, objective, (output,), on=EVEN, needs=BOTH),
        Row("output_constant", "n_pairs", Ratio("output perturbation: 1/√n and the constant"),
            OUTPUT_CONSTANT, output, (objective,), on=EVEN, needs=BOTH),
        Row("objective_epsilon", "epsilon",
            Slope(-1, "objective perturbation: θ̂ moved {rate}", tolerance=0.1), MOVED, objective,
            (output, budget_ignored), on=EVEN, needs=HIDDEN),
        Row("output_epsilon", "epsilon",
            Slope(-0.5, "output perturbation: θ̂ moved {rate}", tolerance=0.1), MOVED, output,
            (objective, output_budget_ignored), on=EVEN, needs=HIDDEN),
        Row("objective_features", "num_features",
            Slope(1, "objective perturbation: θ̂ moved {rate}", tolerance=0.1), MOVED, objective,
            (output,), on=EVEN, needs=HIDDEN),
        Row("output_features", "num_features",
            Slope(0.25, "output perturbation: θ̂ moved {rate}", tolerance=0.1), MOVED, output,
            (objective,), on=EVEN, needs=HIDDEN),
        Row("objective_scales", "epsilon",
            Slope(-0.5, "objective perturbation: θ̂ moved {rate}", tolerance=0.1), MOVED, objective,
            (output, budget_ignored), on=SCALES, needs=HIDDEN),
        Row("output_scales", "n_pairs", Slope(-1 / 3, "output perturbation: θ̂ moved {rate}"),
            MOVED, output, (objective,), on=SCALES, needs=HIDDEN),
    )  # fmt: skip

    def case(self, point: Point) -> PrivacyCase:
        """Neighbours, or world and n, of one grid point."""
        return CASES[point.row.on](self, point)

    def plane(self, point: Point) -> ReleasedCase:
        """Two neighbours on a ball of the swept radius."""
        return ReleasedCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs,
            dp_delta=self.config.dp_delta, reward_bound=point.value,
        )  # fmt: skip

    def even(self, point: Point) -> MovedCase:
        """All directions are covered evenly."""
        d = int(point.swept("num_features", self.config.num_features))
        return self._moved(point, even_world(d, LENGTH, self._theta_norm))

    def scales(self, point: Point) -> MovedCase:
        """A spectrum 4^(−k)."""
        world = multi_scale_world(self.config.num_levels, LENGTH, self._theta_norm)
        return self._moved(point, world)

    @property
    def _theta_norm(self) -> float:
        return self.config.theta_share * self.config.reward_bound

    def _moved(self, point: Point, world) -> MovedCase:
        return MovedCase(
            methods=point.methods, epsilon=point.epsilon, n_pairs=point.n_pairs, world=world,
            dp_delta=self.config.dp_delta, reward_bound=self.config.reward_bound,
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """‖θ*‖ ≤ B at both ends of every sweep."""
        return tuple(
            AssumptionResult(
                f"{place}: ‖θ*‖ ≤ B",
                float(case.world.theta.norm()) <= case.reward_bound,
                f"‖θ*‖ = {float(case.world.theta.norm()):.3g}",
            )
            for _, place, case in self.ends(MovedCase)
        )


CASES: Mapping[str, Callable[[MechanismComparison, Point], PrivacyCase]] = {
    PLANE: MechanismComparison.plane,
    EVEN: MechanismComparison.even,
    SCALES: MechanismComparison.scales,
}
