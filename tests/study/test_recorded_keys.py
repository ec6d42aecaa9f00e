"""Which keys of a run change its hash, its config.yaml, its blocks' keys and where it is recorded.

``python -m pytest tests/study/test_recorded_keys.py --snapshot-update -n 0`` renews the record.
"""

import copy
import re

import pytest

from repro.base.errors import BadInput
from repro.study import plan as plans
from repro.study import settings
from repro.study.composition import compose_values
from repro.study.experiment import Budget, Overrides
from repro.study.plan import blocks_of
from repro.study.settings import Compute, RunConfig, Tracking, session_of

CHANGES = {
    "seed": [1],
    "epsilon": [0.5, 1.0],
    "n_pairs": [1000, 1000.0],
    "horizon": [7],
    "kl_weight": [2.0],
    "only": [["n_pairs"], ["n_pairs_no_bonus", "n_pairs"], ["n_pairs", "n_pairs_no_bonus"]],
    "device": ["auto", "cuda"],
    "output_dir": ["elsewhere"],
    "feature_cache": ["tables"],
    "dry_run": [True],
    "verbose": [True],
    "quiet": [True],
    "stages": [{"labels": "fair_coins"}, {"order": "ctl"}],
    "theorems_from": ["."],
    "budget.name": ["paper"],
    "budget.replicates": [200],
    "budget.blocks": [10],
    "budget.check_error": [0.01],
    "tracking.kind": ["none"],
    "tracking.uri": ["sqlite:///here.db"],
    "tracking.experiment": ["another"],
    "compute.kind": ["ray"],
    "compute.workers": [2, "auto"],
    "compute.address": ["here"],
    "instance.seed": [5],
    "instance.radius": [2.0],
    "instance.kind": ["preference_text"],
    "theorem.worlds": [{}],
    "theorem.sweeps.n_pairs.grid": [[1e3, 1e4, 1e5]],
    "theorem.sweeps.n_pairs.replicates": [2],
    "theorem.name": ["no_such"],
    "channel": [
        {"kind": "mixture", "truth": 0.5, "always_yes": 0.25},
        {"kind": "mixture", "truth": 1.0, "always_yes": 0.0},
        {"kind": "flips", "p0": 0.35, "p1": 0.4, "epsilon": 1.0},
    ],
    "regulariser": [{"terms": [[1, 2]]}, {"terms": [[1, 1]]}],
    "reward_class": [{"kind": "box", "half_width": 2.0}, {"kind": "ball"}],
}


def put(values, path, value):
    """A copy with another value at a path."""
    changed = copy.deepcopy(values)
    *above, last = path.split(".")
    inner = changed
    for key in above:
        inner = inner[key]
    inner[last] = value
    return changed


def seen(session):
    """What may differ between two sessions, by name."""
    hydra = {"config_hash": session.config_hash}
    blocks = [block.key for block in blocks_of(session.plan)]
    config = {f"config {key}": value for key, value in session.config.items()}
    own = {"tracking": session.tracking_values(), "compute": session.compute,
           "folder": session.output_dir, "dry_run": session.dry_run, "detail": session.detail,
           "cache": session.plan.setting.cache}  # fmt: skip
    return {**hydra, "blocks": blocks, **config, **own}


def differences(before, after):
    """Names of what differs, and the words of config.yaml that do."""
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            words = after.get(name, "gone") if name.startswith("config ") else ""
            yield f"  {name} {'' if name == 'config theorem' else words}".rstrip()


@pytest.fixture
def alike(monkeypatch, tmp_path):
    """One code, one machine, one folder; no device."""
    monkeypatch.setattr(plans, "code_fingerprint", lambda *modules: f"code of {modules}")
    monkeypatch.setattr(plans, "machine", lambda: "a machine")
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr(settings, "find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_key_of_a_run(alike, snapshot):
    base = compose_values("offline_gap", {}, ["budget=smoke"])
    before, lines = seen(session_of(base)), []
    for path, values in CHANGES.items():
        for value in values:
            lines.append(f"{path}={value}")
            try:
                lines += differences(before, seen(session_of(put(base, path, value))))
            except (BadInput, ValueError) as problem:
                lines.append(f"  refused: {problem}")
    said = re.sub(r"function \w{12}|-[ce] '?/\S+", "…", "\n".join(lines))
    assert said.replace(str(alike), "HERE") == snapshot


def test_every_key_of_a_run_is_changed():
    groups = {"budget": Budget, "tracking": Tracking, "compute": Compute}
    below = {f"{group}.{key}" for group, model in groups.items() for key in model.model_fields}
    alone = {*RunConfig.model_fields} - {*groups, "theorem", "instance"}
    assert {path for path in CHANGES if not path.startswith(("theorem.", "instance."))} == {
        *below, *alone
    }  # fmt: skip
    assert {*Overrides.model_fields} <= alone


def test_what_is_given_last_counts():
    assert compose_values("rdpo_identity", {"seed": 1}, ["seed=2"])["seed"] == 2
