"""Fine-tuning: the repaired one is blind to labels, the published one is not."""

import pytest
import torch

from repro.base.errors import BadInput
from repro.llm.checkpoints import read_weights
from repro.llm.encoding import encode_pairs
from repro.llm.log_prob import frozen_log_prob
from repro.llm.supervised import fine_tuned, supervised_tokens


def encoded(backbone, data, splits):
    return encode_pairs(backbone.tokenizer, splits.train, data), splits.train.labels


def test_flipping_labels_changes_no_batch(backbone, data, splits):
    pairs, labels = encoded(backbone, data, splits)
    ours = supervised_tokens(pairs, labels, "repaired")
    flipped = supervised_tokens(pairs, -labels, "repaired")
    assert len(ours) == 2 * len(labels)
    for a, b in zip(vars(ours).values(), vars(flipped).values(), strict=True):
        assert torch.equal(a, b)


def test_the_published_batches_hold_the_labels(backbone, data, splits):
    pairs, labels = encoded(backbone, data, splits)
    ours = supervised_tokens(pairs, labels, "as_published")
    flipped = supervised_tokens(pairs, -labels, "as_published")
    assert len(ours) == len(labels)
    assert not torch.equal(ours.ids, flipped.ids)
    chosen = pairs.first if labels[0] > 0 else pairs.second
    length = int(chosen.present[0].sum())
    assert torch.equal(ours.ids[0, :length], chosen.ids[0, :length])
    assert int(ours.present[0].sum()) == length


def test_responses_become_likelier_and_the_backbone_stays(backbone, data, splits, steps):
    pairs, labels = encoded(backbone, data, splits)
    tokens = supervised_tokens(pairs, labels, "repaired")
    more = steps.model_copy(update={"epochs": 3, "learning_rate": 1e-2})
    before = frozen_log_prob(backbone.model, tokens, 64, "cpu").mean()
    tuned = fine_tuned(backbone.model, tokens, more, 0, "cpu", "float32")
    assert frozen_log_prob(tuned, tokens, 64, "cpu").mean() > before + 5
    assert frozen_log_prob(backbone.model, tokens, 64, "cpu").mean() == before
    assert not any(p.requires_grad for p in tuned.parameters())


def test_a_finished_fine_tuning_is_kept_and_read_again(backbone, data, splits, steps, tmp_path):
    pairs, labels = encoded(backbone, data, splits)
    tokens = supervised_tokens(pairs, labels, "repaired")
    kept = steps.model_copy(update={"checkpoint_every": 100})
    place = tmp_path / "sft-x"
    tuned = fine_tuned(backbone.model, tokens, kept, 0, "cpu", "float32", place)
    assert [path.name for path in tmp_path.iterdir()] == ["sft-x.safetensors"]
    again = fine_tuned(backbone.model, tokens, kept, 99, "cpu", "float32", place)
    for a, b in zip(tuned.parameters(), again.parameters(), strict=True):
        assert torch.equal(a, b)
    other = torch.nn.Linear(2, 2)
    with pytest.raises(BadInput, match="holds no weights of this run"):
        read_weights(other, tmp_path / "sft-x.safetensors")
    (tmp_path / "sft-x.safetensors").write_text("none")
    with pytest.raises(BadInput, match="holds no weights of this run"):
        read_weights(tuned, tmp_path / "sft-x.safetensors")
