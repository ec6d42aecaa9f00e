"""Fingerprints: equal content, equal hash; any difference, another."""

import cmath
import dataclasses
import functools
import math
from enum import Enum
from pathlib import Path

import numpy as np
import pytest
import torch

from repro.core.fingerprint import fingerprint
from repro.study.experiment import Overrides


@dataclasses.dataclass(frozen=True)
class Pair:
    one: object
    two: object
    place: str = dataclasses.field(default="", compare=False)

    def both(self):
        return self.one, self.two


class Colour(Enum):
    RED = 1
    BLUE = 2


def scaled(by):
    return lambda x: by * x


DIFFERENT = [
    None, 0, 1, 1.0, True, "1", b"1", math.nan, math.inf, -0.0, 0.0, (), (1,), [1], [[1, 2]],
    [[1], 2], {"a": 1}, {"b": 1}, {"a": 2}, np.array([0.0]), np.array([0]),
    np.array([1.0]), np.array([1]), np.array([[1.0]]),
    torch.tensor([1.0]), torch.tensor([2.0]), Pair(1, 2), Pair(2, 1), Colour.RED, Colour.BLUE,
    Path("a"), Path("b"), scaled(1), scaled(2), math.sin, math.cos, functools.partial(max, 1),
    functools.partial(max, 2), functools.partial(max, key=abs), functools.partial(max, key=len),
    Pair(1, 2).both, Pair(2, 1).both, cmath.sin,
    Overrides(epsilon=1.0), Overrides(n_pairs=1),
    Overrides(n_pairs=2), {1, 2}, {1, 3}, frozenset({1, 2}),
]  # fmt: skip


def test_what_differs_has_another_hash():
    found = [fingerprint(thing) for thing in DIFFERENT]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({3, 1, 2}, {2, 3, 1}),
        ({0, 8}, {8, 0}),
        (np.arange(4.0), np.arange(8.0)[:4]),
        (np.arange(6.0).reshape(2, 3).T, np.array([[0.0, 3], [1, 4], [2, 5]])),
        (torch.arange(4.0, requires_grad=True), torch.arange(4.0)),
        (Pair(1, 2, "here"), Pair(1, 2, "there")),
        (scaled(3), scaled(3)),
        (math.nan, float("nan")),
    ],
)
def test_what_is_equal_has_the_same(one, same):
    assert fingerprint(one) == fingerprint(same)


def test_nested_content_counts():
    assert fingerprint(Pair([1, {"a": np.zeros(2)}], 0)) != fingerprint(
        Pair([1, {"a": np.ones(2)}], 0)
    )


def test_what_has_no_content_is_refused(tmp_path):
    with (tmp_path / "file").open("w") as file, pytest.raises(TypeError, match="no content"):
        fingerprint([file])
