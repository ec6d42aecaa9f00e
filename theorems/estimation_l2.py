"""P4 Theorem 5.7, Claims E.3, E.4: private and robust estimation in the L2 norm.

Statement (arXiv 2505.15694, Theorem 5.7).  If λ_min(E[xxᵀ]) ≥ ξ and n ≥ 8·ln(d/δ)/ξ, then with
probability at least 1−δ Algorithm 1 has

    CTL:  ‖θ̂ − θ_true‖₂ ≤ C·( α/(γξ) + c(ε)/(γξ)·√(ln(1/δ)/n) )
    LTC:  ‖θ̂ − θ_true‖₂ ≤ C·( c(ε)·α/(γξ) + c(ε)/(γξ)·√(ln(1/δ)/n) ),   γ = 1/(2+e^B′+e^−B′).

In code: α is corruption (strong adversary, ⌊αn⌋ labels), c(ε) privacy_cost, ξ min_eigenvalue, B′
reward_bound.  ⟨1, θ⟩ = 0 holds in every world by an isometry into the complement of 1.

Testable: the exponents of the noise (α = 0) in n, c and ξ, and the floor (n → ∞: exact
expectations, no draws) as a number, along α, c and ξ: ζα·max_c ‖H⁻¹x_c‖, H the Hessian at the truth
(`debiased_mle.response`).  On orthogonal cells that is ζα/(γξ) with γ the slope at the truth: the
printed floor, attained with constant 1, because the adversary spends everything on one cell of mass
ξ.  The noise has exponent −1 in ξ only where ξ = 1/d, the isotropic case (check `noise_isotropic`);
at fixed d it is −½, inside the printed bound.  Huber's corruption has to spread over the cells, so
its floor is free of ξ: the check `huber_floor` tells the two models apart, and each is the other's
control.

Claim E.4, ‖(1/n)Σ b_i·x_i‖ ≤ ζα, holds with constant 1 where ‖x‖ ≤ 1.  P4 has ‖φ‖ ≤ 1 and x = φ −
φ′ (Assumption 4.1), so ‖x‖ ≤ 2 (Remark 5.2 sets ‖x‖ ≤ 1 "for simplicity"): the control
`x_of_norm_2` breaks the claim by that factor 2, which the universal constant C can take up.  What
it cannot take up is γ: with ‖x‖ ≤ 2 read the theorem for x/2 and 2θ, so 2B′ in γ, ξ/4 for ξ, and
twice the error: a floor of 2ζα/(γ(2B′)·ξ), which two opposite features attain (check `norm_two`).

Assumption 5.6 read on all of R^d excludes one-hot features: their differences are orthogonal to
1, so λ_min(E[xxᵀ]) = 0.  Read on {θ : ⟨1, θ⟩ = 0}, where both θ's live and which is all that the
proof needs, it holds (check `one_hot_coverage`; its control is the literal reading).

The theorem allows every δ in (0, 1), and loses the 1 of Claim E.3's √((1+ln(1/δ))/n).  Near δ = 1
its bound goes to 0, and of six labels no dataset has so small an error: the least error over the
bound grows without limit (check `delta_near_one_printed`, expected contradicted; `delta_near_one`
has the 1).  For δ ≤ ½ the two forms differ by a constant.

What would refute the theorem: exponents beyond the printed ones, a floor that is not the one
claimed, or an E.3 failure rate above δ.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from repro.base.schema import Count, Pairs, Positive, RewardBound
from repro.core.check import Algorithm, Check, Quantity, SweptCheck, Theorem, named, of_world
from repro.core.claims import Claim, Inequality, Ratio, Slope
from repro.p4.corruption_floors.bounds import one_hot_coverage_ratio
from repro.p4.debiased_mle.estimation import estimation_floor
from repro.p4.debiased_mle.labels import (
    PairLabels,
    SampledPairs,
    algorithm_1,
    huber_adversary,
    no_debias,
    of_changed,
    orders_swapped,
    over_claimed,
    strong_adversary,
)
from repro.p4.debiased_mle.logistic import debiased_logistic
from repro.p4.debiased_mle.response import huber_floor, strong_floor
from repro.p4.debiased_mle.score import (
    CorruptedScore,
    ScoreNoise,
    corruption_term,
    failure_over_delta,
)
from repro.p4.label_cells.assumptions import covered, inside_the_class
from repro.p4.label_cells.choices import CellsChoice, OppositeChoice
from repro.p4.linear_rlhf.two_arms import (
    CellLabels,
    at_one_deviation,
    error_exceeded,
    exact_error,
)

# Worlds: labels of cells and the score's two terms have theirs in repro/p4/debiased_mle -----------


@dataclass(frozen=True, kw_only=True)
class OneHotPairs:
    """All pairs of d one-hot features, equally likely.

    Attributes:
        num_features: d.
    """

    num_features: Count


@dataclass(frozen=True, kw_only=True)
class FewLabels:
    """n labels of one pair with ‖x‖ = 1, so that ξ = 1; no privacy and no corruption.

    Attributes:
        n_pairs: n.
        margin: ⟨x, θ_true⟩.
        reward_bound: B′.
        log_inverse_delta: ln(1/δ).
    """

    n_pairs: Pairs
    margin: Positive
    reward_bound: RewardBound
    log_inverse_delta: Positive

    @property
    def errors(self) -> np.ndarray:
        """(n+1,) ‖θ̂ − θ_true‖₂ of each dataset: 0 to n wins."""
        wins = torch.arange(self.n_pairs + 1, dtype=torch.float64)[:, None] / self.n_pairs
        x = torch.ones(1, 1, dtype=torch.float64)
        fitted = debiased_logistic(x, torch.ones_like(wins), wins, self.reward_bound)
        return (fitted[:, 0] - self.margin).abs().numpy()

    def bound(self, one: float) -> float:
        """√((one + ln(1/δ))/n)/(γξ), with constant 1."""
        slope = 1 / (2 + 2 * math.cosh(self.reward_bound))
        return math.sqrt((one + self.log_inverse_delta) / self.n_pairs) / slope


# What is claimed of a world -----------------------------------------------------------------------


def strong_response(world: PairLabels) -> float:
    """ζα·max_c ‖H⁻¹x_c‖."""
    return strong_floor(world.stated, world.corruption, world.flip_worth)


def floor_of_norm_two(world: PairLabels) -> float:
    """2ζα/(γ(2B′)·ξ): Theorem 5.7's floor for x/2 and 2θ, with constant 1."""
    cells = world.stated
    twice = 2 * cells.radius
    slope = 1 / (2 + math.exp(twice) + math.exp(-twice))
    return 2 * world.moved / (slope * cells.min_eigenvalue)


