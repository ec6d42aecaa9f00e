"""A conversation is one comparison in whatever layout it comes, and no other one is."""

from __future__ import annotations

import json
import random
from itertools import pairwise

import pandas as pd
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import repro
from repro.base.errors import BadInput
from repro.commands import privatize
from repro.commands.process.command import status_of
from repro.labels.preferences.conversation import ListedPrompt, NoPreference
from repro.release.canonical import body, compared, line, texts_of
from repro.release.records import fields, read_records
from tests.at_each import at_each
from tests.release.layouts import LAYOUTS, X, Y, answer, dialogue, hh, layouts, listed, trl, whole

U, A, S = "user", "assistant", "system"
Q = "Which tree is number 3?"
CHATS = {
    "one question": [(U, Q)],
    "three turns": [(U, Q), (A, "Do you mean by age?"), (U, "Yes.")],
    "other answer before": [(U, Q), (A, "Do you mean by size?"), (U, "Yes.")],
    "system message": [(S, "Be brief."), (U, Q)],
    "another system message": [(S, "Be long."), (U, Q)],
    "system message and turns": [(S, "Be brief."), (U, Q), (A, "By age?"), (U, "Yes.")],
    "turns that repeat": [(U, "Go on."), (A, "One."), (U, "Go on."), (A, "Two."), (U, "Go on.")],
    "Unicode": [(U, "Wh🈐ch ﬁne ᵀree\u00a0is “nümber” ３?")],
    "Unicode in turns": [(U, "日本 🌲?"), (A, "e\u0301…"), (U, "\U0001f130 עברית")],
    "JSON and brackets": [(U, "[a] {b} 'c': \"d\"\n\n- e\\n")],
    "white space": [(U, "  Which tree\n\n\nis number 4?\t")],
}


def key(record):
    """Of a comparison; the complaint where it is refused."""
    texts = fields(record)
    return texts if isinstance(texts, str) else compared(*texts)[0]


@pytest.mark.parametrize("name", CHATS)
def test_every_layout_of_a_conversation_is_one_comparison(name):
    records = layouts(CHATS[name])
    usual = key(trl(CHATS[name]))
    assert len(records) >= 25
    assert isinstance(usual, bytes)
    assert [other for other, record in records.items() if key(record) != usual] == []


@at_each("layout", [name for name in LAYOUTS if name != "exchanged"])
def test_every_layout_says_which_response_was_preferred(layout):
    _, chosen, rejected = fields(LAYOUTS[layout](CHATS["three turns"]))
    assert (chosen.strip(), rejected.strip()) == (X, Y)


def test_other_conversations_are_other_comparisons():
    assert len({key(trl(chat)) for chat in CHATS.values()}) == len(CHATS)
    several = [(U, "Hi"), (U, Q)], [(A, "Hi"), (U, Q)], [(U, Q)]
    assert len({key(trl(chat)) for chat in several}) == 3


