"""Worlds of language models: one pipeline for all, labels behind a channel, stages, refusals."""

import json
import math
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from repro.base.errors import BadInput
from repro.base.notation import privacy_cost
from repro.core.fingerprint import fingerprint
from repro.labels.corruption.debiasing import no_debias
from repro.labels.preferences.label_law import fair_coins, no_randomizer, the_opposite, the_truth
from repro.llm.experiments.procedures import MODEL_KEY
from repro.llm.experiments.release_study import Seed
from repro.llm.experiments.worlds import (
    PrivateTuning,
    Work,
    estimated,
    finite_or_nan,
    of_seeds,
    seeds,
)
from repro.llm.training.trainers import Diverged

N_PAIRS = 40_000


@dataclass(frozen=True, eq=False, kw_only=True)
class OneComparison(PrivateTuning):
    """One comparison, many times, that the first response always wins."""

    @property
    def study(self):
        labels = torch.ones(N_PAIRS, dtype=torch.float64)
        return SimpleNamespace(splits=SimpleNamespace(train=SimpleNamespace(labels=labels)))


@pytest.fixture
def many(world):
    return OneComparison(
        model=world.model, data=world.data, procedure=world.procedure, variant="repaired",
        epsilon=0.5,
    )  # fmt: skip


@pytest.fixture
def coins():
    return torch.from_numpy(np.random.default_rng(0).random(N_PAIRS))


def test_a_simulated_release_is_the_channel_s(many, coins):
    drawn = replace(many, epsilon=1.0).released(coins)
    assert set(drawn.tolist()) == {-1.0, 1.0}
    assert float(drawn.mean()) == pytest.approx(1 / privacy_cost(1.0), abs=0.02)
    assert (many.without_privacy().released(coins) == 1).all()


def test_stages_can_be_taken_away(many, coins):
    by_coins = replace(many, labels=fair_coins).released(coins)
    assert float(by_coins.mean()) == pytest.approx(0, abs=0.02)
    assert (replace(many, channel=no_randomizer).released(coins) == 1).all()


@pytest.mark.parametrize("epsilon", [0.1, 0.25, 0.5, 2.0, math.inf])
def test_a_learner_believes_in_the_epsilon_of_its_reading(many, epsilon):
    one = replace(many, epsilon=epsilon)
    assert one.believed == epsilon
    assert replace(one, reading=no_debias).believed == math.inf


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0, math.inf])
def test_what_a_learner_learns_from(many, coins, epsilon):
    seed, one = Seed(coins, 0, 0), replace(many, epsilon=epsilon)
    fitted = one.release(seed)
    assert fitted.epsilon == epsilon
    assert torch.equal(fitted.labels, one.released(coins))
    opposite = replace(one, estimate=the_opposite).release(seed)
    assert opposite.epsilon == epsilon
    assert torch.equal(opposite.labels, -fitted.labels)
    told = replace(one, estimate=the_truth).release(seed)
    assert told.epsilon == math.inf
    assert (told.labels == 1).all()


def test_worlds_that_differ_in_other_fields_share_the_pipeline(world):
    other = replace(world, epsilon=2.0, labels=fair_coins)
    assert other.study is world.study
    assert replace(world, variant="as_published").study is not world.study


def test_what_is_kept_of_a_file_is_not_kept_of_another(world, tmp_path):
    path = tmp_path / "pairs.jsonl"

    def of(words):
        rows = [{"prompt": f"p{k}", "chosen": f"{words} {k}", "rejected": "no"} for k in range(90)]
        path.write_text("\n".join(map(json.dumps, rows)))
        data = world.data.model_copy(update={"path": str(path)})
        return replace(world, data=data)

    one, again, other = of("yes"), of("yes"), of("well")
    assert fingerprint(one) == fingerprint(again) != fingerprint(other)
    assert one.study is again.study is not other.study
    assert replace(one, epsilon=1.0).data == one.data


def test_what_cannot_be_read_is_refused_with_the_world(world):
    with pytest.raises(BadInput, match="worlds.release.data.path=/nowhere: "):
        replace(world, data=world.data.model_copy(update={"path": "/nowhere"}))
    with pytest.raises(BadInput, match=f"{MODEL_KEY}=/nowhere: "):
        replace(world, model=world.model.model_copy(update={"path": "/nowhere"}))


def test_one_seed_that_blows_up_is_one_failed_replicate(world):
    def number(world, algorithm, seed):
        if seed is second:
            raise Diverged
        return algorithm(seed)

    first, second = seeds(world, np.random.default_rng(0), 2)
    quantity = of_seeds("x", number, lambda *_: (first, second))
    rngs = [np.random.default_rng(1)]
    values = quantity.values([world], [lambda seed: 3.0], rngs, 2, [world])
    np.testing.assert_array_equal(values, [[[3.0, np.nan]]])
    assert math.isnan(finite_or_nan(number, world, None, second))


def test_an_estimate_counts_what_is_run(world):
    pytest.importorskip("transformers")
    sweep = SimpleNamespace(worlds=(world,), grid=(1.0, 2.0))
    checks = [SimpleNamespace(name=name, sweep=sweep) for name in ("a", "b")]
    work = {"a": Work(3), "b": Work(0, 2)}
    assert ": 30 policies after" in estimated(work, checks, {"a": 5, "b": 5})  # type: ignore[arg-type]
    assert ": 0 policies after" in estimated(work, checks, {"b": 5})  # type: ignore[arg-type]
