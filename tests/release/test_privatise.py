"""What is released, of whom, in which files and tables; nothing is written for bad input."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
import tracemalloc
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import repro
from repro.base.errors import BadInput
from repro.commands import audit_release as auditing
from repro.commands import privatize as releasing
from repro.commands.process.command import status_of
from repro.release import sorted_rows
from repro.release.canonical import compared
from repro.release.manifest import Manifest, manifest_path, parsed_manifest
from repro.release.privatise import Comparisons
from repro.release.reward.features import text_rows


def key(row):
    return compared(row["prompt"], row["response_1"], row["response_2"])[0]


def given_keys(records):
    return sorted(compared(r["prompt"], r["chosen"], r["rejected"])[0] for r in records)


def test_one_line_a_comparison_in_order_and_only_the_fields_of_the_contract(release, out, records):
    path, _ = release
    lines = out(path)
    assert [key(line) for line in lines] == given_keys(records[:200])
    assert {tuple(line) for line in lines} == {("prompt", "response_1", "response_2", "label")}
    assert all(compared(*list(line.values())[:3])[2] for line in lines)
    assert {line["label"] for line in lines} == {1, -1}
    assert path.stat().st_mtime == 0


def test_labels_are_kept_at_the_rate_of_the_budget(ledger, records):
    chosen = {(r["prompt"], r["chosen"]): r["rejected"] for r in records}
    kept = first = 0
    for line in repro.privatize(records, 1, ledger=ledger).records:
        truth = 1 if chosen.get((line["prompt"], line["response_1"])) == line["response_2"] else -1
        kept += truth == line["label"]
        first += truth == 1
    n, p = len(records), 0.7310585786300049
    assert abs(kept - n * p) < 7 * (n * p * (1 - p)) ** 0.5
    assert abs(first - n / 2) < 7 * (n / 4) ** 0.5


def test_of_copies_the_label_of_the_first_is_answered(ledger):
    rows = [{"prompt": f"p{k}", "chosen": "a", "rejected": "b"} for k in range(40)]
    turned = [{"prompt": r["prompt"], "chosen": "b", "rejected": "a"} for r in rows]
    done = repro.privatize(rows + turned * 3, 40, ledger=ledger)  # hardly ever flipped
    assert done.manifest["lines"] == 40
    trl = repro.privatize(rows, 40, ledger=ledger, layout="trl", compose=True)
    assert {row["chosen"] for row in trl.records} == {"a"}
    preferred = {
        line["response_1" if line["label"] == 1 else "response_2"] for line in done.records
    }
    assert preferred == {"a"}


def test_the_manifest_has_these_values_and_no_other(release):
    values = json.loads(manifest_path(release[0]).read_text())
    assert list(values) == [
        "format", "mechanism", "protects", "canonical_form", "order", "epsilon",
        "flip_probability", "earlier_epsilons", "total_epsilon", "lines",
        "released_plus_labels", "sha256",
    ]  # fmt: skip
    threshold, words = values["flip_probability"].split("/2^")
    assert int(threshold) / 2 ** int(words) == pytest.approx(0.2689414213699951)


def test_a_second_release_needs_compose_and_states_the_total(ledger, records):
    repro.privatize(records[:60], 0.5, ledger=ledger)
    disguised = [{**r, "chosen": r["rejected"], "rejected": r["chosen"]} for r in records[50:70]]
    with pytest.raises(BadInput, match=r"one label costs epsilon 0.75; allowed: compose=true"):
        repro.privatize(disguised, 0.25, ledger=ledger)
    done = repro.privatize(disguised, "0.25", ledger=ledger, compose=True)
    assert (done.manifest["total_epsilon"], done.manifest["earlier_epsilons"]) == (0.75, [0.5])
    assert repro.privatize(records[100:110], 1, ledger=ledger).manifest["earlier_epsilons"] == []


# Annotators

WHO = ["ann", "bob", 7] * 3 + ["ann"] * 11
PEOPLE = [
    {"prompt": f"p{k}", "chosen": "a", "rejected": "b", "who": who} for k, who in enumerate(WHO)
]


def test_near_copies_are_named_before_anything_is_spent(ledger):
    rows = [{"prompt": f"Is {n} odd?", "chosen": "Yes.", "rejected": "no"} for n in range(4)]
    loud = {"prompt": "IS 2 ODD", "chosen": "No!", "rejected": "yes"}
    with pytest.raises(BadInput, match="records 3 and 5 differ in case or punctuation only"):
        repro.privatize([*rows, loud], 1, ledger=ledger)
    assert repro.privatize(rows, 1, ledger=ledger).manifest["earlier_epsilons"] == []
    with pytest.raises(
        BadInput, match="an earlier release, in other case or punctuation; .* epsilon 2; a"
    ):
        repro.privatize([loud], 1, ledger=ledger)
    assert repro.privatize([loud], 1, ledger=ledger, compose=True).manifest["total_epsilon"] == 2
    both = repro.privatize([*rows, loud], 1, ledger=ledger, compose=True, near_copies=True)
    assert both.manifest["lines"] == 5


def test_near_copies_are_named_by_groups_whatever_their_labels(ledger):
    """Four copies of one record, two of another; the same words with labels turned."""
    marks = ["", ".", "!", "?"]
    rows = [{"prompt": f"Odd{mark}", "chosen": "Yes", "rejected": "no"} for mark in marks]
    rows[1:1] = [{"prompt": f"Even{mark}", "chosen": "a", "rejected": "b"} for mark in ("", "!")]
    said = set()
    for turned in (0, 1, 2, 8, 0b110101):
        turn = {"chosen": "rejected", "rejected": "chosen"}
        some = [
            {turn.get(name, name): text for name, text in row.items()} if turned >> k & 1 else row
            for k, row in enumerate(rows)
        ]
        with pytest.raises(BadInput) as refused:
            repro.privatize(some, 1, ledger=ledger)
        said.add(str(refused.value))
    (words,) = said
    assert "records 1, 4, 5 and 6; 2 and 3 differ in case or punctuation only" in words
    assert "allowed: one record of each group, or near_copies=true" in words


def test_all_labels_of_one_annotator_cost_so_many_times_epsilon(ledger):
    done = repro.privatize(PEOPLE, 0.5, unit="who", at_most=99, ledger=ledger)
    assert "of 14 comparisons at most, 14 times epsilon" in done.manifest["protects"]
    assert done.manifest["epsilon_of_one_annotator_in_this_file"] == 14 * 0.5
    assert repro.audit(done, PEOPLE, unit="who", at_most=14).status == 0
    assert repro.audit(done, PEOPLE).free == [
        "the manifest's number of comparisons of one annotator: repeat with the unit= and "
        "at_most= that were given to the release"
    ]


def test_a_manifest_without_the_annotator_s_cost_is_an_older_one_of_ours():
    _, later, before = Manifest(Decimal("0.5"), unit_size=3).contents
    assert later == before.replace(b"\n}", b',\n "epsilon_of_one_annotator_in_this_file": 1.5\n}')
    assert before in parsed_manifest(before).contents
    assert later in parsed_manifest(later).contents
    assert len(set(Manifest(Decimal(1)).contents)) == 1


def test_at_most_so_many_are_kept_by_a_rule_that_sees_no_label(ledger):
    done = repro.privatize(PEOPLE, 0.5, unit="who", at_most=2, ledger=ledger)
    assert "of 2 comparisons at most, 2 times epsilon" in done.manifest["protects"]
    owners = {r["prompt"]: r["who"] for r in PEOPLE}
    kept = [owners[line["prompt"]] for line in done.records]
    assert {who: kept.count(who) for who in kept} == {"ann": 2, "bob": 2, 7: 2}
    turned = [{**r, "chosen": r["rejected"], "rejected": r["chosen"]} for r in PEOPLE]
    again = repro.privatize(turned, 0.5, unit="who", at_most=2, ledger=ledger, compose=True)
    assert [r["prompt"] for r in again.records] == [r["prompt"] for r in done.records]
    assert repro.audit(done, PEOPLE, unit="who", at_most=2).status == 0


@pytest.mark.parametrize("who", [{}, {"who": " "}, {"who": ""}, {"who": 1.5}, {"who": None}])
def test_a_record_without_the_annotator_is_refused(ledger, who):
    """A blank would be one more person, with comparisons of any other."""
    rows = [*PEOPLE, {"prompt": "p", "chosen": "a", "rejected": "b", **who}]
    with pytest.raises(BadInput, match="row 21: field 'who' is missing or blank"):
        repro.privatize(rows, 1, unit="who", at_most=9, ledger=ledger)
    assert not ledger.exists()


@pytest.mark.parametrize(
    "names",
    [
        ("ann", "ann ", "\tann"),
        ("anna@x.org", "Anna@x.org", "ANNA@X.ORG"),
        ("Ann  Lee", "ann lee", "Ann\u00a0Lee\u200b"),
        ("straße", "STRASSE", "ｓｔｒａsse"),
    ],
)
def test_spellings_of_a_name_are_one_annotator(ledger, names):
    """At most so many comparisons of one person are released, and so many learnt from."""
    rows = [{**row, "who": names[k % 3]} for k, row in enumerate(PEOPLE)]
    done = repro.privatize(rows, 1, unit="who", at_most=4, ledger=ledger)
    assert (done.manifest["lines"], len(text_rows(rows, 16, "who", 4).differences)) == (4, 4)
    assert repro.audit(done, rows, unit="who", at_most=4).status == 0


ANSWERS = {
    "better_response_id": ["Response of another model", "something else", "a third", "a fourth"],
    " Prompt": ["p0", "p1", "p2", "p3"],
    "system": ["s0", "s1", "s2", "s3"],
    "messages": ["m0", "m1", "m2", "m3"],
    "Chosen ": ["x1", "x2", "x3", "x4"],
    "winner": [0, 1, 1, 0],
    "preference": ["response_0", "response_1", "tie", "response_1"],
    "strength": [-3, 1, 2, -1],
    "side": ["left", "right", "right", "left"],
    "best": ["a0", "b1", "b2", "a3"],
}


CALLS = {
    "labels": lambda rows, **words: repro.privatize(rows, 1, **words),
    "reward": lambda rows, **words: repro.private_reward(rows, 1, 1e-6, 1, **words),
    "audit": lambda rows, ledger, **words: repro.audit([{}], rows, epsilon=1, **words),
}


@pytest.mark.parametrize("call", CALLS)
def test_an_annotator_and_a_bound_come_together(ledger, call):
    """Nothing is spent before a person has chosen what an annotator costs."""
    both = "allowed: unit= and at_most= together, such as unit"
    with pytest.raises(
        BadInput, match=rf"at_most=\(missing\): {both}=who at_most=5, which keeps 5"
    ):
        CALLS[call](PEOPLE, unit="who", ledger=ledger)
    with pytest.raises(BadInput, match=f"at_most=2: {both}=FIELD"):
        CALLS[call](PEOPLE, at_most=2, ledger=ledger)
    assert not Path(ledger).exists()


def test_what_annotators_have_cost_is_printed(ledger, tmp_path, capsys):
    """By hand: three labels at 0.5 each, then a reward that protects all pairs of one."""
    repro.privatize(PEOPLE, 0.5, unit="who", at_most=3, ledger=ledger)
    assert spent(ledger, capsys)[1] == (
        "one annotator has cost at most epsilon 1.5 in 1 release with unit="
    )
    repro.private_reward(PEOPLE, 2, 1e-6, 1, unit="who", at_most=3, compose=True, ledger=ledger)
    repro.privatize(PEOPLE, 4, compose=True, ledger=ledger)
    assert spent(ledger, capsys)[1:3] == [
        "one annotator has cost at most epsilon 3.5 and delta 0.000001 in 2 releases with unit=",
        "in 1 release without unit= an annotator's cost grows with the annotator's pairs, which "
        "the ledger does not count",
    ]


def test_new_pairs_of_the_same_annotators_add_to_what_one_has_cost(ledger, tmp_path, capsys):
    """By hand: 3 and 2 labels at 0.5 each; the manifest speaks of one file alone."""
    for name, at_most, start in (("one", 3, 0), ("two", 2, 100)):
        rows = [{**row, "prompt": f"q{start + k}"} for k, row in enumerate(PEOPLE)]
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        words = [tmp_path / name, tmp_path / f"{name}.jsonl", "epsilon=0.5", "unit=who"]
        given = [f"at_most={at_most}", f"ledger={ledger}"]
        assert status_of(releasing.main, [*map(str, words), *given]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "no earlier release of these labels is known" in said
    assert "one annotator has cost at most epsilon 2.5 in 2 releases with unit=" in said
    manifest = json.loads((tmp_path / "two.manifest.json").read_text())
    assert manifest["epsilon_of_one_annotator_in_this_file"] == 1
    assert manifest["earlier_epsilons"] == []
    with pytest.raises(BadInput, match="and one annotator at most epsilon 10.5 in 3 releases with"):
        repro.privatize(rows, 4, unit="who", at_most=2, ledger=ledger)


VOTES = [
    {"prompt": f"p{k}", "chosen": "a", "rejected": "b", "who": who}
    for k in range(12)
    for who in ("ann", "bob", "eve")
]


def test_whose_vote_is_answered_does_not_follow_the_labels_of_a_sorted_file(ledger, tmp_path):
    """The file is sorted by label: the place of a vote follows the label; who is kept must not."""
    kept = set()
    for turned in range(1, 36, 5):
        rows = [
            {**row, "chosen": "b", "rejected": "a"} if k % turned == 0 else row
            for k, row in enumerate(VOTES)
        ]
        rows.sort(key=lambda row: row["chosen"])
        done = repro.privatize(
            rows, 40, unit="who", at_most=3, ledger=ledger / f"{turned}", layout="trl"
        )
        kept.add(tuple(row["prompt"] for row in done.records))
    assert len(kept) == 1


def test_all_answers_of_an_annotator_are_votes_of_that_annotator(ledger):
    """Ann alone says b: she is heard of at_most comparisons, hardly ever flipped."""
    rows = [
        {**row, "chosen": "b", "rejected": "a"} if row["who"] == "ann" else row for row in VOTES
    ]
    done = repro.privatize(rows, 40, unit="who", at_most=1, ledger=ledger, layout="trl")
    assert [row["chosen"] for row in done.records].count("b") == 1
    assert done.manifest["lines"] == 3


@pytest.mark.parametrize(
    ("unit", "whose"),
    [
        ([], "that of the first line is answered"),
        (["unit=who", "at_most=9"], "that of one annotator, whom a hash chooses, is answered"),
    ],
)
def test_labels_that_are_dropped_are_counted(ledger, tmp_path, capsys, unit, whose):
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in VOTES[:9] + PEOPLE[3:5]))
    words = [str(source), str(tmp_path / "out.jsonl"), "epsilon=1", f"ledger={ledger}", *unit]
    assert status_of(releasing.main, words) == 0
    said = " ".join(capsys.readouterr().out.split())
    counts = "6 lines repeat another, so 3 comparisons have several labels"
    assert f"5 comparisons; {counts}: {whose}, and the others are dropped" in said


def spent(ledger, capsys):
    """Lines of the answer, without the ends of lines at 80 columns."""
    assert status_of(releasing.main, ["spent=true", f"ledger={ledger}"]) == 0
    return capsys.readouterr().out.replace("\n  ", " ").splitlines()


def test_what_was_spent_is_listed_in_order_without_a_text(ledger, capsys):
    first = repro.privatize(PEOPLE, 0.5, unit="who", at_most=3, ledger=ledger).manifest
    repro.private_reward(PEOPLE, 2, 1e-6, 1, compose=True, ledger=ledger, weak=True)
    last = repro.privatize(PEOPLE, 4, compose=True, ledger=ledger).manifest
    listed = [line for line in spent(ledger, capsys) if line[0].isdigit()][1:]
    digests = [manifest["sha256"][:12] for manifest in (first, last)]
    assert listed[0] == (
        f"1. labels: epsilon 0.5 for each of at most 3 labels of one annotator, sha256 {digests[0]}"
    )
    assert listed[1].startswith("2. reward: epsilon 2 and delta 0.000001 for one pair, sha256 ")
    assert listed[2] == f"3. labels: epsilon 4 for one label, sha256 {digests[1]}"


def test_a_release_ends_with_the_next_command_in_80_columns(tmp_path, monkeypatch, capsys):
    """What is left out of an annotator follows from texts and names, so it is said."""
    monkeypatch.chdir(tmp_path)
    Path("people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in PEOPLE))
    words = ["people.jsonl", "out.jsonl", "epsilon=1", "ledger=one"]
    assert status_of(releasing.main, words) == 0
    out = capsys.readouterr().out
    assert "k labels of one person are protected at k times as much" in " ".join(out.split())
    assert out.endswith("next: repro audit_release out.jsonl original=people.jsonl ledger=one\n")
    words[1:] = ["few.jsonl", "epsilon=1", "ledger=two", "unit=who", "at_most=2"]
    assert status_of(releasing.main, words) == 0
    few = capsys.readouterr().out
    left = len(Path("out.jsonl").read_text().splitlines()) - len(
        Path("few.jsonl").read_text().splitlines()
    )
    assert f"; {left} beyond at_most are left out" in few
    assert "k labels of one person" not in few
    asked = (
        "next: repro audit_release few.jsonl original=people.jsonl unit=who at_most=2 ledger=two"
    )
    assert few.endswith(f"{asked}\n")
    said = [line for line in (out + few).splitlines() if not line.startswith("next: ")]
    assert max(map(len, said)) <= 80


def test_a_total_that_is_named_is_not_exceeded(ledger, records):
    repro.privatize(records[:60], 4, ledger=ledger)
    over = "compose=6: with this release one label costs epsilon 6.5; allowed: a smaller epsilon"
    with pytest.raises(BadInput, match=over):
        repro.privatize(records[:60], 2.5, compose=6, ledger=ledger)
    done = repro.privatize(records[:60], 2, compose=6, ledger=ledger)
    assert done.manifest["total_epsilon"] == 6
    with pytest.raises(BadInput, match="compose=0.5: .* epsilon 1; allowed: a smaller"):
        repro.privatize(records[100:160], 1, compose="0.5", ledger=ledger)
    with pytest.raises(BadInput, match="compose=10: .* the total is epsilon 10.5 and delta"):
        repro.private_reward(records, 4.5, 1e-6, 1, compose=10.0, ledger=ledger)
    repro.private_reward(records, 4, 1e-6, 1, compose=10, ledger=ledger, weak=True)


def test_a_total_holds_for_one_annotator_too(ledger):
    some = {"unit": "who", "at_most": 2, "ledger": ledger}
    with pytest.raises(BadInput, match="compose=3: .* one annotator at most epsilon 4 in 1 rel"):
        repro.privatize(PEOPLE, 2, compose=3, **some)
    repro.privatize(PEOPLE[:10], 1, compose=3, **some)
    with pytest.raises(BadInput, match="compose=3: .* one annotator at most epsilon 4 in 2 rel"):
        repro.privatize(PEOPLE[10:], 1, compose=3, **some)
    with pytest.raises(BadInput, match="compose=3: .* one annotator costs at most epsilon 4 and"):
        repro.private_reward(PEOPLE, 2, 1e-6, 1, compose=3, **some)
    repro.privatize(PEOPLE[10:], 0.5, compose=3, **some)


@pytest.mark.parametrize("total", ["maybe", 0, -1, "1e3", "1_0", float("inf"), None])
def test_a_total_is_true_false_or_a_positive_number(ledger, records, total):
    with pytest.raises(BadInput, match="compose=.*: allowed: true, false, or the largest total"):
        repro.privatize(records[:9], 1, compose=total, ledger=ledger)
    with pytest.raises(BadInput, match="compose=.*: allowed: true, false, or the largest total"):
        repro.private_reward(records, 1, 1e-6, 1, compose=total, ledger=ledger)


def asked(source, *words):
    return status_of(releasing.main, [str(source), "spent=true", *map(str, words)])


def test_an_input_is_asked_for_without_releasing_it(ledger, records, write_input, capsys):
    """The same words whatever its labels; the ledger keeps its bytes."""
    repro.privatize(records[:60], 0.5, ledger=ledger)
    repro.privatize(records[300:], 3, ledger=ledger)
    before, said = (ledger / "ledger.sqlite").read_bytes(), set()
    rows = [{**r, "prompt": r["prompt"].upper()} for r in records[70:45:-1]]  # 11 to 25 are known
    for turned in (0, 1):
        turn = {"chosen": "rejected", "rejected": "chosen"} if turned else {}
        some = [{turn.get(name, name): text for name, text in row.items()} for row in rows]
        assert asked(write_input(some, "x"), f"ledger={ledger}") == 0
        said.add(" ".join(capsys.readouterr().out.split()))
    (words,) = said
    assert "14 of 25 comparisons of" in words
    assert ": records 12, 13, 14, 15, 16, 17, 18, 19, 20, 21 and 4 more; leave them out, " in words
    assert "has cost epsilon 0.5 at most, in 1 release of labels" in words
    assert (ledger / "ledger.sqlite").read_bytes() == before
    assert asked(write_input(records[100:102], "y"), f"ledger={ledger}") == 0
    assert capsys.readouterr().out.startswith("0 of 2 comparisons of\n")


@pytest.mark.parametrize(
    ("prompts", "answer"),
    [
        (["IS 2 ODD", "new"], "1 of 2 comparisons of {} was released before, in other case or "
         "punctuation: record 1; leave it out, so that no label is released again"),
        (["IS 2 ODD", "Is 1 odd?"], "2 of 2 comparisons of {} were released before, 1 of them in "
         "other case or punctuation: records 1 and 2; leave them out, so that no label is "
         "released again"),
    ],
)  # fmt: skip
def test_near_copies_of_what_was_released_are_called_so(
    ledger, write_input, capsys, prompts, answer
):
    rows = [{"prompt": f"Is {n} odd?", "chosen": "yes", "rejected": "no"} for n in range(4)]
    repro.privatize(rows, 1, ledger=ledger)
    source = write_input([{**rows[0], "prompt": prompt} for prompt in prompts])
    assert asked(source, f"ledger={ledger}") == 0
    assert answer.format(source) in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_the_fields_that_are_there_are_named_where_one_is_missing(tmp_path, ledger, ending):
    """Whichever response is which: their fields are not among those that are named."""
    frame = pd.DataFrame(PEOPLE).astype(str)
    path = tmp_path / f"in{ending}"
    unnamed = frame.rename(columns={"chosen": "good", "rejected": "bad"})
    there = {"who, prompt": frame, "bad, good, prompt, who": unnamed}
    for names, table in there.items():
        if ending == ".jsonl":
            table.to_json(path, orient="records", lines=True)
        else:
            (table.to_csv if ending == ".csv" else table.to_parquet)(path, index=False)
        names = ", ".join(sorted(names.split(", ")))
        with pytest.raises(BadInput, match=f"; fields beside the responses: {names}$"):
            repro.privatize(path, 1, unit="rater", at_most=2, ledger=ledger)


def test_fields_that_are_named_do_not_tell_which_response_is_null(ledger):
    said = set()
    for name in ("chosen", "rejected"):
        with pytest.raises(BadInput, match="fields beside the responses: prompt") as refused:
            repro.privatize([{"prompt": "p", name: None}], 1, ledger=ledger)
        said.add(str(refused.value))
    assert len(said) == 1


def test_another_release_that_is_missing_is_named_by_its_key(ledger):
    done = repro.privatize(PEOPLE, 1, ledger=ledger)
    with pytest.raises(BadInput, match="^others=nosuch.jsonl: "):
        repro.audit(done, PEOPLE, others=["nosuch.jsonl"])


def test_rewards_count_for_an_input_that_is_asked_for(ledger, records, write_input, capsys):
    repro.private_reward(records, 4, 1e-6, 1, adjacency="add_remove", ledger=ledger)
    assert asked(write_input(records[:9]), f"ledger={ledger}") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "has cost epsilon 4 and delta 0.000001 at most, in 0 releases of labels" in said
    assert "and 1 reward, which counts for every input" in said


def test_a_question_has_the_rules_of_a_release_and_leaves_no_ledger(
    tmp_path, records, write_input, monkeypatch, capsys
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert asked(write_input(records[:3])) == 0
    assert capsys.readouterr().out.startswith("0 of 3 comparisons of\n")
    assert asked(write_input([*records[:3], {"prompt": "p"}])) == 2
    assert "line 4: two responses are missing" in capsys.readouterr().err
    assert asked(tmp_path / "in.jsonl", f"ledger={tmp_path / 'wrong'}") == 2
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_a_refusal_says_how_many_comparisons_and_how_to_ask_which(ledger, records, write_input):
    repro.privatize(records[:60], 0.5, ledger=ledger)
    source = write_input(records[50:110])
    which = f"repro privatize {source} spent=true ledger={ledger}"
    with pytest.raises(BadInput, match="shares 10 of 60 comparisons with an earlier") as refused:
        repro.privatize(source, 0.5, ledger=ledger)
    assert str(refused.value).endswith(f"; which of them: {which}")


def test_nothing_is_spent_before_the_first_release(tmp_path, monkeypatch, capsys):
    """A ledger that is named by hand has to be there: a wrong path must not read as no cost."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert status_of(releasing.main, ["spent=true"]) == 0
    folder = tmp_path / "repro" / "releases"
    said = " ".join(capsys.readouterr().out.split())
    assert said == f"nothing is spent yet (ledger={folder})"
    assert status_of(releasing.main, ["spent=true", f"ledger={folder}"]) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("field", ANSWERS)
