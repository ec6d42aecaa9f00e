"""What is checked before a sweep: each job's config is composed once."""

from types import SimpleNamespace

from omegaconf import OmegaConf

from repro.cli.validation import compose_once


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
