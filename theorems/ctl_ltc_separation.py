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
theorem is credited to checks that run its algorithm in its norm; settings that no theorem prints
are own results (``own.two_separations``).

In code: an order is a row of stages (repro.labels.corruption.orders), α is corruption, and a flip
is worth 1/N to the debiased win rate before the randomizer and c(ε)/N behind it.

Measured on infinitely many labels (exact expectations: nothing is drawn) with the strong adversary
(sees all, sets a share α of labels, refits the estimator exactly) and with Huber's model at its
exact worst B, with c·α/ξ below .02, where the logistic curve is still straight.  The floors
themselves are numbers, ζα·max_c ‖H⁻¹x_c‖ (`repro.p4.debiased_mle.response`).  Huber's ratio
is (c + |h|)/(1 + |h|) with h = 2σ(⟨x, θ⟩) − 1: it is c(ε) only for even labels (those of the slope
checks are even to within .01, so that unread labels are noticed), and `huber_ratio` checks that
formula at uneven ones.  Huber's model replaces a share α in every cell, so it has no
√α regime.  With corruption on both sides of the randomizer (CLC) the floors add.

For RLHF the floor is the largest margin that greedy RLHF gets wrong (η = 0), or that pessimism with
a Γ calibrated under attack gives up (η = 1); for DPO |J(π*) − J(π̂)| of three responses.  Without
coverage (``root_…``) it is SubOpt/√κ, and for DPO the gap in a family whose κ_Π is at most 1.5.
P2's Theorems 5.2 and 5.3 are run by their own algorithms in `square_chipo` and `square_xpo`.

Neither α nor n has to be extreme.  In one cell everything is closed at any α and n
(`repro.p4.corruption_floors.one_cell`): `exact_…` hold the ratio against that form at every ε of
the list that has one (13 of 308 combinations of check, α and ε lose the whole class and have none)
and α from 1e-4 to 1e-2, where at the far end cα is .4 and the exponent is no longer 1
(docs/explanations/separation_at_any_size.md has the law of each of the twelve);
`exact_root_…` do so without coverage (`repro.p4.corruption_floors.closed_forms`), where √c is exact
at every α that leaves the worst mass a possible one; and `finite_…` hold the mean
errors of n labels, from 1e4 on, against one-dimensional integrals: LTC's error over CTL's is near
1 while noise rules, and c(ε) once n is above c²m/α².  `finite_ratio` is that exponent at finite n.

Six wrong implementations must not show the ratio: no debiasing, shifting without scaling, c² for
c, the orders swapped, random flips in place of an adversary, and the mask process of P4's
Appendix D, whose ratio is (c+1)/2.  All six stand in the check `ratio_value`; the slope checks have
those whose slope is wrong at every ε (random flips are free of ε under CTL as well, rightly).  No
debiasing keeps the sign of a margin, so the RLHF checks are held against swapped orders alone.

What would refute it: an exponent of the ratio in c(ε) further than .02 from 1 with coverage or from
½ without, or a floor that is not c(ε) (LTC) or 1 (CTL) times the same number.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from repro.base.notation import privacy_cost
from repro.core.check import Algorithm, Check, Quantity, SweptCheck, Theorem, named
from repro.core.claims import Ratio, Slope
from repro.labels.corruption.orders import Order
from repro.p4.corruption_floors import rare_pairs as rare
from repro.p4.corruption_floors.policies import dpo_floor, greedy_floor, pessimistic_floor
from repro.p4.corruption_floors.rare_labels import AttackedRarePairs
from repro.p4.corruption_floors.sampled_cell import (
    CostliestMargin,
    SampledCell,
    costliest_gap,
    greedy_loss,
    mean_dpo_gap,
    mean_error,
    mean_error_by_huber,
    mean_ratio,
)
from repro.p4.corruption_floors.two_orders import (
    Closed,
    ComparedPairs,
    ComparedRarePairs,
    FloorOf,
    PairsAtBudgets,
    RarePairsAtBudgets,
    by_huber,
    by_strong,
    dpo_closed,
    estimation_closed,
    farthest_ratio,
    greedy_closed,
    of_floors,
    of_rare,
    of_two_orders,
    pessimism_closed,
    ratio_of_orders,
)
from repro.p4.debiased_mle.estimation import estimation_floor
from repro.p4.debiased_mle.labels import (
    AttackedLabels,
    Measured,
    algorithm_1,
    cost_squared,
    mask_process,
    no_debias,
    of_changed,
    orders_swapped,
    over_claimed,
    random_flips,
    shift_without_scale,
)
from repro.p4.debiased_mle.response import strong_floor
from repro.p4.label_cells.assumptions import covered, inside_the_class

