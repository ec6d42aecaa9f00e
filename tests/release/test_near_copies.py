"""``group=``: comparisons that are nearly the same share one answer."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from decimal import Decimal

import pytest

from repro import privatize
from repro.base.errors import BadInput
from repro.base.paths import install_hint
from repro.release.canonical import comparison
from repro.release.ledger import Ledger
from repro.release.near_copies import NearCopies
from repro.release.privatise import privatise

pytest.importorskip("datasketch")
HALF = Decimal("0.5")
KEEP = 0.6224593312018546
COPIES, COMPARISONS = 9, 60


def retyped(text, chance):
    """One letter of a text changed."""
    at = chance.randrange(len(text))
    return text[:at] + chance.choice("abcdefghijklmnopqrstuvwxyz") + text[at + 1 :]


@pytest.fixture
def copies(records):
    """Comparisons with different answers, each typed nine times; a number names the original."""
    chance = random.Random(4)
    some = [
        tuple(f"{text} {chance.getrandbits(256):x} {chance.getrandbits(512):x}" for text in record)
        for record in records[:COMPARISONS]
    ]
    found = [
        (number, tuple(retyped(text, chance) for text in record))
        for number, record in enumerate(some)
        for _ in range(COPIES)
    ]
    chance.shuffle(found)
    return found


def released(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def answers(path, copies):
    """For each original, how often the released answer was its chosen response."""
    truth = {(p, *sorted(pair)): (number, pair[0]) for number, (p, *pair) in copies}
    found = defaultdict(Counter)
    for line in released(path):
        pair = line["response_1"], line["response_2"]
        number, chosen = truth[line["prompt"], *sorted(pair)]
        better = line["response_1" if line["label"] == 1 else "response_2"]
        found[number][better == chosen] += 1
    return found


def test_near_copies_share_one_answer(tmp_path, ledger, write_input, copies):
    """Also where their responses sort the other way round."""
    source, target = write_input([record for _, record in copies]), tmp_path / "out.jsonl"
    done = privatise(source, target, HALF, ledger, group=0.7)
    assert done.counts.joined == (COPIES - 1) * COMPARISONS
    assert done.counts.repeated == 0
    found = answers(target, copies)
    assert [len(votes) for votes in found.values()] == [1] * COMPARISONS
    manifest = json.loads(done.manifest.read_text())
    assert (manifest["near_copies_from_similarity"], manifest["near_copies"]) == (0.7, 480)


def test_without_group_near_copies_are_comparisons_of_their_own(
    tmp_path, ledger, write_input, copies
):
    source, target = write_input([record for _, record in copies]), tmp_path / "out.jsonl"
    done = privatise(source, target, HALF, ledger)
    assert done.counts.joined == 0
    assert json.loads(done.manifest.read_text())["near_copies_from_similarity"] is None
    assert max(len(votes) for votes in answers(target, copies).values()) == 2


def test_the_group_has_the_label_of_its_first_member(tmp_path, ledger, write_input, copies):
    """At ε = 40 no answer is flipped; all but the first have the other label."""
    (number, first), *rest = copies
    rest = [(p, b, a) for n, (p, a, b) in rest if n == number]
    target = tmp_path / "out.jsonl"
    privatise(write_input([first, *rest]), target, Decimal(40), ledger, group=0.7)
    better = {
        line["response_1" if line["label"] == 1 else "response_2"] for line in released(target)
    }
    assert better == {first[1], *(rejected for _, _, rejected in rest)}


def test_every_member_is_noted_in_the_ledger(tmp_path, ledger, write_input, copies):
    lines = [record for _, record in copies]
    privatise(write_input(lines), tmp_path / "one.jsonl", HALF, ledger, group=0.7)
    assert ledger.entries()[0].comparisons == len(lines)
    with pytest.raises(BadInput, match="an earlier release has labels"):
        privatise(write_input(lines[-1:]), tmp_path / "two.jsonl", HALF, Ledger(ledger.folder))


def test_an_exact_copy_in_a_group_is_counted_as_repeated(tmp_path, ledger, write_input, copies):
    lines = [record for _, record in copies]
    done = privatise(write_input(lines + lines), tmp_path / "o.jsonl", HALF, ledger, group=0.7)
    assert (done.counts.repeated, done.counts.joined) == (len(lines), (COPIES - 1) * COMPARISONS)


def test_different_comparisons_stay_apart():
    near = NearCopies(0.8)
    records = [("what is a cat?", "an animal", "a plant"), ("who wrote it?", "she did", "he did")]
    assert [near.answer(comparison(record)[0], k) for k, record in enumerate(records)] == [0, 1]
    assert near.joined == 0
    assert near.answer(comparison(("What is a cat", "An animal!", "a plant"))[0], 3) in (0, 3)


@pytest.mark.parametrize("value", ["0.4", "1.5", "nan", "much", ""])
def test_a_similarity_out_of_range_is_refused(tmp_path, write_input, records, capsys, value):
    words = [str(write_input(records)), str(tmp_path / "o"), "epsilon=1", f"group={value}"]
    assert privatize.main(words) == 2
    assert f"group={value}: allowed" in capsys.readouterr().err or not value
    assert not (tmp_path / "o").exists()


def test_without_the_library_it_says_what_to_install(
    tmp_path, write_input, records, capsys, monkeypatch
):
    monkeypatch.setitem(sys.modules, "datasketch", None)
    state = tmp_path / "state"
    words = [str(write_input(records)), str(tmp_path / "o"), "epsilon=1", f"ledger={state}"]
    assert privatize.main([*words, "group=0.8"]) == 2
    assert install_hint("near") in capsys.readouterr().err
    assert not state.exists()
    assert privatize.main(words) == 0
