"""Releases of a small input with fixed coins, whole: what is said, written and spent; refusals."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import shlex
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from pyarrow import parquet

from repro.commands import audit_release, private_reward, privatize
from repro.commands.process.command import status_of
from repro.release import labels
from repro.release.labels import AGREED, ALARM, FlipFeatures, ReleasedLines, findings
from repro.release.ledger_file import NAME
from tests.near_numbers import NearNumbers

TALK = "\n\nHuman: Hi\n\nAssistant: Hello.\n\nHuman: Which tree?\n\nAssistant:"
TEXTS = [
    ("Which tree?", "An oak.", "A rope.", "ann"),
    ("Which tree?", "A rope.", "An oak.", "bob"),  # a copy with another label
    (" Which  tree?", "An oak.", "A rope.", "ann"),  # a copy in another form
    (TALK, "An oak.", "A rope.", "cy"),  # shares its last question with the first
    ("Name a \u201cfish\u201d", "Carp\n", "Carp, or \u00e4 pike", "ann"),
    ("Name a bird", "Wren", "Kite", "ann"),
    ("Name a bird.", "wren", "kite", "bob"),  # a near copy
    ("Count", "1, 2, 3", "1, 3, 2", "bob"),
    ("Sum", "4", "5", "cy"),
]
NAMES = ("prompt", "chosen", "rejected", "who")
LISTS = [
    {
        "prompt": [{"role": "user", "content": prompt}],
        "chosen": [{"role": "assistant", "content": chosen}],
        "rejected": [{"role": "assistant", "content": rejected}],
    }
    for prompt, chosen, rejected in (("Which?", "This.", "That."), ("Why?", "So.", "Thus."))
]
MAINS = {
    "privatize": privatize.main,
    "audit_release": audit_release.main,
    "private_reward": private_reward.main,
}


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """A command line, its exit status and all that it says, without the name of the folder."""
    rows = [dict(zip(NAMES, row, strict=True)) for row in TEXTS]
    for name, records in (("in", rows), ("others", rows[4:]), ("lists", LISTS)):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", "/home/somebody")

    def run(line):
        command, *words = shlex.split(line)
        status = status_of(MAINS[command], words)
        shown = capsys.readouterr()
        text = (shown.out + shown.err).replace(str(tmp_path), "FOLDER")
        return f"$ {line}\n{text}-> {status}"

    return run


def content(path):
    if path.suffix == ".parquet":
        return repr(parquet.read_table(path).to_pylist())
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).decode()
    return path.read_text()


def spent(folder):
    """All rows of a ledger."""
    with contextlib.closing(sqlite3.connect(folder / NAME)) as book:
        tables = ("debits", "prints")
        rows = [book.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables]
    return "\n".join(repr(row) for table in rows for row in table)


RELEASES = """
privatize in.jsonl one.jsonl epsilon=0.5 ledger=book
privatize in.jsonl one.jsonl epsilon=0.5 ledger=book near_copies=true
privatize in.jsonl two.jsonl epsilon=0.25 ledger=book near_copies=true
privatize in.jsonl two.parquet epsilon=0.25 ledger=book compose=true layout=trl near_copies=true
privatize others.jsonl three.jsonl.gz epsilon=3 ledger=book compose=true near_copies=true
    unit=who at_most=2
privatize others.jsonl four.jsonl epsilon=1.5 ledger=book near_copies=true
    unit=who at_most=9
