"""From a raw file to a model in a folder: the command, its card, its privacy, its processes."""

import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
import torch

import repro
from repro.base.errors import BadInput
from repro.commands import accuracy, finetune, generate
from repro.commands.process.command import status_of
from repro.labels.preferences.financial_pairs import financial_pairs
from repro.release.manifest import Manifest

pytest.importorskip("trl", reason="the extra llm is not installed")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.xdist_group("finetune")]
ROOT = Path(__file__).resolve().parents[3]
PAIRS = financial_pairs(48, 1)
STEPS = (
    "learning_rate=0.05", "optimizer=sgd", "batch_size=16", "epochs=2", "device=cpu",
    "schedule=cosine",
)  # fmt: skip


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """Released labels; the raw file is gone before anything trains."""
    folder = tmp_path_factory.mktemp("release")
    raw, out = folder / "raw.jsonl", folder / "out.jsonl"
    lines = [{"prompt": p.prompt, "chosen": p.chosen, "rejected": p.rejected} for p in PAIRS]
    raw.write_text("".join(json.dumps(line) + "\n" for line in lines))
    repro.privatize(raw, 1, output=out, ledger=folder / "ledger")
    raw.unlink()
    return out


@pytest.fixture(scope="module")
def finished(release, tmp_path_factory):
    """A folder with a model, and beside it the store of MLflow."""
    place = tmp_path_factory.mktemp("finished")
    before = Path.cwd()
    os.chdir(place)
    try:
        words = [str(release), "model", "tracking=sqlite:///mlflow.db", *STEPS]
        assert status_of(finetune.main, words) == 0
    finally:
        os.chdir(before)
    return place / "model"


def weights(folder):
    from safetensors.torch import load_file

    found = load_file(folder / "model.safetensors")
    return torch.cat([found[name].flatten().double() for name in sorted(found)])