def huber_response(world: PairLabels) -> float:
    """Huber's floor to first order."""
    return huber_floor(world.stated, world.corruption, world.flip_worth)


def moved(world: CorruptedScore) -> float:
    """ζα."""
    return world.moved


def exceeded(world: CellLabels) -> float:
    """s·z_{δ/2}."""
    return error_exceeded(world, world.margin)


# Algorithms: Algorithm 1 and its wrong versions change the world; the claims' constants -----------

norm_too_large = named("norm_too_large", failure_over_delta, weighted=False)
a_third_of_the_constant = named(
    "a_third_of_the_constant",
    failure_over_delta,
    "a third of the constant C",
    weighted=False,
    share=1 / 3,
)


def x_of_norm_2(world: CorruptedScore) -> CorruptedScore:
    """Wrong: ‖x‖ = 2, as ‖φ‖ ≤ 1 allows."""
    return replace(world, length=2.0)


def half_features(world: PairLabels) -> PairLabels:
    """Wrong: φ/2 and −φ/2, so that ‖x‖ = 1, as Remark 5.2 has it "for simplicity"."""
    bound = world.stated.radius
    cell = CellsChoice(kind="cells", num_features=1, min_eigenvalue=0.5, reward_diff=bound,
                       reward_bound=bound)  # fmt: skip
    return replace(world, instance=cell)


def largest_error_with_the_one(world: FewLabels) -> float:
    """The largest error of a dataset over the bound with Claim E.3's 1."""
    return float(world.errors.max()) / world.bound(1.0)


