"""TRL's trainers with our losses: equal to TRL's own, batches in parts, going on, precision."""

import copy
import dataclasses
import functools
import math
from collections import defaultdict
from types import SimpleNamespace

import pytest
import torch

from repro.base.errors import BadInput
from repro.base.notation import flip_prob
from repro.llm.training.direct_preference import adapters, optimised, preference_rows
from repro.llm.training.encoding import Tokens
from repro.llm.training.log_prob import response_log_prob
from repro.llm.training.losses import debiased_loss, log_loss, mixture_loss
from repro.llm.training.objectives import Objective, dpo_reward_difference, objective
from repro.llm.training.reward_model import reward_rows, scored_copy
from repro.llm.training.trainers import (
    Diverged,
    TrainingRun,
    last_checkpoint,
    narrow_head,
    preference_trainer,
    reward_trainer,
    trained,
)

pytestmark = pytest.mark.filterwarnings("ignore")
EPSILON = 0.5
DIFFERENCE = functools.partial(dpo_reward_difference, kl_weight=0.1)
RDPO = Objective(DIFFERENCE, functools.partial(debiased_loss, epsilon=EPSILON))


class Killed(Exception):
    pass


@pytest.fixture
def plain(start):
    """Plain steps on batches of 16, four to an epoch."""
    return start.steps.model_copy(
        update={"epochs": 2, "batch_size": 16, "learning_rate": 0.2, "max_grad_norm": None}
    )


def weights(model):
    return torch.cat([p.detach().flatten().double() for p in model.parameters()])


def difference(a, b):
    return float((weights(a) - weights(b)).abs().max())


def run(start, training, checkpoint=None):
    labels = start.labels
    return optimised(start.reference, labels, RDPO, training, 3, checkpoint)


@pytest.fixture
def trainer(start, tmp_path):
    """Builds a trainer class on a policy that differs from its reference."""
    trl, datasets = pytest.importorskip("trl"), pytest.importorskip("datasets")
    policy = copy.deepcopy(start.reference.model).requires_grad_(True)
    torch.manual_seed(0)
    for weight in policy.parameters():
        weight.data += 0.05 * torch.randn_like(weight)
    rows = preference_rows(start.reference, start.labels)
    arguments = TrainingRun(start.steps, 0).arguments(64) | {"output_dir": str(tmp_path)}

    class Ready(trl.DPOTrainer):
        """TRL's own loss on rows that are tokens already."""

        def _prepare_dataset(self, dataset, *more):
            return dataset

        def _precompute_ref_logps(self, dataset, *more):
            return dataset

    def build(kind, loss_type="robust", epsilon=EPSILON):
        return (kind or Ready)(
            model=policy, train_dataset=datasets.Dataset.from_dict(rows),
            processing_class=start.reference.tokenizer,
            args=trl.DPOConfig(**arguments, loss_type=[loss_type], beta=0.1,
                label_smoothing=flip_prob(epsilon), precompute_ref_log_probs=True),
        )  # fmt: skip

    return build


@pytest.mark.parametrize(
    ("theirs", "ours"), [("robust", RDPO), ("sigmoid", Objective(DIFFERENCE, log_loss))]
)
def test_where_trl_has_the_loss_it_is_trl_s(trainer, theirs, ours):
    epsilon = EPSILON if theirs == "robust" else math.inf
    one, two = trainer(None, theirs, epsilon), trainer(preference_trainer(ours))
    batch = next(iter(two.get_train_dataloader()))
    expected = float(one.compute_loss(one.model, dict(batch)).detach())
    found, outputs = two.compute_loss(two.model, dict(batch), return_outputs=True)
    assert float(found.detach()) == pytest.approx(expected, abs=1e-6)
    assert outputs == {}


