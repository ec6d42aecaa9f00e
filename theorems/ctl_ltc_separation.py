"""P4 Theorems 5.4, 5.7, 6.1–6.3 and P2 Lemma 3.3, Theorems 5.2, 5.3: LTC costs c(ε) more than CTL.

Statement (P4, Section 6; arXiv 2505.15694).  With an α-corruption of labels before local privacy
(CTL) the part of the error that more labels cannot remove, the floor, is free of ε; behind it
(LTC) it carries a factor c(ε) = (e^ε+1)/(e^ε−1):

    floor_LTC / floor_CTL = c(ε)     for estimation in L2, for greedy RLHF and for DPO.

In code: an order is a row of stages (repro.corruption.orders), α is corruption, and a flip is worth
1/N to the debiased win rate before the randomizer and c(ε)/N behind it.

Measured on infinitely many labels (exact expectations: nothing is drawn) with the strong adversary
(sees all, sets a share α of labels, refits the estimator exactly) and with Huber's model at its
exact worst B, with c·α/ξ below .01, where the logistic curve is still straight.  The floors
themselves are numbers, ζα·max_c ‖H⁻¹x_c‖ (`repro.families.robust.bounds_response`).  Huber's ratio
is (c + |h|)/(1 + |h|) with h = 2σ(⟨x, θ⟩) − 1: it is c(ε) only for even labels, and `huber_ratio`
checks that formula at uneven ones.  With corruption on both sides of the randomizer (CLC) the
floors add.

For RLHF the floor is the largest margin that greedy RLHF gets wrong (P4's Theorem 6.2 with η = 0
at the worst instance), for DPO |J(π*) − J(π̂)| of three responses.  P2 (Lemma 3.3, Theorems 5.2,
5.3) claims the same factor under Huber corruption for its square loss, whose minimiser in a
saturated class is the same debiased win rate: the Huber rows are that statement for the
estimate.  P2's algorithms themselves are run in its own experiments.

Six wrong implementations must not show the ratio: no debiasing, shifting without scaling, c² for
c, the orders swapped, random flips in place of an adversary, and the mask process of P4's
Appendix D, whose ratio is (c+1)/2.  All six stand in the row `ratio_value`; the slope rows have
those whose slope is wrong at every ε (random flips are free of ε under CTL as well, rightly).  No
debiasing keeps the sign of a margin, so the RLHF rows are held against swapped orders alone.

What would refute it: a slope of the ratio in c(ε) away from 1, or a floor that is not c(ε) (LTC) or
1 (CTL) times the same number.  Two-sided, because the adversary attains the printed floors here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from repro.base.notation import privacy_cost
from repro.base.schema import Positive
from repro.corruption.orders import Order, order_of
from repro.families.robust.adversaries import HUBER, adversary_of
from repro.families.robust.algorithms_estimation import estimation_floor
from repro.families.robust.assumptions import Assumed, covered, inside_the_class
from repro.families.robust.bounds_response import strong_floor
from repro.families.robust.cases import Attack, PairCase, RobustExperiment, RobustProbes
from repro.families.robust.measures import (
    SeparationCase,
    changed,
    exactly,
    over_claimed,
    ratio_of_orders,
    under,
)
from repro.families.robust.quantities_floors import dpo_floor, greedy_floor
from repro.families.robust.wrong import (
    as_it_is,
    cost_squared,
    mask_process,
    no_debias,
    orders_swapped,
    random_flips,
    shift_without_scale,
)
from repro.study.case import Point
from repro.study.claims import Ratio, Slope
from repro.study.experiment import Setting
from repro.study.results import AssumptionResult
from repro.study.row import INSTANCE, Evidence, Measure, Method, Need, Row, method, per_method

MAX_SHIFT = 0.01
"""Largest c·α/ξ: beyond, the curvature of the logistic function shows."""


@dataclass(frozen=True)
class Comparison(Attack):
    """Also the order whose floor divides the other's."""

    against: Order = Order.CTL


STRONG_RATIO = Comparison()
HUBER_RATIO = Comparison(adversary=HUBER)
CTL_FLOOR = Comparison(Order.CTL)
BOTH_SIDES = Comparison(Order.CLC)

RATIO = "floor under LTC / floor under CTL"
ESTIMATION = ratio_of_orders(RATIO, estimation_floor)
RLHF = ratio_of_orders(RATIO, greedy_floor)
DPO = ratio_of_orders(RATIO, dpo_floor)
OVER_COST = ratio_of_orders(
    f"{RATIO} / c(ε)", estimation_floor, lambda case: privacy_cost(case.epsilon)
)
FLOOR = over_claimed("floor of ‖θ̂ − θ_true‖₂ / claimed", estimation_floor)


