"""Does the noise that a reward's card states keep what the card promises?  No pair is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from repro.base.errors import BadInput
from repro.labels.privacy.adjacency import ADJACENCIES
from repro.release.ledger import debits_of
from repro.release.reward.calibration import (
    RewardBudget,
    RewardNoise,
    delta_bound,
    sure_tolerance,
)
from repro.release.reward.release import MOST_TOGETHER
from repro.release.reward.reward import PrivateReward

SOUND, TOO_LITTLE, NOT_CANONICAL = 0, 1, 4
_AT_MOST = re.compile(r", at most ([0-9]{1,3})$", re.ASCII)


@dataclass(frozen=True)
class RewardAudit:
    """A reward against its own card.

    Attributes:
        card: what is promised.
        delta: a proved upper bound of δ at ε, recomputed from the card's noise.
        free: what the file has and no release would have.
        in_ledger: whether the ledger knows these bytes; None where no ledger was named.
    """

    card: dict[str, Any]
    delta: float
    free: list[str]
    in_ledger: bool | None

    @property
    def status(self) -> int:
        """0 consistent, 1 too little noise, 4 not canonical or not known to the ledger."""
        if not self.delta <= self.card["delta"]:
            return TOO_LITTLE
        return NOT_CANONICAL if self.free or self.in_ledger is False else SOUND


def audit_reward(path: Path, ledger: Path | None = None) -> RewardAudit:
    """Recompute δ from the card's ε, B, adjacency, unit and noise.

    Args:
        path: REWARD.json.
        ledger: folder of the ledger that may know it.

    Raises:
        BadInput: it is no reward, or its card states no noise; or the ledger cannot be read.
    """
    reward = PrivateReward.load(path)
    content = path.read_bytes()
    try:
        given = _budget(reward)
        delta = delta_bound(given, _noise(given, reward.card["numbers"])) + given.delta - given.left
        free = list(_free(reward, content))
    except (KeyError, TypeError, ValueError, ArithmeticError):
        raise BadInput("REWARD", path, "its card states no noise that can be checked") from None
    in_ledger = None
    if ledger is not None:
        digest = sha256(content).hexdigest()
        in_ledger = any(debit.manifest.sha256 == digest for debit in debits_of(ledger))
    return RewardAudit(reward.card, delta, free, in_ledger)


def _budget(reward: PrivateReward) -> RewardBudget:
    card = reward.card
    several = _AT_MOST.search(card["unit"])
    at_most = int(several[1]) if several else 1
    if card["adjacency"] not in ADJACENCIES or not 1 <= at_most <= MOST_TOGETHER:
        raise ValueError
    return RewardBudget(
        card["epsilon"], card["delta"], card["reward_bound"], len(reward.theta),
        card["adjacency"], at_most, reward.second_moment is not None,
    )  # fmt: skip


def _noise(given: RewardBudget, numbers: dict[str, float]) -> RewardNoise:
    """As the card states it, of a solver that is no better than ours."""
    ridge = numbers["ridge"]
    tolerance = max(numbers["solver_tolerance"], sure_tolerance(given, ridge))
    second = numbers["second_moment_noise_deviation"] if given.covariance else 0.0
    deviations = numbers["gradient_noise_deviation"], numbers["output_noise_deviation"]
    if min(ridge, *deviations) <= 0 or (given.covariance and second <= 0):
        raise ValueError
    return RewardNoise(ridge, deviations[0], tolerance, deviations[1], second, 0.0)


def _free(reward: PrivateReward, content: bytes) -> Iterator[str]:
    if content != reward.content:
        yield "the style of JSON"
    if reward.card["num_features"] != len(reward.theta):
        yield "the number of features"
    grid = reward.card["numbers"]["output_grid"]
    if (np.remainder(reward.theta, grid) != 0).any():
        yield "theta lies off the grid that the card states"
