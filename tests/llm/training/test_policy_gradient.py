"""RLOO on a task with a known optimum: a table of rewards, one token a response."""

import math
from types import SimpleNamespace

import pytest
import torch

from repro.llm.training.backbone import load_backbone
from repro.llm.training.encoding import encode_prompts
from repro.llm.training.policy_gradient import Rollouts, optimised_policy
from repro.llm.training.settings import Limits, ModelChoice, Sampling, Shape
from repro.llm.training.trainers import Diverged

pytest.importorskip("trl", reason="the extra llm is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")
PROMPTS = [f"s{k}" for k in range(4)]
WORDS = [f"a{k}" for k in range(8)]
ROLLOUTS = Rollouts(
    iterations=80, responses=128, to_a_prompt=16, epochs=1, minibatch=128, clip=0.2,
    learning_rate=0.01, schedule="linear",
)  # fmt: skip
ONE = Sampling(prompts=1, temperature=1.0, top_k=0, max_new_tokens=1)


class Planted:
    """Rewards (S, A) in [0, 2] of every token after every prompt; special tokens read as nothing.

    The policy is a table, for the model has a logit of its own for every prompt and token.
    """

    def __init__(self):
        choice = ModelChoice(tiny=Shape(width=16, layers=1, heads=2))
        self.backbone = load_backbone(choice, [*WORDS, *PROMPTS], "cpu")
        tokenizer = self.backbone.tokenizer
        self.names = tokenizer.get_vocab()
        self.table = 2 * torch.rand(4, len(tokenizer), generator=torch.Generator().manual_seed(0))
        self.table[:, :4] = self.table[:, 3:4]
        self.ids = encode_prompts(tokenizer, PROMPTS, Limits())

    def reward(self, prompts, texts):
        rows = [PROMPTS.index(prompt) for prompt in prompts]
        return self.table[rows, [self.names.get(text.strip(), 3) for text in texts]]

    def log_policy(self, model):
        """(S, A) log-probabilities of the next token."""
        with torch.no_grad():
            logits = [model(input_ids=torch.tensor([ids])).logits[0, -1] for ids in self.ids]
        return torch.stack(logits).log_softmax(-1)

    def trained(self, kl_weight, sign=1.0):
        return optimised_policy(
            self.backbone.model, self.backbone.tokenizer, PROMPTS * 16,
            lambda prompts, texts: sign * self.reward(prompts, texts), ROLLOUTS, kl_weight, ONE,
            Limits(), 0, "cpu",
        )  # fmt: skip

    def reached(self, log_policy, reference):
        """Mean reward, and KL to the reference in nats."""
        policy = log_policy.exp()
        kl = (policy * (log_policy - reference)).sum(1).mean()
        return float((policy * self.table).sum(1).mean()), float(kl)


def test_reward_rises_and_kl_stays_at_its_weight():
    """Both are those of π_ref·exp(reward/kl_weight), to 2 %; at another weight they are not."""
    planted, kl_weight = Planted(), 1.0
    reference = planted.log_policy(planted.backbone.model)
    start, _ = planted.reached(reference, reference)
    policy, curve = planted.trained(kl_weight)
    found = planted.reached(planted.log_policy(policy), reference)
    best, other = (
        planted.reached((reference + planted.table / weight).log_softmax(-1), reference)
        for weight in (kl_weight, 1.1 * kl_weight)
    )
    assert found == pytest.approx(best, rel=0.02)
    assert found != pytest.approx(other, rel=0.02)
    assert found[0] > start + 0.8 * (best[0] - start)
    assert curve.reward[-10:].mean() > curve.reward[:3].mean() + 0.2
    # at the optimum reward less KL is the same for every token: no noise is left in a step
    assert curve.baseline_error[-10:].mean() < 0.02 * curve.baseline_error[0]
    assert curve.policy_loss.abs().max() < 1e-5  # one step an iteration, at ρ = 1


def test_the_reference_is_the_start_and_not_what_its_folder_holds():
    """A fine-tuned model whose configuration names the one before: KL is to what is passed in."""
    planted = Planted()
    with torch.no_grad():
        planted.backbone.model.lm_head.weight.mul_(3)
    reference = planted.log_policy(planted.backbone.model)
    policy, _ = planted.trained(1000.0)
    assert planted.reached(planted.log_policy(policy), reference)[1] < 0.02


@pytest.mark.parametrize("wrong", [{"responses": 10}, {"to_a_prompt": 1}, {"minibatch": 48}])
def test_groups_that_do_not_fit_are_refused(wrong):
    with pytest.raises(ValueError, match=r"multiple|greater"):
        Rollouts(**{**ROLLOUTS.model_dump(), **wrong})


