"""D² of a class of two rewards: by hand, as printed zero, the infima by search."""

from __future__ import annotations

import numpy as np
import torch

from repro.complexity.class_distance import (
    smallest_common_bias_error,
    squared_distance_centred,
    squared_distance_printed,
)

DIFFERENCE = torch.tensor([[[1.0, 0.0, -0.5]]], dtype=torch.float64)
REFERENCE = torch.tensor([[[0.5, 0.25, 0.25]]], dtype=torch.float64)


def test_as_printed_nothing_is_left_within_the_bound_and_the_rest_beyond_it():
    bound = torch.tensor([1.0], dtype=torch.float64)
    assert squared_distance_printed(DIFFERENCE, bound).eq(0).all()
    clipped = squared_distance_printed(3 * DIFFERENCE, bound)
    np.testing.assert_allclose(clipped, [[[4.0, 0.0, 0.25]]])


def test_the_printed_infimum_by_search():
    bias = np.linspace(-1, 1, 200_001)
    for value in (0.7, -0.2, 1.8):
        found = ((value - bias) ** 2).min()
        difference = torch.full((1, 1, 2), value, dtype=torch.float64)
        bound = torch.ones(1, dtype=torch.float64)
        np.testing.assert_allclose(squared_distance_printed(difference, bound), found, atol=1e-9)


def test_centred_by_hand():
    """E_ref = 1/2 − 1/8 = 3/8."""
    np.testing.assert_allclose(
        squared_distance_centred(DIFFERENCE, REFERENCE), [[[25 / 64, 9 / 64, 49 / 64]]]
    )


def test_smallest_common_bias_by_search():
    values = DIFFERENCE[0, 0].numpy()
    grid = np.linspace(-2, 2, 400_001)
    worst = np.abs(values[:, None] - grid).max(axis=0).min() ** 2
    np.testing.assert_allclose(smallest_common_bias_error(DIFFERENCE), [[worst]], rtol=1e-4)
