"""A causal language model and its tokenizer: from the hub, a folder, or built here at random."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from repro.base.errors import BadInput
from repro.base.files import expanded
from repro.llm.training.extra import library
from repro.llm.training.settings import ModelChoice, Shape, refuse_unfinished

KEY = "model"
HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?", re.ASCII)
SPECIAL = ("<s>", "</s>", "<pad>", "<unk>")
POSITIONS = 512
SCORER = "ForSequenceClassification"
"""How transformers ends the names of its reward models."""
Texts = Iterable[str]
OFFLINE = {"ConnectError", "ConnectionError", "gaierror", "OfflineModeIsEnabled", "ConnectTimeout"}


@dataclass(frozen=True)
class Backbone:
    """A model with its tokenizer; the tokenizer has a pad and an end token."""

    model: Any
    tokenizer: Any


def load_backbone(choice: ModelChoice, texts: Texts, device: str, key: str = KEY) -> Backbone:
    """The model of a choice; a tiny one is built, written and read as any other.

    Args:
        choice: the model.
        texts: what a tiny model's vocabulary is made of; unused where a path is given.
        device: ``cpu`` or ``cuda``.
        key: what the model is called in a refusal.

    Raises:
        BadInput: no such folder or hub id, no network, a gated model, a missing library, or a
            reward model.
    """
    if choice.path is None:
        with tempfile.TemporaryDirectory() as folder:
            build_tiny(choice.tiny, choice.seed, texts, Path(folder))
            return load_backbone(choice.model_copy(update={"path": folder}), (), device, key)
    name, more, kinds = choice.path, _quantised(choice), library("transformers")
    if scores(name):
        raise BadInput(
            key, name, "is a reward model, which writes no text; allowed: a language model"
        )
    tokenizer = _fetched(kinds.AutoTokenizer, key, name)
    model = _fetched(kinds.AutoModelForCausalLM, key, name, use_safetensors=True, **more)
    if tokenizer.eos_token_id is None:
        raise BadInput(key, name, "its tokenizer has no end token; allowed: one with eos_token")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    if more:
        return Backbone(model, tokenizer)
    dtype = torch.bfloat16 if choice.precision == "bfloat16" else torch.float32
    return Backbone(model.to(device=device, dtype=dtype), tokenizer)


def scores(name: str) -> bool:
    """Whether a folder or hub id holds a reward model, which scores texts and writes none."""
    try:
        config = library("transformers").AutoConfig.from_pretrained(name)
    except Exception:  # noqa: BLE001 - whoever loads the model says what is wrong with it
        return False
    return any(kind.endswith(SCORER) for kind in config.architectures or ())


def load_scorer(name: str, device: str) -> Backbone:
    """A reward model of transformers, in float32, and its tokenizer.

    Raises:
        BadInput: as ``load_backbone``.
    """
    kinds = library("transformers")
    tokenizer = _fetched(kinds.AutoTokenizer, KEY, name)
    model = _fetched(kinds.AutoModelForSequenceClassification, KEY, name, use_safetensors=True)
    return Backbone(model.to(device=device, dtype=torch.float32), tokenizer)


def _quantised(choice: ModelChoice) -> dict[str, Any]:
    """How transformers loads weights in 4 bits, where that is asked for."""
    if choice.precision != "nf4":
        return {}
    if not choice.lora_rank:
        raise BadInput("precision", "nf4", "4-bit weights do not train; needs a lora_rank above 0")
    if not library("transformers").utils.is_bitsandbytes_available():
        raise BadInput("precision", "nf4", "needs bitsandbytes: pip install bitsandbytes")
    kind = library("transformers").BitsAndBytesConfig
    four = {"bnb_4bit_quant_type": "nf4", "bnb_4bit_compute_dtype": torch.bfloat16}
    return {"quantization_config": kind(load_in_4bit=True, **four)}


def read_config(choice: ModelChoice, key: str = KEY) -> Any:
    """The model's configuration alone: a quick test that a path can be used.

    Raises:
        BadInput: as ``load_backbone``.
    """
    name = str(choice.path)
    here = expanded(key, name)
    if here.is_dir() or not HUB_ID.fullmatch(name):
        if not (here / "config.json").is_file():
            raise BadInput(key, name, "no folder with a config.json, and no hub id")
        name = str(here)
    return _fetched(library("transformers").AutoConfig, key, name)


def build_tiny(
    shape: Shape, seed: int, texts: Texts, folder: Path, vocabulary: int | None = None
) -> None:
    """Write a GPT-2 with random weights and its tokenizer to a folder.

    Args:
        shape: of the model.
        seed: of its weights.
        texts: what the tokenizer is made of.
        folder: where.
        vocabulary: tokens of a byte-level BPE, at least 260; None makes one token of each word.
    """
    transformers = library("transformers")
    core = _whole_words(texts) if vocabulary is None else _byte_pairs(texts, vocabulary)
    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=core, **names).save_pretrained(folder)
    config = tiny_config(shape, core.get_vocab_size())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        transformers.GPT2LMHeadModel(config).save_pretrained(folder)


def _whole_words(texts: Texts) -> Any:
    tokenizers = library("tokenizers")
    words = sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]+", text)})
    vocabulary = {word: place for place, word in enumerate((*SPECIAL, *words))}
    core = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    core.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return core


def _byte_pairs(texts: Texts, vocabulary: int) -> Any:
    tokenizers = library("tokenizers")
    bytewise = tokenizers.pre_tokenizers.ByteLevel
    core = tokenizers.Tokenizer(tokenizers.models.BPE())
    core.pre_tokenizer = bytewise(add_prefix_space=False)
    core.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=list(SPECIAL), show_progress=False,
        initial_alphabet=bytewise.alphabet(),
    )  # fmt: skip
    core.train_from_iterator(texts, trainer)
    return core


def tiny_config(shape: Shape, vocabulary: int) -> Any:
    """A GPT-2 of a shape, without dropout."""
    return library("transformers").GPT2Config(
        vocab_size=vocabulary, n_positions=POSITIONS, n_embd=shape.width,
        n_layer=shape.layers, n_head=shape.heads, bos_token_id=0, eos_token_id=1, pad_token_id=2,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )  # fmt: skip


def _fetched(kind: Any, key: str, name: str, **more: Any) -> Any:
    """What a class of transformers reads from a folder or hub id.

    Raises:
        BadInput: it cannot be read, for a reason that the line says.
    """
    refuse_unfinished(key, name)
    try:
        return kind.from_pretrained(name, **more)
    except Exception as problem:  # noqa: BLE001 - the libraries raise many unrelated kinds
        raise BadInput(key, name, _reason(problem)) from None


def _reason(problem: BaseException | None) -> str:
    names, texts, seen = [], "", problem
    while seen is not None:
        names.append(type(seen).__name__)
        texts += str(seen).lower()
        seen = seen.__cause__ or seen.__context__
    if "GatedRepoError" in names or "gated repo" in texts:
        return "the model is gated; accept its licence on its hub page, then `hf auth login`"
    if "RepositoryNotFoundError" in names:
        return "no such model on the hub, or it is private; check the id, or `hf auth login`"
    if "safetensors" in texts:
        return "has no safetensors weights; pickled weights are not read"
    if OFFLINE & set(names) or "connect" in texts:
        return "the hub cannot be reached; check the network, or name a local folder"
    return f"cannot be loaded ({names[0]}): check the id, or name a local folder"
