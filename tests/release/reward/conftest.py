import numpy as np
import pytest

from repro.labels.preferences.synthetic_pairs import synthetic_pairs


@pytest.fixture(autouse=True)
def own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(scope="session")
def records():
    return [
        {"prompt": p.prompt, "chosen": p.chosen, "rejected": p.rejected, "annotator": number % 40}
        for number, p in enumerate(synthetic_pairs(300, seed=5))
    ]


@pytest.fixture(scope="session")
def planted():
    """(φ of (2000, 2, 4), labels, θ*)."""
    rng = np.random.default_rng(2)
    phi = rng.standard_normal((2000, 2, 4))
    phi /= 1.01 * np.linalg.norm(phi, axis=2, keepdims=True)
    theta = np.array([2.0, -1.0, 0.5, 0.0])
    win = 1 / (1 + np.exp(-(phi[:, 0] - phi[:, 1]) @ theta))
    return phi, np.where(rng.random(2000) < win, 1, -1), theta
