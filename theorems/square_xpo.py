"""P2 Theorem 5.3: SquareXPO, online alignment under privacy and corruption.

Statement (Improved bounds for private and robust alignment, Theorem 5.3).  With a proper γ, with
probability at least 1−δ, Algorithm 4 has

    CTL:  J_β(π*_β) − J_β(π̂) ≲ κ_cov(Π)·(c(ε)·√(log(|Π|T/δ)/T) + α),
    LTC:  the same with c(ε)·α in the place of α,

α the Huber corruption before (CTL) or after (LTC) randomized response, c(ε) privacy_cost.

Testable, as suprema over a ladder of reward gaps (see ``private_xpo``): the exponents in T and c(ε)
without corruption; the floor at large T: ∝ α, free of c(ε) under CTL and ∝ c(ε) under LTC.  The
adversary always prefers the worse response, the worst label distribution there is: the mean of
c(ε)·z is then off by α(1+|h|) under CTL and by α(c(ε)+|h|) under LTC.

Contradicted as printed: step 15 of Algorithm 4 minimises γ·Σ log π(τ̃) − L̂_sq(π), but L̂_sq is a
loss, so it *maximises* the squared error (in Algorithm 2 the same minus sign stands before a
log-likelihood, where it is right).  Row ``printed_sign`` runs it as printed, with the best of four
γ from 0.005 to 5000 times β·c(ε)/√T in hindsight, without corruption, π*_β in the class: its gap
does not fall with T.  Corrected form: γ·Σ log π(τ̃) + L̂_sq(π), which all other rows use.

Slips in the proof: η = βκ/(αT) should be βκ/(γT); tα² inside γ should be Tα²; that γ needs α, which
Remark 5.1 (adaptivity) forbids: here γ is chosen without α.
"""

from __future__ import annotations

from repro.families.xpo.sweep import XpoConfig, XpoSweep
from repro.study.legacy import Row

GAP = "average gap on the worst rung [reward]"
BLIND = ("without_cost",)


class SquareXpo(XpoSweep):
    """Theorem 5.3 with Algorithm 4 as corrected, and as printed."""

    slug = "square_xpo"
    title = "P2 Theorem 5.3: SquareXPO, private and robust online alignment"
    statements = ("p2.thm_5_3", "p2.alg_4", "p2.lem_d_2")
    settled_by = {
        "p2.thm_5_3": ("horizon", "privacy_cost", "corruption_ctl", "corruption_ltc",
            "floor_cost_ctl", "floor_cost_ltc", "printed_sign"),
        "p2.lem_d_2": ("horizon", "privacy_cost", "corruption_ctl", "corruption_ltc",
            "floor_cost_ctl", "floor_cost_ltc"),
    }  # fmt: skip
    instances = ("linear",)
    used_overrides = frozenset({"epsilon", "horizon"})
    config_type = XpoConfig

    rows = (
        Row("horizon", "horizon", "ctl", "square_xpo", ("without_cost", "square_label_flip"), GAP,
            "no corruption: gap ∝ T^−½"),
        Row("privacy_cost", "privacy_cost", "ctl", "square_xpo", BLIND, GAP,
            "no corruption: gap ∝ c(ε)"),
        Row("corruption_ctl", "corruption", "ctl", "square_xpo", BLIND, GAP,
            "CTL: the floor is ∝ α"),
        Row("corruption_ltc", "corruption", "ltc", "square_xpo", BLIND, GAP,
            "LTC: the floor is ∝ α"),
        Row("floor_cost_ctl", "privacy_cost", "ctl", "square_xpo", ("other_order",), GAP,
            "CTL: the floor does not depend on c(ε)"),
        Row("floor_cost_ltc", "privacy_cost", "ltc", "square_xpo", ("other_order",), GAP,
            "LTC: the floor is ∝ c(ε)"),
        Row("printed_sign", "horizon", "ctl", "printed_sign", ("square_label_flip",), GAP,
            "Algorithm 4 as printed: gap ∝ T^−½"),
    )  # fmt: skip
