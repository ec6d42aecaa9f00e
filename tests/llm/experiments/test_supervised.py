"""Fine-tuning: the repaired one is blind to labels, the published one is not."""

import pytest
import torch

from repro.llm.experiments.supervised import UNSCORED, fine_tuned, supervised_rows
from repro.llm.training.encoding import encode_pairs
from repro.llm.training.log_prob import frozen, response_log_prob
from repro.llm.training.trainers import TrainingRun

pytestmark = pytest.mark.filterwarnings("ignore")


def encoded(backbone, data, splits):
    return encode_pairs(backbone.tokenizer, splits.train, data), splits.train.labels


def test_flipping_labels_changes_no_row(backbone, data, splits):
    pairs, labels = encoded(backbone, data, splits)
    ours = supervised_rows(pairs, labels, "repaired")
    assert ours == supervised_rows(pairs, -labels, "repaired")
    assert len(ours["labels"]) == 2 * len(labels)


def test_the_published_rows_hold_the_labels(backbone, data, splits):
    pairs, labels = encoded(backbone, data, splits)
    ours = supervised_rows(pairs, labels, "as_published")
    flipped = supervised_rows(pairs, -labels, "as_published")
    assert len(ours["labels"]) == len(labels)
    assert ours != flipped
    chosen = pairs.first if labels[0] > 0 else pairs.second
    prompt, response = chosen.parts[0]
    assert ours["input_ids"][0] == prompt + response
    assert ours["labels"][0] == [UNSCORED] * len(prompt) + response


def test_responses_become_likelier_and_the_backbone_stays(backbone, data, splits, steps):
    pairs, labels = encoded(backbone, data, splits)
    rows = supervised_rows(pairs, labels, "repaired")
    more = steps.model_copy(update={"epochs": 3, "learning_rate": 1e-2})
    before = frozen(response_log_prob, backbone.model, pairs.first, 64, "cpu").mean()
    tuned = fine_tuned(backbone.model, backbone.tokenizer, rows, TrainingRun(more, 0))
    assert frozen(response_log_prob, tuned, pairs.first, 64, "cpu").mean() > before + 5
    assert frozen(response_log_prob, backbone.model, pairs.first, 64, "cpu").mean() == before
    assert not any(p.requires_grad for p in tuned.parameters())


def test_a_finished_fine_tuning_is_kept_and_read_again(backbone, data, splits, steps, tmp_path):
    pairs, labels = encoded(backbone, data, splits)
    rows = supervised_rows(pairs, labels, "repaired")
    kept = steps.model_copy(update={"checkpoint_every": 100})
    tuned = fine_tuned(
        backbone.model, backbone.tokenizer, rows, TrainingRun(kept, 0, folder=tmp_path / "x")
    )
    assert [path.name for path in tmp_path.iterdir()] == ["x.tuned"]
    again = fine_tuned(
        backbone.model, backbone.tokenizer, rows, TrainingRun(kept, 9, folder=tmp_path / "x")
    )
    for a, b in zip(tuned.parameters(), again.parameters(), strict=True):
        assert torch.equal(a, b)
