"""Algorithm 1 of P3 with a solver of tolerance β > 0 that does its worst, and output noise w.

The solver may return any θ within √(β/α) of the minimiser, so datasets can differ by 2√(β/α) more.
In units of w this is a shift that does not depend on β
(docs/explanations/optimiser_tolerance.md).
"""

from __future__ import annotations

import math

from repro.families.central.bounds_joint import jointly_certified
from repro.families.central.cases_estimate import SHORT, EstimateCase
from repro.families.central.cases_privacy import at_half
from repro.families.central.mechanisms_calibration import Calibration
from repro.families.central.mechanisms_noise import Revealed, under
from repro.families.central.mechanisms_tolerance import LooseSolver
from repro.privacy.mechanism import Mechanism
from repro.study.row import Method

SHARE = 0.1
"""Of the squared shift, that w has: it leaves b with 1.05 times the noise of β = 0."""


def worst_solver(case: EstimateCase, made: Calibration, shift: float) -> Mechanism:
    """A flipped label, a solver that goes its way, and the β at which both tell most together.

    Args:
        case: ball, and the noise that there really is.
        made: σ and A.
        shift: 2√(β/α)/ν.
    """
    # Two Gaussians on one line add up like orthogonal ones when spreads and shifts are in
    # proportion; without w, θ̂ has about the spread σ/A.
    output = shift * made.sigma**2 / (2 * made.ridge)

    def released(multiple: float) -> Mechanism:
        weaker, wider = made.weakened(1 / multiple), shift / multiple
        return LooseSolver(weaker, case.reward_bound, wider, output * multiple)

    return under(case.noise, released)


def printed_shift(case: EstimateCase) -> float:
    """2√(β/α)/ν for the printed ν² = 40β·log(1/δ)/(αε²), whatever β is."""
    return case.epsilon / math.sqrt(10 * math.log(1 / case.dp_delta))


def _together(case: EstimateCase, factor: float) -> Mechanism:
    made, shift = jointly_certified(*case.half, case.records, SHARE)
    return worst_solver(case, made.weakened(factor), factor * shift)


together: Method = at_half("together", lambda case: _together(case, 1.0))
together_short: Method = at_half("both_over_1_25", lambda case: _together(case, SHORT))
certified_alone: Method = at_half(
    "printed_w", lambda case: worst_solver(case, case.certified, printed_shift(case))
)
all_printed: Method = at_half(
    "printed",
    lambda case: worst_solver(
        case, Calibration(case.as_printed.sigma, case.certified.ridge), printed_shift(case)
    ),
)
no_output: Method = at_half("no_w", lambda case: Revealed())
"""Wrong: the solver writes the record into the last digits of θ̂, and nothing covers it."""
