"""What is checked before a sweep: each job is composed and checked once."""

from types import SimpleNamespace

import pytest
from omegaconf import OmegaConf

from repro.commands.runs import validation
from repro.commands.runs.validation import compose_once
from repro.study.settings import session_of


def composing(most):
    """A loader with the memory in place, and the overrides that it has composed."""
    composed = []

    def load_sweep_config(master_config, sweep_overrides):
        composed.append(tuple(sweep_overrides))
        return OmegaConf.merge(master_config, OmegaConf.from_dotlist(sweep_overrides))

    loader = SimpleNamespace(load_sweep_config=load_sweep_config)
    compose_once(loader, most)
    return loader, composed


def test_each_job_is_composed_once_and_every_config_is_its_own():
    loader, composed = composing(most=2)
    master = OmegaConf.create({"seed": 0})
    for seed in (1, 2, 1, 2):
        config = loader.load_sweep_config(master_config=master, sweep_overrides=[f"seed={seed}"])
        assert config == {"seed": seed}
        config.seed = 99  # as the launcher sets a job's number
    assert composed == [("seed=1",), ("seed=2",)]


def test_only_so_many_configs_are_kept():
    loader, composed = composing(most=1)
    for seed in (1, 2, 1, 2):
        assert loader.load_sweep_config(OmegaConf.create({}), [f"seed={seed}"]) == {"seed": seed}
    assert composed == [("seed=1",), ("seed=2",), ("seed=2",)]


def test_each_job_of_a_sweep_is_checked_once_and_nothing_is_kept(command, monkeypatch):
    checked = []

    def counted(values):
        checked.append(values["theorem"]["name"])
        return session_of(values)

    monkeypatch.setattr(validation, "session_of", counted)
    words = ("theorem=label_masks,rdpo_identity", "budget=smoke", "tracking=none")
    assert command("-m", *words, "compute.workers=1")[0] == 0
    assert sorted(checked) == ["label_masks", "rdpo_identity"]
    assert not validation._checked_already


@pytest.mark.parametrize(("path", "kept"), [(None, 1), ("pairs.jsonl", 0)])
def test_a_job_on_files_is_checked_again_when_it_begins(monkeypatch, path, kept):
    setting = SimpleNamespace(instance={"kind": "any", "path": path})
    session = SimpleNamespace(plan=SimpleNamespace(setting=setting))
    monkeypatch.setattr(validation, "_check", lambda job: session)
    monkeypatch.setattr(validation, "_checked_already", {})
    assert list(validation._checked([OmegaConf.create({"seed": 0})])) == [session]
    assert len(validation._checked_already) == kept
