"""Coins that somebody could toss again: common generators under common seeds, hashes of texts."""

from __future__ import annotations

import hashlib
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from repro.base.notation import flip_prob, keep_prob
from repro.release.opened import Line, Opened
from repro.release.scoring import Finding, excess, independent

PROBES = 1024
"""Lines on which coins are tossed again: every other one seeks the seed, the others confirm it."""

COMMON_BUDGETS = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0)
"""Budgets whose coins are tried besides the one claimed."""

SEEDS = (
    *range(128), 256, 512, 777, 999, 1000, 1024, 1111, 1234, 1337, 1729, 2048, *range(2018, 2031),
    3407, 4242, 9999, 10000, 12345, 31337, 65536, 123456, 1234567, 12345678, 123456789, 42424242,
)  # fmt: skip
"""Seeds tried."""

BASES = (0, 1, 42)
"""What is added to a line's number where every line has its own seed."""

STRIDES = (1, 2, 3)
"""Numbers drawn for each line."""


def _words(seed: int, count: int) -> np.ndarray:
    """32-bit words of Python's Mersenne twister, all drawn at once."""
    drawn = random.Random(seed).getrandbits(32 * count)
    return np.frombuffer(drawn.to_bytes(4 * count, "little"), dtype="<u4")


def _python(seed: int, count: int) -> np.ndarray:
    words = _words(seed, 2 * count).astype(np.int64)
    return ((words[0::2] >> 5) * 67108864 + (words[1::2] >> 6)) / 9007199254740992


def _python_bits(seed: int, count: int) -> np.ndarray:
    return (_words(seed, count) >> 31).astype(float)


def _python_choice(seed: int, count: int) -> np.ndarray:
    # randrange(2) and choice of two draw two bits until they make 0 or 1
    drawn = _words(seed, 4 * count + 100) >> 30
    return np.resize(drawn[drawn < 2], count).astype(float)


def _numpy(seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).random(count)


def _numpy_integers(seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, count).astype(float)


def _numpy_legacy(seed: int, count: int) -> np.ndarray:
    return np.random.RandomState(seed % 2**32).random_sample(count)


def _numpy_legacy_integers(seed: int, count: int) -> np.ndarray:
    return np.random.RandomState(seed % 2**32).randint(0, 2, count).astype(float)


def _torch(seed: int, count: int) -> np.ndarray:
    # torch's generator on the CPU is the same twister; a float is made of 24 bits of a word
    words = np.random.RandomState(seed % 2**32).randint(0, 2**32, count, dtype=np.uint32)
    return (words & 0xFFFFFF) / 2**24


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


_STATE = np.random.RandomState(0)


def _legacy_once(seed: int) -> float:
    _STATE.seed(seed)  # a new RandomState takes ten times as long
    return _STATE.random_sample()


BY_LINE: dict[str, Callable[[int], float]] = {
    "random.random": lambda seed: random.Random(seed).random(),
    "numpy default_rng": lambda seed: np.random.default_rng(seed).random(),
    "numpy RandomState": _legacy_once,
}

DIGESTS: dict[str, Callable[[bytes], bytes]] = {
    **{
        name: lambda data, name=name: hashlib.new(name, data).digest()
        for name in ("md5", "sha1", "sha256", "blake2b")
    },
    "crc32": lambda data: zlib.crc32(data).to_bytes(4, "big"),
}

TEXTS: dict[str, Callable[[Line], str]] = {
    "prompt": lambda line: line.prompt,
    "first response": lambda line: line.comparison[1],
    "second response": lambda line: line.comparison[2],
    "all texts": lambda line: "".join(line.comparison),
    "chosen": lambda line: line.chosen,
    "rejected": lambda line: line.rejected,
    "record": lambda line: line.prompt + line.chosen + line.rejected,
}


@dataclass(frozen=True)
class _Frame:
    """Some lines, and their numbers in the release or in the original."""

    lines: np.ndarray
    numbers: np.ndarray

    @property
    def seek(self) -> np.ndarray:
        return self.lines[0::2]

    @property
    def confirm(self) -> np.ndarray:
        return self.lines[1::2]


