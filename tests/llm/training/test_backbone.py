"""Models by name: each way to fail is one line."""

import importlib
import logging
import os
import re
from types import SimpleNamespace

import pytest
import torch

from repro.base.errors import BadInput
from repro.base.places import install_hint
from repro.llm.training import backbone as backbone_module
from repro.llm.training.backbone import build_tiny, load_backbone, read_config, tiny_config
from repro.llm.training.extra import library, quiet_hub
from repro.llm.training.settings import ModelChoice, Shape


class GatedRepoError(OSError):
    pass


class RepositoryNotFoundError(OSError):
    pass


@pytest.fixture
def named(model):
    return lambda path: model.model_copy(update={"path": str(path)})


@pytest.fixture
def failing(monkeypatch):
    """Makes every fetch from the hub fail with an error; needs no library of the extra."""

    def fail_with(problem, cause=None):
        def fail(*args, **kwargs):
            raise problem from cause

        config = SimpleNamespace(from_pretrained=fail)
        transformers = SimpleNamespace(AutoConfig=config)
        monkeypatch.setattr(backbone_module, "library", lambda name: transformers)

    return fail_with


def test_a_tiny_model_is_the_same_for_the_same_seed(backbone, model, pairs):
    again = load_backbone(model, pairs.texts, "cpu")
    for a, b in zip(backbone.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(a, b)
    assert "<unk>" not in again.tokenizer.tokenize(pairs.first[0])


def test_a_folder_is_read_as_a_hub_id_would_be(named, pairs, model, tmp_path):
    pytest.importorskip("transformers")
    build_tiny(model.tiny, model.seed, pairs.first, tmp_path)
    found = load_backbone(named(tmp_path), (), "cpu")
    assert found.tokenizer.eos_token == "</s>"
    assert read_config(named(tmp_path)).n_embd == model.tiny.width


def test_byte_pairs_say_any_text_in_so_many_tokens(named, pairs, model, tmp_path):
    pytest.importorskip("transformers")
    build_tiny(model.tiny, model.seed, pairs.first, tmp_path, vocabulary=280)
    found = load_backbone(named(tmp_path), (), "cpu")
    assert len(found.tokenizer) == found.model.config.vocab_size == 280
    text = "Zürich, 3 a.m.:\n  nobody's  left…"
    ids = found.tokenizer(text, add_special_tokens=False)["input_ids"]
    assert found.tokenizer.decode(ids, clean_up_tokenization_spaces=False) == text


def test_pickled_weights_are_not_read(named, pairs, model, tmp_path):
    pytest.importorskip("transformers")
    build_tiny(model.tiny, model.seed, pairs.first, tmp_path)
    (tmp_path / "model.safetensors").unlink()
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(BadInput, match="safetensors"):
        load_backbone(named(tmp_path), (), "cpu")


@pytest.mark.parametrize("path", ["/nowhere", "a/b/c", "../x"])
def test_no_such_folder(named, path):
    with pytest.raises(BadInput, match=r"model=.*no folder with a config\.json"):
        read_config(named(path))


def test_a_folder_without_a_model(named, tmp_path):
    with pytest.raises(BadInput, match=r"no folder with a config\.json"):
        read_config(named(tmp_path))


@pytest.mark.parametrize(
    ("problem", "cause", "line"),
    [
        (OSError("x"), GatedRepoError("x"), "the model is gated; accept its licence"),
        (OSError("You are trying to access a gated repo."), None, "the model is gated"),
        (OSError("x"), RepositoryNotFoundError("x"), "no such model on the hub"),
        (OSError("x"), ConnectionError("x"), "the hub cannot be reached"),
        (OSError("We couldn't connect to the hub"), None, "the hub cannot be reached"),
        (OSError("no file model.safetensors"), None, "pickled weights are not read"),
        (KeyError("odd"), None, "cannot be loaded (KeyError)"),
    ],
)
def test_the_hub_fails_in_one_line(failing, named, problem, cause, line):
    failing(problem, cause)
    with pytest.raises(BadInput) as caught:
        read_config(named("owner/name"))
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_library_names_the_command(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(BadInput, match=re.escape(install_hint("llm"))):
        library("transformers")


def test_the_hub_is_quiet_unless_the_user_has_asked_it_to_speak(monkeypatch):
    asked = {"TRANSFORMERS_VERBOSITY": "info"}
    monkeypatch.setattr(os, "environ", asked)
    log = logging.getLogger("huggingface_hub")
    monkeypatch.setattr(log, "level", logging.INFO)
    quiet_hub.__wrapped__()
    assert asked == {
        "TRANSFORMERS_VERBOSITY": "info", "HF_HUB_VERBOSITY": "error",
        "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }  # fmt: skip
    assert log.level == logging.ERROR


@pytest.fixture
def tokenizer(pairs, model, tmp_path, monkeypatch):
    """The tokenizer of a tiny model in ``tmp_path``, which whoever loads the folder is given."""
    transformers = pytest.importorskip("transformers")
    build_tiny(model.tiny, model.seed, pairs.first, tmp_path)
    found = transformers.AutoTokenizer.from_pretrained(tmp_path)
    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", lambda name: found)
    return found


def test_a_tokenizer_without_an_end_is_refused(named, tokenizer, tmp_path):
    tokenizer.eos_token = None
    with pytest.raises(BadInput, match="no end token"):
        load_backbone(named(tmp_path), (), "cpu")


def test_a_missing_pad_token_is_the_end_token(named, tokenizer, tmp_path):
    tokenizer.pad_token = None
    found = load_backbone(named(tmp_path), (), "cpu")
    assert found.tokenizer.pad_token == "</s>"
    assert found.model.generation_config.pad_token_id == found.tokenizer.eos_token_id


def test_choices_are_checked(model):
    with pytest.raises(ValueError, match="lora_rank"):
        ModelChoice.model_validate(model.model_dump() | {"lora_rank": -1})


def test_a_tiny_model_has_the_shape_and_the_seed_that_are_asked_for(model, pairs, tmp_path):
    pytest.importorskip("transformers")
    config = tiny_config(Shape(width=24, layers=3, heads=2), 50)
    sizes = config.n_embd, config.n_layer, config.n_head, config.vocab_size
    assert sizes == (24, 3, 2, 50)
    drawn = []
    for seed in (1, 2):
        build_tiny(model.tiny, seed, pairs.first, tmp_path / str(seed))
        choice = model.model_copy(update={"path": str(tmp_path / str(seed)), "precision": "mixed"})
        drawn.append(load_backbone(choice, (), "cpu").model)
    assert not torch.equal(drawn[0].lm_head.weight, drawn[1].lm_head.weight)
    assert drawn[0].dtype == torch.float32
    half = choice.model_copy(update={"precision": "bfloat16"})
    assert load_backbone(half, (), "cpu").model.dtype == torch.bfloat16


def test_what_a_problem_was_met_in_is_read_too(failing, named):
    """An error while another one was handled has a context and no cause."""
    try:
        try:
            raise ConnectionError("x")
        except ConnectionError:
            raise OSError("y")  # noqa: B904
    except OSError as raised:
        failing(raised)
    with pytest.raises(BadInput, match="the hub cannot be reached"):
        read_config(named("owner/name"))


def test_a_folder_here_is_no_hub_id(named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lab").mkdir()
    with pytest.raises(BadInput, match=r"no folder with a config\.json"):
        read_config(named("lab"))


def test_a_tiny_model_has_the_precision_that_is_asked_for(model, pairs):
    pytest.importorskip("transformers")
    half = model.model_copy(update={"precision": "bfloat16"})
    assert load_backbone(half, pairs.first, "cpu").model.dtype == torch.bfloat16
