"""Two inputs that differ in one pair, whatever the ledger holds: all but θ is the same."""

from __future__ import annotations

import json
import math
import random
import re
import shutil

import pytest

import repro
from repro.commands import privatize as releasing
from repro.commands.private_reward import main
from repro.commands.process.command import status_of
from repro.release.ledger import held_ledger

THETA = re.compile(rb'"theta": \[[^\]]*\]')
NORM = re.compile(r"norm of theta (\S+),")
"""Follows from θ, which is released."""
WORDS = ["epsilon=1", "delta=1e-6", "reward_bound=2", "weak=true"]
SIZE = 9


def neighbours(rng, records):
    """Inputs of ``SIZE`` pairs, and the pair of each that the other has not."""
    rows = rng.sample(records, SIZE + 1)
    at, other = rng.sample(range(SIZE), 2)
    ours = rows[:SIZE]
    theirs = [*ours]
    turned = {**ours[at], "chosen": ours[at]["rejected"], "rejected": ours[at]["chosen"]}
    theirs[at] = rng.choice([rows[SIZE], turned, ours[other]])  # new, its label turned, a copy
    return ours, theirs, ours[at], theirs[at]


def ledgers(folder, rng, mine, theirs, records):
    """Ledgers of 0, 1 and 2 releases, of labels and of rewards, that hold one pair or the other."""
    before = folder / "0"
    yield before
    for count in (1, 2):
        earlier = [rng.choice([mine, theirs, records[0]]), *rng.sample(records[1:], 3)]
        if rng.random() < 0.5:
            repro.privatize(earlier, 0.5, ledger=before, compose=True)
        else:
            repro.private_reward(earlier, 0.25, 1e-7, 1, ledger=before, compose=True, weak=True)
        yield before
        before = shutil.copytree(before, folder / f"{count}")


def everything(rows, ledger, compose, capsys, write_pairs):
    """Status, terminal and file but θ and its norm, and what the ledger keeps but θ's digest."""
    folder = ledger.with_name("run")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if ledger.exists():
        shutil.copytree(ledger, folder / "ledger")
    source, out = write_pairs(rows), folder / "r.json"
    words = [str(source), str(out), *WORDS, f"compose={compose}", f"ledger={folder / 'ledger'}"]
    status = status_of(main, words, private=True)
    content = THETA.sub(b"", out.read_bytes()) if out.exists() else b""
    spent = []
    if (folder / "ledger").exists():
        with held_ledger(folder / "ledger") as book:
            spent = book._rows.execute("SELECT number, epsilon, earlier, unit_size, lines, delta,"
                                       " earlier_delta FROM debits").fetchall()  # fmt: skip
            spent += book._rows.execute("SELECT * FROM prints").fetchall()
    said, error = capsys.readouterr()
    if out.exists():
        norm = math.hypot(*json.loads(out.read_bytes())["theta"])
        assert NORM.findall(said) == [f"{norm:.3g}"]
    return status, NORM.sub("", said), error, content, spent


@pytest.fixture
def write_pairs(tmp_path):
    def write(rows):
        path = tmp_path / "pairs.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


@pytest.mark.parametrize(
    "seed", [*range(5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 20))]
)
def test_only_theta_depends_on_a_pair(seed, tmp_path, records, capsys, write_pairs):
    rng = random.Random(seed)
    ours, theirs, mine, other = neighbours(rng, records)
    statuses = []
    for ledger in ledgers(tmp_path, rng, mine, other, records):
        for compose in ("true", "false"):
            sides = [
                everything(rows, ledger, compose, capsys, write_pairs) for rows in (ours, theirs)
            ]
            assert sides[0] == sides[1]
            statuses.append(sides[0][0])
    assert statuses == [0, 0, 0, 2, 0, 2]


def test_label_releases_count_a_reward_whatever_it_read(tmp_path, records, capsys, write_pairs):
    ours, theirs, mine, _ = neighbours(random.Random(0), records)
    sides = []
    for rows in (ours, theirs):
        ledger = tmp_path / f"{len(sides)}"
        repro.private_reward(rows, 1, 1e-6, 2, ledger=ledger, weak=True)
        words = [str(write_pairs([mine, records[-1]])), str(tmp_path / "o.jsonl"), "epsilon=0.5"]
        assert status_of(releasing.main, [*words, f"ledger={ledger}"]) == 2
        made = repro.privatize([mine], 0.5, ledger=ledger, compose=True).manifest
        totals = made["earlier_epsilons"], made["total_epsilon"], made["total_delta"]
        sides.append((totals, capsys.readouterr()))
    assert sides[0] == sides[1]
    assert sides[0][0] == ([1.0], 1.5, 1e-6)
