"""A tiny model and pairs, built on the spot; no test here may reach the network."""

from typing import NamedTuple

import pytest
from torch import Tensor

from repro.labels.preferences.financial_pairs import financial_pairs
from repro.llm.training.backbone import load_backbone
from repro.llm.training.direct_preference import Reference
from repro.llm.training.encoding import encode_pairs
from repro.llm.training.extra import quiet_hub
from repro.llm.training.pairs import TextPairs
from repro.llm.training.settings import Limits, ModelChoice, Shape, Training

quiet_hub()  # before a test imports transformers itself, and with it its progress bars
LIMITS = Limits(max_prompt_tokens=32, max_response_tokens=32)
MODEL = ModelChoice(tiny=Shape(width=16, layers=1, heads=2))
STEPS = Training(batch_size=16, learning_rate=1e-3, schedule="constant", optimizer="sgd")


class Start(NamedTuple):
    """Where training starts: a model with what it says of the pairs, their labels, and steps."""

    reference: Reference
    labels: Tensor
    steps: Training


@pytest.fixture(scope="session")
def pairs():
    return TextPairs.of(financial_pairs(64, 3))


@pytest.fixture(scope="session")
def backbone(pairs):
    pytest.importorskip("transformers", reason="the extra llm is not installed")
    return load_backbone(MODEL, pairs.texts, "cpu")


@pytest.fixture(scope="session")
def start(backbone, pairs):
    encoded = encode_pairs(backbone.tokenizer, pairs, LIMITS)
    frozen = backbone.model.requires_grad_(False)
    return Start(Reference.of(frozen, backbone.tokenizer, encoded, 64, "cpu"), pairs.labels, STEPS)


@pytest.fixture
def data():
    return LIMITS


@pytest.fixture
def model():
    return MODEL
