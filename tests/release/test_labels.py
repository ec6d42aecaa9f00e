"""What the tests of labels find of forty leaky releases, and that they accuse no sound one."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

import repro
from repro.labels.preferences.synthetic_pairs import synthetic_pairs
from repro.labels.privacy.exact_response import ExactResponse
from repro.release.canonical import body, compared, line
from repro.release.labels import AGREED, ALARM, FlipFeatures, ReleasedLines, agreement
from repro.release.manifest import Manifest, exact_epsilon
from tests.at_each import at_each
from tests.release.leaks import LEAKS, Writer

SIZE = 2100
FOUND = {
    "no noise where the chosen response is long",
    "two lines in a row share a coin",
    "no noise where response_1 was chosen",
    "half the noise everywhere",
}
"""Seen at this size; of the others the audit may miss some."""


def some_records(size, seed):
    rng = random.Random(seed)
    pool = synthetic_pairs(1200, seed=seed)
    picked = [rng.choice(pool) for _ in range(size)]
    return [
        {"prompt": f"{p.prompt} ({k})", "chosen": p.chosen, "rejected": p.rejected}
        for k, p in enumerate(picked)
    ]


def written(path, records, kept_by, epsilon="1", seed=1):
    """A release whose labels are one's own, and whose other bytes are canonical."""
    rows = []
    for origin, r in enumerate(records):
        key, _, first = compared(r["prompt"], r["chosen"], r["rejected"])
        rows.append((key, origin, first, (r["prompt"], r["chosen"], r["rejected"])))
    rows.sort()
    budget = exact_epsilon(epsilon)
    w = Writer(
        [row[3] for row in rows], np.array([row[2] for row in rows]),
        np.array([row[1] for row in rows]), float(ExactResponse.at(budget).flip_prob),
        np.random.default_rng(seed),
    )  # fmt: skip
    labels = (w.first == kept_by(w)).astype(int).tolist()
    lines = [
        line(body(p, *((a, b) if first else (b, a))), label)
        for (_, _, first, (p, a, b)), label in zip(rows, labels, strict=True)
    ]
    path.write_bytes(b"".join(lines))
    from repro.release.released import fingerprint

    made = Manifest(budget, (), None, len(lines), sum(labels), fingerprint(path))
    path.with_name("o.manifest.json").write_bytes(made.content)
    return path


@pytest.mark.some(1)
@pytest.mark.parametrize("name", sorted(FOUND))
def test_leaks_through_labels_alone(name, tmp_path):
    records = some_records(SIZE, seed=4)
    found = repro.audit(written(tmp_path / "o.jsonl", records, LEAKS[name]), records)
    assert found.canonical
    assert found.leaks


@pytest.mark.some(1)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_the_same_writer_without_a_leak_is_sound(tmp_path, epsilon):
    records = some_records(SIZE, seed=5)
    path = written(tmp_path / "o.jsonl", records, lambda w: w.keep(w.q), epsilon)
    assert repro.audit(path, records).status == 0


@pytest.mark.slow
def test_sound_releases_are_accepted(tmp_path):
    """Family-wise, at most one in ten thousand is accused."""
    trials = 40
    rng, accused = random.Random(11), []
    for number in range(trials):
        size = round(30 * (10_000 / 30) ** rng.random() ** 1.5)
        epsilon = str(round(0.1 * 160 ** rng.random(), 3))
        records = some_records(size, seed=number)
        records += rng.choices(records, k=size // 8)  # copies, and some that disagree
        for one in rng.sample(range(len(records)), size // 20):
            r = records[one]
            records[one] = {**r, "chosen": r["rejected"], "rejected": r["chosen"]}
        order = rng.choice(["as it is", "sorted by length", "sorted by label"])
        if order != "as it is":
            records.sort(key=lambda r: len(r["chosen"]) if "length" in order else r["chosen"])
        done = repro.privatize(records, epsilon, ledger=tmp_path / str(number))
        found = repro.audit(done, records)
        if found.status:
            accused.append((number, size, epsilon, order, found.free, found.leaks))
    assert len(accused) <= trials / 1000, accused


def test_two_releases_may_not_share_their_coins(tmp_path, ledger):
    records = some_records(400, seed=9)
    kept = np.random.default_rng(2).random(400) < 0.7
    one, two, other = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    for folder in (one, two, other):
        folder.mkdir()
    first = written(one / "o.jsonl", records, lambda w: kept)
    again = written(two / "o.jsonl", records, lambda w: ~kept, epsilon="0.000001")
    fresh = written(other / "o.jsonl", records, lambda w: w.keep(w.q))
    found = repro.audit(first, records, others=[fresh])
    assert (found.status, found.findings[-1].leaks) == (0, False)
    found = repro.audit(first, records, others=[fresh, again])
    assert [one.leaks for one in found.findings[-2:]] == [False, True]


def test_agreement_is_exact():
    rng = np.random.default_rng(1)
    small = [
        agreement(rng.random(300).round().astype(int), rng.random(300).round().astype(int), 1).p
        for _ in range(2000)
    ]
    assert sum(p < 0.05 for p in small) < 130
    assert ALARM == 1e-4


def test_releases_that_are_compared_share_one_level():
    flips = np.arange(300) % 2
    limits = [agreement(flips, flips, tests).limit for tests in (1, 4)]
    assert limits == [ALARM * AGREED, ALARM * AGREED / 4]


def test_copies_that_are_answered_differently_leak(release):
    path, original = release
    lines = path.read_text().splitlines(keepends=True)
    turned = json.loads(lines[5])
    turned["label"] *= -1
    path.write_text("".join([*lines, json.dumps(turned) + "\n"]))
    found = repro.audit(path, original)
    assert (found.status, found.leaks) == (
        1,
        ["comparisons that have several answers: 1: p < 1e-300"],
    )


@at_each("long_ones_are_kept", [True, False])
def test_a_single_question_that_tells_everything_comes_first_and_the_right_way_round(
    long_ones_are_kept,
):
    rng = np.random.default_rng(0)
    sizes, nothing = rng.permutation(np.repeat(np.arange(1, 41), 5)), np.zeros(200, bool)
    texts = {k: ("x" * size, "a", "b") for k, size in enumerate(sizes.tolist())}
    lines = ReleasedLines(
        (sizes > 20) == long_ones_are_kept, rng.random((200, 3)) < 0.5, nothing,
        rng.permutation(200), rng.permutation(200), texts,
    )  # fmt: skip
    known = FlipFeatures(lines)
    stumps = known._stumps(known._plain, np.arange(200))
    guesses = [np.where(known._plain[:, k] <= cut, sign, -sign) > 0 for k, cut, sign in stumps]
    assert np.array_equal(guesses[0], lines.kept)
    assert all((guess == lines.kept).mean() > 0.5 for guess in guesses)
