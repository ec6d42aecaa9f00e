"""The canonical form of a comparison: what is the same however a file has been exported.

Copies that differ in white space, in a form of Unicode, in invisible characters or in a common
layout must not get answers of their own: their noise could be averaged away.  The same form fixes
which response stands first and in which place a line stands, so that no byte of a release but its
labels is anybody's choice.  What is released are the texts as they were given.
"""

from __future__ import annotations

import json
from hashlib import sha256
from json.encoder import encode_basestring as quoted
from typing import Any

from repro.base.text_form import TABLE, canonical
from repro.labels.preferences.chat import messages
from repro.labels.preferences.conversation import (
    ListedPrompt,
    Message,
    as_text,
    asks_alone,
    turns,
)

FORM = (
    "letters, marks, numbers, punctuation and symbols of Unicode 18.0 in NFKC of 3.2.0; a dialogue"
    " of one question, in the prompt or before both responses, is that question"
)
IDENTITY = 2
"""Of the keys of this module; a ledger says by which identity it knows a release."""

PAIR, LINE = b"repro-release/1 pair\0", b"repro-release/1 line\0"
NEAR = b"repro-release/1 near\0"
"""What is hashed begins with these.  Public and fixed: a salt would be bytes of free choice."""

ASKED, ANSWERED = b"Human:", b"Assistant:"
_ANSWERS = b"assistant"
"""``ANSWERED`` without case and punctuation."""

_UNSAID = dict.fromkeys(map(ord, ".,;:!?'\"")) | dict.fromkeys(
    code for code in range(0x80, 0x10000) if TABLE.category(chr(code))[0] == "P"
)
"""Punctuation of sentences in all scripts; signs of formulas in ASCII, such as + or -, are left."""


def compared(prompt: str, response: str, other: str) -> tuple[bytes, bytes, bool]:
    """Key and body of a comparison, and whether ``response`` is its response_1; symmetric in both.

    The response with the lesser SHA-256 of prompt and response stands first.  The prompt is hashed
    too, or a reply that is common to many prompts would stand in one place everywhere.

    Args:
        prompt, one, other: texts without NUL and lone surrogates, the responses different.

    Returns:
        (64,) bytes, SHA-256 in hexadecimal, the same for all copies; the line up to its label.

    >>> compared("p", "b ", "a")[0] == compared(" p", "a", "b")[0]
    True
    """
    keys = sides(canonical("\0".join((prompt, response, other))))
    first = keys[0] < keys[1] if keys[0] != keys[1] else response.encode() < other.encode()
    responses = (response, other) if first else (other, response)
    return key_of(keys), body(prompt, *responses), first


def sides(texts: bytes) -> list[bytes]:
    """SHA-256 of prompt and response, for both responses of canonical texts with NUL between."""
    asked, *both = _parts(texts)
    return [sha256(PAIR + asked + b"\0" + response).digest() for response in both]


def _parts(texts: bytes) -> tuple[bytes, bytes, bytes]:
    """Prompt and responses of canonical texts with NUL between."""
    asked, first, other = texts.split(b"\0")
    if ASKED in texts or ANSWERED in texts:
        return _without_dialogue(asked, first, other)
    return asked, first, other


def near_key(text: bytes) -> bytes:
    """A key that near-copies share: comparisons that differ in case and punctuation only.

    The prompt or a mark of the assistant before both responses is no difference either.

    Args:
        text: of ``body``.

    Returns:
        (64,) bytes, SHA-256 in hexadecimal.

    >>> near_key(body("Why?", "a", "B.")) == near_key(body("why", "b", "A"))
    True
    """
    prompt, response, other, _ = json.loads(text + b"1}").values()
    parts = _parts(canonical("\0".join((prompt, response, other))))
    asked, *both = (part.decode().casefold().translate(_UNSAID).encode() for part in parts)
    for opening in (asked, _ANSWERS):
        if all(response.startswith(opening) for response in both):
            both = [response.removeprefix(opening) for response in both]
    return sha256(NEAR + b"\0".join([asked, *sorted(both)])).hexdigest().encode()