def least_error_as_printed(world: FewLabels) -> float:
    """Wrong: the 1 is lost, and even the least error of a dataset is above the bound."""
    return float(world.errors.min()) / world.bound(0.0)


def on_complement(world: OneHotPairs) -> float:
    """1/((d−1)·λ_min) on {⟨1, θ⟩ = 0}."""
    return one_hot_coverage_ratio(world.num_features, on_complement=True)


def on_all_of_rd(world: OneHotPairs) -> float:
    """Wrong: λ_min over all directions."""
    return one_hot_coverage_ratio(world.num_features, on_complement=False)


# Quantities ---------------------------------------------------------------------------------------


def tail(world: CellLabels, change: Algorithm, rng: np.random.Generator, replicates: int) -> float:
    """What the error exceeds with probability δ."""
    return exact_error(change(world), world.margin)


NOISE = of_changed("‖θ̂ − θ_true‖₂ without corruption", estimation_floor)
TAIL = Quantity("|error| exceeded with probability δ / s·z_{δ/2}", tail, evidence="exact",
                over=exceeded)  # fmt: skip
OVER_CLAIMED = "‖θ̂ − θ_true‖₂ of n → ∞ labels / claimed"
FLOOR = over_claimed(OVER_CLAIMED, estimation_floor, strong_response)
FLOOR_OF_NORM_TWO = over_claimed(OVER_CLAIMED, estimation_floor, floor_of_norm_two)
HUBER_FLOOR = over_claimed(OVER_CLAIMED, estimation_floor, huber_response)
E3 = Quantity("P(Claim E.3 fails) / δ", of_world, evidence="computed")
OVER_BOUND = Quantity("‖θ̂ − θ_true‖₂ of a dataset / bound", of_world, evidence="computed")
LEAST_OVER_BOUND = Quantity("least ‖θ̂ − θ_true‖₂ of a dataset / printed bound", of_world,
                            evidence="computed")  # fmt: skip
E4 = over_claimed("‖(1/n)Σbx‖₂ of n → ∞ labels / ζα", corruption_term, moved)
ONE_HOT = Quantity("1/((d−1)·λ_min)", of_world, evidence="computed")

# The claims ---------------------------------------------------------------------------------------

NOT_ESTIMATED: dict[str, str] = dict.fromkeys(
    ("estimate", "algorithm"), "a bound on the score at the truth: nothing is estimated"
)


def check(
    name: str, axis: str, claim: Claim, quantity: Quantity, wrong: Sequence[Algorithm],
    right: Algorithm = algorithm_1, **more: Any,
) -> Check:  # fmt: skip
    """A check of Algorithm 1, unless it says otherwise."""
    return Check(name=name, axis=axis, claim=claim, quantity=quantity, right=right, wrong=wrong,
                 **more)  # fmt: skip