def test_chipo_is_the_formula_on_log_ratios(trainer):
    one = trainer(preference_trainer(objective("private", EPSILON, 0.1, 5.0)))
    batch = next(iter(one.get_train_dataloader()))
    tokens = Tokens(batch["input_ids"], batch["attention_mask"], batch["completion_mask"])
    with torch.no_grad():
        base = torch.cat([batch["ref_chosen_logps"], batch["ref_rejected_logps"]])
        first, second = (
            x.double().exp() for x in (response_log_prob(one.model, tokens) - base).chunk(2)
        )
        win = torch.sigmoid((0.1 * (first + first.log() - second - second.log())).clamp(-10, 10))
        expected = -(flip_prob(EPSILON) + math.tanh(EPSILON / 2) * win).log().mean()
        found = one.compute_loss(one.model, dict(batch))
    assert float(found) == pytest.approx(float(expected), abs=1e-6)


def test_a_batch_in_parts_takes_the_step_of_the_whole_batch(start, plain):
    whole = run(start, plain)
    parts = run(start, plain.model_copy(update={"accumulation": 4}))
    assert difference(whole, start.reference.model) > 1e-3
    assert difference(whole, parts) < 1e-6


def test_a_batch_that_cannot_be_split_is_refused(start, plain):
    with pytest.raises(BadInput, match="multiple of accumulation times processes, here 3"):
        run(start, plain.model_copy(update={"accumulation": 3}))


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
def test_a_killed_run_goes_on_to_the_same_weights(start, plain, tmp_path, monkeypatch, optimizer):
    some = plain.model_copy(
        update={
            "optimizer": optimizer, "learning_rate": 1e-3, "schedule": "cosine", "warmup": 2,
            "checkpoint_every": 2, "max_grad_norm": 1.0,
        }
    )  # fmt: skip
    undisturbed = run(start, some.model_copy(update={"checkpoint_every": 0}))
    calls = []

    def until_the_sixth(gap, label):
        calls.append(gap)
        if len(calls) == 6:
            raise Killed
        return RDPO.loss(gap, label)

    labels, place = start.labels, tmp_path / "run"
    broken = Objective(DIFFERENCE, until_the_sixth)
    with pytest.raises(Killed):
        optimised(start.reference, labels, broken, some, 3, place)
    assert last_checkpoint(place).name == "checkpoint-4"
    again = run(start, some, checkpoint=place)
    assert difference(again, undisturbed) == 0
    assert not place.exists()


def test_a_half_written_checkpoint_is_passed_over(start, plain, tmp_path):
    torn = tmp_path / "checkpoint-8"
    torn.mkdir()
    (torn / "model.safetensors").write_bytes(b"half")
    assert last_checkpoint(tmp_path) is None
    (torn / "trainer_state.json").write_text('{"epo')
    assert last_checkpoint(tmp_path) is None
    for step in (9, 10):
        whole = tmp_path / f"checkpoint-{step}"
        whole.mkdir()
        (whole / "trainer_state.json").write_text('{"global_step": 1}')
    assert last_checkpoint(tmp_path).name == "checkpoint-10"
    (tmp_path / "checkpoint-10" / "trainer_state.json").write_text("{")
    assert last_checkpoint(tmp_path).name == "checkpoint-9"


@pytest.mark.parametrize("damage", ["model.safetensors", "optimizer.pt", "trainer_state.json"])
def test_a_damaged_checkpoint_is_refused(start, plain, tmp_path, damage):
    place = tmp_path / "run" / "checkpoint-1"
    place.mkdir(parents=True)
    (place / "trainer_state.json").write_text('{"global_step": 1}')
    (place / damage).write_text('{"a": 1}')
    with pytest.raises(BadInput, match="is no checkpoint of this run"):
        run(start, plain.model_copy(update={"checkpoint_every": 1}), checkpoint=tmp_path / "run")


def test_activations_worked_out_again_give_the_same_steps(start, plain):
    again = run(start, plain.model_copy(update={"gradient_checkpointing": True}))
    assert difference(run(start, plain), again) < 1e-6


