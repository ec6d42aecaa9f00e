"""Tiny models and pairs, built on the spot; no test here may reach the network."""

import pytest

from repro.base.device import built_at
from repro.llm.experiments.procedures import DataChoice, Procedure
from repro.llm.experiments.splits import load_splits
from repro.llm.experiments.study import Study
from repro.llm.experiments.worlds import PrivateTuning
from repro.llm.training.backbone import load_backbone
from repro.llm.training.extra import quiet_hub
from repro.llm.training.settings import ModelChoice, Sampling, Shape, Training

quiet_hub()  # before a test imports transformers itself, and with it its progress bars
DATA = DataChoice(
    path=None, n_pairs=64, held_out=24, judge_pairs=0, seed=3,
    max_prompt_tokens=32, max_response_tokens=32,
)  # fmt: skip
MODEL = ModelChoice(
    path=None, tiny=Shape(width=16, layers=1, heads=2), precision="float32", lora_rank=0, seed=0
)
STEPS = Training(
    epochs=1, batch_size=16, learning_rate=1e-3, optimizer="adamw", max_grad_norm=1.0,
    accumulation=1, schedule="constant", warmup=0, gradient_checkpointing=False,
    checkpoint_every=0,
)  # fmt: skip
PROCEDURE = Procedure(
    sft=STEPS, preference=STEPS.model_copy(update={"optimizer": "sgd"}), kl_weight=0.1,
    sampling=Sampling(prompts=6, temperature=1.0, top_k=0, max_new_tokens=8),
)  # fmt: skip


def needs_the_extra():
    pytest.importorskip("transformers", reason="the extra llm is not installed")


@pytest.fixture(scope="session")
def splits():
    return load_splits(DATA)


@pytest.fixture(scope="session")
def backbone(splits):
    needs_the_extra()
    return load_backbone(MODEL, splits.train.texts, "cpu")


@pytest.fixture(scope="session")
def study():
    needs_the_extra()
    return Study(model=MODEL, data=DATA, procedure=PROCEDURE, variant="repaired", device="cpu")


@pytest.fixture
def world(tmp_path):
    """Private labels of the same pipeline; what it keeps lies in a folder of the test's."""
    with built_at(tmp_path / "features", "cpu"):
        yield PrivateTuning(
            model=MODEL, data=DATA, procedure=PROCEDURE, variant="repaired", epsilon=0.5
        )


@pytest.fixture
def data():
    return DATA


@pytest.fixture
def model():
    return MODEL


@pytest.fixture
def steps():
    return STEPS


@pytest.fixture
def procedure():
    return PROCEDURE
