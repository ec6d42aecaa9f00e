"""Judges of two responses, and win rates under them.

A judge here is a reward: planted where the data are generated, else fitted to pairs that no
policy was trained on.  It is not a person and not a large model; its win rates say how well a
policy found that reward, and they are named so.  A chat model can be asked instead.
"""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from repro.base.errors import BadInput
from repro.labels.preferences.financial_pairs import planted_reward
from repro.llm.experiments.procedures import PIPELINE
from repro.llm.training.pairs import TextPairs

Texts = Sequence[str]
Judge = Callable[[Texts, Texts, Texts], np.ndarray]
"""(prompts, responses shown first, responses shown second) → (n,) preference for the first, in
[0, 1], ½ at a tie."""

QUESTION = """Which answer to the question is better? Say A or B, nothing else.

Question: {}

A: {}

B: {}"""


def planted_judge(prompts: Texts, first: Texts, second: Texts) -> np.ndarray:
    """Prefers the response of higher planted reward."""
    gap = [planted_reward(a) - planted_reward(b) for a, b in zip(first, second, strict=True)]
    return _preference(np.array(gap))


@dataclass(frozen=True)
class HeldOutJudge:
    """A Bradley–Terry reward on word features, fitted to pairs of its own."""

    vectors: Any
    weights: np.ndarray

    @classmethod
    def of(cls, pairs: TextPairs) -> HeldOutJudge:
        """Fit to the labels of pairs that nothing else is trained on."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression

        vectors: Any = TfidfVectorizer(max_features=20_000, ngram_range=(1, 2))
        vectors.fit([*pairs.first, *pairs.second])
        gap = vectors.transform(pairs.first) - vectors.transform(pairs.second)
        fit = LogisticRegression(fit_intercept=False, C=2.0, max_iter=1000)
        return cls(vectors, fit.fit(gap, pairs.labels.numpy()).coef_[0])

    def __call__(self, prompts: Texts, first: Texts, second: Texts) -> np.ndarray:
        gap = self.vectors.transform(first) - self.vectors.transform(second)
        return _preference(gap @ self.weights)


@dataclass(frozen=True)
class ChatJudge:
    """A chat model behind an OpenAI-compatible address, a local server's or a provider's.

    Prompts and responses go to that address; labels never do.  The key, where one is needed, is
    read from the environment (``OPENAI_API_KEY``) and never kept.

    Attributes:
        endpoint: up to and with ``/v1``.
        model: as the server calls it.
        timeout: seconds for one answer.
    """

    endpoint: str
    model: str
    timeout: float = 60.0

    def __call__(self, prompts: Texts, first: Texts, second: Texts) -> np.ndarray:
        """Anything but A or B is a tie.

        Raises:
            BadInput: the address does not answer as such a server does.
        """
        rows = zip(prompts, first, second, strict=True)
        said = [self._asked(QUESTION.format(*row)).strip().upper()[:1] for row in rows]
        return np.array([{"A": 1.0, "B": 0.0}.get(answer, 0.5) for answer in said])

    def _asked(self, question: str) -> str:
        words = {"role": "user", "content": question}
        body = {"model": self.model, "messages": [words], "temperature": 0, "max_tokens": 1}
        head = {"Content-Type": "application/json"}
        if key := os.environ.get("OPENAI_API_KEY"):
            head["Authorization"] = f"Bearer {key}"
        address = f"{self.endpoint.rstrip('/')}/chat/completions"
        try:
            ask = urllib.request.Request(address, json.dumps(body).encode(), head)
            with urllib.request.urlopen(ask, timeout=self.timeout) as answer:
                return str(json.load(answer)["choices"][0]["message"]["content"])
        except (OSError, ValueError, LookupError, TypeError) as problem:
            reason = f"does not answer as an OpenAI-compatible server ({type(problem).__name__})"
            raise BadInput(f"{PIPELINE}.procedure.judge.endpoint", self.endpoint, reason) from None


def wins(judge: Judge, prompts: Texts, ours: Texts, theirs: Texts) -> np.ndarray:
    """(n,) share of the two orders in which a judge prefers ours: 0, ½ or 1, or between."""
    return (judge(prompts, ours, theirs) + 1 - judge(prompts, theirs, ours)) / 2


def longer_wins(ours: Texts, theirs: Texts) -> np.ndarray:
    """(n,) 1 where ours has more characters, ½ where as many, else 0."""
    return _preference(np.array([len(a) - len(b) for a, b in zip(ours, theirs, strict=True)]))


def length_controlled(
    won: np.ndarray, ours: Texts, theirs: Texts, weights: np.ndarray | None = None
) -> float:
    """Win rate at equal length: the intercept of wins on the difference of log lengths.

    Args:
        won: (n,) as of ``wins``.
        ours, theirs: (n,) the responses compared.
        weights: (n,) of the comparisons, at least 0; all alike by default.
    """
    lengths = (np.log1p([len(text) for text in texts]) for texts in (ours, theirs))
    gap = next(lengths) - next(lengths)
    (spread, shared), _ = np.cov(gap, won, aweights=weights, ddof=0)
    slope = shared / spread if spread > 0 else 0.0
    level = np.average(won, weights=weights) - slope * np.average(gap, weights=weights)
    return float(np.clip(level, 0.0, 1.0))


def _preference(gap: np.ndarray) -> np.ndarray:
    return 0.5 + 0.5 * np.sign(gap)
