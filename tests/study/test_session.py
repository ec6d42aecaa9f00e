"""A checked session and its shipped keys: what each value becomes, and what is refused."""

from __future__ import annotations

import pytest
from sqlalchemy.engine import make_url

from repro.base.device import resolve_device
from repro.base.errors import BadInput
from repro.base.places import install_hint
from repro.core.stages import in_words
from repro.labels.preferences.label_law import the_opposite, the_truth
from repro.report.tracking_store import sqlite_path
from repro.study import settings
from repro.study.blocks import content_key
from repro.study.composition import compose_values
from repro.study.settings import session_of


def values(**changes):
    return compose_values("kl_contraction", {}, ["tracking=none"]) | changes


@pytest.fixture(scope="module")
def plain():
    return values()


def test_a_session_holds_every_value_of_its_config(plain, tmp_path):
    found = session_of(plain | {"output_dir": str(tmp_path / "out"), "dry_run": True, "seed": 7})
    assert found.output_dir == tmp_path / "out"
    assert found.dry_run is True
    assert found.plan.setting.cache == tmp_path / "out" / ".cache" / "features"
    assert (found.plan.seed, found.plan.slug, found.plan.only) == (7, "kl_contraction", None)
    assert found.plan.setting.device == found.config["device"]
    assert found.plan.setting.instance == found.config["instance"]
    unchosen = {"channel", "regulariser", "reward_class"}  # left out while they are the paper's own
    assert set(found.config) == {"code", *plain} - set(settings.NOT_IN_THE_HASH) - unchosen
    assert {"compute", "theorems_from", "output_dir"} <= set(settings.NOT_IN_THE_HASH)
    assert found.config_hash == content_key(found.config)[:12]
    cached = session_of(plain | {"output_dir": str(tmp_path), "feature_cache": str(tmp_path / "c")})
    assert cached.plan.setting.cache == tmp_path / "c"
    assert cached.dry_run is False


@pytest.mark.parametrize(
    ("key", "value"),
    [("quiet", True), ("verbose", True), ("dry_run", True), ("feature_cache", "tables"),
     ("output_dir", "elsewhere"), ("compute", {"kind": "local", "workers": 3, "address": None}),
     ("tracking", {"kind": "mlflow", "uri": "http://x", "experiment": "mine"})],
)  # fmt: skip
def test_how_a_run_is_made_does_not_name_it(plain, monkeypatch, tmp_path, key, value):
    monkeypatch.chdir(tmp_path)
    assert session_of(plain | {key: value}).config_hash == session_of(plain).config_hash


def test_how_much_is_shown(plain, tmp_path):
    def detail(**switches):
        return session_of(plain | {"output_dir": str(tmp_path), **switches}).detail

    assert [detail(), detail(quiet=True), detail(verbose=True)] == ["checks", "verdict", "all"]
    with pytest.raises(BadInput, match="^quiet=True: allowed with verbose=true: false"):
        detail(quiet=True, verbose=True)


def test_another_object_of_a_stage_is_another_run(tmp_path):
    given = compose_values("randomized_response", {}, ["tracking=none", f"output_dir={tmp_path}"])
    runs = [session_of(given | {"stages": {"estimate": law}}) for law in (the_truth, the_opposite)]
    assert len({session_of(given).config_hash, *(run.config_hash for run in runs)}) == 3
    assert [run.config["stages"] for run in runs] == [
        in_words({"estimate": law}) for law in (the_truth, the_opposite)
    ]


