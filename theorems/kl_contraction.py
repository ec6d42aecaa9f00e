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
from dataclasses import dataclass

import numpy as np

from repro.base.schema import Share
from repro.corruption.orders import Randomize
from repro.preferences.label_law import Channel
from repro.preferences.label_law import randomized_response as randomized_label
from repro.privacy.channels import channel_epsilon
from repro.privacy.channels import randomized_response as channel_of
from repro.study.case import Case, Point
from repro.study.claims import Inequality, Ratio
from repro.study.config import Probes
from repro.study.experiment import Experiment
from repro.study.results import AssumptionResult
from repro.study.row import Evidence, Measure, Need, Row, Values, method, per_method

OVERSTATED = 1.2
LABELS, REPORTS = 3, 4
SAME_HALF = np.kron(np.eye(2), np.ones((2, 2)))

TEN_PERCENT_LESS = 0.9
"""On the right side: a planted lemma whose constant is 10 % too small."""


class KLContractionProbes(Probes):
    """Numbers of the experiment; ``vertex_distance`` is ‖P₁ − P₂‖_TV next to a vertex."""

    vertex_distance: Share


@dataclass(frozen=True, eq=False, kw_only=True)
class ContractionCase(Case):
    """One budget.

    Attributes:
        vertex_distance: ‖P₁ − P₂‖_TV next to a vertex, t.
        channel: the randomized response among the random channels.
    """

    vertex_distance: float
    channel: Channel = randomized_label

    @property
    def allowed(self) -> float:
        """The lemma's right side."""
        return float(bound(self.epsilon, self.vertex_distance))

    def kl_at_vertex(self, epsilon: float) -> float:
        """Symmetrised KL of the reports on P₁ = (1, 0) and P₂ = (1 − t, t)."""
        t = self.vertex_distance
        reports = np.array([[1.0, 0.0], [1 - t, t]]) @ channel_of(epsilon)
        return float(symmetrised_kl(reports[0], reports[1]))


@method
def randomized_response(case: ContractionCase) -> float:
    """Left over right side next to a vertex."""
    return case.kl_at_vertex(case.epsilon) / case.allowed


@method
def epsilon_overstated(case: ContractionCase) -> float:
    """Wrong: the channel spends 20 % more than the bound is told."""
    return case.kl_at_vertex(OVERSTATED * case.epsilon) / case.allowed


@method
def ten_percent(case: ContractionCase) -> float:
    """Wrong: the lemma with 0.9 of its constant."""
    return randomized_response.run(case) / TEN_PERCENT_LESS


@method
def whole_l1_norm(case: ContractionCase) -> float:
    """Wrong: ‖·‖₁ for ½‖·‖₁."""
    return case.kl_at_vertex(case.epsilon) / float(bound(case.epsilon, 2 * case.vertex_distance))


@method
def random_channel(ratio: np.ndarray) -> np.ndarray:
    """The lemma."""
    return ratio


@method
def squared_excess_halved(ratio: np.ndarray) -> np.ndarray:
    """Wrong: ((e^ε − 1)/2)² for (e^ε − 1)²."""
    return 4 * ratio


@method
def random_ten_percent(ratio: np.ndarray) -> np.ndarray:
    """Wrong: the lemma with 0.9 of its constant."""
    return ratio / TEN_PERCENT_LESS


def over_random_channels(
    case: ContractionCase, rng: np.random.Generator, replicates: int
) -> Values:
    """(R,) ratios; random channels differ by replicate."""
    ratio = random_ratios(rng, case.epsilon, replicates, case.channel)
    return {m.name: m.run(ratio) for m in case.methods}


RATIO = "symmetrised KL of the reports over its bound"
AT_VERTEX = Measure(RATIO, per_method(lambda case, m, rng, count: m.run(case)), Evidence.COMPUTED)
SEARCH = Measure(RATIO, over_random_channels, Evidence.SEARCHED)