def started(words, before="", launcher=(), folder=None):
    """The command in a process of its own, or, below a launcher, from a file of the folder."""
    run = ["-m", "repro", "finetune"] if not before else ["-c", before]
    if folder:
        (folder / "script.py").write_text(before)
        run = [str(folder / "script.py")]
    return subprocess.run(
        [sys.executable, *launcher, *run, *words], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": str(ROOT), "ACCELERATE_USE_CPU": "true",
            "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def test_transformers_alone_reads_it_and_generates(finished):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = (x.from_pretrained(finished) for x in (AutoModelForCausalLM, AutoTokenizer))
    ids = tokenizer("You have $900", return_tensors="pt").input_ids
    answer = model.generate(input_ids=ids, max_new_tokens=5, do_sample=False)
    assert answer.shape[1] > ids.shape[1]


def test_the_card_says_what_is_private(finished, release):
    from huggingface_hub import ModelCard

    card = ModelCard.load(finished / "README.md")
    assert card.data.library_name == "transformers"
    assert card.data.pipeline_tag == "text-generation"
    digest = hashlib.sha256(release.read_bytes()).hexdigest()
    for said in ("1-differential privacy", "0.268941 flipped", "| loss | private |", digest):
        assert said in card.text
    assert "| ε in all, with earlier releases | 1 |" in card.text
    assert "Base model: a tiny random GPT-2, built here, without pretraining." in card.text
    assert "without-pretraining" in card.data.tags
    assert "Prompts and responses are **not** protected" in card.text


def test_the_card_counts_earlier_releases_in_all_and_none_in_the_flips():
    from repro.llm.training.card import base_of, model_card
    from repro.llm.training.settings import FinetuneRequest

    request = FinetuneRequest(release="OUT.jsonl", output="model", loss="private")
    manifest = Manifest(Decimal(1), (Decimal("0.5"),), unit_size=3)
    card = model_card(request, base_of(None), manifest, "0" * 64, 48)
    for said in ("0.268941 flipped", "| ε of each label | 1 |", "with earlier releases | 1.5 |",
                 "a label has cost\n**ε = 1.5** in all", "at most 3 comparisons",
                 "**ε = 3** in this"):  # fmt: skip
        assert said in card


def test_generate_answers(finished, capsys):
    words = [str(finished), "prompt=You have: [900]", "count=3", "max_new_tokens=4"]
    assert status_of(generate.main, words) == 0
    first, told = capsys.readouterr()
    assert len([json.loads(line) for line in first.splitlines()]) == 3
    head, warning = told.splitlines()
    assert head == f"model: {finished}, trained from none that was pretrained"
    assert warning.startswith("warning: this model has no pretraining")
    assert status_of(generate.main, words) == 0
    assert capsys.readouterr().out == first


@pytest.mark.parametrize(
    ("words", "line"),
    [(["/nowhere", "o"], "release=/nowhere: cannot be read"), (["R"], "FOLDER=(missing)"),
     (["R", "o", "loss=ppo"], "loss=ppo"),
     (["R", "o", "loss=debiased"], "loss=debiased: allowed: loss=rdpo, which is its name here"),
     (["R", "o", "loss=mixture"], "loss=mixture: allowed: loss=private, which is its name here"),
     (["R", "full"], "output=full: is not empty")],
)  # fmt: skip
def test_what_is_refused_is_refused_before_seconds_of_imports(words, line, release, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    code = (
        "import sys; from repro.commands.finetune import main\n"
        "try: main(sys.argv[1:])\n"
        "except ValueError as problem: print(problem)\n"
        "print(sorted({'torch', 'transformers', 'trl', 'scipy'} & {*sys.modules}))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, *(str(release) if word == "R" else word for word in words)],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    assert told[0].startswith(line)
    assert told[1] == "[]"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing is kept, and the same command starts again; checkpoint_every=STEPS writes "
             "checkpoints to go on from"),
        (["checkpoint_every=7"], "checkpoints are written every 7 steps; the same command goes on "
                                 "from the last one, or from the start if there is none"),
    ],
)  # fmt: skip
def test_a_stop_says_what_is_kept(words, said, release, tmp_path, monkeypatch, capsys):
    from repro.llm.training import finetuning

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(finetuning, "finetune", stopped)
    status_of(finetune.main, [str(release), str(tmp_path / "o"), *words])
    assert capsys.readouterr().err == f"interrupted: {said}\n"


def test_a_missing_extra_is_refused_with_the_whole_command(release, tmp_path, monkeypatch):
    monkeypatch.setattr("repro.llm.training.extra.find_spec", lambda name: None)
    with pytest.raises(BadInput, match="constraints-llm.txt -e .*\\[llm\\]") as refused:
        finetune.main([str(release), str(tmp_path / "o")])
    assert str(refused.value).startswith("extra=llm: transformers is not installed; pip install -c")


