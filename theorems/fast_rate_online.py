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
(``repro.p1.pokl.rate``).  The floor of LTC is what is left without that closed form, which is
∝ c(ε)², too.

Contradicted as printed: the corruption terms cannot be divided by T (checks ``corrupted_ctl`` and
``corrupted_ltc``, where the gap stops falling; runs count whose last iterate is better than the
first).  No algorithm escapes: with h = tanh(Δ/2), rewards with h₁ = h and h₂ = h·(1−α) − α in a
comparison give the same corrupted label mean (an adversary on the first, none on the second), so at
every T some one of them has a gap of at least the minimax value of the pair, a positive constant
that is ∝ α² (check ``indistinguishable_pair``: the exact minimax value over all policies).  All
assumptions hold: linear rewards, realizable, an oblivious adversary within the Huber budget.
Corrected form: d/β·(c(ε)²·log(|G|T/δ)/T + α²) under CTL, c(ε)²·α² under LTC.
"""

import math
from dataclasses import replace

import numpy as np
import scipy
from scipy.special import expit, logit

from repro.core.check import Check, Quantity, Theorem, at_both_ends, named, of_world
from repro.core.claims import Ratio, Slope
from repro.labels.corruption.label_mean import LabelMean
from repro.p1.pokl.algorithms import epsilon_overstated, inverted_kl_weight, naive_labels, pokl
from repro.p1.pokl.assumptions import realizable
from repro.p1.pokl.curves import BEYOND_BONUS, RegretCurve, last, of_curve, total_limit
from repro.p1.pokl.run import OnlineRun

# The bound ---------------------------------------------------------------------------------------


def minimax_gap(corruption: float, reward_gap: float, kl_weight: float) -> float:
    """min over policies of the larger gap on two indistinguishable two-response bandits.

    With reward difference Δ₁ clean labels have mean h₁ = tanh(Δ₁/2); an adversary with share α
    makes it (1−α)h₁ − α, which is the clean mean of Δ₂ = 2·artanh((1−α)h₁ − α).  Labels have the
    same law on both, so whatever a learner plays after T rounds has this gap on one of them, in
    mean over its draws by convexity of the gap.  π_ref is uniform.

    Args:
        corruption: α in [0, 1/2).
        reward_gap: Δ₁ > 0.
        kl_weight: weight of KL.
    """
    mean = (1 - corruption) * math.tanh(reward_gap / 2) - corruption
    first, second = (expit(x / kl_weight) for x in (reward_gap, 2 * math.atanh(mean)))
    if first - second < 1e-15:
        return 0.0

    def excess(policy: float) -> float:
        return _divergence(policy, first) - _divergence(policy, second)

    balanced = expit(scipy.optimize.brentq(lambda x: excess(expit(x)), logit(second), logit(first)))
    return kl_weight * _divergence(balanced, first)


def _divergence(p: float, q: float) -> float:
    """KL(p‖q) of two Bernoulli laws."""
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


# Algorithms: what the learner is told, and the least that any can have ---------------------------


def any_algorithm(world: OnlineRun) -> float:
    """The least gap that a learner can have on the worse of two indistinguishable rewards."""
    linear, share = world.linear, world.adversary(world.corruption)(LabelMean()).offset
    return minimax_gap(share, linear.reward_bound / 4, linear.kl_weight)


def squared_budget(world: OnlineRun) -> float:
    """Wrong: α is taken for the square of the budget."""
    return any_algorithm(replace(world, corruption=math.sqrt(world.corruption)))


corrupted_ctl, corrupted_ltc = named("corrupted_ctl", pokl), named("corrupted_ltc", pokl)


def other_order(world: OnlineRun) -> OnlineRun:
    """Wrong: the adversary acts on the other side of the randomizer."""
    return replace(world, order=world.order.swapped)


# The claims --------------------------------------------------------------------------------------


def scaled_gap(world: OnlineRun, curve: RegretCurve):
    """(R,) T times the gap of the policy after T labels."""
    return world.horizon * curve.regret[-1]


def learnt(world: OnlineRun, curve: RegretCurve) -> np.ndarray:
    """(R,) gaps of the last iterate; NaN where they are no less than before the first label."""
    before, after = curve.regret[0], curve.regret[-1]
    return after if after.mean() < before.mean() else np.full_like(after, np.nan)


GAP = of_curve("gap of the last iterate, of who has learnt [reward]", learnt)
BY_CORRUPTION = of_curve("gap of the last iterate beyond privacy's [reward]", last,
                         less=lambda world: total_limit(world) / world.horizon)  # fmt: skip
GAP_OVER_LIMIT = of_curve("T · gap of the last iterate / closed form", scaled_gap,
                          over=total_limit)  # fmt: skip
LEAST_GAP = Quantity("gap on the worse reward of a pair [reward]", of_world, evidence="computed")
FLOORS = "a Huber adversary leaves a floor that no number of labels removes"

PRIVATE = [
    Check(name="horizon", axis="horizon",
          claim=Slope("private: gap {rate} beyond the bonus's own", -1), quantity=BEYOND_BONUS,
          right=pokl, wrong=[naive_labels, epsilon_overstated]),
    Check(name="privacy_cost", axis="privacy_cost",
          claim=Ratio("private: T·gap → closed form, ∝ c(ε)²"), quantity=GAP_OVER_LIMIT,
          right=pokl, wrong=[naive_labels]),
    Check(name="kl_weight", axis="kl_weight",
          claim=Ratio("private: T·gap → closed form, ∝ 1/β"), quantity=GAP_OVER_LIMIT,
          right=pokl, wrong=[inverted_kl_weight]),
]  # fmt: skip
CORRUPTED = [
    Check(name="corrupted_ctl", axis="horizon",
          claim=Slope("CTL as printed: gap {rate}", -1, "at_most", tolerance=0.1), quantity=GAP,
          right=corrupted_ctl, expected="contradicted", why=FLOORS),
    Check(name="corrupted_ltc", axis="horizon",
          claim=Slope("LTC as printed: gap {rate}", -1, "at_most", tolerance=0.1), quantity=GAP,
          right=corrupted_ltc, expected="contradicted", why=FLOORS),
    Check(name="indistinguishable_pair", axis="corruption",
          claim=Slope("CTL, any algorithm: gap {rate}", 2, tolerance=0.1), quantity=LEAST_GAP,
          right=any_algorithm, wrong=[squared_budget]),
    Check(name="floor_cost_ltc", axis="privacy_cost",
          claim=Slope("LTC, large T: the floor is {rate} beyond privacy's own gap", 2,
                      tolerance=0.1),
          quantity=BY_CORRUPTION, right=corrupted_ltc,
          wrong=[named("corrupted_ctl", other_order)]),
]  # fmt: skip

THEOREM = Theorem(
    title="P2 Proposition E.2: fast rates of online alignment",
    settles=["p2.prop_e_2"],
    checks=[*PRIVATE, *CORRUPTED],
    corrected={
        "corrupted_ctl": "indistinguishable_pair",
        "corrupted_ltc": "floor_cost_ltc",
    },
    worlds={"run": OnlineRun},
    assumes=at_both_ends(realizable),
)
