"""A ledger recognises no matrix, and no change of one buys a second release."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import repro
from repro.base.errors import BadInput
from repro.release.reward import features, release
from repro.release.reward.calibration import RewardBudget, RewardNoise

DRAW = np.random.default_rng(0)
MATRIX = DRAW.standard_normal((40, 4)) / 4
LABELS = np.where(DRAW.random(40) < 0.5, 1, -1)
DRESSES = {
    "as it is": lambda x: x,
    "float32": lambda x: x.astype(np.float32),
    "six digits": lambda x: np.round(x, 6),
    "halved": lambda x: x / 2,
    "columns in another order": lambda x: x[:, ::-1],
    "rows in another order": lambda x: x[::-1],
    "rotated": lambda x: x @ np.linalg.qr(np.ones((4, 4)) + np.eye(4))[0],
    "of other people": lambda x: DRAW.standard_normal(x.shape) / 4,
}


@pytest.fixture(scope="module")
def spent(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spent") / "ledger"
    repro.private_reward(MATRIX, 1, 1e-6, 1, labels=LABELS, ledger=folder, weak=True)
    return folder


@pytest.mark.parametrize("dress", DRESSES)
def test_every_release_counts_whatever_a_matrix_looks_like(spent, dress):
    with pytest.raises(BadInput, match="compose=true"):
        repro.private_reward(DRESSES[dress](MATRIX), 1, 1e-6, 1, labels=LABELS, ledger=spent)


PHI = DRAW.standard_normal((7, 2, 3)) / 2
SIGNS = [1, -1, -1, 1, 1, -1, 1]


@pytest.mark.parametrize("rows", [3, 7, 2])
@pytest.mark.parametrize("matrix", [PHI, 3 * PHI[:, 0]], ids=["both", "differences"])
def test_parts_of_a_matrix_are_put_together(rows, matrix, tmp_path, monkeypatch):
    """Clipped, turned by the label, row by row; arrays and files, and the row of a fault."""
    if matrix.ndim == 3:
        norms = np.linalg.norm(matrix, axis=2, keepdims=True)
        wanted = (matrix / np.maximum(1, norms))[:, 0] - (matrix / np.maximum(1, norms))[:, 1]
    else:
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        wanted = matrix / np.maximum(1, norms / 2)
    assert (norms > (1 if matrix.ndim == 3 else 2)).any()
    wanted = wanted * np.array(SIGNS)[:, None]
    monkeypatch.setattr(features, "ROWS", rows)
    np.save(tmp_path / "x.npy", matrix)
    np.save(tmp_path / "z.npy", np.array(SIGNS))
    for source, labels in ((matrix, SIGNS), (tmp_path / "x.npy", tmp_path / "z.npy")):
        found = features.matrix_rows(source, labels).differences
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    broken = matrix.copy()
    broken[5] = np.nan
    with pytest.raises(BadInput, match="row 6 holds NaN"):
        features.matrix_rows(broken, SIGNS)
    with pytest.raises(BadInput, match=r"row 6 is neither \+1 nor -1"):
        features.matrix_rows(matrix, [*SIGNS[:5], 0, 1])


def test_parts_of_texts_are_put_together_and_a_unit_has_its_first(records, monkeypatch):
    whole = features.text_rows(records[:9], 8)
    monkeypatch.setattr(features, "ROWS", 4)
    parts = features.text_rows(records[:9], 8)
    assert whole.differences.shape == (9, 8)
    assert np.array_equal(parts.differences, whole.differences)
    units = [{**record, "annotator": f"a{k % 2}"} for k, record in enumerate(records[:9])]
    some = features.text_rows(units, 8, "annotator", 3)
    assert np.array_equal(some.differences, whole.differences[:6])


def test_the_second_moment_is_of_all_pairs_with_noise_on_and_above_the_diagonal(monkeypatch):
    noise = {"calls": []}

    def on_grid(values, deviation, grid):
        noise["calls"].append((deviation, grid))
        return values + np.arange(values.size)

    monkeypatch.setattr(release, "SUMMED", 2)
    monkeypatch.setattr(release, "normal", lambda deviation, count: np.zeros(count))
    monkeypatch.setattr(release, "on_grid", on_grid)
    pairs = (PHI[:, 0] - PHI[:, 1]).astype(np.float32)
    given = RewardBudget(1.0, 1e-6, 1.0, 3, covariance=True)
    made = RewardNoise(50.0, 2.0, 1e-4, 0.25, 6.0, 1e-6)
    theta, moment = release.drawn(pairs, given, made)
    added = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])
    exact = pairs.astype(float).T @ pairs.astype(float)
    np.testing.assert_allclose(moment, exact + added, rtol=1e-12)
    assert [deviation for deviation, _ in noise["calls"]] == [0.25, 6.0]
    assert all(2**-11 < grid / deviation <= 2**-10 for deviation, grid in noise["calls"])
    theta = theta - np.arange(3)
    win = 1 / (1 + np.exp(pairs @ theta))
    np.testing.assert_allclose(50 * theta, win @ pairs, atol=0.02)
    assert release.drawn(pairs, replace(given, covariance=False), made)[1] is None
