"""P2 Theorem C.3 and the tuning of Theorem 5.3: factors and indices of the proof.

Theorem C.3 supposes eq. (6), γ·E[log π − log π*] + κ·E(f − f*)² ≲ err/(t−1) + …, and bounds the
gap; Theorem 5.3 sets η and γ in it. (The sign of Lemma C.4 is ``p2_optimism_lemmas``'s.)

* ``count``: Lemma C.4 prints κ·E(f − f*)² where eq. (6), divided by t − 1, needs (t−1)·κ·E(f −
  f*)². What holds is the counted form: with π* in the class, E(f_π̂ − f*)² of the likelihood's
  maximiser falls like 1/t (``count_measured``, over a grid of f). Without the count the lemma is
  weaker (and true), but leaves a bound that does not fall at all (``count_printed``, the bound;
  all of eq. (6)'s premises hold in it).
* ``update_weight``: the regret decomposition spends (η/2)(t−1)·E(δ²), and eq. (6) times β/γ pays
  (βκ/γ)·E(δ²): η = βκ/(γT) pays for t ≤ T. Printed is βκ/(αT), α the corruption: too large for α <
  γ/2, and undefined at α = 0, which the theorem allows (``update_weight_printed``).
* ``guarantee``: γ of the proof contains t·α² with t free, though γ is an input of Algorithm 4.
  With T·α² the right side of Theorem C.3 is of the stated order in T; with t = 1 (control) it
  grows like √T once T·α² ≫ c²·log|Π|.

The contradicted rows are steps of a proof, and speak for that step alone; Theorem 5.3 stands with
the corrected ones (``square_xpo`` measures its conclusion).  What would refute the corrected rows:
a ratio above 1, or a guarantee that grows in T.
"""

from __future__ import annotations

import numpy as np

from repro.families.xpo.bounds_meta import Tuning, squared_error_bound, squared_error_of_maximiser
from repro.study.checks import Check
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

GRID, BOUNDS = "a grid of policies", "bounds of the proof"
ERROR, SHARE = "κ·E(f − f*)² / err", "η(T−1)/2 / (βκ/γ)"
MEASURED = "E(f_π̂ − f*)²"


class P2MetaTheorem(SweepExperiment):
    """The missing (t−1), η and γ."""

    slug = "p2_meta_theorem"
    title = "P2 Theorem C.3 and the tuning of Theorem 5.3: (t−1), η and γ"
    statements = ("p2.lem_c_4", "p2.thm_5_3", "p2.eq_6", "p2.app_d_tuning")
    settled_by = {
        "p2.lem_c_4": ("count", "count_measured"),
        "p2.thm_5_3": ("update_weight", "guarantee"),
        "p2.eq_6": ("count_printed", "count"),
        "p2.app_d_tuning": ("update_weight_printed", "update_weight"),
    }
    instances = ("linear",)
    used_overrides = frozenset()
    config_type = SweepConfig

    rows = (
        Row("count_printed", "horizon", BOUNDS, "without_count", (), ERROR,
            "eq. (6) from C.4 without (t−1): bound ≤ O(1/t)"),
        Row("count", "horizon", BOUNDS, "with_count", ("without_count",), ERROR,
            "eq. (6) from C.4 with (t−1): bound ∝ 1/t"),
        Row("count_measured", "horizon", GRID, "maximiser", ("label_flip",), MEASURED,
            "the maximiser's error does fall like 1/t"),
        Row("update_weight_printed", "corruption", BOUNDS, "printed", (), SHARE,
            "η = βκ/(αT) leaves what eq. (6) pays for"),
        Row("update_weight", "corruption", BOUNDS, "corrected", ("printed",), SHARE,
            "η = βκ/(γT) leaves what eq. (6) pays for"),
        Row("guarantee", "horizon", BOUNDS, "whole_horizon", ("first_round",),
            "bound of C.3 / rate of 5.3", "γ with T·α²: the stated rate in T"),
    )  # fmt: skip

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """Simulated errors of the maximiser, or exact bounds, the same in all replicates."""
        epsilon = float(check.settings["epsilon"])  # type: ignore[arg-type]
        if check.quantity == MEASURED:
            return {
                m: squared_error_of_maximiser(
                    rng, int(value), epsilon, m == "label_flip", replicates
                )
                for m in check.methods
            }
        return {m: np.full(replicates, _bound(check, value, epsilon, m)) for m in check.methods}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """α < ½, and Assumptions 4.5 and 4.6 hold by construction of the class."""
        return ()


def _bound(check: Check, value: float, epsilon: float, method: str) -> float:
    if check.quantity == ERROR:
        return squared_error_bound(value, method == "with_count")
    if check.quantity == SHARE:
        return Tuning(epsilon, value, 1e4).step_share(method == "printed")
    tuning = Tuning(epsilon, 0.1, value)
    rounds = 1.0 if method == "first_round" else value
    return tuning.guarantee(rounds) / tuning.stated()