@pytest.mark.parametrize("call", CALLS)
def test_a_field_of_answers_is_no_annotator(ledger, field, call):
    rows = [
        {"prompt": f"p{k}", "chosen": f"a{k}", "rejected": f"b{k}", field: value}
        for k, value in enumerate(ANSWERS[field])
    ]
    with pytest.raises(BadInput, match=f"unit={field}: .*allowed: a field that names"):
        CALLS[call](rows, unit=field, at_most=2, ledger=ledger)
    assert not ledger.exists()


def test_whether_a_field_names_annotators_does_not_follow_the_labels(ledger):
    """A refusal that did would tell them."""
    rows = [{**row, "side": "left", "who": "ann"} for row in PEOPLE]
    for flips in range(4):
        turned = [
            {**r, "chosen": r["rejected"], "rejected": r["chosen"]} if k < flips else r
            for k, r in enumerate(rows)
        ]
        with pytest.raises(BadInput, match="unit=side"):
            repro.privatize(turned, 1, unit="side", at_most=9, ledger=ledger)
        done = repro.privatize(turned, 1, unit="who", at_most=20, ledger=ledger, compose=True)
        assert done.manifest["lines"] == 20


@pytest.mark.parametrize("unit", ["who", "number"])
def test_annotators_may_have_any_names_but_few_places(ledger, unit):
    rows = [{**r, "who": "ab"[k % 2] + "nn", "number": k % 4} for k, r in enumerate(PEOPLE)]
    done = repro.privatize(rows, 1, unit=unit, at_most=20, ledger=ledger)
    assert done.manifest["lines"] == 20


