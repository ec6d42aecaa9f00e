"""P1 Corollary 5.5: without privacy Algorithm 2's regret is logarithmic.

Statement (arXiv 2510.13512, Corollary 5.5).  For α = 1, with probability at least 1−δ,

    Σ_{t≤T} J(π*) − J(π²_t) = O( β·d_F·e^{2B} · log(N_F·T/δ) ).

In code: α = 1 is ε = inf, where privacy_cost is 1; β is 1/kl_weight.

Testable: regret per round ∝ 1/t along a run, and the constant in front of log T by the closed
form of ``repro.families.online_kl.bounds_regret``.  What would refute it: regret per round that
falls slower than 1/t.  The control is a pipeline that believes its labels are clean while they have
passed through randomized response at ε = 1.
"""

from __future__ import annotations

from repro.families.online_kl.cases import OnlineCase, OnlineExperiment, OnlineProbes, realizable
from repro.families.online_kl.quantities import BEYOND_BONUS, RATE_OVER_CLOSED_FORM
from repro.families.online_kl.wrong_pokl import hidden_randomizer, pokl, without_exploration
from repro.study.claims import Ratio, Slope
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Need, Row


class LogRegretNonprivate(OnlineExperiment):
    """Corollary 5.5 on the instance and on worlds of growing kl_weight."""

    title = "P1 Corollary 5.5: logarithmic regret without privacy"
    settles = ("p1.cor_5_5",)
    config_type = OnlineProbes

    rows = (
        Row("horizon", "horizon",
            Slope(-1, "Algorithm 2 at ε = ∞: regret {rate} beyond the bonus's own", symbol="t"),
            BEYOND_BONUS, pokl, (hidden_randomizer,), on=INSTANCE,
            needs=(Need.LABELS, Need.TRUTH_HIDDEN), fixed=("epsilon",)),
        Row("constant", "kl_weight",
            Ratio("rate → [tr(Cov_π*·V_LS) + Γ²·Var(u)]/(2·kl_weight)"), RATE_OVER_CLOSED_FORM,
            pokl, (hidden_randomizer, without_exploration), on="steady_policy",
            needs=(Need.LABELS, Need.TRUTH_HIDDEN), fixed=("epsilon",)),
    )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Assumption 3.8 on every world."""
        return self.at_both_ends(OnlineCase, realizable)
