"""P2 Theorem 5.2: Squareχ𝖯𝖮 under privacy and Huber corruption.

Statement (Theorem 5.2).  For any comparator π* and a proper β, with probability at least 1−δ,
Algorithm 3 has

    J(π*) − J(π̂) ≲ κ(π*)·(c(ε)·√(log(|Π|/δ)/n) + α)            under CTL,
    J(π*) − J(π̂) ≲ κ(π*)·(c(ε)·√(log(|Π|/δ)/n) + c(ε)·α)       under LTC,

J unregularised, κ(π*) ∝ √C^π*.  Theorem D.1 is its form in terms of err_stat.

Testable: the floor in n (at n = 1e13, where c·√(S/n) is far below α) has exponent 1 in α, 0 (CTL)
and 1 (LTC) in c(ε); without corruption the exponents −½ in n and 1 in c(ε).  As in private_chipo
the gap is a supremum over a ladder of reward differences, and the adversary is the worst one: it
always reports the worse response.  The older bound √α is loose by a factor √α (check older_bound).
A gap ∝ β, and so ∝ α, is left to a learner who knows the rewards, and to one whom nobody deceives:
it is taken off.  That the floor under CTL is free of c(ε) is held as a number, its limit at n = ∞;
the floor without a tuned β under LTC as the largest Δ that the adversary hides.

Remark 5.1 calls Algorithm 3 adaptive, that is free of α; Theorem D.1's β ∝ err_stat needs α.  On
this instance, a class of all tables, β tuned from c·√(S/n) alone keeps the rate (checks
*_adaptive), as the bias is of order α at every pair.  That says nothing of the remark: on smaller
classes the rate is lost (``price_of_adaptivity``).

Checks ``printed*`` minimise the square loss itself over policies of classes that do not saturate, a
log-linear one with more reward differences than features and twelve policies of it; there the
tabular checks' closed form does not exist.

Checks ``nonparametric*`` (``own.metric_entropy``, docs/explanations/large_classes.md): the paper
says that other classes follow by covering numbers.  Over a net of N(τ) policies of radius τ in
h = tanh(Δ/2), for every τ ≥ 0 and with probability at least 1−δ, E(h_π̂ − h*)² is at most
A·(c²·log(N(τ)/δ)/n + (τ + ζ)²) + 2τ², A = 8/(1 − e^(−1/4)), ζ ≤ 2α under CTL and (1 + c)α under
LTC.  On a class of entropy 1/τ, preferences that fall no faster than L along the states, every
algorithm has in some world an expected gap of at least L/(8k), k³ ≥ n·L²/(.937c²): exponents −⅓ in
n and ⅔ in c(ε), not those of a finite class.

What would refute it: a floor with a smaller exponent in α or a larger one in c(ε).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from repro.base.notation import privacy_cost
from repro.core.check import (
    Algorithm,
    Check,
    Quantity,
    SweptCheck,
    Theorem,
    applied,
    named,
    privacy_mistake,
)
from repro.core.claims import Inequality, Ratio, Slope
from repro.labels.corruption.orders import Order
from repro.p2.chipo.falling import (
    STEPS,
    EveryAlgorithm,
    FallingPreferences,
    best_net,
    error_bound,
    every_table,
    largest_gap,
    least_bound,
    least_error,
    least_gap,
    truths,
)
from repro.p2.chipo.labels import (
    ChipoLabels,
    CorruptedChipoLabels,
    fixed_kl_weight,
    label_flip,
    naive_likelihood,
)
from repro.p2.chipo.log_linear import LogLinearClass
from repro.p2.chipo.tabular import RareGoodResponse, hidden_difference, largest_floor

# Algorithms: what a learner is told, right and wrong on purpose ----------------------------------


def square_chipo(world: ChipoLabels) -> ChipoLabels:
    """Algorithm 3: the square loss."""
    return world


def adaptive_tuning(world: CorruptedChipoLabels) -> CorruptedChipoLabels:
    """Algorithm 3 with β free of α (Remark 5.1)."""
    return replace(world, knows_corruption=False)


without_privacy_cost = privacy_mistake(named("without_privacy_cost", naive_likelihood))
"""Wrong: no factor c(ε) in the square loss."""


def corruption_after_privacy(world: CorruptedChipoLabels) -> CorruptedChipoLabels:
    """Wrong for CTL: corruption comes second."""
    return replace(world, order=Order.LTC)


def adaptive_corruption_before_privacy(world: CorruptedChipoLabels) -> CorruptedChipoLabels:
    """Wrong for LTC: corruption comes first."""
    return replace(world, knows_corruption=False, order=Order.CTL)


def all_tables(world: FallingPreferences) -> FallingPreferences:
    """Another class: all tables."""
    return replace(world, fit=every_table)


class_ignored = named("every_table", all_tables, "the class of all tables")


def small_beta(world: FallingPreferences) -> FallingPreferences:
    """Algorithm 3 over the best net, with a small β."""
    net = best_net(world.n_pairs, world.reports.cost)
    return replace(world, fit=net, tuning=0.01 * world.tuning)


def thousand_times_the_labels(world: FallingPreferences) -> FallingPreferences:
    """Wrong: more labels than the bound knows of, and all of the class."""
    return replace(world, tuning=0.01 * world.tuning, more=1000)


def small_beta_label_flip(world: FallingPreferences) -> FallingPreferences:
    """Wrong: labels read upside down."""
    return replace(small_beta(world), sign=-1.0)


def between_errors(
    world: FallingPreferences, rng: np.random.Generator, replicates: int, sign: float, counts: int
) -> float:
    """The larger of largest E(h_π̂ − h*)²/Theorem 1 and Theorem 4/largest mean, the best net.

    Args:
        world: at whose n and c(ε).
        rng: the block's stream.
        replicates: datasets for every other k.
        sign: −1 where labels are read upside down.
        counts: 1, or 0 for a bound that leaves the class out.
    """
    given = world.n_pairs, world.reports.cost
    net = best_net(*given)
    bound = error_bound(*given, counts * net.log_size, counts * net.radius)
    learner = replace(world, fit=net, sign=sign)
    errors = np.array([_errors(learner, steps, rng, replicates) for steps in LADDER])
    least = least_error(*given, LADDER)
    return max(errors.max() / bound, least / max(errors.mean(-1).max(), 1e-300))


LADDER = STEPS[::2]


def _errors(learner: FallingPreferences, steps: int, rng, runs: int) -> np.ndarray:
    """(R,) E(h_π̂ − h*)² over a pair, half of which show one response twice."""
    truth = truths(steps, rng, runs)
    return ((learner.fitted(truth, rng) - truth) ** 2).mean(-1) / 2


counted = named("log_N_and_radius", between_errors, sign=1.0, counts=1)
counted_upside_down = named(
    "label_flip", between_errors, "labels are read with the wrong sign", sign=-1.0, counts=1
)
not_counted = named(
    "class_left_out", between_errors, "the bound leaves the class out", sign=1.0, counts=0
)
"""Wrong: a bound with log(1/δ) alone."""

# Quantities --------------------------------------------------------------------------------------


def beyond_known(world: ChipoLabels, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) each learner's gap where rewards are worst for it, less what the right β costs."""
    return applied(algorithm, world).beyond(world, rng, replicates)