def over_prediction(case: SeparationCase, m: Method, rng: np.random.Generator, replicates: int):
    """The ratio of floors over the one that a method predicts."""
    above, below = (exactly(estimation_floor, under(case, o)) for o in (case.order, case.against))
    return above / below / m.run(case)


def over_sum(case: SeparationCase, m: Method, rng: np.random.Generator, replicates: int):
    """The floor of a method's order over the sum of those under CTL and LTC."""
    orders = (changed(case, m).order, Order.CTL, Order.LTC)
    above, ctl, ltc = (exactly(estimation_floor, under(case, o)) for o in orders)
    return above / (ctl + ltc)


HUBER_OVER = Measure(
    "ratio of floors / ((c+|h|)/(1+|h|))", per_method(over_prediction), Evidence.EXACT
)
OVER_SUM = Measure("CLC floor / (CTL floor + LTC floor)", per_method(over_sum), Evidence.EXACT)

strong, huber = Method("strong", as_it_is), Method("huber", as_it_is)
algorithm_1 = Method("algorithm_1", as_it_is)
clc_over_sum = Method("clc_over_sum", as_it_is)


@method
def ltc_over_sum(case: SeparationCase) -> SeparationCase:
    """Wrong: corruption behind the randomizer alone."""
    return under(case, Order.LTC)


@method
def huber_formula(case: PairCase) -> float:
    """(c + |h|)/(1 + |h|), h the mean of a ±1 label."""
    cost, h = cost_alone.run(case), float(torch.tanh(case.world.reward_diff.abs().max() / 2))
    return (cost + h) / (1 + h)


@method
def cost_alone(case: PairCase) -> float:
    """Wrong for uneven labels: c(ε)."""
    return privacy_cost(case.epsilon)


SLOPE_WRONG = (no_debias, orders_swapped, random_flips)
"""Those whose slope is wrong over the whole range of ε: the mask process' (c+1)/2 has slope
c/(c+1), near 1 at large c, and unbounded readings end at the ball."""
ALL_SIX = (no_debias, shift_without_scale, cost_squared, orders_swapped, random_flips,
           mask_process)  # fmt: skip
ATTACKED = (Need.TRUTH_HIDDEN, Need.PRIVACY, Need.ADVERSARY, Need.ORDER)
ON_SIGNS = (Need.LABELS, *ATTACKED)  # labels that are not debiased keep the sign of a margin
ALL = (*ON_SIGNS, Need.DEBIASING)
SUMMED = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.ADVERSARY, Need.DEBIASING)
"""A sum has no order."""
ESTIMATES = ("p4.thm_5_4", "p4.thm_5_7")
RLHF_BY_P4 = ("p4.thm_6_1", "p4.thm_6_2")
INFINITE = ("n_pairs",)
BY_P2 = ("p2.thm_5_2", "p2.thm_5_3")


class SeparationProbes(RobustProbes):
    """Numbers of the experiment; conf/theorem/ctl_ltc_separation.yaml gives them."""

    instance_adversary: str
    instance_orders: tuple[str, str]
    margins: tuple[Positive, Positive]