privatize lists.jsonl lists.jsonl.gz epsilon=1 ledger=book
privatize lists.jsonl other_lists.parquet epsilon=1 ledger=book layout=trl compose=true
audit_release one.jsonl original=in.jsonl
audit_release one.jsonl original=in.jsonl ledger=book others=two.jsonl
audit_release two.jsonl original=in.jsonl
audit_release two.jsonl original=in.jsonl ledger=book
audit_release three.jsonl original=others.jsonl ledger=book
audit_release three.jsonl original=others.jsonl ledger=book unit=who at_most=2
audit_release three.jsonl original=in.jsonl epsilon=1 ledger=book unit=who at_most=9
audit_release three.jsonl.gz original=others.jsonl epsilon=3 unit=who at_most=2
audit_release two.parquet original=in.jsonl rewrite=again.jsonl
audit_release other_lists.jsonl original=lists.jsonl ledger=book
audit_release other_lists.jsonl original=lists.jsonl ledger=nowhere
privatize lists.jsonl apart.jsonl epsilon=1 ledger=other_book
audit_release one.jsonl original=in.jsonl ledger=other_book
audit_release apart.jsonl original=in.jsonl ledger=other_book
privatize lists.jsonl weak.jsonl epsilon=40 ledger=other_book compose=true
privatize spent=true ledger=book
privatize --spent ledger=other_book
privatize spent=true
"""


def test_what_releases_say_write_and_spend(said, tmp_path, fixed_coins, snapshot):
    """Every byte of every file, and every row of the ledger: answers are those of fixed coins."""
    fixed_coins()
    before = set(tmp_path.iterdir())
    lines = [said(line) for line in RELEASES.strip().replace("\n    ", " ").splitlines()]
    for path in sorted(set(tmp_path.iterdir()) - before):
        lines += [f"== {path.name}", spent(path) if path.is_dir() else content(path)]
    assert "\n".join(lines) == snapshot


REWARDS = """
private_reward phi.npy one.json epsilon=1 delta=1e-6 reward_bound=2 labels=signs.npy
private_reward phi.npy one.json epsilon=1 delta=1e-6 reward_bound=2 labels=signs.npy weak=true
private_reward phi.npy two.json epsilon=1 delta=1e-6 reward_bound=2 labels=signs.npy
private_reward both.npy two.json epsilon=2 delta=1e-5 reward_bound=1 labels=signs.npy compose=true
    adjacency=add_remove covariance=true size=20000
private_reward in.jsonl three.json epsilon=0.5 delta=1e-5 reward_bound=0.7 num_features=8
    unit=who at_most=3 compose=true
private_reward in.jsonl four.json epsilon=4 delta=1e-6 reward_bound=3 compose=true
    adjacency=add_remove unit=who at_most=2 covariance=true
privatize in.jsonl out.jsonl epsilon=1 near_copies=true
privatize in.jsonl out.jsonl epsilon=1 compose=true near_copies=true
audit_release out.jsonl original=in.jsonl ledger=book
privatize in.jsonl more.jsonl epsilon=1 near_copies=true
private_reward in.jsonl five.json epsilon=1 delta=1e-6 reward_bound=1
privatize spent=true
private_reward line.npy six.json epsilon=1 delta=1e-6 reward_bound=1 labels=signs.npy compose=true
    weak=true
