"""Bad input: one clear line naming the key, status 2, nothing written."""

import pytest

CASES = {
    "unknown theorem": (
        "theorem=offline_gpa",
        "theorem=offline_gpa: no such experiment; did you mean offline_gap? repro run --help",
    ),
    "unknown key": ("epsilonn=1", "epsilonn: unknown key; did you mean epsilon?"),
    "the papers' letter": (
        "beta=1",
        "beta: unknown key; allowed: kl_weight (in P1, β is 1/kl_weight)",
    ),
    "unknown nested key": (
        "theorem.worlds.linear.scal=1",
        "theorem.worlds.linear.scal=(unknown): did you mean scale?",
    ),
    "added key": (
        "+theorem.worlds.linear.scal=1",
        "theorem.worlds.linear.scal=(unknown): did you mean",
    ),
    "added top key": ("+a=1", "a=1: unknown key"),
    "unknown group option": ("budget=huge", "budget=huge: allowed: laptop, paper, smoke"),
    "unknown instance": ("instance=nope", "instance=nope: "),
    "unknown channel": ("channel=nope", "channel=nope: allowed: flips"),
    "channel outside the polytope": (
        "channel=flips channel.p0=0.2",
        "channel=p0=0.2, p1=0.4: not 1-private; allowed: ",
    ),
    "f not convex at 1": ("regulariser.terms=[[1,1],[-2,2]]", "regulariser.terms=[[1.0, 1.0], [-2"),
    "channel without effect": (
        "channel=skewed only=[kl_weight]",
        "channel=LabelMixture(truth=0.7, yes=0.25): changes nothing",
    ),
    "unknown class": ("reward_class=cone", "reward_class=cone: allowed: ball, box, finite"),
    "finite class too large": (
        "reward_class=finite reward_class.size=100000",
        "reward_class.size=100000: allowed: ",
    ),
    "class without effect": (
        "reward_class=box only=[kl_weight]",
        "reward_class=Box(half_width=1.0): changes nothing",
    ),
    "class of another theorem": (
        "theorem=kl_contraction reward_class=box",
        "reward_class=Box(half_width=1.0): changes nothing in kl_contraction",
    ),
    "epsilon 0": ("epsilon=0", "epsilon=0: too small; allowed: "),
    "epsilon negative": ("epsilon=-1", "epsilon=-1: too small; allowed: "),
    "epsilon text": ("epsilon=abc", "epsilon=abc: not a number; allowed: 1e-6 to"),
    "epsilon nan": ("epsilon=nan", "epsilon=nan: not a number; allowed: "),
    "epsilon empty": ("epsilon=", "epsilon: not a number; allowed: 1e-6 to"),
    "epsilon boolean": ("epsilon=true", "epsilon=True: not a number; allowed: 1e-6 to"),
    "epsilon of YAML": (
        "epsilon=.inf",
        "epsilon=.inf: not a number; allowed: 1e-6 to 100, or inf for no privacy",
    ),
    "n_pairs 0": ("n_pairs=0", "n_pairs=0: allowed: "),
    "n_pairs fraction": ("n_pairs=1.5", "n_pairs=1.5: allowed: a whole number"),
    "n_pairs infinite": ("n_pairs=1e400", "n_pairs=inf: allowed: a whole number"),
    "n_pairs too large": ("n_pairs=1e16", "n_pairs=1e+16: allowed: "),
    "kl_weight 0": ("kl_weight=0", "kl_weight=0: allowed: "),
    "kl_weight negative": ("kl_weight=-0.5", "kl_weight=-0.5: allowed: "),
    "unused horizon": ("horizon=10", "horizon=10: changes nothing in offline_gap"),
    "epsilon that a check sweeps": (
        "only=privacy_cost epsilon=4",
        "so set theorem.sweeps.privacy_cost.grid=[...] of privacy cost c(ε); ",
    ),
    "list without brackets": (
        "theorem.sweeps.n_pairs.grid=1e5,1e6",
        'theorem.sweeps.n_pairs.grid=1e5,1e6: allowed: a list "theorem.sweeps.n_pairs.grid=[1e5,',
    ),
    "seed": ("seed=-1", "seed=-1: allowed: "),
    "seed fraction": ("seed=0.5", "seed=0.5: allowed: a whole number"),
    "workers": ("compute.workers=0", "compute.workers=0: allowed: a whole number from 1"),
    "tracking": ("tracking.kind=paper", "tracking.kind=paper: allowed: 'none' or 'mlflow'"),
    "device": ("device=tpu", "device=tpu: allowed: "),
    "output folder": ("output_dir=", "output_dir: allowed: "),
    "unknown user": (
        "output_dir='~nosuchuser/x'",
        "output_dir=~nosuchuser/x: has no home folder; allowed: a path without ~",
    ),
    "unknown user of a cache": (
        "feature_cache='~nosuchuser/x'",
        "feature_cache=~nosuchuser/x: has",
    ),
    "unknown check": ("only=[n_pair]", "only=n_pair: did you mean n_pairs?"),
    "no check": ("only=[]", "only: allowed: "),
    "bad grammar": ("epsilon", "has no value"),
    "grid": ("theorem.sweeps.n_pairs.grid=[1]", "theorem.sweeps.n_pairs.grid"),
    "sweep missing": ("~theorem.sweeps.n_pairs", "a value is required"),
    "features": ("instance.num_features=99", "num_features at most"),
    "too many text features": (
        "instance=preference_text instance.num_features=500",
        "instance.num_features=500",
    ),
    "too few text features": (
        "instance=preference_text instance.num_features=4",
        "instance.num_features=4",
    ),
    "no such file": (
        "instance=preference_text instance.path=/nowhere.jsonl",
        "instance.path=/nowhere.jsonl: there is no such file",
    ),
}


