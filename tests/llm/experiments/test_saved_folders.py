"""Folders that the library ``datasets`` saves are read as tests/labels/preferences write them."""

import pytest

from repro.base.errors import BadInput
from repro.labels.preferences.pair_files import read_pairs
from repro.labels.preferences.synthetic_pairs import synthetic_pairs

datasets = pytest.importorskip("datasets")
PAIRS = synthetic_pairs(50)


def dataset(pairs):
    return datasets.Dataset.from_list(
        [{"prompt": p.prompt, "chosen": p.chosen, "rejected": p.rejected} for p in pairs]
    )


@pytest.mark.parametrize("shards", [1, 3])
def test_a_dataset_saved_to_disk(shards, tmp_path):
    dataset(PAIRS).save_to_disk(str(tmp_path / "saved"), num_shards=shards)
    assert read_pairs(str(tmp_path / "saved")) == PAIRS


def test_rows_that_were_selected_alone(tmp_path):
    """``select`` keeps a mapping of rows aside, which is not what stands in the Arrow files."""
    dataset(PAIRS).select(range(49, 9, -1)).save_to_disk(str(tmp_path / "saved"))
    assert read_pairs(str(tmp_path / "saved")) == PAIRS[49:9:-1]


def test_splits(tmp_path):
    datasets.DatasetDict(train=dataset(PAIRS)).save_to_disk(str(tmp_path / "one"))
    assert read_pairs(str(tmp_path / "one")) == PAIRS
    both = datasets.DatasetDict(train=dataset(PAIRS), test=dataset(PAIRS[:30]))
    both.save_to_disk(str(tmp_path / "two"))
    assert read_pairs(str(tmp_path / "two/test")) == PAIRS[:30]
    with pytest.raises(BadInput, match="holds 2 splits; allowed: "):
        read_pairs(str(tmp_path / "two"))
