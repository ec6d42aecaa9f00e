"""P2 Theorem C.3 and the tuning of Theorem 5.3: factors and indices of the proof.

Theorem C.3 supposes eq. (6), γ·E[log π − log π*] + κ·E(f − f*)² ≲ err/(t−1) + …, and bounds the
gap; Theorem 5.3 sets η and γ in it. (The sign of Lemma C.4 is ``p2_optimism_lemmas``'s.)

* ``count``: Lemma C.4 prints κ·E(f − f*)² where eq. (6), which is right, needs (t−1)·κ·E(f − f*)²
  of it: a misprint. With π* in the class the likelihood's maximiser has, by the counted form, an
  error of at most err/(κ(t−1)), and its error, on simulated labels and over a grid of f, is a fixed
  share of that for every t.  Without the count the lemma is weaker (and true), but what it leaves
  does not fall, and the error over it does (``count_printed``).
* ``update_weight``: the regret decomposition spends (η/2)(t−1)·E(δ²), and eq. (6) times β/γ pays
  (βκ/γ)·E(δ²): η = βκ/(γT) pays for t ≤ T. Printed is βκ/(αT), α the corruption: too large for α <
  γ/2, and undefined at α = 0, which the theorem allows (``update_weight_printed``).
* ``free_step``: the statement of Theorem C.3 leaves η free, and is false so: one state, two
  responses, R = V = 1, β = ½, π_ref even, the wrong policy in every round after π_ref, γ =
  2κRβ√(T/log(|Π|T/δ)).  Eq. (6) holds in every round (an assumption of the run), and even π_ref,
  the best iterate, has a gap that stays, where the right side at its best η falls like √(log T/T).
  At the η = βκ/(γT) of the proof of Theorem 4.8, which eq. (6) pays for, it does not
  (``paid_step``, at R = V = .8).
* ``guarantee``: γ of the proof contains t·α² with t free, though γ is an input of Algorithm 4.
  With T·α² the right side of Theorem C.3 is of the stated order in T; with t = 1 (control) it
  grows like √T once T·α² ≫ c²·log|Π|.

The contradicted checks are misprints in steps of a proof, read as they stand, or a free letter, and
speak for that step alone; Theorem 5.3 stands with the corrected ones (``square_xpo`` measures its
conclusion).  What would refute the corrected checks: a ratio above 1, an error that falls at
another rate than the count, or a guarantee that grows in T.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from repro.base.notation import flip_prob, label_signal, privacy_cost
from repro.base.schema import Corruption, Epsilon, KLWeight, Pairs, Positive
from repro.core.check import Check, Quantity, Theorem, at_both_ends, named, of_world
from repro.core.claims import Inequality, Slope
from repro.labels.preferences.label_law import on_arrays, released
from repro.worlds.instances.labelled import PrivateLabels

# Theorem C.3 at R = V: logarithms are one number, ≲ is read with constant 1 -----------------------


def slope_margin(bounds: float) -> float:
    """κ = (8(R_max + V_max)e^(2R_max))⁻²."""
    return (8 * 2 * bounds * math.exp(2 * bounds)) ** -2


def right_side(
    bounds: float, coverage: float, horizon: float, log_class: float, step: float, noise: float
) -> float:
    """Of Theorem C.3.

    Args:
        bounds: R_max = V_max.
        coverage: C_cov(Π).
        horizon: T.
        log_class: log(|Π|T/δ).
        step: η.
        noise: (β/γ)·Σ err/(t−1).
    """
    return (
        bounds / horizon
        + coverage * math.log(horizon) / (step * horizon)
        + step * bounds**2
        + noise / horizon
        + 2 * bounds * math.sqrt(log_class / horizon)
    )


# The tuning ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """What the proof of Theorem 5.3 under CTL fixes before the run.

    Attributes:
        epsilon: budget of the labels.
        corruption: α.
        horizon: T ≥ 3.
        kl_weight: β.
        log_class: log(|Π|T/δ).
        bounds: R_max = V_max.
        coverage: C_cov(Π).
    """

    epsilon: Epsilon
    corruption: Corruption
    horizon: Positive
    kl_weight: KLWeight
    log_class: Positive
    bounds: Positive
    coverage: Positive

    @property
    def margin(self) -> float:
        """κ."""
        return slope_margin(self.bounds)

    def statistical_error(self, rounds: float) -> float:
        """err = c²·log(|Π|T/δ) + t·α² after t rounds (Lemma D.2, CTL)."""
        return privacy_cost(self.epsilon) ** 2 * self.log_class + rounds * self.corruption**2

    def optimism(self, rounds: float) -> float:
        """γ = √(βκ·β·err/(T·C_cov)), with err at t = rounds: the proof prints a free t."""
        spread = self.horizon * self.coverage
        return self.kl_weight * math.sqrt(self.margin * self.statistical_error(rounds) / spread)

    def step(self, printed: bool) -> float:
        """η = βκ/(αT) as printed; βκ/(γT) as the proof of Theorem 4.8 has it."""
        scale = self.corruption if printed else self.optimism(self.horizon)
        return self.kl_weight * self.margin / (scale * self.horizon)

    def step_share(self, printed: bool) -> float:
        """η(t−1)/2 at t = T over βκ/γ: at most 1, or eq. (6) does not cover the squared term."""
        allowed = self.kl_weight * self.margin / self.optimism(self.horizon)
        return self.step(printed) * (self.horizon - 1) / 2 / allowed

    def guarantee(self, rounds: float) -> float:
        """Right side of Theorem C.3 at η = βκ/(γT), γ with err at t = rounds."""
        gamma = self.optimism(rounds)
        eta = self.kl_weight * self.margin / (gamma * self.horizon)
        constant = privacy_cost(self.epsilon) ** 2 * self.log_class * math.log(self.horizon)
        noise = self.kl_weight * (constant + self.horizon * self.corruption**2) / gamma
        return right_side(self.bounds, self.coverage, self.horizon, self.log_class, eta, noise)

    def stated(self) -> float:
        """(V+R)e^(2R)·log T·√C_cov·(c·√(log(|Π|T/δ)/T) + α), the rate of Theorem 5.3, CTL."""
        noise = privacy_cost(self.epsilon) * math.sqrt(self.log_class / self.horizon)
        scale = 2 * self.bounds * math.exp(2 * self.bounds) * math.sqrt(self.coverage)
        return scale * math.log(self.horizon) * (noise + self.corruption)


def share(world: Tuning, printed: bool) -> float:
    """What η spends of what eq. (6) pays for."""
    return world.step_share(printed)


def whole_horizon(world: Tuning) -> float:
    """The bound of Theorem C.3 with err at t = T, over the rate of Theorem 5.3."""
    return world.guarantee(world.horizon) / world.stated()


def first_round(world: Tuning) -> float:
    """Wrong: with err at t = 1."""
    return world.guarantee(1.0) / world.stated()


printed = named("printed", share, "η = βκ/(αT), as printed, not βκ/(γT)", printed=True)
corrected = named("corrected", share, printed=False)

# The count of Lemma C.4 ---------------------------------------------------------------------------

TRUTH, LARGEST, STEPS = 1.2, 3.0, 24001
LOG_CLASS = 10.0
"""log(|Π|T/δ), one number as in ``Tuning``."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Maximiser(PrivateLabels):
    """t − 1 rounds of pairs from π_ref ⊗ π_ref, π_ref uniform on two responses.

    f_π, the implicit reward difference of the two responses, is on a grid of [−3, 3] that holds
    f* = 1.2; half of the pairs hold two different responses.

    Attributes:
        horizon: t − 1.
    """

    horizon: Pairs

    def more_labels(self, other: PrivateLabels) -> float:
        """T is the statement's own: nothing is scaled."""
        return 1.0

    def left(self, counted: bool) -> float:
        """What Lemma C.4 leaves of E(f − f*)² for the maximiser: err/κ, over t−1 if counted."""
        margin = (8 * (TRUTH + LARGEST) * math.exp(2 * TRUTH)) ** -2
        allowed = privacy_cost(self.epsilon) ** 2 * LOG_CLASS / margin
        return allowed / self.horizon if counted else allowed


