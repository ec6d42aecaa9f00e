"""P1 Lemma A.5 (Duchi et al. 2013, Theorem 1): local privacy contracts divergences.

Statement.  For every ε-locally private Q and all P₁, P₂, the reports' marginals M₁, M₂ have

    KL(M₁‖M₂) + KL(M₂‖M₁) ≤ min{4, e^(2ε)}·(e^ε − 1)²·‖P₁ − P₂‖²_TV,   ‖·‖_TV = ½‖·‖₁.

Testable on any channel: randomized response near a vertex of the simplex, where it is worst, and
random channels with 3 labels and 4 reports, extremal ones among them.  A ratio above 1 would
refute it.  As ε → 0 randomized response attains it (check ``tight``, where
the ratio is e^(−3ε)).  The lemma's ε is the channel's own: a channel with 1.2·ε breaks the bound.
"""

import math
from dataclasses import dataclass

import numpy as np

from repro.base.schema import Epsilon, Share
from repro.core.check import Check, Quantity, Theorem, at_both_ends, of_world
from repro.core.claims import Inequality, Ratio
from repro.labels.corruption.orders import Randomize
from repro.labels.preferences.label_law import Channel
from repro.labels.preferences.label_law import randomized_response as randomized_label
from repro.labels.privacy.channels import channel_epsilon
from repro.labels.privacy.channels import randomized_response as channel_of

OVERSTATED = 1.2
LABELS, REPORTS = 3, 4
SAME_HALF = np.kron(np.eye(2), np.ones((2, 2)))

TEN_PERCENT_LESS = 0.9
"""On the right side: a planted lemma whose constant is 10 % too small."""

# The world: one budget ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class PrivateReports:
    """Reports of two label distributions through ε-private channels.

    Attributes:
        epsilon: that the lemma is told.
        vertex_distance: ‖P₁ − P₂‖_TV next to a vertex of the simplex, t.
        channel: the randomized response among the random channels.
    """

    epsilon: Epsilon
    vertex_distance: Share
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


@dataclass(frozen=True)
class RandomChannels:
    """What random channels, P₁ and P₂ give.

    Attributes:
        ratio: (R,) left over right side of the lemma.
    """

    ratio: np.ndarray


# Algorithms: left over right side of the lemma, and of wrong ones --------------------------------


def randomized_response(world: PrivateReports) -> float:
    """Left over right side next to a vertex."""
    return world.kl_at_vertex(world.epsilon) / world.allowed


def epsilon_overstated(world: PrivateReports) -> float:
    """Wrong: the channel spends 20 % more than the bound is told."""
    return world.kl_at_vertex(OVERSTATED * world.epsilon) / world.allowed


def ten_percent(world: PrivateReports) -> float:
    """Wrong: the lemma with 0.9 of its constant."""
    return randomized_response(world) / TEN_PERCENT_LESS


def whole_l1_norm(world: PrivateReports) -> float:
    """Wrong: ‖·‖₁ for ½‖·‖₁."""
    right = float(bound(world.epsilon, 2 * world.vertex_distance))
    return world.kl_at_vertex(world.epsilon) / right


def random_channel(data: RandomChannels) -> np.ndarray:
    """The lemma."""
    return data.ratio


def squared_excess_halved(data: RandomChannels) -> np.ndarray:
    """Wrong: ((e^ε − 1)/2)² for (e^ε − 1)²."""
    return 4 * data.ratio


def random_ten_percent(data: RandomChannels) -> np.ndarray:
    """Wrong: the lemma with 0.9 of its constant."""
    return data.ratio / TEN_PERCENT_LESS


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
    extremal = np.repeat(np.stack([halves, 1 - halves], axis=1), REPORTS // 2, axis=1)
    channels[::4] = extremal * split[:, None, :]
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


# The claims --------------------------------------------------------------------------------------


def drawn(world: PrivateReports, rng: np.random.Generator, replicates: int) -> RandomChannels:
    """Channels and distributions that differ by replicate."""
    return RandomChannels(random_ratios(rng, world.epsilon, replicates, world.channel))


def of_channels(world: PrivateReports, algorithm, data: RandomChannels, replicates: int):
    """What an algorithm makes of them."""
    return algorithm(data)


RATIO = "symmetrised KL of the reports over its bound"
AT_VERTEX = Quantity(RATIO, of_world, evidence="computed")
SEARCH = Quantity(RATIO, of_channels, evidence="searched", drawn=drawn)
NOTHING_LEARNT: dict[str, str] = dict.fromkeys(
    ("labels", "estimate", "algorithm"), "an inequality of channels: nothing is learnt"
)


def private(world: PrivateReports):
    """Randomized response and random channels are ε-private, by their matrices."""
    drawn_channels = random_channels(np.random.default_rng(0), world.epsilon, 200)
    spent = max(map(channel_epsilon, [channel_of(world.epsilon), *drawn_channels]))
    holds = spent <= world.epsilon + 1e-12
    yield "ε-private channels", holds, f"ε {spent:.6g} of {world.epsilon:.6g}"


THEOREM = Theorem(
    title="P1 Lemma A.5: local privacy contracts divergences",
    settles=["p1.lem_a_5"],
    checks=[
        Check(name="randomized_response", axis="epsilon_minus_one",
              claim=Inequality("randomized response next to a vertex"), quantity=AT_VERTEX,
              right=randomized_response, wrong=[epsilon_overstated, ten_percent]),
        Check(name="random_channels", axis="epsilon_minus_one",
              claim=Inequality("random channels and label distributions"), quantity=SEARCH,
              right=random_channel, wrong=[squared_excess_halved, random_ten_percent],
              blind=NOTHING_LEARNT),
        Check(name="tight", axis="epsilon_minus_one",
              claim=Ratio("randomized response attains the bound as ε → 0", tolerance=0.01),
              quantity=AT_VERTEX, right=randomized_response, wrong=[whole_l1_norm]),
    ],
    worlds={"private_reports": PrivateReports},
    assumes=at_both_ends(private),
)  # fmt: skip
