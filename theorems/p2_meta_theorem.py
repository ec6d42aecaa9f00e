"""P2 Theorem C.3 and the tuning of Theorem 5.3: factors and indices of the proof.

Theorem C.3 supposes eq. (6), γ·E[log π − log π*] + κ·E(f − f*)² ≲ err/(t−1) + …, and bounds the
gap; Theorem 5.3 sets η and γ in it. (The sign of Lemma C.4 is ``p2_optimism_lemmas``'s.)

* ``count``: Lemma C.4 prints κ·E(f − f*)² where eq. (6), which is right, needs (t−1)·κ·E(f − f*)²
  of it: a misprint. What holds is the counted form: with π* in the class, E(f_π̂ − f*)² of the
  likelihood's maximiser falls like 1/t (``count_measured``, over a grid of f). Without the count
  the lemma is weaker (and true), but leaves a bound that does not fall at all (``count_printed``,
  the bound; all of eq. (6)'s premises hold in it).
* ``update_weight``: the regret decomposition spends (η/2)(t−1)·E(δ²), and eq. (6) times β/γ pays
  (βκ/γ)·E(δ²): η = βκ/(γT) pays for t ≤ T. Printed is βκ/(αT), α the corruption: too large for α <
  γ/2, and undefined at α = 0, which the theorem allows (``update_weight_printed``).
* The statement of Theorem C.3 leaves η free, and is false so (``p2.free_step_of_theorem_c_3``):
  with the wrong policy in every round and γ = 2κRβ√(T/log) eq. (6) holds and the gap stays, but the
  right side at its best η falls with T.  The proof of Theorem 4.8 takes η = βκ/(γT).
* ``guarantee``: γ of the proof contains t·α² with t free, though γ is an input of Algorithm 4.
  With T·α² the right side of Theorem C.3 is of the stated order in T; with t = 1 (control) it
  grows like √T once T·α² ≫ c²·log|Π|.

The contradicted rows are misprints in steps of a proof, read as they stand, and speak for that step
alone; Theorem 5.3 stands with the corrected ones (``square_xpo`` measures its conclusion).  What
would refute the corrected rows: a ratio above 1, or a guarantee that grows in T.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from repro.families.xpo.bounds_meta import Tuning, squared_error_bound, squared_error_of_maximiser
from repro.preferences.label_law import Estimate, as_fitted
from repro.study.case import Case, Point, PointCase
from repro.study.claims import Inequality, Slope
from repro.study.experiment import Experiment
from repro.study.label_cases import LabelCase
from repro.study.row import Evidence, Measure, Method, Need, Row, per_method

LONG, CORRUPTED = 1e4, 0.1
"""T of the rows over α, and α of the rows over T."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MaximiserCase(LabelCase):
    """Labels of one comparison, and a learner who maximises their private likelihood.

    Attributes:
        estimate: (fitted, true) reward difference → what the learner returns.
    """

    estimate: Estimate = as_fitted


def error_of_maximiser(
    case: MaximiserCase, method: Method[bool], rng: np.random.Generator, replicates: int
) -> np.ndarray:
    """(R,) squared error of the maximiser; ``method.run`` says whether labels are flipped."""
    return squared_error_of_maximiser(
        rng, case.horizon, case.epsilon, method.run, replicates,
        case.labels, case.channel, case.estimate,
    )  # fmt: skip


def bound(quantity: str) -> Measure:
    """A number that each method computes from the case."""
    return Measure(quantity, per_method(lambda case, m, *_: m.run(case)), Evidence.COMPUTED)


def counted(case: PointCase) -> float:
    """Lemma C.4 with the factor t − 1."""
    return squared_error_bound(case.value, counted=True)


def uncounted(case: PointCase) -> float:
    """Lemma C.4 as printed."""
    return squared_error_bound(case.value, counted=False)


def step_share(printed: bool) -> Callable[[PointCase], float]:
    """What η spends of what eq. (6) pays for."""
    return lambda case: Tuning(case.epsilon, case.value, LONG).step_share(printed)


def over_stated(rounds: Callable[[float], float]) -> Callable[[PointCase], float]:
    """The bound of Theorem C.3 with err at t = rounds(T), over the rate of Theorem 5.3."""

    def share(case: PointCase) -> float:
        tuning = Tuning(case.epsilon, CORRUPTED, case.value)
        return tuning.guarantee(rounds(case.value)) / tuning.stated()

    return share


def on_labels(point: Point) -> MaximiserCase:
    """T and ε of a row that draws labels."""
    return MaximiserCase(methods=point.methods, epsilon=point.epsilon, horizon=point.horizon)


def of_value(point: Point) -> PointCase:
    """The swept value alone."""
    return PointCase(methods=point.methods, value=point.value)


def with_budget(point: Point) -> PointCase:
    """The swept value and ε."""
    return PointCase(methods=point.methods, value=point.value, epsilon=point.epsilon)


ERROR, SHARE = bound("κ·E(f − f*)² / err"), bound("η(T−1)/2 / (βκ/γ)")
GUARANTEE = bound("bound of C.3 / rate of 5.3")
MEASURED = Measure("E(f_π̂ − f*)²", per_method(error_of_maximiser), Evidence.MEASURED)
COUNTED, UNCOUNTED = Method("with_count", counted), Method("without_count", uncounted)
MAXIMISER, FLIPPED = Method("maximiser", False), Method("label_flip", True)
PRINTED, CORRECTED = Method("printed", step_share(True)), Method("corrected", step_share(False))
WHOLE = Method("whole_horizon", over_stated(lambda horizon: horizon))
FIRST = Method("first_round", over_stated(lambda horizon: 1.0))
C_4, EQ_6, TUNING = "p2.lem_c_4", "p2.eq_6", "p2.app_d_tuning"


class P2MetaTheorem(Experiment):
    """The missing (t−1), η and γ; a row is given how its cases follow from a point."""

    title = "P2 Theorem C.3 and the tuning of Theorem 5.3: (t−1), η and γ"

    rows = (
        Row("count_printed", "horizon", Slope(-1, "eq. (6) from C.4 without (t−1): bound {rate}",
            "at_most", symbol="t"), ERROR, UNCOUNTED, given=of_value, settles=(C_4,),
            expected="contradicted", why="without the count the bound does not fall"),
        Row("count", "horizon", Slope(-1, "eq. (6) from C.4 with (t−1): bound {rate}",
            symbol="t"), ERROR, COUNTED, (UNCOUNTED,), given=of_value, settles=(C_4, EQ_6)),
        Row("count_measured", "horizon", Slope(-1, "the maximiser's error is {rate} indeed",
            symbol="t"), MEASURED, MAXIMISER, (FLIPPED,), given=on_labels, settles=(C_4,),
            needs=(Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY)),
        Row("update_weight_printed", "corruption",
            Inequality("η = βκ/(αT) leaves what eq. (6) pays for"), SHARE, PRINTED,
            given=with_budget, settles=(TUNING,), expected="contradicted",
            why="α < γ/2 makes the step too large"),
        Row("update_weight", "corruption",
            Inequality("η = βκ/(γT) leaves what eq. (6) pays for"), SHARE, CORRECTED, (PRINTED,),
            given=with_budget, settles=(TUNING,)),
        Row("guarantee", "horizon", Slope(0, "γ with T·α²: bound over stated rate {rate}",
            "at_most"), GUARANTEE, WHOLE, (FIRST,), given=with_budget, settles=(TUNING,)),
    )  # fmt: skip

    def case(self, point: Point) -> Case:
        """As the row is given; α < ½, and Assumptions 4.5 and 4.6 hold by construction."""
        return point.row.given(point)