LARGEST_KAPPA = 1.5
"""κ_Π of the family without coverage, at most."""
MAX_SHIFT = 0.02
"""Largest c·α/ξ: beyond, the curvature of the logistic function shows."""

# What is claimed of a world; worlds and closed forms stand in two_orders and sampled_cell --------


def strong_response(world: ComparedPairs) -> float:
    """ζα·max_c ‖H⁻¹x_c‖."""
    return strong_floor(world.stated, world.corruption, world.flip_worth)


def cost(world: AttackedLabels) -> float:
    """c(ε)."""
    return privacy_cost(world.epsilon)


# Algorithms: Algorithm 1 and the policies of its estimate; wrong ones are changes of the world ---

strong, huber = named("strong", algorithm_1), named("huber", algorithm_1)
greedy, algorithm_2 = named("greedy", algorithm_1), named("algorithm_2", algorithm_1)
rdpo, clc_over_sum = named("rdpo", algorithm_1), named("clc_over_sum", algorithm_1)


def ltc_over_sum(world: ComparedPairs) -> ComparedPairs:
    """Wrong: corruption behind the randomizer alone."""
    return replace(world, order=Order.LTC)


def huber_formula(world: ComparedPairs) -> float:
    """(c + |h|)/(1 + |h|), h the mean of a ±1 label."""
    h = float(torch.tanh(world.stated.reward_diff.abs().max() / 2))
    return (cost(world) + h) / (1 + h)


def cost_alone(world: ComparedPairs) -> float:
    """Wrong for uneven labels: c(ε)."""
    return cost(world)


# Quantities --------------------------------------------------------------------------------------

RATIO = "floor under LTC / floor under CTL"
SUPREMUM = "sup of floor under LTC / sup of floor under CTL"


def over_prediction(floor_of: FloorOf, world: ComparedPairs, predicted: Algorithm) -> Any:
    """The ratio over the one that an algorithm predicts."""
    return floor_of(world) / floor_of(replace(world, order=world.against)) / predicted(world)


def over_sum(floor_of: FloorOf, world: ComparedPairs, change: Algorithm) -> Any:
    """The floor of an algorithm's order over the sum of those under CTL and LTC."""
    ctl, ltc = (floor_of(replace(world, order=order)) for order in (Order.CTL, Order.LTC))
    return floor_of(change(world)) / (ctl + ltc)


ESTIMATION = ratio_of_orders(RATIO, estimation_floor)
RLHF = ratio_of_orders(RATIO, greedy_floor)
PESSIMISM = ratio_of_orders(RATIO, pessimistic_floor)
DPO = ratio_of_orders(RATIO, dpo_floor)
OVER_COST = of_floors(f"{RATIO} / c(ε)", estimation_floor, of_two_orders, cost)
FLOOR = over_claimed("floor of ‖θ̂ − θ_true‖₂ / claimed", estimation_floor, strong_response)
HUBER_OVER = of_floors("ratio of floors / ((c+|h|)/(1+|h|))", estimation_floor, over_prediction)
OVER_SUM = of_floors("CLC floor / (CTL floor + LTC floor)", estimation_floor, over_sum)
ERROR_WORDS = "error of n labels / its mean"
ERROR = of_changed(ERROR_WORDS, estimation_floor, mean_error)
HUBER_ERROR = of_changed(ERROR_WORDS, estimation_floor, mean_error_by_huber)
LOSS = of_changed("gap of greedy RLHF at the worst margin / its mean", greedy_loss, costliest_gap)
DPO_ERROR = of_changed("gap of DPO of n labels / its mean", dpo_floor, mean_dpo_gap)
N_RATIO = Quantity(
    "error under LTC / mean error under CTL, n labels each", mean_ratio, stream_per_block=True
)


