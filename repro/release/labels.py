"""Tests of labels: whether there is too little noise, and whether flips depend on anything.

Under randomized response every label is flipped by a coin of its own, of one probability.  So the
number of flips in any group of lines that is chosen without looking at them is binomial.  Given how
many there are, every set of as many labels is equally likely; what ``coins`` tests follows from
that.  And any rule that was fitted to other lines guesses flips like chance: given how often it
says "kept" and how many are kept, the number of its hits is hypergeometric.  p-values are exact or
bounds, at any ε.  All tests together accuse a sound release with a probability of at most
``ALARM``.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from scipy.stats import binom, hypergeom
from threadpoolctl import threadpool_limits

from repro.release.coins import fewest_seen, in_groups, in_places

ALARM = 1e-4
NOISE, TRUTHS, PLACES, GROUPS, AGREED, LEARNED = 0.3, 0.1, 0.2, 0.1, 0.05, 0.25
"""Shares of the level: the number of flips; that where a response was chosen; families of places;
groups of texts and of every field; another release; what is learned."""

SPLITS, MOST, LEAST, FEWEST_FLIPS = 3, 12_000, 60, 8
FITTED = 4000
"""Lines that models are fitted to, at most."""

TOGETHER = 4000
PARTS = (0.4, 0.5)
"""Of the lines: up to the first a rule is fitted, up to the second one is chosen, then counted."""

SUREST = (0.5, 0.2, 0.08)
"""Shares of lines about which a model is surest that a rule speaks of."""

STUMPS, CUTS = 6, (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
LAGS = (-3, -2, -1, 1, 2, 3)
NEAR = (5, 10, 20)
"""Lines on either side whose known flips are added up."""

MODULI = (2, 3, 4, 5, 6, 7, 8, 10, 16)
MARKS = "abcdefghijklmnopqrstuvwxyz.,?!'\"0123456789\n -:;()"
HASHED_WORDS, LONGEST = 1 << 13, 600
FRAMES = ("response_1", "the one first in code points", "the longer one")


@dataclass(frozen=True)
class ReleasedLines:
    """What is known of n released lines whose originals are known.

    Attributes:
        kept: (n,) whether the released label is the original one.
        frames: (n, 3) whether the chosen response is ``FRAMES``.
        disputed: (n,) whether copies in the original have different labels.
        origin: (n,) place of the comparison in the original.
        place: (n,) place of the line in the release.
        texts: prompt, chosen and rejected of a sample of lines, by number.
        groups: of each field of the original (n,) numbers of the groups of one value.
    """

    kept: np.ndarray
    frames: np.ndarray
    disputed: np.ndarray
    origin: np.ndarray
    place: np.ndarray
    texts: dict[int, tuple[str, str, str]]
    groups: dict[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def sampled(self) -> np.ndarray:
        """Numbers of undisputed lines with texts, in ascending order."""
        return np.array([k for k in sorted(self.texts) if not self.disputed[k]], int)


@dataclass(frozen=True)
class LabelTest:
    """One test: what it asks, its p-value, and below which it accuses."""

    what: str
    p: float
    limit: float

    @property
    def leaks(self) -> bool:
        """Whether a sound release would hardly ever look so."""
        return self.p < self.limit


def findings(lines: ReleasedLines, flip_prob: float) -> list[LabelTest]:
    """All tests of one release.

    Args:
        lines: a release beside its original.
        flip_prob: the probability that is claimed.
    """
    import sklearn.ensemble  # noqa: F401 - only libraries that are loaded are limited

    with threadpool_limits(1):  # threads would spin for longer than these small models take
        tests = _noise(lines, flip_prob), _placed(lines), _grouped(lines), _learned(lines)
        return [finding for some in tests for finding in some]


def agreement(first: np.ndarray, other: np.ndarray, tests: int) -> LabelTest:
    """Whether two releases flipped the same labels more, or less, often than two coins do.

    Args:
        one, other: (n,) 1 kept, 0 flipped, −1 not released; of the same comparisons.
        tests: how many releases are compared.
    """
    both = (first >= 0) & (other >= 0)
    p = _independent(first[both] == 1, other[both] == 1)
    return LabelTest(
        "flips of another release are the same, or opposite", p, ALARM * AGREED / tests
    )


def _independent(first: np.ndarray, other: np.ndarray) -> float:
    """Fisher's exact test, two-sided, of (n,) coins in pairs."""
    law = hypergeom(first.size, first.sum(), other.sum())
    hits = (first & other).sum()
    return float(min(1.0, 2 * min(law.cdf(hits), law.sf(hits - 1)))) if first.size else 1.0


def unseen_share(lines: int, flip_prob: float) -> float:
    """The share of lines that may be raw, wherever they stand, and are more often missed than seen.

    By the test of the number of flips; a pattern that another test knows is seen at a smaller one.
    """
    seen = fewest_seen(lines, flip_prob, ALARM * NOISE)
    return 1.0 if seen is None else seen / lines


