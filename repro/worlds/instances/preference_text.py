"""A world on real feature geometry: text pairs as cells, rewards planted by their labels."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import scipy
import torch
from scipy.special import expit

from repro.labels.preferences.pair_files import read_pairs
from repro.labels.preferences.pair_records import PreferencePair
from repro.labels.preferences.synthetic_pairs import synthetic_pairs
from repro.worlds.instances.choices import TextChoice
from repro.worlds.instances.feature_cache import cached_text_features
from repro.worlds.instances.linear import LinearWorld

RIDGE = 1e-4
MAX_NORM = 6.0


def plant_theta(
    feature_diff: np.ndarray,
    label_sign: np.ndarray,
    max_norm: float = MAX_NORM,
    ridge: float = RIDGE,
) -> np.ndarray:
    """θ of the ridge-penalised logistic fit without intercept, shortened to ``max_norm``.

    Minimises mean log(1 + exp(−label·⟨x, θ⟩)) + ridge/2·‖θ‖² over the rows x.

    Args:
        feature_diff: (S, d) feature differences of row norm at most 1.
        label_sign: (S,) real labels, +1 where the first response was chosen, else −1.
        max_norm: largest ‖θ‖ > 0; with rows of norm 1, also the largest reward difference.
        ridge: weight of the penalty, above 0.

    Returns:
        (d,) float64.
    """
    signed = feature_diff * label_sign[:, None]

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        margin = signed @ theta
        gradient = ridge * theta - expit(-margin) @ signed / len(signed)
        return float(np.logaddexp(0.0, -margin).mean() + ridge / 2 * theta @ theta), gradient

    options = {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-9}
    start = np.zeros(feature_diff.shape[1])
    theta = scipy.optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options=options).x
    return theta * min(1.0, max_norm / max(float(np.linalg.norm(theta)), 1e-300))


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
