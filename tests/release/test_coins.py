"""Families of tests of coins: their laws are exact or bounds, and they see what they look for."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import binom

from repro.labels.privacy.exact_response import ExactResponse
from repro.release import labels as tests_of_labels
from repro.release.coins import _correlated, fewest_seen, in_groups, in_places, spread_bound
from repro.release.groups import field_groups
from repro.release.labels import ALARM, NOISE, ReleasedLines, findings, unseen_share
from repro.release.manifest import exact_epsilon
from tests.release.coin_leaks import SEEN, UNSEEN, Coins

SIZES = np.array([4, 4, 3])


def arrangements(n, count):
    for some in combinations(range(n), count):
        flipped = np.zeros(n, bool)
        flipped[list(some)] = True
        yield flipped


def test_families_of_places_keep_their_level_over_all_arrangements():
    """Each p-value is at most α in a share of at most α of all sets of three among nine."""
    truth = np.array([[1, 0, 1, 1, 0, 1, 0, 0, 1]], bool).T
    p_values: dict[str, list[float]] = {}
    for flipped in arrangements(9, 3):
        for name, (p, _) in in_places(flipped, truth):
            p_values.setdefault(name, []).append(p)
    assert len(p_values) == 6
    for name, some in p_values.items():
        for alpha in sorted(set(some)):
            assert alpha == 1 or np.mean(np.array(some) <= alpha) <= alpha + 1e-12, name


def test_neighbours_at_any_distance_have_the_law_of_runs():
    """Every distance on a circle of eleven places, over all sets of five flips."""
    flips = [flipped.astype(float) for flipped in arrangements(11, 5)]
    pairs = np.array([_correlated(f, f, 11)[1:6] for f in flips])
    expected = [comb(4, 5 - k - 1) * comb(5, 5 - k - 1) * 11 / (5 - k) for k in range(5)]
    for column in pairs.T:
        assert np.bincount(column, minlength=5).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("way", [1, -1])
def test_the_spread_over_groups_is_bounded_for_every_arrangement(way):
    ids = np.repeat(np.arange(3), SIZES)
    counts = np.array([np.bincount(ids, f).astype(int) for f in arrangements(11, 4)])
    spreads = ((counts - SIZES * 4 / 11) ** 2 / SIZES).sum(1)
    bounds = [spread_bound(row, SIZES, way) for row in counts]
    for spread, bound in zip(spreads, bounds, strict=True):
        assert np.mean(way * spreads >= way * spread - 1e-9) <= bound + 1e-12
    assert min(bounds) < 1


def test_the_bound_of_a_spread_is_sharp_far_out():
    """All of 21 blocks have their mean: the exact probability is within a factor of 1,000."""
    sizes, counts = np.full(21, 100), np.full(21, 27)
    exact = binom.pmf(27, 100, 0.27) ** 21 / binom.pmf(567, 2100, 0.27)
    assert exact <= spread_bound(counts, sizes, -1) < 1e3 * exact


def lines_of(coins, flipped):
    frames = np.stack([coins.truth, coins.origin % 3 == 0, coins.origin % 5 < 2], 1)
    places = np.arange(coins.n)
    return ReleasedLines(
        ~flipped, frames, np.zeros(coins.n, bool), coins.origin, places, {}, coins.groups
    )


def leaks(name, leak):
    n, epsilon = (220, "3") if "220" in name else (2100, "1")
    q = float(ExactResponse.at(exact_epsilon(epsilon)).flip_prob)
    coins = Coins.of(n, q, seed=1)
    return [test.what for test in findings(lines_of(coins, leak(coins)), q) if test.leaks]


@pytest.mark.some(4)
@pytest.mark.parametrize("name", SEEN)
def test_leaks_that_a_family_sees(name):
    assert leaks(name, SEEN[name])


@pytest.mark.some(1)
@pytest.mark.parametrize("name", UNSEEN)
def test_leaks_that_nobody_sees_without_the_rule(name):
    """Said on the page: a rule that is on no list, and fewer raw lines than the printed share."""
    assert leaks(name, UNSEEN[name]) == []


@pytest.mark.slow
def test_honest_coins_are_not_accused():
    draw = np.random.default_rng(5)
    for number in range(100):
        q = 1 / (1 + np.exp(draw.uniform(0.1, 4)))
        coins = Coins.of(int(30 * 100 ** draw.random()), q, number)
        tests = findings(lines_of(coins, coins.honest()), q)
        assert [test.what for test in tests if test.leaks] == [], number


def test_the_level_is_shared_out(monkeypatch):
    coins = Coins.of(400, 0.27, 1)
    monkeypatch.setattr(tests_of_labels, "_learned", lambda lines: iter(()))
    limits = [test.limit for test in findings(lines_of(coins, coins.honest()), 0.27)]
    shares = tests_of_labels.NOISE + tests_of_labels.TRUTHS + tests_of_labels.PLACES
    assert sum(limits) == pytest.approx(ALARM * (shares + tests_of_labels.GROUPS))
    every = tests_of_labels.AGREED + tests_of_labels.LEARNED + tests_of_labels.GROUPS + shares
    assert every == pytest.approx(1)


@pytest.mark.parametrize(("n", "epsilon"), [(1000, 1), (10_000, 1), (220, 3), (2000, 0.2)])
def test_the_printed_power_is_that_of_the_number_of_flips(n, epsilon):
    q, limit = 1 / (1 + np.exp(epsilon)), ALARM * NOISE
    fewest = fewest_seen(n, q, limit)
    counts = np.arange(n + 1)
    seen = binom.cdf(counts, n, q) < limit
    at = [binom.pmf(counts, n - raw, q) @ seen for raw in (fewest - 1, fewest)]
    assert at[0] < 0.5 <= at[1]
    assert unseen_share(n, q) == fewest / n
    assert unseen_share(20, q) == 1 or epsilon < 1


def test_groups_are_those_of_every_field(tmp_path):
    rows = [
        {"prompt": f"{k}", "chosen": "a", "rejected": "b", "annotator": f"w{k % 3}", "score": k / 7,
         **({"tags": [k % 2]} if k else {})}
        for k in range(40)
    ]  # fmt: skip
    groups = field_groups(rows)
    assert set(groups) == {"annotator", "score", "tags"}
    assert [len(np.unique(groups[name])) for name in ("annotator", "score", "tags")] == [3, 10, 3]
    assert len(np.unique(groups["annotator"][::3])) == 1
    import pandas as pd

    pd.DataFrame(rows).to_parquet(tmp_path / "in.parquet")
    of_table = field_groups(str(tmp_path / "in.parquet"))
    assert set(of_table) == set(groups)
    assert (in_groups(np.arange(40) % 3 == 0, of_table["annotator"])[0] < 1e-4) is True
