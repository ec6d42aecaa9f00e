"""Near-copies are one comparison: a file exported k times does not buy k answers."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter, defaultdict
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repro.base.errors import BadInput
from repro.release.canonical import _STABLE, canonical, comparison
from repro.release.ledger import Ledger
from repro.release.privatise import privatise
from repro.release.records import read_records

HALF = Decimal("0.5")
KEEP = 0.6224593312018546
"""e^ε/(1+e^ε) at ε = 0.5: what a guess from one answer is allowed to be right."""

COPIES, COMPARISONS = 17, 600
EXPORTS = {
    "white space at the end": lambda text, k: text + " " * k,
    "white space at the start": lambda text, k: "\t" * k + text,
    "runs": lambda text, k: text.replace(" ", " " * (k + 1)),
    "line ends": lambda text, k: text.replace(" ", ("\r\n", "\n", " ", "\u2028")[k % 4]) + "\n" * k,
    "no-break spaces": lambda text, k: text.replace(" ", "\u00a0") + "\u202f" * k,
    "composed and not": lambda text, k: (
        unicodedata.normalize(("NFC", "NFD")[k % 2], text + "é") + " " * k
    ),
    "compatible forms": lambda text, k: (
        unicodedata.normalize(("NFC", "NFKC")[k % 2], text + "ﬁ①Ａ…") + " " * k
    ),
    "invisible characters": lambda text, k: text.replace(" ", "\u200b\u00ad" * k + " ") + "\ufeff",
}  # fmt: skip


def test_letters_of_the_short_way_combine_with_nothing():
    """So a text of ASCII and these is its own NFKC: pairs of neighbours decide that."""
    letters = [*map(chr, range(128)), *_STABLE]
    for one in letters:
        beside = "\0".join(one + other for other in _STABLE)
        assert unicodedata.normalize("NFKC", beside) == beside
    assert "’" in _STABLE
    assert canonical("’é \n–") == "’é–".encode()


def right_by_majority(lines, records):
    """How often the majority of all answers to a comparison is its label."""
    votes = defaultdict(Counter)
    for line in lines:
        first, second = canonical(line["response_1"]), canonical(line["response_2"])
        better = first if line["label"] == 1 else second
        votes[canonical(line["prompt"])][better] += 1
    chosen = {canonical(prompt): canonical(one) for prompt, one, _ in records}
    assert len(votes) == len(chosen)
    return sum(votes[name].most_common(1)[0][0] == one for name, one in chosen.items())


@pytest.mark.parametrize("export", EXPORTS)
def test_exports_in_one_file_are_worth_one_answer(tmp_path, ledger, write_input, records, export):
    """Of 17 independent answers the majority is right 84 times in 100; of one, 62 times."""
    change, own = EXPORTS[export], [tuple(EXPORTS[export](t, 0) for t in r) for r in records]
    own = own[:COMPARISONS]
    copies = [tuple(change(t, k) for t in r) for r in records[:COMPARISONS] for k in range(COPIES)]
    target = tmp_path / "out.jsonl"
    done = privatise(write_input(copies), target, HALF, ledger)
    assert done.counts.lines == COPIES * COMPARISONS
    assert done.counts.repeated == (COPIES - 1) * COMPARISONS
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    right = right_by_majority(lines, own)
    assert right / COMPARISONS < KEEP + 5 * (KEEP * (1 - KEEP) / COMPARISONS) ** 0.5


@pytest.mark.parametrize("export", EXPORTS)
def test_an_export_of_a_released_file_is_known_again(
    tmp_path, ledger, write_input, records, export
):
    change = EXPORTS[export]
    first, again = ([tuple(change(t, k) for t in r) for r in records[:50]] for k in (2, 3))
    privatise(write_input(first), tmp_path / "one.jsonl", HALF, ledger)
    with pytest.raises(BadInput, match="an earlier release has labels of this input"):
        privatise(write_input(again), tmp_path / "two.jsonl", HALF, Ledger(ledger.folder))


def test_texts_are_released_as_they_were_given(tmp_path, ledger, write_input):
    record = ("what  is\u00a0ﬁne?\r\n", " a ", "b\t")
    privatise(write_input([record]), tmp_path / "out.jsonl", HALF, ledger)
    (line,) = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    assert line["prompt"] == record[0]
    assert {line["response_1"], line["response_2"]} == set(record[1:])


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@given(texts)
def test_forms_of_unicode_and_blanks_at_the_ends_are_no_difference(text):
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert canonical(unicodedata.normalize(form, text)) == canonical(text)
    assert canonical(f" \n{text}\u3000\t\u200b") == canonical(text)
    assert canonical("\r\n".join(text.split())) == canonical(" ".join(text.split()))


@given(texts, texts, texts)
def test_which_response_was_chosen_changes_the_label_alone(prompt, one, other):
    (content, which), (same, swapped) = (
        comparison((prompt, one, other)),
        comparison((prompt, other, one)),
    )
    assert content == same
    assert which != swapped or one == other


def test_other_words_are_another_comparison():
    base = ("what is it?", "a", "b")
    others = [
        ("what is it", "a", "b"),
        ("what is it?", "a", "c"),
        ("What is it?", "a", "b"),
        ("ab", "", ""),
    ]
    assert len({comparison(record)[0] for record in (base, *others)}) == 5


def test_responses_that_differ_in_white_space_alone_are_still_a_pair(tmp_path, ledger, write_input):
    records = [("indent", "if x:\n  y", "if x:\n    y"), ("indent", "if x:\n    y", "if x:\n  y")]
    done = privatise(write_input(records), tmp_path / "out.jsonl", HALF, ledger)
    assert done.counts.repeated == 1


# Fields and chat lists

PLAIN = {"prompt": "why?", "chosen": "so", "rejected": "no"}
ASK, SO, NO = (
    {"role": role, "content": text}
    for role, text in (("user", "why?"), ("assistant", "so"), ("assistant", "no"))
)
SAME = {
    "another order of fields": {"rejected": "no", "chosen": "so", "prompt": "why?"},
    "upper case": {"Prompt": "why?", "CHOSEN": "so", "Rejected": "no"},
    "blanks around names": {"prompt ": "why?", " chosen": "so", "rejected": "no", "id": 7},
    "chat lists": {"prompt": [ASK], "chosen": [SO], "rejected": [NO]},
    "other keys of a message": {"prompt": [{"content": "why?", "role": "user", "at": 1}],
                                "chosen": [SO], "rejected": "no"},
    "the prompt repeated": {"prompt": "why?", "chosen": [ASK, SO], "rejected": [ASK, NO]},
    "no prompt but in the chats": {"chosen": [ASK, SO], "rejected": [ASK, NO]},
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_the_same_record_in_another_shape_is_one_comparison(tmp_path, ledger, name):
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(one) + "\n" for one in (PLAIN, SAME[name])))
    assert list(read_records(str(source))) == [("why?", "so", "no")] * 2
    done = privatise(source, tmp_path / "out.jsonl", HALF, ledger)
    assert done.counts.repeated == 1


def test_a_dialogue_is_released_as_one_text(tmp_path):
    source = tmp_path / "in.jsonl"
    earlier = [{"role": "system", "content": "be brief"}, ASK, SO]
    value = {"prompt": [*earlier, ASK], "chosen": [*earlier, ASK, SO], "rejected": [NO, ASK, NO]}
    source.write_text(json.dumps(value))
    ((prompt, chosen, rejected),) = read_records(str(source))
    assert prompt == "System: be brief\n\nHuman: why?\n\nAssistant: so\n\nHuman: why?"
    assert chosen.endswith("\n\nHuman: why?\n\nAssistant: so")
    assert chosen.startswith("System: be brief")  # cut off both responses, or off neither
    assert rejected == "Assistant: no\n\nHuman: why?\n\nAssistant: no"


@pytest.mark.parametrize(
    "value",
    [
        {**PLAIN, "prompt": []},
        {**PLAIN, "chosen": [{"role": "assistant"}]},
        {**PLAIN, "rejected": ["no"]},
        {"Prompt": "a", "PROMPT": "b", "chosen": "so", "rejected": "no"},
        {"chosen": [SO], "rejected": [NO]},
    ],
)
def test_what_is_neither_a_text_nor_a_chat_list_is_refused(tmp_path, value):
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps(value))
    with pytest.raises(BadInput, match="given twice or neither a text nor a chat list"):
        list(read_records(str(source)))