"""


def rounded(thing):
    """Numbers to six digits: the last ones are those of a machine."""
    if isinstance(thing, dict):
        return {key: rounded(value) for key, value in thing.items()}
    return float(f"{thing:.6g}") if isinstance(thing, float) else thing


def test_what_rewards_promise_and_spend(said, tmp_path, fixed_coins, snapshot):
    """The cards of all kinds of rewards, and what the ledger holds after them; never θ."""
    fixed_coins()
    np.save("phi.npy", np.eye(4, 3))
    np.save("line.npy", np.eye(4, 1))
    np.save("both.npy", np.stack([np.eye(4), np.eye(4)[::-1]], 1))
    np.save("signs.npy", np.array([1, -1, 1, 1]))
    commands = REWARDS.strip().replace("\n    ", " ").splitlines()
    lines = [
        said(f"{line} ledger=book".replace("ledger=book ledger", "ledger")) for line in commands
    ]
    for path in sorted(tmp_path.glob("*.json")):
        file = json.loads(path.read_text())
        file |= {name: np.shape(file[name]) for name in ("theta", "second_moment") if name in file}
        card = rounded(file.pop("card")) if "card" in file else {}
        lines += [f"== {path.name} {file}", json.dumps(card, indent=1)]
    lines += [row for row in spent(tmp_path / "book").splitlines() if row.count(",") > 2]
    lines = [re.sub("'[0-9a-f]{64}'", "HASH", line) for line in lines]
    lines = [re.sub("sha256 [0-9a-f]{12}", "sha256 HASH", line) for line in lines]
    lines = [re.sub("norm of theta [^,]*", "norm of theta NORM", line) for line in lines]
    assert "\n".join(lines) == snapshot.use_extension(NearNumbers)


PAIR = {"prompt": "p", "chosen": "a", "rejected": "b"}
LINES = {
    "list": b"[1]",
    "cut": b"{",
    "latin": b"\xff\xfe",
    "zero": b"a\0b",
    "twice": b'{"prompt": "p", "prompt": "p", "chosen": "a", "rejected": "b"}',
    "no_prompt": b'{"chosen": "a", "rejected": "b"}',
    "no_responses": b'{"prompt": "p"}',
    "one_response": b'{"prompt": "p", "chosen": "a"}',
    "number": b'{"prompt": "p", "chosen": 1, "rejected": "b"}',
    "blank": b'{"prompt": "p", "chosen": "a", "rejected": " "}',
    "blank_prompt": b'{"prompt": " ", "chosen": "a", "rejected": "b"}',
    "answers": b'{"question": "p", "answer_1": "a", "answer_2": "b"}',
    "equal": b'{"prompt": "p", "chosen": "a", "rejected": "a"}',
    "null": b'{"prompt": "p", "chosen": "a", "rejected": "\\u0000"}',
    "surrogate": b'{"prompt": "p", "chosen": "a", "rejected": "\\ud800"}',
    "deep": b"[" * 100_000,
    "digits": b'{"n": ' + b"9" * 5000 + b"}",
    "a_tie": b'{"prompt": "p", "response_1": "a", "response_2": "b", "preference_strength": 0}',
    "a_release": b'{"prompt": "p", "response_1": "a", "response_2": "b", "label": -1}',
    "no_who": json.dumps(PAIR).encode(),
    "other_who": json.dumps({**PAIR, "who": 1.5}).encode(),
}
"""The second line of a file each; the first is good."""
MATRICES = {
    "phi": np.eye(4, 3),
    "nan": np.array([[1.0, 0], [0, 1], [np.nan, 0]]),
    "one_row": np.eye(1, 3),
    "cube": np.ones((2, 3, 4)),
    "flat": np.ones(4),
    "wide": np.ones((2, 4097)),
    "no_column": np.ones((4, 0)),
    "words": np.array([["a", "b"]]),
    "no_numbers": np.array([1 + 2j, 3]),
    "signs": np.array([1, -1, 1, 1]),
    "three": np.array([1, -1, 1]),
    "zeros": np.array([1, 0, 1, -1]),
}
R = "epsilon=1 delta=1e-6 reward_bound=2"
OF_LINES = "\n".join(
    f"privatize {name}.jsonl o.jsonl epsilon=1" for name in LINES if "who" not in name
)
REFUSED = f"""
privatize
privatize in.jsonl
privatize in.jsonl o.jsonl
privatize in.jsonl o.jsonl epsilon=0.5 seed=7
privatize in.jsonl o.jsonl --seed=7
privatize in.jsonl o.jsonl epsilon=inf
privatize in.jsonl o.jsonl epsilon=0_5
privatize in.jsonl o.jsonl epsilon=0
privatize in.jsonl o.jsonl epsilon=0.0000009
privatize in.jsonl o.jsonl epsilon=0.0000001
privatize in.jsonl o.jsonl epsilon=40.000001
privatize in.jsonl o.jsonl epsilon=1 epsilon=2
privatize in.jsonl o.jsonl epsilom=1
privatize in.jsonl o.jsonl epsilon=1 compose=maybe
privatize in.jsonl o.jsonl epsilon=1 more.jsonl
privatize in.jsonl o.jsonl epsilon=1 group=0.8
privatize in.jsonl o.jsonl epsilon=1 at_most=0
privatize in.jsonl o.jsonl epsilon=1 layout=trl
privatize in.jsonl o.jsonl epsilon=1 layout=x
privatize in.jsonl o.jsonl epsilon=1 resume=true
privatize in.jsonl in.jsonl epsilon=1
privatize in.jsonl no/o.jsonl epsilon=1
privatize in.jsonl in.jsonl/o.jsonl epsilon=1
privatize in.jsonl o.csv epsilon=1
privatize in.jsonl .parquet epsilon=1
privatize in.jsonl o.jsonl epsilon=1 ledger=in.jsonl
privatize spent=true ledger=nowhere
privatize spent=no
privatize in.jsonl spent=true
privatize in.jsonl o.jsonl epsilon=1 unit=who
privatize in.jsonl o.jsonl epsilon=1 unit=chosen at_most=2
privatize in.jsonl o.jsonl epsilon=1 unit=absent at_most=2
privatize missing.jsonl o.jsonl epsilon=1
privatize . o.jsonl epsilon=1
privatize empty.jsonl o.jsonl epsilon=1
{OF_LINES}
privatize no_who.jsonl o.jsonl epsilon=1 unit=who at_most=2
privatize other_who.jsonl o.jsonl epsilon=1 unit=who at_most=2
private_reward in.jsonl r.json
private_reward in.jsonl r.json epsilon=1
private_reward in.jsonl r.json epsilon=1 delta=1e-6
private_reward in.jsonl r.json epsilon=inf delta=1e-6 reward_bound=2
private_reward in.jsonl r.json epsilon=1 delta=0 reward_bound=2
private_reward in.jsonl r.json epsilon=1 delta=9e-16 reward_bound=2
private_reward in.jsonl r.json epsilon=1 delta=0.11 reward_bound=2
private_reward in.jsonl r.json epsilon=1 delta=nan reward_bound=2
private_reward in.jsonl r.json epsilon=1 delta=1e-6 reward_bound=-1
private_reward in.jsonl r.json epsilon=1 delta=1e-6 reward_bound=0.009
private_reward in.jsonl r.json epsilon=1 delta=1e-6 reward_bound=20.01
private_reward in.jsonl r.json {R} adjacency=both
private_reward in.jsonl r.json {R} num_features=4
private_reward in.jsonl r.json {R} num_features=4097
private_reward in.jsonl r.json {R} unit=who
private_reward in.jsonl r.json {R} at_most=4
private_reward in.jsonl r.json {R} unit=who at_most=101
private_reward in.jsonl r.json {R} seed=3
private_reward in.jsonl r.json {R} covariance=yes
private_reward in.jsonl r.json {R} size=0
private_reward in.jsonl r.json {R} size=5000001
private_reward in.jsonl r.json {R} budget=1
private_reward in.jsonl r.json {R} resume=true
private_reward in.jsonl r.txt {R}
private_reward in.jsonl .json {R}
private_reward in.jsonl no/r.json {R}
private_reward in.jsonl taken.json {R}
private_reward no_who.jsonl r.json {R} unit=who at_most=1
private_reward pair.jsonl r.json {R}
private_reward phi.npy r.json {R}
private_reward phi.npy r.json {R} labels=absent.npy
private_reward phi.npy r.json {R} labels=three.npy
private_reward phi.npy r.json {R} labels=zeros.npy
private_reward phi.npy r.json {R} labels=signs.npy num_features=16
private_reward phi.npy r.json {R} labels=signs.npy unit=who at_most=1
private_reward nan.npy r.json {R} labels=three.npy
private_reward one_row.npy r.json {R} labels=one_row.csv
private_reward cube.npy r.json {R} labels=signs.npy
private_reward flat.npy r.json {R} labels=signs.npy
private_reward wide.npy r.json {R} labels=signs.npy
private_reward no_column.npy r.json {R} labels=signs.npy
private_reward words.npy r.json {R} labels=signs.npy
private_reward no_numbers.npy r.json {R} labels=signs.npy
private_reward cut.npy r.json {R} labels=signs.npy
private_reward text.csv r.json {R} labels=signs.npy
private_reward in.jsonl r.json {R} labels=signs.npy
audit_release
audit_release in.jsonl
audit_release in.jsonl original=in.jsonl
audit_release in.jsonl original=in.jsonl epsilon=0_5
audit_release in.jsonl original=in.jsonl epsilom=1
audit_release in.jsonl original=in.jsonl at_most=x
audit_release in.jsonl original=in.jsonl at_most=2
audit_release in.jsonl original=in.jsonl rewrite=in.jsonl
audit_release in.jsonl original=in.jsonl rewrite=o.txt
audit_release missing original=in.jsonl epsilon=1
audit_release number.jsonl original=in.jsonl epsilon=1
audit_release empty.jsonl original=in.jsonl epsilon=1
"""


def test_what_is_refused_and_in_which_words(said, tmp_path, snapshot):
    """One line and status 2 each; nothing is written, nothing is spent."""
    good = json.dumps({**PAIR, "prompt": "q", "who": "ann"}).encode()
    for name, line in LINES.items():
        (tmp_path / f"{name}.jsonl").write_bytes(good + b"\n" + line + b"\n")
    for name, matrix in MATRICES.items():
        np.save(tmp_path / f"{name}.npy", matrix)
    (tmp_path / "pair.jsonl").write_bytes(good)
    (tmp_path / "empty.jsonl").write_bytes(b"\n \n")
    (tmp_path / "one_row.csv").write_text("1\n")
    (tmp_path / "text.csv").write_text("a,b\n1,2\n")
    (tmp_path / "taken.json").write_text("mine")
    (tmp_path / "cut.npy").write_bytes((tmp_path / "phi.npy").read_bytes()[:90])
    before = sorted(tmp_path.rglob("*"))
    lines = [
        said(line if "ledger=" in line else f"{line} ledger=book")
        for line in REFUSED.strip().splitlines()
    ]
    assert [line for line in lines if line.count("\n") != 2 or not line.endswith("-> 2")] == []
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "taken.json").read_text() == "mine"
    assert "\n".join(lines) == snapshot


def compared_lines():
    """Ninety lines beside their originals, by plain arithmetic: no draw of any library."""
    k = np.arange(90)
    texts = {
        int(i): (f"Question {i % 5}?", "Yes! " * (i % 4 + 1) + "(a)", f"no, {i}: never.\n")
        for i in k
    }
    return ReleasedLines(
        kept=k * 7 % 10 < 7,
        frames=np.stack([k % 2 == 0, k % 3 == 0, k % 5 < 2], 1),
        disputed=k % 17 == 3,
        origin=k * 37 % 90,
        place=k,
        texts=texts,
        groups={"who": k % 4, "day": k // 9},
    )


def test_what_an_audit_asks_of_labels(monkeypatch, snapshot):
    """Every test with its p-value and its share of the level; what a learned rule is shown."""

    def scores(self, dense, fit, seed):
        yield np.where(self.kept, 1.0, 0.0)

    monkeypatch.setattr(
        FlipFeatures, "_scores", scores
    )  # sklearn's models have digits of their own
    monkeypatch.setattr(labels, "_fresh", lambda: np.random.default_rng(3))
    lines = compared_lines()
    found = findings(lines, 0.25)
    said = [
        f"{test.what}: {'seen' if test.leaks else 'not seen'}, level {test.limit:.6g}"
        if "depend on texts" in test.what
        else f"{test.what}: p {test.p:.4g}, level {test.limit:.6g}"
        for test in found
    ]
    known = FlipFeatures(lines)
    fit = np.arange(0, len(lines.sampled), 2)
    for features in (known._of_texts(), known._of_places(), known._of_neighbours(fit)):
        rows = [[float(f"{x:.6g}") + 0.0 for x in features[row].tolist()] for row in (4, 61)]
        said += [str(features.shape), *map(str, rows)]
    said.append(str(sorted(known.words[4].data.round(6).tolist())))
    assert sum(test.limit for test in found) == pytest.approx(ALARM * (1 - AGREED))
    assert "\n".join(said) == snapshot.use_extension(NearNumbers)


def test_rules_are_learned_from_lines_and_flips_enough(monkeypatch):
    """On both sides of the least number of lines with texts, and of flips among them."""
    monkeypatch.setattr(FlipFeatures, "_scores", lambda *given: iter(()))
    lines = compared_lines()
    sure = lines.sampled
    parts = [
        replace(lines, kept=~np.isin(np.arange(90), sure[:flips]))
        for flips in (labels.FEWEST_FLIPS, labels.FEWEST_FLIPS - 1)
    ]
    parts += [
        replace(lines, texts={number: lines.texts[number] for number in sure[:size].tolist()})
        for size in (labels.LEAST, labels.LEAST - 1)
    ]
    learned = [len(list(labels._learned(part))) for part in parts]
    assert learned == [labels.SPLITS, 0, labels.SPLITS, 0]
