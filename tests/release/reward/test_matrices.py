"""A ledger recognises no matrix, and no change of one buys a second release."""

from __future__ import annotations

import numpy as np
import pytest

import repro
from repro.base.errors import BadInput

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
    repro.private_reward(MATRIX, 1, 1e-6, 1, labels=LABELS, ledger=folder)
    return folder


@pytest.mark.parametrize("dress", DRESSES)
def test_every_release_counts_whatever_a_matrix_looks_like(spent, dress):
    with pytest.raises(BadInput, match="compose=true"):
        repro.private_reward(DRESSES[dress](MATRIX), 1, 1e-6, 1, labels=LABELS, ledger=spent)
