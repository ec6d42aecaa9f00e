"""Layouts in which preference data are published, as functions of what was asked.

``X`` is the chosen response and ``Y`` the rejected one.  A chat is a list of (role, content).
"""

from __future__ import annotations

import json

import numpy as np

X, Y = "An oak.", "A rope."
MARKS = {"user": "Human", "assistant": "Assistant", "system": "System"}
GPT = {"user": "human", "assistant": "gpt", "system": "system"}


def listed(chat):
    return [{"role": role, "content": content} for role, content in chat]


def answer(text):
    return listed([("assistant", text)])


def whole(chat):
    return {"chosen": listed(chat) + answer(X), "rejected": listed(chat) + answer(Y)}


def trl(chat):
    return {"prompt": listed(chat), "chosen": answer(X), "rejected": answer(Y)}


def changed(record, change):
    """A record with a change of every message."""
    return {
        name: [change(said) for said in value] if isinstance(value, list) else value
        for name, value in record.items()
    }


def share(said):
    return {"from": GPT[said["role"]], "value": said["content"]}


def dialogue(chat, *answers):
    turns = [*chat, *(("assistant", text) for text in answers)]
    return "".join(f"\n\n{MARKS[role]}: {content}" for role, content in turns)


def hh(chat):
    return {"chosen": dialogue(chat, X), "rejected": dialogue(chat, Y)}


def columns(value):
    return {key: [said[key] for said in value] for key in ("role", "content")}


def each(record, change):
    return {name: change(value) for name, value in record.items()}


TEXTS = {"chosen": X, "rejected": Y}
PARTS = lambda text: [{"type": "text", "text": text, "image_url": None}]  # noqa: E731
PKU = {"response_0": X, "response_1": Y}
LAYOUTS = {
    "TRL, explicit prompt": trl,
    "TRL, implicit prompt": whole,
    "chat as the prompt and in both": lambda c: {"prompt": listed(c), **whole(c)},
    "chat as the prompt, texts": lambda c: {"prompt": listed(c), **TEXTS},
    "last question as the prompt (UltraFeedback)": lambda c: {
        "prompt": c[-1][1], "prompt_id": "7f", **whole(c), "messages": listed(c) + answer(X),
        "score_chosen": 8.0, "score_rejected": 2.0,
    },
    "exchanged": lambda c: {"prompt": listed(c), "chosen": answer(Y), "rejected": answer(X)},
    "dialogues (hh-rlhf)": hh,
    "dialogues, last question as the prompt": lambda c: {"prompt": c[-1][1] + " ", **hh(c)},
    "a dialogue as the prompt": lambda c: {"prompt": dialogue(c), **TEXTS},
    "an open dialogue as the prompt": lambda c: {"prompt": dialogue(c) + "\n\nAssistant:", **TEXTS},
    "dialogues in all": lambda c: {"prompt": dialogue(c), **hh(c)},
    "PKU-SafeRLHF": lambda c: {"prompt": dialogue(c), **PKU, "better_response_id": 0},
    "PKU-SafeRLHF 1.0": lambda c: {
        "prompt": dialogue(c), "response_0": Y, "response_1": X, "better_response_id": 1.0},
    "PKU-SafeRLHF of a table": lambda c: {
        "prompt": dialogue(c), **PKU, "better_response_id": np.float64(0)},
    "PKU-SafeRLHF of CSV": lambda c: {"prompt": dialogue(c), **PKU, "better_response_id": "0.0"},
    "HelpSteer2": lambda c: {
        "prompt": dialogue(c), "response_1": X, "response_2": Y, "preference_strength": -2},
    "HelpSteer3": lambda c: {
        "context": listed(c), "response1": Y, "response2": X, "overall_preference": 1},
    "OpenAI": lambda c: {
        "input": {"messages": listed(c), "tools": [], "parallel_tool_calls": True},
        "preferred_output": answer(X), "non_preferred_output": answer(Y)},
    "OpenAI as JSON text": lambda c: {
        "input": json.dumps({"messages": listed(c)}), "preferred_output": json.dumps(answer(X)),
        "non_preferred_output": json.dumps(answer(Y))},
    "axolotl": lambda c: {"messages": listed(c), "chosen": answer(X)[0], "rejected": answer(Y)[0]},
    "argilla": lambda c: {"messages": listed(c), "chosen_response": X, "rejected_response": Y},
    "LLaMA-Factory, sharegpt": lambda c: {
        "conversations": [share(said) for said in listed(c)], "chosen": share(answer(X)[0]),
        "rejected": share(answer(Y)[0]), "images": None, "tools": ""},
    "sharegpt": lambda c: changed(whole(c), share),
    "roles with a capital": lambda c: changed(
        whole(c), lambda said: {**said, "role": said["role"].title()}),
    "JSON text": lambda c: each(whole(c), json.dumps),
    "JSON text, prompt too": lambda c: each(trl(c), json.dumps),
    "printed by Python (to_csv)": lambda c: each(whole(c), repr),
    "arrays of numpy": lambda c: each(trl(c), lambda value: np.array(value, dtype=object)),
    "dictionaries of lists": lambda c: each(trl(c), columns),
    "content in parts": lambda c: changed(
        trl(c), lambda said: {**said, "content": PARTS(said["content"])}),
    "null keys beside (Arrow)": lambda c: changed(
        trl(c), lambda said: {**said, "tool_calls": None, "name": None, "reasoning_content": ""}),
    "names in upper case": lambda c: {name.upper() + " ": value for name, value in trl(c).items()},
}  # fmt: skip
"""Of any conversation."""

SYSTEM = {
    "system column": lambda c: {"system": c[0][1], **trl(c[1:])},
    "system_prompt column": lambda c: {"system_prompt": c[0][1], **whole(c[1:])},
    "system in both places": lambda c: {"system": c[0][1], **trl(c)},
    "system message in the prompt alone": lambda c: {"prompt": listed(c), **whole(c[1:])},
}
"""Where the first message is the system's."""

HISTORY = {
    "first question as the prompt": lambda c: {"prompt": c[0][1], **whole(c)},
    "history": lambda c: {"instruction": c[2][1], "input": "", "history": [[c[0][1], c[1][1]]],
                          **TEXTS},
    "history as JSON text": lambda c: {
        "instruction": c[2][1], "history": json.dumps([[c[0][1], c[1][1]]]), **TEXTS},
}  # fmt: skip
"""Of two questions."""

SINGLE = {
    "texts": lambda c: {"prompt": c[0][1], **TEXTS},
    "question": lambda c: {"question": c[0][1], "system": "", **TEXTS},
    "instruction": lambda c: {
        "instruction": c[0][1], "input": "", "history": "[]", "images": "[]", **TEXTS},
}  # fmt: skip
"""Of one question."""


def layouts(chat):
    """The records of a conversation, by layout."""
    roles = [role for role, _ in chat]
    more = {
        ("user",): SINGLE,
        ("user", "assistant", "user"): HISTORY,
    }.get(tuple(roles), SYSTEM if roles[0] == "system" else {})
    return {name: record(chat) for name, record in (LAYOUTS | more).items()}
