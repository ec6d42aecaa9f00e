from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from repro import privatize
from repro.base.errors import BadInput
from repro.privacy import exact_response
from repro.release import privatise as pipeline
from repro.release import shuffle
from repro.release.answers import Answers
from repro.release.ledger import Ledger
from repro.release.manifest import manifest_path
from repro.release.privatise import privatise

HALF = Decimal("0.5")
ROOT = Path(__file__).parents[2]


def released(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def comparisons(lines):
    return Counter((x["prompt"], *sorted((x["response_1"], x["response_2"]))) for x in lines)


def wanted(records):
    return Counter((p, *sorted((a, b))) for p, a, b in records)


def test_keeps_every_line_and_only_the_fields_of_the_contract(
    tmp_path, ledger, write_input, records
):
    target = tmp_path / "out.jsonl"
    done = privatise(write_input(records), target, HALF, ledger)
    lines = released(target)
    assert comparisons(lines) == wanted(records)
    assert {tuple(line) for line in lines} == {("prompt", "response_1", "response_2", "label")}
    assert {line["label"] for line in lines} == {1, -1}
    assert done.counts.lines == len(records)
    assert done.counts.repeated == 0
    assert done.counts.plus == sum(line["label"] == 1 for line in lines)


def test_labels_are_kept_at_the_rate_of_the_budget(tmp_path, ledger, write_input, records):
    chosen = {(p, a): b for p, a, b in records}
    privatise(write_input(records), tmp_path / "out.jsonl", Decimal("1"), ledger)
    kept = first = 0
    for line in released(tmp_path / "out.jsonl"):
        truth = 1 if chosen.get((line["prompt"], line["response_1"])) == line["response_2"] else -1
        kept += truth == line["label"]
        first += truth == 1
    n, p = len(records), 0.7310585786300049
    assert abs(kept - n * p) < 7 * (n * p * (1 - p)) ** 0.5
    assert abs(first - n / 2) < 7 * (n / 4) ** 0.5


def test_neither_order_of_lines_nor_of_responses_depends_on_the_label(
    tmp_path, write_input, records, monkeypatch
):
    """With the coins held fixed, exchanging chosen and rejected changes labels alone."""
    outputs = []
    for name in ("one", "two"):
        given_records = records if name == "one" else [(p, b, a) for p, a, b in records]
        ledger = Ledger(tmp_path / name)
        ledger.salt = b"s" * 32
        monkeypatch.setattr(exact_response, "os", _Fixed())
        monkeypatch.setattr(shuffle, "os", _Fixed())
        privatise(
            write_input(given_records, f"{name}.in"), tmp_path / f"{name}.jsonl", HALF, ledger
        )
        outputs.append(released(tmp_path / f"{name}.jsonl"))
    one, two = ([{**line, "label": 0} for line in lines] for lines in outputs)
    assert one == two
    assert all(a["label"] == -b["label"] for a, b in zip(*outputs, strict=True))


class _Fixed:
    """Stands in for ``os`` with the same bytes every time."""

    def __init__(self):
        import random

        self._draw = random.Random(5).randbytes

    def urandom(self, size):
        return self._draw(size)


def test_lines_are_shuffled_in_memory_and_on_disk(tmp_path, monkeypatch):
    lines = [b"%d\n" % i for i in range(3000)]
    monkeypatch.setattr(shuffle, "SMALL", 1000)
    for size in (10, 20_000):
        found = list(shuffle.shuffled(iter(lines), size, tmp_path))
        assert found != lines
        assert sorted(found) == sorted(lines)
    assert list(tmp_path.iterdir()) == []
    long = [letter * 1500 + b"\n" for letter in (b"a", b"b", b"c")]
    assert sorted(shuffle.shuffled(iter(long), 4500, tmp_path)) == long


def test_shuffle_is_uniform_over_three_lines():
    seen = Counter(tuple(shuffle.in_memory([b"a", b"b", b"c"])) for _ in range(6000))
    assert len(seen) == 6
    assert max(abs(n - 1000) for n in seen.values()) < 250


def test_repeated_comparisons_share_one_answer(tmp_path, ledger, write_input, records):
    some = records[:40]
    copies = [(p, b, a) for p, a, b in some] + some * 4
    done = privatise(write_input(copies), tmp_path / "out.jsonl", HALF, ledger)
    lines = released(tmp_path / "out.jsonl")
    assert comparisons(lines) == wanted(copies)
    assert done.counts.repeated == 160
    answers = {json.dumps(line, sort_keys=True) for line in lines}
    assert len(answers) == 40


def test_answers_are_remembered():
    prints = [i * 0x9E3779B97F4A7C15 & (1 << 62) - 1 for i in range(9000)]
    bits = [i % 4 for i in range(9000)]
    with Answers() as answers:
        given = list(zip(prints, bits, strict=True))
        assert list(answers.recall(given[:10])) == bits[:10]
        assert list(answers.recall(given)) == bits
        assert list(answers.recall([(p, 3) for p in prints])) == bits
        twice = [(7, 2), (7, 1), (prints[3], 0)]
        assert list(answers.recall(twice)) == [2, 2, bits[3]]
        assert len(answers) == 9001
        assert answers.known(prints[5])
        assert not answers.known(5)


def test_the_manifest_states_the_guarantee(tmp_path, ledger, write_input, records):
    privatise(write_input(records), tmp_path / "out.jsonl", HALF, ledger)
    manifest = json.loads((tmp_path / "out.manifest.json").read_text())
    assert manifest["epsilon"] == manifest["total_epsilon"] == 0.5
    assert manifest["flip_probability"] == pytest.approx(0.3775406687981454)
    assert manifest["lines"] == len(records)
    assert "flips" not in json.dumps(manifest)


def test_a_second_release_needs_compose_and_states_the_total(
    tmp_path, ledger, write_input, records
):
    source = write_input(records)
    privatise(source, tmp_path / "one.jsonl", HALF, ledger)
    with pytest.raises(BadInput, match=r"total epsilon of 0.75: allowed with compose=true"):
        privatise(source, tmp_path / "two.jsonl", Decimal("0.25"), ledger)
    assert not (tmp_path / "two.jsonl").exists()
    done = privatise(source, tmp_path / "two.jsonl", Decimal("0.25"), ledger, compose=True)
    assert done.total == Decimal("0.75")
    assert done.earlier == 1
    manifest = json.loads(manifest_path(tmp_path / "two.jsonl").read_text())
    assert manifest["total_epsilon"] == 0.75
    assert manifest["earlier_releases"] == 1


def test_the_input_is_known_again_in_disguise(tmp_path, ledger, write_input, records):
    privatise(write_input(records), tmp_path / "one.jsonl", HALF, ledger)
    disguised = [(p, b, a) for p, a, b in reversed(records[:7])] + [("new", "a", "b")]
    with pytest.raises(BadInput, match="an earlier release has labels of this input"):
        privatise(write_input(disguised, "other.jsonl"), tmp_path / "two.jsonl", HALF, ledger)
    privatise(write_input([("new", "a", "b")], "new.jsonl"), tmp_path / "new", HALF, ledger)


@pytest.mark.parametrize(
    "bad", [b"", b"{}\n", b'{"prompt": "p", "chosen": "a", "rejected": "b"}\n\xff\n']
)
def test_nothing_is_written_for_bad_input(tmp_path, ledger, bad):
    (tmp_path / "in").write_bytes(bad)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(BadInput, match="IN="):
        privatise(tmp_path / "in", tmp_path / "out.jsonl", HALF, ledger)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_existing_target_is_left_alone(tmp_path, ledger, write_input, records):
    (tmp_path / "out.jsonl").write_text("mine")
    with pytest.raises(BadInput, match="exists; choose a new name"):
        privatise(write_input(records), tmp_path / "out.jsonl", HALF, ledger)
    assert (tmp_path / "out.jsonl").read_text() == "mine"
    (tmp_path / "new.manifest.json").write_text("mine")
    with pytest.raises(BadInput, match=r"new\.manifest\.json: exists; choose a new name"):
        privatise(write_input(records), tmp_path / "new.jsonl", HALF, ledger)
    with pytest.raises(BadInput, match="folder does not exist"):
        privatise(write_input(records), tmp_path / "no" / "out.jsonl", HALF, ledger)


def test_without_nameless_files_a_draft_is_removed(
    tmp_path, ledger, write_input, records, monkeypatch
):
    really = os.open

    def refuse(path, flags, *more):
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(95, "Operation not supported")
        return really(path, flags, *more)

    monkeypatch.setattr(os, "open", refuse)
    privatise(write_input(records), tmp_path / "out.jsonl", HALF, ledger)
    assert comparisons(released(tmp_path / "out.jsonl")) == wanted(records)
    assert not list(tmp_path.glob(".*"))
    with pytest.raises(BadInput, match="holds no records"):
        privatise(write_input([], "empty"), tmp_path / "two.jsonl", HALF, ledger)
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("stop", ["randomised", "shuffled", "manifest_text", "Publication"])
def test_a_failure_leaves_no_release(tmp_path, ledger, write_input, records, monkeypatch, stop):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pipeline, stop, fail)
    with pytest.raises(OSError, match="No space left"):
        privatise(write_input(records), tmp_path / "out.jsonl", HALF, ledger)
    assert not (tmp_path / "out.jsonl").exists()
    assert not list(tmp_path.glob(".*"))