def beyond_known_adaptive(world: ChipoLabels, algorithm: Algorithm, rng, replicates: int):
    """(R,) the same, less what a β free of α costs."""
    return applied(algorithm, world).beyond(applied(adaptive_tuning, world), rng, replicates)


def at_floor(world: RareGoodResponse, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) gaps at the worst Δ of n = ∞ under CTL."""
    return applied(algorithm, world).simulate(np.array(largest_floor(world)[0]), rng, replicates)


def gaps(world: ChipoLabels, algorithm: Algorithm, rng, replicates: int) -> np.ndarray:
    """(R,) each learner's gap where rewards are worst for it."""
    return applied(algorithm, world).gaps(rng, replicates)


def between_gaps(world: EveryAlgorithm, algorithm: Algorithm, rng, replicates: int) -> float:
    """The larger of lower bound over mean gap at the worst k, and of that over the upper bound."""
    learner = applied(algorithm, world)
    _, lost = learner.on_worst(rng, replicates)
    given, mean = (world.n_pairs, world.reports.cost), max(float(lost.mean()), 1e-300)
    return max(least_gap(*given) / mean, mean / largest_gap(least_bound(*given), learner.kl_weight))


def floor(world: RareGoodResponse) -> float:
    """The largest gap at n = ∞ under CTL, which knows no ε."""
    return largest_floor(world)[1]