@pytest.mark.parametrize("precision", ["mixed", "bfloat16"])
def test_half_precision_trains(start, plain, precision):
    base = copy.deepcopy(start.reference.model)
    base = base.bfloat16() if precision == "bfloat16" else base
    half = dataclasses.replace(start.reference, model=base, precision=precision)
    policy = optimised(half, start.labels, RDPO, plain, 3)
    wanted = torch.bfloat16 if precision == "bfloat16" else torch.float32
    assert {p.dtype for p in policy.parameters()} == {wanted}
    assert 0 < difference(policy, run(start, plain)) < 0.2


def test_adapters_train_and_the_rest_does_not(start, plain):
    pytest.importorskip("peft")
    low = dataclasses.replace(start.reference, lora_rank=2)
    policy = optimised(low, start.labels, RDPO, plain, 3)
    merged = policy.merge_and_unload()
    old = dict(start.reference.model.named_parameters())
    moved = {n for n, p in merged.named_parameters() if not torch.equal(p, old[n])}
    assert moved
    assert all("attn.c_attn.weight" in name for name in moved)
    assert adapters(0) is None


def test_a_private_reward_model_learns_the_labels(start, plain):
    labels, model = start.labels, start.reference.model
    kind = reward_trainer(functools.partial(mixture_loss, epsilon=1.0), 5.0)
    more = plain.model_copy(update={"epochs": 8, "optimizer": "adamw", "learning_rate": 1e-2})
    scored = scored_copy(model, torch.zeros(model.config.hidden_size))
    rows = reward_rows(start.reference.pairs, labels)
    found = trained(
        kind, "RewardConfig", scored, start.reference.tokenizer, rows, TrainingRun(more, 0)
    )
    first, second = (
        found(input_ids=t.ids, attention_mask=t.present).logits[:, 0].detach()
        for t in (start.reference.pairs.first, start.reference.pairs.second)
    )
    assert float(((first - second).sign() * labels).mean()) > 0.5


def test_steps_too_large_are_told(start, plain):
    wild = plain.model_copy(update={"learning_rate": 1e30})
    with pytest.raises(Diverged):
        run(start, wild)


def test_training_leaves_the_caller_s_random_numbers_alone(start, plain):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    run(start, plain)
    assert torch.equal(torch.rand(1), expected)


def logging_trainer(training=True):
    """What the losses read of a trainer that logs."""
    return SimpleNamespace(
        accelerator=SimpleNamespace(gather=lambda value: value),
        args=SimpleNamespace(logging_strategy="steps"), state=SimpleNamespace(global_step=7),
        model=SimpleNamespace(training=training),
        _metrics={"train": defaultdict(list), "eval": defaultdict(list)},
    )  # fmt: skip


def scoring(*rewards):
    return lambda **words: SimpleNamespace(logits=torch.tensor(rewards)[:, None])


@pytest.mark.parametrize("training", [True, False])
def test_rewards_are_clipped_and_the_log_has_their_margin_and_accuracy(training):
    """Chosen 0.5, 0.2 and 0.3, rejected −0.5, 0.3 and 0.25 after the clip."""
    pytest.importorskip("trl")
    trainer, kind = logging_trainer(training), reward_trainer(log_loss, 0.5)
    found = kind.compute_loss(trainer, scoring(3.0, 0.2, 0.3, -3.0, 0.3, 0.25), {})
    gaps = (1.0, -0.1, 0.05)
    assert float(found) == pytest.approx(sum(math.log1p(math.exp(-gap)) for gap in gaps) / 3)
    log = trainer._metrics["train" if training else "eval"]
    assert log["rewards/margins"] == pytest.approx([0.95 / 3])
    assert log["rewards/accuracies"] == pytest.approx([2 / 3])
    assert not trainer._metrics["eval" if training else "train"]


def test_a_loss_that_is_no_number_names_its_step():
    pytest.importorskip("trl")
    with pytest.raises(Diverged, match="step 7"):
        reward_trainer(log_loss, 0.5).compute_loss(logging_trainer(), scoring(math.nan, 0.0), {})


