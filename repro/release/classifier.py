"""A classifier that learns, from whatever tokens a line has, whether its label was kept.

Tokens are hashed to binary features.  Rules are fitted to some lines, one of them is chosen on
others, and it alone is counted on the rest, so its p-value needs no correction for the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from repro.release.matching import MatchedRelease
from repro.release.scoring import Finding, excess, independent
from repro.release.strata import Split

FEATURES = 1 << 18
RAREST = 4
"""Lines that must have a token, and lack it, for it to be learned from."""
SHARES = (1.0, 0.5, 0.25, 0.1, 0.05, 0.02)
"""Shares of lines, the surest, for which a guess is made: a leak need not be in every line."""
TREE_LINES = 6000
TREE_FEATURES = 3000
SEEN: Any = 0.1
"""Share of features that a branch chooses from; the stubs know only its names."""

Score = Callable[[Any], np.ndarray]


@dataclass(frozen=True)
class Rule:
    """Guesses whether labels were kept: 0 where unsure."""

    score: np.ndarray
    cut: float
    turn: np.ndarray
    p_value: float

    def guess(self, places: np.ndarray) -> np.ndarray:
        """±1 or 0 for each place."""
        score = self.score[places]
        sure = (np.abs(score) >= self.cut) & (score != 0)
        return np.where(sure, np.sign(score), 0).astype(int) * self.turn[places]


def learned(
    attack: str,
    found: Any,
    matched: MatchedRelease,
    strata: np.ndarray,
    parts: Split,
    detail: str,
    trees: bool = False,
) -> Finding:
    """Learn from features, and count on held-out lines.

    Args:
        attack: its name.
        found: (k, m) what ``features`` returns.
        matched: (n,) lines.
        strata: (n,) within which nothing may be learned.
        parts: which lines to fit, choose and count.
        detail: what the features describe.
        trees: also fit trees, which see what only several features together tell.
    """
    rules = _rules(found, matched, strata, parts, trees) if found.shape[1] else iter(())
    best = min(rules, key=lambda rule: rule.p_value, default=None)
    guess = best.guess(parts.test) if best else np.zeros(parts.test.size, dtype=int)
    hits = excess(guess, matched.kept[parts.test], strata[parts.test])
    return independent(attack, hits, detail if best else f"{detail}: the same in every line")


def features(tokens: Sequence[Sequence[str]], parts: Split) -> Any:
    """Binary features that vary: sparse (k, m), of the k lines that are looked at.

    Args:
        tokens: (k,) those of each line.
        parts: which lines to fit, choose and count.
    """
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction import FeatureHasher

    if not any(tokens):
        return csr_matrix((len(tokens), 0))
    hasher = FeatureHasher(FEATURES, input_type="string", alternate_sign=False)
    found: Any = hasher.transform(tokens)
    found.data[:] = 1.0
    fit = parts.among_looked(parts.fit)
    have = np.asarray(found[fit].sum(axis=0)).ravel()
    return found[:, np.flatnonzero((have >= RAREST) & (have <= fit.size - RAREST))]


def side_by_side(parts: Iterable[Any]) -> Any:
    """All the features of the same lines."""
    from scipy.sparse import hstack

    return hstack(list(parts), format="csr")


def _rules(found, matched: MatchedRelease, strata, parts: Split, trees: bool) -> Iterator[Rule]:
    """Every rule, with its p-value on the lines that choose."""
    looked = parts.looked
    known = found[parts.among_looked(parts.fit)]
    for target, turn in _targets(matched):
        if np.unique(target[parts.fit]).size < 2:
            continue
        for fitted in (*FEW, _linear, _trees)[: len(FEW) + 1 + trees]:
            score = np.zeros(target.size)
            score[looked] = fitted(known, target[parts.fit])(found)
            yield from _cut(score, turn, matched.kept, strata, parts)


def _targets(matched: MatchedRelease) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(n,) ±1 to learn, and the factor that makes of it whether the label was kept."""
    for turn in (matched.labels, matched.labels * matched.position, np.ones_like(matched.labels)):
        yield matched.kept * turn, turn


def _cut(score, turn, kept, strata, parts: Split) -> Iterator[Rule]:
    size = np.abs(score[parts.choose])
    for share in SHARES:
        rule = Rule(score, float(np.quantile(size, 1 - share)), turn, 1.0)
        found = excess(rule.guess(parts.choose), kept[parts.choose], strata[parts.choose])
        yield Rule(score, rule.cut, turn, found.p_value)


def _likeliest(many: int) -> Callable[[Any, np.ndarray], Score]:
    """Count the few tokens that tell most by themselves; they are not lost among many others."""

    def fitted(known, target: np.ndarray) -> Score:
        have = np.asarray(known.mean(axis=0)).ravel()
        told = known.T @ (target - target.mean())
        worth = told / np.sqrt(have * (1 - have))
        best = np.argsort(-np.abs(worth), kind="stable")[:many]
        return lambda rows: rows[:, best] @ np.sign(worth[best])

    return fitted


FEW = tuple(map(_likeliest, (1, 2, 4, 8)))


def _linear(known, target: np.ndarray) -> Score:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1.0, solver="liblinear", tol=0.01)
    model.fit(known, target)
    usual = _log_odds((target > 0).mean())
    return lambda rows: model.decision_function(rows) - usual


def _trees(known, target: np.ndarray) -> Score:
    from sklearn.ensemble import ExtraTreesClassifier

    step = -(-target.size // TREE_LINES)
    known, target = known[::step], target[::step]
    spread = np.asarray(known.mean(axis=0)).ravel()
    columns = np.argsort(-spread * (1 - spread), kind="stable")[:TREE_FEATURES]
    model: Any = ExtraTreesClassifier(30, min_samples_leaf=3, max_features=SEEN, random_state=0)
    model.fit(known[:, columns], target)
    usual = _log_odds((target > 0).mean())
    return lambda rows: _log_odds(model.predict_proba(rows[:, columns])[:, 1]) - usual


def _log_odds(share):
    share = np.clip(share, 1e-3, 1 - 1e-3)
    return np.log(share / (1 - share))
