"""The price of adaptivity: χPO with a β that does not know α (P2, Remark 5.1 and Theorem 5.2).

Proofs: docs/explanations/price_of_adaptivity.md.  ζ = 1 under CTL and c(ε) under LTC, R_max = 1.

Remark 5.1 calls Algorithm 3 adaptive: it needs neither the setting nor α.  The β of Theorem 5.2's
proof contains both.  Statements (``own.price_of_adaptivity``):

    upper, every β:    gap ≤ ρ√C·err + βC + ρ²err²/(2β),  err ≤ K_R·(4ζα + 8c·√(log(|Π|/δ)/n))
    lower, every β:    gap ≥ min{½, 0.07·(ζα)²/β} with probability ≥ ½ somewhere, and ≥ 0.52·β
                       somewhere with certainty, C about 2, |Π| = 2, all assumptions in force.

So β ∝ c/√n, free of α, has a gap ∝ (ζα)²·√n/c: it grows with n.  The best α-free β, ∝ (c/√n)^(2/3),
loses a factor ∝ n^(1/6); a range [α₁, α₂] of α costs √(α₂/α₁) at most, the order unknown
min{√c(ε), α^(−1/3)}.  And ``own.capped_penalty``: where β is raised until the policy's coverage is
at most 2·C^π*, the rate of Theorem 5.2 as printed (with V_max/R_max, not its root) holds at every
α, unknown.

World: responses a and b alike and covered, c bad, of reference mass ≈ (ζα)²/12.  The second policy
prefers c, and a to b by as much as the adversary makes it seem.  The adversary imitates it on the
pair (a, b) and leaves all else alone; the pairs with c are too few to tell.  (Rows do not name
labels as a need: with fair coins, which is the world of equal rewards, imitation wins too.)

What would refute it: a gap that stays where α is not told, or one that grows under the cap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from repro.base.schema import Positive
from repro.corruption.orders import Order
from repro.families.chipo import bounds_adaptivity as bound
from repro.families.chipo import proofs_meta as meta
from repro.families.chipo import proofs_scalar as proof
from repro.families.chipo import searches_adaptivity as step
from repro.families.chipo.algorithms_adaptivity import (
    Learner,
    alpha_free,
    capped,
    knows_alpha,
    log_loss,
    square_loss,
    takes_ltc_for_ctl,
)
from repro.families.chipo.cases_adaptivity import (
    FREE,
    GAP,
    LARGEST_BIAS,
    OVER_STATED,
    PRICE,
    AdaptivityCase,
    AdaptivityProbe,
)
from repro.study.case import Case, Point, PointCase
from repro.study.claims import Inequality, Slope
from repro.study.config import Probes
from repro.study.experiment import Experiment
from repro.study.proofs import proved
from repro.study.results import AssumptionResult
from repro.study.row import Method, Need, Row


@dataclass(frozen=True)
class Setup:
    """How the numbers of a grid point enter.

    Attributes:
        order: of corruption and privacy.
        ranged: the probe's α is the least of a range.
    """

    order: Order = Order.CTL
    ranged: bool = False


class AdaptivityProbes(Probes):
    """Numbers of the experiment.

    Attributes:
        failure_prob: δ in log(|Π|/δ).
    """

    failure_prob: Positive
    probes: dict[str, AdaptivityProbe]  # type: ignore[assignment]


KNOWN = Learner(square_loss, knows_alpha)
CAPPED = Learner(square_loss, capped)
free, known = Method("alpha_free", FREE), Method("knows_alpha", KNOWN)
cap = Method("capped", CAPPED)
other_order = Method("takes_ltc_for_ctl", Learner(square_loss, takes_ltc_for_ctl))
log_free = Method("log_alpha_free", Learner(log_loss, alpha_free))
log_known = Method("log_knows_alpha", Learner(log_loss, knows_alpha))
log_cap = Method("log_capped", Learner(log_loss, capped))
best_free = Method("best_free", lambda table: table.max(axis=0).min())
told = Method("told", lambda table: table.min(axis=1).max())

PRICED, CAP = ("own.price_of_adaptivity",), ("own.capped_penalty",)
BOTH, REMARK = (*PRICED, *CAP), ("p2.rem_5_1",)
NEEDS = (Need.TRUTH_HIDDEN, Need.ADVERSARY)
LTC_NEEDS = (*NEEDS, Need.PRIVACY, Need.ORDER)
CTL, LTC = Setup(), Setup(Order.LTC)
PROVED = proved("left side / right side")
WORLD, CASES = "rare_bad_arm", "every case"
GROWS = "with a β free of α the gap is (ζα)²/β up to a constant, and 1/β grows like √n"
SQUARE_WORLDS = step.imitations(FREE, bound.IMITATION)
LOG_WORLDS = step.imitations(log_free.run, bound.LOG_IMITATION)


class PriceOfAdaptivity(Experiment[Case]):
    """Three tunings of β on the unsaturated world, and the steps of the proofs."""

    title = "The price of adaptivity: χPO with a β that does not know α"
    settles = PRICED
    config_type = AdaptivityProbes
    config: AdaptivityProbes

    rows = (
        Row("free_ctl", "n_pairs", Slope(0.5, "CTL, β free of α: gap {rate}"), GAP, free,
            (known, cap), on=WORLD, given=CTL, needs=NEEDS),
        Row("free_ltc", "n_pairs", Slope(0.5, "LTC, β free of α: gap {rate}"), GAP, free,
            (known, cap), on=WORLD, given=LTC, needs=LTC_NEEDS),
        Row("free_corruption_ctl", "corruption", Slope(2, "CTL, β free of α: gap {rate}"), GAP,
            free, (known, cap), on=WORLD, given=CTL, needs=NEEDS),
        Row("free_corruption_ltc", "corruption", Slope(2, "LTC, β free of α: gap {rate}"), GAP,
            free, (known, cap), on=WORLD, given=LTC, needs=LTC_NEEDS),
        Row("log_free_ctl", "n_pairs", Slope(0.5, "log loss, CTL, β free of α: gap {rate}"), GAP,
            log_free, (log_known, log_cap), on=WORLD, given=CTL, needs=NEEDS),
        Row("log_free_ltc", "n_pairs", Slope(0.5, "log loss, LTC, β free of α: gap {rate}"), GAP,
            log_free, (log_known, log_cap), on=WORLD, given=LTC, needs=LTC_NEEDS),
        Row("known_ctl", "n_pairs", Slope(0, "CTL, β ∝ c/√n + α: gap {rate}"), GAP, known,
            (free,), on=WORLD, given=CTL, needs=NEEDS, settles=("p2.thm_5_2",)),
        Row("known_ltc", "n_pairs", Slope(0, "LTC, β ∝ c/√n + c·α: gap {rate}"), GAP, known,
            (free,), on=WORLD, given=LTC, needs=LTC_NEEDS, settles=("p2.thm_5_2",)),
        Row("printed_ctl", "n_pairs", Slope(0, "Theorem 5.2 with Remark 5.1, CTL: gap over the "
            "stated rate {rate}", "at_most"), OVER_STATED, free, on=WORLD, given=CTL, needs=NEEDS,
            settles=REMARK, expected="contradicted", why=GROWS),
        Row("printed_ltc", "n_pairs", Slope(0, "Theorem 5.2 with Remark 5.1, LTC: gap over the "
            "stated rate {rate}", "at_most"), OVER_STATED, free, on=WORLD, given=LTC,
            needs=LTC_NEEDS, settles=REMARK, expected="contradicted", why=GROWS),
        Row("order_unknown", "privacy_cost", Slope(0, "LTC, β of CTL: gap over the stated rate "
            "{rate}", "at_most"), OVER_STATED, other_order, (), on=WORLD, given=LTC,
            needs=LTC_NEEDS, settles=REMARK, expected="contradicted",
            why="(cα)²/β is c times the stated rate if β is tuned for CTL"),
        Row("price", "n_pairs", Slope(1 / 6, "best β free of α: worst gap over c/√n + α {rate}"),
            PRICE, best_free, (told,), on=WORLD, given=CTL, needs=NEEDS),
        Row("range", "corruption", Slope(0.5, "best β for a range of α: worst gap over α {rate}"),
            PRICE, best_free, (told,), on=WORLD, given=Setup(ranged=True), needs=NEEDS),
        Row("capped_ctl", "n_pairs", Slope(0, "CTL, coverage capped: gap {rate}"), GAP, cap,
            (free,), on=WORLD, given=CTL, needs=NEEDS, settles=CAP),
        Row("capped_ltc", "n_pairs", Slope(0, "LTC, coverage capped: gap {rate}"), GAP, cap,
            (free,), on=WORLD, given=LTC, needs=LTC_NEEDS, settles=CAP),
        Row("capped_corruption_ctl", "corruption", Slope(1, "CTL, coverage capped: gap {rate}"),
            GAP, cap, (free,), on=WORLD, given=CTL, needs=NEEDS, settles=CAP),
        Row("capped_corruption_ltc", "corruption", Slope(1, "LTC, coverage capped: gap {rate}"),
            GAP, cap, (free,), on=WORLD, given=LTC, needs=LTC_NEEDS, settles=CAP),
        Row("inverse_slope", "reward_bound", Inequality("Lemma 1: |x − y| ≤ K_R·|h(x) − h(y)|"),
            PROVED, proof.inverse_slope, (proof.inverse_slope_ten_percent,), on=CASES,
            settles=BOTH),
        Row("least_squares", "corruption", Inequality("Lemma 2: rms error ≤ 4ζα + 8c√(L/n)"),
            PROVED, meta.least_squares, (meta.least_squares_ten_percent,), on=CASES,
            settles=BOTH),
        Row("meta", "coverage", Inequality("Theorem 1: gap ≤ ρ√C·err + βC + ρ²err²/(2β)"),
            PROVED, meta.meta, (meta.meta_without_square,), on=CASES),
        Row("imitated", "corruption", Inequality("Theorem 2: min{½, 0.07·(ζα)²/β} ≤ gap"),
            step.computed(SQUARE_WORLDS), step.imitated, (step.imitated_twice,), on=CASES),
        Row("imitated_log", "corruption", Inequality("Theorem 2, log loss: with 0.05 ≤ gap"),
            step.computed(LOG_WORLDS), step.imitated, (step.imitated_twice,), on=CASES),
        Row("cap", "coverage", Inequality("Theorem 4: gap ≤ (1 + √2)·ρ√C·err + β₀·C"), PROVED,
            meta.cap, (meta.cap_without_cap,), on=CASES, settles=CAP),
    )  # fmt: skip

    def case(self, point: Point) -> Case:
        """World and labels of one grid point, or the swept value alone."""
        setup, probe = point.row.given, point.probe
        if setup is None:
            return PointCase(methods=point.methods, value=point.value)
        assert isinstance(probe, AdaptivityProbe)
        return AdaptivityCase(
            methods=point.methods,
            epsilon=point.epsilon,
            n_pairs=point.n_pairs,
            corruption=point.swept("corruption", probe.corruption),
            failure_prob=self.config.failure_prob,
            least_corruption=probe.corruption if setup.ranged else 0.0,
            assumed_order=setup.order,
            order=setup.order,
        )

    def world_numbers(self, row: Row) -> Mapping[str, object]:
        """α where it is not swept."""
        return {"corruption": self.config.probes[row.name].corruption} if row.given else {}

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """ζα ≤ ¼ at both ends of every sweep; Assumptions 4.1 and 4.2 hold by construction."""
        return tuple(
            AssumptionResult(
                f"{place}: π*_β in the class, |differences| ≤ V_max = 2, ζα ≤ 1/4",
                case.bias <= LARGEST_BIAS,
                f"ζα = {case.bias:.3g}",
            )
            for _, place, case in self.ends(AdaptivityCase)
        )