def test_what_does_not_fill_a_batch_is_left_out(start, plain, monkeypatch):
    """40 of 64 rows of a batch of 40, in their order; all of 30 where a batch has more."""
    datasets, lengths = pytest.importorskip("datasets"), []

    class Seen(Exception):
        pass

    def seen(columns):
        lengths.append({name: len(column) for name, column in columns.items()})
        raise Seen

    monkeypatch.setattr(datasets.Dataset, "from_dict", seen)
    for count in (64, 30):
        with pytest.raises(Seen):
            trained(
                object, "DPOConfig", None, None, {"a": [0] * count, "b": [1] * count},
                TrainingRun(plain.model_copy(update={"batch_size": 40}), 0),
            )  # fmt: skip
    assert lengths == [{"a": 40, "b": 40}, {"a": 30, "b": 30}]


def test_the_head_is_as_wide_as_before(start, plain):
    utils = pytest.importorskip("trl.trainer.utils")
    usual = utils._CHUNKED_LOGPROB_CHUNK_SIZE
    with narrow_head(200):
        assert min(usual, 200) == utils._CHUNKED_LOGPROB_CHUNK_SIZE
    assert usual == utils._CHUNKED_LOGPROB_CHUNK_SIZE


class Still:
    """In the place of TRL's: a trainer that takes no step, or fails at one."""

    starts: list = []

    def __init__(self, model, args, train_dataset, processing_class, peft_config, **more):
        self.model, self.args = model, args
        self.state = SimpleNamespace(global_step=0)
        self.accelerator = SimpleNamespace(
            autocast=None, unwrap_model=lambda model: model, wait_for_everyone=lambda: None,
            is_main_process=True,
        )  # fmt: skip
        self._save_rng_state = lambda folder: None

    def remove_callback(self, kind):
        pass

    def is_world_process_zero(self):
        return True

    def train(self, resume_from_checkpoint):
        self.starts.append(resume_from_checkpoint)
        self.state.global_step, problem = self.model.fails
        if problem:
            raise problem


@pytest.fixture
def still(plain, monkeypatch):
    """Trains a line that takes no step, on 40 rows in batches of 16."""
    pytest.importorskip("trl")
    monkeypatch.setattr(Still, "starts", [])
    model = torch.nn.Linear(2, 1)
    model.config, model.fails = SimpleNamespace(vocab_size=9), (0, None)

    def run(**how):
        return trained(
            Still, "DPOConfig", model, None, {"a": [0] * 40}, TrainingRun(plain, 0, **how)
        )

    run.model = model
    return run


def checkpoint(folder, step):
    (folder / f"checkpoint-{step}").mkdir(parents=True)
    (folder / f"checkpoint-{step}" / "trainer_state.json").write_text('{"global_step": 1}')


def test_a_run_goes_on_from_its_checkpoint_and_leaves_none_unless_they_are_kept(
    still, tmp_path, capsys
):
    assert not still().training
    assert capsys.readouterr().out == ""
    place = tmp_path / "run"
    checkpoint(place, 3)
    still(folder=place, kept=True, spoken=True)
    assert capsys.readouterr().out == "4 steps; a line at the first and at every tenth\n"
    assert place.exists()
    still(folder=place)
    assert not place.exists()
    assert Still.starts == [None, str(place / "checkpoint-3"), str(place / "checkpoint-3")]


def test_a_weight_that_trains_and_is_no_number_is_told(still):
    with torch.no_grad():
        still.model.weight[0, 1] = math.nan
    with pytest.raises(Diverged, match="after the last step"):
        still()
    still.model.weight.requires_grad_(False)
    still()


def test_only_what_fails_before_the_first_step_is_a_damaged_checkpoint(still, tmp_path):
    checkpoint(tmp_path, 3)
    for step, problem, refused in (
        (3, RuntimeError("x"), BadInput), (4, RuntimeError("x"), RuntimeError),
        (0, MemoryError("x"), MemoryError), (0, Diverged("x"), Diverged),
    ):  # fmt: skip
        still.model.fails = step, problem
        with pytest.raises(refused) as raised:
            still(folder=tmp_path)
        assert type(raised.value) is refused
    still.model.fails = 0, RuntimeError("x")
    with pytest.raises(RuntimeError):
        still()
