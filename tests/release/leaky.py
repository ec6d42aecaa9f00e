"""Releases that leak, written by the tests themselves, and a sound one to compare with."""

from __future__ import annotations

import hashlib
import json
import random

import numpy as np

KEEP = 0.6224593312018546  # epsilon = 0.5


def line(prompt, chosen, rejected, swap, flip, **more):
    one, two = (rejected, chosen) if swap else (chosen, rejected)
    truth = -1 if swap else 1
    label = -truth if flip else truth
    return {"prompt": prompt, "response_1": one, "response_2": two, "label": label, **more}


def _secure(records, extra=lambda record, swap, flip: {}, edit=None):
    coin = random.SystemRandom()
    lines = []
    for record in records:
        swap, flip = coin.random() < 0.5, coin.random() >= KEEP
        shown = edit(record) if edit else record
        lines.append(line(*shown, swap, flip, **extra(record, swap, flip)))
    return lines


def order_kept(records):
    coin = random.SystemRandom()
    return [line(*record, False, coin.random() >= KEEP) for record in records]


def seeded_python(records):
    coin = random.Random(0)
    return [line(*r, coin.random() < 0.5, coin.random() >= KEEP) for r in records]


def seeded_numpy(records):
    flips = np.random.default_rng(42).random(len(records)) >= KEEP
    coin = random.SystemRandom()
    return [line(*r, coin.random() < 0.5, bool(f)) for r, f in zip(records, flips, strict=True)]


def seeded_then_shuffled(records):
    flips = np.random.RandomState(3407).random_sample(len(records)) < 1 - KEEP
    coin = random.SystemRandom()
    lines = [line(*r, coin.random() < 0.5, bool(f)) for r, f in zip(records, flips, strict=True)]
    coin.shuffle(lines)
    return lines


def ordered_hash(records):
    def name(record, swap, flip):
        return {"id": hashlib.sha256("".join(record).encode()).hexdigest()[:16]}

    return _secure(records, name)


def flip_noted(records):
    return _secure(records, lambda record, swap, flip: {"meta": {"noise": flip}})


def score_kept(records):
    return _secure(records, lambda r, swap, flip: {"margin": -1.5 if swap else 2.0})


def sorted_by_chosen(records):
    return _secure(sorted(records, key=lambda record: record[1]))


def trailing_space(records):
    return _secure(records, edit=lambda record: (record[0], record[1] + " ", record[2]))


def raw_labels(records):
    coin = random.SystemRandom()
    return [line(*record, coin.random() < 0.5, False) for record in records]


def weak_noise(records):
    coin = random.SystemRandom()
    return [line(*r, coin.random() < 0.5, coin.random() < 0.2) for r in records]


def fresh_noise_on_copies(records):
    return _secure([record for record in records for _ in range(9)])


def sound(records):
    return _secure(records, lambda r, swap, flip: {"id": random.SystemRandom().getrandbits(64)})


def write(path, values):
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path
