"""P2 Theorem C.3 and the tuning of Theorem 5.3: factors and indices of the proof.

Theorem C.3 supposes eq. (6), γ·E[log π − log π*] + κ·E(f − f*)² ≲ err/(t−1) + …, and bounds the
gap; Theorem 5.3 sets η and γ in it. (The sign of Lemma C.4 is ``p2_optimism_lemmas``'s.)

* ``count``: Lemma C.4 prints κ·E(f − f*)² where eq. (6), which is right, needs (t−1)·κ·E(f − f*)²
  of it: a misprint. What holds is the counted form: with π* in the class, E(f_π̂ − f*)² of the
  likelihood's maximiser falls like 1/t (``count_measured``, over a grid of f). Without the count
  the lemma is weaker (and true), but leaves a bound that does not fall at all (``count_printed``,
  the bound; all of eq. (6)'s premises hold in it).
* ``update_weight``: the regret decomposition spends (η/2)(t−1)·E(δ²), and eq. (6) times β/γ pays
  (βκ/γ)·E(δ²): η = βκ/(γT) pays for t ≤ T. Printed is βκ/(αT), α the corruption: too large for α <
  γ/2, and undefined at α = 0, which the theorem allows (``update_weight_printed``).
* The statement of Theorem C.3 leaves η free, and is false so (``p2.free_step_of_theorem_c_3``):
  with the wrong policy in every round and γ = 2κRβ√(T/log) eq. (6) holds and the gap stays, but the
  right side at its best η falls with T.  The proof of Theorem 4.8 takes η = βκ/(γT).
* ``guarantee``: γ of the proof contains t·α² with t free, though γ is an input of Algorithm 4.
  With T·α² the right side of Theorem C.3 is of the stated order in T; with t = 1 (control) it
  grows like √T once T·α² ≫ c²·log|Π|.

The contradicted rows are misprints in steps of a proof, read as they stand, and speak for that step
alone; Theorem 5.3 stands with the corrected ones (``square_xpo`` measures its conclusion).  What
would refute the corrected rows: a ratio above 1, or a guarantee that grows in T.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from repro.base.notation import flip_prob, label_signal, privacy_cost
from repro.base.schema import Corruption, Epsilon, KLWeight, Pairs, Positive
from repro.core.check import Check, Quantity, Theorem, named, of_world
from repro.core.claims import Inequality, Slope
from repro.instances.labelled import PrivateLabels
from repro.preferences.label_law import on_arrays

# The tuning: logarithms are one number, ≲ is read with constant 1 ---------------------------------


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
        """κ = (8(R_max + V_max)e^(2R_max))⁻²."""
        return (8 * 2 * self.bounds * math.exp(2 * self.bounds)) ** -2

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
        log_horizon, gamma = math.log(self.horizon), self.optimism(rounds)
        eta = self.kl_weight * self.margin / (gamma * self.horizon)
        constant = privacy_cost(self.epsilon) ** 2 * self.log_class * log_horizon
        squared = constant + self.horizon * self.corruption**2
        optimism = 2 * self.bounds * math.sqrt(self.log_class / self.horizon)
        return (
            self.bounds / self.horizon
            + self.coverage * log_horizon / (eta * self.horizon)
            + eta * self.bounds**2
            + self.kl_weight * squared / (gamma * self.horizon)
            + optimism
        )

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


printed = named("printed", share, printed=True)
corrected = named("corrected", share, printed=False)

# The count of Lemma C.4 ---------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Rounds:
    """What Lemma C.4 leaves of κ·E(f−f*)² for the likelihood's maximiser, over err.

    Attributes:
        horizon: t − 1.
    """

    horizon: Positive


def with_count(world: Rounds) -> float:
    """(t−1)·κ·E(f − f*)² ≤ err, as eq. (6) needs it."""
    return 1 / world.horizon


def without_count(world: Rounds) -> float:
    """κ·E(f − f*)² ≤ err: the lemma as printed, its sign corrected."""
    return 1.0


TRUTH, LARGEST, STEPS = 1.0, 3.0, 24001


@dataclass(frozen=True, eq=False, kw_only=True)
class Maximiser(PrivateLabels):
    """t − 1 rounds of pairs from π_ref ⊗ π_ref, π_ref uniform on two responses.

    f_π, the implicit reward difference of the two responses, is on a grid of [−3, 3] that holds
    f* = 1; half of the pairs hold two different responses.

    Attributes:
        horizon: t − 1.
    """

    horizon: Pairs

    def more_labels(self, other: PrivateLabels) -> float:
        """T is the statement's own: nothing is scaled."""
        return 1.0


