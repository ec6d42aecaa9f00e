"""P2 Proposition E.2: the fast rate 1/(βT) of online alignment, private and corrupted.

Statement (Improved bounds for private and robust alignment, Proposition E.2).  There exist online
algorithms such that with probability 1−δ

    Priv:  J_β(π*_β) − J_β(π̂) ≤ Õ( d/(βT) · c(ε)²·log(|G|T/δ) ),
    CTL:   the same with c(ε)²·log(|G|T/δ) + α² in the place of c(ε)²·log(|G|T/δ),
    LTC:   the same with c(ε)²·log(|G|T/δ) + c(ε)²·α²,

d a preference-based eluder dimension, α the Huber corruption.  In code: β is kl_weight, c(ε)
privacy_cost.  The algorithm is the optimistic one of Zhao et al. (2025) with P2's square loss: over
linear rewards this is Algorithm 2 of P1, whose last iterate is measured.

Testable: the exponents in T, c(ε) and β without corruption, and how the corrupted gap depends on T.

The bonus alone has a gap of the same rates, also for a learner who knows the truth; so the gap in T
is that beyond it, and c(ε)² and 1/β are held as numbers, the closed form of both parts together
(``repro.families.online_kl.bounds_regret``).

Contradicted as printed: the corruption terms cannot be divided by T (rows ``corrupted_ctl`` and
``corrupted_ltc``, where the gap stops falling).  No algorithm escapes: with
h = tanh(Δ/2), rewards with h₁ = h and h₂ = h·(1−α) − α in a comparison give the same corrupted
label mean (an adversary on the first, none on the second), so at every T some one of them has a
gap of at least the minimax value of the pair, a positive constant
(row ``indistinguishable_pair``: the exact minimax value over all policies, no algorithm
involved).  All assumptions hold: linear rewards, realizable, an oblivious adversary within the
Huber budget.  Corrected form: d/β·(c(ε)²·log(|G|T/δ)/T + α²) under CTL, c(ε)²·α² under LTC.
"""

from __future__ import annotations

from dataclasses import replace

from repro.base.schema import Corruption
from repro.corruption.label_mean import LabelMean, WorseResponse
from repro.corruption.orders import Order
from repro.families.online_kl import wrong_pokl as wrong
from repro.families.online_kl.bounds_regret import minimax_gap
from repro.families.online_kl.cases import OnlineCase, OnlineExperiment, OnlineProbes, realizable
from repro.families.online_kl.quantities import BEYOND_BONUS, GAP, GAP_OVER_CLOSED_FORM
from repro.families.online_kl.wrong_pokl import pokl
from repro.study.case import Point
from repro.study.claims import Ratio, Slope
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Evidence, Measure, Method, Need, Row, method, per_method


class FastRateProbes(OnlineProbes):
    """Numbers of the experiment; conf/theorem/fast_rate_online.yaml gives them."""

    corruption: Corruption


@method
def any_algorithm(case: OnlineCase) -> float:
    """The least gap that a learner can have on the worse of two indistinguishable rewards."""
    world, share = case.world, case.adversary(LabelMean()).offset
    return minimax_gap(share, world.reward_bound / 4, world.kl_weight)


FLOOR = Measure(GAP.quantity, per_method(lambda case, m, rng, _: m.run(case)), Evidence.COMPUTED)
CTL = Method("corrupted_ctl", pokl.run)
LTC = Method("corrupted_ltc", pokl.run)
OTHER_ORDER = Method("corrupted_ctl", wrong.other_order.run)
PRIVATE = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY)
ADVERSARY = (Need.ADVERSARY,)
FLOORS = "a Huber adversary leaves a floor that no number of labels removes"


class FastRateOnline(OnlineExperiment):
    """Proposition E.2 on linear rewards; a corrupted row is given its order."""

    title = "P2 Proposition E.2: fast rates of online alignment"
    settles = ("p2.prop_e_2",)
    config_type = FastRateProbes
    config: FastRateProbes

    rows = (
        Row("horizon", "horizon", Slope(-1, "private: gap {rate} beyond the bonus's own"),
            BEYOND_BONUS, pokl, (wrong.naive_labels, wrong.epsilon_overstated), on=INSTANCE,
            needs=PRIVATE),
        Row("privacy_cost", "privacy_cost", Ratio("private: T·gap → closed form, ∝ c(ε)²"),
            GAP_OVER_CLOSED_FORM, pokl, (wrong.naive_labels,), on=INSTANCE, needs=PRIVATE),
        Row("kl_weight", "kl_weight", Ratio("private: T·gap → closed form, ∝ 1/β"),
            GAP_OVER_CLOSED_FORM, pokl, (wrong.inverted_kl_weight,), on="steady_policy",
            needs=PRIVATE),
        Row("corrupted_ctl", "horizon", Slope(-1, "CTL as printed: gap {rate}", "at_most",
            tolerance=0.1), GAP, CTL, on=INSTANCE, given=Order.CTL, needs=ADVERSARY,
            expected="contradicted", why=FLOORS),
        Row("corrupted_ltc", "horizon", Slope(-1, "LTC as printed: gap {rate}", "at_most",
            tolerance=0.1), GAP, LTC, on=INSTANCE, given=Order.LTC, needs=ADVERSARY,
            expected="contradicted", why=FLOORS),
        Row("indistinguishable_pair", "horizon",
            Slope(-1, "CTL as printed, any algorithm: gap {rate}", "at_most", tolerance=0.1),
            FLOOR, any_algorithm, on=INSTANCE, given=Order.CTL, needs=ADVERSARY,
            expected="contradicted", why=FLOORS),
        Row("floor_cost_ltc", "privacy_cost", Slope(2, "LTC, large T: the floor is {rate}",
            tolerance=0.1), GAP, LTC, (OTHER_ORDER,), on=INSTANCE, given=Order.LTC,
            needs=(Need.LABELS, Need.PRIVACY, Need.ADVERSARY, Need.ORDER)),
    )  # fmt: skip

    def case(self, point: Point) -> OnlineCase:
        """The case, with the adversary of the corrupted rows."""
        case, order = super().case(point), point.row.given
        adversary = WorseResponse(self.config.corruption)
        return replace(case, adversary=adversary, order=order) if order else case

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Realizability on every world."""
        return self.at_both_ends(OnlineCase, realizable)
