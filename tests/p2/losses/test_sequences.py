"""Classes and sequences of labels that the uniform convergence lemmas are held on."""

from __future__ import annotations

import numpy as np
import pytest

from repro.p2.losses.sequences import (
    LabelSequence,
    draw_sequence,
    packing_class,
    random_class,
    uniform_design,
)


def test_adaptive_inputs_follow_the_labels_and_iid_inputs_do_not():
    win = np.full(8, 0.2)
    win[3] = 0.9
    rng = np.random.default_rng(2)
    adaptive = draw_sequence(rng, win, "adaptive", 805, 20)
    iid = draw_sequence(rng, win, "iid", 805, 20)
    assert (adaptive.inputs == 3).mean() > 0.5
    assert (iid.inputs == 3).mean() == pytest.approx(1 / 8, abs=0.02)
    assert adaptive.positive[adaptive.inputs == 3].mean() == pytest.approx(0.9, abs=0.02)


def test_sums_of_a_short_sequence_by_hand():
    table = np.array([[0.1, 0.2], [0.3, 0.5]])
    inputs, positive = np.array([[0, 1]]), np.array([[True, False]])
    adaptive = LabelSequence(inputs, positive, "adaptive")
    iid = LabelSequence(inputs, positive, "iid")
    assert adaptive.conditional_sums(table)[0] == pytest.approx(np.array([[0.1, 0.3], [0.3, 0.8]]))
    assert iid.conditional_sums(table)[0] == pytest.approx(np.array([[0.15, 0.4], [0.3, 0.8]]))
    excess = adaptive.excess_loss(table, 2 * table)[0]
    assert excess == pytest.approx(np.array([[0.0, 0.2], [0.0, 0.2 + 0.6]]))


def test_classes_and_designs_have_their_shapes_and_ranges():
    drawn = random_class(50, 0.2, 0.4, seed=3)
    assert drawn.shape == (50, 8)
    assert 0.2 <= drawn.min() < 0.21
    assert 0.39 < drawn.max() < 0.4
    assert np.array_equal(random_class(5, 0.2, 0.4, seed=3), drawn[:5])
    assert not np.array_equal(random_class(50, 0.2, 0.4, seed=4), drawn)
    corners = packing_class(256, 0.6, 0.1)
    assert len(np.unique(corners, axis=0)) == 256
    assert set(corners.ravel().round(9)) == {0.5, 0.7}
    assert corners[0].tolist() == pytest.approx([0.7] * 8)
    inputs = uniform_design(np.random.default_rng(0), 500, 3)
    assert inputs.shape == (3, 500)
    assert set(inputs.ravel()) == set(range(8))