CHECKS = [
    check("noise_n_pairs", "n_pairs", Slope("noise {rate}", -0.5), NOISE, [no_debias]),
    check("noise_privacy_cost", "privacy_cost", Slope("noise {rate}", 1), NOISE, [no_debias]),
    check("ltc_corruption", "corruption",
          Ratio("LTC: floor = c(ε)·α·max‖H⁻¹x‖ ≤ c(ε)·α/(γξ), along α"), FLOOR,
          [no_debias, orders_swapped]),
    check("ctl_corruption", "corruption",
          Ratio("CTL: floor = α·max‖H⁻¹x‖ ≤ α/(γξ), along α"), FLOOR,
          [no_debias, orders_swapped]),
    check("ltc_privacy_cost", "privacy_cost", Ratio("LTC: floor = c(ε)·α·max‖H⁻¹x‖, along c"),
          FLOOR, [orders_swapped]),
    check("ctl_privacy_cost", "privacy_cost", Ratio("CTL: floor = α·max‖H⁻¹x‖, free of ε"),
          FLOOR, [orders_swapped]),
    check("noise_reward_bound", "reward_bound", Slope("noise ∝ 1/γ, that is {rate}′", 1), NOISE,
          [no_debias], keeps=["epsilon"]),
    check("log_inverse_delta", "log_inverse_delta",
          Ratio("one cell: error exceeded w.p. δ = z_{δ/2}·c(ε)√(r(1−r)/(nξ))/σ′, √(2ln(1/δ))"),
          TAIL, [at_one_deviation]),
    check("noise_isotropic", "min_eigenvalue", Slope("noise {rate} where ξ = 1/d", -1), NOISE,
          [no_debias]),
    check("ltc_floor", "min_eigenvalue",
          Ratio("LTC, strong adversary: floor = c(ε)·α/(γξ), along ξ"), FLOOR,
          [huber_adversary]),
    check("ctl_floor", "min_eigenvalue", Ratio("CTL, strong adversary: floor = α/(γξ), along ξ"),
          FLOOR, [huber_adversary]),
    check("norm_two", "reward_bound",
          Ratio("‖x‖ = 2, LTC: floor = 2c(ε)·α/(γ(2B′)·ξ), not c(ε)·α/(γ(B′)·ξ)"),
          FLOOR_OF_NORM_TWO, [half_features, no_debias, orders_swapped]),
    check("huber_floor", "min_eigenvalue",
          Ratio("LTC, Huber: floor = √2·α(c(ε)+|h|)/(2γ), free of ξ"), HUBER_FLOOR,
          [strong_adversary]),
    check("claim_e3", "num_features",
          Inequality("‖(1/n)Σηx‖₂ ≤ C·√((1+ln(1/δ))/n) w.p. ≥ 1−δ, exactly"), E3,
          [a_third_of_the_constant], norm_too_large, settles=["p4.claim_e_3"]),
    check("claim_e4", "corruption",
          Ratio("Claim E.4: ‖(1/n)Σbx‖₂ ≤ ζα, attained", tolerance=1e-6), E4,
          [x_of_norm_2, no_debias, orders_swapped], settles=["p4.claim_e_4"],
          blind=NOT_ESTIMATED),
    check("delta_near_one", "log_inverse_delta",
          Inequality("six labels, δ near 1: every error ≤ √((1+ln(1/δ))/n)/(γξ)"), OVER_BOUND,
          [least_error_as_printed], largest_error_with_the_one),
    check("delta_near_one_printed", "log_inverse_delta",
          Slope("six labels, δ near 1, as printed: least error / bound {rate}", 0, "at_least"),
          LEAST_OVER_BOUND, [], least_error_as_printed, expected="contradicted",
          why="the 1 of Claim E.3's √((1+ln(1/δ))/n) is lost"),
    check("one_hot_coverage", "num_features",
          Inequality("uniform one-hot pairs: λ_min = 1/(d−1) on {⟨1,θ⟩ = 0}"), ONE_HOT,
          [on_all_of_rd], on_complement),
]  # fmt: skip


def assumes(swept: SweptCheck):
    """Definition 5.1 and Assumption 5.6 (on the complement of 1), and n ≥ 8·ln(d/δ)/ξ."""
    for end in (0, -1):
        world = swept.sweep.worlds[end]
        if isinstance(world, PairLabels):
            for name, holds, detail in _assumed(world, swept.failure_prob):
                yield f"at {swept.sweep.grid[end]:g}: {name}", holds, detail


def _assumed(world: PairLabels, failure_prob: float):
    cells = world.stated
    features = cells.feature_diff.shape[1]
    enough = 8 * math.log(features / failure_prob) / max(cells.min_eigenvalue, 1e-300)
    infinite = world.n_pairs == 0
    yield covered(cells)
    yield "enough labels", infinite or world.n_pairs >= enough, f"n ≥ {enough:.3g}"
    opposite = isinstance(world.instance, OppositeChoice)
    yield from inside_the_class(cells, longest=2.0 if opposite else 1.0)


THEOREM = Theorem(
    title="P4 Theorem 5.7: private and robust estimation in the L2 norm",
    settles=["p4.thm_5_7"],
    checks=CHECKS,
    corrected={"delta_near_one_printed": "delta_near_one"},
    worlds={
        "sampled": SampledPairs, "infinite": PairLabels, "one_cell": CellLabels,
        "noise": ScoreNoise, "score": CorruptedScore, "few": FewLabels, "one_hot": OneHotPairs,
    },
    assumes=assumes,
)  # fmt: skip
