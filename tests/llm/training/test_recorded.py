"""What a model card says, and which arguments TRL's trainers get, whole."""

import json

import pytest
import yaml

from repro.llm.training.card import base_of, model_card, trained_from, written_from
from repro.llm.training.extra import library
from repro.llm.training.settings import FinetuneRequest, Training
from repro.llm.training.trainers import TrainingRun

pytest.importorskip("transformers", reason="the extra llm is not installed")
COMMON = {"release": "a/OUT.jsonl", "output": "b/folder"}
REQUESTS = {
    "a tiny model": FinetuneRequest(**COMMON, loss="private", seed=7),
    "one of the hub": FinetuneRequest(**COMMON, loss="rdpo", model="lab/name", kl_weight=0.25),
    "a folder": FinetuneRequest(**COMMON, loss="square", model="base", epochs=3, batch_size=8),
    "one that was built here": FinetuneRequest(**COMMON, loss="dpo", model="tiny", optimizer="sgd"),
    "a reward": FinetuneRequest(
        **COMMON, loss="reward", learning_rate=0.5, schedule="cosine", warmup=4, reward_bound=2
    ),
}


def test_cards_say_what_was_trained_on_what_and_what_is_private(tmp_path, monkeypatch, snapshot):
    """Budgets are printed in all digits: a digit less would promise more privacy than there is."""
    monkeypatch.chdir(tmp_path)
    versions = {name: library(name).__version__ for name in ("trl", "transformers")}
    (tmp_path / "base").mkdir()
    said = []
    for name, request in REQUESTS.items():
        card = model_card(request, base_of(request.model), (1.234564, 12.345674), "d" * 64, 48)
        _, data, body = card.split("---\n", 2)
        for library_name, version in versions.items():
            body = body.replace(f"{library_name} {version}", f"{library_name} VERSION")
            body = body.replace(f"{library_name.upper()} {version}", f"{library_name} VERSION")
        folder = tmp_path / ("tiny" if name == "a tiny model" else name)
        folder.mkdir()
        (folder / "README.md").write_text(card, encoding="utf-8")
        known = written_from(str(folder)), trained_from(str(folder)), base_of(str(folder))
        read = "\n".join(map(repr, known)).replace(str(tmp_path), "FOLDER")
        said += [f"== {name}", json.dumps(yaml.safe_load(data), indent=1), body, read]
    assert "\n".join(said) == snapshot


RUNS = {
    "as it is": (TrainingRun(Training(), 3), 100),
    "fewer pairs than a batch": (TrainingRun(Training(batch_size=16), 2**32 + 5), 6),
    "all otherwise": (
        TrainingRun(
            Training(
                epochs=2, batch_size=12, accumulation=3, learning_rate=0.01, schedule="cosine",
                warmup=5, optimizer="sgd", max_grad_norm=None, gradient_checkpointing=True,
                checkpoint_every=7,
            ),
            0, "cuda", "mixed", "checkpoints", report_to=("mlflow",), spoken=True,
        ),
        100,
    ),
    "no checkpoint asked for": (TrainingRun(Training(), 0, "cuda", "bfloat16", "folder"), 8),
}  # fmt: skip


@pytest.mark.parametrize("processes", [1, 2])
def test_trainers_get_these_arguments(monkeypatch, snapshot, processes):
    monkeypatch.setenv("WORLD_SIZE", str(processes))
    found = {name: run.arguments(count) for name, (run, count) in RUNS.items()}
    assert json.dumps(found, indent=1) == snapshot
