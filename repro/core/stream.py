"""Counter-based random streams: one per (seed, theorem, check, grid value, first block of a call).

A stream depends on its labels alone, never on order or number of workers.
These streams drive simulations only; real privatisation must use operating-system entropy.
"""

from __future__ import annotations

import hashlib

import numpy as np


def stream(seed: int, *labels: object) -> np.random.Generator:
    """A Philox generator keyed by a 128-bit hash of the seed and the labels.

    Args:
        seed: the run's seed, any integer ≥ 0.
        labels: strings or numbers; floats are keyed by their shortest decimal form.

    >>> int(stream(0, "a", 1.0).integers(10**9)) == int(stream(0, "a", 1.0).integers(10**9))
    True
    >>> int(stream(0, "a").integers(10**9)) == int(stream(0, "b").integers(10**9))
    False
    """
    text = "\x1f".join([str(int(seed)), *(repr(label) for label in labels)])
    digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest, "little")))