# The claims --------------------------------------------------------------------------------------

EXACT, CLOSED = 0.02, 0.02
"""Tolerances of the twelve exponents, and of ratios of floors over their closed forms."""
OURS = ["own.two_separations"]
IN_L2 = ["p4.thm_5_7", *OURS]
HUBERS = ["p2.lem_3_3"]
GREEDY = ["p4.thm_6_2", *OURS]
SWAPPED = [orders_swapped]
SLOPE_WRONG = [no_debias, orders_swapped, random_flips]
"""Those whose slope is wrong over the whole range of ε: the mask process' (c+1)/2 has slope
c/(c+1), near 1 at large c, and unbounded readings end at the ball."""
ALL_SIX = [no_debias, shift_without_scale, cost_squared, orders_swapped, random_flips, mask_process]


def exponent(
    name: str, expected: float, words: str, quantity: Quantity, right: Algorithm,
    wrong: Sequence[Algorithm], settles: Sequence[str],
) -> Check:  # fmt: skip
    """An exponent of c(ε)."""
    claim = Slope(f"{words} {{rate}}", expected, tolerance=EXACT)
    return Check(name=name, axis="privacy_cost", claim=claim, quantity=quantity, right=right,
                 wrong=wrong, settles=settles)  # fmt: skip


def number(
    name: str, words: str, quantity: Quantity, right: Algorithm, wrong: Sequence[Algorithm],
    settles: Sequence[str], axis: str = "privacy_cost", tolerance: float = 0.05,
) -> Check:  # fmt: skip
    """A number of every c(ε), or of every n."""
    return Check(name=name, axis=axis, claim=Ratio(words, tolerance=tolerance),
                 quantity=quantity, right=right, wrong=wrong, settles=settles)  # fmt: skip


def any_share(
    name: str, words: str, floor: Measured, closed: Closed, right: Algorithm,
    wrong: Sequence[Algorithm], settles: Sequence[str], ratio: str = RATIO,
) -> Check:  # fmt: skip
    """A closed form at any α and every ε."""
    return Check(name=name, axis="corruption", claim=Ratio(words, tolerance=CLOSED),
                 quantity=farthest_ratio(ratio, floor, closed), right=right, wrong=wrong,
                 settles=settles)  # fmt: skip