CALL = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
ASK = listed([(U, Q)])
TEXTS = {"chosen": X, "rejected": Y}
UNDERSTOOD_BY_NOBODY = {
    "tool calls": ({"prompt": [*ASK, {**answer("")[0], "tool_calls": CALL}, *ASK],
                    "chosen": answer(X), "rejected": answer(Y)}, "the key 'tool_calls'"),
    "tool calls in a response": ({"prompt": ASK, "chosen": [{**answer(X)[0], "tool_calls": CALL}],
                                  "rejected": answer(Y)}, "the key 'tool_calls'"),
    "a tool's turn": ({"prompt": listed([(U, Q), (A, "f"), ("tool", "3")]), "chosen": answer(X),
                       "rejected": answer(Y)}, "a role other than"),
    "a role that is no text": ({"prompt": ASK, "chosen": [{"role": 5, "content": X}],
                                "rejected": answer(Y)}, "a role other than"),
    "reasoning": ({"prompt": ASK, "chosen": [{**answer(X)[0], "reasoning_content": "hm"}],
                   "rejected": answer(Y)}, "'reasoning_content'"),
    "a speaker's name": ({"prompt": [{**ASK[0], "name": "Ann"}], "chosen": answer(X),
                          "rejected": answer(Y)}, "'name'"),
    "images": ({"prompt": Q, "images": ["a.png"], **TEXTS}, "field 'images'"),
    "an image part": ({"prompt": [{"role": U, "content": [{"type": "image"}]}],
                       "chosen": answer(X), "rejected": answer(Y)}, "not one text"),
    "tools": ({**trl([(U, Q)]), "tools": json.dumps([{"name": "f"}])}, "field 'tools'"),
    "tools of OpenAI": ({"input": {"messages": ASK, "tools": CALL}, "preferred_output": answer(X),
                         "non_preferred_output": answer(Y)}, "field 'input'"),
    "a document": ({"context": "Trees are numbered.", "prompt": Q, **TEXTS}, "field 'prompt'"),
    "a prompt of another chat": ({"prompt": "number 3", **whole([(U, Q)])}, "field 'prompt'"),
    "a prompt of another dialogue": ({"prompt": "number 3", **hh([(U, Q)])}, "field 'prompt'"),
    "a question beside an answer": ({"chosen": f"Human: {Q}\n\nAssistant: {X}",
                                     "rejected": f"Human: {Q}\n\nHuman: {Y}"}, "field 'prompt'"),
    "chats that part early": ({"chosen": listed([(U, Q), (A, "a"), (U, "b"), (A, X)]),
                               "rejected": listed([(U, Q), (A, "c"), (U, "b"), (A, Y)])},
                              "one last turn"),
    "a chat beside a text": ({"prompt": Q, "chosen": ASK + answer(X), "rejected": answer(Y)},
                             "one last turn"),
    "a question as a response": ({"chosen": listed([(U, Q), (A, "x"), (U, "y")]),
                                  "rejected": listed([(U, Q), (A, "x"), (U, "z")])},
                                 "one last turn"),
    "a prompt that ends in an answer": (trl([(U, Q), (A, "It is")]), "end with a turn of the user"),
    "marks in a turn": (trl([(U, "Hi"), (A, "x\n\nHuman: y"), (U, Q)]), "marks of a dialogue"),
    "a chat that is half printed": ({"prompt": Q, "chosen": "[{'content': 'q'}\n {'content': 'a'}]",
                                     "rejected": "[{'content': 'q'}\n {'content': 'b'}]"},
                                    "cannot be read as one"),
    "two system messages": ({"system": "Be long.", **trl([(S, "Be brief."), (U, Q)])},
                            "contradicts"),
    "two contents": ({"prompt": [{"role": U, "content": Q, "value": "other"}],
                      "chosen": answer(X), "rejected": answer(Y)}, "two contents"),
    "ratings of one response": ({"prompt": Q, "response": X, "helpfulness": 3},
                                "two responses are missing"),
    "no preference": ({"prompt": Q, "response_1": X, "response_2": Y, "preference_strength": 0},
                      "0 or no number"),
    "a better one of null": ({"prompt": Q, "response_0": X, "response_1": Y,
                              "better_response_id": None}, "neither 0 nor 1"),
    "lists of unequal length": ({"prompt": {"role": [U], "content": [Q, Q]}, "chosen": answer(X),
                                 "rejected": answer(Y)}, "not of one length"),
    "no question": ({"chosen": answer(X), "rejected": answer(Y)}, "field 'prompt'"),
    "a list of texts": ({"prompt": [Q], "chosen": [X], "rejected": [Y]}, "not a text or a chat"),
}  # fmt: skip
OTHER = {"chosen": "rejected", "preferred_output": "non_preferred_output"}
OTHER |= {other: name for name, other in OTHER.items()}


def refusal(record):
    try:
        complaint = fields(record)
    except NoPreference as problem:
        complaint = str(problem)
    assert isinstance(complaint, str)
    return complaint


@at_each("name", UNDERSTOOD_BY_NOBODY)
def test_what_cannot_be_kept_is_refused_by_name(name):
    """In the same words whichever response was preferred."""
    record, said = UNDERSTOOD_BY_NOBODY[name]
    complaint = refusal(record)
    assert said in complaint
    assert refusal({OTHER.get(field, field): value for field, value in record.items()}) == complaint


@at_each("layout", LAYOUTS)
@at_each("beside", [{"tools": [{"name": "f"}]}, {"images": ["a.png"]}, {"function_call": "f()"}])
def test_what_stands_beside_a_conversation_is_refused_in_every_layout(layout, beside):
    record = LAYOUTS[layout](CHATS["three turns"])
    assert fields({**record, **beside}).startswith(f"field '{next(iter(beside))}' is part of")


