"""Tokens of comparisons: where the response is, what is cut, and that no label enters."""

import pytest
import torch

from repro.base.errors import BadInput
from repro.llm.training.encoding import encode, encode_pairs, encode_prompts, padded
from repro.llm.training.pairs import TextPairs


def test_response_and_end_token_are_marked(backbone, data):
    tokenizer = backbone.tokenizer
    found = encode(tokenizer, ["You have"], ["Skip the insurance."], data)
    words = tokenizer.convert_ids_to_tokens(found.ids[0].tolist())
    assert words == ["<s>", "You", "have", "Skip", "the", "insurance", ".", "</s>"]
    assert found.response[0].tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert found.present.sum() == 8


def test_padding_is_absent_and_rows_are_cut_to_their_longest(backbone, data):
    found = encode(backbone.tokenizer, ["You have", "You"], ["Skip the insurance.", "Skip"], data)
    assert found.present[1].tolist() == [1] * 4 + [0] * 4
    assert found.rows(torch.tensor([1])).ids.shape == (1, 4)
    assert len(found) == 2


def test_long_texts_are_cut_at_the_far_ends(backbone, data):
    short = data.model_copy(update={"max_prompt_tokens": 1, "max_response_tokens": 1})
    found = encode(backbone.tokenizer, ["You have"], ["Skip the insurance."], short)
    words = backbone.tokenizer.convert_ids_to_tokens(found.ids[0].tolist())
    assert words == ["have", "Skip", "</s>"]


def test_labels_play_no_part(backbone, data, pairs):
    turned = TextPairs(pairs.prompts, pairs.first, pairs.second, -pairs.labels)
    ours, theirs = (encode_pairs(backbone.tokenizer, p, data) for p in (pairs, turned))
    assert torch.equal(ours.first.ids, theirs.first.ids)
    assert torch.equal(ours.second.ids, theirs.second.ids)


def test_a_chat_template_is_used(backbone, data):
    tokenizer = backbone.tokenizer
    before = getattr(tokenizer, "chat_template", None)
    tokenizer.chat_template = "{% for m in messages %}Skip {{ m['content'] }} the{% endfor %}"
    try:
        both = encode_prompts(tokenizer, ["You have", "You"], data)
    finally:
        tokenizer.chat_template = before
    words = [tokenizer.convert_ids_to_tokens(ids) for ids in both]
    assert words == [["Skip", "You", "have", "the"], ["Skip", "You", "the"]]


DIALOGUE = "System: You have\n\nHuman: Skip\n\nAssistant: the insurance\n\nHuman: You"
IN_TURNS = (
    "{% for m in messages %}{% if m.role == 'system' %}<s>{% elif m.role == 'user' %}the"
    "{% else %}insurance{% endif %} {{ m.content }} </s>{% endfor %}"
    "{% if add_generation_prompt %}insurance{% endif %}"
)
NO_SYSTEM = "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no') }}{% endif %}{% endfor %}"  # noqa: E501


@pytest.fixture
def template(backbone):
    """Sets the chat template, and takes it back."""
    before = getattr(backbone.tokenizer, "chat_template", None)
    yield lambda text: setattr(backbone.tokenizer, "chat_template", text)
    backbone.tokenizer.chat_template = before


def test_each_turn_stands_where_the_template_puts_it(backbone, data, template):
    template(IN_TURNS)
    (ids,) = encode_prompts(backbone.tokenizer, [DIALOGUE], data)
    expected = "<s> You have </s> the Skip </s> insurance the insurance </s> the You </s> insurance"
    assert backbone.tokenizer.convert_ids_to_tokens(ids) == expected.split()


def test_a_template_without_a_system_role_is_refused_in_one_line(backbone, data, template):
    template(NO_SYSTEM)
    with pytest.raises(BadInput, match="refuses a conversation of the turns system, user, assist"):
        encode_prompts(backbone.tokenizer, [DIALOGUE], data)


def test_cut_responses_and_equal_pairs_are_counted(backbone, data):
    labels = torch.ones(2, dtype=torch.float64)
    pairs = TextPairs(
        ("You",) * 2, ("Skip the", "Skip the"), ("Skip", "Skip the insurance"), labels
    )
    short = data.model_copy(update={"max_response_tokens": 2})
    found = encode_pairs(backbone.tokenizer, pairs, short)
    assert (found.cut, found.equal) == (1, [2])
    assert encode_pairs(backbone.tokenizer, pairs, data).equal == []


@pytest.mark.parametrize("side", ["left", "right"])
def test_rows_are_padded_as_the_tokenizer_pads(side, backbone):
    rows = [[5, 6, 7], [8], [9, 10]]
    tokenizer = backbone.tokenizer
    expected = tokenizer.pad({"input_ids": rows}, padding_side=side, return_tensors="pt")
    ids, present = padded(tokenizer, rows, side)
    assert torch.equal(ids, expected["input_ids"])
    assert torch.equal(present, expected["attention_mask"])


class Letters:
    """Of a model without a chat template: every character is a token."""

    def __init__(self, start):
        self.bos_token_id = start

    def __call__(self, texts, add_special_tokens):
        assert not add_special_tokens
        return {"input_ids": [[*map(ord, text)] for text in texts]}


@pytest.mark.parametrize(("start", "head"), [(None, []), (7, [7])])
def test_a_prompt_begins_with_the_first_token_if_any_and_ends_its_line(start, head, data):
    found = encode_prompts(Letters(start), ["ab", ""], data)
    assert found == [[*head, *b"ab\n"], [*head, *b"\n"]]


def test_cut_responses_of_both_columns_are_counted(backbone, data):
    pairs = TextPairs(("You",), ("Skip the insurance",), ("Skip",), torch.ones(1))
    turned = TextPairs(pairs.prompts, pairs.second, pairs.first, pairs.labels)
    short = data.model_copy(update={"max_response_tokens": 1})
    assert [encode_pairs(backbone.tokenizer, p, short).cut for p in (pairs, turned)] == [1, 1]
