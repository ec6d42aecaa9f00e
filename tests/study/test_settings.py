"""Config hashes: what the numbers depend on, and nothing else."""

import pytest

from repro.base.errors import BadInput
from repro.study.composition import compose_values
from repro.study.settings import session_of


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """What a session keeps stands below its output_dir, here x."""
    monkeypatch.chdir(tmp_path)


def session(*overrides, **values):
    return session_of({**compose_values("offline_gap", values, overrides), "output_dir": "x"})


def test_hash_is_stable_within_a_version():
    assert session().config_hash == session().config_hash
    assert len(session().config_hash) == 12


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "same", ["compute.workers=2", "tracking=none", "tracking.uri=http://x", "device=auto"]
)
def test_how_it_is_run_does_not_change_the_hash(same, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert session(same).config_hash == session().config_hash


@pytest.mark.some(4)
@pytest.mark.parametrize(
    "other",
    ["seed=1", "epsilon=0.5", "n_pairs=1000", "kl_weight=2", "budget=smoke",
     "theorem.worlds.instance.scale=0.2", "instance.seed=3", "instance=preference_text"],
)  # fmt: skip
def test_what_is_run_changes_the_hash(other):
    assert session(other).config_hash != session().config_hash


def test_text_is_hashed_by_content_not_by_path(tmp_path):
    from repro.labels.preferences.synthetic_pairs import synthetic_pairs

    def write(name, pairs):
        import json

        path = tmp_path / name
        path.write_text("".join(json.dumps(vars(pair)) + "\n" for pair in pairs))
        return session("instance=preference_text", f"instance.path={path}").config_hash

    pairs = synthetic_pairs(60)
    assert write("a.jsonl", pairs) == write("b.jsonl", pairs)
    assert write("c.jsonl", pairs[1:]) != write("a.jsonl", pairs)


def test_epsilon_infinite_composes():
    assert session(epsilon=float("inf")).plan.setting.overrides.epsilon == float("inf")


def test_an_instance_without_sweeps_is_refused():
    values = compose_values("offline_gap", {}, ["instance=preference_text"])
    theorem = dict(values["theorem"]) | {"instances": {}}
    with pytest.raises(BadInput, match=r"^theorem\.instances\.preference_text=\(missing\)"):
        session_of({**values, "theorem": theorem, "output_dir": "x"})
    with pytest.raises(BadInput, match="lower_bound allows: linear"):
        session_of(compose_values("lower_bound", {}, ["instance=preference_text"]))


def test_the_instance_is_kept_as_plain_values(tmp_path):
    """Several files are a list, as YAML and JSON have it."""
    import json

    from repro.labels.preferences.synthetic_pairs import synthetic_pairs

    pairs = synthetic_pairs(60)
    for name, part in (("a", pairs[:30]), ("b", pairs[30:])):
        lines = "".join(json.dumps(vars(pair)) + "\n" for pair in part)
        (tmp_path / f"{name}.jsonl").write_text(lines, "utf-8")
    files = [str(tmp_path / f"{name}.jsonl") for name in "ab"]
    found = session("instance=preference_text", f"instance.path=[{','.join(files)}]")
    assert found.plan.setting.instance["path"] == files
    assert len(found.plan.setting.instance["digest"]) > 10


def test_a_session_compares_its_keys_with_the_shipped_ones():
    values = compose_values("offline_gap", {}, [])
    theorem = dict(values["theorem"]) | {"sweeps": {**values["theorem"]["sweeps"], "no": {}}}
    with pytest.raises(BadInput, match=r"^theorem\.sweeps\.no=\(unknown\)"):
        session_of({**values, "theorem": theorem, "output_dir": "x"})
