"""P1 Lemma A.5 (Duchi et al. 2013, Theorem 1): local privacy contracts divergences.

Statement.  For every ε-locally private Q and all P₁, P₂, the reports' marginals M₁, M₂ have

    KL(M₁‖M₂) + KL(M₂‖M₁) ≤ min{4, e^(2ε)}·(e^ε − 1)²·‖P₁ − P₂‖²_TV,   ‖·‖_TV = ½‖·‖₁.

Testable on any channel: randomized response near a vertex of the simplex, where it is worst, and
random channels with 3 labels and 4 reports, extremal ones among them.  A ratio above 1 would
refute it.  As ε → 0 randomized response attains it (row ``tight``, where
the ratio is e^(−3ε)).  The lemma's ε is the channel's own: a channel with 1.2·ε breaks the bound.
"""

from __future__ import annotations

import math

import numpy as np

from repro.base.schema import Share
from repro.privacy.channels import channel_epsilon, randomized_response
from repro.study.checks import Check
from repro.study.experiment import Setting
from repro.study.legacy import Row, SweepConfig, SweepExperiment
from repro.study.results import AssumptionResult

OVERSTATED = 1.2
LABELS, REPORTS = 3, 4
SPLIT = np.array([[1.0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]])
"""Which reports a label makes likelier."""
SAME_HALF = np.kron(np.eye(2), np.ones((2, 2)))
RATIO = "symmetrised KL of the reports over its bound"

TEN_PERCENT_LESS = 0.9
"""On the right side: a planted lemma whose constant is 10 % too small."""


class KLContractionConfig(SweepConfig):
    """Numbers of the experiment; ``vertex_distance`` is ‖P₁ − P₂‖_TV next to a vertex."""

    vertex_distance: Share


class KLContraction(SweepExperiment):
    """Left-hand side over right-hand side, on worst and on random channels."""

    slug = "kl_contraction"
    title = "P1 Lemma A.5: local privacy contracts divergences"
    statements = ("p1.lem_a_5",)
    instances = ("linear", "preference_text")
    used_overrides = frozenset()
    config_type = KLContractionConfig
    config: KLContractionConfig

    rows = (
        Row("randomized_response", "epsilon_minus_one", "vertex", "randomized_response",
            ("epsilon_overstated", "ten_percent"), RATIO, "randomized response next to a vertex"),
        Row("random_channels", "epsilon_minus_one", "random", "random_channel",
            ("squared_excess_halved", "random_ten_percent"), RATIO,
            "random channels and label distributions"),
        Row("tight", "epsilon_minus_one", "vertex", "randomized_response",
            ("whole_l1_norm",), RATIO, "randomized response attains the bound as ε → 0"),
    )  # fmt: skip

    def __init__(self, config: KLContractionConfig, setting: Setting) -> None:
        super().__init__(config, setting)

    def measure(
        self, check: Check, value: float, rng: np.random.Generator, replicates: int
    ) -> dict[str, np.ndarray]:
        """(replicates,) ratios; random channels differ by replicate."""
        epsilon = math.log1p(value)
        if check.settings["world"] == "random":
            ratio = random_ratios(rng, epsilon, replicates)
            return {
                "random_channel": ratio,
                "squared_excess_halved": 4 * ratio,
                "random_ten_percent": ratio / TEN_PERCENT_LESS,
            }
        return {m: np.full(replicates, self._vertex(m, epsilon)) for m in check.methods}

    def _vertex(self, method: str, epsilon: float) -> float:
        """Randomized response on P₁ = (1, 0) and P₂ = (1 − t, t)."""
        t = self.config.vertex_distance
        own = OVERSTATED * epsilon if method == "epsilon_overstated" else epsilon
        reports = np.array([[1.0, 0.0], [1 - t, t]]) @ randomized_response(own)
        distance = 2 * t if method == "whole_l1_norm" else t
        factor = TEN_PERCENT_LESS if method == "ten_percent" else 1.0
        return float(symmetrised_kl(reports[0], reports[1]) / bound(epsilon, distance) / factor)

    def assumptions(self) -> tuple[AssumptionResult, ...]:
        """Random channels are ε-private, by their matrices."""
        rng = np.random.default_rng(0)
        spent = max(channel_epsilon(one) for one in random_channels(rng, 0.7, 200))
        return (
            AssumptionResult("ε-private channels", spent <= 0.7 + 1e-12, f"ε {spent:.6g} of 0.7"),
        )


def bound(epsilon: float, distance: np.ndarray | float) -> np.ndarray | float:
    """min{4, e^(2ε)}·(e^ε − 1)²·distance²."""
    return min(4.0, math.exp(2 * epsilon)) * math.expm1(epsilon) ** 2 * distance**2


def symmetrised_kl(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """KL(p‖q) + KL(q‖p) = Σ (p − q)·log(p/q) over the last axis."""
    return ((p - q) * np.log1p((p - q) / q)).sum(axis=-1)


def random_channels(rng: np.random.Generator, epsilon: float, count: int) -> np.ndarray:
    """(count, LABELS, REPORTS) ε-private channels, half of them extremal.

    Rows e^(ε·u)·w, rescaled to sum to 1, for u in [0, 1] or in {0, 1}; a channel that is thereby no
    longer ε-private is mixed with a constant channel until it is.  Every fourth is randomized
    response with its two reports split at random, where the bound is sharp.
    """
    spread = rng.random((count, LABELS, REPORTS))
    spread[::2] = spread[::2].round()
    weight = rng.dirichlet(np.ones(REPORTS), count)
    spread[::4], weight[::4] = SPLIT, weight[::4] / (weight[::4] @ SAME_HALF)
    columns = np.exp(epsilon * spread) * weight[:, None, :]
    rows = columns / columns.sum(axis=2, keepdims=True)
    constant = rows.mean(axis=1, keepdims=True)
    low, high = np.zeros((count, 1, 1)), np.ones((count, 1, 1))
    for _ in range(50):
        share = (low + high) / 2
        logs = np.log(constant + share * (rows - constant))
        keeps = (np.ptp(logs, axis=1).max(axis=1) <= epsilon)[:, None, None]
        low, high = np.where(keeps, share, low), np.where(keeps, high, share)
    return constant + low * (rows - constant)


def random_ratios(rng: np.random.Generator, epsilon: float, count: int) -> np.ndarray:
    """(count,) left-hand over right-hand side for random channels, P₁ and P₂.

    Behind every fourth channel P₁ and P₂ are near the two labels that it tells apart.
    """
    channels = random_channels(rng, epsilon, count)
    p, q = rng.dirichlet(np.full(LABELS, 0.3), (2, count))
    near = rng.uniform(0.9, 1.0, (len(p[::4]), 1))
    p[::4] = near * np.eye(LABELS)[0] + (1 - near) * p[::4]
    q[::4] = near * np.eye(LABELS)[1] + (1 - near) * q[::4]
    reports = np.einsum("cx,cxz->cz", p, channels), np.einsum("cx,cxz->cz", q, channels)
    distance = np.abs(p - q).sum(axis=1) / 2
    return symmetrised_kl(*reports) / bound(epsilon, distance)
