"""The attacks on a release: label, order, line order, coin, identifier, duplicates, text, joint.

Each returns findings; none prints or keeps a label.  All but ``duplicates`` look at one line of
each comparison, so that their evidence is independent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from repro.base.notation import flip_prob, keep_prob
from repro.privacy.black_box import likelihood_ratio_attack
from repro.release.opened import Opened
from repro.release.ordered_hashes import guess_by_hash
from repro.release.scoring import EACH, Finding, halves, scored
from repro.release.seeded_coins import streams
from repro.release.signals import edit_signals, few, field_signals, guesses, line_signals

PROBES = 1024
"""Lines on which seeded coins are sought; as many others confirm the best."""

COMMON_BUDGETS = (0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0)
"""Budgets whose coins are tried besides the one claimed."""


@dataclass(frozen=True)
class Allowance:
    """What randomized response allows: its ε, and the accuracy of guessing with it."""

    epsilon: float
    accuracy: float


def attack_all(opened: Opened, allowed: Allowance) -> list[Finding]:
    """Every attack on a release; ``allowed.accuracy`` includes what the texts alone tell."""
    single = opened.one_a_comparison()
    return [
        *label(single, allowed),
        *order(single, allowed),
        *line_order(single, allowed),
        *coin(single, allowed),
        *identifier(single, allowed),
        *duplicates(opened, allowed),
        *text(single, allowed),
        *joint(single, allowed),
    ]


def label(opened: Opened, allowed: Allowance) -> Iterator[Finding]:
    """Believe the released label."""
    right = opened.labels == opened.truth
    yield scored("label", right, allowed.accuracy, "the released label, taken at its word")


def order(opened: Opened, allowed: Allowance) -> Iterator[Finding]:
    """Believe the order of the two responses."""
    fit, test = halves(len(opened.lines))
    sign = 1 if opened.truth[fit].sum() >= 0 else -1
    words = "response_1" if sign > 0 else "response_2"
    yield scored(
        "order", opened.truth[test] == sign, allowed.accuracy, f"{words} is the chosen one"
    )


def line_order(opened: Opened, allowed: Allowance) -> Iterator[Finding]:
    """Guess the response that makes the lines sorted; or learn from the line's number."""
    fit, test = halves(len(opened.lines))
    place = np.linspace(0, 1, len(opened.lines))
    best = None
    for name, key in (("text", lambda text: text), ("length", len)):
        misfit = np.abs(_ranks(opened, key) - place[:, None])
        guess = np.where(misfit[:, 0] <= misfit[:, 1], 1, -1)
        for sign in (1, -1):
            right = sign * guess == opened.truth
            if best is None or right[fit].mean() > best[0]:
                best = right[fit].mean(), right, name
    assert best is not None
    yield scored("line order", best[1][test], allowed.accuracy, f"lines sorted by {best[2]}")
    yield _learned("line order", opened, list(line_signals(opened)), allowed)