def seeded_coins(
    opened: Opened, strata: np.ndarray, epsilon: float, seeds: Sequence[int]
) -> Finding:
    """Toss the coins again, and count on other lines than those that chose generator and seed.

    Args:
        opened: (n,) lines.
        strata: (n,) theirs.
        epsilon: budget of the flips.
        seeds: seeds that stand in the manifest, or the file's name or times.
    """
    targets = np.stack([opened.truth, opened.truth * opened.position, opened.kept])
    turns = np.stack([opened.labels, opened.labels * opened.position, np.ones_like(opened.labels)])
    best, drawn, words, target, frame = -1.0, None, "none", 0, None
    for some in _frames(opened):
        wanted = targets[:, some.seek] - targets[:, some.seek].mean(axis=1, keepdims=True)
        for name, numbers in _drawn(opened, some, seeds):
            seen = numbers[0::2]
            agree = np.abs(wanted @ seen) / max(float(seen.std()), 1e-9)
            if (most := float(agree.max())) > best:
                best, drawn, words = most, numbers, name
                target, frame = int(np.argmax(agree)), some
    assert drawn is not None
    assert frame is not None
    cut, turn = _best_cut(drawn[0::2], targets[target, frame.seek], epsilon)
    told = np.where(drawn[1::2] < cut, turn, -turn) * turns[target, frame.confirm]
    found = excess(told, opened.kept[frame.confirm], strata[frame.confirm])
    return independent("seeded coins", found, f"best: {words}")


def _best_cut(drawn: np.ndarray, wanted: np.ndarray, epsilon: float) -> tuple[float, int]:
    """The number below which a coin shows one side, and which: ±1."""
    budgets = (epsilon, *COMMON_BUDGETS)
    cuts = np.array([0.5, *map(keep_prob, budgets), *map(flip_prob, budgets)])
    agree = (drawn < cuts[:, None]).astype(float) @ (wanted - wanted.mean())
    best = int(np.argmax(np.abs(agree)))
    return float(cuts[best]), 1 if agree[best] >= 0 else -1


def _frames(opened: Opened) -> Iterator[_Frame]:
    for numbers in ([line.place for line in opened.lines], [line.origin for line in opened.lines]):
        places = np.argsort(numbers, kind="stable")[:PROBES]
        yield _Frame(places, np.array(numbers)[places])


def _drawn(opened: Opened, frame: _Frame, seeds: Sequence[int]) -> Iterator[tuple[str, np.ndarray]]:
    """Every way to draw one number in [0, 1] for each line of a frame."""
    yield from _by_seed(frame.numbers, seeds)
    yield from _by_line(frame.numbers)
    yield from _by_text([opened.lines[i] for i in frame.lines])


def _by_seed(numbers: np.ndarray, seeds: Sequence[int]) -> Iterator[tuple[str, np.ndarray]]:
    count = max(STRIDES) * (1 + int(numbers.max()))
    for name, draw in GENERATORS.items():
        for seed in (*seeds, *SEEDS):
            drawn = draw(seed, count)
            for stride in STRIDES:
                for first in range(stride):
                    words = f", number {first + 1} of {stride}" if stride > 1 else ""
                    yield f"{name}, seed {seed}{words}", drawn[stride * numbers + first]


def _by_line(numbers: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    for name, draw in BY_LINE.items():
        for base in BASES:
            drawn = np.array([draw(base + int(number)) for number in numbers])
            yield f"{name}, seeded by line from {base}", drawn


def _by_text(lines: Sequence[Line]) -> Iterator[tuple[str, np.ndarray]]:
    for kind, text in TEXTS.items():
        texts = [text(line) for line in lines]
        seeded = (random.Random(text).random() for text in texts)
        yield f"random.random, seeded by {kind}", np.array(list(seeded))
        for name, digest in DIGESTS.items():
            digests = [digest(text.encode()) for text in texts]
            high = [int.from_bytes(d[:8], "big") / 256 ** len(d[:8]) for d in digests]
            yield f"{name} of {kind}", np.array(high)
            for modulus in (2, 100, 1000, 10000):
                low = [int.from_bytes(d, "big") % modulus / modulus for d in digests]
                yield f"{name} of {kind} mod {modulus}", np.array(low)
