"""Log-probabilities against a softmax written out token by token."""

import copy

import pytest
import torch

from repro.llm.training.encoding import encode, encode_pairs
from repro.llm.training.log_prob import frozen, pair_log_prob, response_log_prob
from repro.llm.training.reward_model import reward_rows, scored_copy


def by_hand(model, tokens, row):
    ids = tokens.ids[row : row + 1, : int(tokens.present[row].sum())]
    log_prob = model(input_ids=ids).logits[0].double().log_softmax(-1)
    places = [k for k in range(1, ids.shape[1]) if tokens.response[row, k]]
    return sum(float(log_prob[k - 1, ids[0, k]]) for k in places)


def test_padding_and_prompt_do_not_count(backbone, data, pairs):
    tokens = encode(backbone.tokenizer, pairs.prompts[:5], pairs.first[:5], data)
    with torch.no_grad():
        expected = [by_hand(backbone.model, tokens, row) for row in range(5)]
        found = response_log_prob(backbone.model, tokens)
    assert found.tolist() == pytest.approx(expected, abs=1e-4)
    found = frozen(response_log_prob, backbone.model, tokens, 2, "cpu")
    assert found.tolist() == pytest.approx(expected, abs=1e-4)
    assert not found.requires_grad


def test_the_first_responses_come_first(backbone, data, pairs):
    some = encode_pairs(backbone.tokenizer, pairs.part(2, 7), data)
    found = pair_log_prob(backbone.model, some, 2, "cpu")
    for values, tokens in zip(found, (some.first, some.second), strict=True):
        with torch.no_grad():
            expected = response_log_prob(backbone.model, tokens)
        assert values.tolist() == pytest.approx(expected.tolist(), abs=1e-4)


def test_a_part_has_its_own_texts_and_labels(pairs):
    part = pairs.part(2, 7)
    assert part.texts == [*pairs.prompts[2:7], *pairs.first[2:7], *pairs.second[2:7]]
    assert part.labels.tolist() == pairs.labels[2:7].tolist()
    assert len(part) == 5


def test_a_reward_model_is_the_backbone_under_the_head_that_is_given(backbone, data, pairs):
    """Its score is that of the last token; its rows are whole sequences by the labels."""
    model = copy.deepcopy(backbone.model).requires_grad_(False)
    head = torch.linspace(-1, 1, model.config.hidden_size)
    scored = scored_copy(model, head)
    assert all(p.requires_grad for p in scored.parameters())
    tokens = encode_pairs(backbone.tokenizer, pairs.part(0, 1), data)
    ids = tokens.first.ids
    with torch.no_grad():
        hidden = model(input_ids=ids, output_hidden_states=True).hidden_states[-1][0, -1]
        found = scored(input_ids=ids).logits
    assert found.tolist() == [[pytest.approx(float(hidden @ head), abs=1e-4)]]
    assert scored_copy(model.bfloat16(), head).dtype == torch.bfloat16
    rows = reward_rows(tokens, -torch.ones(1))
    prompt, first = tokens.first.parts[0]
    assert rows == {
        "chosen_ids": [prompt + tokens.second.parts[0][1]], "rejected_ids": [prompt + first],
    }  # fmt: skip
