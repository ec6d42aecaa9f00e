"""Records whose texts are chat lists, or whose fields are named in another case, as plain texts.

A chat list is ``[{"role": "user", "content": "…"}, …]``.  A list of one message is its content;
several are written as a dialogue of the form that Anthropic/hh-rlhf made common.  Chosen and
rejected are treated alike throughout.
"""

from __future__ import annotations

from typing import Any

from repro.labels.preferences.pair_records import FIELDS

SPEAKERS = {"user": "Human", "assistant": "Assistant"}
Message = tuple[str, str]
"""role, content"""


def plain(value: dict[str, Any]) -> dict[str, Any]:
    """The three fields by their names, as texts where they are chat lists.

    Where both responses begin with the messages of the prompt, as in TRL's conversational
    format, these are cut off; a missing prompt is the messages that both responses begin with.
    Whatever is not a text or a chat list is left as it is, for the reader to refuse.

    >>> plain({"Prompt ": "p", "chosen": [{"role": "assistant", "content": "a"}]})
    {'chosen': 'a', 'prompt': 'p'}
    """
    found = _by_name(value)
    chats = {name: _messages(text) for name, text in found.items()}
    answers = [chats.get(name) for name in FIELDS[1:]]
    opening = _opening(found, chats, answers)
    if opening and "prompt" not in found:
        found["prompt"] = _text(opening)
    for name, chat in chats.items():
        if chat:
            begins = name != "prompt" and _begin(answers, opening)
            found[name] = _text(chat[len(opening) :] if begins else chat)
    return found


def _by_name(value: dict[str, Any]) -> dict[str, Any]:
    """Fields by their names; upper case and white space around a name are no difference."""
    found = {name: value[name] for name in FIELDS if name in value}
    for written in value:
        name = written.strip().casefold()
        if name in FIELDS and name not in found:
            same = [other for other in value if other.strip().casefold() == name]
            found[name] = value[written] if len(same) == 1 else None
    return found


def _messages(value: Any) -> list[Message]:
    """The messages of a chat list; none for anything else."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return []
    found = [(one.get("role"), one.get("content")) for one in value]
    return found if all(isinstance(word, str) for one in found for word in one) else []


def _opening(
    found: dict[str, Any], chats: dict[str, list[Message]], answers: list[list[Message] | None]
) -> list[Message]:
    """The messages of the prompt."""
    if "prompt" not in found:
        return _common(*(chat or [] for chat in answers))
    prompt = found["prompt"]
    return [("user", prompt)] if isinstance(prompt, str) else chats["prompt"]


def _common(one: list[Message], other: list[Message]) -> list[Message]:
    """Messages that two chats begin with, leaving each at least one."""
    count = 0
    while count < min(len(one), len(other)) - 1 and one[count] == other[count]:
        count += 1
    return one[:count]


def _begin(chats: list[list[Message] | None], opening: list[Message]) -> bool:
    """Whether both chats begin with an opening, and go on."""
    size = len(opening)
    return all(chat and len(chat) > size and chat[:size] == opening for chat in chats)


def _text(chat: list[Message]) -> str:
    if len(chat) == 1:
        return chat[0][1]
    return "\n\n".join(f"{SPEAKERS.get(role, role.title())}: {text}" for role, text in chat)
