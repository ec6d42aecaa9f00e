"""A world on real feature geometry: text pairs as cells, rewards planted by their labels."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import torch

from repro.instances.choices import TextChoice
from repro.instances.feature_cache import cached_text_features
from repro.instances.linear import LinearWorld
from repro.instances.planted_reward import plant_theta
from repro.preferences.pair_files import read_pairs
from repro.preferences.pair_records import PreferencePair
from repro.preferences.synthetic_pairs import synthetic_pairs


def text_pairs(choice: TextChoice) -> list[PreferencePair]:
    """The pairs of a choice: from files or a hub id, or generated where there is no path.

    Raises:
        BadInput: the files cannot be read as preference pairs.
    """
    path = list(choice.path) if isinstance(choice.path, tuple) else choice.path
    return synthetic_pairs() if path is None else read_pairs(path)


def with_digest(choice: TextChoice) -> TextChoice:
    """The choice with a hash of its pairs, so that a run is keyed by content, not by path."""
    digest = hashlib.blake2b(digest_size=16)
    for pair in text_pairs(choice):
        for text in (pair.prompt, pair.chosen, pair.rejected):
            digest.update(len(text.encode()).to_bytes(8, "little") + text.encode())
    return choice.model_copy(update={"digest": digest.hexdigest()})


def preference_text_world(choice: TextChoice, cache: Path, device: str) -> LinearWorld:
    """Each prompt is a state with two responses; the reference prefers the longer one.

    Features are label-free; the planted reward is a Bradley–Terry fit to the labels, inside a
    class of ``1/theta_share`` times its norm.  Simulated labels are drawn from the planted
    reward: no real label is used after planting.  The planted reward, and with it every result,
    is a non-private function of the labels: a run is a simulation, not a release.

    Args:
        choice: where the pairs are and how many features they get.
        cache: folder of label-free feature tables.
        device: torch device.
    """
    text = cached_text_features(text_pairs(choice), choice.num_features, cache)
    theta = plant_theta(text.feature_diff, text.label_sign)
    radius = float(np.linalg.norm(theta)) / choice.theta_share
    options = {"dtype": torch.float64, "device": device}
    half = torch.as_tensor(text.feature_diff / 2, **options)
    states = half.shape[0]
    longer = torch.as_tensor(_standardised(text.feature_diff, text.names, "log_length"), **options)
    first = torch.sigmoid(choice.reference_tilt * longer)
    return LinearWorld(
        features=torch.stack([half, -half], dim=1),
        state_prob=torch.full((states,), 1.0 / states, **options),
        reference=torch.stack([first, 1 - first], dim=1),
        theta=torch.as_tensor(theta, **options),
        radius=radius,
        reward_bound=radius * float(np.linalg.norm(text.feature_diff, axis=1).max()),
        kl_weight=choice.kl_weight,
    )


def _standardised(feature_diff: np.ndarray, names: tuple[str, ...], name: str) -> np.ndarray:
    """(S,) one feature difference in units of its root mean square."""
    column = feature_diff[:, names.index(name)]
    return column / np.sqrt(np.mean(column**2))
