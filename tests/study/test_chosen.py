"""Objects that config groups choose, and what is refused."""

import math

import pytest

from repro.base.errors import BadInput
from repro.study.chosen import LARGEST_CLASS, chosen
from repro.worlds.policies.reward_class import BALL, Box, FiniteClass


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "flips", "p0": 0.2, "p1": 0.3, "epsilon": 1.0}, "not 1-private"),
        ({"kind": "flips", "p0": 0.6, "p1": 0.5, "epsilon": 1.0}, "p0 . p1 < 1"),
        ({"kind": "flips", "p0": 1.2, "p1": 0.5, "epsilon": 1.0}, "channel.p0"),
        ({"kind": "mixture", "truth": 0.7, "always_yes": 0.4}, "at most"),
        ({"kind": "mixture", "truth": 0.0, "always_yes": 0.4}, "channel.truth"),
        ({"kind": "nope"}, "channel.kind"),
        ("randomized_response", "channel=NAME"),
    ],
)
def test_what_is_no_private_channel_is_refused(values, words):
    with pytest.raises(BadInput, match=words):
        chosen("channel", values)


@pytest.mark.parametrize(
    ("terms", "words"),
    [([[-1, 1]], "not convex at 1"), ([[1, 1], [-0.5, 2]], "not convex at"), ([], "allowed"),
     ([[1, 9]], "allowed"), ([[1]], "value is required|allowed"), ("kl", "allowed")],
)  # fmt: skip
def test_what_is_no_divergence_is_refused(terms, words):
    with pytest.raises(BadInput, match=words):
        chosen("regulariser", {"terms": terms})


def test_a_word_is_no_regulariser():
    with pytest.raises(BadInput, match="regulariser=NAME"):
        chosen("regulariser", "kl")


def test_classes_of_rewards():
    assert chosen("reward_class", {"kind": "ball"}) == BALL
    assert chosen("reward_class", {"kind": "box", "half_width": 2}) == Box(2.0)
    assert chosen("reward_class", {"kind": "finite", "size": 7, "seed": 1}) == FiniteClass(7, 1)


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ("ball", "reward_class"),
        ({"kind": "cone"}, "reward_class.kind=cone: allowed: ball, box, finite"),
        ({}, "reward_class.kind"),
        ({"kind": "box"}, "reward_class.half_width"),
        ({"kind": "box", "half_width": 0}, "reward_class.half_width=0"),
        ({"kind": "box", "half_width": math.nan}, "reward_class.half_width=nan"),
        ({"kind": "finite", "size": 1, "seed": 0}, "reward_class.size=1"),
        ({"kind": "finite", "size": 10.5, "seed": 0}, "reward_class.size=10.5"),
        ({"kind": "finite", "size": LARGEST_CLASS + 1, "seed": 0}, "reward_class.size"),
        ({"kind": "finite", "size": 9, "seed": -1}, "reward_class.seed=-1"),
        ({"kind": "ball", "radius": 2}, "reward_class.radius"),
    ],
)
def test_what_is_no_class_is_refused_in_one_line(values, named):
    with pytest.raises(BadInput) as refused:
        chosen("reward_class", values)
    assert str(refused.value).startswith(named)
    assert "\n" not in str(refused.value)
