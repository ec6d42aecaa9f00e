"""One state, three responses, two policies: the world on which β must follow α (Theorem 2).

The responses a and b are alike and covered; c is bad and rare.  The second policy prefers c, and a
to b by as much as a Huber adversary can make it seem.  Theorems and proofs:
docs/explanations/price_of_adaptivity.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from repro.families.chipo.algorithms_policy import chipo_policy

VALUE_BOUND = 2.0
"""V_max: by as much the second policy prefers c to b.  R_max is 1."""
TRUE_REWARD = np.array([1.0, 1.0, 0.0])
"""Of a, b and c."""
CELLS = 3
"""Pairs that tell: a against b, c against a, c against b."""


@dataclass(frozen=True)
class RareBadArm:
    """What the adversary and the class are built from.

    Attributes:
        bad_reference: w = π_ref(c); a and b share the rest.
        imitated: x, the reward difference of a and b under the second policy.
    """

    bad_reference: float
    imitated: float

    @property
    def reference(self) -> np.ndarray:
        """(3,) π_ref."""
        covered = (1 - self.bad_reference) / 2
        return np.array([covered, covered, self.bad_reference])

    @property
    def coverage(self) -> float:
        """C^π* of the comparator that plays a: 2/(1−w)."""
        return 2 / (1 - self.bad_reference)

    @property
    def rewards(self) -> np.ndarray:
        """(2, 3) implicit rewards of the class: the truth, then the second policy's."""
        return np.array([TRUE_REWARD, [self.imitated, 0.0, VALUE_BOUND]])

    @property
    def means(self) -> np.ndarray:
        """(2, 3) tanh(Δ/2) of either reward in the three cells; none is clipped at 2·R_max = 2."""
        first, second, third = self.rewards.T
        return np.tanh(np.stack([first - second, third - first, third - second], axis=1) / 2)

    @property
    def cell_prob(self) -> np.ndarray:
        """(3,) chance that two draws from π_ref are the pair of a cell."""
        covered, _, bad = self.reference
        return 2 * np.array([covered**2, covered * bad, covered * bad])

    def policy(self, kl_weight: float | np.ndarray, reward: np.ndarray) -> np.ndarray:
        """(..., 3) policies of a reward at every β; the gap J(π*) − J(π) is what they give to c."""
        return chipo_policy(self.reference, reward, np.array(kl_weight))


def unsaturated(bias: float, gain: float, loss: float) -> RareBadArm:
    """The world in which imitation gains twice of what the pairs with c lose.

    Args:
        bias: by how much the adversary moves the mean of a debiased label: α, or c·α under LTC.
        gain: expected loss that the second policy saves on a pair (a, b).
        loss: expected loss that it costs on a pair with c.
    """
    odds = gain / (8 * loss)
    return RareBadArm(odds / (1 + odds), 2 * float(np.arctanh(bias)))


def imitate(truth: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The adversary: of two equally good responses the first wins; other labels are put back."""
    return np.where(truth == 0, 1.0, seen)
