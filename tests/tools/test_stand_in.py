"""The stand-in on a tiny file of pairs of the test's own: what it trains, what it compares."""

import json
import math

import numpy as np
import pytest
import torch

from repro.labels.preferences.financial_pairs import financial_pairs
from repro.llm.training.encoding import Tokens
from tools import stand_in

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
FEW = (
    "sft.epochs=1", "preference.batch_size=8", "sampling.prompts=4", "sampling.max_new_tokens=6",
    "samples=2",
)  # fmt: skip
SMALL = [f"{stand_in.WORLD}.procedure.{one}" for one in FEW]
SMALL.append("theorem.sweeps.pessimism.grid=[8,16,32]")


@pytest.fixture
def files(tmp_path):
    found = {}
    for name, seed, count in (("fit", 1, 48), ("held_out", 2, 40)):
        rows = [
            json.dumps({"prompt": p.prompt, "chosen": p.chosen, "rejected": p.rejected})
            for p in financial_pairs(count, seed)
        ]
        found[name] = tmp_path / f"{name}.jsonl"
        found[name].write_text("\n".join(rows) + "\n")
    return found


def test_it_trains_compares_and_goes_on_where_it_stopped(files, tmp_path, monkeypatch):
    pytest.importorskip("trl", reason="the extra llm is not installed")
    monkeypatch.setattr(stand_in, "EPSILONS", (0.5, math.inf))
    monkeypatch.setattr(stand_in, "VOCABULARY", 300)
    folder = tmp_path / "kept"
    asked = str(files["fit"]), str(files["held_out"]), folder, *SMALL
    with stand_in.pretrained(*asked) as world:
        assert (world.data.n_pairs, world.data.held_out, world.data.judge_pairs) == (48, 10, 30)
        size, judge = stand_in.setting(world.study)
        first, longest = stand_in.one_seed(world, np.random.default_rng(0))
    assert "300 tokens" in size
    assert judge.startswith("on 10 held-out pairs")
    assert first.shape == (len(stand_in.METHODS), 2, 4)
    assert longest.shape == (3,)
    assert ((first >= 0) & (first <= 100)).all()
    assert (first[0, 1] == first[1, 1]).all()  # without privacy rDPO is DPO
    assert not (first[0, 0] == first[0, 1]).all()  # privacy turns labels
    assert not (first[0, 0] == first[2, 0]).all()

    def trained_again(*args, **kwargs):
        raise AssertionError

    monkeypatch.setattr("repro.llm.experiments.release_study.optimised", trained_again)
    monkeypatch.setattr("repro.llm.experiments.supervised.trained", trained_again)
    with stand_in.pretrained(*asked) as world:
        again, _ = stand_in.one_seed(world, np.random.default_rng(0))
    assert np.array_equal(first, again)


def test_counts_know_what_follows():
    """b follows a, c follows b, always: bigrams know it, and unigrams what is frequent."""
    ids = torch.tensor([[0, 1, 2] * 20])
    tokens = Tokens(ids, torch.ones_like(ids), torch.ones_like(ids))
    once, twice = stand_in.count_losses([tokens], [tokens], 4)
    assert once == pytest.approx(math.log(3), abs=0.03)
    assert twice < 0.1


def test_bigrams_are_a_distribution():
    ids = torch.tensor([[0, 1, 1, 2, 0, 2]])
    seen = Tokens(ids, torch.ones_like(ids), torch.ones_like(ids))
    for before in range(4):  # 3 was never seen
        losses = []
        for after in range(4):
            pair = torch.tensor([[before, after]])
            held = Tokens(pair, torch.ones_like(pair), torch.ones_like(pair))
            losses.append(stand_in.count_losses([seen], [held], 4)[1])
        assert np.exp(-np.array(losses)).sum() == pytest.approx(1.0)


def test_an_arm_that_diverged_is_left_out_and_one_that_differs_is_found():
    rng = np.random.default_rng(0)
    policies = 50 + rng.normal(size=(6, len(stand_in.METHODS), len(stand_in.EPSILONS), 4))
    policies[:, 1] += 10
    policies[:5, 2, 0] = np.nan
    lines = stand_in.table(policies)
    assert len(lines) == 2 + len(stand_in.METHODS) * len(stand_in.EPSILONS)
    dpo, rdpo, private = (line.split(" | ") for line in lines[2:5])
    assert dpo[-1].strip(" |") == ""
    assert float(rdpo[-2]) < 1e-6
    assert int(rdpo[-1].strip(" |")) <= 3
    assert private[-1].strip(" |") == ""
    assert len(stand_in.privacy_table(policies)) == 2 + len(stand_in.METHODS) * (
        len(stand_in.EPSILONS) - 1
    )


def test_no_such_file_is_one_line_and_nothing_is_written(tmp_path, capsys):
    folder = tmp_path / "kept"
    missing = tmp_path / "none.jsonl"
    assert stand_in.main([f"fit={missing}", f"held_out={missing}", f"folder={folder}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not folder.exists()


@pytest.mark.parametrize("word", ["seeds=1", "seeds=0", "seeds=-3", "seeds=x", "seeds=2.5"])
def test_a_wrong_word_is_refused_and_nothing_is_written(word, tmp_path, capsys):
    given = [f"{name}={tmp_path / 'none'}" for name in ("fit", "held_out", "folder")]
    assert stand_in.main([*given, word]) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert line.startswith(f"error: {word}: allowed: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["seeds=2"], ["sed=3"]])
def test_missing_or_unknown_words_are_answered_with_how_to_call_it(words, tmp_path, capsys):
    given = [f"{name}={tmp_path / 'none'}" for name in ("fit", "held_out", "folder")]
    assert stand_in.main(words if words[0] == "seeds=2" else [*given, *words]) == 2
    assert capsys.readouterr().err == f"{stand_in.USAGE}\n"
    assert list(tmp_path.iterdir()) == []
