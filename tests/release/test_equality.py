"""Every byte of a release that is not a label is determined: whatever is changed is seen."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import shutil
from decimal import Decimal

import pandas as pd
import pytest

import repro
from repro.base.errors import BadInput
from repro.commands import audit_release, privatize
from repro.commands.process.command import status_of
from repro.release import audit as auditing
from repro.release.ledger import default_folder
from repro.release.manifest import manifest_path


@pytest.fixture
def equality_alone(monkeypatch):
    """Labels are tested elsewhere, and take a second an audit."""
    monkeypatch.setattr(auditing, "findings", lambda lines, flip_prob: [])


def status(path, original, **more):
    """4 and 2 are both no release that could be trusted."""
    try:
        return repro.audit(path, original, **more).status
    except BadInput:
        return 2


@pytest.mark.usefixtures("equality_alone")
def test_a_single_changed_byte_is_seen(release, thorough):
    path, original = release
    assert status(path, original) == 0
    rng, wrong = random.Random(7), []
    for number in range(200 if thorough else 30):
        spoilt = manifest_path(path) if number % 3 == 0 else path
        good = spoilt.read_bytes()
        at, kind = rng.randrange(len(good)), rng.randrange(3)
        other = bytes([rng.choice([b for b in range(256) if b != good[at]])])
        middle = (other, b"", other + good[at : at + 1])[kind]
        spoilt.write_bytes(good[:at] + middle + good[at + 1 :])
        if status(path, original) == 0:
            wrong.append((spoilt.name, at, kind))
        spoilt.write_bytes(good)
    assert wrong == []


@pytest.mark.usefixtures("equality_alone")
def test_a_changed_label_is_seen_by_the_manifest(release):
    path, original = release
    lines = path.read_text().splitlines(keepends=True)
    line = lines[17].replace('"label":-1', '"label":+').replace('"label":1', '"label":-1')
    path.write_text("".join([*lines[:17], line.replace('"label":+', '"label":1'), *lines[18:]]))
    assert status(path, original) == 4


@pytest.mark.usefixtures("equality_alone")
def test_exchanged_repeated_and_missing_lines_are_seen(release):
    path, original = release
    lines, rng = path.read_text().splitlines(keepends=True), random.Random(3)
    for _ in range(30):
        one, two = sorted(rng.sample(range(len(lines)), 2))
        changed = [*lines]
        changed[one], changed[two] = lines[two], lines[one]
        for content in (changed, [*lines, lines[one]], lines[:one] + lines[one + 1 :]):
            path.write_text("".join(content))
            assert status(path, original) == 4


FIELDS = {
    "a field more": lambda row, k: {**row, "id": k},
    "a field in front": lambda row, k: {"id": k, **row},
    "an empty field in one line": lambda row, k: {**row, "": None} if k == 50 else row,
    "another order of responses": lambda row, k: {
        "prompt": row["prompt"], "response_1": row["response_2"],
        "response_2": row["response_1"], "label": -row["label"],
    },
    "a label that is no whole number": lambda row, k: {**row, "label": float(row["label"])},
    "a blank in a text": lambda row, k: {**row, "prompt": row["prompt"] + " " * (k % 2)},
    "an invisible character": lambda row, k: {**row, "response_1": "\u200b" + row["response_1"]},
}  # fmt: skip


@pytest.mark.usefixtures("equality_alone")
@pytest.mark.parametrize("what", FIELDS)
def test_other_fields_texts_and_orders_are_seen_and_written_anew(release, out, what, tmp_path):
    path, original = release
    good = path.read_bytes()
    rows = [FIELDS[what](row, k) for k, row in enumerate(out(path))]
    path.write_text(
        "".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n" for r in rows)
    )
    found = repro.audit(path, original)
    assert found.status == 4
    assert found.free
    if "text" not in what and "character" not in what:
        new = tmp_path / "new.jsonl"
        words = [str(path), "--original", str(original), f"rewrite={new}"]
        assert status_of(audit_release.main, words) == 4
        assert new.read_bytes() == good
        assert status(new, original) == 0


@pytest.mark.usefixtures("equality_alone")
def test_exports_are_read_and_are_not_canonical(release, tmp_path):
    path, original = release
    packed = tmp_path / "other.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    found = repro.audit(packed, original, epsilon=1)
    assert (found.status, found.lines) == (4, 200)
    frame = pd.read_json(path, lines=True)
    frame.to_parquet(tmp_path / "other.parquet")
    assert repro.audit(tmp_path / "other.parquet", original, epsilon=1).status == 4
    frame.to_csv(tmp_path / "other.csv", index=False)
    assert repro.audit(tmp_path / "other.csv", original, epsilon=1).lines == 200
    assert status(frame, original, manifest=json.loads(manifest_path(path).read_text())) == 0
    assert status(frame.iloc[::-1], original, epsilon=1) == 4


@pytest.mark.usefixtures("equality_alone")
@pytest.mark.parametrize("ending", [".parquet", ".jsonl.gz", ".csv"])
def test_an_export_is_held_against_the_manifest_of_its_release(ending, release):
    """Its format is free, and nothing else; the answer names the file to audit in full."""
    path, original = release
    export, frame = path.with_suffix(ending), pd.read_json(path, lines=True)
    if ending == ".csv":
        frame.to_csv(export, index=False)
    elif ending == ".parquet":
        frame.to_parquet(export)
    else:
        export.write_bytes(gzip.compress(path.read_bytes()))
    assert repro.audit(export, original).free == [
        f"the bytes of this format: audit {path.name}, from which the file was exported"
    ]


@pytest.mark.usefixtures("equality_alone")
def test_values_that_the_release_does_not_determine_need_their_source(
    release, ledger, tmp_path, records
):
    path, original = release
    done = repro.privatize(original, 0.5, ledger=ledger, compose=True)
    assert done.manifest["earlier_epsilons"] == [1.0]
    found = repro.audit(done, original)
    assert found.free == [
        "the manifest's earlier budgets, which the ledger alone knows: repeat with "
        f"ledger={default_folder()}, or with the ledger= that was given to the release"
    ]
    assert status(done, original, ledger=ledger) == 0
    assert status(path, original, ledger=ledger) == 0
    assert status(path, original, epsilon=2) == 4
    assert status(path, records[:199]) == 4
    assert status(path, records[:201]) == 4


@pytest.mark.usefixtures("equality_alone")
def test_a_ledger_put_back_from_a_copy_does_not_know_the_release(ledger, records):
    repro.privatize(records[:60], 1, ledger=ledger)
    shutil.copytree(ledger, ledger.with_name("copy"))
    later = repro.privatize(records[300:400], 1, ledger=ledger)
    assert status(later, records[300:400], ledger=ledger) == 0
    shutil.rmtree(ledger)
    ledger.with_name("copy").rename(ledger)
    found = repro.audit(later, records[300:400], ledger=ledger)
    assert found.status == 4
    assert (found.canonical, found.in_ledger) == (True, False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mechanism": "x", "date": 1}, "values .* from the release: mechanism, date$"),
        ({"lines": 199}, "values .* from the release: lines$"),
        ({}, "the style of JSON in the manifest$"),
    ],
)
def test_values_of_a_manifest_are_named_by_their_keys(release, change, said):
    path, original = release
    file = manifest_path(path)
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    (free,) = repro.audit(path, original).free
    assert re.match(said, free)


def test_a_reward_is_no_release_of_labels(tmp_path, ledger, records):
    reward = tmp_path / "reward.json"
    repro.private_reward(records, 1, 1e-6, 1, weak=True, output=reward, ledger=ledger)
    with pytest.raises(BadInput, match="a released reward, which no command audits"):
        repro.audit(reward, records)


def test_what_lies_beside_the_bytes_is_named(release):
    path, original = release
    os.utime(path, (12345, 12345))
    found = repro.audit(path, original)
    assert found.outside == ["out.jsonl: time, mode, links or attributes are not a fresh release's"]


def test_near_copies_are_warned_of(ledger):
    rows = [{"prompt": "p", "chosen": "Yes, it is", "rejected": f"no {k}"} for k in range(30)]
    rows.append({"prompt": "P!", "chosen": "yes it is", "rejected": "No 3"})
    done = repro.privatize(rows, 1, ledger=ledger, near_copies=True)
    found = repro.audit(done, rows)
    assert (found.status, len(found.outside)) == (0, 1)
    assert found.outside[0].startswith("1 comparison differs from another in case")


def test_an_audit_knows_the_near_copies_that_a_release_names(ledger, write_input, tmp_path, capsys):
    """All that the release's own key takes for one, and it alone."""
    texts = ["It\u2019s fine", "It's fine", "Its fine!", "it\u00b2s fine", "Its +fine"]
    rows = [{"prompt": "Hi", "chosen": text, "rejected": "No"} for text in texts]
    out = tmp_path / "out.jsonl"
    words = [str(write_input(rows)), str(out), "epsilon=1", "near_copies=true", f"ledger={ledger}"]
    assert privatize.main(words) == 0
    assert "; 2 differ from another in case" in capsys.readouterr().out
    (warned, *_) = repro.audit(out, rows).outside
    assert warned.startswith("2 comparisons differ from another in case")


def test_the_printed_power_is_a_percentage():
    audit = auditing.ReleaseAudit(1000, Decimal(1), unseen=0.0425)
    (line,) = [line for line in audit_release._report(audit) if line.startswith("power:")]
    assert "1000 comparisons and epsilon 1, raw labels are missed more often than seen" in line
    assert "in fewer than 4.25 % of the lines, in a pattern" in line


def test_an_honest_release_of_few_lines_is_not_accused(records, tmp_path):
    for lines in range(1, 9):
        done = repro.privatize(records[:lines], 0.5, ledger=tmp_path / f"{lines}")
        assert repro.audit(done, records[:lines]).leaks == []