# In and out


def tables(records):
    datasets = pytest.importorskip("datasets", reason="the extra hub")
    return datasets.Dataset.from_list(records)


KINDS = {
    "list": list,
    "pandas": pd.DataFrame,
    "pyarrow": pyarrow.Table.from_pylist,
    "datasets": tables,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layout", ["pairs", "trl"])
def test_a_table_gives_a_table_of_its_kind(ledger, records, kind, layout):
    table = KINDS[kind](records[:70])
    done = repro.privatize(table, 1, ledger=ledger, layout=layout)
    assert type(done.records) is type(table)
    assert len(done.records) == 70
    assert "zebra" not in repr(done)
    if layout == "pairs":
        assert repro.audit(done, table, ledger=ledger).status == 0
    else:
        found = repro.audit(done.records, table, epsilon=1)
        assert (found.status, found.lines) == (4, 70)


@pytest.mark.parametrize("ending", [".jsonl.gz", ".parquet"])
@pytest.mark.parametrize("layout", ["pairs", "trl"])
def test_an_export_lies_beside_the_canonical_file(
    tmp_path, ledger, write_input, records, out, capsys, ending, layout
):
    source = write_input(records[:70])
    words = [str(source), str(tmp_path / f"o{ending}"), "epsilon=1", f"layout={layout}"]
    assert status_of(releasing.main, [*words, f"ledger={ledger}"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"o.manifest.json, o.jsonl, o{ending}" in said
    assert repro.audit(tmp_path / "o.jsonl", source, ledger=ledger).status == 0
    lines = out(tmp_path / "o.jsonl")
    if ending == ".parquet":
        exported = parquet.read_table(tmp_path / "o.parquet").to_pylist()
    else:
        packed = gzip.decompress((tmp_path / "o.jsonl.gz").read_bytes())
        exported = [json.loads(line) for line in packed.splitlines()]
    if layout == "pairs":
        assert exported == lines
    else:
        better = [r["response_1" if r["label"] == 1 else "response_2"] for r in lines]
        assert [r["chosen"] for r in exported] == better
        assert list(exported[0]) == ["prompt", "chosen", "rejected"]
    found = repro.audit(tmp_path / f"o{ending}", source, ledger=ledger)
    audited = "the bytes of this format: audit o.jsonl, from which the file was exported"
    assert (found.status, found.free, found.lines) == (4, [audited], 70)


NUMBERS = [np.float64(0.5), np.float32(0.5), Decimal("0.5"), "0.5"]


@pytest.mark.parametrize("epsilon", NUMBERS, ids=lambda one: type(one).__name__)
def test_numbers_of_numpy_are_numbers(ledger, records, epsilon):
    done = repro.privatize(records[:9], epsilon, ledger=ledger)
    assert done.manifest["epsilon"] == 0.5
    assert repro.audit(done, records[:9], epsilon=epsilon).status == 0
    bounded = repro.privatize(PEOPLE, epsilon, unit="who", at_most=np.int64(2), ledger=ledger)
    assert repro.audit(bounded, PEOPLE, unit="who", at_most=np.int64(2)).status == 0
    delta = np.float64(1e-6)
    size = np.int64(12)
    made = repro.private_reward(
        records[:9],
        epsilon,
        delta,
        np.float32(2),
        size=size,
        ledger=ledger,
        compose=True,
        weak=True,
    )
    assert (made.card["epsilon"], made.card["delta"], made.card["reward_bound"]) == (0.5, 1e-6, 2)


@pytest.mark.parametrize("count", [True, 1.5, 0, "2"])
def test_a_count_that_is_none_is_refused(ledger, records, count):
    with pytest.raises(BadInput, match=f"at_most={count}: allowed: a whole number from 1"):
        repro.privatize(PEOPLE, 1, unit="who", at_most=count, ledger=ledger)
    assert not ledger.exists()


@pytest.mark.parametrize("key", ["resume", "covariance"])
def test_the_text_false_is_no_switch(ledger, records, key):
    words = {key: "false", "ledger": ledger}
    with pytest.raises(BadInput, match=f"{key}=false: allowed: True, False"):
        repro.private_reward(records[:9], 1, 1e-6, 1, **words)
    if key != "covariance":
        with pytest.raises(BadInput, match=f"{key}=false: allowed: True, False"):
            repro.privatize(records[:9], 1, **words)
    assert not ledger.exists()


@pytest.mark.parametrize("output", [None, "out.jsonl", "out.parquet"])
def test_another_layout_is_refused_wherever_the_release_goes(tmp_path, ledger, records, output):
    out = None if output is None else tmp_path / output
    with pytest.raises(BadInput, match="layout=nonsense: allowed: pairs, trl"):
        repro.privatize(records[:9], 1, layout="nonsense", output=out, ledger=ledger)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["out", "out.json", "out.csv", ".jsonl.gz/", "out.jsonl.zst"])
def test_another_ending_is_refused_before_anything_is_read(tmp_path, ledger, name):
    with pytest.raises(BadInput, match=r"OUT=.*ends in .jsonl, .jsonl.gz or .parquet"):
        repro.privatize(tmp_path / "missing", 1, output=f"{tmp_path}/{name}", ledger=ledger)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bad", ["out.jsonl", "out.manifest.json", "out.parquet"])
def test_an_existing_target_is_left_alone(tmp_path, ledger, records, bad):
    (tmp_path / bad).write_text("mine")
    target = tmp_path / ("out.parquet" if bad == "out.parquet" else "out.jsonl")
    with pytest.raises(BadInput, match="exists; choose a new name"):
        repro.privatize(records[:9], 1, output=target, ledger=ledger)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("rows", [{}, "missing.jsonl", 7, [7], [{}], [], b"x"])
def test_what_is_no_table_of_records_is_refused(ledger, rows):
    with pytest.raises(BadInput, match="IN=|epsilon="):
        repro.privatize(rows, 1, ledger=ledger)
    assert not ledger.exists()


@pytest.mark.parametrize("text", ["\ud800", "a\0b", " "])
def test_a_text_that_is_none_is_refused_alike_for_both_responses(ledger, text):
    said = []
    for pair in ({"chosen": text, "rejected": "b"}, {"chosen": "b", "rejected": text}):
        with pytest.raises(BadInput) as caught:
            repro.privatize([{"prompt": "p", **pair}], 1, ledger=ledger)
        said.append(str(caught.value))
    assert said[0] == said[1]


# Memory and files


def test_many_runs_are_merged_with_few_open_files(tmp_path, monkeypatch, records):
    monkeypatch.setattr(sorted_rows, "RUN_BYTES", 1000)
    monkeypatch.setattr(sorted_rows, "MOST_RUNS", 3)
    with Comparisons(tmp_path) as rows:
        rows.read([*records, *records[:300]])
        found = list(rows)
        assert [row.key for row in found] == given_keys(records)
        assert rows.copies == 300
        assert sum(map(len, rows._levels)) < 3 * len(rows._levels)
        assert list(rows) == found


def peak(records, tmp_path):
    tracemalloc.start()
    with Comparisons(tmp_path) as rows:
        rows.read(records)
        assert sum(1 for _ in rows) == len(records)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size


def test_the_peak_of_memory_does_not_depend_on_labels(tmp_path, monkeypatch):
    monkeypatch.setattr(sorted_rows, "RUN_BYTES", 1 << 18)
    one = [{"prompt": f"p{k}", "chosen": "long " * 400, "rejected": f"s{k}"} for k in range(800)]
    other = [{**r, "chosen": r["rejected"], "rejected": r["chosen"]} for r in one]
    sizes = [peak(rows, tmp_path) for rows in (one, one, other)][1:]
    assert max(sizes) < 1.02 * min(sizes)
    assert max(sizes) < 2.5e6


MEASURED = """
import re, sys
from pathlib import Path
from repro.release.records import read_records
count = sum(1 for _ in read_records(sys.argv[1]))
peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
print(int(peak) // 1024, count)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak of memory from /proc")
def test_a_small_parquet_file_of_long_texts_stays_small(tmp_path, command_environment):
    """Of 115 kB one text, named a thousand times, once took 1.1 GiB."""
    texts = {name: ["x" * 400_000 + name] * 900 for name in ("chosen", "rejected")}
    table = pyarrow.table({"prompt": [f"p{k}" for k in range(900)], **texts})
    parquet.write_table(table, tmp_path / "in.parquet", compression="zstd")
    del table, texts
    assert (tmp_path / "in.parquet").stat().st_size < 200_000
    run = subprocess.run(
        [sys.executable, "-c", MEASURED, str(tmp_path / "in.parquet")],
        capture_output=True, text=True, env=command_environment, check=True,
    )  # fmt: skip
    size, count = map(int, run.stdout.split())
    assert count == 900
    assert size < 200


names = ("prompt", "chosen", "rejected")
text = st.text(max_size=6)
record = st.tuples(text, text, text)
junk = st.one_of(st.binary(max_size=30), st.just(b""), st.just(b"{}"), st.just(b"null"))


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.one_of(record, record, record, junk), max_size=8), st.integers(1, 3))
def test_fuzzed_inputs_lose_no_comparison_and_leave_no_mess(tmp_path_factory, items, copies):
    folder = tmp_path_factory.mktemp("fuzz")
    lines = [
        one if isinstance(one, bytes) else json.dumps(dict(zip(names, one, strict=True))).encode()
        for one in items
    ]
    source = folder / "in.jsonl"
    source.write_bytes(b"\n".join(lines * copies))
    try:
        done = repro.privatize(source, 1, ledger=folder / "state")
    except BadInput as problem:
        assert "\n" not in str(problem)  # noqa: PT017 - refusing is one of two right answers
        assert list(folder.iterdir()) == [source]
        return
    kept = [json.loads(line) for line in source.read_bytes().split(b"\n") if line.strip()]
    assert sorted(map(key, done.records)) == sorted(set(given_keys(kept)))


def test_a_csv_file_with_annotators_is_read(tmp_path, ledger):
    with open(tmp_path / "in.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(PEOPLE[0]))
        writer.writeheader()
        writer.writerows(PEOPLE)
    source = tmp_path / "in.csv"
    done = repro.privatize(source, Decimal("0.5"), unit="who", at_most=20, ledger=ledger)
    assert "of 14 comparisons" in done.manifest["protects"]


def test_an_audit_that_was_not_told_of_annotators_says_that_the_question_was_incomplete(
    tmp_path, ledger, write_input, capsys
):
    source, path = write_input(PEOPLE), tmp_path / "o.jsonl"
    repro.privatize(source, 1, unit="who", at_most=3, output=path, ledger=ledger)
    assert status_of(auditing.main, [str(path), f"original={source}", "epsilon=1"]) == 4
    said = " ".join(capsys.readouterr().out.split())
    assert "the question was incomplete: repeat it with the keys that are named above" in said
    assert "can carry a message" not in said