class CtlLtcSeparation(RobustExperiment[SeparationCase]):
    """The ratio of the floors of the two orders, everywhere it is claimed."""

    title = "P4 Theorems 5.4–6.3, P2 Theorems 5.2, 5.3: LTC costs c(ε) more than CTL"
    config_type = SeparationProbes
    config: SeparationProbes

    rows = (
        Row("instance_ratio", "privacy_cost",
            Slope(1, "estimation, strong adversary: ratio of floors {rate}"), ESTIMATION,
            algorithm_1, (no_debias, orders_swapped), on=INSTANCE, needs=ALL, settles=ESTIMATES,
            fixed=INFINITE),
        Row("ratio", "privacy_cost",
            Slope(1, "estimation, strong adversary: ratio of floors {rate}"), ESTIMATION, strong,
            SLOPE_WRONG, on="two_cells", given=STRONG_RATIO, needs=ALL, settles=ESTIMATES,
            fixed=INFINITE),
        Row("ratio_value", "privacy_cost",
            Ratio("estimation, strong adversary: ratio of floors = c(ε)"), OVER_COST, strong,
            ALL_SIX, on="two_cells", given=STRONG_RATIO, needs=ALL, settles=ESTIMATES,
            fixed=INFINITE),
        Row("ratio_huber", "privacy_cost", Slope(1, "estimation, Huber: ratio of floors {rate}"),
            ESTIMATION, huber, (shift_without_scale, orders_swapped), on="even_cells",
            given=HUBER_RATIO, needs=ATTACKED, settles=("p2.lem_3_3",), fixed=INFINITE),
        Row("ratio_rlhf", "privacy_cost",
            Slope(1, "RLHF, strong adversary: ratio of floors {rate}"), RLHF, strong,
            (orders_swapped,), on="two_cells", given=STRONG_RATIO, needs=ON_SIGNS,
            settles=RLHF_BY_P4, fixed=INFINITE),
        Row("ratio_rlhf_huber", "privacy_cost", Slope(1, "RLHF, Huber: ratio of floors {rate}"),
            RLHF, huber, (orders_swapped,), on="two_cells", given=HUBER_RATIO, needs=ON_SIGNS,
            settles=BY_P2, fixed=INFINITE),
        Row("ratio_dpo", "privacy_cost",
            Slope(1, "DPO, strong adversary: ratio of floors {rate}"), DPO, strong, SLOPE_WRONG,
            on="three_arms", given=STRONG_RATIO, needs=ALL, settles=("p4.thm_6_3",),
            fixed=INFINITE),
        Row("ratio_dpo_huber", "privacy_cost", Slope(1, "DPO, Huber: ratio of floors {rate}"),
            DPO, huber, (orders_swapped, random_flips), on="even_arms", given=HUBER_RATIO,
            needs=ALL, settles=BY_P2, fixed=INFINITE),
        Row("ltc_floor", "privacy_cost", Ratio("LTC: floor = c(ε)·α/(γξ)"), FLOOR, strong,
            SLOPE_WRONG, on="two_cells", given=STRONG_RATIO, needs=ALL, settles=ESTIMATES,
            fixed=INFINITE),
        Row("ctl_floor", "privacy_cost", Ratio("CTL: floor = α/(γξ), any ε"), FLOOR, strong,
            (no_debias, orders_swapped), on="two_cells", given=CTL_FLOOR, needs=ALL,
            settles=ESTIMATES, fixed=INFINITE),
        Row("huber_ratio", "privacy_cost",
            Ratio("Huber at uneven labels: (c+|h|)/(1+|h|)", tolerance=0.03), HUBER_OVER,
            huber_formula, (cost_alone,), on="two_cells", given=HUBER_RATIO, needs=ALL,
            settles=("p2.lem_3_3",), fixed=INFINITE),
        Row("clc_floor", "privacy_cost", Ratio("CLC: the floors add", tolerance=0.03), OVER_SUM,
            clc_over_sum, (ltc_over_sum,), on="two_cells", given=BOTH_SIDES, needs=SUMMED,
            settles=ESTIMATES, fixed=INFINITE),
    )  # fmt: skip

    def __init__(self, config: SeparationProbes, setting: Setting) -> None:
        super().__init__(config, setting)
        dear, cheap = (order_of(o, "theorem.instance_orders") for o in config.instance_orders)
        key, name = "theorem.instance_adversary", config.instance_adversary
        adversary = adversary_of(key, name, lambda: len(self.instance_world().cell_prob))
        self.on_instance = Comparison(dear, adversary, cheap)

    def case(self, point: Point) -> SeparationCase:
        """World, adversary, two orders and ε of one grid point."""
        comparison, world = point.row.given or self.on_instance, self.world(point)
        claimed = strong_floor(world, self.corruption(point), comparison.worth(point.epsilon))
        return SeparationCase(
            methods=point.methods, epsilon=point.epsilon, world=world, claimed=claimed,
            margins=self.config.margins, against=comparison.against,
            **self.attacked(point, comparison),
        )  # fmt: skip

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Coverage ξ > 0, the truth inside the class, ‖x‖ ≤ 1, and c·α/ξ in the straight range."""
        return tuple(
            AssumptionResult(f"{trial.row.name}: {name}", holds, detail)
            for trial in self.trials
            for name, holds, detail in _assumed(trial.cases[-1])
        )


def _assumed(case: SeparationCase) -> tuple[Assumed, ...]:
    """At the largest c(ε) of a sweep."""
    shift = privacy_cost(case.epsilon) * case.corruption / case.world.min_eigenvalue
    small = ("small shift", shift <= MAX_SHIFT, f"cα/ξ = {shift:.3g}")
    return (covered(case.world), *inside_the_class(case.world), small)