class Asked(Exception):
    """Where TRL's configuration would be made."""


def test_every_setting_reaches_trl(monkeypatch):
    rollouts = Rollouts(
        iterations=3, responses=24, to_a_prompt=4, epochs=2, minibatch=12, clip=0.3,
        learning_rate=0.02, schedule="cosine", max_grad_norm=0.7,
    )  # fmt: skip
    sampling = Sampling(prompts=1, temperature=0.8, top_k=5, top_p=0.9, max_new_tokens=7)
    words = {}

    def configured(folder, **more):
        words.update(more)
        raise Asked

    monkeypatch.setattr(pytest.importorskip("trl"), "RLOOConfig", configured)
    with pytest.raises(Asked):
        optimised_policy(
            None, None, ["p"] * 5, None, rollouts, 0.25, sampling, Limits(), 2**32 + 9, "cpu"
        )
    expected = {
        "beta": 0.25, "epsilon": 0.3, "num_generations": 4, "generation_batch_size": 24,
        "num_iterations": 2, "per_device_train_batch_size": 12, "gradient_accumulation_steps": 1,
        "max_steps": 12, "num_train_epochs": 4, "learning_rate": 0.02,
        "lr_scheduler_type": "cosine", "max_grad_norm": 0.7, "weight_decay": 0.0, "seed": 9,
        "temperature": 0.8, "top_p": 0.9, "top_k": 5, "max_completion_length": 7,
        "disable_dropout": True, "bf16": False, "use_cpu": True,
    }  # fmt: skip
    assert {name: words[name] for name in expected} == expected


class KnownTrainer:
    """In the place of TRL's: three iterations of four steps with losses that are known."""

    def __init__(self, model, reward_funcs, args, processing_class, train_dataset):
        self.model, self.reward, self.processing_class = model, reward_funcs, processing_class
        self.prompts = train_dataset["prompt"]
        self.accelerator = SimpleNamespace(unwrap_model=lambda model: model)
        self._metrics = {"train": {"reward": []}}

    def remove_callback(self, kind):
        pass

    def train(self):
        assert self.prompts[:] == PROMPTS
        assert self.reward(prompts=["a"], completions=["bb"], others=1) == [12.0]
        texts, _, _ = self._tokenize_prompts(PROMPTS)
        assert texts == encode_prompts(self.processing_class, PROMPTS, Limits(max_prompt_tokens=1))
        for iteration in range(3):
            self._generate_and_score_completions(iteration)
            for step in range(4):
                self._compute_loss(self.model, 10 * iteration + step)

    def _generate_and_score_completions(self, iteration):
        self._metrics["train"]["reward"].append(2.0 * iteration)
        return {"advantages": torch.tensor([iteration, -1.0, 3.0])}

    def _compute_loss(self, model, number):
        return torch.tensor(float(number), requires_grad=True)


class KnownPolicy(torch.nn.Linear):
    """Three weights."""

    def __init__(self):
        super().__init__(2, 1)
        self.config = SimpleNamespace(vocab_size=9, _name_or_path="before")

    def save_pretrained(self, folder):
        self.folder = folder


def known_run(monkeypatch, policy):
    trl = pytest.importorskip("trl")
    monkeypatch.setattr(trl, "RLOOConfig", lambda folder, **words: None)
    monkeypatch.setattr(trl, "RLOOTrainer", KnownTrainer)
    rollouts = ROLLOUTS.model_copy(update={"iterations": 3})

    def reward(prompts, texts):
        pairs = zip(prompts, texts, strict=True)
        return torch.tensor([10.0 * len(prompt) + len(text) for prompt, text in pairs])

    return optimised_policy(
        policy, Letters(), PROMPTS, reward, rollouts, 1.0, ONE, Limits(max_prompt_tokens=1), 0,
        "cpu",
    )  # fmt: skip


class Letters:
    bos_token_id = None

    def __call__(self, texts, add_special_tokens):
        return {"input_ids": [[*map(ord, text)] for text in texts]}


def test_curves_have_a_number_an_iteration(monkeypatch):
    policy = KnownPolicy()
    trained, curve = known_run(monkeypatch, policy)
    assert trained is policy
    assert not trained.training
    assert policy.config._name_or_path == policy.folder
    assert curve.reward.tolist() == [0.0, 2.0, 4.0]
    assert curve.policy_loss.tolist() == [1.5, 11.5, 21.5]
    assert curve.baseline_error.tolist() == pytest.approx([10 / 3, 11 / 3, 14 / 3])


def test_a_weight_that_is_no_number_is_told(monkeypatch):
    policy = KnownPolicy()
    policy.weight.data[0, 1] = math.nan
    with pytest.raises(Diverged, match="RLOO"):
        known_run(monkeypatch, policy)
