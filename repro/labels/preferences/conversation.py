"""What is compared: a conversation, and two ways in which its assistant goes on.

Every layout of a preference file is read as this.  Three texts hold it: the prompt is a question,
or a dialogue with a mark before each turn.  Contents are verbatim; whether two are the same, their
canonical form says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from repro.base.text_form import canonical

MARKS = {"system": "System", "user": "Human", "assistant": "Assistant"}
ROLES = {mark: role for role, mark in MARKS.items()}
_MARK = "(System|Human|Assistant):[ ]?"
_FIRST, _NEXT = re.compile(rf"\s*{_MARK}"), re.compile(rf"\n\n{_MARK}")


class Message(NamedTuple):
    """One turn: ``role`` is one of ``MARKS``, ``content`` a text; there is nothing else."""

    role: str
    content: str


class ListedPrompt(str):
    """The text of a prompt that came as a list of messages, and is released as one."""


class NotUnderstood(ValueError):
    """Why a record is not read, as a sentence without any of its texts."""


class NoPreference(NotUnderstood):
    """Why a record is not read, which follows from its label: no message may name its line."""


def same(turn: Message, other: Message) -> bool:
    """Whether two turns say the same."""
    return turn == other or (
        turn.role == other.role and canonical(turn.content) == canonical(other.content)
    )


def begins(chat: Sequence[Message], opening: Sequence[Message]) -> bool:
    """Whether a conversation has another one as its beginning."""
    return len(chat) >= len(opening) and all(map(same, chat, opening))


def common(chat: Sequence[Message], other: Sequence[Message]) -> list[Message]:
    """The turns that two conversations begin with, leaving each at least one."""
    count = 0
    while count < min(len(chat), len(other)) - 1 and same(chat[count], other[count]):
        count += 1
    return list(chat[:count])


def contains(chat: Sequence[Message], part: Sequence[Message]) -> bool:
    """Whether a conversation has another one somewhere in it."""
    return any(begins(chat[start:], part) for start in range(len(chat) + 1))


def joined(first: Sequence[Message], then: Sequence[Message], name: str) -> list[Message]:
    """One conversation of two that may share turns, as a prompt and what both responses repeat.

    Raises:
        NotUnderstood: they contradict each other; ``name`` is what one of them is called.

    >>> U, A = Message("user", "Hi"), Message("assistant", "Yes?")
    >>> [m.content for m in joined([U], [U, A], "prompt")]
    ['Hi', 'Yes?']
    """
    if contains(then, first):
        return list(then)
    for shared in range(min(len(first), len(then)), 0, -1):
        if all(map(same, first[-shared:], then)):
            return [*first, *then[shared:]]
    follows = {"system": "user", "user": "assistant", "assistant": "user"}
    if then and follows[first[-1].role] != then[0].role:
        raise NotUnderstood(f"field {name!r} contradicts another field that says what was asked")
    return [*first, *then]


def turns(text: str, asks: bool = True) -> list[Message]:
    """The conversation that a text stands for: a dialogue with marks, or one question.

    An ``Assistant:`` at the end of what ``asks`` is no turn but asks for one.

    >>> turns("\\n\\nHuman: Hi\\n\\nAssistant: Yes?\\n\\nHuman: Why?\\n\\nAssistant:")[2]
    Message(role='user', content='Why?')
    """
    chat = [Message(role, text[start:end]) for role, start, end in _places(text)]
    if asks and len(chat) > 1 and chat[-1].role == "assistant" and not chat[-1].content.strip():
        chat.pop()
    return chat if len(chat) > 1 or asks_alone(chat) else [Message("user", text)]


def asks_alone(chat: Sequence[Message]) -> bool:
    """Whether a conversation is one question."""
    return [turn.role for turn in chat] == ["user"]


def _places(text: str) -> list[tuple[str, int, int]]:
    """Role, start and end of each turn of a dialogue."""
    if not (first := _FIRST.match(text)):
        return []
    marks = [first, *_NEXT.finditer(text, first.end())]
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [(ROLES[mark[1]], mark.end(), end) for mark, end in zip(marks, ends, strict=True)]


def dialogues(text: str, other: str) -> list[list[Message]]:
    """Two texts as whole dialogues that begin alike, each with one answer; none if they are not.

    All that follows the turns that they share is the answer, whatever marks it has.
    """
    whole = [turns(both, asks=False) for both in (text, other)]
    count = len(common(*whole))
    if not count or any(chat[count].role != "assistant" for chat in whole):
        return []
    answers = [both[_places(both)[count][1] :].strip() for both in (text, other)]
    asked = [Message(role, content.strip()) for role, content in whole[0][:count]]
    return [[*asked, Message("assistant", answer)] for answer in answers]


def as_text(chat: Sequence[Message]) -> str:
    """The text that ``turns`` reads a conversation from.

    Raises:
        NotUnderstood: a content has marks, so that ``turns`` would read other turns.
    """
    if len(chat) == 1:
        text = chat[0].content
    else:
        text = "\n\n".join(f"{MARKS[role]}: {content}" for role, content in chat)
    if [turn.role for turn in turns(text)] != [turn.role for turn in chat]:
        raise NotUnderstood("a message has the marks of a dialogue ('Human:', 'Assistant:')")
    return text


def compared_texts(
    asked: Sequence[Message], chat: Sequence[Message], other: Sequence[Message]
) -> tuple[str, str, str]:
    """Prompt and both responses, of a prompt and two conversations that may repeat it.

    Raises:
        NotUnderstood: it is not a question and two answers to it.
    """
    shared = common(chat, other)
    context = joined(asked, shared, "prompt")
    answers = [both[len(shared) :] for both in (chat, other)]
    if any([turn.role for turn in answer] != ["assistant"] for answer in answers):
        raise NotUnderstood("the responses do not differ in one last turn of the assistant alone")
    if not context or context[-1].role != "user":
        raise NotUnderstood("what was asked does not end with a turn of the user")
    return as_text(context), answers[0][0].content, answers[1][0].content
