"""Exact Bayes risk of one state when its reward difference has a cosine prior (van Trees' prior).

Δ = b + a·t, t in (−1, 1) with density cos²(πt/2); m privatised labels compare the state's two
responses, and π*(−1) = σ(β(Δ − b)).  KL(π̂‖π*) is least for the posterior mean of the log odds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from scipy import special

from repro.labels.preferences.label_process import AS_STATED, LabelProcess
from repro.p1.hypercube.risk import WINDOW, binary_kl

NODES = 40
"""Gauss–Legendre nodes of the prior: twice as many change no risk by 1e-6."""


@dataclass(frozen=True)
class CosinePrior:
    """The prior and what is known of the labels.

    Attributes:
        base: b.
        tilt: a > 0.
        kl_weight: 1/β.
        epsilon: budget of the labels.
    """

    base: float
    tilt: float
    kl_weight: float
    epsilon: float

    def bayes_risk(self, pairs: int, process: LabelProcess = AS_STATED) -> float:
        """Least mean gap of any learner that sees m = ``pairs`` private labels of the state.

        Args:
            pairs: m.
            process: what labels are drawn from, who randomizes them, and what is returned for the
                posterior mean.
        """
        place, weight = np.polynomial.legendre.leggauss(NODES)
        weight = weight * np.cos(np.pi * place / 2) ** 2
        log_odds = self.tilt * place / self.kl_weight
        clean = special.expit(self.base + self.tilt * place)
        win = process.released(clean, self.epsilon)
        chance = scipy.stats.binom.pmf(likely_wins(win, pairs)[None, :], pairs, win[:, None])
        joint = weight[:, None] * chance
        total = joint.sum(axis=0)
        mean = np.divide(log_odds @ joint, total, out=np.zeros_like(total), where=total > 0)
        loss = binary_kl(process.returned(mean[None, :], log_odds[:, None]), log_odds[:, None])
        return self.kl_weight * float((joint * loss).sum())


def likely_wins(win: np.ndarray, pairs: int) -> np.ndarray:
    """Numbers of wins of ``pairs`` labels, but those less likely than 2·e^−72 at every ``win``.

    Bernstein's inequality: that is the chance to be more than 12 standard deviations and 100 off.
    """
    radius = WINDOW * np.sqrt(pairs * win * (1 - win)) + 100
    low = max(0, int((pairs * win - radius).min()))
    high = min(pairs, int((pairs * win + radius).max()) + 1)
    return np.arange(low, high + 1)