def older_bound(world: CorruptedChipoLabels) -> float:
    """√α."""
    return float(np.sqrt(world.corruption))


def hidden(world: RareGoodResponse) -> float:
    """The largest Δ that the adversary hides under LTC."""
    return hidden_difference(world.corruption, privacy_cost(world.epsilon))


BEYOND = "suboptimality beyond that of known rewards [reward]"
GAP, ADAPTIVE_GAP = Quantity(BEYOND, beyond_known), Quantity(BEYOND, beyond_known_adaptive)
OVER_FLOOR = Quantity(
    "suboptimality / its limit", at_floor, over=lambda world: largest_floor(world)[1]
)
OVER_HIDDEN = Quantity("suboptimality / hidden Δ", gaps, over=hidden)
OVER_OLD = Quantity(
    "suboptimality / √α", beyond_known, over=lambda world: np.sqrt(world.corruption)
)
BETWEEN_GAPS = Quantity(
    "larger of lower bound / gap and gap / upper bound", between_gaps, stream_per_block=True
)
BETWEEN_ERRORS = Quantity(
    "larger of largest E(h − h*)² / bound and lower bound / mean", stream_per_block=True
)

# The claims --------------------------------------------------------------------------------------


def gap(name: str, axis: str, claim, wrong, right=square_chipo, **more: Any) -> Check:
    """A check of Algorithm 3's gap, unless it says otherwise."""
    return Check(**{"quantity": GAP, **more}, name=name, axis=axis, claim=claim, right=right,
                 wrong=wrong)  # fmt: skip


