"""Log-probabilities against a softmax written out token by token."""

import pytest
import torch

from repro.llm.training.encoding import encode
from repro.llm.training.log_prob import frozen, response_log_prob


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