class KLContraction(Experiment[Case]):
    """Left-hand side over right-hand side, on worst and on random channels."""

    title = "P1 Lemma A.5: local privacy contracts divergences"
    settles = ("p1.lem_a_5",)
    config_type = KLContractionProbes
    config: KLContractionProbes

    rows = (
        Row("randomized_response", "epsilon_minus_one",
            Inequality("randomized response next to a vertex"), AT_VERTEX, randomized_response,
            (epsilon_overstated, ten_percent)),
        Row("random_channels", "epsilon_minus_one",
            Inequality("random channels and label distributions"), SEARCH, random_channel,
            (squared_excess_halved, random_ten_percent), needs=(Need.PRIVACY,)),
        Row("tight", "epsilon_minus_one",
            Ratio("randomized response attains the bound as ε → 0", tolerance=0.01), AT_VERTEX,
            randomized_response, (whole_l1_norm,)),
    )  # fmt: skip

    def case(self, point: Point) -> ContractionCase:
        """The budget of a grid point."""
        return ContractionCase(
            methods=point.methods, epsilon=point.epsilon,
            vertex_distance=self.config.vertex_distance,
        )  # fmt: skip

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


def random_channels(
    rng: np.random.Generator, epsilon: float, count: int, response: Channel = randomized_label
) -> np.ndarray:
    """(count, LABELS, REPORTS) ε-private channels, half of them extremal.

    Rows e^(ε·u)·w, rescaled to sum to 1, for u in [0, 1] or in {0, 1}; a channel that is thereby no
    longer ε-private is mixed with a constant channel until it is.  Every fourth is randomized
    response with its two reports split at random, where the bound is sharp.

    Args:
        rng: the block's stream.
        epsilon: budget.
        count: how many.
        response: randomized response, or what stands in its place.
    """
    spread = rng.random((count, LABELS, REPORTS))
    spread[::2] = spread[::2].round()
    weight = rng.dirichlet(np.ones(REPORTS), count)
    split = weight[::4] / (weight[::4] @ SAME_HALF)
    columns = np.exp(epsilon * spread) * weight[:, None, :]
    rows = columns / columns.sum(axis=2, keepdims=True)
    constant = rows.mean(axis=1, keepdims=True)
    low, high = np.zeros((count, 1, 1)), np.ones((count, 1, 1))
    for _ in range(50):
        share = (low + high) / 2
        logs = np.log(constant + share * (rows - constant))
        keeps = (np.ptp(logs, axis=1).max(axis=1) <= epsilon)[:, None, None]
        low, high = np.where(keeps, share, low), np.where(keeps, high, share)
    channels = constant + low * (rows - constant)
    law = Randomize.of(response, epsilon)
    halves = np.array([law.win_given_win, law.win_given_loss, law.win_given_loss])
    told = np.repeat(np.stack([halves, 1 - halves], axis=1), REPORTS // 2, axis=1)
    channels[::4] = told * split[:, None, :]
    return channels


def random_ratios(
    rng: np.random.Generator, epsilon: float, count: int, response: Channel = randomized_label
) -> np.ndarray:
    """(count,) left-hand over right-hand side for random channels, P₁ and P₂.

    Behind every fourth channel P₁ and P₂ are near the two labels that it tells apart.
    """
    channels = random_channels(rng, epsilon, count, response)
    p, q = rng.dirichlet(np.full(LABELS, 0.3), (2, count))
    near = rng.uniform(0.9, 1.0, (len(p[::4]), 1))
    p[::4] = near * np.eye(LABELS)[0] + (1 - near) * p[::4]
    q[::4] = near * np.eye(LABELS)[1] + (1 - near) * q[::4]
    reports = np.einsum("cx,cxz->cz", p, channels), np.einsum("cx,cxz->cz", q, channels)
    distance = np.abs(p - q).sum(axis=1) / 2
    return symmetrised_kl(*reports) / bound(epsilon, distance)
