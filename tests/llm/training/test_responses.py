"""Responses drawn from a policy: every setting reaches transformers, each prompt has its own."""

from types import SimpleNamespace

import torch

from repro.llm.training.responses import draw_responses
from repro.llm.training.settings import Sampling

SAMPLING = Sampling(prompts=9, temperature=0.7, top_k=6, top_p=0.8, max_new_tokens=5)


def test_every_setting_reaches_transformers_and_responses_are_sorted_by_prompt(backbone, data):
    tokenizer, asked = backbone.tokenizer, {}
    words = tokenizer("Skip the insurance . You", add_special_tokens=False)["input_ids"]

    def generate(**settings):
        """A word of its own for each of two responses to each of two prompts, and an end."""
        asked.update(settings)
        ids = settings["input_ids"].repeat_interleave(2, 0)
        own = torch.tensor([[word, tokenizer.eos_token_id] for word in words[:4]])
        return torch.cat([ids, own], 1)

    model = SimpleNamespace(generate=generate, eval=lambda: None)
    prompts = ["You have", "You"]
    texts = draw_responses(model, tokenizer, prompts, SAMPLING, data, 3, "cpu", count=2)
    assert [[text.strip() for text in row] for row in texts] == [
        ["Skip", "the"],
        ["insurance", "."],
    ]
    expected = {
        "do_sample": True, "temperature": 0.7, "top_k": 6, "top_p": 0.8, "max_new_tokens": 5,
        "num_return_sequences": 2, "pad_token_id": tokenizer.pad_token_id,
    }  # fmt: skip
    assert {name: asked[name] for name in expected} == expected
    assert asked["attention_mask"].tolist() == [[1, 1, 1], [0, 1, 1]]
    assert asked["input_ids"][1, 0] == tokenizer.pad_token_id


def test_the_same_seed_draws_the_same_and_leaves_the_caller_s_random_numbers(backbone, data):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    one, again, other = (
        draw_responses(
            backbone.model, backbone.tokenizer, ["You have"] * 4, SAMPLING, data, seed, "cpu"
        )
        for seed in (1, 1, 2)
    )
    assert one == again != other
    assert torch.equal(torch.rand(1), expected)