@pytest.mark.parametrize(
    ("command", "words", "line"),
    [
        (generate, ["/nowhere", "prompt=a"], "error: model="),
        (generate, ["x"], "error: prompt=(missing)"),
        (generate, ["x", "prompt=a", "count=0"], "error: count=0"),
        (finetune, ["/nowhere.jsonl", "o"], "error: release="),
        (finetune, ["o"], "error: FOLDER=(missing)"),
        (finetune, ["R", "o", "loss=ppo"], "error: loss=ppo"),
        (finetune, ["R", "o", "model=/nowhere"], "error: model=/nowhere"),
        (finetune, ["R", "o", "precision=nf4"], "error: precision=nf4"),
        (finetune, ["R", "o", "precision=nf4", "lora_rank=2"],
            "error: precision=nf4: needs"),
        (finetune, ["R", "o", "accumulation=5"], "error: batch_size=16"),
        (finetune, ["R", "o", "learning_rate=1e30", "optimizer=sgd",
                    "max_grad_norm=null"], "error: learning_rate=1e+30"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(command, words, line, release, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert status_of(command.main, [str(release) if word == "R" else word for word in words]) == 2
    said = capsys.readouterr().err.strip()
    assert said.splitlines()[-1].startswith(line)
    assert not (tmp_path / "o" / "model.safetensors").exists()


def test_raw_pairs_are_refused(release, tmp_path, capsys):
    raw = tmp_path / "raw.jsonl"
    raw.write_text(json.dumps({"prompt": "a", "chosen": "b", "rejected": "c"}) + "\n")
    assert status_of(finetune.main, [str(raw), str(tmp_path / "o")]) == 2
    line = f"error: release={raw}: this is a raw file: release it first"
    assert capsys.readouterr().err.startswith(line)


TURNS = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@pytest.fixture(scope="module")
def chats(tmp_path_factory):
    """A release of chats of three turns, and a model whose tokenizer has a template."""
    from repro.llm.training.backbone import build_tiny
    from repro.llm.training.settings import Shape

    folder = tmp_path_factory.mktemp("chats")
    said = lambda role, text: {"role": role, "content": text}  # noqa: E731
    rows = [
        {"prompt": [said("user", p.prompt), said("assistant", "Why?"), said("user", "So.")],
         "chosen": [said("assistant", p.chosen)], "rejected": [said("assistant", p.rejected)]}
        for p in PAIRS
    ]  # fmt: skip
    repro.privatize(rows, 1, output=folder / "out.jsonl", ledger=folder / "ledger")
    texts = [text for p in PAIRS for text in (p.prompt, p.chosen, p.rejected)]
    build_tiny(Shape(width=16, layers=1, heads=2), 0, texts, folder / "model", vocabulary=400)
    (folder / "model" / "chat_template.jinja").write_text(TURNS)
    return folder


def test_a_chat_of_three_turns_reaches_the_template_turn_by_turn(chats):
    from transformers import AutoTokenizer

    from repro.llm.training.encoding import encode_pairs
    from repro.llm.training.released import released_pairs
    from repro.llm.training.settings import Limits

    tokenizer = AutoTokenizer.from_pretrained(chats / "model")
    pairs, _ = released_pairs(chats / "out.jsonl")
    tokens = encode_pairs(tokenizer, pairs, Limits(max_prompt_tokens=500)).first
    rows = [json.loads(line) for line in (chats / "out.jsonl").read_text().splitlines()]
    for row, (prompt, response) in zip(rows, tokens.parts, strict=True):
        question, why, so = (turn["content"] for turn in row["prompt"])
        assert (why, so) == ("Why?", "So.")
        asked = f"<|user|>{question}<|assistant|>Why?<|user|>So.<|assistant|>"
        assert tokenizer.decode(prompt) == asked
        answer = row["response_1"][0]["content"]
        assert tokenizer.decode(response, skip_special_tokens=True) == answer


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["dpo", "reward"])
def test_chats_of_three_turns_are_trained_on(chats, loss, tmp_path, capsys):
    words = [str(chats / "out.jsonl"), str(tmp_path / "o"), f"loss={loss}",
             f"model={chats / 'model'}", *STEPS, "max_response_tokens=20"]  # fmt: skip
    assert status_of(finetune.main, words) == 0
    assert re.search(r"\n[1-9]\d* of 96 responses were cut to 20 tokens\n", capsys.readouterr().out)
    assert (tmp_path / "o" / "model.safetensors").exists()


def test_pairs_that_become_equal_when_they_are_cut_are_refused(chats, tmp_path, capsys):
    words = [str(chats / "out.jsonl"), str(tmp_path / "o"), "loss=dpo",
             f"model={chats / 'model'}", "device=cpu", "max_response_tokens=1"]  # fmt: skip
    assert status_of(finetune.main, words) == 2
    told = capsys.readouterr()
    assert "96 of 96 responses were cut to 1 tokens" in told.out
    line = (
        r"error: max_response_tokens=1: in \d+ pairs both responses are the same tokens, first in"
    )
    assert re.match(line, told.err.strip().splitlines()[-1])
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize("model", [None, "folder", "weights"])
def test_the_first_line_names_the_base_model(model, finished, release, tmp_path, capsys):
    """A folder of this command is known by its card; weights of another's are taken at their word.

    Steps are printed from the first one on.
    """
    words = [str(release), str(tmp_path / "m"), *STEPS[:-2], "device=cpu"]
    place = finished
    if model == "weights":
        place = tmp_path / "weights"
        shutil.copytree(finished, place)
        (place / "README.md").unlink()
    assert status_of(finetune.main, [*words, *([f"model={place}"] if model else [])]) == 0
    told = capsys.readouterr()
    first, second, total, *steps = told.out.splitlines()
    named = f"base model: {place}" if model else "base model: a tiny random GPT-2, built here"
    assert first == named + ", without pretraining" * (model != "weights")
    assert second == "48 pairs released at ε = 1; loss: private (repro which_loss names none)"
    assert total == "6 steps; a line at the first and at every tenth"
    assert "'loss'" in steps[0]
    assert told.err.startswith("warning: this model has no pretraining") == (model != "weights")
    assert "\nwarning: repro which_loss epsilon=1 n_pairs=48 answers none for so few" in (
        "\n" + told.err
    )


@pytest.mark.parametrize(
    ("epsilon", "n_pairs", "loss"),
    [(1, 1000, "private"), (8, 10**6, "private"), (0.1, 100, "private")],
)
def test_the_loss_is_the_recommended_one(epsilon, n_pairs, loss):
    advice = finetune.recommended(epsilon, n_pairs)
    answer = repro.which_loss(epsilon=epsilon, n_pairs=n_pairs)
    assert advice.loss == loss
    assert advice.learnt == answer.learnt
    assert not answer.learnt or advice.loss == finetune.OBJECTIVES[answer.best[0]]


def held_out(folder):
    path = folder / "held_out.jsonl"
    rows = [{"prompt": p.prompt, "chosen": p.chosen, "rejected": p.rejected} for p in PAIRS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_a_policy_is_ranked_by_what_training_changed(finished, tmp_path, capsys):
    """A tiny base model is built again with the same weights: without steps every pair ties."""
    from transformers import AutoModelForCausalLM

    from repro.llm.training.backbone import load_backbone
    from repro.llm.training.card import trained_from
    from repro.llm.training.encoding import encode_pairs
    from repro.llm.training.log_prob import response_log_prob
    from repro.llm.training.margins import reward_margins
    from repro.llm.training.pairs import TextPairs
    from repro.llm.training.settings import Limits, ModelChoice

    assert trained_from(str(finished)) == (None, 0)
    pairs = TextPairs.of(PAIRS)
    margins = reward_margins(str(finished), None, pairs, Limits(), 16, "cpu")
    assert (margins != 0).any()
    base = tmp_path / "base"
    shutil.copytree(finished, base)
    model = AutoModelForCausalLM.from_pretrained(finished)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        type(model)(model.config).save_pretrained(base)
    assert (reward_margins(str(base), None, pairs, Limits(), 16, "cpu") == 0).all()
    own = reward_margins(str(finished), str(base), pairs, Limits(), 16, "cpu")
    assert torch.equal(own, margins)
    ours, theirs = (load_backbone(ModelChoice(path=str(at)), (), "cpu") for at in (finished, base))
    one = encode_pairs(ours.tokenizer, pairs.part(0, 1), Limits())
    with torch.no_grad():
        first, second = (
            response_log_prob(ours.model, x) - response_log_prob(theirs.model, x)
            for x in (one.first, one.second)
        )
    assert margins[0].item() == pytest.approx(float(first - second), rel=1e-3)
    cut = Limits(max_response_tokens=2)
    short = reward_margins(str(finished), str(base), pairs, cut, 16, "cpu")
    assert not torch.equal(short, margins)
    assert status_of(accuracy.main, [str(finished), held_out(tmp_path)]) == 0
    out = capsys.readouterr().out
    share = float((margins.double() * pairs.labels > 0).double().mean())
    assert f"model             {share:.4f}" in out
    assert "the longer reply" in out


def test_a_policy_whose_base_is_not_known_needs_it(finished, tmp_path, capsys):
    lonely = tmp_path / "lonely"
    shutil.copytree(finished, lonely)
    (lonely / "README.md").unlink()
    assert status_of(accuracy.main, [str(lonely), held_out(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("error: reference=(missing): the card of lonely")


def test_a_reward_model_is_judged_and_writes_no_text(release, tmp_path, capsys):
    from repro.llm.training.backbone import load_scorer
    from repro.llm.training.encoding import encode_pairs
    from repro.llm.training.margins import reward_margins
    from repro.llm.training.pairs import TextPairs
    from repro.llm.training.settings import Limits

    scorer = str(tmp_path / "scorer")
    assert status_of(finetune.main, [str(release), scorer, "loss=reward", *STEPS]) == 0
    assert capsys.readouterr().out.endswith(f"repro accuracy {scorer} HELD_OUT\n")
    pairs = TextPairs.of(PAIRS)
    both = [reward_margins(scorer, None, pairs, Limits(), batch, "cpu") for batch in (1, 48)]
    assert torch.allclose(*both, atol=1e-5)  # padding is not scored
    backbone = load_scorer(scorer, "cpu")
    one = encode_pairs(backbone.tokenizer, pairs.part(0, 1), Limits())
    with torch.no_grad():
        first, second = (backbone.model(input_ids=x.ids).logits for x in (one.first, one.second))
    assert both[0][0].item() == pytest.approx(float(first - second), rel=1e-3)
    assert status_of(accuracy.main, [scorer, held_out(tmp_path)]) == 0
    capsys.readouterr()
    assert status_of(accuracy.main, [scorer, held_out(tmp_path), "reference=gpt2"]) == 2
    assert capsys.readouterr().err.startswith("error: reference=gpt2: allowed: for a policy")
    for command in (
        [generate.main, [scorer, "prompt=a"]],
        [finetune.main, [str(release), str(tmp_path / "again"), f"model={scorer}"]],
    ):
        assert status_of(*command) == 2
        line = f"error: model={scorer}: is a reward model, which writes no text"
        assert capsys.readouterr().err.startswith(line)


def test_an_export_in_the_layout_of_trl_goes_into_its_own_trainer(finished, tmp_path):
    """The three lines of docs/howto/language_models.md, and the same release by this command."""
    import math

    import datasets
    import trl

    raw, out = tmp_path / "raw.jsonl", tmp_path / "OUT.parquet"
    lines = [{"prompt": p.prompt, "chosen": p.chosen, "rejected": p.rejected} for p in PAIRS]
    raw.write_text("".join(json.dumps(line) + "\n" for line in lines))
    repro.privatize(raw, 1, output=out, layout="trl", ledger=tmp_path / "ledger")
    epsilon, own = 1, {"use_cpu": True, "report_to": [], "max_steps": 2}
    pairs = datasets.load_dataset("parquet", data_files=str(out), cache_dir=str(tmp_path))["train"]
    robust = trl.DPOConfig(
        str(tmp_path / "MODEL"), loss_type="robust", label_smoothing=1 / (1 + math.exp(epsilon)),
        **own,
    )  # fmt: skip
    trainer = trl.DPOTrainer(str(finished), args=robust, train_dataset=pairs)
    before = {name: value.clone() for name, value in trainer.model.named_parameters()}
    trainer.train()
    after = dict(trainer.model.named_parameters())
    assert any(not torch.equal(before[name], after[name]) for name in before)
    assert all(torch.isfinite(value).all() for value in after.values())


def test_a_folder_with_something_in_it_is_left_alone(finished, release, capsys):
    assert status_of(finetune.main, [str(release), str(finished), *STEPS]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_mlflow_has_curves_and_model(finished):
    import mlflow

    client = mlflow.MlflowClient(f"sqlite:///{finished.parent / 'mlflow.db'}")
    (run,) = client.search_runs([client.get_experiment_by_name("finetune").experiment_id])
    assert {"train_loss", "rewards/margins"} <= set(run.data.metrics)
    assert run.info.status == "FINISHED"
    kept = [path.name for path in finished.parent.rglob("artifacts/model/*")]
    assert {"README.md", "model.safetensors"} <= set(kept)


PROCESSES = """
import os, sys, time, transformers
from repro.commands import finetune
save = transformers.Trainer._save_rng_state
def late(self, folder):
    time.sleep(0.3 * self.args.process_index)
    save(self, folder)
    print("marked early" * os.path.exists(folder + "/trainer_state.json"), flush=True)
transformers.Trainer._save_rng_state = late
print("process of", os.environ.get("WORLD_SIZE", 1), flush=True)
sys.exit(finetune.main(sys.argv[1:]))
"""
LAUNCH = ("-m", "accelerate.commands.launch", "--num_processes=2", "--main_process_port=0")
SCRIPT = """
import os, signal, sys, transformers
from repro.commands import finetune
save = transformers.Trainer._save_checkpoint
def killed(self, *words):
    save(self, *words)
    if self.state.global_step == 4:
        os.kill(os.getpid(), signal.SIGKILL)
transformers.Trainer._save_checkpoint = killed
finetune.main(sys.argv[1:])
"""


DIVERGES = """
import os, pathlib, sys, time
from repro.commands import finetune
from repro.commands.process.command import status_of
from repro.llm.training import objectives
rank, loss = os.environ["RANK"], objectives.debiased_loss
def wild(gap, label, epsilon):
    return loss(gap, label, epsilon) * (float("nan") if rank == "1" else 1)
objectives.debiased_loss = wild
status = status_of(finetune.main, sys.argv[1:])
place = pathlib.Path(__file__).parent
(place / ("status" + rank)).write_text(str(status))
until = time.time() + 300  # the launcher ends the other process when one has failed
while len(list(place.glob("status?"))) < 2 and time.time() < until:
    time.sleep(0.1)
sys.exit(status)
"""


@pytest.mark.slow
def test_killed_and_run_again_it_has_the_same_weights(finished, release, tmp_path):
    """By SIGKILL, in a process of its own; what lies there until then holds no text."""
    words = [str(release), str(tmp_path / "m"), "checkpoint_every=2", *STEPS]
    done = started(words, before=SCRIPT)
    assert done.returncode == -9, done.stderr
    assert [p.name for p in tmp_path.rglob("checkpoint-*")] == ["checkpoint-4"]
    assert_no_text(tmp_path, done.stdout.encode() + done.stderr.encode())
    assert status_of(finetune.main, words) == 0
    assert torch.equal(weights(tmp_path / "m"), weights(finished))
    assert not list(tmp_path.rglob("checkpoint*"))


def test_a_disk_that_is_full_at_the_end_costs_no_training(finished, release, tmp_path, monkeypatch):
    """Nothing half written, and the checkpoints are there: the same command takes no step again."""
    import transformers

    save = transformers.PreTrainedModel.save_pretrained

    def full(self, folder, **more):
        save(self, folder, **more)
        if str(folder).endswith(".draft"):
            raise OSError(errno.ENOSPC, "No space left on device")

    words = [str(release), str(tmp_path / "m"), "checkpoint_every=2", *STEPS]
    with monkeypatch.context() as patch:
        patch.setattr(transformers.PreTrainedModel, "save_pretrained", full)
        assert status_of(finetune.main, words) == 74
    kept = {path.name for path in tmp_path.rglob("checkpoint-*")}
    assert kept == {"checkpoint-6"}
    assert not (tmp_path / "m" / "model.safetensors").exists()
    assert status_of(finetune.main, words) == 0
    assert torch.equal(weights(tmp_path / "m"), weights(finished))
    assert not list(tmp_path.rglob("checkpoint*"))


@pytest.mark.parametrize(
    ("word", "resumed"), [("accumulation=2", True), ("seed=1", False), ("kl_weight=0.2", False)]
)
def test_checkpoints_are_resumed_by_the_same_steps_alone(
    word, resumed, release, tmp_path, monkeypatch
):
    from repro.llm.training import finetuning

    folders = []

    def seen(request, backbone, pairs, epsilon, run):
        folders.append(run.folder.name)
        raise BadInput("model", "", "nothing is trained here")

    monkeypatch.setattr(finetuning, "load_backbone", lambda *given: None)
    monkeypatch.setattr(finetuning, "_model", seen)
    for more in ([], [word]):
        assert status_of(finetune.main, [str(release), str(tmp_path / "m"), *STEPS, *more]) == 2
    assert (folders[0] == folders[1]) == resumed


def assert_no_text(folder, more=b""):
    """No file, and nothing that was printed, holds a response: so none says which was chosen."""
    texts = [text.encode() for p in PAIRS for text in (p.prompt, p.chosen, p.rejected)]
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for content in (*(path.read_bytes() for path in files), more):
        assert not any(text in content for text in texts)


def test_no_raw_label_reaches_a_file_or_mlflow(finished):
    assert_no_text(finished.parent)


def test_what_trains_is_a_function_of_the_release_alone(release):
    """The rows of the trainer, whatever the raw labels were: they are the file's, line by line."""
    from repro.llm.training.released import released_pairs

    pairs, epsilon = released_pairs(release)
    lines = [json.loads(line) for line in release.read_text().splitlines()]
    assert pairs.labels.tolist() == [line["label"] for line in lines]
    assert pairs.first == tuple(line["response_1"] for line in lines)
    assert epsilon == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(("how", "processes"), [(["--cpu"], 1), (["--multi_gpu"], 2)])
def test_accelerate_takes_the_steps_of_one_process(how, processes, finished, release, tmp_path):
    """``--cpu`` starts one process in accelerate 1.15, whatever the number; the other way two.

    A checkpoint is marked as whole when the later process has written its part, too.
    """
    launcher = (*LAUNCH, *how)
    words = [str(release), str(tmp_path / "m"), "checkpoint_every=2", *STEPS]
    done = started(words, before=PROCESSES, launcher=launcher, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "marked early" not in done.stdout
    assert done.stdout.count("files:") == 1
    assert done.stdout.count("process of") == done.stdout.count(f"of {processes}") == processes
    assert float((weights(tmp_path / "m") - weights(finished)).abs().max()) < 1e-6


def test_a_loss_that_is_no_number_in_one_process_stops_both(release, tmp_path):
    words = [str(release), str(tmp_path / "m"), "loss=rdpo", *STEPS]
    done = started(words, before=DIVERGES, launcher=(*LAUNCH, "--multi_gpu"), folder=tmp_path)
    assert done.returncode != 0
    assert [(tmp_path / f"status{rank}").read_text() for rank in (0, 1)] == ["2", "2"]
    assert done.stderr.count("error: learning_rate=0.05") == 2


@pytest.mark.parametrize("loss", ["private", "square", "reward"])
def test_every_loss_is_saved_for_transformers(loss, release, tmp_path):
    words = [str(release), str(tmp_path / "m"), f"loss={loss}", *STEPS]
    if loss == "private":
        words += ["lora_rank=2", "precision=mixed", "gradient_checkpointing=true"]
    assert status_of(finetune.main, words) == 0
    kind = json.loads((tmp_path / "m" / "config.json").read_text())["architectures"]
    wanted = "GPT2ForSequenceClassification" if loss == "reward" else "GPT2LMHeadModel"
    assert kind == [wanted]
    assert not list((tmp_path / "m").glob("adapter*"))


@pytest.mark.parametrize("loss", ["rdpo", "private", "reward"])
def test_what_is_asked_for_reaches_the_trainer(loss, tmp_path, monkeypatch, capsys):
    """The run, the objective or the loss with its clip, and how many responses were cut."""
    from repro.llm.training import finetuning
    from repro.llm.training.losses import mixture_loss
    from repro.llm.training.objectives import objective

    class Seen(Exception):
        pass

    rows = [{"prompt": p.prompt, "chosen": p.chosen, "rejected": p.rejected} for p in PAIRS]
    release = tmp_path / "out.jsonl"
    repro.privatize(rows, 0.7, output=release, ledger=tmp_path / "ledger")
    kinds, seen = [], {}

    def preferred(policy, reference, labels, what, run):
        seen.update(reference=reference, labels=labels, what=what, run=run)
        seen["trains"] = {p.requires_grad for p in policy.parameters()}
        raise Seen

    def trained(kind, config, model, tokenizer, rows, run):
        seen.update(config=config, rows=rows, run=run)
        raise Seen

    def batches(model, pairs, batch_size, device):
        seen["batch"] = batch_size
        return torch.arange(48.0), torch.arange(48.0)

    monkeypatch.setattr(finetuning, "preferred", preferred)
    monkeypatch.setattr(finetuning, "trained", trained)
    monkeypatch.setattr(finetuning, "reward_trainer", lambda *words: kinds.append(words))
    monkeypatch.setattr("repro.llm.training.direct_preference.pair_log_prob", batches)
    words = [str(release), str(tmp_path / "m"), f"loss={loss}", "seed=7", "kl_weight=0.3",
             "reward_bound=2", "batch_size=12", "accumulation=3", "device=cpu",
             "max_response_tokens=7"]  # fmt: skip
    if loss == "private":
        words += ["lora_rank=2", "precision=bfloat16"]
    with pytest.raises(Seen):
        finetune.main(words)
    run = seen["run"]
    assert (run.seed, run.device, run.training.batch_size) == (7, "cpu", 12)
    assert run.precision == ("bfloat16" if loss == "private" else "float32")
    assert run.folder.parent == tmp_path / "m"
    cut = re.search(r"(\d+) of 96 responses were cut to 7 tokens", capsys.readouterr().out)
    assert 0 < int(cut[1]) < 96
    labels = [json.loads(line)["label"] for line in release.read_text().splitlines()]
    gap, one = torch.tensor([0.4, -0.2]), torch.ones(2)
    if loss == "reward":
        ((own, clip),) = kinds
        assert clip == 2
        assert torch.equal(own(gap, one), mixture_loss(gap, one, 0.7))
        assert seen["config"] == "RewardConfig"
        assert len(seen["rows"]["chosen_ids"]) == 48
        return
    expected, what = objective(loss, 0.7, 0.3, 2.0), seen["what"]
    assert torch.equal(what.loss(gap, one), expected.loss(gap, one))
    for first in (gap, 9 * one):  # within the bound and beyond
        assert torch.equal(what.difference(first, -first), expected.difference(first, -first))
    assert seen["labels"].tolist() == labels
    assert seen["batch"] == 4
    reference = seen["reference"]
    adapters = 2 if loss == "private" else 0
    assert (reference.precision, reference.lora_rank) == (run.precision, adapters)
    assert seen["trains"] == {not adapters}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)  # also of the weights that a tiny model begins with
        begun = type(reference.model)(reference.model.config).lm_head.weight
    weight = reference.model.lm_head.weight
    assert weight.dtype == (torch.bfloat16 if loss == "private" else torch.float32)
    assert torch.equal(weight, begun.to(weight.dtype))
