"""A reward planted in a feature geometry: the Bradley-Terry fit of the real labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from repro.instances.text_features import NUM_FEATURES, hash_order, text_features
from repro.preferences.pair_records import PreferencePair

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
    theta = minimize(loss, start, jac=True, method="L-BFGS-B", options=options).x
    return theta * min(1.0, max_norm / max(float(np.linalg.norm(theta)), 1e-300))


def held_out_accuracy(
    fitted: Sequence[PreferencePair],
    held_out: Sequence[PreferencePair],
    num_features: int = NUM_FEATURES,
) -> tuple[float, float]:
    """Shares of held-out labels that the fit, and that longer-is-better, get right.

    The label-free features are those of both sets together; only the labels of ``fitted``
    are used.  A tie in length counts one half.
    """
    features = text_features([*fitted, *held_out], num_features)
    split = len(fitted)
    theta = plant_theta(features.feature_diff[:split], features.label_sign[:split])
    fit = _accuracy(features.feature_diff[split:] @ theta, features.label_sign[split:])
    comparisons, label_sign = hash_order(held_out)
    longer = np.array([len(first) - len(second) for _, first, second in comparisons])
    return fit, _accuracy(longer, label_sign)


def _accuracy(score: np.ndarray, label_sign: np.ndarray) -> float:
    """Share of (S,) scores with the sign of the label; a score of 0 counts one half."""
    return float((0.5 + 0.5 * np.sign(score) * label_sign).mean())
