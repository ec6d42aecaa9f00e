"""Chats in the forms in which they are published, as conversations.

A chat is a list of messages, one message, a dictionary of lists, an array of numpy, or any of
these printed as JSON or by Python.  A message has a role and a content, and nothing beside them
that says something.  What cannot be kept is refused and never dropped.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from repro.labels.preferences.conversation import Message, NotUnderstood

SPEAKERS = {
    "system": "system", "developer": "system",
    "user": "user", "human": "user", "prompter": "user",
    "assistant": "assistant", "gpt": "assistant", "model": "assistant", "bot": "assistant",
}  # fmt: skip
KEYS = {"role": "role", "from": "role", "content": "content", "value": "content"}
_NEEDED = frozenset(KEYS.values())
BESIDE = frozenset(
    ("id", "index", "idx", "at", "time", "timestamp", "created_at", "weight", "train", "loss",
     "score", "rating", "source", "language", "tokens", "token_count")
)  # fmt: skip
"""Keys of a message that say nothing of what was compared."""

_PRINTED = re.compile(
    r"\s*(?:array\()?\[?\s*\{\s*(['\"])(?:role|from|content|value)\1\s*:.*[\]}][\s\w=,)]*\Z", re.S
)
LONGEST_PRINTED = 1 << 20
"""Characters of a printed chat that is parsed."""


def python(value: Any) -> Any:
    """A value without numpy: arrays as lists, numbers and texts as Python's."""
    return value.tolist() if hasattr(value, "tolist") else value


def is_nothing(value: Any) -> bool:
    """Whether a field is there and says nothing: null, NaN, blank or empty."""
    value = python(value)
    if isinstance(value, str | list | tuple | dict):
        return not (value.strip() if isinstance(value, str) else value)
    return value is None or type(value).__name__ == "NAType" or value != value


def is_printed_nothing(value: Any) -> bool:
    """Whether a field that is no text says nothing, or is what an export has printed for that."""
    return is_nothing(value) or value in ("[]", "{}", "null", "None", "nan", "NaN")


def is_printed(value: Any) -> bool:
    """Whether a text looks like a chat that was printed."""
    return isinstance(value, str) and bool(_PRINTED.match(value))


def parsed(value: Any) -> Any:
    """A value that was printed as JSON or by Python, read again.

    Raises:
        NotUnderstood: it cannot be read.
    """
    if not isinstance(value, str):
        return python(value)
    for read in (json.loads, ast.literal_eval) if len(value) < LONGEST_PRINTED else ():
        try:
            return read(value.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    raise NotUnderstood("a text looks like a printed chat list and cannot be read as one")


def messages(value: Any) -> list[Message] | None:
    """The messages of a chat; None for what is no chat.

    Raises:
        NotUnderstood: it is a chat, and says more than roles and texts.

    >>> messages("[{'from': 'human', 'value': 'Hi'}]")
    [Message(role='user', content='Hi')]
    """
    value = parsed(value) if is_printed(value) else python(value)
    if isinstance(value, dict):
        value = _of_lists(value)
    if not isinstance(value, list | tuple) or not value:
        return None
    if not all(isinstance(said, dict) and set(map(KEYS.get, said)) >= _NEEDED for said in value):
        return None
    return [_message(said) for said in value]


def _of_lists(value: dict[str, Any]) -> Any:
    """A dictionary of lists, as ``datasets`` has a sequence of structures, or one message."""
    lists = {key: python(column) for key, column in value.items()}
    if not any(KEYS.get(key) == "role" and isinstance(col, list) for key, col in lists.items()):
        return [value]
    try:
        return [dict(zip(lists, said, strict=True)) for said in zip(*lists.values(), strict=True)]
    except (TypeError, ValueError):
        raise NotUnderstood("the lists of a chat are not of one length") from None


def _message(said: dict[str, Any]) -> Message:
    parts: dict[str, Any] = {}
    for key, value in said.items():
        if key in KEYS:
            if KEYS[key] in parts and not is_nothing(value):
                raise NotUnderstood("a message has two roles or two contents")
            parts.setdefault(KEYS[key], python(value))
        elif key not in BESIDE and not is_nothing(value):
            shown = key if re.fullmatch(r"[A-Za-z_]{1,30}", str(key)) else "(another key)"
            raise NotUnderstood(f"a message has the key {shown!r}, which a text cannot keep")
    role, content = parts.get("role"), _only_text(parts.get("content"))
    speaker = SPEAKERS.get(role.strip().casefold()) if isinstance(role, str) else None
    if speaker is None:
        raise NotUnderstood("a message has a role other than system, user and assistant")
    if not isinstance(content, str):
        raise NotUnderstood("a message has a content that is not one text")
    return Message(speaker, content)


def _only_text(content: Any) -> Any:
    """The text of ``[{"type": "text", "text": …}]``, and any other content as it is."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        (part,) = content
        others = [key for key, value in part.items() if not is_nothing(value)]
        if part.get("type") == "text" and sorted(others) == ["text", "type"]:
            return part["text"]
    return content
