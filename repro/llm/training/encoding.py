"""Comparisons as token ids: padded to score them, in lists to train on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import torch
from torch import Tensor

from repro.base.errors import BadInput
from repro.labels.preferences.conversation import turns
from repro.llm.training.pairs import TextPairs
from repro.llm.training.settings import Limits

Texts = Sequence[str]


@dataclass(frozen=True)
class Tokens:
    """n sequences of a prompt and a response, padded on the right.

    Attributes:
        ids: (n, L) token ids.
        present: (n, L) 1 where there is a token, 0 at padding.
        response: (n, L) 1 at tokens of the response and its end token.
        cut: responses that were longer than the limit.
    """

    ids: Tensor
    present: Tensor
    response: Tensor
    cut: int = 0

    def rows(self, index: Tensor) -> Tokens:
        """Some sequences, cut to the longest among them."""
        length = int(self.present[index].sum(1).max())
        ids, present, response = (
            x[index, :length] for x in (self.ids, self.present, self.response)
        )
        return Tokens(ids, present, response)

    def to(self, device: str) -> Tokens:
        """The same on a device."""
        return Tokens(self.ids.to(device), self.present.to(device), self.response.to(device))

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def parts(self) -> list[tuple[list[int], list[int]]]:
        """(prompt, response) as token ids, without padding."""
        starts, ends = (self.present - self.response).sum(1), self.present.sum(1)
        rows = zip(self.ids.tolist(), starts.tolist(), ends.tolist(), strict=True)
        return [(row[:start], row[start:end]) for row, start, end in rows]


@dataclass(frozen=True)
class EncodedPairs:
    """The first and the second response of each of n comparisons."""

    first: Tokens
    second: Tokens

    @property
    def cut(self) -> int:
        """How many of the 2n responses were longer than the limit."""
        return self.first.cut + self.second.cut

    @cached_property
    def equal(self) -> list[int]:
        """Numbers, from 1, of comparisons whose responses are the same tokens: they say nothing."""
        both = zip(self.first.parts, self.second.parts, strict=True)
        return [number for number, (first, other) in enumerate(both, 1) if first[1] == other[1]]

    def rows(self, index: Tensor) -> EncodedPairs:
        """Some of the comparisons."""
        return EncodedPairs(self.first.rows(index), self.second.rows(index))

    def sorted_by(self, labels: Tensor) -> dict[str, list]:
        """Columns of ids as TRL's preference trainer takes them, by released labels (n,)."""
        responses = ((a[1], b[1]) for a, b in zip(self.first.parts, self.second.parts, strict=True))
        chosen, rejected = sorted_by(labels, responses)
        prompts = [prompt for prompt, _ in self.first.parts]
        return {"prompt_ids": prompts, "chosen_ids": chosen, "rejected_ids": rejected}


def sorted_by(labels: Tensor, pairs: Iterable[tuple[Any, Any]]) -> tuple[list, list]:
    """What labels in {−1, +1} prefer of (first, second), and what they do not."""
    turned = [p if w > 0 else p[::-1] for w, p in zip(labels.tolist(), pairs, strict=True)]
    return [a for a, _ in turned], [b for _, b in turned]


def encode_pairs(tokenizer: Any, pairs: TextPairs, data: Limits) -> EncodedPairs:
    """Both responses of every comparison; the labels play no part."""
    both = (encode(tokenizer, pairs.prompts, some, data) for some in (pairs.first, pairs.second))
    return EncodedPairs(*both)


def encode(tokenizer: Any, prompts: Texts, responses: Texts, data: Limits) -> Tokens:
    """Prompts with their responses and an end token."""
    heads, end = encode_prompts(tokenizer, prompts, data), tokenizer.eos_token_id
    answers, most = _ids(tokenizer, responses), data.max_response_tokens
    tails = [[*ids[:most], end] for ids in answers]
    rows = [head + tail for head, tail in zip(heads, tails, strict=True)]
    ids, present = padded(tokenizer, rows, "right")
    starts = torch.tensor([len(head) for head in heads])[:, None]
    cut = sum(len(answer) > most for answer in answers)
    return Tokens(ids, present, present * (torch.arange(ids.shape[1]) >= starts), cut)


def padded(tokenizer: Any, rows: Sequence[list[int]], side: str) -> tuple[Tensor, Tensor]:
    """(n, L) token ids, padded on a side, and 1 where there is a token."""
    count = torch.tensor([len(row) for row in rows])[:, None]
    places = torch.arange(int(count.max()))
    present = places < count if side == "right" else places >= len(places) - count
    ids = torch.full(present.shape, tokenizer.pad_token_id)
    # row by row, as a mask takes its values
    ids[present] = torch.tensor(list(chain.from_iterable(rows)))
    return ids, present.long()


def encode_prompts(tokenizer: Any, prompts: Texts, data: Limits) -> list[list[int]]:
    """Token ids of prompts; turn by turn, by the tokenizer's chat template, where it has one.

    Raises:
        BadInput: the template refuses a conversation, as many do one with a system message.
    """
    return [ids[-data.max_prompt_tokens :] for ids in _prompt_ids(tokenizer, prompts)]


def _prompt_ids(tokenizer: Any, prompts: Texts) -> list[list[int]]:
    if getattr(tokenizer, "chat_template", None):
        chats = [[turn._asdict() for turn in turns(prompt)] for prompt in prompts]
        return _ids(tokenizer, [_by_template(tokenizer, chat) for chat in chats])
    start = [] if tokenizer.bos_token_id is None else [tokenizer.bos_token_id]
    return [start + ids for ids in _ids(tokenizer, [prompt + "\n" for prompt in prompts])]


def _by_template(tokenizer: Any, chat: list[dict[str, str]]) -> str:
    from jinja2 import TemplateError

    try:
        return tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    except TemplateError:
        roles = ", ".join(turn["role"] for turn in chat)
        allowed = f"its chat template refuses a conversation of the turns {roles}"
        raise BadInput("model", tokenizer.name_or_path, allowed) from None


def _ids(tokenizer: Any, texts: Texts) -> list[list[int]]:
    """Of all texts in one call: one by one, the calls cost more than the tokens."""
    return tokenizer(list(texts), add_special_tokens=False)["input_ids"]