def coin(opened: Opened, allowed: Allowance) -> Iterator[Finding]:
    """Toss the coins again, from common generators and seeds."""
    half = min(PROBES, len(opened.lines) // 2)
    fit, test = slice(0, half), slice(half, 2 * half)
    targets = _targets(opened)[:, : 2 * half]
    places = [[line.place for line in opened.lines], [line.origin for line in opened.lines]]
    places = [np.array(at[: 2 * half]) for at in places]
    budgets = (allowed.epsilon, *COMMON_BUDGETS)
    cuts = np.array([0.5, *map(keep_prob, budgets), *map(flip_prob, budgets)])
    best, right, words = -1.0, targets[0] == 0, "none"
    for name, drawn in streams(1 + max(int(at.max()) for at in places)):
        for at in places:
            bits = np.where(drawn[at][None, :] < cuts[:, None], 1, -1)
            agree = bits[:, None, fit] == targets[None, :, fit]
            hits = agree.mean(axis=2)
            found = float(max(hits.max(), 1 - hits.min()))
            if found > best:
                flat = np.argmax(np.maximum(hits, 1 - hits))
                cut, target = np.unravel_index(flat, hits.shape)
                same = bits[cut] == targets[target]
                best, words = found, name
                right = same if hits[cut, target] >= 0.5 else ~same
    yield scored("coin", right[test], allowed.accuracy, f"best seed: {words}")


def identifier(opened: Opened, allowed: Allowance) -> Iterator[Finding]:
    """Recompute identifiers in both orders; learn from extra fields."""
    recipe, which = guess_by_hash(list(opened.lines))
    if recipe:
        told = np.array(which)
        fit, test = halves(len(told))
        sign = 1 if (told[fit] * opened.truth[fit]).sum() >= 0 else -1
        test = test[told[test] != 0]
        right = sign * told[test] == opened.truth[test]
        yield scored("identifier", right, allowed.accuracy, recipe)
    yield _learned("identifier", opened, list(field_signals(opened)), allowed)


def duplicates(opened: Opened, allowed: Allowance) -> Iterator[Finding]:
    """Take the majority of the labels of repeated comparisons."""
    votes: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for line, position in zip(opened.lines, opened.position, strict=True):
        votes[line.comparison].append(int(position) * int(line.values["label"]))
    first = {line.comparison: line.chosen < line.rejected for line in opened.lines}
    decided = [(sum(v) > 0) == first[c] for c, v in votes.items() if len(v) > 1 and sum(v)]
    yield scored(
        "duplicates", np.array(decided, dtype=bool), allowed.accuracy, "majority of repeated lines"
    )


def text(opened: Opened, allowed: Allowance) -> Iterator[Finding]:
    """Learn from whatever was changed in the responses."""
    yield _learned("text", opened, list(edit_signals(opened)), allowed)


def joint(opened: Opened, allowed: Allowance) -> Iterator[Finding]:
    """Certify ε from order and label together, apart for either response being longer."""
    truth = opened.truth * opened.position
    cells = (opened.labels * opened.position + 1) + (opened.position + 1) // 2
    longer = np.array([len(one) > len(two) for one, two in map(_text_order, opened.lines)])
    level = 1 - (1 - EACH) / 2
    bounds = []
    for stratum in (longer, ~longer):
        one, other = (_mixed(cells[stratum & (truth == side)]) for side in (1, -1))
        bounds.append(likelihood_ratio_attack(one, other, 0.0, level))
    found, count = max(bounds), len(opened.lines)
    yield Finding(
        "joint", "epsilon", found, found, allowed.epsilon, count, "order and label together"
    )


def _learned(attack: str, opened: Opened, signals: list, allowed: Allowance) -> Finding:
    """The signal and target that do best on one half, counted on the other."""
    fit, test = halves(len(opened.lines))
    best, right, words = -1.0, np.zeros(0, dtype=bool), "nothing to learn from"
    for name, categories in signals:
        if not few(categories):
            continue
        for target in _targets(opened):
            seen = guesses(categories, target, fit, fit) == target[fit]
            if seen.mean() > best:
                best, words = float(seen.mean()), name
                right = guesses(categories, target, fit, test) == target[test]
    return scored(attack, right, allowed.accuracy, words)


def _targets(opened: Opened) -> np.ndarray:
    """(3, n) ±1: the label in the released frame, in the text frame, and whether it was kept."""
    return np.stack([opened.truth, opened.truth * opened.position, opened.truth * opened.labels])


def _ranks(opened: Opened, key) -> np.ndarray:
    """(n, 2) share of all responses that come before response_1 and response_2."""
    keys = [
        key(line.values[name]) for name in ("response_1", "response_2") for line in opened.lines
    ]
    places = {value: place for place, value in enumerate(sorted(set(keys)))}
    ranks = np.array([places[value] for value in keys]) / max(1, len(places) - 1)
    return ranks.reshape(2, -1).T


def _text_order(line) -> tuple[str, str]:
    return line.comparison[1], line.comparison[2]


def _mixed(cells: np.ndarray) -> np.ndarray:
    return cells[np.random.default_rng(0).permutation(cells.size)]
