"""Coins that somebody could toss again: common generators under common seeds."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np

SEEDS = (
    *range(128), 256, 512, 777, 999, 1000, 1024, 1111, 1234, 1337, 1729, 2048, *range(2018, 2031),
    3407, 4242, 9999, 10000, 12345, 31337, 65536, 123456, 1234567, 12345678, 123456789, 42424242,
)  # fmt: skip
"""Seeds tried."""


def _python(seed: int, count: int) -> np.ndarray:
    draw = random.Random(seed).random
    return np.array([draw() for _ in range(count)])


def _python_bits(seed: int, count: int) -> np.ndarray:
    draw = random.Random(seed).getrandbits
    return np.array([draw(1) for _ in range(count)], dtype=float)


def _python_choice(seed: int, count: int) -> np.ndarray:
    draw = random.Random(seed).randrange
    return np.array([draw(2) for _ in range(count)], dtype=float)


def _numpy(seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).random(count)


def _numpy_integers(seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, count).astype(float)


def _numpy_legacy(seed: int, count: int) -> np.ndarray:
    return np.random.RandomState(seed).random_sample(count)


def _numpy_legacy_integers(seed: int, count: int) -> np.ndarray:
    return np.random.RandomState(seed).randint(0, 2, count).astype(float)


def _torch(seed: int, count: int) -> np.ndarray:
    import torch

    generator = torch.Generator().manual_seed(seed)
    return torch.rand(count, generator=generator).double().numpy()


GENERATORS: dict[str, Callable[[int, int], np.ndarray]] = {
    "random.random": _python,
    "random.getrandbits": _python_bits,
    "random.randrange": _python_choice,
    "numpy default_rng": _numpy,
    "numpy default_rng integers": _numpy_integers,
    "numpy RandomState": _numpy_legacy,
    "numpy RandomState integers": _numpy_legacy_integers,
    "torch.rand": _torch,
}


def streams(places: int) -> Iterator[tuple[str, np.ndarray]]:
    """Every way to draw one number a line: (name, (places,) numbers in [0, 1])."""
    for name, draw in GENERATORS.items():
        for seed in SEEDS:
            drawn = draw(seed, 2 * places)
            yield f"{name}, seed {seed}", drawn[:places]
            yield f"{name}, seed {seed}, first of two", drawn[0::2]
            yield f"{name}, seed {seed}, second of two", drawn[1::2]
    yield (
        "random.random, seeded by line",
        np.array([random.Random(i).random() for i in range(places)]),
    )
    yield (
        "numpy default_rng, seeded by line",
        np.array([np.random.default_rng(i).random() for i in range(places)]),
    )