FIXED, BLIND = [fixed_kl_weight], [without_privacy_cost]
ENTROPY, ALGORITHM = ["own.metric_entropy"], ["p2.alg_3"]
ADAPTIVE: Any = {"right": adaptive_tuning, "settles": ALGORITHM}
FLOORS = [
    gap("corruption_ctl", "corruption", Slope("CTL: floor {rate}", 1), FIXED),
    gap("corruption_ltc", "corruption", Slope("LTC: floor {rate}", 1), FIXED),
    gap("privacy_cost_ctl", "privacy_cost",
        Ratio("CTL: floor → sup Δ·π̂(worse | Δ̂ = 2·artanh((1−α)h − α)), free of c(ε)"),
        [*BLIND, corruption_after_privacy], quantity=OVER_FLOOR),
    gap("privacy_cost_ltc", "privacy_cost", Slope("LTC: floor {rate}", 1), BLIND),
    gap("privacy_cost_ltc_adaptive", "privacy_cost",
        Ratio("LTC, β free of α: floor → 2·artanh(c·α/(1−α))"),
        [adaptive_corruption_before_privacy], quantity=OVER_HIDDEN, **ADAPTIVE),
    gap("corruption_ctl_adaptive", "corruption", Slope("CTL, β free of α: floor {rate}", 1),
        FIXED, quantity=ADAPTIVE_GAP, **ADAPTIVE),
    gap("corruption_ltc_adaptive", "corruption", Slope("LTC, β free of α: floor {rate}", 1),
        FIXED, quantity=ADAPTIVE_GAP, **ADAPTIVE),
    gap("older_bound", "corruption",
        Slope("the older bound √α is loose by a factor {rate}", 0.5), FIXED, quantity=OVER_OLD,
        settles=["p2.thm_5_2", "p2.alg_3"]),
    gap("n_pairs", "n_pairs", Slope("no corruption: {rate}", -0.5), [fixed_kl_weight, label_flip]),
    gap("privacy_cost", "privacy_cost", Slope("no corruption: {rate}", 1), BLIND),
]  # fmt: skip
LOG_LINEAR, TWELVE = "square loss over log-linear policies", "square loss over 12 policies"
PRINTED = [
    gap("printed", "n_pairs", Slope(f"{LOG_LINEAR}: {{rate}}", -0.5),
        [fixed_kl_weight, label_flip]),
    gap("printed_ctl", "corruption", Slope(f"CTL, {LOG_LINEAR}: floor {{rate}}", 1), FIXED),
    gap("printed_ltc", "corruption", Slope(f"LTC, {LOG_LINEAR}: floor {{rate}}", 1), FIXED),
    gap("printed_privacy_cost_ltc", "privacy_cost",
        Slope(f"LTC, {LOG_LINEAR}: floor {{rate}}", 1), BLIND),
    gap("printed_finite_ctl", "corruption", Slope(f"CTL, {TWELVE}: floor {{rate}}", 1), FIXED),
    gap("printed_finite_ltc", "corruption", Slope(f"LTC, {TWELVE}: floor {{rate}}", 1), FIXED),
]  # fmt: skip
LARGE = [
    gap("nonparametric", "n_pairs", Slope("class of entropy 1/τ: {rate}", -1 / 3),
        [fixed_kl_weight, class_ignored, label_flip], settles=ENTROPY),
    gap("nonparametric_privacy_cost", "privacy_cost",
        Slope("class of entropy 1/τ: {rate}", 2 / 3), BLIND, settles=ENTROPY),
    gap("nonparametric_ctl", "corruption", Slope("CTL, class of entropy 1/τ: floor {rate}", 1),
        FIXED, settles=ENTROPY),
    gap("nonparametric_ltc", "corruption", Slope("LTC, class of entropy 1/τ: floor {rate}", 1),
        FIXED, settles=ENTROPY),
    gap("nonparametric_bound", "n_pairs",
        Inequality(
            "net: L²/(16k²) ≤ E(h − h*)² ≤ A·(c²·log(N(τ)/δ)/n + τ²) + 2τ² with probability .95"),
        [not_counted, counted_upside_down], counted, quantity=BETWEEN_ERRORS,
        settles=[*ENTROPY, "p2.rem_3_4"]),
    gap("nonparametric_every_algorithm", "n_pairs",
        Inequality("L/(8k) ≤ gap ≤ 6.5·√(the bound of E(h − h*)²) + .53β, k³ ≥ n·L²/(.937·c²)"),
        [thousand_times_the_labels, small_beta_label_flip], named("square_chipo", small_beta),
        quantity=BETWEEN_GAPS, settles=ENTROPY),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """The worst Δ is interior and α < 1/2 at both ends of every sweep."""
    check = swept.check
    if check.quantity is BETWEEN_ERRORS:
        return  # no number of steps is chosen
    for end in (0, -1):
        world = swept.sweep.worlds[end]
        inside, detail = applied(check.right, world).interior()
        place, corruption = f"at {swept.sweep.grid[end]:g}", world.corruption
        yield f"{place}: worst instance interior", inside, detail
        yield f"{place}: α < 1/2", corruption < 0.5, f"α = {corruption:g}"


THEOREM = Theorem(
    title="P2 Theorem 5.2: offline χPO with the square loss under CTL and LTC",
    settles=["p2.thm_5_2", "p2.thm_d_1", "p2.alg_3"],
    checks=[*FLOORS, *PRINTED, *LARGE],
    worlds={
        "rare_good_response": RareGoodResponse,
        "log_linear": LogLinearClass,
        "falling": FallingPreferences,
        "every_algorithm": EveryAlgorithm,
    },
    assumes=assumes,
)
