"""Keys that a comparison had in ledgers before conversations were understood.

They are looked up in debits of identity 1 and never stored.  What was released then is known by the
characters that were left out then, and by layouts that were read otherwise: whole dialogues and
printed chat lists were responses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from repro.base.text_form import TABLE
from repro.labels.preferences.conversation import MARKS, Message, turns
from repro.release.canonical import key_of, sides

LEFT_OUT = re.compile(
    "[\x85\u1680\u2028\u2029"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
BLANK = bytes(range(1, 33)) + b"\x7f"


def _dialogue(chat: list[Message], marks: dict[str, str]) -> str:
    return "\n\n".join(f"{marks[role]}: {content}" for role, content in chat)


def _printed(chat: list[Message], write: Callable[[Any], str]) -> str:
    return write([turn._asdict() for turn in chat])


WRITTEN = (
    partial(_dialogue, marks=MARKS),
    partial(_dialogue, marks={**MARKS, "assistant": "Gpt"}),
    partial(_dialogue, marks={**MARKS, "user": "User"}),
    partial(_printed, write=json.dumps),
    partial(_printed, write=repr),
)
"""Texts that a list of messages was read as."""


def former_keys(prompt: str, response: str, other: str) -> set[bytes]:
    """Keys of three texts as they are read now, in every way in which they were read.

    Args:
        prompt, one, other: texts of a comparison, the responses in any order.
    """
    chat, plain = turns(prompt), (response, other)
    answers = [[Message("assistant", text)] for text in plain]
    read = {(prompt, *plain)}
    for asked in filter(None, (chat, chat[1:])):  # without a system column, or the first question
        forms = [tuple(write([*asked, *answer]) for answer in answers) for write in WRITTEN]
        read |= {(question, *pair) for pair in forms for question in _questions(prompt, chat)}
        read |= {(write(asked), *plain) for write in WRITTEN}
        read |= {(write(asked), *map(write, answers)) for write in WRITTEN}
    return {key_of(sides(_former(texts))) for texts in read}


def _questions(prompt: str, chat: list[Message]) -> set[str]:
    return {prompt, chat[0].content, chat[-1].content}


def _former(texts: tuple[str, ...]) -> bytes:
    text = "\0".join(texts)
    if not text.isascii():
        text = TABLE.normalize("NFKC", LEFT_OUT.sub("", text))
    return text.encode().translate(None, BLANK)
