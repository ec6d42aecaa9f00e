"""What a model card says, and which arguments TRL's trainers get, whole."""

import hashlib
import json
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import pytest
import torch
import yaml

from repro.base.errors import BadInput
from repro.llm.training import finetuning
from repro.llm.training.card import UNTRAINED, base_of, model_card, trained_from, written_from
from repro.llm.training.extra import library
from repro.llm.training.finetuning import Recommendation, finetune
from repro.llm.training.pairs import TextPairs
from repro.llm.training.settings import FinetuneRequest, Training
from repro.llm.training.trainers import Diverged, TrainingRun
from repro.release.manifest import Manifest

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
    pytest.importorskip("transformers", reason="the extra llm is not installed")
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


@pytest.fixture
def stubbed(tmp_path, monkeypatch):
    """A training in which nothing is trained: it answers with what it has written, in order."""
    (tmp_path / "OUT.jsonl").write_text("a")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RANK", raising=False)
    steps, pairs = [], TextPairs(("p",) * 3, ("a",) * 3, ("b",) * 3, torch.ones(3))

    def trains(request, backbone, pairs, epsilon, run):
        run.folder.mkdir(parents=True)
        steps.append((request.loss, backbone.tokenizer, epsilon, run.folder.name[:12]))
        return "model"

    for name, stub in {
        "released_pairs": lambda path: (pairs, 1.23456789),
        "load_backbone": lambda choice, texts, device: SimpleNamespace(tokenizer=choice.path),
        "manifest_of": lambda path: f"manifest of {path}",
        "model_card": lambda request, *given: given,
        "_model": trains,
        "_write": lambda *given: steps.append(given),
    }.items():
        monkeypatch.setattr(finetuning, name, stub)

    def train(learnt=True, **words):
        request = FinetuneRequest(release="OUT.jsonl", output="o", device="cpu", **words)
        assert finetune(request, lambda *given: Recommendation("square", learnt)) == Path("o")
        return [steps.pop(0) for _ in [*steps]]

    return train


def test_a_training_says_what_it_trains_on_and_warns_beside_it(stubbed, capsys):
    """The checkpoints go once the model is written."""
    (trained, written) = stubbed(learnt=False)
    assert trained == ("square", None, 1.23456789, "checkpoints-")
    model, tokenizer, card, draft = written
    base, manifest, digest, count = card
    assert (model, tokenizer, manifest, count) == ("model", None, "manifest of OUT.jsonl", 3)
    assert digest == hashlib.sha256(b"a").hexdigest()
    assert (draft.parent, draft.suffix) == (Path("o"), ".draft")
    assert list(Path("o").iterdir()) == []
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"base model: {base.words}",
        "3 pairs released at ε = 1.23456789; loss: square (repro which_loss names none)",
    ]
    assert err.splitlines() == [
        f"warning: {UNTRAINED}", f"warning: {finetuning.TOO_FEW.format(1.23456789, 3)}",
    ]  # fmt: skip


def test_a_loss_that_is_asked_for_is_nobodys_advice(stubbed, capsys):
    assert stubbed(loss="dpo", model="lab/name")[0][:2] == ("dpo", "lab/name")
    out, err = capsys.readouterr()
    assert (out.splitlines()[0], err) == ("base model: lab/name", "")
    assert out.splitlines()[1] == "3 pairs released at ε = 1.23456789; loss: dpo"
    stubbed(model="lab/name")
    assert capsys.readouterr().out.endswith("loss: square (repro which_loss names it)\n")


def test_of_several_processes_the_first_prints_and_writes(stubbed, capsys, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("LOCAL_RANK", "0")
    assert len(stubbed(learnt=False)) == 1
    assert capsys.readouterr() == ("", "")
    assert len(list(Path("o").iterdir())) == 1


def test_steps_too_large_are_bad_input_and_nothing_is_written(stubbed, monkeypatch):
    def diverges(*given):
        raise Diverged("step 7")

    monkeypatch.setattr(finetuning, "_model", diverges)
    with pytest.raises(BadInput, match=r"^learning_rate=0\.5: .* \(step 7\); allowed: a smaller"):
        stubbed(learning_rate=0.5)
    assert not Path("o").exists()


def test_cut_responses_are_counted_and_equal_ones_refused(capsys):
    request = FinetuneRequest(**COMMON, max_response_tokens=7)
    encoded = SimpleNamespace(cut=3, first=range(5), equal=[])
    finetuning._say_what_was_cut(encoded, request)
    assert capsys.readouterr().out == "3 of 10 responses were cut to 7 tokens\n"
    encoded = SimpleNamespace(cut=0, first=range(5), equal=[2, 4])
    with pytest.raises(BadInput, match="^max_response_tokens=7: in 2 pairs .* first in pair 2; "):
        finetuning._say_what_was_cut(encoded, request)
    assert capsys.readouterr().out == ""
