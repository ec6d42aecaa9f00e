"""Answers of a language model that ``python -m repro finetune`` has written.

    repro generate FOLDER prompt='You have $900. What first?' [KEY=VALUE]

The first line, on standard error, names the model and what it was trained from.  Keys: count
(answers), temperature, top_k, top_p, max_new_tokens, seed, device.  One answer a line, as JSON
text, so that line breaks survive.  Exit status: 0 done, 2 bad input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from repro.base.errors import BadInput
from repro.base.schema import Model, Number, Whole, validate
from repro.base.words import scalar, split_words


class GenerateRequest(Model):
    """Arguments of the command."""

    model: Annotated[str, Field(min_length=1)]
    prompt: Annotated[str, Field(min_length=1)]
    count: Annotated[Whole, Field(ge=1, le=1000)] = 1
    temperature: Annotated[Number, Field(gt=0, le=10)] = 1.0
    top_k: Annotated[Whole, Field(ge=0)] = 0
    top_p: Annotated[Number, Field(gt=0, le=1)] = 1.0
    max_new_tokens: Annotated[Whole, Field(ge=1, le=10**5)] = 64
    seed: Annotated[Whole, Field(ge=0, lt=2**63)] = 0
    device: Literal["cpu", "cuda"] = "cpu"


def main(words: Sequence[str]) -> int:
    """Answer."""
    keys = [key for key in GenerateRequest.model_fields if key != "model"]
    (model,), texts = split_words(words, keys, ("FOLDER",))
    if "prompt" not in texts:
        raise BadInput("prompt", "(missing)", "a value is required")
    # a prompt is text as it stands: YAML would read a colon or a bracket in it
    values = {key: text if key == "prompt" else scalar(key, text) for key, text in texts.items()}
    for text in answer(validate(GenerateRequest, {"model": model, **values})):
        print(json.dumps(text, ensure_ascii=False))
    return 0


def answer(request: GenerateRequest) -> list[str]:
    """``count`` answers to the prompt.

    Raises:
        BadInput: the model cannot be read.
    """
    from repro.llm.training.backbone import load_backbone
    from repro.llm.training.card import UNTRAINED, written_from
    from repro.llm.training.responses import draw_responses
    from repro.llm.training.settings import Limits, ModelChoice, Sampling

    base = written_from(request.model)
    backbone = load_backbone(ModelChoice(path=request.model), (), request.device)
    origin = f", trained from {base.words}" if base else ""
    print(f"model: {request.model}{origin}", file=sys.stderr)
    if base and not base.pretrained:
        print(f"warning: {UNTRAINED}", file=sys.stderr)
    own = request.model_dump(include={"temperature", "top_k", "top_p", "max_new_tokens"})
    return draw_responses(
        backbone.model, backbone.tokenizer, [request.prompt], Sampling(prompts=1, **own),
        Limits(max_prompt_tokens=10**5), request.seed, request.device, request.count,
    )[0]  # fmt: skip
