"""``compute=ray`` where it cannot be used: one line, status 2."""

import pytest

from repro.base.errors import BadInput
from repro.study import settings
from repro.study.composition import compose_values


def _session(*overrides):
    words = ["tracking=none", *overrides]
    return settings.session_of(compose_values("kl_contraction", {}, words))


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(settings, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match="^compute=ray: needs pip install .*allowed: local$"):
        _session("compute=ray")


def test_a_device_is_not_shared_by_ray(monkeypatch):
    monkeypatch.setattr(settings, "resolve_device", lambda device: "cuda")
    with pytest.raises(BadInput, match=r"^compute=ray: allowed with device=cuda: local$"):
        _session("compute=ray")


def test_the_choice_does_not_rename_the_results(monkeypatch):
    monkeypatch.setattr(settings, "find_spec", lambda name: True)
    assert _session("compute=ray").config_hash == _session().config_hash
