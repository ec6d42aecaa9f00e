"""The law of a released label, as two stages: what labels are drawn from, and who randomizes them.

Both are functions of a win probability, so that ablations and channels of one's own fit in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from repro.base.notation import flip_prob, label_signal
from repro.base.torch_later import Tensor, torch

LabelLaw = Callable[[Tensor], Tensor]
"""True win probabilities, any shape → the probabilities that labels are drawn with."""

Channel = Callable[[Tensor, float], Tensor]
"""(P(y = +1), ε) → P(z = +1) of the label that is released, label by label and independently."""

Estimate = Callable[[Tensor, Tensor], Tensor]
"""(fitted, truth) → what an estimator returns; the truth is there for ablations alone."""


def on_arrays(stage: Callable[..., Tensor], *arrays: np.ndarray) -> np.ndarray:
    """A stage of labels or estimates applied to float64 arrays; what it returns, as an array."""
    return _applied(stage, arrays)


def released(channel: Channel, win_prob: np.ndarray, epsilon: float) -> np.ndarray:
    """P(z = +1) of what a channel releases, by P(y = +1): float64 arrays of any shape."""
    return _applied(channel, [win_prob], epsilon)


def _applied(stage: Any, arrays: Sequence[np.ndarray], *more: float) -> np.ndarray:
    """Stages of one's own get tensors; those of this file need no torch, which takes a second."""
    if any(stage is own for own in (*LAWS, *ESTIMATES)) or _own_kind(stage):
        return np.asarray(stage(*map(np.asarray, arrays), *more))
    return stage(*map(torch.as_tensor, arrays), *more).numpy()


def _own_kind(stage: object) -> bool:
    return isinstance(stage, AsymmetricResponse)


def as_fitted(fitted: Tensor, truth: Tensor) -> Tensor:
    """The estimator returns what it has fitted."""
    return fitted


def the_truth(fitted: Tensor, truth: Tensor) -> Tensor:
    """An estimator that cheats: it returns the truth."""
    if isinstance(fitted, Tensor):
        return truth.expand_as(fitted)
    return np.broadcast_to(truth, np.shape(fitted))


def the_opposite(fitted: Tensor, truth: Tensor) -> Tensor:
    """A learner that takes the worst for the best: what it fitted, with the sign reversed."""
    return -fitted


def bradley_terry(win_prob: Tensor) -> Tensor:
    """Labels follow the true win probabilities."""
    return win_prob


def fair_coins(win_prob: Tensor) -> Tensor:
    """Labels that know nothing of the rewards."""
    return 0 * win_prob + 0.5


def randomized_response(win_prob: Tensor, epsilon: float) -> Tensor:
    """Keeps a label with probability e^ε/(1+e^ε), else flips it (P1, eq. 8); ε in (0, inf]."""
    return flip_prob(epsilon) + label_signal(epsilon) * win_prob


def no_randomizer(win_prob: Tensor, epsilon: float) -> Tensor:
    """Labels are released as they are, whatever ε the learner believes in."""
    return win_prob


ESTIMATES = (as_fitted, the_truth, the_opposite)
LAWS = (bradley_terry, fair_coins, randomized_response, no_randomizer)
"""Stages that take arrays as they take tensors, with the same bits."""


@dataclass(frozen=True)
class AsymmetricResponse:
    """Any binary randomizer: reports +1 with a probability that depends on the label.

    Attributes:
        win_given_win: P(z = +1 | y = +1).
        win_given_loss: P(z = +1 | y = −1).
    """

    win_given_win: float
    win_given_loss: float

    def __call__(self, win_prob: Tensor, epsilon: float) -> Tensor:
        return self.win_given_loss + (self.win_given_win - self.win_given_loss) * win_prob
