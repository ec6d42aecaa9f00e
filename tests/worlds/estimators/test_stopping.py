"""A Newton fit is done when its steps neither shrink nor promise a gain, and not before."""

import pytest
import torch

from repro.worlds.estimators.stopping import LEAST_GAIN, nothing_left

ONE = torch.ones(1, dtype=torch.float64)


def is_done(step, last, score, scale=1.0):
    """For one row in one dimension of curvature 1."""
    row = ONE[:, None]
    found = nothing_left(step * row, last * ONE, score * row, row[..., None], scale * ONE)
    return bool(found)


def test_steps_that_follow_the_last_bits_of_a_score_end_the_fit():
    assert is_done(step=1e-10, last=1e-10, score=1e-10)


@pytest.mark.parametrize(
    "still",
    [
        {"step": 1e-10, "last": 1e-9, "score": 1e-10},  # steps shrink
        {"step": 1e-10, "last": 0.0, "score": 1e-10},  # the first step
        {"step": 1.0, "last": 1.0, "score": 1.0},  # a gain of 1/2 is promised
    ],
)
def test_a_fit_that_still_moves_goes_on(still):
    assert not is_done(**still)


def test_a_promise_is_measured_by_the_scale_of_the_objective():
    promising = (4 * LEAST_GAIN) ** 0.5  # promises 2·LEAST_GAIN
    assert not is_done(promising, promising, promising, scale=1.0)
    assert is_done(promising, promising, promising, scale=3.0)
