"""Numbers of a private mechanism as they are printed for use: a few digits, rounded the safe way.

What is printed is what is private: the digits themselves are put into the bound, and a deviation
goes up in its last digit until the bound was seen to be at most δ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from repro.labels.privacy.gaussian import exact_shift, gaussian_delta
from repro.p3.objective_perturbation.calibration import Calibration
from repro.p3.objective_perturbation.hockey_stick import hockey_stick_bound
from repro.p3.private_estimates.linearised_errors import MechanismBudget
from repro.p3.private_estimates.noisy_descent import NoisyDescent
from repro.p3.private_estimates.output_perturbation import OutputPerturbation

UP, DOWN = (Context(prec=4, rounding=mode) for mode in (ROUND_CEILING, ROUND_FLOOR))
"""Four significant digits."""
ROUNDING = 1 + 1e-6
"""Noise is this much less where δ is evaluated, which covers the rounding of doubles."""


@dataclass(frozen=True)
class Recipe:
    """A mechanism for L = 1, in digits.

    Attributes:
        ridge: A of (A/2)‖θ‖², of the loss summed over pairs; 0 for descent.
        deviation: of the noise on each coordinate of what the mechanism adds it to.
        distance: D, what one pair moves the summed gradient by, at most.
        shift: that of the Gaussian mechanism which the release is, at most; None where it is none.
    """

    ridge: Decimal
    deviation: Decimal
    distance: Decimal
    shift: Decimal | None


def objective_recipe(given: MechanismBudget, dimension: int, calibration: Calibration) -> Recipe:
    """Ridge and noise of objective perturbation.

    Args:
        given: ε, δ, LB and what neighbours are.
        dimension: d.
        calibration: the calibration that is rounded.
    """
    records = given.records(dimension)
    ridge = UP.create_decimal_from_float(calibration.ridge)

    def leaks(deviation: Decimal) -> bool:
        less = float(deviation) / ROUNDING
        return hockey_stick_bound(records, less, float(ridge), given.epsilon) > given.dp_delta

    deviation = UP.create_decimal_from_float(calibration.sigma)
    deviation = _moved_while(leaks, deviation, lambda number: number.next_plus(UP))
    return Recipe(ridge, deviation, _distance(given, dimension), None)


def output_recipe(
    given: MechanismBudget, dimension: int, perturbation: OutputPerturbation
) -> Recipe:
    """Ridge and noise of output perturbation; arguments are those of ``objective_recipe``."""
    ridge, distance = UP.create_decimal_from_float(perturbation.ridge), _distance(given, dimension)
    shift = _shift(given)
    return Recipe(ridge, UP.divide(distance, ridge * shift), distance, shift)


def descent_recipe(given: MechanismBudget, dimension: int, descent: NoisyDescent) -> Recipe:
    """Noise on each summed gradient; arguments are those of ``objective_recipe``."""
    distance, shift = _distance(given, dimension), _shift(given)
    deviation = UP.divide(Decimal(descent.steps).sqrt() * distance, shift)
    return Recipe(Decimal(0), deviation, distance, shift)


def _distance(given: MechanismBudget, dimension: int) -> Decimal:
    return UP.create_decimal_from_float(given.records(dimension).distance)


def _shift(given: MechanismBudget) -> Decimal:
    """The largest private shift, rounded down."""

    def leaks(shift: Decimal) -> bool:
        return float(gaussian_delta(ROUNDING * float(shift), given.epsilon)) > given.dp_delta

    shift = DOWN.create_decimal_from_float(exact_shift(given.epsilon, given.dp_delta))
    return _moved_while(leaks, shift, lambda number: number.next_minus(DOWN))


def _moved_while(
    leaks: Callable[[Decimal], bool], value: Decimal, onwards: Callable[[Decimal], Decimal]
) -> Decimal:
    while leaks(value):
        value = onwards(value)
    return value
