"""Experiments on language models as configuration: pairs, and what is done to a model."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from repro.base.schema import Finite, KLWeight, Model, Positive, Whole
from repro.llm.training.policy_gradient import Rollouts
from repro.llm.training.settings import Count, Limits, Sampling, Seed, Text, Training

PIPELINE = "theorem.worlds.release"
"""Where a config has the model, the pairs and the procedure; other worlds of a theorem read them
there."""
MODEL_KEY = f"{PIPELINE}.model.path"


class DataChoice(Limits):
    """The preference pairs.

    Attributes:
        path: a file, folder or hub id; null generates financial decisions (a substitute).
        n_pairs: pairs that are trained on; of a file, the first ones.
        held_out: pairs behind them that no training sees.
        judge_pairs: of a file, pairs behind these that only the judge is fitted to.
        seed: of generated pairs.
        digest: of what the file holds, worked out when it is first read: what is kept of one file
            is not kept of another in its place.
    """

    path: Text | None
    n_pairs: Count
    held_out: Count
    judge_pairs: Annotated[Whole, Field(ge=0, le=10**8)]
    seed: Seed
    digest: str | None = None


def _address(text: str) -> str:
    if not re.fullmatch(r"https?://\S+", text):
        raise ValueError("an address that begins with http:// or https://")
    return text


class ChatChoice(Model):
    """A chat model that judges; off by default, for it is sent prompts and responses.

    Attributes:
        endpoint: an OpenAI-compatible address, up to and with ``/v1``.
        model: as the server calls it.
        timeout: seconds for one answer.
    """

    endpoint: Annotated[str, AfterValidator(_address)]
    model: Text
    timeout: Positive = 60.0


class Procedure(Model):
    """What is done to a model, from fine-tuning to the judge.

    Attributes:
        sft: supervised fine-tuning.
        preference: optimisation from private labels.
        kl_weight: β of P2 and P4.
        sampling: for the judge.
        judge: a chat model that is asked in the place of the planted or fitted reward.
    """

    sft: Training
    preference: Training
    kl_weight: KLWeight
    sampling: Sampling
    judge: ChatChoice | None = None


class RewardTraining(Model):
    """A reward model behind P1's Algorithm 1, and its pessimism.

    Attributes:
        whole: steps on backbone and head, after the head alone was fitted; null for none.
        pooling: features of the end token, as P1 has it, or the mean over the response, which
            carries its words in a model too small to gather them at the end; ``whole`` needs
            ``end``, which transformers' reward models read.
        clip: rewards lie in [−clip, clip].
        ridge: of the bonus and of the head, in squared units of the standardised features.
        coefficient: of the bonus at c(ε) = 1; it is multiplied by c(ε).
    """

    whole: Training | None
    pooling: Literal["end", "mean"]
    clip: Positive
    ridge: Positive
    coefficient: Annotated[Finite, Field(ge=0)]

    @model_validator(mode="after")
    def _whole_reads_the_end(self) -> RewardTraining:
        if self.whole is not None and self.pooling != "end":
            raise ValueError("a backbone is trained (whole) on features of the end token alone")
        return self


class PessimisticProcedure(Procedure):
    """P1's pipeline.

    Attributes:
        reward: of the private reward model.
        samples: K responses of the reference that the policy reweights.
        rollouts: how a policy is optimised step by step, by RLOO in the place of PPO.
        dpo_kl_weight: β of the DPO baseline.
    """

    reward: RewardTraining
    samples: Annotated[Whole, Field(ge=2, le=10**4)]
    rollouts: Rollouts
    dpo_kl_weight: KLWeight

    @property
    def reward_epochs(self) -> int:
        """Passes over the data in which a backbone is trained for one reward model."""
        return 0 if self.reward.whole is None else self.reward.whole.epochs


class ChipoProcedure(Procedure):
    """P2's χPO: as DPO, with an implicit reward that is clipped.

    Attributes:
        reward_bound: R_max; reward differences are clipped to ±2·R_max.
    """

    reward_bound: Positive
