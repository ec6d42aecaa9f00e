"""Coins tossed again: by common generators under common seeds, and by hashes of texts."""

from __future__ import annotations

import hashlib
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from repro.release.matching import Line, MatchedRelease

PROBES = 1024
"""Lines on which coins are tossed again: every other one seeks the seed, the others confirm it."""

SEEDS = (
    *range(128), 256, 512, 777, 999, 1000, 1024, 1111, 1234, 1337, 1729, 2048, *range(2018, 2031),
    3407, 4242, 9999, 10000, 12345, 31337, 65536, 123456, 1234567, 12345678, 123456789, 42424242,
)  # fmt: skip
"""Seeds tried."""

BASES = (0, 1, 42)
"""What is added to a line's number where every line has its own seed."""

STRIDES = (1, 2, 3)
"""Numbers drawn for each line."""

MODULI = (2, 100, 1000, 10000)
"""What hashes are divided by; the remainder is the number drawn."""


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
class Frame:
    """Some lines, and their numbers in the release or in the original."""

    lines: np.ndarray
    numbers: np.ndarray

    @property
    def seek(self) -> np.ndarray:
        """Lines on which generator and seed are sought."""
        return self.lines[0::2]

    @property
    def confirm(self) -> np.ndarray:
        """Lines on which they are counted."""
        return self.lines[1::2]


@dataclass(frozen=True)
class Tossed:
    """Numbers in [0, 1] for each line of a frame, drawn in several ways.

    Attributes:
        frame: the n lines.
        words: (k,) the ways.
        drawn: (k, n) numbers.
        otherwise: (k, n) numbers, had the other response been the chosen one.
    """

    frame: Frame
    words: Sequence[str]
    drawn: np.ndarray
    otherwise: np.ndarray


def tossed(matched: MatchedRelease, seeds: Sequence[int]) -> Iterator[Tossed]:
    """Coins of the first lines of the release, and of the original, in every way.

    Args:
        matched: the lines.
        seeds: tried beside the common ones.
    """
    frames = [
        _frame([line.place for line in matched.lines]),
        _frame([line.origin for line in matched.lines]),
    ]
    yield from _by_seed(frames, seeds)
    for frame in frames:
        yield from _by_line(frame)
        yield from _by_text(frame, [matched.lines[i] for i in frame.lines])


def _frame(numbers: Sequence[int]) -> Frame:
    places = np.argsort(numbers, kind="stable")[:PROBES]
    return Frame(places, np.array(numbers)[places])


def _by_seed(frames: Sequence[Frame], seeds: Sequence[int]) -> Iterator[Tossed]:
    count = max(STRIDES) * (1 + max(int(frame.numbers.max()) for frame in frames))
    ways = [(stride, first) for stride in STRIDES for first in range(stride)]
    told = [f", number {first + 1} of {stride}" if stride > 1 else "" for stride, first in ways]
    places = [np.array([s * frame.numbers + first for s, first in ways]) for frame in frames]
    for name, draw in GENERATORS.items():
        for seed in (*seeds, *SEEDS):
            stream = draw(seed, count)
            words = [f"{name}, seed {seed}{how}" for how in told]
            for frame, at in zip(frames, places, strict=True):
                yield Tossed(frame, words, stream[at], stream[at])


def _by_line(frame: Frame) -> Iterator[Tossed]:
    for name, draw in BY_LINE.items():
        for base in BASES:
            drawn = np.array([[draw(base + number) for number in frame.numbers.tolist()]])
            yield Tossed(frame, [f"{name}, seeded by line from {base}"], drawn, drawn)


def _by_text(frame: Frame, lines: Sequence[Line]) -> Iterator[Tossed]:
    turned = [replace(line, chosen=line.rejected, rejected=line.chosen) for line in lines]
    for kind, text in TEXTS.items():
        texts, others = [text(line) for line in lines], [text(line) for line in turned]
        words, drawn = _of_texts(kind, texts)
        yield Tossed(frame, words, drawn, drawn if texts == others else _of_texts(kind, others)[1])


def _of_texts(kind: str, texts: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Ways, and what they draw for each text."""
    found = {f"random.random, seeded by {kind}": [random.Random(text).random() for text in texts]}
    for name, digest in DIGESTS.items():
        digests = [digest(text.encode()) for text in texts]
        high = [int.from_bytes(d[:8], "big") / 256 ** len(d[:8]) for d in digests]
        found[f"{name} of {kind}"] = high
        whole = [int.from_bytes(d, "big") for d in digests]
        for modulus in MODULI:
            found[f"{name} of {kind} mod {modulus}"] = [n % modulus / modulus for n in whole]
    return list(found), np.array(list(found.values()))
