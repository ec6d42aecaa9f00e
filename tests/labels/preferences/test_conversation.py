"""What two conversations share, how they are joined, and which turns a text stands for."""

import pytest

from repro.labels.preferences.conversation import (
    Message,
    NotUnderstood,
    begins,
    common,
    contains,
    joined,
    turns,
)


def turn(role, content):
    return Message(role, content)


U, A, B = turn("user", "Hi"), turn("assistant", "Yes?"), turn("user", "Why?")


def test_what_two_conversations_share():
    assert begins([U, A, B], [U, A])
    assert not begins([U], [U, A])
    assert begins([turn("user", "Hi ")], [U])  # but for blanks
    assert not begins([turn("assistant", "Hi")], [U])
    assert contains([U, A, B], [A, B])
    assert not contains([U, A], [A, B])
    assert common([U, A, B], [U, A, turn("user", "No")]) == [U, A]
    assert common([U, A], [U, A]) == [U]  # each keeps one
    assert common([B, A], [U, A]) == []


def test_conversations_are_joined_where_they_overlap():
    assert joined([U, A], [A, B], "prompt") == [U, A, B]
    assert joined([U, A], [U, A, B], "prompt") == [U, A, B]
    assert joined([U, A, U, A], [U, A, B], "prompt") == [U, A, U, A, B]
    assert joined([U], [A, B], "prompt") == [U, A, B]
    rules = turn("system", "Be brief.")
    assert joined([rules, U, A, U, A], [U, A, U, A, B], "prompt") == [rules, U, A, U, A, B]
    assert joined([U], [], "prompt") == [U]
    with pytest.raises(NotUnderstood, match="'prompt' contradicts another field"):
        joined([U], [B], "prompt")


def test_an_assistant_s_mark_at_the_end_asks_for_a_turn():
    text = "Human: Hi\n\nAssistant: Yes?\n\nHuman: Why?\n\nAssistant:"
    asked = [(turn.role, turn.content.strip()) for turn in turns(text)]
    assert asked == [("user", "Hi"), ("assistant", "Yes?"), ("user", "Why?")]
    said = turns(text, asks=False)
    assert (len(said), said[-1].role, said[-1].content.strip()) == (4, "assistant", "")
    assert turns("no marks") == [turn("user", "no marks")]
    assert [t.content.strip() for t in turns("Human: Hi")] == ["Hi"]
    assert turns("Assistant: Hi") == [turn("user", "Assistant: Hi")]