def over_left(
    world: Maximiser, rng: np.random.Generator, replicates: int, flipped: bool, counted: bool
) -> np.ndarray:
    """(R,) the maximiser's squared error over what Lemma C.4 leaves of it."""
    return squared_error(world, rng, replicates, flipped) / world.left(counted)


def squared_error(
    world: Maximiser, rng: np.random.Generator, replicates: int, flipped: bool
) -> np.ndarray:
    """(R,) E_μ(f_π̂ − f*)² of the private likelihood's maximiser, labels flipped or not."""
    grid = np.linspace(-LARGEST, LARGEST, STEPS)
    prob = flip_prob(world.epsilon) + label_signal(world.epsilon) / (1 + np.exp(-grid))
    pairs = np.maximum(rng.binomial(world.horizon, 0.5, replicates), 1)
    labels = on_arrays(world.labels, np.array(1 / (1 + math.exp(-TRUTH))))
    wins = rng.binomial(pairs, float(released(world.channel, labels, world.epsilon)))
    fitted = grid[_nearest(prob, (pairs - wins if flipped else wins) / pairs)]
    return 0.5 * (on_arrays(world.estimate, fitted, np.array(TRUTH)) - TRUTH) ** 2


def _nearest(increasing: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Index of the nearest of some increasing values."""
    right = np.clip(np.searchsorted(increasing, wanted), 1, len(increasing) - 1)
    below = wanted - increasing[right - 1] < increasing[right] - wanted
    return np.where(below, right - 1, right)


with_count = named("with_count", over_left, flipped=False, counted=True)
without_count = named(
    "without_count", over_left, "Lemma C.4 without the factor t − 1", flipped=False, counted=False
)
label_flip = named(
    "label_flip", over_left, "labels are read with the wrong sign", flipped=True, counted=True
)

# The free step of Theorem C.3 ---------------------------------------------------------------------

WEIGHT, ROUNDS_OF_EQ_6 = 0.5, 100
"""β, and rounds at which eq. (6) is looked at."""


@dataclass(frozen=True, kw_only=True)
class WrongEveryRound:
    """One state, two responses, β = ½; after π_ref the wrong policy in every round.

    Attributes:
        epsilon: budget of the labels, in err = c²·log(|Π|T/δ), |Π| = 2, δ = .05.
        horizon: T ≥ 3.
        bounds: R_max = V_max.
    """

    epsilon: Epsilon
    horizon: Annotated[Positive, Field(ge=3)]
    bounds: Positive

    @property
    def margin(self) -> float:
        """κ."""
        return slope_margin(self.bounds)

    @property
    def coverage(self) -> float:
        """C_cov: the larger policy of each response."""
        return 2 / (1 + math.exp(-self.bounds / WEIGHT))

    @property
    def gap(self) -> float:
        """Of π_ref, the best iterate."""
        return WEIGHT * math.log(math.cosh(self.bounds / (2 * WEIGHT)))

    @property
    def log_class(self) -> float:
        """log(|Π|T/δ)."""
        return math.log(2 * self.horizon / 0.05)

    @property
    def optimism(self) -> float:
        """γ = 2κRβ√(T/log(|Π|T/δ))."""
        return 2 * self.margin * self.bounds * WEIGHT * math.sqrt(self.horizon / self.log_class)

    @property
    def eq_6(self) -> float:
        """Largest left over right side of eq. (6), with constant 1 and nothing of err.

        E_ref[log π − log π*] is 0 by symmetry, and f − f* is ±2R on half of the pairs of any μ
        with τ̃ from π_ref.
        """
        rounds = np.linspace(2, self.horizon, ROUNDS_OF_EQ_6)
        paid = self.optimism * self.bounds / WEIGHT * np.sqrt(self.log_class / (rounds - 1))
        return float((self.margin * 0.5 * (2 * self.bounds) ** 2 / paid).max())

    def right_side(self, step: float) -> float:
        """Of Theorem C.3 at η."""
        err = privacy_cost(self.epsilon) ** 2 * self.log_class
        noise = WEIGHT * err * (math.log(self.horizon) + 1) / self.optimism
        return right_side(self.bounds, self.coverage, self.horizon, self.log_class, step, noise)


def free_step(world: WrongEveryRound) -> float:
    """Wrong: η is free, and the right side is taken at its best η."""
    best = math.sqrt(world.coverage * math.log(world.horizon) / world.horizon) / world.bounds
    return world.gap / world.right_side(best)


def paid_step(world: WrongEveryRound) -> float:
    """The gap over the right side at η = βκ/(γT)."""
    return world.gap / world.right_side(WEIGHT * world.margin / (world.optimism * world.horizon))


def premise(world: WrongEveryRound):
    """Eq. (6) holds in every round."""
    yield "eq. (6) holds", world.eq_6 <= 1 + 1e-9, f"left over right side {world.eq_6:.4g}"


# The claims --------------------------------------------------------------------------------------

OVER_LEFT = Quantity("E(f_π̂ − f*)² / what Lemma C.4 leaves")
SHARE = Quantity("η(T−1)/2 / (βκ/γ)", of_world, evidence="computed")
GUARANTEE = Quantity("bound of C.3 / rate of 5.3", of_world, evidence="computed")
OVER_C_3 = Quantity("gap of π_ref / bound of C.3", of_world, evidence="computed")
C_4, EQ_6 = "p2.lem_c_4", "p2.eq_6"
TUNING: Any = {"settles": ["p2.app_d_tuning"]}
FREE: Any = {"axis": "horizon", "quantity": OVER_C_3, "settles": ["p2.thm_c_3"]}

CHECKS = [
    Check(name="count_printed", axis="horizon", quantity=OVER_LEFT, right=without_count,
          claim=Slope("eq. (6) from C.4 without (t−1): error over what is left {rate}", 0,
                      symbol="t"),
          settles=[C_4], expected="contradicted",
          why="without the count what is left does not fall, and the error does"),
    Check(name="count", axis="horizon", quantity=OVER_LEFT, right=with_count,
          wrong=[without_count, label_flip], settles=[C_4, EQ_6],
          claim=Slope("eq. (6) from C.4 with (t−1): error over what is left {rate}", 0,
                      symbol="t")),
    Check(name="free_step", right=free_step, expected="contradicted", **FREE,
          claim=Inequality("Theorem C.3 at its best η: gap ≤ the right side"),
          why="η is free in the statement; eq. (6) pays for η ≤ 2βκ/(γ(T−1)) only"),
    Check(name="paid_step", right=paid_step, wrong=[free_step], **FREE,
          claim=Inequality("Theorem C.3 at η = βκ/(γT): gap ≤ the right side")),
    Check(name="update_weight_printed", axis="corruption", quantity=SHARE, right=printed,
          claim=Inequality("η = βκ/(αT) leaves what eq. (6) pays for"), expected="contradicted",
          why="α < γ/2 makes the step too large", **TUNING),
    Check(name="update_weight", axis="corruption", quantity=SHARE, right=corrected,
          wrong=[printed], claim=Inequality("η = βκ/(γT) leaves what eq. (6) pays for"), **TUNING),
    Check(name="guarantee", axis="horizon", quantity=GUARANTEE, right=whole_horizon,
          wrong=[first_round],
          claim=Slope("γ with T·α²: bound over stated rate {rate}", 0, "at_most"), **TUNING),
]  # fmt: skip

# α < ½, and Assumptions 4.5 and 4.6 hold by construction.
THEOREM = Theorem(
    title="P2 Theorem C.3 and the tuning of Theorem 5.3: (t−1), η and γ",
    checks=CHECKS,
    corrected={
        "count_printed": "count",
        "free_step": "paid_step",
        "update_weight_printed": "update_weight",
    },
    worlds={"tuning": Tuning, "maximiser": Maximiser, "wrong_every_round": WrongEveryRound},
    assumes=at_both_ends(premise, of=WrongEveryRound),
)
