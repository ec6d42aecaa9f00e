"""Encodings in the coins: too few, shared, seeded, or none."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable

import numpy as np

from tests.release.encodings.rows import COIN, KEEP, Row, shuffled, write


def coins(draw):
    """``draw(records)`` gives a flip for each record of the original, in its order."""

    def release(records, folder):
        lines = [
            Row(*r, COIN.random() < 0.5, bool(f))
            for r, f in zip(records, draw(records), strict=True)
        ]
        return records, write(folder / "out.jsonl", shuffled(lines))

    return release


def honest_flips(count):
    return [COIN.random() >= KEEP for _ in range(count)]


def neighbours(records):
    return np.repeat(honest_flips(len(records) // 2 + 1), 2)[: len(records)]


def recycled(records):
    return np.resize(honest_flips(257), len(records))


def seeded_python(records):
    drawn = random.Random(0)
    return [drawn.random() >= KEEP for _ in records]


def seeded_numpy(records):
    return np.random.default_rng(42).random(len(records)) >= KEEP


def seeded_legacy(records):
    return np.random.RandomState(3407).random_sample(len(records)) < 1 - KEEP


def coin_of_text(records):
    digests = (hashlib.md5(prompt.encode()).hexdigest() for prompt, _, _ in records)
    return [int(d[:8], 16) / 2**32 >= KEEP for d in digests]


def no_noise(records):
    return [False for _ in records]


def weak_noise(records):
    return [COIN.random() < 0.2 for _ in records]


def long_prompts_spared(records):
    middle = sorted(len(p) for p, _, _ in records)[len(records) // 2]
    return [len(p) < middle and COIN.random() >= KEEP for p, _, _ in records]


def one_sided(records):
    return [min(r[1:]) == r[1] and COIN.random() < 0.7 for r in records]


def groups_of_five(records):
    return np.repeat([COIN.random() >= KEEP for _ in range(len(records) // 5 + 1)], 5)[
        : len(records)
    ]


def second_half_again(records):
    half = [COIN.random() >= KEEP for _ in range((len(records) + 1) // 2)]
    return (half + half)[: len(records)]


def alternating(records):
    """Never two flips in a row."""
    found = [False]
    for _ in records[1:]:
        found.append(not found[-1] and COIN.random() < 0.6)
    return found


def legacy_seeded_by_line(records):
    return [np.random.RandomState(i).random_sample() >= KEEP for i in range(len(records))]


def python_seeded_by_prompt(records):
    return [random.Random(prompt).random() >= KEEP for prompt, _, _ in records]


def seed_of_manifest(records, folder):
    seed = COIN.randrange(10**6, 10**9)
    drawn = random.Random(seed)
    flips = [drawn.random() < 1 - KEEP for _ in records]
    _, target = coins(lambda _: flips)(records, folder)
    (folder / "out.manifest.json").write_text(json.dumps({"epsilon": 0.5, "run": seed}))
    return records, target


def one_coin_for_all(records, folder):
    """The same coin decides the flip and the order of responses."""
    drawn = [COIN.random() for _ in records]
    lines = [Row(*r, u < 0.5, u >= KEEP) for r, u in zip(records, drawn, strict=True)]
    return records, write(folder / "out.jsonl", shuffled(lines))


SEEN: dict[str, Callable] = {
    "coins: neighbours": coins(neighbours),
    "coins: recycled": coins(recycled),
    "coins: random.Random(0)": coins(seeded_python),
    "coins: default_rng(42)": coins(seeded_numpy),
    "coins: RandomState(3407)": coins(seeded_legacy),
    "coins: hash of the prompt": coins(coin_of_text),
    "noise: none": coins(no_noise),
    "noise: weak": coins(weak_noise),
    "noise: spared": coins(long_prompts_spared),
    "noise: one-sided": coins(one_sided),
}


UNSEEN: dict[str, Callable] = {
    "coins: groups of five": coins(groups_of_five),
    "coins: second half again": coins(second_half_again),
    "coins: never two": coins(alternating),
    "coins: RandomState by line": coins(legacy_seeded_by_line),
    "coins: Random of the prompt": coins(python_seeded_by_prompt),
    "coins: seed in the manifest": seed_of_manifest,
    "coins: one for flip and order": one_coin_for_all,
}
