"""RLOO on a task with a known optimum: a table of rewards, one token a response."""

import pytest
import torch

from repro.llm.training.backbone import load_backbone
from repro.llm.training.encoding import encode_prompts
from repro.llm.training.policy_gradient import Rollouts, optimised_policy
from repro.llm.training.settings import Limits, ModelChoice, Sampling, Shape

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
