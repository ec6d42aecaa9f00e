"""What a model card says, and which arguments TRL's trainers get, whole."""

import json
from decimal import Decimal
from typing import get_args

import pytest
import torch
import yaml

from repro.llm.training import finetuning
from repro.llm.training.card import base_of, model_card, trained_from, written_from
from repro.llm.training.extra import library
from repro.llm.training.finetuning import Recommendation, finetune
from repro.llm.training.pairs import TextPairs
from repro.llm.training.settings import FinetuneRequest, Training
from repro.llm.training.trainers import TrainingRun
from repro.release.manifest import Manifest

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
    earlier = (Decimal("11.11111"),)
    manifest = Manifest(Decimal("1.234564"), earlier, earlier_delta=Decimal("1e-6"))
    for name, request in REQUESTS.items():
        card = model_card(request, base_of(request.model), manifest, "d" * 64, 48)
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


class Named(Exception):
    """Where a run would keep its checkpoints."""


def otherwise(name, value):
    """Another allowed value of a request's field."""
    choices = [item for item in get_args(FinetuneRequest.model_fields[name].annotation) if item]
    texts = [word for item in choices for word in get_args(item) if isinstance(word, str)]
    words = [item for item in choices if isinstance(item, str)] or texts
    if words:
        return next(word for word in words if word != value)
    if isinstance(value, bool):
        return not value
    return 2 * value + 1 if isinstance(value, int | float) else f"{value or ''}x"


def test_checkpoints_are_named_by_all_that_training_depends_on(tmp_path, monkeypatch):
    """Every field that there is, changed one by one; four change no step."""
    for name, content in (("r", "a"), ("rx", "a"), ("other", "b")):
        (tmp_path / name).write_text(content)
    pairs = TextPairs(("p",), ("a",), ("b",), torch.ones(1))
    monkeypatch.setattr(finetuning, "released_pairs", lambda path: (pairs, 1.0))
    monkeypatch.setattr(finetuning, "resolve_device", lambda device: "cpu")
    monkeypatch.setattr(finetuning, "load_backbone", lambda *words: None)
    monkeypatch.setattr(finetuning, "_reports", lambda *words: ())

    def stop(request, backbone, pairs, epsilon, run):
        raise Named(run.folder.name)

    monkeypatch.setattr(finetuning, "_model", stop)

    def key(**changes):
        values = {"release": str(tmp_path / "r"), "output": "o", "loss": "rdpo"} | changes
        with pytest.raises(Named) as named:
            finetune(FinetuneRequest(**values), lambda epsilon, count: Recommendation("dpo", True))
        return str(named.value)

    usual = FinetuneRequest(release=str(tmp_path / "r"), output="o", loss="rdpo")
    keys = {
        name: key(**{name: otherwise(name, getattr(usual, name))})
        for name in FinetuneRequest.model_fields
    }
    same = {name for name, found in keys.items() if found == key()}
    assert same == {"output", "accumulation", "tracking", "device"}
    different = [found for name, found in keys.items() if name not in same]
    assert len(set(different)) == len(different)
    (tmp_path / "r").write_text("b")
    assert key() not in {*different, key(release=str(tmp_path / "other"))}
