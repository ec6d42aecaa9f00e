"""Layouts in which preference data are published, as records of three texts.

Fields that say what was asked are joined by their contents; two responses, and which is better,
have names of their own.  What says something and is not understood is refused, never dropped.
Chosen and rejected are treated alike throughout.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from repro.labels.preferences.chat import (
    is_nothing,
    is_printed,
    is_printed_nothing,
    messages,
    parsed,
    python,
)
from repro.labels.preferences.conversation import (
    ListedPrompt,
    Message,
    NoPreference,
    NotUnderstood,
    common,
    compared_texts,
    contains,
    dialogues,
    joined,
    turns,
)
from repro.labels.preferences.pair_records import FIELDS

BETTER = "better_response_id"
SCORED = {
    BETTER: ("response_0", "response_1"),  # PKU-SafeRLHF: 0 or 1
    "preference_strength": ("response_1", "response_2"),  # HelpSteer2: below 0 the first is better
    "overall_preference": ("response1", "response2"),  # HelpSteer3, as HelpSteer2
}
"""A field that says which of two responses is better, and their fields."""
PAIRS = (
    FIELDS[1:],  # TRL, UltraFeedback, hh-rlhf, axolotl, LLaMA-Factory
    ("preferred_output", "non_preferred_output"),  # OpenAI
    ("chosen_response", "rejected_response"),  # argilla
)
SYSTEM = ("system", "system_prompt")
CHATS = ("messages", "conversations", "conversation", "context")
ASKED = ("prompt", "instruction", "question", "input", "query", "history", *SYSTEM, *CHATS)
NOT_TEXT = (
    "tools", "functions", "tool_calls", "function_call", "documents", "files",
    "image", "images", "video", "videos", "audio", "audios",
)  # fmt: skip
_RESPONSES = (*sum(PAIRS, ()), *sum(SCORED.values(), ()), *SCORED)
LABELS = frozenset((*_RESPONSES, "safer_response_id", "label"))
"""Fields that say which response was preferred, or may."""
COLUMNS = (*ASKED, *NOT_TEXT, *_RESPONSES)
"""Names that a record is read from."""
NO_PREFERENCE = "a record has no preference (its field {!r} is {}): leave such records out"

_OPENAI = re.compile(r"\s*\{\s*['\"]messages['\"]\s*:.*\}\s*\Z", re.S)
_KNOWN = frozenset(COLUMNS)
_MORE = _KNOWN - set(FIELDS)
_SPECIAL = re.compile(r"\s*(?:array\(|[\[{]|(?:System|Human|Assistant):)")


@cache
def _name(written: Any) -> str:
    return written.strip().casefold() if isinstance(written, str) else ""


def three_texts(value: Any) -> Any:
    """A record with the fields prompt, chosen and rejected; what is no record is left as it is.

    A field that is missing or no text is left out, for the reader to say so.

    Raises:
        NotUnderstood: it says more than three texts can, or contradicts itself.

    >>> three_texts({"prompt": "p", "response_0": "a", "response_1": "b", "better_response_id": 1})
    {'prompt': 'p', 'chosen': 'b', 'rejected': 'a'}
    >>> start = "\\n\\nHuman: Hi\\n\\nAssistant: "
    >>> three_texts({"chosen": start + "Yes", "rejected": start + "No"})
    {'prompt': 'Hi', 'chosen': 'Yes', 'rejected': 'No'}
    """
    if not isinstance(value, dict) or is_plain(value):
        return value
    try:
        return _understood(_by_name(value))
    except UnicodeEncodeError:  # half of a surrogate pair
        raise NotUnderstood("a field holds characters that are not text") from None


def _understood(named: dict[str, Any]) -> dict[str, Any]:
    for name in NOT_TEXT:
        if name in named and not is_printed_nothing(named[name]):
            raise NotUnderstood(f"field {name!r} is part of what was asked; a text cannot keep it")
    pair = _answers(named)
    chats = _responses(pair) if pair else None
    if pair is None or chats is None:
        return named
    prompt = named.get("prompt")
    alone = all(name not in named or is_nothing(named[name]) for name in ASKED[1:])
    if isinstance(prompt, str) and alone and not is_printed(prompt) and _single(*chats):
        return dict(zip(FIELDS, (prompt, *(chat[0].content for chat in chats)), strict=True))
    parts = _parts(named)
    asked = _asked(parts)
    if asked is None or not (asked or common(*chats)):
        return {"chosen": "", "rejected": ""} | ({"prompt": None} if "prompt" in named else {})
    prompt, *answers = compared_texts(asked, *chats)
    listed = any(not isinstance(v, str) or is_printed(v) for v in (*parts.values(), *pair))
    return dict(zip(FIELDS, (ListedPrompt(prompt) if listed else prompt, *answers), strict=True))


def _single(*chats: list[Message]) -> bool:
    return all([turn.role for turn in chat] == ["assistant"] for chat in chats)


def _responses(pair: tuple[Any, Any]) -> list[list[Message]] | None:
    """Both responses as conversations; None where one is neither a text nor a chat.

    Raises:
        NotUnderstood: the first fault of both in the order of the alphabet, whichever has it.
    """
    printed = all(map(is_printed, pair))
    if all(isinstance(response, str) for response in pair) and not printed:
        return dialogues(*pair) or [[Message("assistant", text)] for text in pair]
    chats, faults = [], []
    for response in pair:
        try:
            text = isinstance(response, str) and not printed
            chats.append([Message("assistant", response)] if text else messages(response))
        except NotUnderstood as fault:
            faults.append(str(fault))
    if faults:
        raise NotUnderstood(min(faults))
    return None if None in chats else chats


def is_plain(value: dict[str, Any]) -> bool:
    """Whether a record is three texts that are not to be looked into any further."""
    texts = [value.get(name) for name in FIELDS]
    if any(not isinstance(text, str) or _SPECIAL.match(text) for text in texts):
        return False
    return len(value) == len(FIELDS) or _MORE.isdisjoint(map(_name, value))


def _by_name(value: dict[str, Any]) -> dict[str, Any]:
    """Fields by their names; upper case and white space around a name are no difference."""
    named = {name: content for name, content in value.items() if name in _KNOWN}
    for written in value if len(named) < len(value) else ():
        name = _name(written)
        if name in _KNOWN and name not in named:
            twice = sum(_name(other) == name for other in value) > 1
            if twice and name not in LABELS:
                raise NotUnderstood(f"field {name!r} is given twice or not a text or a chat list")
            named[name] = None if twice else value[written]
    return {name: python(content) for name, content in named.items()}


def _answers(named: dict[str, Any]) -> tuple[Any, Any] | None:
    """The preferred response and the other, which are then the fields of these names, too."""
    for names in PAIRS:
        if any(name in named for name in names):
            pair = named.get(names[0]), named.get(names[1])
            fields = zip(FIELDS[1:], names, strict=True)
            named.update({field: named[name] for field, name in fields if name in named})
            return None if pair[0] is None or pair[1] is None else pair
    for score, names in SCORED.items():
        if named.keys() >= {score, *names}:
            first = named[names[0]], named[names[1]]
            pair = first if _is_first_better(score, named[score]) else first[::-1]
            named.update(zip(FIELDS[1:], pair, strict=True))
            return pair
    return None


def _is_first_better(score: str, value: Any) -> bool:
    """Whether a score prefers the first response.

    Raises:
        NoPreference: it prefers neither.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if score == BETTER:
        if number not in (0, 1):
            raise NoPreference(NO_PREFERENCE.format(BETTER, "neither 0 nor 1"))
        return number == 0
    if not number or number != number:
        raise NoPreference(NO_PREFERENCE.format(score, "0 or no number"))
    return number < 0


