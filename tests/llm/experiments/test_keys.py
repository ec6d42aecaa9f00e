"""What is kept of a training is named by all that its numbers depend on, and by nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from repro.llm.experiments import pessimistic_study, release_study
from repro.llm.experiments.pessimistic_study import PessimisticRelease
from repro.llm.experiments.release_study import Seed, SimulatedRelease
from repro.llm.experiments.reward_head import RewardModel
from repro.llm.training.settings import Training


def study(**changes: Any) -> Any:
    """What a release reads of a study: no model is loaded."""
    own = {
        "procedure": SimpleNamespace(
            kl_weight=0.1, dpo_kl_weight=0.2, preference=Training(), reward="reward",
            rollouts=SimpleNamespace(iterations=1),
        ),
        "data": "pairs", "folder": None, "identity": "identity", "reference": None,
    }  # fmt: skip
    return SimpleNamespace(**own | changes)


class Names(list):
    """Names under which results are looked up, in the place of what is kept."""

    def once(self, release: Any, measure: Any, name: str, size: int) -> np.ndarray:
        self.append(name)
        return np.zeros(size)


@pytest.fixture
def names(monkeypatch):
    found = Names()
    monkeypatch.setattr(SimulatedRelease, "_once", lambda *words: found.once(*words))
    monkeypatch.setattr(
        pessimistic_study, "feature_map",
        lambda study: SimpleNamespace(first=None, second=None, centre=torch.zeros(2)),
    )  # fmt: skip
    monkeypatch.setattr(pessimistic_study, "with_backbone", lambda *words: None)
    return found


LABELS = torch.tensor([1.0, -1.0, 1.0, 1.0])
SEED = Seed(torch.zeros(4), 5, 6)


def all_differ(names: Names, fewest: int) -> None:
    assert len(names) == fewest
    assert len(set(names)) == fewest, names


def test_a_policy_is_named_by_loss_budget_weight_batches_steps_pairs_and_labels(names):
    release = SimulatedRelease(study(), SEED, 1.0, LABELS)
    weight = SimpleNamespace(kl_weight=0.3, preference=Training())
    steps = SimpleNamespace(kl_weight=0.1, preference=Training(epochs=2))
    release.reached("rdpo")
    release.reached("dpo")
    for changes in (
        {"epsilon": 2.0}, {"labels": LABELS.flip(0)}, {"labels": -LABELS},
        {"seed": replace(SEED, order=7)}, {"study": study(data="other pairs")},
        {"study": study(procedure=weight)}, {"study": study(procedure=steps)},
    ):  # fmt: skip
        replace(release, **changes).reached("rdpo")
    release.at_first_steps(0.1).reached("rdpo")
    release.at_first_steps(0.2).reached("rdpo")
    all_differ(names, 11)
    release.longest()
    assert names[-1] == "longest"
    before = names[0]
    for changes in ({"seed": replace(SEED, draw=9)}, {"seed": replace(SEED, coins=LABELS)}):
        replace(release, **changes).reached("rdpo")  # the draw is in the block's key
        assert names[-1] == before


def test_a_reward_and_what_is_optimised_against_it_are_named_by_all_they_read(names):
    release = PessimisticRelease(study(), SEED, 1.0, LABELS, pessimism=1.0)
    _ = release.reward
    for changes in (
        {"epsilon": 2.0}, {"labels": -LABELS}, {"seed": replace(SEED, order=7)},
        {"study": study(data="other pairs")},
        {"study": study(procedure=SimpleNamespace(reward="other"))},
    ):  # fmt: skip
        _ = replace(release, **changes).reward
    all_differ(names, 6)
    assert all(name.startswith("head-") for name in names)
    names.clear()
    model = RewardModel(None, torch.tensor([1.0, 2.0]), 1.0)  # type: ignore[arg-type]
    release.optimised(model)
    release.optimised(model, -1.0)
    release.optimised(replace(model, head=torch.tensor([2.0, 1.0])))
    rollouts = SimpleNamespace(iterations=2)
    for changes in (
        {"epsilon": 2.0}, {"pessimism": -1.0}, {"study": study(data="other pairs")},
        {"study": study(procedure=SimpleNamespace(rollouts=rollouts))},
    ):  # fmt: skip
        replace(release, **changes).optimised(model)
    all_differ(names, 7)


def test_a_block_is_named_by_code_machine_study_draw_and_name(monkeypatch):
    found = []

    class Store:
        def __init__(self, folder: Any) -> None:
            assert folder.name == "reached"

        def read(self, block: Any, shape: tuple[int, ...]) -> np.ndarray:
            found.append(block.key)
            return np.zeros(shape)

    monkeypatch.setattr(release_study, "BlockStore", Store)
    monkeypatch.setattr(release_study, "machine", lambda: "machine")
    monkeypatch.setattr(release_study, "code_fingerprint", lambda *modules: "code")
    kept = study(folder=Path("kept"))
    release = SimulatedRelease(kept, SEED, 1.0, LABELS)
    release.longest()
    release.reached("rdpo")
    for changes in (
        {"study": study(folder=Path("kept"), identity="other")},
        {"seed": replace(SEED, draw=7)},
    ):
        replace(release, **changes).longest()
    monkeypatch.setattr(release_study, "machine", lambda: "other")
    release.longest()
    monkeypatch.setattr(release_study, "code_fingerprint", lambda *modules: "other")
    release.longest()
    all_differ(Names(found), 6)