CHECKS = [
    Check(name="instance_ratio", axis="privacy_cost",
          claim=Slope("estimation, strong adversary: ratio of floors {rate}", 1),
          quantity=ESTIMATION, right=algorithm_1, wrong=[no_debias, orders_swapped],
          settles=IN_L2),
    exponent("ratio", 1, "estimation, strong adversary: ratio of floors", ESTIMATION, strong,
             SLOPE_WRONG, IN_L2),
    number("ratio_value", "estimation, strong adversary: ratio of floors = c(ε)", OVER_COST,
           strong, ALL_SIX, IN_L2),
    exponent("ratio_huber", 1, "estimation, Huber: ratio of floors", ESTIMATION, huber,
             [shift_without_scale, orders_swapped], HUBERS),
    exponent("ratio_rlhf", 1, "greedy RLHF, strong adversary: ratio of floors", RLHF, strong,
             SWAPPED, GREEDY),
    exponent("ratio_pessimism", 1, "pessimistic RLHF, strong adversary: ratio of floors",
             PESSIMISM, strong, SWAPPED, OURS),
    exponent("ratio_pessimism_huber", 1, "pessimistic RLHF, Huber: ratio of floors", PESSIMISM,
             huber, SWAPPED, OURS),
    exponent("ratio_rlhf_huber", 1, "greedy RLHF, Huber: ratio of floors", RLHF, huber, SWAPPED,
             OURS),
    exponent("ratio_dpo", 1, "DPO, strong adversary: ratio of floors", DPO, strong, SLOPE_WRONG,
             OURS),
    exponent("ratio_dpo_huber", 1, "DPO, Huber: ratio of floors", DPO, huber,
             [orders_swapped, random_flips], OURS),
    exponent("root_estimation", 0.5, "no coverage, estimation: ratio of suprema",
             ratio_of_orders(SUPREMUM, rare.uncovered_estimation), algorithm_1, SWAPPED,
             ["p4.thm_5_4", *OURS]),
    exponent("root_greedy", 0.5, "no coverage, greedy RLHF: ratio of suprema",
             ratio_of_orders(SUPREMUM, rare.uncovered_greedy), greedy, SWAPPED, OURS),
    exponent("root_pessimism", 0.5, "no coverage, pessimistic RLHF: ratio of suprema",
             ratio_of_orders(SUPREMUM, rare.uncovered_pessimism), algorithm_2, SWAPPED,
             ["p4.thm_6_1", *OURS]),
    exponent("root_dpo", 0.5, "κ_Π ≤ 1.5, DPO: ratio of suprema",
             ratio_of_orders(SUPREMUM, rare.uncovered_dpo), rdpo, SWAPPED,
             ["p4.thm_6_3", *OURS]),
    number("ltc_floor", "LTC: floor = c(ε)·α/(γξ)", FLOOR, strong, SLOPE_WRONG, IN_L2),
    number("ctl_floor", "CTL: floor = α/(γξ), any ε", FLOOR, strong,
           [no_debias, orders_swapped], IN_L2),
    number("huber_ratio", "Huber at uneven labels: (c+|h|)/(1+|h|)", HUBER_OVER, huber_formula,
           [cost_alone], HUBERS, tolerance=0.03),
    number("clc_floor", "CLC: the floors add", OVER_SUM, clc_over_sum, [ltc_over_sum], IN_L2,
           tolerance=0.03),
    any_share("exact_estimation", "estimation, strong adversary, seven ε: closed ratio at any α",
              estimation_floor, by_strong(estimation_closed), strong,
              [no_debias, orders_swapped], IN_L2),
    any_share("exact_estimation_huber", "estimation, Huber, seven ε: closed ratio at any α",
              estimation_floor, by_huber(estimation_closed), huber,
              [no_debias, orders_swapped], HUBERS),
    any_share("exact_greedy", "greedy RLHF, strong adversary, seven ε: closed ratio at any α",
              greedy_floor, by_strong(greedy_closed), greedy, SWAPPED, GREEDY),
    any_share("exact_greedy_huber", "greedy RLHF, Huber, seven ε: closed ratio at any α",
              greedy_floor, by_huber(greedy_closed), greedy, SWAPPED, OURS),
    any_share("exact_pessimism",
              "pessimistic RLHF, strong adversary, seven ε: closed ratio at any α",
              pessimistic_floor, by_strong(pessimism_closed), algorithm_2, SWAPPED, OURS),
    any_share("exact_pessimism_huber", "pessimistic RLHF, Huber, seven ε: closed ratio at any α",
              pessimistic_floor, by_huber(pessimism_closed), algorithm_2, SWAPPED, OURS),
    any_share("exact_dpo", "DPO, strong adversary, seven ε: closed ratio at any α", dpo_floor,
              by_strong(dpo_closed), rdpo, [no_debias, orders_swapped], OURS),
    any_share("exact_dpo_huber", "DPO, Huber, seven ε: closed ratio at any α", dpo_floor,
              by_huber(dpo_closed), rdpo, [no_debias, orders_swapped], OURS),
    any_share("exact_root_estimation", "no coverage, estimation, seven ε: √c(ε) at any α",
              rare.uncovered_estimation, of_rare(rare.rare_estimation_at), algorithm_1, SWAPPED,
              ["p4.thm_5_4", *OURS], SUPREMUM),
    any_share("exact_root_greedy", "no coverage, greedy RLHF, seven ε: √c(ε) at any α",
              rare.uncovered_greedy, of_rare(rare.rare_greedy_at), greedy, SWAPPED, OURS,
              SUPREMUM),
    any_share("exact_root_pessimism", "no coverage, pessimistic RLHF, seven ε: √c(ε) at any α",
              rare.uncovered_pessimism, of_rare(rare.rare_pessimism_at), algorithm_2, SWAPPED,
              ["p4.thm_6_1", *OURS], SUPREMUM),
    any_share("exact_root_dpo", "κ_Π ≤ 1.5, DPO, seven ε: closed ratio at any α",
              rare.uncovered_dpo, of_rare(rare.rare_dpo_at), rdpo, SWAPPED,
              ["p4.thm_6_3", *OURS], SUPREMUM),
    number("finite_ltc", "LTC: mean error of n labels, from noise to floor", ERROR, algorithm_1,
           SWAPPED, IN_L2, "n_pairs"),
    number("finite_ctl", "CTL: mean error of n labels, from noise to floor", ERROR, algorithm_1,
           SWAPPED, IN_L2, "n_pairs"),
    number("finite_huber", "LTC, Huber: mean error of n labels", HUBER_ERROR, algorithm_1,
           SWAPPED, HUBERS, "n_pairs"),
    number("finite_greedy_ltc", "LTC: gap of greedy RLHF, n labels", LOSS, greedy, SWAPPED,
           GREEDY, "n_pairs"),
    number("finite_greedy_ctl", "CTL: gap of greedy RLHF, n labels", LOSS, greedy, SWAPPED,
           GREEDY, "n_pairs"),
    number("finite_dpo_ltc", "LTC: gap of DPO, n labels", DPO_ERROR, rdpo, SWAPPED, OURS,
           "n_pairs"),
    number("finite_dpo_ctl", "CTL: gap of DPO, n labels", DPO_ERROR, rdpo, SWAPPED, OURS,
           "n_pairs"),
    exponent("finite_ratio", 1, "estimation, n labels: ratio of mean errors", N_RATIO, strong,
             SWAPPED, IN_L2),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """Coverage ξ > 0, the truth inside the class, ‖x‖ ≤ 1, and c·α/ξ in the straight range; on
    rare pairs that κ_Π is bounded.
    """
    world: Any = swept.sweep.worlds[-1]  # at the largest c(ε)
    if isinstance(world, AttackedRarePairs):
        bounded = rare.largest_condition_number()
        yield "bounded κ_Π", bounded <= LARGEST_KAPPA, f"κ_Π ≤ {bounded:g}"
        return
    yield covered(world.stated)
    yield from inside_the_class(world.stated)
    if isinstance(world, ComparedPairs):
        shift = cost(world) * world.corruption / world.stated.min_eigenvalue
        yield "small shift", shift <= MAX_SHIFT, f"cα/ξ = {shift:.3g}"


THEOREM = Theorem(
    title="P4 Theorems 5.4–6.3: LTC costs c(ε) with coverage, √c(ε) without",
    checks=CHECKS,
    worlds={
        "pairs": ComparedPairs, "rare": ComparedRarePairs, "pairs_at_budgets": PairsAtBudgets,
        "rare_at_budgets": RarePairsAtBudgets, "sampled": SampledCell, "margin": CostliestMargin,
    },
    assumes=assumes,
)  # fmt: skip