def writes_below(pid, folder):
    """Whether a process has a file without a name open below a folder."""
    files = Path(f"/proc/{pid}/fd")
    try:
        return any(os.readlink(one).startswith(f"{folder}/") for one in files.iterdir())
    except OSError:
        return False


@pytest.mark.parametrize("wait", [0.05, 0.15, 0.25])
def test_a_killed_run_leaves_no_partial_output(tmp_path, write_input, records, wait):
    source = write_input([(f"{p} {i}", a, b) for i in range(60) for p, a, b in records])
    folder = tmp_path / "out"
    folder.mkdir()
    command = [sys.executable, "-m", "repro.privatize", source, folder / "o.jsonl", "epsilon=1"]
    run = subprocess.Popen([*command, f"ledger={tmp_path / 'state'}"], cwd=ROOT)
    while run.poll() is None and not writes_below(run.pid, folder):
        time.sleep(0.002)
    time.sleep(wait)
    alive = run.poll() is None
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert not alive or list(folder.iterdir()) == []


text = st.text(max_size=6)
record = st.tuples(text, text, text)
junk = st.one_of(st.binary(max_size=30), st.just(b""), st.just(b"{}"), st.just(b"null"))


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.one_of(record, record, record, junk), max_size=8), st.integers(1, 3))
def test_fuzzed_inputs_lose_no_line_and_leave_no_mess(tmp_path_factory, items, copies):
    folder = tmp_path_factory.mktemp("fuzz")
    lines = [
        item
        if isinstance(item, bytes)
        else json.dumps(dict(zip(("prompt", "chosen", "rejected"), item, strict=True))).encode()
        for item in items
    ]
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    source.write_bytes(b"\n".join(lines * copies))
    try:
        privatise(source, target, HALF, Ledger(folder / "state"))
    except BadInput as problem:
        assert "\n" not in str(problem)  # noqa: PT017 - refusing is one of two right answers
        assert not target.exists()
        return
    kept = [json.loads(line) for line in source.read_bytes().split(b"\n") if line.strip()]
    names = ("prompt", "chosen", "rejected")
    assert comparisons(released(target)) == wanted([tuple(x[n] for n in names) for x in kept])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["epsilon=0.5", "seed=7"], "seed=7: real labels are randomised by the operating system"),
        (["--seed=7"], "seed=7: real labels"),
        (["epsilon=inf"], "epsilon=inf: allowed: a number"),
        ([], "epsilon=(missing): allowed"),
        (["epsilon=1", "epsilon=2"], "epsilon=2: given twice"),
        (["epsilom=1"], "epsilom=1: unknown key; did you mean epsilon?"),
        (["epsilon=1", "compose=maybe"], "compose=maybe: allowed: true, false"),
        (["epsilon=1", "more.jsonl"], "more.jsonl: unexpected"),
    ],
)
def test_the_command_refuses_in_one_line(tmp_path, write_input, records, capsys, words, message):
    source = write_input(records)
    assert privatize.main([str(source), str(tmp_path / "out.jsonl"), *words]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("error: ")
    assert message in shown.err
    assert shown.err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == [source]


def test_the_command_releases_then_refuses_then_composes(tmp_path, write_input, records, capsys):
    source, words = str(write_input(records)), ["epsilon=0.5", f"ledger={tmp_path / 'state'}"]
    assert privatize.main([source, str(tmp_path / "a.jsonl"), *words]) == 0
    assert "at epsilon 0.5, no earlier release known" in capsys.readouterr().out
    assert privatize.main([source, str(tmp_path / "b.jsonl"), *words]) == 2
    assert "total epsilon of 1.0: allowed with compose=true" in capsys.readouterr().err
    assert privatize.main([source, str(tmp_path / "b.jsonl"), *words, "compose=true"]) == 0
    assert "total epsilon 1.0" in capsys.readouterr().out
    assert privatize.main([source]) == 2
    assert privatize.main(["--help"]) == 0


def test_interrupting_releases_nothing(tmp_path, write_input, records, capsys, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "shuffled", stop)
    words = [
        str(write_input(records)),
        str(tmp_path / "o"),
        "epsilon=1",
        f"ledger={tmp_path / 's'}",
    ]
    assert privatize.main(words) == 130
    assert not (tmp_path / "o").exists()
    assert "nothing was released" in capsys.readouterr().err


def test_of_four_runs_at_once_only_one_releases(tmp_path, write_input, records):
    source, state = write_input(records), f"ledger={tmp_path / 'state'}"
    command = [sys.executable, "-m", "repro.privatize", str(source)]
    targets = [str(tmp_path / f"{i}.jsonl") for i in range(4)]
    runs = [
        subprocess.Popen(
            [*command, target, "epsilon=1", state], cwd=ROOT, stderr=subprocess.DEVNULL
        )
        for target in targets
    ]
    assert sorted(run.wait() for run in runs) == [0, 2, 2, 2]
    assert len(list(tmp_path.glob("[0-9].jsonl"))) == 1
