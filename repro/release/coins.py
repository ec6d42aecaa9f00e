"""Families of tests of coins: flips that depend on each other, on the truth, or on a group.

Given how many of n labels are flipped, under randomized response every set of that many labels is
equally likely.  Each p-value below is exact under this law, or a proved upper bound on the exact
one.  A family looks at all members of a kind: all distances, all block sizes, all periods, all
groups of a field.  Its p-value is its least one times the number of its members.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp
from scipy.stats import binom, hypergeom

MOST_PERIODS, EVERY_BLOCK, FINER = 1000, 10_000, 1000
"""The longest period; the size up to which all block sizes are tested; beyond it they grow by a
part of ``FINER``."""

LOOKED_AT, FAR = 8, 3.0
"""Members of a family whose p-value is computed: those farthest from what is expected, and for a
spread by so many standard deviations.  What is not looked at accuses nobody: the level holds."""

Member = tuple[float, str]
"""p-value and what it is of."""


def in_places(flipped: np.ndarray, truth: np.ndarray) -> Iterator[tuple[str, Member]]:
    """Families of coins that stand in an order.

    Args:
        flipped: (n,) whether the label in each place is flipped.
        truth: (n, k) k ways to write the true label in each place as a bit.

    Yields:
        What a family asks; its p-value, and which member has the least one.
    """
    if flipped.size < 4 or flipped.all() or not flipped.any():
        return
    yield "flips agree with flips at a distance", _at_distances(flipped)
    yield "flips agree with flips in a mirror", _in_mirrors(flipped)
    yield "flips agree with the truth at a distance", _with_truth(flipped, truth)
    yield "labels agree with the truth at another distance", _labels_with_truth(flipped, truth)
    yield "flips are spread unevenly, or too evenly, over blocks", _over_blocks(flipped)
    yield "flips are spread unevenly, or too evenly, over a period", _over_periods(flipped)


def in_groups(flipped: np.ndarray, groups: np.ndarray) -> Member:
    """Flips are spread unevenly, or too evenly, over groups.

    Args:
        flipped: (n,) bool.
        groups: (n,) number of the group of each label, from 0.
    """
    sizes = np.bincount(groups)
    counts = np.bincount(groups, flipped)[sizes > 0].astype(int)
    return _least(_of_counts(counts, sizes[sizes > 0], ""), 1)


def fewest_seen(n: int, flip_prob: float, limit: float) -> int | None:
    """Raw labels among n that the test of the number of flips sees at least every other time.

    Args:
        n: labels.
        flip_prob: claimed probability of a flip.
        limit: p-value below which the test accuses.

    Returns:
        The least number, wherever they stand; None where even n are more often missed than seen.

    >>> fewest_seen(220, 1 / (1 + np.exp(3)), 3e-5), fewest_seen(100, 1 / (1 + np.exp(3)), 3e-5)
    (206, None)
    """
    most = int(binom.ppf(limit, n, flip_prob))
    while most >= 0 and binom.cdf(most, n, flip_prob) >= limit:
        most -= 1
    if most < 0:
        return None
    low, high = 0, n  # with all labels raw there is no flip
    while low < high:
        raw = (low + high) // 2
        if binom.cdf(most, n - raw, flip_prob) >= 0.5:
            high = raw
        else:
            low = raw + 1
    return low


def _least(members: Iterable[Member], count: int) -> Member:
    """The least p-value of ``count`` members; 1 where there is none, as of periods of few lines."""
    p, what = min(members, default=(1.0, ""))
    return min(1.0, p * max(count, 1)), what


def _farthest(scores: np.ndarray) -> list[int]:
    """Numbers of the members to look at."""
    some = np.argsort(-np.abs(scores), kind="stable")[:LOOKED_AT]
    return some.tolist()


def _prime_below(n: int) -> int:
    """The largest prime of at most n, which is at least 2."""
    return next(p for p in range(n, 1, -1) if all(p % d for d in range(2, int(p**0.5) + 1)))


def _log_choose(n: np.ndarray | int, k: np.ndarray | int) -> np.ndarray:
    return gammaln(np.add(n, 1.0)) - gammaln(np.add(k, 1.0)) - gammaln(np.subtract(n, k) + 1.0)


def _tails(log_law: np.ndarray, start: int, low: int, high: int) -> tuple[float, float]:
    """P(X ≤ low) and P(X ≥ high), where X = start + k has the logarithmic probability of k."""
    below = log_law[: max(0, low - start + 1)]
    above = log_law[max(0, high - start) :]
    sums: list[Any] = [logsumexp(part) if part.size else -math.inf for part in (below, above)]
    return math.exp(sums[0]), math.exp(sums[1])


def _correlated(first: np.ndarray, second: np.ndarray, size: int) -> np.ndarray:
    """(size,) Σ_i first[i] second[(i + d) mod size] for each d, of whole numbers."""
    length = 1 << (2 * size - 1).bit_length()
    spectra = np.conj(np.fft.rfft(first, length)) * np.fft.rfft(second, length)
    ahead = np.fft.irfft(spectra, length)
    around = ahead[:size].copy()
    around[1:] += ahead[length - size + 1 :]
    return np.rint(around).astype(np.int64)


def _at_distances(flipped: np.ndarray) -> Member:
    """Pairs of flips d places apart on a circle of prime size p, for d = 1 … (p−1)/2.

    For a prime one step of d after another visits all places, so that every d has the law of
    neighbours: f flips stand in r runs with probability p/r C(f−1, r−1) C(p−f−1, r−1) / C(p, f),
    and f − r pairs of them are neighbours.
    """
    size = _prime_below(flipped.size)
    flips = flipped[:size].astype(float)
    count = int(flips.sum())
    if not 0 < count < size or size < 3:
        return 1.0, ""
    pairs = _correlated(flips, flips, size)[1 : (size + 1) // 2]
    runs = np.arange(min(count, size - count), 0, -1)
    ways = _log_choose(count - 1, runs - 1) + _log_choose(size - count - 1, runs - 1)
    law = np.log(size / runs) + ways - _log_choose(size, count)
    least, most = int(pairs.argmin()), int(pairs.argmax())
    tails = _tails(law, count - int(runs[0]), int(pairs[least]), int(pairs[most]))
    members = zip(tails, (f"{least + 1} lines", f"{most + 1} lines"), strict=True)
    return _least(members, 2 * pairs.size)


def _in_mirrors(flipped: np.ndarray) -> Member:
    """Pairs of flips at i and s − i on a circle of odd size, for every s.

    Without the one place that is its own mirror, f flips in m disjoint pairs fill k of them with
    probability C(m, k) C(m−k, f−2k) 2^(f−2k) / C(2m, f).
    """
    size = flipped.size - (flipped.size + 1) % 2
    flips = flipped[:size].astype(float)
    filled = _correlated(flips[::-1], flips, size)  # i ↦ size − 1 − i, so s = d + size − 1
    own = ((np.arange(size) + size - 1) * ((size + 1) // 2)) % size
    single = flips[own].astype(np.int64)
    filled = (filled - single) // 2
    pairs, members = (size - 1) // 2, []
    for alone in (0, 1):
        count = int(flips.sum()) - alone
        which = np.flatnonzero(single == alone)
        if not which.size or not 0 < count < 2 * pairs:
            continue
        full = np.arange(max(0, count - pairs), count // 2 + 1)
        ways = _log_choose(pairs, full) + _log_choose(pairs - full, count - 2 * full)
        law = ways + (count - 2 * full) * np.log(2) - _log_choose(2 * pairs, count)
        least, most = which[filled[which].argmin()], which[filled[which].argmax()]
        tails = _tails(law, int(full[0]), int(filled[least]), int(filled[most]))
        members += zip(tails, (f"at {own[least]}", f"at {own[most]}"), strict=True)
    return _least(members, 2 * size)


def _hits(hits: np.ndarray, members: np.ndarray, n: int, count: int) -> list[tuple[float, int]]:
    """Two-sided p-values of (k,) numbers of flips among (k,) numbers of labels, and which."""
    expected = members * count / n
    spread = np.sqrt(np.maximum(1e-9, expected * (1 - members / n) * (n - count) / max(1, n - 1)))
    some = _farthest((hits - expected) / spread)
    law = hypergeom(n, members[some], count)
    tails = np.minimum(law.cdf(hits[some]), law.sf(hits[some] - 1))
    return list(zip(np.minimum(1.0, 2 * tails).tolist(), some, strict=True))


def _with_truth(flipped: np.ndarray, truth: np.ndarray) -> Member:
    """Flips where the truth d places on is 1, for every d: hypergeometric."""
    members: list[Member] = []
    for bits in truth.T.astype(float):
        hits = _correlated(flipped.astype(float), bits, flipped.size)
        ones = np.full(hits.size, int(bits.sum()))
        tests = _hits(hits, ones, flipped.size, int(flipped.sum()))
        members += [(p, f"{d} lines") for p, d in tests]
    return _least(members, truth.size)


def _labels_with_truth(flipped: np.ndarray, truth: np.ndarray) -> Member:
    """Flips where the truth is that of d places on, for every d > 0: hypergeometric.

    A label that repeats the truth of another place is flipped where the two truths differ.
    """
    n, members = flipped.size, []
    for bits in truth.T.astype(float):
        signs = 2 * bits - 1
        alike = (n + _correlated(signs, signs, n)) // 2
        turned = np.where(flipped, signs, 0.0)
        hits = (int(flipped.sum()) + _correlated(turned, signs, n)) // 2
        tests = _hits(hits[1:], alike[1:], n, int(flipped.sum()))
        members += [(p, f"{d + 1} lines") for p, d in tests]
    return _least(members, truth.size)


def _over_blocks(flipped: np.ndarray) -> Member:
    """Blocks of every size that follow each other, the last one shorter."""
    n = flipped.size
    sizes = np.arange(2, min(EVERY_BLOCK, n // 2) + 1)
    if n // 2 > EVERY_BLOCK:
        more = np.geomspace(EVERY_BLOCK, n // 2, int(np.log(n / 2 / EVERY_BLOCK) * FINER) + 2)
        sizes = np.unique(np.concatenate([sizes, more.astype(int)]))
    sums = np.concatenate([[0], np.cumsum(flipped)])

    def counts(size: int) -> tuple[np.ndarray, np.ndarray]:
        ends = np.append(np.arange(0, n, size), n)
        return np.diff(sums[ends]), np.diff(ends)

    return _over(sizes.tolist(), counts, "blocks of {} lines")


def _over_periods(flipped: np.ndarray) -> Member:
    """Lines whose places have the same rest, for every period."""
    n = flipped.size

    def counts(period: int) -> tuple[np.ndarray, np.ndarray]:
        rows = -(-n // period)
        padded = np.zeros(rows * period, np.int32)
        padded[:n] = flipped
        rests = np.arange(period)
        return padded.reshape(rows, period).sum(0), rows - (rests >= n - (rows - 1) * period)

    return _over(range(2, min(MOST_PERIODS, n // 4) + 1), counts, "a period of {} lines")


def _over(
    members: Iterable[int], counts: Callable[[int], tuple[np.ndarray, np.ndarray]], name: str
) -> Member:
    """The least p-value of groupings by a number, of which those farthest off are looked at."""
    numbers = list(members)
    scores = np.array([_scores(*counts(number)) for number in numbers]).reshape(-1, 2)
    some = {k for column in scores.T for k in _farthest(column)}
    tests = (_of_counts(*counts(numbers[k]), name.format(numbers[k])) for k in sorted(some))
    return _least((_least(both, 1) for both in tests), len(numbers))


def _scores(counts: np.ndarray, sizes: np.ndarray) -> tuple[float, float]:
    """How far the spread of counts is from what is expected, and the farthest count."""
    q = counts.sum() / sizes.sum()
    coin = q * (1 - q)
    squares = (counts - sizes * q) ** 2 / (sizes * coin)
    spread = np.sqrt(np.sum(np.maximum(2 + (1 - 6 * coin) / (sizes * coin), 1e-9)))
    left = np.maximum(1e-9, 1 - sizes / sizes.sum())
    return (squares.sum() - squares.size + 1) / spread, float(np.sqrt((squares / left).max()))


def _of_counts(counts: np.ndarray, sizes: np.ndarray, name: str) -> Iterator[Member]:
    """p-values of (G,) flips in groups of (G,) sizes: each group by itself, and their spread.

    Each share of the level is a half, so that p-values are doubled.
    """
    n, count = int(sizes.sum()), int(counts.sum())
    if sizes.size < 2 or not 0 < count < n:
        return
    of_one = min((p for p, _ in _hits(counts, sizes, n, count)), default=1.0)
    yield min(1.0, 2 * sizes.size * of_one), name
    score = _scores(counts, sizes)[0]
    if abs(score) > FAR:
        yield min(1.0, 4 * spread_bound(counts, sizes, 1 if score > 0 else -1)), name


def spread_bound(counts: np.ndarray, sizes: np.ndarray, way: int) -> float:
    """A bound on the probability that flips are spread as unevenly, or as evenly, over groups.

    The spread is T = Σ_g (F_g − s_g q)²/s_g, with q = f/n of f flips among n labels.  Given f, the
    counts F_g are independent binomials of probability q given their sum.  So for every λ and
    every θ of the sign of ``way``

        P(T as far as t | f) ≤ E exp(θ (T − t) + λ (ΣF_g − f)) / P(Bin(n, q) = f),

    which is made small by Newton's steps; wherever they end the bound holds.

    Args:
        counts: (G,) flips in each group.
        sizes: (G,) labels in each group.
        way: 1: as unevenly or more so; −1: as evenly or more so.
    """
    n, count = int(sizes.sum()), int(counts.sum())
    q = count / n
    spread = float(np.sum((counts - sizes * q) ** 2 / sizes))
    distinct, times = np.unique(sizes, return_counts=True)
    # One long axis: every possible count of every distinct size.
    starts = np.concatenate([[0], np.cumsum(distinct + 1)[:-1]])
    of_size = np.repeat(np.arange(distinct.size), distinct + 1)
    flips = np.arange(of_size.size) - starts[of_size]
    size = distinct[of_size]
    law = _log_choose(size, flips) + flips * np.log(q) + (size - flips) * np.log1p(-q)
    centred = flips - size * q
    squares = centred**2 / size

    def moments(theta: float, tilt: float) -> tuple[float, np.ndarray, np.ndarray]:
        power = law + theta * squares + tilt * centred
        top = np.maximum.reduceat(power, starts)
        weights = np.exp(power - top[of_size])
        total = np.add.reduceat(weights, starts)
        weights *= (times / total)[of_size]
        value = float(times @ (top + np.log(total))) - theta * spread
        means = [np.add.reduceat(weights * x, starts) for x in (squares, centred)]
        slope = np.array([means[0].sum() - spread, means[1].sum()])
        products = squares * squares, squares * centred, centred * centred
        second = [weights @ x for x in products]
        minus = [(a * b / times).sum() for a, b in ((means[0],) * 2, means, (means[1],) * 2)]
        rows = [x - y for x, y in zip(second, minus, strict=True)]
        return value, slope, np.array([[rows[0], rows[1]], [rows[1], rows[2]]])

    at, (value, slope, curve) = np.zeros(2), moments(0.0, 0.0)
    if np.sign(-slope[0]) != way:
        return 1.0
    for _ in range(STEPS):
        step = -np.linalg.solve(curve + 1e-12 * np.trace(curve) * np.eye(2) + 1e-300, slope)
        for shorter in 0.5 ** np.arange(SHORTER):
            new = at + shorter * step
            if np.sign(new[0]) != way:
                continue
            trial = moments(*new)
            if trial[0] < value:
                break
        else:
            break
        gain, at, (value, slope, curve) = value - trial[0], new, trial
        if gain < 1e-3:
            break
    return float(min(1.0, np.exp(value - binom.logpmf(count, n, q))))


STEPS, SHORTER = 40, 8
"""Newton's steps, and halves of each that are tried."""
