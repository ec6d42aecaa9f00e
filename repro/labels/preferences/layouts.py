"""Layouts in which preference data are published, as records of three texts.

prompt, chosen, rejected as texts or chat lists (TRL, UltraFeedback); whole dialogues without a
prompt (Anthropic/hh-rlhf); two responses and which is better (PKU-Alignment/PKU-SafeRLHF).
Chosen and rejected are treated alike throughout.
"""

from __future__ import annotations

import os
from typing import Any

from repro.labels.preferences.chat import SPEAKERS, plain
from repro.labels.preferences.pair_records import FIELDS

RESPONSES, BETTER = ("response_0", "response_1"), "better_response_id"
COLUMNS = (*FIELDS, *RESPONSES, BETTER)
"""Names that a record is read from."""

ASKED, TURN = (f"{SPEAKERS[role]}:" for role in ("user", "assistant"))


def three_texts(value: Any) -> Any:
    """A record with the fields prompt, chosen and rejected; what is no record is left as it is.

    >>> three_texts({"prompt": "p", "response_0": "a", "response_1": "b", "better_response_id": 1})
    {'prompt': 'p', 'chosen': 'b', 'rejected': 'a'}
    >>> start = "\\n\\nHuman: Hi\\n\\nAssistant: "
    >>> three_texts({"chosen": start + "Yes", "rejected": start + "No"})
    {'prompt': 'Hi', 'chosen': 'Yes', 'rejected': 'No'}
    """
    if not isinstance(value, dict):
        return value
    known = {name.strip().casefold() for name in value if isinstance(name, str)}
    if known.issuperset((*RESPONSES, BETTER)) and known.isdisjoint(FIELDS[1:]):
        return _chosen_by_number(value)
    return _split(plain(value))


def _chosen_by_number(value: dict[str, Any]) -> dict[str, Any]:
    """The better response as the chosen one; no number, or another than 0 and 1, chooses none."""
    found = {name.strip().casefold(): one for name, one in value.items()}
    better = {"0": 0, "1": 1}.get(str(found[BETTER]).strip())
    texts = [found[name] for name in RESPONSES]
    pair = (None, None) if better is None else (texts[better], texts[1 - better])
    return dict(zip(FIELDS, (found.get("prompt"), *pair), strict=True))


def _split(record: dict[str, Any]) -> dict[str, Any]:
    """Whole dialogues are split after the last turn that they share.

    What they share is the prompt; where that is one question, its words alone.
    """
    chosen, rejected = (record.get(name) for name in FIELDS[1:])
    if not (isinstance(chosen, str) and isinstance(rejected, str)) or record.get("prompt"):
        return record
    shared = os.path.commonprefix([chosen, rejected])  # noqa: RUF071 - characters are meant
    prompt, turn, _ = shared.rpartition(f"\n\n{TURN}")
    if not turn:
        return record
    start = len(prompt) + len(turn)
    prompt = prompt.strip()
    if prompt.count(ASKED) == 1 and TURN not in prompt:
        prompt = prompt.removeprefix(ASKED)
    texts = (text.strip() for text in (prompt, chosen[start:], rejected[start:]))
    return dict(zip(FIELDS, texts, strict=True))
