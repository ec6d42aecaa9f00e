"""Held-out accuracy of a released reward, beside the longer reply and a coin."""

import json

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.commands import accuracy, generate
from repro.commands.process.command import status_of
from repro.llm.training.settings import refuse_unfinished
from repro.release.reward.features import MAP
from repro.release.reward.reward import PrivateReward

LENGTH = np.array([1.0, 0, 0, 0, 0])
"""θ of a reward that is the length alone; the first of the four statistics is its logarithm."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three pairs in which the longer reply is chosen, one in which it is not, one tie."""
    monkeypatch.chdir(tmp_path)
    replies = [("a b c d", "a"), ("a b c d e", "b"), ("c d e f", "c"), ("a", "b c d e"), ("a", "b")]
    rows = [{"prompt": "p", "chosen": chosen, "rejected": other} for chosen, other in replies]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, theta, features in (("long", LENGTH, MAP), ("short", -LENGTH, MAP),
                                  ("own", np.array([1.0, 0]), "given")):  # fmt: skip
        reward = PrivateReward(theta, {"epsilon": 1.0, "delta": 0.1}, features)
        (tmp_path / f"{name}.json").write_bytes(reward.content)
    np.save("phi.npy", np.array([[1.0, 0], [1, 1], [-1, 0], [0, 1]]))
    np.save("labels.npy", np.array([1, 1, 1, -1]))
    return tmp_path


def said(capsys, *words):
    assert status_of(accuracy.main, words) == 0
    out, err = capsys.readouterr()
    assert err.startswith("not private: computed from the labels of these pairs")
    assert "Held-out pairs must be public, or the number counts as a release" in err
    assert max(map(len, (*out.splitlines(), *err.splitlines()))) <= 80
    return out.splitlines()


def test_a_reward_is_compared_with_the_longer_reply_and_a_coin(folder, capsys):
    head, ours, longer, coin, gap = said(capsys, "long.json", "pairs.jsonl")
    assert head.startswith("share of 5 pairs")
    assert ours.split()[:2] == ["long.json", "0.7000"]
    assert longer.split()[:4] == ["the", "longer", "reply", "0.7000"]
    assert coin.split() == ["a", "coin", "0.5"]
    assert "+0.0000" in gap
    assert gap.endswith(": no difference can be seen")
    ours = said(capsys, "short.json", "pairs.jsonl")[1]
    assert ours.split()[1] == "0.3000"


def test_a_reward_of_features_takes_a_matrix_with_labels(folder, capsys):
    _, ours, coin = said(capsys, "own.json", "phi.npy", "labels=labels.npy")
    assert ours.split()[:2] == ["own.json", "0.6250"]
    assert coin.startswith("a coin")


@pytest.mark.parametrize(("right", "interval"), [(20, (0.81, 1.0)), (10, (0.30, 0.70))])
def test_the_interval_is_as_wide_as_few_pairs_make_it(right, interval):
    found = accuracy.share_interval(np.arange(20) < right)
    assert found == pytest.approx(interval, abs=0.01)


def test_intervals_hold_in_95_percent_of_samples():
    rng = np.random.default_rng(0)
    hits = np.zeros(2)
    for _ in range(2000):
        ours, longer = rng.random((2, 60)) < [[0.9], [0.6]]
        for place, (low, high), truth in (
            (0, accuracy.share_interval(ours), 0.9),
            (1, accuracy.gap_interval(ours.astype(float) - longer), 0.3),
        ):
            hits[place] += low <= truth <= high
    assert (hits / 2000 > 0.935).all()


def test_a_difference_that_is_there_is_named():
    gap = np.repeat([1.0, 0.0], [30, 70])
    lines = accuracy.report("r", accuracy.RankedPairs(gap, np.zeros(100)))
    assert lines[-1].endswith(": better")
    lines = accuracy.report("r", accuracy.RankedPairs(np.zeros(100), gap))
    assert lines[-1].endswith(": worse")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["none.json", "pairs.jsonl"], "error: MODEL=none.json"),
        (["long.json", "none.jsonl"], "error: PAIRS=none.jsonl"),
        (["long.json"], "error: PAIRS=(missing)"),
        (["pairs.jsonl", "pairs.jsonl"], "error: MODEL=pairs.jsonl"),
        (["long.json", "pairs.jsonl", "labels=labels.npy"], "error: labels=labels.npy"),
        (["long.json", "pairs.jsonl", "reference=gpt2"], "error: reference=gpt2"),
        (["own.json", "phi.npy"], "error: labels=(missing)"),
        (["long.json", "pairs.jsonl", "batch_size=0"], "error: batch_size=0"),
    ],
)
def test_bad_input_is_one_line(words, line, folder, capsys):
    assert status_of(accuracy.main, words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(line)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("main", "words", "key"),
    [
        (accuracy.main, ["model", "pairs.jsonl"], "MODEL"),
        (generate.main, ["model", "prompt=Hello"], "model"),
    ],
)
def test_a_training_that_has_not_finished_is_no_model(main, words, key, folder, capsys):
    pytest.importorskip("transformers")
    (folder / "model" / "checkpoints-0123" / "checkpoint-5").mkdir(parents=True)
    assert status_of(main, words) == 2
    assert capsys.readouterr().err == (
        f"error: {key}=model: holds no model, as its training has not finished; run its repro "
        "finetune command again, to the end\n"
    )


def test_a_model_beside_the_checkpoints_of_another_training_is_not_refused(folder):
    model = folder / "model"
    (model / "checkpoints-0123" / "checkpoint-5").mkdir(parents=True)
    with pytest.raises(BadInput, match="holds no model"):
        refuse_unfinished("MODEL", "model")
    (model / "config.json").write_text("{}")
    refuse_unfinished("MODEL", "model")


def test_a_reward_of_another_size_is_refused(folder, capsys):
    np.save("wide.npy", np.ones((4, 3)))
    assert status_of(accuracy.main, ["own.json", "wide.npy", "labels=labels.npy"]) == 2
    assert "has 3 features; allowed: 2" in capsys.readouterr().err
