"""Near-copies are one comparison: a file exported k times does not buy k answers."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import repro
from repro.base.errors import BadInput
from repro.base.text_form import _STABLE, TABLE, canonical
from repro.release.canonical import compared
from repro.release.records import read_records

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
        assert TABLE.normalize("NFKC", beside) == beside
    assert "’" in _STABLE
    assert canonical("’é \n–") == "’é–".encode()


def exported(records, change, k):
    return [{name: change(text, k) for name, text in record.items()} for record in records]


@pytest.mark.parametrize("export", EXPORTS)
def test_seventeen_exports_are_worth_one_answer(ledger, records, export):
    """Of 17 independent answers at ε = 0.5 the majority is right 84 times in 100; of one, 62."""
    some = records[:60]
    copies = [one for k in range(17) for one in exported(some, EXPORTS[export], k)]
    done = repro.privatize(copies, 0.5, ledger=ledger)
    assert done.manifest["lines"] == 60
    with pytest.raises(BadInput, match="shares .* with an earlier release"):
        repro.privatize(exported(some[:1], EXPORTS[export], 18), 0.5, ledger=ledger)


def test_of_copies_the_shortest_is_released_as_it_was_given(ledger):
    """Not the first, whose bytes tell the label where a file is sorted by it."""
    copies = [
        {"prompt": " what is\u00a0it?\r\n", "chosen": "b\t", "rejected": " a "},
        {"prompt": "what is\u00a0it?", "chosen": " a ", "rejected": "b\t"},
    ]
    (line,) = repro.privatize(copies, 1, ledger=ledger).records
    assert line["prompt"] == "what is\u00a0it?"
    assert {line["response_1"], line["response_2"]} == {" a ", "b\t"}


QUESTION, DIALOGUE = "Which?", "\n\nHuman: Which?\n\nAssistant:"
LAYOUTS = {
    "plain": (QUESTION, "this", "that"),
    "trailing Assistant:": (f"{QUESTION}\n\nAssistant:", "this", "that"),
    "a dialogue as the prompt": (DIALOGUE, " this", " that"),
    "without its answer": ("Human: Which?", "this", "that"),
    "a dialogue beside the prompt": (QUESTION, f"{DIALOGUE} this", f"{DIALOGUE} that"),
    "a dialogue in both": (DIALOGUE, f"{DIALOGUE} this", f"{DIALOGUE} that"),
}
MORE = "\n\nHuman: Which?\n\nAssistant: It depends.\n\nHuman: On what?"
TURNS = {
    "several turns": (MORE, "this", "that"),
    "with trailing Assistant:": (f"{MORE}\n\nAssistant:", "this", "that"),
    "in the responses": (MORE, f"{MORE}\n\nAssistant: this", f"{MORE}\n\nAssistant: that"),
}


@pytest.mark.parametrize("layouts", [LAYOUTS, TURNS], ids=["one question", "several turns"])
def test_common_layouts_of_one_pair_are_one_comparison(layouts):
    assert len({compared(*texts)[0] for texts in layouts.values()}) == 1
    for prompt, one, other in layouts.values():
        assert compared(prompt, one, other)[2] != compared(prompt, other, one)[2]


def test_the_key_is_the_one_that_was_published():
    """Another order of lines would make every release of before "not canonical"."""
    key, body, first = compared("Which ﬁne dáy?", "this", '"that"\n\x01')
    assert key == b"5312b6fc1786fd2e5cb8e4b473a032cf9dc1bd58ec59d18d04c1a11f0502a3dd"
    assert first
    texts = '"response_1":"this","response_2":"\\"that\\"\\n\\u0001"'
    assert body.decode() == f'{{"prompt":"Which ﬁne dáy?",{texts},"label":'


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@given(texts)
def test_forms_of_unicode_and_blanks_at_the_ends_are_no_difference(text):
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert canonical(unicodedata.normalize(form, text)) == canonical(text)
    assert canonical(f" \n{text}\u3000\t\u200b") == canonical(text)
    assert canonical("\r\n".join(text.split())) == canonical(" ".join(text.split()))


@given(texts, texts, texts)
def test_which_response_was_chosen_changes_the_label_alone(prompt, one, other):
    (key, body, first), (same, again, swapped) = (
        compared(prompt, one, other),
        compared(prompt, other, one),
    )
    assert (key, body) == (same, again)
    assert first != swapped or one == other


def test_other_words_are_another_comparison():
    base = ("what is it?", "a", "b")
    others = [
        ("what is it", "a", "b"), ("what is it?", "a", "c"), ("What is it?", "a", "b"),
        ("what is it?a", "", "b"),
    ]  # fmt: skip
    assert len({compared(*record)[0] for record in (base, *others)}) == 5


def test_responses_that_differ_in_white_space_alone_are_still_a_pair(ledger):
    indents = {"prompt": "p", "chosen": "if x:\n  y", "rejected": "if x:\n    y"}
    assert repro.privatize([indents], 1, ledger=ledger).manifest["lines"] == 1


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
    assert repro.privatize(source, 1, ledger=ledger).manifest["lines"] == 1


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
    with pytest.raises(BadInput, match="given twice or not a text or a chat list"):
        list(read_records(str(source)))
