"""P4 Theorems 5.4, 5.7, 6.1–6.3 and P2 Lemma 3.3: what LTC costs more than CTL.

Statement (P4, Section 6; arXiv 2505.15694).  With an α-corruption of labels before local privacy
(CTL) the part of the error that more labels cannot remove, the floor, is free of ε; behind it
(LTC) it carries a factor c(ε) = (e^ε+1)/(e^ε−1).

Two verdicts on Algorithm 1 and the policies of its estimate, in the worlds of this file and as
α → 0 (of all estimators docs/explanations/sharper_floor.md speaks): floor_LTC / floor_CTL is

    c(ε)   with coverage: estimation in L2 (Theorem 5.7), greedy RLHF (6.2), pessimistic RLHF, DPO;
    √c(ε)  without: estimation in the norm of Σ̂ (Theorem 5.4), greedy RLHF, pessimistic RLHF (6.1),
           DPO with bounded κ_Π (6.3), each over the supremum of the mass of a rare pair.

The printed factor c of 5.4, 6.1 and 6.3 is an upper bound, implied by the sharper root.  Each
theorem is credited to rows that run its algorithm in its norm; settings that no theorem prints are
ours (``own.two_separations``).

In code: an order is a row of stages (repro.corruption.orders), α is corruption, and a flip is worth
1/N to the debiased win rate before the randomizer and c(ε)/N behind it.

Measured on infinitely many labels (exact expectations: nothing is drawn) with the strong adversary
(sees all, sets a share α of labels, refits the estimator exactly) and with Huber's model at its
exact worst B, with c·α/ξ below .02, where the logistic curve is still straight.  The floors
themselves are numbers, ζα·max_c ‖H⁻¹x_c‖ (`repro.families.robust.bounds_response`).  Huber's ratio
is (c + |h|)/(1 + |h|) with h = 2σ(⟨x, θ⟩) − 1: it is c(ε) only for even labels (those of the slope
rows are even to within .01, so that unread labels are noticed), and `huber_ratio` checks that
formula at uneven ones.  Huber's model replaces a share α in every cell, so it has no
√α regime.  With corruption on both sides of the randomizer (CLC) the floors add.

For RLHF the floor is the largest margin that greedy RLHF gets wrong (η = 0), or that pessimism with
a Γ calibrated under attack gives up (η = 1); for DPO |J(π*) − J(π̂)| of three responses.  Without
coverage (``root_…``) it is SubOpt/√κ, and for DPO the gap in a family whose κ_Π is at most 1.5.
P2's Theorems 5.2 and 5.3 are run by their own algorithms in `square_chipo` and `square_xpo`.

Neither α nor n has to be extreme.  In one cell everything is closed at any α and n
(`repro.families.robust.bounds_one_cell`): `exact_…` hold the ratio against that form at every ε of
the list that has one (13 of 308 combinations of row, α and ε lose the whole class and have none)
and α from 1e-4 to 1e-2, where at the far end cα is .4 and the exponent is no longer 1
(docs/explanations/separation_at_any_size.md has the law of each of the twelve);
`exact_root_…` do so without coverage (`repro.families.robust.bounds_rare_pair`), where √c is exact
at every α that leaves the worst mass a possible one; and `finite_…` hold the mean
errors of n labels, from 1e4 on, against one-dimensional integrals: LTC's error over CTL's is near
1 while noise rules, and c(ε) once n is above c²m/α².  `finite_ratio` is that exponent at finite n.

Six wrong implementations must not show the ratio: no debiasing, shifting without scaling, c² for
c, the orders swapped, random flips in place of an adversary, and the mask process of P4's
Appendix D, whose ratio is (c+1)/2.  All six stand in the row `ratio_value`; the slope rows have
those whose slope is wrong at every ε (random flips are free of ε under CTL as well, rightly).  No
debiasing keeps the sign of a margin, so the RLHF rows are held against swapped orders alone.

What would refute it: an exponent of the ratio in c(ε) further than .02 from 1 with coverage or from
½ without, or a floor that is not c(ε) (LTC) or 1 (CTL) times the same number.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from repro.base.notation import privacy_cost
from repro.corruption.orders import Order
from repro.families.robust.adversaries import HUBER
from repro.families.robust.algorithms_estimation import estimation_floor
from repro.families.robust.cases import PairCase
from repro.families.robust.cases_separation import (
    AnyNumber,
    AnyShare,
    Comparison,
    SeparationExperiment,
)
from repro.families.robust.measures import (
    SeparationCase,
    changed,
    exactly,
    over_claimed,
    ratio_of_orders,
    sampled_over_claimed,
    under,
)
from repro.families.robust.quantities_floors import dpo_floor, greedy_floor, pessimistic_floor
from repro.families.robust.quantities_sizes import (
    dpo_closed,
    farthest_ratio,
    greedy_closed,
    mean_dpo,
    pessimism_closed,
    rare_dpo_closed,
    rare_estimation_closed,
    rare_greedy_closed,
    rare_pessimism_closed,
    sampled_error,
    sampled_loss,
    sampled_ratio,
)
from repro.families.robust.quantities_uncovered import (
    uncovered_dpo,
    uncovered_estimation,
    uncovered_greedy,
    uncovered_pessimism,
)
from repro.families.robust.wrong import (
    as_it_is,
    cost_squared,
    mask_process,
    no_debias,
    orders_swapped,
    random_flips,
    shift_without_scale,
)
from repro.study.claims import Ratio, Slope
from repro.study.row import INSTANCE, Evidence, Measure, Method, Need, Row, method, per_method

STRONG_RATIO = Comparison()
HUBER_RATIO = Comparison(adversary=HUBER)
CTL_FLOOR = Comparison(Order.CTL)
BOTH_SIDES = Comparison(Order.CLC)
RARE_RATIO = Comparison(rare=True)
HUBER_EVEN = Comparison(adversary=HUBER, even=True)

GREEDY_SHARE = AnyShare(closed=greedy_closed, wide=True)
GREEDY_SHARE_HUBER = replace(GREEDY_SHARE, adversary=HUBER)
PESSIMISM_SHARE = AnyShare(closed=pessimism_closed)
PESSIMISM_SHARE_HUBER = replace(PESSIMISM_SHARE, adversary=HUBER)
DPO_SHARE, DPO_SHARE_HUBER = (
    AnyShare(closed=dpo_closed), AnyShare(closed=dpo_closed, adversary=HUBER),
)  # fmt: skip
RARE_SHARE = AnyShare(rare=True, closed=rare_estimation_closed)
RARE_SHARE_GREEDY = replace(RARE_SHARE, closed=rare_greedy_closed)
RARE_SHARE_PESSIMISM = replace(RARE_SHARE, closed=rare_pessimism_closed)
RARE_SHARE_DPO = replace(RARE_SHARE, closed=rare_dpo_closed)
LTC_ERROR, CTL_ERROR = AnyNumber(), AnyNumber(Order.CTL, against=Order.LTC)

RATIO = "floor under LTC / floor under CTL"
ESTIMATION = ratio_of_orders(RATIO, estimation_floor)
RLHF = ratio_of_orders(RATIO, greedy_floor)
PESSIMISM = ratio_of_orders(RATIO, pessimistic_floor)
DPO = ratio_of_orders(RATIO, dpo_floor)
SUPREMUM = "sup of floor under LTC / sup of floor under CTL"
RARE_ESTIMATION = ratio_of_orders(SUPREMUM, uncovered_estimation)
RARE_GREEDY = ratio_of_orders(SUPREMUM, uncovered_greedy)
RARE_PESSIMISM = ratio_of_orders(SUPREMUM, uncovered_pessimism)
RARE_DPO = ratio_of_orders(SUPREMUM, uncovered_dpo)
OVER_COST = ratio_of_orders(
    f"{RATIO} / c(ε)", estimation_floor, lambda case: privacy_cost(case.epsilon)
)
FLOOR = over_claimed("floor of ‖θ̂ − θ_true‖₂ / claimed", estimation_floor)


ANY_ESTIMATION = farthest_ratio(f"{RATIO} / closed form", estimation_floor)
ANY_RLHF = farthest_ratio(f"{RATIO} / closed form", greedy_floor)
ANY_PESSIMISM = farthest_ratio(f"{RATIO} / closed form", pessimistic_floor)
ANY_DPO = farthest_ratio(f"{RATIO} / closed form", dpo_floor)
ANY_RARE_ESTIMATION = farthest_ratio(f"{SUPREMUM} / closed form", uncovered_estimation)
ANY_RARE_GREEDY = farthest_ratio(f"{SUPREMUM} / closed form", uncovered_greedy)
ANY_RARE_PESSIMISM = farthest_ratio(f"{SUPREMUM} / closed form", uncovered_pessimism)
ANY_RARE_DPO = farthest_ratio(f"{SUPREMUM} / closed form", uncovered_dpo)
ERROR = sampled_over_claimed("error of n labels / its mean", sampled_error)
LOSS = sampled_over_claimed("gap of greedy RLHF at the worst margin / its mean", sampled_loss)
DPO_ERROR = sampled_over_claimed("gap of DPO of n labels / its mean", dpo_floor)
N_RATIO = sampled_ratio("error under LTC / mean error under CTL, n labels each", sampled_error)


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
algorithm_1, rdpo = Method("algorithm_1", as_it_is), Method("rdpo", as_it_is)
greedy, algorithm_2 = Method("greedy", as_it_is), Method("algorithm_2", as_it_is)
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
ON_SIGNS = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.ADVERSARY, Need.ORDER)
"""Labels that are not debiased keep the sign of a margin."""
ALL = (*ON_SIGNS, Need.DEBIASING)
SUMMED = (Need.LABELS, Need.TRUTH_HIDDEN, Need.PRIVACY, Need.ADVERSARY, Need.DEBIASING)
"""A sum has no order."""
EXACT = 0.02
"""Tolerance of the twelve exponents."""
OURS = "own.two_separations"
IN_L2 = ("p4.thm_5_7", OURS)
INFINITE = ("n_pairs",)
CLOSED = 0.02
"""Tolerance of ratios of floors over their closed forms."""


class CtlLtcSeparation(SeparationExperiment):
    """The ratio of the floors of the two orders, everywhere it is claimed."""

    title = "P4 Theorems 5.4–6.3: LTC costs c(ε) with coverage, √c(ε) without"

    rows = (
        Row("instance_ratio", "privacy_cost",
            Slope(1, "estimation, strong adversary: ratio of floors {rate}"), ESTIMATION,
            algorithm_1, (no_debias, orders_swapped), on=INSTANCE, needs=ALL, settles=IN_L2,
            fixed=INFINITE),
        Row("ratio", "privacy_cost",
            Slope(1, "estimation, strong adversary: ratio of floors {rate}", tolerance=EXACT),
            ESTIMATION, strong, SLOPE_WRONG, on="two_cells", given=STRONG_RATIO, needs=ALL,
            settles=IN_L2, fixed=INFINITE),
        Row("ratio_value", "privacy_cost",
            Ratio("estimation, strong adversary: ratio of floors = c(ε)"), OVER_COST, strong,
            ALL_SIX, on="two_cells", given=STRONG_RATIO, needs=ALL, settles=IN_L2,
            fixed=INFINITE),
        Row("ratio_huber", "privacy_cost", Slope(1, "estimation, Huber: ratio of floors {rate}",
            tolerance=EXACT), ESTIMATION, huber, (shift_without_scale, orders_swapped),
            on="even_cells", given=HUBER_RATIO, needs=ALL, settles=("p2.lem_3_3",),
            fixed=INFINITE),
        Row("ratio_rlhf", "privacy_cost",
            Slope(1, "greedy RLHF, strong adversary: ratio of floors {rate}", tolerance=EXACT),
            RLHF, strong, (orders_swapped,), on="two_cells", given=STRONG_RATIO, needs=ON_SIGNS,
            settles=("p4.thm_6_2", OURS), fixed=INFINITE),
        Row("ratio_pessimism", "privacy_cost",
            Slope(1, "pessimistic RLHF, strong adversary: ratio of floors {rate}",
                  tolerance=EXACT),
            PESSIMISM, strong, (orders_swapped,), on="two_cells", given=STRONG_RATIO, needs=ALL,
            settles=(OURS,), fixed=INFINITE),
        Row("ratio_pessimism_huber", "privacy_cost",
            Slope(1, "pessimistic RLHF, Huber: ratio of floors {rate}", tolerance=EXACT),
            PESSIMISM, huber, (orders_swapped,), on="two_cells", given=HUBER_EVEN, needs=ALL,
            settles=(OURS,), fixed=INFINITE),
        Row("ratio_rlhf_huber", "privacy_cost",
            Slope(1, "greedy RLHF, Huber: ratio of floors {rate}", tolerance=EXACT), RLHF, huber,
            (orders_swapped,), on="two_cells", given=HUBER_RATIO, needs=ON_SIGNS,
            settles=(OURS,), fixed=INFINITE),
        Row("ratio_dpo", "privacy_cost",
            Slope(1, "DPO, strong adversary: ratio of floors {rate}", tolerance=EXACT), DPO,
            strong, SLOPE_WRONG, on="three_arms", given=STRONG_RATIO, needs=ALL, settles=(OURS,),
            fixed=INFINITE),
        Row("ratio_dpo_huber", "privacy_cost", Slope(1, "DPO, Huber: ratio of floors {rate}",
            tolerance=EXACT), DPO, huber, (orders_swapped, random_flips), on="even_arms",
            given=HUBER_RATIO, needs=ALL, settles=(OURS,), fixed=INFINITE),
        Row("root_estimation", "privacy_cost",
            Slope(0.5, "no coverage, estimation: ratio of suprema {rate}", tolerance=EXACT),
            RARE_ESTIMATION, algorithm_1, (orders_swapped,), given=RARE_RATIO, needs=ALL,
            settles=("p4.thm_5_4", OURS), fixed=INFINITE),
        Row("root_greedy", "privacy_cost",
            Slope(0.5, "no coverage, greedy RLHF: ratio of suprema {rate}", tolerance=EXACT),
            RARE_GREEDY, greedy, (orders_swapped,), given=RARE_RATIO, needs=ON_SIGNS,
            settles=(OURS,), fixed=INFINITE),
        Row("root_pessimism", "privacy_cost",
            Slope(0.5, "no coverage, pessimistic RLHF: ratio of suprema {rate}", tolerance=EXACT),
            RARE_PESSIMISM, algorithm_2, (orders_swapped,), given=RARE_RATIO, needs=ALL,
            settles=("p4.thm_6_1", OURS), fixed=INFINITE),
        Row("root_dpo", "privacy_cost",
            Slope(0.5, "κ_Π ≤ 1.5, DPO: ratio of suprema {rate}", tolerance=EXACT),
            RARE_DPO, rdpo, (orders_swapped,), given=RARE_RATIO, needs=ALL,
            settles=("p4.thm_6_3", OURS), fixed=INFINITE),
        Row("ltc_floor", "privacy_cost", Ratio("LTC: floor = c(ε)·α/(γξ)"), FLOOR, strong,
            SLOPE_WRONG, on="two_cells", given=STRONG_RATIO, needs=ALL, settles=IN_L2,
            fixed=INFINITE),
        Row("ctl_floor", "privacy_cost", Ratio("CTL: floor = α/(γξ), any ε"), FLOOR, strong,
            (no_debias, orders_swapped), on="two_cells", given=CTL_FLOOR, needs=ALL,
            settles=IN_L2, fixed=INFINITE),
        Row("huber_ratio", "privacy_cost",
            Ratio("Huber at uneven labels: (c+|h|)/(1+|h|)", tolerance=0.03), HUBER_OVER,
            huber_formula, (cost_alone,), on="two_cells", given=HUBER_RATIO, needs=ALL,
            settles=("p2.lem_3_3",), fixed=INFINITE),
        Row("clc_floor", "privacy_cost", Ratio("CLC: the floors add", tolerance=0.03), OVER_SUM,
            clc_over_sum, (ltc_over_sum,), on="two_cells", given=BOTH_SIDES, needs=SUMMED,
            settles=IN_L2, fixed=INFINITE),
        Row("exact_estimation", "corruption",
            Ratio("estimation, strong adversary, every ε: closed ratio at any α",
                  tolerance=CLOSED),
            ANY_ESTIMATION, strong, (no_debias, orders_swapped), on="one_cell",
            given=AnyShare(), needs=ALL, settles=IN_L2, fixed=INFINITE),
        Row("exact_estimation_huber", "corruption",
            Ratio("estimation, Huber, every ε: closed ratio at any α", tolerance=CLOSED),
            ANY_ESTIMATION, huber, (no_debias, orders_swapped), on="one_cell",
            given=AnyShare(adversary=HUBER), needs=ALL, settles=("p2.lem_3_3",), fixed=INFINITE),
        Row("exact_greedy", "corruption",
            Ratio("greedy RLHF, strong adversary, every ε: closed ratio at any α",
                  tolerance=CLOSED),
            ANY_RLHF, greedy, (orders_swapped,), on="one_cell", given=GREEDY_SHARE,
            needs=ON_SIGNS, settles=("p4.thm_6_2", OURS), fixed=INFINITE),
        Row("exact_greedy_huber", "corruption",
            Ratio("greedy RLHF, Huber, every ε: closed ratio at any α", tolerance=CLOSED),
            ANY_RLHF, greedy, (orders_swapped,), on="one_cell", given=GREEDY_SHARE_HUBER,
            needs=ON_SIGNS, settles=(OURS,), fixed=INFINITE),
        Row("exact_pessimism", "corruption",
            Ratio("pessimistic RLHF, strong adversary, every ε: closed ratio at any α",
                  tolerance=CLOSED),
            ANY_PESSIMISM, algorithm_2, (orders_swapped,), on="one_cell", given=PESSIMISM_SHARE,
            needs=ALL, settles=(OURS,), fixed=INFINITE),
        Row("exact_pessimism_huber", "corruption",
            Ratio("pessimistic RLHF, Huber, every ε: closed ratio at any α", tolerance=CLOSED),
            ANY_PESSIMISM, algorithm_2, (orders_swapped,), on="one_cell",
            given=PESSIMISM_SHARE_HUBER, needs=ALL, settles=(OURS,), fixed=INFINITE),
        Row("exact_dpo", "corruption",
            Ratio("DPO, strong adversary, every ε: closed ratio at any α", tolerance=CLOSED),
            ANY_DPO, rdpo, (no_debias, orders_swapped), on="two_arms", given=DPO_SHARE,
            needs=ALL, settles=(OURS,), fixed=INFINITE),
        Row("exact_dpo_huber", "corruption",
            Ratio("DPO, Huber, every ε: closed ratio at any α", tolerance=CLOSED),
            ANY_DPO, rdpo, (no_debias, orders_swapped), on="two_arms", given=DPO_SHARE_HUBER,
            needs=ALL, settles=(OURS,), fixed=INFINITE),
        Row("exact_root_estimation", "corruption",
            Ratio("no coverage, estimation, every ε: √c(ε) at any α", tolerance=CLOSED),
            ANY_RARE_ESTIMATION, algorithm_1, (orders_swapped,), given=RARE_SHARE, needs=ALL,
            settles=("p4.thm_5_4", OURS), fixed=INFINITE),
        Row("exact_root_greedy", "corruption",
            Ratio("no coverage, greedy RLHF, every ε: √c(ε) at any α", tolerance=CLOSED),
            ANY_RARE_GREEDY, greedy, (orders_swapped,), given=RARE_SHARE_GREEDY, needs=ON_SIGNS,
            settles=(OURS,), fixed=INFINITE),
        Row("exact_root_pessimism", "corruption",
            Ratio("no coverage, pessimistic RLHF, every ε: √c(ε) at any α", tolerance=CLOSED),
            ANY_RARE_PESSIMISM, algorithm_2, (orders_swapped,), given=RARE_SHARE_PESSIMISM,
            needs=ALL, settles=("p4.thm_6_1", OURS), fixed=INFINITE),
        Row("exact_root_dpo", "corruption",
            Ratio("κ_Π ≤ 1.5, DPO, every ε: closed ratio at any α", tolerance=CLOSED),
            ANY_RARE_DPO, rdpo, (orders_swapped,), given=RARE_SHARE_DPO, needs=ALL,
            settles=("p4.thm_6_3", OURS), fixed=INFINITE),
        Row("finite_ltc", "n_pairs", Ratio("LTC: mean error of n labels, from noise to floor"),
            ERROR, algorithm_1, (orders_swapped,), on="one_cell", given=LTC_ERROR,
            needs=ALL, settles=IN_L2),
        Row("finite_ctl", "n_pairs", Ratio("CTL: mean error of n labels, from noise to floor"),
            ERROR, algorithm_1, (orders_swapped,), on="one_cell", given=CTL_ERROR,
            needs=ALL, settles=IN_L2),
        Row("finite_huber", "n_pairs", Ratio("LTC, Huber: mean error of n labels"),
            ERROR, algorithm_1, (orders_swapped,), on="one_cell",
            given=AnyNumber(adversary=HUBER), needs=ALL, settles=("p2.lem_3_3",)),
        Row("finite_greedy_ltc", "n_pairs", Ratio("LTC: gap of greedy RLHF, n labels"),
            LOSS, greedy, (orders_swapped,), on="one_cell", given=AnyNumber(mean=None),
            needs=ON_SIGNS, settles=("p4.thm_6_2", OURS)),
        Row("finite_greedy_ctl", "n_pairs", Ratio("CTL: gap of greedy RLHF, n labels"),
            LOSS, greedy, (orders_swapped,), on="one_cell",
            given=AnyNumber(Order.CTL, against=Order.LTC, mean=None), needs=ON_SIGNS,
            settles=("p4.thm_6_2", OURS)),
        Row("finite_dpo_ltc", "n_pairs", Ratio("LTC: gap of DPO, n labels"), DPO_ERROR, rdpo,
            (orders_swapped,), on="two_arms", given=AnyNumber(mean=mean_dpo),
            needs=ALL, settles=(OURS,)),
        Row("finite_dpo_ctl", "n_pairs", Ratio("CTL: gap of DPO, n labels"), DPO_ERROR, rdpo,
            (orders_swapped,), on="two_arms",
            given=AnyNumber(Order.CTL, against=Order.LTC, mean=mean_dpo), needs=ALL,
            settles=(OURS,)),
        Row("finite_ratio", "privacy_cost",
            Slope(1, "estimation, n labels: ratio of mean errors {rate}", tolerance=EXACT),
            N_RATIO, strong, (orders_swapped,), on="one_cell", given=AnyNumber(),
            needs=ALL, settles=IN_L2),
    )  # fmt: skip