def _noise(lines: ReleasedLines, flip_prob: float) -> Iterator[LabelTest]:
    """Fewer flips than the coin gives: in all, and where the truth is either response."""
    flipped = ~lines.kept
    p = binom.cdf(flipped.sum(), flipped.size, flip_prob)
    yield LabelTest("too little noise in all", float(p), ALARM * NOISE)
    groups = {"of disputed lines": lines.disputed}
    for name, chosen in zip(FRAMES, lines.frames.T, strict=True):
        groups |= {f"where {name} was chosen": chosen, f"where {name} was not": ~chosen}
    for name, who in groups.items():
        p = binom.cdf(flipped[who].sum(), who.sum(), flip_prob)
        yield LabelTest(f"too little noise {name}", float(p), ALARM * TRUTHS / len(groups))


def _placed(lines: ReleasedLines) -> Iterator[LabelTest]:
    """Families of coins in the order of the release, and in that of the original."""
    tests = [
        (f"{name}, in the order of the {order}", family)
        for order, places in (("release", lines.place), ("original", lines.origin))
        for name, family in _ordered(lines, places)
    ]
    for name, (p, member) in tests:
        limit = ALARM * PLACES / len(tests)
        yield LabelTest(f"{name} ({member})" if p < limit else name, p, limit)


def _ordered(lines: ReleasedLines, places: np.ndarray) -> Iterator[tuple[str, tuple[float, str]]]:
    order = np.argsort(places, kind="stable")
    return in_places(~lines.kept[order], lines.frames[order])


def _grouped(lines: ReleasedLines) -> Iterator[LabelTest]:
    """Coins of lines with one value of a field, or one text."""
    flipped, sure = ~lines.kept, lines.sampled
    tests = {f"the field {name!r}": (flipped, values) for name, values in lines.groups.items()}
    for which, name in enumerate(("prompt", "chosen response", "rejected response")):
        texts = [lines.texts[k][which] for k in sure.tolist()]
        if texts:
            tests[f"one {name}"] = flipped[sure], np.unique(texts, return_inverse=True)[1]
    for name, (some, values) in tests.items():
        what = f"flips are spread unevenly, or too evenly, over {name}"
        yield LabelTest(what, in_groups(some, values)[0], ALARM * GROUPS / len(tests))


def _learned(lines: ReleasedLines) -> Iterator[LabelTest]:
    """Flips depend on texts, truth or place: fitted, chosen and counted on disjoint lines."""
    sure = lines.sampled
    if sure.size < LEAST or (~lines.kept[sure]).sum() < FEWEST_FLIPS:
        return
    known = FlipFeatures(lines)
    for number in range(1, SPLITS + 1):
        rng = _fresh()
        order = rng.permutation(sure.size)
        fit, choose, count = np.split(order, [int(part * order.size) for part in PARTS])
        best, least = np.zeros(order.size, np.int8), 1.0
        kept = lines.kept[sure]
        for guess in known.rules(fit, choose, rng):
            p = _chance(guess, kept, choose)
            if p < least:
                best, least = guess, p
        name = f"flips depend on texts, truth or place (split {number} of {SPLITS})"
        yield LabelTest(name, _chance(best, kept, count), ALARM * LEARNED / SPLITS)


def _fresh() -> np.random.Generator:
    """Nobody can have written a release for the splits of this audit."""
    return np.random.default_rng(secrets.randbits(128))


def _chance(guess: np.ndarray, kept: np.ndarray, who: np.ndarray) -> float:
    """P(as many hits or more | how often it guesses "kept", how many are kept); guess 0: silent."""
    some = who[guess[who] != 0]
    if not some.size:
        return 1.0
    yes, true = guess[some] > 0, kept[some]
    return float(hypergeom.sf((yes & true).sum() - 1, some.size, true.sum(), yes.sum()))


