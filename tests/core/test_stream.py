"""Streams depend on their labels alone."""

import numpy as np
import pytest

from repro.core.stream import stream


def test_golden_values_never_change():
    drawn = stream(0, "offline_gap", "n_pairs", 1e4, 0).integers(0, 2**32, 3)
    assert drawn.tolist() == [217870095, 3392899930, 3806604172]


@pytest.mark.parametrize(
    "other",
    [
        (1, "a", 1.0, 0),
        (0, "b", 1.0, 0),
        (0, "a", 2.0, 0),
        (0, "a", 1.0, 1),
        (0, "a", "1.0", 0),
        (0, "a1.0", 0),
    ],
    ids=["seed", "check", "value", "block", "type", "joined"],
)
def test_every_label_matters(other):
    assert stream(*other).random() != stream(0, "a", 1.0, 0).random()


def test_order_and_batching_do_not_matter():
    alone = stream(0, "a", 1.0, 1).random(4)
    for block in range(3):
        stream(0, "a", 1.0, block).random(100)
    assert (stream(0, "a", 1.0, 1).random(4) == alone).all()


def test_streams_are_uncorrelated():
    drawn = np.stack([stream(0, "a", 1.0, block).standard_normal(4000) for block in range(30)])
    correlation = np.corrcoef(drawn) - np.eye(30)
    assert np.abs(correlation).max() < 5 / np.sqrt(4000)