def _parts(named: dict[str, Any]) -> dict[str, Any]:
    """Fields that say what was asked, and do say something."""
    parts = {name: named[name] for name in ASKED if name in named and not is_nothing(named[name])}
    if is_printed_nothing(parts.get("history")):
        parts.pop("history", None)
    asked = parts.get("input")
    if isinstance(asked, dict) or (isinstance(asked, str) and _OPENAI.match(asked)):
        parts["input"] = _openai(parsed(asked))
    elif isinstance(asked, str) and isinstance(parts.get("instruction"), str):
        parts["instruction"] += "\n" + parts.pop("input")
    return parts


def _asked(parts: dict[str, Any]) -> list[Message] | None:
    """What was asked, of all fields that say it; None where one is no text and no chat."""
    order = (*SYSTEM, "history", *CHATS, "prompt", "instruction", "question", "input", "query")
    asked: list[Message] = []
    for name in (name for name in order if name in parts):
        said = _said(name, parts[name])
        if said is None:
            return None
        asked = asked if contains(asked, said) else joined(asked, said, name)
    return asked


def _said(name: str, value: Any) -> list[Message] | None:
    if name in SYSTEM and isinstance(value, str):
        return [Message("system", value)]
    if name == "history":
        return _rounds(parsed(value))
    said = turns(value) if isinstance(value, str) and not is_printed(value) else messages(value)
    if name in CHATS and said and said[-1].role == "assistant":
        return said[:-1]  # a whole dialogue, as in UltraFeedback: it may be either response
    return said


def _openai(value: Any) -> Any:
    """The messages of a dictionary with messages, tools and parallel_tool_calls."""
    if not isinstance(value, dict) or "messages" not in value:
        return value
    for name, content in value.items():
        if name not in ("messages", "parallel_tool_calls") and not is_nothing(content):
            raise NotUnderstood("field 'input' has more than messages; a text cannot keep it")
    return value["messages"]


def _rounds(value: Any) -> list[Message] | None:
    """A history: pairs of question and answer, or a chat."""
    if not (isinstance(value, list) and all(isinstance(pair, list | tuple) for pair in value)):
        return messages(value)
    if any(len(pair) != 2 or not all(isinstance(text, str) for text in pair) for pair in value):
        return None
    roles = ("user", "assistant")
    return [Message(*turn) for pair in value for turn in zip(roles, pair, strict=True)]