def key_of(keys: list[bytes]) -> bytes:
    """The key of a comparison, from its two ``sides``."""
    return sha256(LINE + b"".join(sorted(keys))).hexdigest().encode()


def _without_dialogue(asked: bytes, first: bytes, other: bytes) -> tuple[bytes, bytes, bytes]:
    """Canonical texts with the marks of a dialogue, and a prompt that both responses repeat, cut.

    >>> _without_dialogue(b"Human:Hi?Assistant:", b"Human:Hi?Assistant:Yes", b"Human:Hi?Assistant:")
    (b'Hi?', b'Yes', b'')
    """
    asked = asked.removesuffix(ANSWERED)
    if asked.count(ASKED) == 1 and ANSWERED not in asked:
        asked = asked.removeprefix(ASKED)
    opening = asked + ANSWERED if asked.startswith(ASKED) else ASKED + asked + ANSWERED
    if first.startswith(opening) and other.startswith(opening):
        first, other = first.removeprefix(opening), other.removeprefix(opening)
    return asked, first, other


def body(prompt: str, first: str, second: str) -> bytes:
    """A line up to its label; escapes are those of RFC 8785."""
    return _body(quoted(prompt), quoted(first), quoted(second))


def _body(prompt: str, first: str, second: str) -> bytes:
    return f'{{"prompt":{prompt},"response_1":{first},"response_2":{second},"label":'.encode()


def _in_lists(text: bytes) -> bytes:
    """A body whose texts are written as lists of messages, as in TRL's conversational layout."""
    prompt, first, second, _ = json.loads(text + b"1}").values()
    asked = turns(prompt)
    asked = [Message("user", prompt)] if asks_alone(asked) else asked  # with a mark that it has
    answers = ([Message("assistant", answer)] for answer in (first, second))
    return _body(*map(_listed, (asked, *answers)))


def _listed(chat: list[Message]) -> str:
    quoted_turns = (f'{{"role":"{role}","content":{quoted(content)}}}' for role, content in chat)
    return f"[{','.join(quoted_turns)}]"


def line(text: bytes, label: int, listed: bool = False) -> bytes:
    """A whole line, from its body and a label of 1 or 0, which is written −1.

    Args:
        text: of ``body``.
        label: of the first response.
        listed: write lists of messages.

    >>> line(body("p", "a", "b"), 0)
    b'{"prompt":"p","response_1":"a","response_2":"b","label":-1}\\n'
    """
    return (_in_lists(text) if listed else text) + (b"1}\n" if label else b"-1}\n")


def texts_of(prompt: Any, first: Any, second: Any) -> tuple[str, str, str] | None:
    """The texts of a line that has texts or lists of messages; None of anything else.

    The prompt of lists is a ``ListedPrompt``.

    Raises:
        NotUnderstood: a list says more than a release has.
    """
    if isinstance(prompt, str) and isinstance(first, str) and isinstance(second, str):
        return prompt, first, second
    chats = [messages(value) for value in (prompt, first, second) if not isinstance(value, str)]
    if len(chats) < 3 or not all(chats):
        return None
    asked, *answers = (chat or [] for chat in chats)
    if any([turn.role for turn in answer] != ["assistant"] for answer in answers):
        return None
    return ListedPrompt(as_text(asked)), answers[0][0].content, answers[1][0].content


def also_spent(prompt: str, response: str, other: str) -> list[tuple[bytes, bytes]]:
    """Key and near key of what is released with a comparison: its last question alone.

    A copy without the system message or the turns before is a comparison with this key.
    """
    chat = turns(prompt)
    if len(chat) == 1:
        return []
    last = chat[-1].content
    return [(compared(last, response, other)[0], near_key(body(last, response, other)))]