LOOK_LIKE_CHATS = {
    "JSON": ("Print a chat.", '[{"role": "user", "content": "x"}]', "No."),
    "a list": ("[{'role': 'user', 'content': 'x'}] What is that?", X, Y),
    "a dialogue as the answer": ("Write one.", "Human: hi\n\nAssistant: ho", "Human: no"),
    "a mark": ("What does 'Assistant:' mean?", X, Y),
    "None and 5": ("5", "None", "N/A"),
    "brackets": ("[a] {b}", "[1, 2]", "{}"),
}


@pytest.mark.parametrize("name", LOOK_LIKE_CHATS)
def test_texts_that_look_like_chats_are_texts(name):
    texts = LOOK_LIKE_CHATS[name]
    record = dict(zip(("prompt", "chosen", "rejected"), texts, strict=True))
    assert fields({**record, "annotator": "x", "tags": ["a"]}) == texts


def test_no_layout_buys_a_second_answer(tmp_path):
    """All layouts of all conversations in one file are one line each, and known ever after."""
    records = [record for chat in CHATS.values() for record in layouts(chat).values()]
    random.Random(1).shuffle(records)
    done = repro.privatize(records, 1, ledger=tmp_path / "ledger")
    assert done.manifest["lines"] == len(CHATS)
    for record in random.Random(2).sample(records, 12):
        with pytest.raises(BadInput, match="shares .* with"):
            repro.privatize([record], 1, ledger=tmp_path / "ledger")


@pytest.mark.parametrize("name", ["three turns", "system message", "system message and turns"])
def test_the_last_question_alone_is_spent_too(tmp_path, name):
    """A file that has lost what came before holds the same labels, in either order."""
    chat = CHATS[name]
    for number, files in enumerate(pairwise([chat, chat[-1:], chat])):
        ledger = tmp_path / str(number)
        first, second = ([trl(part)] for part in files)
        repro.privatize(first, 1, ledger=ledger)
        with pytest.raises(BadInput, match="shares .* with"):
            repro.privatize(second, 1, ledger=ledger)


NEAR_COPIES = {
    "last question": lambda p: trl([(S, "Be brief."), (U, p.lower())]),
    "guillemets": lambda p: {**trl([(U, p)]), "prompt": f"\u00ab{p}\u00bb"},
    "full stops": lambda p: {"prompt": p, "chosen": f"{X}\u3002", "rejected": f"{Y} \u2014"},
    "prompt": lambda p: {"prompt": p, "chosen": f"{p} {X}", "rejected": f"{p} {Y}"},
    "marks": lambda p: {"prompt": p, "chosen": f"Assistant: {X}", "rejected": f"Assistant: {Y}"},
}


@pytest.mark.parametrize("name", NEAR_COPIES)
def test_other_case_or_punctuation_of_a_last_question_buys_no_second_answer(tmp_path, name):
    plain = {"prompt": "Is it So?", "chosen": X, "rejected": Y}
    files = plain, NEAR_COPIES[name](plain["prompt"])
    for number, (first, second) in enumerate((files, files[::-1])):
        ledger = tmp_path / str(number)
        repro.privatize([first], 1, ledger=ledger)
        with pytest.raises(BadInput, match="shares .* with an earlier release, in other case"):
            repro.privatize([second], 1, ledger=ledger)


def test_lines_that_differ_before_the_last_question_are_counted(tmp_path, write_input, capsys):
    """With and without a system message they are two comparisons, with an answer each."""
    names = ("one question", "system message", "another system message", "Unicode")
    source = write_input([trl(CHATS[name]) for name in names])
    words = [str(source), str(tmp_path / "o.jsonl"), "epsilon=1", f"ledger={tmp_path / 'l'}"]
    assert status_of(privatize.main, words) == 0
    said = "randomised 4 comparisons; 2 share their last question and responses with another"
    assert " ".join(capsys.readouterr().out.split()).startswith(said)


# What is released