class FlipFeatures:
    """What may tell a flip of the sampled lines, but the flip itself."""

    def __init__(self, lines: ReleasedLines) -> None:
        self._lines, self._who = lines, lines.sampled
        self.kept = lines.kept[self._who]
        self._texts = [lines.texts[k] for k in self._who.tolist()]
        self._plain = np.concatenate([self._of_texts(), self._of_places()], 1)

    @cached_property
    def words(self) -> csr_matrix:
        """(n, many) counts of words of each text, and the truth."""
        from sklearn.feature_extraction.text import HashingVectorizer

        def tokens(text: str) -> list[str]:
            return text[:LONGEST].casefold().split()

        split: Any = tokens  # sklearn's stubs know names of analysers alone
        hasher = HashingVectorizer(n_features=HASHED_WORDS, analyzer=split)
        roles = [hasher.transform(role) for role in zip(*self._texts, strict=True)]
        frames = csr_matrix(self._lines.frames[self._who].astype(float))
        return csr_matrix(hstack([*roles, frames]))

    def rules(
        self, fit: np.ndarray, choose: np.ndarray, rng: np.random.Generator
    ) -> Iterator[np.ndarray]:
        """(n,) guesses, 1 kept, −1 flipped, of rules that saw the flips of ``fit`` alone."""
        if np.unique(self.kept[fit]).size < 2:
            return
        dense = np.concatenate([self._plain, self._of_neighbours(fit)], 1)
        for score in self._scores(dense, fit[:FITTED], int(rng.integers(2**31))):
            for part in SUREST:
                yield np.where(score > np.quantile(score[choose], 1 - part), 1, -1)
                yield np.where(score < np.quantile(score[choose], part), -1, 1)
        for column, cut, sign in self._stumps(dense, fit):
            yield np.where(dense[:, column] <= cut, sign, -sign)

    def _scores(self, dense: np.ndarray, fit: np.ndarray, seed: int) -> Iterator[np.ndarray]:
        """(n,) the larger, the surer a model is that the label was kept."""
        from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
        from sklearn.linear_model import LogisticRegression

        own: dict[str, Any] = {"random_state": seed}
        part: dict[str, Any] = {"max_features": 0.2}
        trees = ExtraTreesClassifier(40, min_samples_leaf=4, **own, **part)
        boosted = HistGradientBoostingClassifier(max_iter=60, min_samples_leaf=8, **own)
        linear = LogisticRegression(C=0.3, solver="liblinear", **own)
        for model, features in ((trees, dense), (boosted, dense), (linear, self.words)):
            model.fit(features[fit], self.kept[fit])
            starts = range(0, self.kept.size, TOGETHER)  # a model may copy what it predicts for
            parts = [np.asarray(model.predict_proba(features[at : at + TOGETHER])) for at in starts]
            yield np.concatenate(parts)[:, 1]

    def _stumps(self, dense: np.ndarray, fit: np.ndarray) -> list[tuple[int, float, int]]:
        """column, cut and sign of the single questions that tell most by themselves."""
        values, side = dense[fit], np.where(self.kept[fit], 1.0, -1.0)
        side = side - side.mean()
        questions: list[tuple[float, int, float, int]] = []
        for share in CUTS:
            cuts = np.quantile(values, share, axis=0)
            below = values <= cuts
            have = below.mean(0)
            worth = (side @ below) / np.sqrt(fit.size * np.clip(have * (1 - have), 1e-9, None))
            worth[(have < 0.02) | (have > 0.98)] = 0
            best = np.argsort(-np.abs(worth))[:STUMPS].tolist()
            questions += [
                (-abs(worth[k]), k, float(cuts[k]), 1 if worth[k] > 0 else -1) for k in best
            ]
        return [rule[1:] for rule in sorted(questions)[:STUMPS]]

    def _of_texts(self) -> np.ndarray:
        sizes = np.array([[f(t) for t in three for f in (len, _words)] for three in self._texts])
        asked, chosen, rejected = sizes[:, ::2].T
        sums = np.stack([asked + chosen, chosen + rejected, asked + chosen + rejected], 1)
        whole = np.concatenate([sizes[:, ::2], sums], 1)
        counts = np.empty((len(self._texts), 3, len(MARKS)), np.float32)
        for k, three in enumerate(self._texts):
            counts[k] = [_marks(text) for text in three]
        frames = self._lines.frames[self._who]
        ends = np.array([[ord(t[at]) for t in three for at in (0, -1)] for three in self._texts])
        parts = [sizes, sizes[:, 2:4] - sizes[:, 4:6], *(whole % m for m in MODULI), frames]
        parts += [counts.reshape(len(self._texts), -1), counts.sum(1) % 2, ends, ends % 2]
        return np.concatenate([np.asarray(part, np.float32) for part in parts], 1)

    def _of_places(self) -> np.ndarray:
        columns = []
        for places in (self._lines.place, self._lines.origin):
            some = places[self._who]
            columns += [some / max(1, places.max()), *(some % m for m in MODULI)]
            columns += [some % m == rest for m in MODULI for rest in range(m)]
            columns += [some // m % 2 for m in (10, 100, 1000)]
        return np.stack(columns, 1).astype(np.float32)

    def _of_neighbours(self, fit: np.ndarray) -> np.ndarray:
        """Truth of neighbours, and the flips of those that the rule is fitted to."""
        lines, who = self._lines, self._who
        known = np.zeros(len(lines.kept), np.float32)
        known[who[fit]] = np.where(self.kept[fit], 1, -1)
        released = known * np.where(lines.frames[:, 0], 1, -1)  # +1 and −1 of these lines alone
        side = np.where(lines.frames[who, 0], 1, -1)
        columns = []
        for places in (lines.place, lines.origin):
            order = np.argsort(places, kind="stable")
            rank = np.empty_like(order)
            rank[order] = np.arange(order.size)
            for lag in LAGS:
                other = order[(rank[who] + lag) % order.size]
                columns += [lines.frames[other], lines.frames[other] ^ lines.frames[who]]
                columns += [known[other][:, None]]
            for near in NEAR:
                for values, sign in ((known, 1), (released, side)):
                    sums = np.cumsum(np.pad(values[order], (near + 1, near)))
                    around = sums[2 * near + 1 :] - sums[: -2 * near - 1]
                    columns += [((around[rank] - values)[who] * sign)[:, None]]
        return np.concatenate([np.asarray(column, np.float32) for column in columns], 1)


def _words(text: str) -> int:
    return len(text.split())


def _marks(text: str) -> list[int]:
    lower = text.lower()
    return [lower.count(mark) for mark in MARKS]