@pytest.mark.some(15)
@pytest.mark.parametrize(("words", "line"), CASES.values(), ids=CASES)
def test_one_line_and_nothing_written(command, tmp_path, words, line):
    status, out, err = command(*words.split())
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert line in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('{"prompt": "a", "chosen": "b"}\n', "line 1: field 'rejected' is missing"),
        ('{"prompt": "a", "chosen": "b", "rejected": "c"}\n{bad\n', "line 2: not valid JSON"),
        ("", "holds no pairs"),
        ('{"prompt": "a", "chosen": "b", "rejected": "c"}\n', "at least 20 pairs"),
    ],
    ids=["field", "json", "empty", "few"],
)
def test_a_malformed_pairs_file(command, tmp_path, content, line):
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(content)
    status, _, err = command("instance=preference_text", f"instance.path={pairs}")
    assert status == 2
    assert line in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [pairs]


def test_an_absent_cuda_device(command, tmp_path, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    status, _, err = command("device=cuda")
    assert (status, err) == (2, "error: device=cuda: no CUDA device here; allowed: cpu, auto\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("key", ["output_dir", "hydra.run.dir"])
def test_an_unwritable_folder(command, tmp_path, key):
    (tmp_path / "file").write_text("in the way")
    status, _, err = command(f"{key}={tmp_path}/file/below")
    assert status == 2
    assert err.startswith("error: output_dir=")
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_multirun_with_one_bad_job_starts_none(command, tmp_path):
    status, _, err = command("-m", "epsilon=1,-1")
    assert status == 2
    assert err == "error: epsilon=-1: too small; allowed: 1e-6 to 100, or inf for no privacy\n"
    assert list(tmp_path.iterdir()) == []


def test_a_multirun_over_an_unknown_theorem(command, tmp_path):
    status, _, err = command("-m", "theorem=offline_gap,offline_gpa")
    assert status == 2
    assert "did you mean offline_gap?" in err
    assert list(tmp_path.iterdir()) == []