def test_paths_are_made_absolute(plain, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = session_of(plain | {"output_dir": "~/out", "feature_cache": "cache"})
    assert found.output_dir == tmp_path / "home" / "out"
    assert found.plan.setting.cache == tmp_path / "cache"


@pytest.mark.parametrize("uri", [None, "http://127.0.0.1:5000"])
def test_where_runs_are_recorded(plain, tmp_path, uri):
    tracking = {"kind": "mlflow", "uri": uri, "experiment": "mine"}
    found = session_of(plain | {"output_dir": str(tmp_path), "tracking": tracking})
    default = f"sqlite:///{tmp_path / 'mlflow.db'}"
    assert found.tracking_values() == {
        "kind": "mlflow", "uri": uri or default, "experiment": "mine"
    }  # fmt: skip


@pytest.mark.parametrize("name", ["plain", "a%20b", "a?b=c", "a b#é", "100%"])
def test_the_default_store_is_in_the_output_folder_whatever_its_name(plain, tmp_path, name):
    tracking = {"kind": "mlflow", "uri": None, "experiment": "mine"}
    session = session_of(plain | {"output_dir": str(tmp_path / name), "tracking": tracking})
    uri = session.tracking_values()["uri"]
    assert sqlite_path(uri) == tmp_path / name / "mlflow.db"
    assert make_url(uri).database == str(tmp_path / name / "mlflow.db")  # MLflow's reading


@pytest.mark.parametrize("workers", [1, 1024, "auto"])
def test_workers_allowed(plain, workers):
    compute = {"kind": "local", "workers": workers, "address": None}
    assert session_of(plain | {"compute": compute}).compute.workers == workers


@pytest.mark.parametrize("workers", [0, 1025, True, "2", 1.0, None])
def test_workers_refused(plain, workers):
    compute = {"kind": "local", "workers": workers, "address": None}
    with pytest.raises(BadInput, match=r"workers.*a whole number from 1 to 1024, or auto"):
        session_of(plain | {"compute": compute})


@pytest.mark.parametrize(
    ("asked", "available", "expected"),
    [("cpu", True, "cpu"), ("auto", True, "cuda"), ("auto", False, "cpu"), ("cuda", True, "cuda")],
)
def test_devices(monkeypatch, asked, available, expected):
    monkeypatch.setattr("torch.cuda.is_available", lambda: available)
    assert resolve_device(asked) == expected


def test_a_device_that_is_absent_is_refused(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(BadInput) as refused:
        resolve_device("cuda")
    assert str(refused.value) == "device=cuda: no CUDA device here; allowed: cpu, auto"


USELESS = {
    "horizon=5": "; allowed: epsilon, kl_weight, n_pairs",
    "instance.num_states=12 only=[num_states]": " with only=num_states; allowed: epsilon, n_pairs",
    "theorem.worlds.features.instance.num_features=7 only=[num_features]": (
        " with only=num_features; allowed: epsilon, n_pairs"
    ),
    "epsilon=0.3 only=[reward_bound_eps_one]": (
        " with only=reward_bound_eps_one: reward_bound_eps_one has its own, so set"
        " theorem.sweeps.reward_bound_eps_one.epsilon=0.3; allowed: n_pairs"
    ),
    "n_pairs=1000000 only=[n_pairs]": (
        " with only=n_pairs: n_pairs sweeps it, so set theorem.sweeps.n_pairs.grid=[...];"
        " allowed: epsilon, kl_weight"
    ),
}


def offline(words):
    keys = [word for word in words.split() if not word.startswith("only")]
    only = [word.partition("[")[2][:-1] for word in words.split() if word.startswith("only")]
    given = {"only": only} if only else {}
    return compose_values("offline_gap", {}, ["tracking=none", *keys]) | given


@pytest.mark.parametrize("words", USELESS)
def test_an_override_that_changes_nothing_is_refused(words):
    with pytest.raises(BadInput) as refused:
        session_of(offline(words))
    key, _, value = words.split()[0].partition("=")
    line = f"{key}={value}: changes nothing in offline_gap{USELESS[words]}"
    assert str(refused.value) == line


@pytest.mark.some(3)
@pytest.mark.parametrize(
    "words",
    ["epsilon=0.5", "n_pairs=1000000", "kl_weight=0.7 only=[n_pairs]", "instance.num_states=12",
     "theorem.worlds.features.instance.num_states=17", "+theorem.sweeps.n_pairs.epsilon=2",
     "theorem.worlds.instance.failure_prob=0.04 only=[bonus_covers]",
     "theorem.worlds.instance.scale=0.2"],
)  # fmt: skip
def test_an_override_that_changes_something_is_taken(words):
    assert session_of(offline(words)).plan.slug == "offline_gap"


def test_numbers_that_are_not_the_shipped_ones_are_recorded_by_their_path():
    grid = "theorem.sweeps.n_pairs.grid=[1e6,1e7,1e8,1e9]"
    given = session_of(offline(f"theorem.sweeps.n_pairs.epsilon=8 {grid} instance.num_states=12"))
    assert given.config["changed"] == {
        "theorem.sweeps.n_pairs.grid": [1e6, 1e7, 1e8, 1e9],
        "theorem.sweeps.n_pairs.epsilon": 8,
        "instance.num_states": 12,
    }
    assert "changed" not in session_of(offline("epsilon=0.5")).config
    replaced = session_of(offline("stages.pessimism=none stages.labels=fair_coins"))
    assert replaced.config["changed"] == {
        "stages.pessimism": "none", "stages.labels": "fair_coins"
    }  # fmt: skip
    with pytest.raises(
        BadInput, match=r"^theorem.sweeps.n_pairs.epsilom=\(unknown\): did you mean"
    ):
        session_of(offline("theorem.sweeps.n_pairs.epsilom=8"))


def test_another_constant_of_the_same_config_has_another_name(monkeypatch, plain):
    named = session_of(plain).config_hash
    monkeypatch.setattr(settings, "files_fingerprint", lambda files: "of another constant")
    assert session_of(plain).config_hash != named


def test_one_override_without_effect_beside_one_with(plain):
    with pytest.raises(BadInput, match=r"^horizon=5: changes nothing"):
        session_of(offline("epsilon=0.5 horizon=5"))


@pytest.mark.parametrize(
    ("kind", "device", "there", "refused"),
    [
        ("ray", "cuda", True, "compute=ray: allowed with device=cuda: local"),
        ("ray", "cpu", None, f"compute=ray: needs {install_hint('ray')}; allowed: local"),
        ("ray", "cpu", True, None),
        ("local", "cuda", None, None),
        ("local", "cpu", None, None),
    ],
)
def test_what_ray_can_do(plain, monkeypatch, kind, device, there, refused):
    monkeypatch.setattr(settings, "find_spec", lambda name: there if name == "ray" else None)
    monkeypatch.setattr(settings, "resolve_device", lambda asked: device)
    compute = {"kind": kind, "workers": 1, "address": None}
    if refused is None:
        assert session_of(plain | {"compute": compute}).compute.kind == kind
        return
    with pytest.raises(BadInput) as found:
        session_of(plain | {"compute": compute})
    assert str(found.value) == refused


def test_text_is_named_by_its_digest_and_other_instances_by_all_they_have():
    first = {"instance": {"path": "a", "digest": "d"}, "seed": 1, "theorem": {}}
    named = content_key({"instance": {"digest": "d"}, "seed": 1, "theorem": {}})
    assert settings._hash(first) == named[:12]
    assert first["instance"] == {"path": "a", "digest": "d"}
    other = {"instance": {"path": "a", "digest": None}, "seed": 1}
    assert settings._hash(other) == content_key(other)[:12]


def test_a_check_that_there_is_not_is_refused_before_anything_is_written(plain):
    with pytest.raises(BadInput, match=r"^only=no_such_check: "):
        session_of(plain | {"only": ["no_such_check"]})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"seed": 0}, {"seed": 0.0}),
        ({"seed": 0}, {"seed": -0.0}),
        ({"only": ["tight", "random_channels"]}, {"only": ["random_channels", "tight"]}),
        ({"only": "tight"}, {"only": ["tight", "tight"]}),
    ],
)
def test_equal_runs_have_equal_names(plain, one, other):
    first, second = session_of(plain | one), session_of(plain | other)
    assert first.config_hash == second.config_hash
    assert repr(first.config) == repr(second.config)
    assert first.config_hash != session_of(plain | {"seed": 1}).config_hash
