"""The estimate grows with what it is made of and never loads a weight."""

import pytest

from repro.llm.cost import Size, cost, in_words


@pytest.fixture(autouse=True)
def extra():
    pytest.importorskip("transformers")


def test_parameters_of_a_tiny_model(model):
    size = Size.of(model)
    width, inner = 16, 4 * 16
    block = 4 * width + 3 * width * (width + 1) + width * (width + 1)
    block += inner * (width + 1) + width * (inner + 1)
    assert size.parameters == (200 + 512) * width + block + 2 * width
    assert (size.width, size.layers, size.vocabulary) == (16, 1, 200)


def test_operations_are_linear_in_policies(model, data, procedure):
    one, three = (cost(model, data, procedure, k, 0).operations for k in (1, 3))
    two = cost(model, data, procedure, 2, 0).operations
    assert three - two == two - one > 0
    assert cost(model, data, procedure, 1, 5).operations > one


def test_adamw_and_full_weights_need_more_memory(model, data, procedure):
    adamw = procedure.model_copy(
        update={"preference": procedure.preference.model_copy(update={"optimizer": "adamw"})}
    )
    plain = cost(model, data, procedure, 1, 0).memory
    assert cost(model, data, adamw, 1, 0).memory > plain
    adapters = model.model_copy(update={"lora_rank": 1})
    assert cost(adapters, data, procedure, 1, 0).memory < plain


def test_words_name_memory_and_hours(model, data, procedure):
    words = in_words(cost(model, data, procedure, 2, 1), model, 2)
    assert "GiB of memory" in words
    assert "GPU-hours" in words
