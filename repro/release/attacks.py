"""The attacks on a release, special ones first, and a classifier over everything behind them.

Each returns findings; none prints or keeps a label.  All but ``duplicates`` and ``counts`` look at
one line of each comparison, so that their evidence is independent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from repro.privacy.black_box import Counts, certified_epsilon
from repro.release.beside import Beside, sequences, told_secrets
from repro.release.classifier import RAREST, features, learned, side_by_side
from repro.release.coin_patterns import shared_coins
from repro.release.edits import edit_tokens
from repro.release.extra_fields import field_tokens
from repro.release.fitted_counts import fitted_tokens
from repro.release.matching import Line, MatchedRelease
from repro.release.noise import uneven_noise
from repro.release.ordered_hashes import guess_by_hash
from repro.release.places import (
    beyond_chance,
    count_tokens,
    moved_tokens,
    order_tokens,
    sorted_guess,
)
from repro.release.scoring import EACH, Finding, excess, independent, scored
from repro.release.seeded_coins import seeded_coins
from repro.release.skeleton import byte_tokens
from repro.release.strata import Split, classes, line_strata, origin_classes, split, text_classes

Tokens = list[list[str]]


@dataclass(frozen=True)
class Allowance:
    """What randomized response allows: its ε, and the accuracy of guessing with it."""

    epsilon: float
    accuracy: float


@dataclass(frozen=True)
class Scene:
    """What every attack sees.

    Attributes:
        every: all lines.
        single: one line of each comparison.
        beside: manifest, name and times of the file.
        original: the original's path.
        allowed: what attacks on the label are held against.
        parts: which lines to fit, choose and count.
        texts: (n,) classes of the single lines by what their texts tell.
        strata: (n,) the same with label and order of responses.
    """

    every: MatchedRelease
    single: MatchedRelease
    beside: Beside
    original: Path
    allowed: Allowance
    parts: Split
    texts: np.ndarray
    strata: np.ndarray


def scene(matched: MatchedRelease, beside: Beside, original: Path, allowed: Allowance) -> Scene:
    """Prepare the attacks on a release."""
    single = matched.one_a_comparison
    parts = split(len(single.lines))
    texts = text_classes(single, parts.fit)
    strata = line_strata(single, texts)
    return Scene(matched, single, beside, original, allowed, parts, texts, strata)


def attack_all(seen: Scene) -> list[Finding]:
    """Every attack on a release; ``allowed.accuracy`` includes what the texts alone tell."""
    single, strata, parts = seen.single, seen.strata, seen.parts
    counts = count_tokens(single, seen.every, parts.looked)
    lines = [single.lines[i] for i in parts.looked]
    tokens: dict[str, tuple[Tokens, str]] = {
        "bytes": (byte_tokens(lines), "how lines are written"),
        "texts": (edit_tokens(lines), "what was changed in texts"),
        "line order": (order_tokens(single, parts.looked), "where lines stand"),
        "moved lines": (moved_tokens(single, parts.looked), "where they stood in the original"),
        "fields": (_fields(lines, parts), "what other fields hold"),
        "counts": (counts, "lines that come more often"),
        "manifest": (_beside_tokens(seen), "values for each line beside the release"),
    }
    known = {name: (features(t, parts), words) for name, (t, words) in tokens.items()}
    origins = origin_classes(single, parts)
    both = line_strata(single, 2 * seen.texts + origins)
    # what stands beside the lines cannot depend on their texts, and may tell of few lines only,
    # which must not be spread over as many strata
    known_too = {"manifest": line_strata(single, origins), "moved lines": both}
    together = side_by_side(f for f, _ in known.values())
    return [
        *label(seen),
        uneven_noise(single, seen.allowed.epsilon, parts),
        seeded_coins(single, strata, seen.allowed.epsilon, seen.beside.seeds()),
        *shared_coins(single),
        *duplicates(seen),
        order(seen),
        sorted_lines(seen),
        identifier(seen),
        missing(seen),
        *manifest(seen),
        *(learned(a, f, single, known_too.get(a, strata), parts, t) for a, (f, t) in known.items()),
        learned("together", together, single, both, parts, "all of these", trees=True),
    ]


def label(seen: Scene) -> Iterator[Finding]:
    """Believe the released label; and certify ε from it, apart for either truth."""
    right = seen.single.kept > 0
    yield scored("label", right, seen.allowed.accuracy, "the released label, taken at its word")
    yield _certified(seen)


def order(seen: Scene) -> Finding:
    """Believe the order of the two responses, or its contrary."""
    single = seen.single
    side = single.labels * single.position
    strata = 2 * seen.texts + (side > 0)
    both = (excess(s * single.position, single.truth * single.position, strata, 2) for s in (1, -1))
    best = min(both, key=lambda found: found.p_value)
    return independent("order", best, "the order of the two responses")


def sorted_lines(seen: Scene) -> Finding:
    """Guess the response that makes the lines sorted; some of them are sorted, too."""
    some, strata = seen.single.some(seen.parts.looked), seen.strata[seen.parts.looked]
    parts = split(len(some.lines))
    best = None
    for words, rule in sorted_guess(some, parts.fit):
        guess = rule(np.arange(len(some.lines))) * some.labels
        found = excess(guess[parts.choose], some.kept[parts.choose], strata[parts.choose])
        if best is None or found.p_value < best[0]:
            best = found.p_value, words, rule
    assert best is not None
    found = beyond_chance(some, best[2], parts.test, strata)
    return independent("line order", found, best[1])


def identifier(seen: Scene) -> Finding:
    """Recompute identifiers as if either response were the chosen one."""
    words, told = guess_by_hash(seen.single.lines, seen.beside.salts())
    test = seen.parts.test
    guess = np.array(told)[test] * seen.single.labels[test]
    found = excess(guess, seen.single.kept[test], seen.strata[test])
    return independent("identifier", found, words or "no hash of the texts or the label found")


def duplicates(seen: Scene) -> Iterator[Finding]:
    """Take the majority of the labels of repeated comparisons."""
    votes: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    every = seen.every
    for line, side in zip(every.lines, every.labels * every.position, strict=True):
        votes[line.comparison].append(int(side))
    first = {line.comparison: line.chosen < line.rejected for line in every.lines}
    decided = [(sum(v) > 0) == first[c] for c, v in votes.items() if len(v) > 1 and sum(v)]
    right = np.array(decided, dtype=bool)
    yield scored("duplicates", right, seen.allowed.accuracy, "majority of repeated lines")


def missing(seen: Scene) -> Finding:
    """Guess the labels of comparisons that the release lacks from their being left out."""
    single = seen.single
    have = [(line.comparison, int(s)) for line, s in zip(single.lines, _sides(single), strict=True)]
    both = [*have, *single.missing]
    if not single.missing:
        return scored("missing", np.zeros(0, dtype=bool), np.nan, "no comparison is left out")
    side = np.array([s for _, s in both])
    group = classes([c for c, _ in both], side, seen.parts.fit)
    there = np.where(np.arange(len(both)) < len(have), 1, -1)
    found = (excess(turn * there, side, group, 2) for turn in (1, -1))
    best = min(found, key=lambda one: one.p_value)
    return independent("missing", best, "comparisons that were left out")


def manifest(seen: Scene) -> Iterator[Finding]:
    """Numbers and hashes beside the release that only the raw labels give."""
    secrets = told_secrets(
        seen.beside, seen.every, seen.single, seen.original, seen.allowed.epsilon
    )
    for words in secrets:
        yield Finding("manifest", "accuracy", np.nan, np.nan, np.nan, 0, True, words)


def _certified(seen: Scene) -> Finding:
    """The largest ε that certainly is exceeded by the label, in either frame."""
    single, level = seen.single, 1 - EACH / 4
    found, estimate = 0.0, 0.0
    for turn in (np.ones_like(single.labels), single.position):
        truth, told = single.truth * turn > 0, single.labels * turn > 0
        for side in (told, ~told):
            table = (side[truth], side[~truth])
            counts = Counts(*(int(x) for part in table for x in (part.sum(), part.size)))
            for one in (counts, counts.reversed()):
                if one.trials and one.other_trials:
                    found = max(found, certified_epsilon(one, 0.0, level))
                    estimate = max(estimate, _log_ratio(one))
    limit = seen.allowed.epsilon
    words = "epsilon of the label, for either truth"
    return Finding(
        "label eps", "epsilon", estimate, found, limit, single.labels.size, found > limit, words
    )


def _log_ratio(counts: Counts) -> float:
    share, other = counts.hits / counts.trials, counts.other_hits / counts.other_trials
    if not share:
        return 0.0
    return float(np.log(share / other)) if other else float("inf")


def _fields(lines: Sequence[Line], parts: Split) -> Tokens:
    fitted = fitted_tokens(lines, parts.among_looked(parts.fit))
    return [one + other for one, other in zip(field_tokens(lines), fitted, strict=True)]


def _beside_tokens(seen: Scene) -> Tokens:
    """A value for each line that is looked at, where something beside the release reads as one.

    A value that too few lines have, or lack, is left out here: the classifier would drop it, and
    a manifest's texts make hundreds of them for each line.
    """
    lines, looked = seen.single.lines, seen.parts.looked
    count = 1 + max(max(line.place for line in lines), max(line.origin for line in lines))
    numbers = {
        "place": np.array([lines[i].place for i in looked]),
        "origin": np.array([lines[i].origin for i in looked]),
    }
    found: Tokens = [[] for _ in looked]
    for number, (_, values) in enumerate(sequences(seen.beside, count)):
        for kind, at in numbers.items():
            within = np.flatnonzero(at < values.size)
            told = values[at[within]]
            for value, have in zip(*np.unique(told, return_counts=True), strict=True):
                if RAREST <= have <= looked.size - RAREST:
                    for line in within[told == value]:
                        found[line].append(f"{number} {kind} {value}")
    return found


def _sides(matched: MatchedRelease) -> np.ndarray:
    return matched.truth * matched.position