def squared_error(
    world: Maximiser, rng: np.random.Generator, replicates: int, flipped: bool
) -> np.ndarray:
    """(R,) E_μ(f_π̂ − f*)² of the private likelihood's maximiser, labels flipped or not."""
    grid = np.linspace(-LARGEST, LARGEST, STEPS)
    prob = flip_prob(world.epsilon) + label_signal(world.epsilon) / (1 + np.exp(-grid))
    clean = torch.tensor(1 / (1 + math.exp(-TRUTH)), dtype=torch.float64)
    pairs = np.maximum(rng.binomial(world.horizon, 0.5, replicates), 1)
    wins = rng.binomial(pairs, float(world.channel(world.labels(clean), world.epsilon)))
    fitted = grid[_nearest(prob, (pairs - wins if flipped else wins) / pairs)]
    return 0.5 * (on_arrays(world.estimate, fitted, np.array(TRUTH)) - TRUTH) ** 2


def _nearest(increasing: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Index of the nearest of some increasing values."""
    right = np.clip(np.searchsorted(increasing, wanted), 1, len(increasing) - 1)
    below = wanted - increasing[right - 1] < increasing[right] - wanted
    return np.where(below, right - 1, right)


maximiser = named("maximiser", squared_error, flipped=False)
label_flip = named("label_flip", squared_error, flipped=True)


# The claims --------------------------------------------------------------------------------------

ERROR = Quantity("κ·E(f − f*)² / err", of_world, evidence="computed")
SHARE = Quantity("η(T−1)/2 / (βκ/γ)", of_world, evidence="computed")
GUARANTEE = Quantity("bound of C.3 / rate of 5.3", of_world, evidence="computed")
MEASURED = Quantity("E(f_π̂ − f*)²")
C_4, EQ_6 = "p2.lem_c_4", "p2.eq_6"
TUNING: Any = {"settles": ["p2.app_d_tuning"]}

CHECKS = [
    Check(name="count_printed", axis="horizon", quantity=ERROR, right=without_count,
          claim=Slope(-1, "eq. (6) from C.4 without (t−1): bound {rate}", "at_most", symbol="t"),
          settles=[C_4], expected="contradicted",
          why="without the count the bound does not fall"),
    Check(name="count", axis="horizon", quantity=ERROR, right=with_count, wrong=[without_count],
          claim=Slope(-1, "eq. (6) from C.4 with (t−1): bound {rate}", symbol="t"),
          settles=[C_4, EQ_6]),
    Check(name="count_measured", axis="horizon", quantity=MEASURED, right=maximiser,
          wrong=[label_flip], settles=[C_4],
          claim=Slope(-1, "the maximiser's error is {rate} indeed", symbol="t")),
    Check(name="update_weight_printed", axis="corruption", quantity=SHARE, right=printed,
          claim=Inequality("η = βκ/(αT) leaves what eq. (6) pays for"), expected="contradicted",
          why="α < γ/2 makes the step too large", **TUNING),
    Check(name="update_weight", axis="corruption", quantity=SHARE, right=corrected,
          wrong=[printed], claim=Inequality("η = βκ/(γT) leaves what eq. (6) pays for"), **TUNING),
    Check(name="guarantee", axis="horizon", quantity=GUARANTEE, right=whole_horizon,
          wrong=[first_round],
          claim=Slope(0, "γ with T·α²: bound over stated rate {rate}", "at_most"), **TUNING),
]  # fmt: skip

# α < ½, and Assumptions 4.5 and 4.6 hold by construction.
THEOREM = Theorem(
    title="P2 Theorem C.3 and the tuning of Theorem 5.3: (t−1), η and γ",
    checks=CHECKS,
    worlds={"tuning": Tuning, "rounds": Rounds, "maximiser": Maximiser},
)
