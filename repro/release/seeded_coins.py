"""Whether somebody could toss the coins again: with a common seed, or with the texts.

A coin may be a hash of the chosen response.  Then the truth goes into what is tossed, and would
give itself away; so a line is guessed only where either response gives the same side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from repro.base.notation import flip_prob, keep_prob
from repro.release.matching import MatchedRelease
from repro.release.scoring import Finding, excess, independent
from repro.release.tossed_coins import Tossed, tossed

COMMON_BUDGETS = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0)
"""Budgets whose coins are tried besides the one claimed."""


def seeded_coins(
    matched: MatchedRelease, strata: np.ndarray, epsilon: float, seeds: Sequence[int]
) -> Finding:
    """Toss the coins again, and count on other lines than those that chose generator and seed.

    Args:
        matched: (n,) lines.
        strata: (n,) theirs.
        epsilon: budget of the flips.
        seeds: seeds that stand in the manifest, or the file's name or times.
    """
    targets = np.stack([matched.truth, matched.truth * matched.position, matched.kept])
    turns = np.stack(
        [matched.labels, matched.labels * matched.position, np.ones_like(matched.labels)]
    )
    agreements = ((*_agreement(coins, targets), coins) for coins in tossed(matched, seeds))
    _, target, way, coins = max(agreements, key=lambda found: found[0])
    test = coins.frame.confirm
    told = _told(coins, way, targets[target], epsilon) * turns[target, test]
    found = excess(told, matched.kept[test], strata[test])
    return independent("seeded coins", found, f"best: {coins.words[way]}")


def _agreement(coins: Tossed, targets: np.ndarray) -> tuple[float, int, int]:
    """How well coins go with a target (of 3), with which, and by which way, where they are sought.

    What they go with must not depend on which response was chosen.
    """
    seen = (coins.drawn[:, 0::2] + coins.otherwise[:, 0::2]) / 2
    wanted = targets[:, coins.frame.seek]
    agree = np.abs((wanted - wanted.mean(axis=1, keepdims=True)) @ seen.T)
    agree /= np.maximum(seen.std(axis=1), 1e-9)
    target, way = np.unravel_index(np.argmax(agree), agree.shape)
    return float(agree.max()), int(target), int(way)


def _told(coins: Tossed, way: int, target: np.ndarray, epsilon: float) -> np.ndarray:
    """(k,) ±1 for each line that confirms; 0 where it depends on which response was chosen."""
    cut, turn = _best_cut(coins.drawn[way, 0::2], target[coins.frame.seek], epsilon)
    side, otherwise = (numbers[way, 1::2] < cut for numbers in (coins.drawn, coins.otherwise))
    return np.where(side, turn, -turn) * (side == otherwise)


def _best_cut(drawn: np.ndarray, wanted: np.ndarray, epsilon: float) -> tuple[float, int]:
    """The number below which a coin shows one side, and which: ±1."""
    budgets = (epsilon, *COMMON_BUDGETS)
    cuts = np.array([0.5, *map(keep_prob, budgets), *map(flip_prob, budgets)])
    agree = (drawn < cuts[:, None]).astype(float) @ (wanted - wanted.mean())
    best = int(np.argmax(np.abs(agree)))
    return float(cuts[best]), 1 if agree[best] >= 0 else -1
