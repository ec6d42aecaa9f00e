"""Protocols whose users report one after another, enumerated: every label, every transcript.

A user's channel may depend on the messages before it (sequentially interactive protocols).  An
adversary in front of the randomizers turns labels, knowing all of them and the messages so far;
one behind them replaces reports.  Everything is exact, so protocols are small.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from repro.base.notation import flip_prob, keep_prob
from repro.labels.corruption.coupling import Kernel, maximal

CHUNK = 64
"""Vectors of labels that are enumerated at a time."""

# Randomizers: (2, M) laws of the report of a label 0 and of a label 1 -----------------------------


def response(epsilon: float) -> np.ndarray:
    """(2, 2) randomized response."""
    keep, flip = keep_prob(epsilon), flip_prob(epsilon)
    return np.array([[keep, flip], [flip, keep]])


def k_ary(epsilon: float, messages: int = 4) -> np.ndarray:
    """(2, k) randomized response among k messages, of which labels are two."""
    others = 1 / (np.exp(epsilon) + messages - 1)
    rows = np.full((2, messages), others)
    rows[[0, 1], [0, 1]] = np.exp(epsilon) * others
    return rows


def unary(epsilon: float) -> np.ndarray:
    """(2, 4) the label as one of two bits, each flipped at ε/2 (symmetric RAPPOR)."""
    bit = response(epsilon / 2)
    one_hot = [(1, 0), (0, 1)]
    pairs = list(itertools.product((0, 1), repeat=2))
    return np.array([[bit[a, c] * bit[b, d] for c, d in pairs] for a, b in one_hot])


def laplace(epsilon: float, ends: Sequence[float] = (-0.25, 0.75)) -> np.ndarray:
    """(2, 3) a label ±½ under Laplace noise of scale 1/ε, in three bins."""
    away = epsilon * (np.array(ends) - np.array([[-0.5], [0.5]]))
    below = np.where(away < 0, np.exp(-np.abs(away)) / 2, 1 - np.exp(-np.abs(away)) / 2)
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


def asymmetric(epsilon: float) -> np.ndarray:
    """(2, 2) a label 1 is reported by a fair coin, a label 0 as 1 with probability e^−ε/2."""
    rare = np.exp(-epsilon) / 2
    return np.array([[1 - rare, rare], [0.5, 0.5]])


def erased(epsilon: float, silent: float = 1 / 3) -> np.ndarray:
    """(2, 3) randomized response, of which a third is not sent."""
    said = (1 - silent) * response(epsilon)
    return np.concatenate([said, np.full((2, 1), silent)], axis=1)


RANDOMIZERS: Mapping[str, Callable[[float], np.ndarray]] = {
    "response": response, "k_ary": k_ary, "unary": unary, "laplace": laplace,
    "asymmetric": asymmetric, "erased": erased,
}  # fmt: skip
"""By the name that a config may give."""


def any_channel(rng: np.random.Generator, epsilon: float, messages: int) -> np.ndarray:
    """(2, M) a random ε-LDP channel; three in ten are randomized response on two messages."""
    rows = np.zeros((2, messages))
    if rng.random() < 0.3:
        rows[:, :2] = response(epsilon)
        return rows
    # any p·(1, r) with r in [1, e^ε] and a message that makes both rows sum to 1
    while True:
        rows = rng.dirichlet(np.ones(messages)) * np.exp(epsilon * rng.uniform(size=(2, messages)))
        rows = rows / rows.sum(axis=1, keepdims=True)
        if np.abs(np.log(rows[0] / rows[1])).max() <= epsilon:
            return rows


# Protocols, and who turns labels in front of them ------------------------------------------------


@dataclass(frozen=True, eq=False)
class Sequential:
    """n users with a label each, who report in turn.

    Attributes:
        label_prob: (2^n,) law of all labels together, in the order of ``labels``.
        channels: of user i, (M^i, 2, M) by the messages before it.
    """

    label_prob: np.ndarray
    channels: tuple[np.ndarray, ...]

    @cached_property
    def labels(self) -> np.ndarray:
        """(2^n, n) every vector of labels."""
        return all_labels(len(self.channels))


def all_labels(users: int) -> np.ndarray:
    """(2^n, n) every vector of n labels, the first user's the slowest.

    >>> all_labels(2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return (np.arange(2**users)[:, None] >> np.arange(users)[::-1]) & 1


def alike(channel: np.ndarray, users: int) -> tuple[np.ndarray, ...]:
    """The same channel for every user, whatever was sent before."""
    messages = channel.shape[-1]
    return tuple(np.broadcast_to(channel, (messages**i, 2, messages)) for i in range(users))


def interactive(
    rng: np.random.Generator, epsilon: float, users: int, messages: int
) -> tuple[np.ndarray, ...]:
    """A random ε-LDP channel for every user and all messages before it."""
    return tuple(
        np.array([any_channel(rng, epsilon, messages) for _ in range(messages**i)])
        for i in range(users)
    )


Wishes = tuple[np.ndarray, ...]
"""Of user i, (L, M^i): whether its label is to be turned, by all labels and the messages so far."""
InFront = Callable[[np.random.Generator, Sequential], Wishes]
"""(stream, protocol) → what an adversary in front wishes; it turns the first ones it may."""


def by_labels(rng: np.random.Generator, protocol: Sequential) -> Wishes:
    """At random by all labels, those of later users too."""
    rows = len(protocol.labels)
    return tuple(
        np.broadcast_to(rng.random((rows, 1)) < 0.5, (rows, len(channel)))
        for channel in protocol.channels
    )


def by_labels_and_messages(rng: np.random.Generator, protocol: Sequential) -> Wishes:
    """At random by all labels and the messages so far."""
    rows = len(protocol.labels)
    return tuple(rng.random((rows, len(channel))) < 0.5 for channel in protocol.channels)


def every_label(rng: np.random.Generator, protocol: Sequential) -> Wishes:
    """As many labels as may be."""
    rows = len(protocol.labels)
    return tuple(np.ones((rows, len(channel)), dtype=bool) for channel in protocol.channels)


def no_label(rng: np.random.Generator, protocol: Sequential) -> Wishes:
    """No label at all."""
    rows = len(protocol.labels)
    return tuple(np.zeros((rows, len(channel)), dtype=bool) for channel in protocol.channels)


# Laws of what arrives ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Behind:
    """Who replaces reports so that they look as if labels had been turned.

    Attributes:
        budget: reports that may be replaced; None for as many as it takes.
        kernel: how a report is replaced.
        stale: wrong: as if every user had the channel of the first one.
        counts_labels: wrong: a label that was turned uses up the budget, replaced or not.
    """

    budget: int | None = None
    kernel: Kernel = maximal
    stale: bool = False
    counts_labels: bool = False


@dataclass(frozen=True, eq=False)
class Arrived:
    """Laws of some vectors of labels and all transcripts.

    Attributes:
        front: (L, M^n) under the adversary in front.
        behind: (b + 1, L, M^n) under the one behind, by how many reports it has replaced.
        honest: (L, M^n) if nobody interferes.
    """

    front: np.ndarray
    behind: np.ndarray
    honest: np.ndarray


def arrived(
    protocol: Sequential, wishes: Wishes, changes: int, behind: Behind
) -> Iterator[Arrived]:
    """Laws of labels and transcripts, some vectors of labels at a time.

    Args:
        protocol: labels and channels.
        wishes: of the adversary in front.
        changes: labels that it turns at most.
        behind: who does the same to reports.
    """
    for start in range(0, len(protocol.labels), CHUNK):
        rows = slice(start, start + CHUNK)
        yield _arrived(protocol, rows, tuple(wish[rows] for wish in wishes), changes, behind)


def _arrived(
    protocol: Sequential, rows: slice, wishes: Wishes, changes: int, behind: Behind
) -> Arrived:
    labels, prob = protocol.labels[rows], protocol.label_prob[rows]
    most = changes if behind.budget is None else behind.budget
    honest = prob[:, None]
    front = np.zeros((changes + 1, len(labels), 1))
    back = np.zeros((changes + 1, most + 1, len(labels), 1))
    front[0], back[0, 0] = honest, honest
    for i, channel in enumerate(protocol.channels):
        label, messages = labels[:, i], channel.shape[-1]
        sent, wanted = (_of(channel, side) for side in (label, 1 - label))  # (L, T, M)
        honest = (honest[..., None] * sent).reshape(len(labels), -1)
        copied = channel[:1] if behind.stale else channel
        kernel = behind.kernel(copied, copied[:, ::-1])  # (T or 1, 2, M, M)
        same = channel * np.diagonal(kernel, axis1=-2, axis2=-1)
        other = np.einsum("tym,tymn->tyn", channel, kernel * (1 - np.eye(messages)))
        wish = wishes[i][:, :, None]
        left = np.where(wish, 0.0, sent)
        turned, lacking, same, other = (
            np.where(wish, law, 0.0) for law in (wanted, sent, _of(same, label), _of(other, label))
        )
        after_front = np.zeros((*front.shape, messages))
        after_back = np.zeros((*back.shape, messages))
        for c in range(changes + 1):
            may = c < changes
            after_front[c] += front[c][..., None] * (left if may else sent)
            if may:
                after_front[c + 1] += front[c][..., None] * turned
            for r in range(min(c, most) + 1):  # of c labels no more reports than c
                weight = back[c, r][..., None]
                after_back[c, r] += weight * (left if may else sent)
                if not may:
                    continue
                if max(r, c if behind.counts_labels else 0) >= most:
                    after_back[c + 1, r] += weight * lacking
                    continue
                after_back[c + 1, r] += weight * same
                after_back[c + 1, r + 1] += weight * other
        front = after_front.reshape(*front.shape[:-1], -1)
        back = after_back.reshape(*back.shape[:-1], -1)
    return Arrived(front.sum(0), back.sum(0), honest)


def _of(rows: np.ndarray, label: np.ndarray) -> np.ndarray:
    """(L, T, …) the row of each label of (T, 2, …)."""
    return np.swapaxes(rows[:, label], 0, 1)


# Who sees reports and no labels ------------------------------------------------------------------

Guess = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(law of labels, law of each given what is seen) → the law that the adversary draws labels from,
labels in the first place."""


def posterior(prior: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Labels given what is seen."""
    return given


def prior_alone(prior: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Wrong: labels as if nothing had been seen."""
    return np.broadcast_to(prior, given.shape)


def likeliest(prior: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Wrong: the likeliest labels, for certain."""
    best = given.argmax(axis=0)
    return (np.arange(len(given)).reshape(-1, *(1,) * best.ndim) == best).astype(float)


def messages_alone(
    protocol: Sequential, wishes: Wishes, changes: int, guess: Guess
) -> tuple[np.ndarray, np.ndarray]:
    """(M^n,) laws of messages under who is in front and who is behind and sees reports alone.

    The protocol is not interactive, and wishes look at labels alone: the adversary waits for all
    reports, draws labels, and replaces what would have been turned.
    """
    labels, prob = protocol.labels, protocol.label_prob
    channels = [channel[0] for channel in protocol.channels]
    honest = np.array([_product([q[y] for q, y in zip(channels, row, strict=True)])
                       for row in labels])  # fmt: skip
    seen = prob @ honest
    given = prob[:, None] * honest / np.where(seen > 0, seen, 1.0)
    drawn = guess(prob[:, None], given)
    front, behind = np.zeros_like(seen), np.zeros_like(seen)
    for row, (label, weight) in enumerate(zip(labels, prob, strict=True)):
        turned = _first(np.array([bool(wish[row, 0]) for wish in wishes]), changes)
        pairs = list(zip(channels, label, turned, strict=True))
        front += weight * _product([q[1 - y if change else y] for q, y, change in pairs])
        behind += _passed(drawn[row] * seen, [
            maximal(q[y], q[1 - y]) if change else np.eye(q.shape[1]) for q, y, change in pairs
        ])  # fmt: skip
    return front, behind


def messages_in_turn(
    wins: np.ndarray, channels: Sequence[np.ndarray], wishes: Wishes, changes: int, guess: Guess
) -> tuple[np.ndarray, np.ndarray]:
    """The same user by user, in a protocol that may be interactive; labels are independent.

    Args:
        wins: (n,) probabilities of a label 1.
        channels: as in ``Sequential``.
        wishes: of user i, (2^(i+1), M^i): by labels up to its own and the messages so far.
        changes: labels that are turned at most.
        guess: how a label is drawn from what is seen of it.
    """
    front = back = np.eye(1, changes + 1)[None]  # nothing turned, nothing replaced
    for i, channel in enumerate(channels):
        law = np.array([1 - wins[i], wins[i]])
        seen = np.einsum("y,tym->tm", law, channel)
        joint = law[:, None, None] * np.swapaxes(channel, 0, 1)  # (2, T, M)
        drawn = guess(law[:, None, None], joint / np.where(seen > 0, seen, 1.0)) * seen
        kernel = np.swapaxes(maximal(channel, channel[:, ::-1]), 0, 1)  # (2, T, M, M)
        replaced = np.einsum("ytm,ytmn->ytn", drawn, kernel)
        other = law[:, None, None] * np.swapaxes(channel[:, ::-1], 0, 1)
        front = _one_more(front, wishes[i], changes, joint, other)
        back = _one_more(back, wishes[i], changes, drawn, replaced)
    return front.sum((0, 2)), back.sum((0, 2))


def _one_more(
    state: np.ndarray, wish: np.ndarray, changes: int, kept: np.ndarray, turned: np.ndarray
) -> np.ndarray:
    """(2^(i+1), M^(i+1), C + 1) after one more user, from (2^i, M^i, C + 1).

    Args:
        state: before it.
        wish: (2^(i+1), M^i) whether its label is to be turned.
        changes: C.
        kept: (2, M^i, M) law of its label and message if it is not turned.
        turned: the same if it is.
    """
    before, transcripts, _ = state.shape
    messages = kept.shape[-1]
    wished = wish.reshape(before, 2, transcripts, 1)
    after = np.zeros((before, 2, transcripts, messages, changes + 1))
    for c in range(changes + 1):
        weight = state[:, None, :, None, c]
        change = wished & (c < changes)
        after[..., c] += weight * np.where(change, 0.0, kept)
        if c < changes:
            after[..., c + 1] += weight * np.where(change, turned, 0.0)
    return after.reshape(2 * before, transcripts * messages, changes + 1)


def _first(wished: np.ndarray, changes: int) -> np.ndarray:
    """The first wishes, as many as may be."""
    return wished & (wished.cumsum() <= changes)


def _product(laws: Sequence[np.ndarray]) -> np.ndarray:
    """(M^n,) law of independent messages."""
    joint = np.ones(1)
    for law in laws:
        joint = np.outer(joint, law).ravel()
    return joint


def _passed(law: np.ndarray, kernels: Sequence[np.ndarray]) -> np.ndarray:
    """(M^n,) law of messages after each has passed its own kernel."""
    shape = [len(kernel) for kernel in kernels]
    joint = law.reshape(shape)
    for i, kernel in enumerate(kernels):
        joint = np.moveaxis(np.tensordot(joint, kernel, axes=(i, 0)), -1, i)
    return joint.ravel()
