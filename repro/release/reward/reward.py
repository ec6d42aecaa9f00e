"""A released reward: loaded from its file, and scored with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from repro.base.errors import BadInput
from repro.base.files import small_text
from repro.release.reward.features import MAP, clipped_to, text_map

FORMAT, LARGEST = "repro-reward/1", 1 << 31
_START = f'{{\n "format": "{FORMAT}"'.encode()


@dataclass(frozen=True, eq=False, repr=False)
class PrivateReward:
    """r(φ) = ⟨θ, φ⟩.

    Attributes:
        theta: (d,) θ.
        card: what is promised, and by what.
        feature_map: ``features.MAP`` for texts, "given" for vectors of one's own.
        second_moment: (d, d) Σ xxᵀ with noise, where it was asked for.
    """

    theta: np.ndarray
    card: dict[str, Any]
    feature_map: str
    second_moment: np.ndarray | None = None

    def __repr__(self) -> str:
        """Guarantee and size."""
        budget = f"epsilon={self.card['epsilon']}, delta={self.card['delta']}"
        return f"PrivateReward({len(self.theta)} features, {budget}, {self.card['adjacency']})"

    @property
    def content(self) -> bytes:
        """The file."""
        values = {
            "format": FORMAT,
            "feature_map": self.feature_map,
            "theta": self.theta.tolist(),
            "card": self.card,
        }
        if self.second_moment is not None:
            values["second_moment"] = self.second_moment.tolist()
        return (json.dumps(values, indent=1, ensure_ascii=False) + "\n").encode()

    @classmethod
    def load(cls, path: str | Path) -> PrivateReward:
        """From REWARD.json.

        Raises:
            BadInput: it is none.
        """
        return cls.of(small_text("REWARD", Path(path), LARGEST).encode(), str(path))

    @classmethod
    def of(cls, content: bytes, shown: str = "(bytes)") -> PrivateReward:
        """From the bytes of ``content``."""
        try:
            content_read = json.loads(content)
            second = content_read.get("second_moment")
            if content_read["format"] != FORMAT or content_read["feature_map"] not in (
                MAP,
                "given",
            ):
                raise ValueError
            theta = np.array(content_read["theta"], dtype=float).reshape(-1)
            moment = None if second is None else np.array(second, dtype=float)
            return cls(theta, dict(content_read["card"]), content_read["feature_map"], moment)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise BadInput("REWARD", shown, f"is no reward of the format {FORMAT}") from None

    def score(self, responses: Sequence[str] | np.ndarray, prompts: Sequence[str] = ()) -> Any:
        """(n,) rewards; φ is clipped to norm 1 as it was for learning.

        Args:
            responses: n texts, or (n, d) features where features were given for learning.
            prompts: what the texts answer, n of them.

        Raises:
            BadInput: texts for a reward of features, or the reverse; another number of features.
        """
        if self.feature_map == MAP:
            if isinstance(responses, np.ndarray) or len(prompts) != len(responses):
                raise BadInput("responses", "", "allowed: texts, and as many prompts")
            return text_map(prompts, list(responses), len(self.theta)) @ self.theta
        table = np.asarray(responses)
        if table.ndim != 2 or table.shape[1] != len(self.theta) or table.dtype.kind not in "fiu":
            raise BadInput("responses", "", f"allowed: numbers of shape (n, {len(self.theta)})")
        return clipped_to(table.astype(float), 1.0) @ self.theta


def is_reward(path: Path) -> bool:
    """Whether a file begins as ``PrivateReward.content`` does; its reader refuses it otherwise."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_START)) == _START
    except OSError:
        return False
