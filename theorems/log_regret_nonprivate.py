"""P1 Corollary 5.5: without privacy Algorithm 2's regret is logarithmic.

Statement (arXiv 2510.13512, Corollary 5.5).  For α = 1, with probability at least 1−δ,

    Σ_{t≤T} J(π*) − J(π²_t) = O( β·d_F·e^{2B} · log(N_F·T/δ) ).

In code: α = 1 is ε = inf, where privacy_cost is 1; β is 1/kl_weight.

Testable: regret per round ∝ 1/t along a run, and the constant in front of log T by the closed
form of ``repro.p1.pokl.rate``.  What would refute it: regret per round that
falls slower than 1/t.  The control is a pipeline that believes its labels are clean while they have
passed through randomized response at ε = 1.
"""

from repro.core.check import Check, Theorem
from repro.core.claims import Ratio, Slope
from repro.p1.pokl.algorithms import hidden_randomizer, pokl, without_exploration
from repro.p1.pokl.assumptions import as_told, realizable
from repro.p1.pokl.curves import BEYOND_BONUS, OVER_LIMIT
from repro.p1.pokl.run import OnlineRun

THEOREM = Theorem(
    title="P1 Corollary 5.5: logarithmic regret without privacy",
    settles=["p1.cor_5_5"],
    checks=[
        Check(
            name="horizon",
            axis="horizon",
            claim=Slope(
                "Algorithm 2 at ε = ∞: regret {rate} beyond the bonus's own", -1, symbol="t"
            ),
            quantity=BEYOND_BONUS,
            right=pokl,
            wrong=[hidden_randomizer],
            keeps=["epsilon"],
        ),
        Check(
            name="constant",
            axis="kl_weight",
            claim=Ratio("rate → [tr(Cov_π*·V_LS) + Γ²·Var(u)]/(2·kl_weight)"),
            quantity=OVER_LIMIT,
            right=pokl,
            wrong=[hidden_randomizer, without_exploration],
            keeps=["epsilon"],
        ),
    ],
    worlds={"run": OnlineRun},
    assumes=as_told(realizable),
)