@pytest.mark.parametrize("name", CHATS)
def test_lists_come_out_as_lists_and_texts_as_texts(name, tmp_path):
    chat = CHATS[name]
    ledgers = (tmp_path / str(number) for number in range(3))
    (row,) = repro.privatize([trl(chat)], 1, ledger=next(ledgers)).records
    assert row["prompt"] == listed(chat)
    answers = [row["response_1"], row["response_2"]]
    assert sorted(answers, key=str) == sorted([answer(X), answer(Y)], key=str)
    (row,) = repro.privatize([trl(chat)], 1, ledger=next(ledgers), layout="trl").records
    assert row["prompt"] == listed(chat)
    assert {row["chosen"][0]["content"], row["rejected"][0]["content"]} == {X, Y}
    record = {"prompt": dialogue(chat), **TEXTS}
    (row,) = repro.privatize([record], 1, ledger=next(ledgers)).records
    assert row["prompt"] == dialogue(chat)


def many(size=40):
    """Records of chats, and as many of texts."""
    lists = [trl([(U, f"Which is {k}?"), (A, "By age?"), (U, "Yes.")]) for k in range(size)]
    return lists, [{"prompt": f"Which tree is {k}?", **TEXTS} for k in range(size)]


@pytest.mark.parametrize("kind", [list, pd.DataFrame])
def test_a_file_of_both_is_released_in_lists_and_is_canonical(kind, tmp_path):
    lists, texts = many()
    done = repro.privatize(kind([*lists, *texts]), 1, ledger=tmp_path / "ledger")
    audited = repro.audit(done, [*texts, *lists])
    assert (audited.free, audited.status, audited.lines) == ([], 0, 80)


def test_a_table_of_lists_is_released_as_one_and_is_canonical(tmp_path):
    table = pyarrow.Table.from_pylist(many()[0])
    done = repro.privatize(table, 1, ledger=tmp_path / "ledger")
    assert done.records.schema.field("prompt").type == table.schema.field("prompt").type
    assert repro.audit(done, table).status == 0


def test_a_release_of_lists_is_compared_with_its_original(tmp_path):
    lists, _ = many()
    path = tmp_path / "o.jsonl"
    repro.privatize(lists, 1, output=path, ledger=tmp_path / "ledger")
    assert repro.audit(path, lists).status == 0
    good = path.read_text()
    for old, new in (
        ('"role":"assistant"', '"role":"model"'), ("By age?", "By size?"),
        ('"content":"Yes."', '"content":"Yes.","id":1'),
    ):  # fmt: skip
        assert old in good
        path.write_text(good.replace(old, new, 1))
        assert repro.audit(path, lists).status == 4
    path.write_text(good.replace('"role":"user",', "", 1))
    with pytest.raises(BadInput, match="line 1: not the fields"):
        repro.audit(path, lists)
    path.write_text(good)
    plain = [dict(zip(("prompt", "chosen", "rejected"), fields(r), strict=True)) for r in lists]
    audited = repro.audit(path, [{**r, "prompt": str(r["prompt"])} for r in plain])
    assert audited.free == ["texts instead of lists of messages, or lists instead of texts"]


def test_exports_of_lists_are_read_again(tmp_path):
    lists, texts = many()
    for ending in ("parquet", "jsonl.gz"):
        path = tmp_path / f"o.{ending}"
        repro.privatize([*lists, *texts], 1, output=path, layout="trl", ledger=tmp_path / ending)
        prompts = {prompt for prompt, _, _ in read_records(str(path))}
        assert prompts == {fields(record)[0] for record in (*lists, *texts)}
        assert all(isinstance(prompt, ListedPrompt) for prompt in prompts)
        path.with_name("o.jsonl").unlink()
        path.with_name("o.manifest.json").unlink()


words = st.sampled_from(["Human:", "Assistant:", "System:", "\n\n", " ", "a", "b\n", "é"])
texts = st.lists(words, max_size=9).map("".join).filter(str.strip)


@given(texts, texts, texts)
def test_a_text_written_as_lists_is_the_same_comparison(prompt, first, second):
    row = json.loads(line(body(prompt, first, second), 1, listed=True))
    again = texts_of(row["prompt"], row["response_1"], row["response_2"])
    assert compared(*again)[0] == compared(prompt, first, second)[0]
    assert line(body(*again), 1, listed=True) == line(body(*again), 1, listed=True)
    assert json.loads(line(body(*again), 1, listed=True)) == row


@pytest.mark.parametrize("unit", ["chosen", " Label", "better_response_id"])
def test_a_label_is_no_unit(unit, tmp_path):
    with pytest.raises(BadInput, match="a field that names the annotator"):
        repro.privatize(
            [{"prompt": Q, **TEXTS}], 1, unit=unit, at_most=2, ledger=tmp_path / "ledger"
        )
