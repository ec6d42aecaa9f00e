"""Sources of pairs, and one line for each fault."""

import json

import pytest

from repro.base.errors import BadInput
from repro.labels.preferences.financial_pairs import financial_pairs
from repro.llm.experiments.splits import load_splits
from repro.llm.training.pairs import TextPairs

START = "\n\nHuman: Hello\n\nAssistant:"


def written(path, records):
    path.write_text("\n".join(json.dumps(r) for r in records))
    return str(path)


def record(k):
    return {"prompt": f"p{k}", "chosen": f"b{k}" if k % 2 else f"a{k}", "rejected": f"ab{k}"}


def test_responses_are_ordered_by_text_and_labels_tell_the_chosen(tmp_path, data):
    path = written(tmp_path / "pairs.jsonl", [record(k) for k in range(40)])
    choice = data.model_copy(
        update={"path": path, "n_pairs": 20, "held_out": 10, "judge_pairs": 10}
    )
    found = load_splits(choice)
    assert (len(found.train), len(found.held_out), len(found.judge)) == (20, 10, 10)
    for k in range(20):
        first, second = sorted([record(k)["chosen"], record(k)["rejected"]])
        assert (found.train.first[k], found.train.second[k]) == (first, second)
        assert found.train.labels[k] == (1 if first == record(k)["chosen"] else -1)


def test_labels_are_not_shown(splits):
    assert "labels" not in repr(splits.train)


def test_dialogues_are_split_after_the_last_shared_turn(tmp_path, data):
    rows = [{"chosen": f"{START} yes {k}", "rejected": f"{START} no {k}"} for k in range(30)]
    path = written(tmp_path / "dialogues.jsonl", rows)
    choice = data.model_copy(update={"path": path, "n_pairs": 20, "held_out": 5, "judge_pairs": 0})
    found = load_splits(choice)
    assert found.train.prompts[0] == "Hello"
    assert {found.train.first[0], found.train.second[0]} == {"yes 0", "no 0"}
    assert found.judge is None


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([{"chosen": "a", "rejected": "b"}], "field 'prompt' is missing"),
        ([{"prompt": "p", "chosen": "a"}], "field 'rejected' is missing"),
        ([{"prompt": "p", "rejected": "a"}], "field 'chosen' is missing"),
        ([{"question": "p"}], "field 'prompt' is missing"),
        ([{"chosen": f"{START} a"}], "field 'prompt' is missing"),
        ([record(k) for k in range(25)], "has 25 pairs"),
    ],
)
def test_faults_are_one_line(tmp_path, data, rows, line):
    path = written(tmp_path / "pairs.jsonl", rows)
    with pytest.raises(BadInput) as caught:
        load_splits(data.model_copy(update={"path": path}))
    assert line in str(caught.value)
    assert "theorem.worlds.release.data" in str(caught.value)


def test_no_such_file(data):
    told = "theorem.worlds.release.data.path=/nowhere.jsonl: there is no such file"
    with pytest.raises(BadInput, match=told):
        load_splits(data.model_copy(update={"path": "/nowhere.jsonl"}))


def test_generated_pairs_have_the_seed_and_none_is_the_judge_s(data):
    choice = data.model_copy(update={"judge_pairs": 9})
    one, other = (load_splits(choice.model_copy(update={"seed": seed})) for seed in (3, 4))
    assert (len(one.train), len(one.held_out), one.judge) == (64, 24, None)
    assert one.train.first != other.train.first
    whole = TextPairs.of(financial_pairs(88, 3))
    assert one.train.prompts + one.held_out.prompts == whole.prompts
    assert one.train.first + one.held_out.first == whole.first
    assert one.train.second + one.held_out.second == whole.second
    labels = [*one.train.labels.tolist(), *one.held_out.labels.tolist()]
    assert labels == whole.labels.tolist()
    assert sorted(one.train.texts) == sorted(
        (*one.train.prompts, *one.train.first, *one.train.second)
    )


def test_too_few_pairs_are_told_with_how_many_are_needed(tmp_path, data):
    path = written(tmp_path / "pairs.jsonl", [record(k) for k in range(25)])
    choice = data.model_copy(update={"path": path, "n_pairs": 20, "held_out": 4, "judge_pairs": 2})
    with pytest.raises(
        BadInput,
        match="has 25 pairs; allowed: n_pairs . held_out . judge_pairs at most that, here 26",
    ):
        load_splits(choice)
    exact = load_splits(choice.model_copy(update={"judge_pairs": 1}))
    assert exact.judge.prompts == ("p24",)
