"""The feature cache: same result, no labels on disk, never in the way."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from repro.labels.preferences.pair_records import PreferencePair
from repro.labels.preferences.synthetic_pairs import synthetic_pairs
from repro.worlds.instances import feature_cache
from repro.worlds.instances.feature_cache import _entry_name, cached_text_features
from repro.worlds.instances.text_features import TextFeatures, text_features


@pytest.fixture(scope="module")
def pairs() -> list[PreferencePair]:
    return synthetic_pairs(60)


def flipped(pairs: list[PreferencePair]) -> list[PreferencePair]:
    return [PreferencePair(p.prompt, p.rejected, p.chosen) for p in pairs]


def assert_equal(one: TextFeatures, other: TextFeatures) -> None:
    assert one.feature_diff.tobytes() == other.feature_diff.tobytes()
    np.testing.assert_array_equal(one.label_sign, other.label_sign)
    assert one.label_sign.dtype == other.label_sign.dtype == np.int8
    assert one.names == other.names


def only_entry(folder: Path) -> Path:
    (entry,) = folder.iterdir()
    return entry


def forbid_computing(monkeypatch) -> None:
    def refuse(*_):
        raise AssertionError("computed again")

    monkeypatch.setattr(feature_cache, "feature_table", refuse)


def test_first_and_second_call_agree_with_no_cache(pairs, tmp_path, monkeypatch):
    expected = text_features(pairs, 8)
    assert_equal(cached_text_features(pairs, 8, tmp_path / "deep/cache"), expected)
    forbid_computing(monkeypatch)
    assert_equal(cached_text_features(pairs, 8, tmp_path / "deep/cache"), expected)


def test_a_folder_without_room_matters_only_where_the_entry_is_asked_for(
    pairs, tmp_path, monkeypatch
):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(feature_cache, "_store", full)
    assert_equal(cached_text_features(pairs, 8, tmp_path), text_features(pairs, 8))
    with pytest.raises(OSError, match="No space left"):
        cached_text_features(pairs, 8, tmp_path, kept=True)


def test_labels_leave_no_trace_on_disk(pairs, tmp_path):
    real = cached_text_features(pairs, 8, tmp_path / "real")
    other = cached_text_features(flipped(pairs), 8, tmp_path / "flipped")
    one, two = only_entry(tmp_path / "real"), only_entry(tmp_path / "flipped")
    assert one.name == two.name
    assert one.read_bytes() == two.read_bytes()
    np.testing.assert_array_equal(real.label_sign, -other.label_sign)


def test_an_entry_serves_the_flipped_labels(pairs, tmp_path, monkeypatch):
    cached_text_features(pairs, 8, tmp_path)
    forbid_computing(monkeypatch)
    other = cached_text_features(flipped(pairs), 8, tmp_path)
    np.testing.assert_array_equal(other.label_sign, -text_features(pairs, 8).label_sign)


def test_entry_holds_the_table_and_nothing_else(pairs, tmp_path):
    cached_text_features(pairs, 8, tmp_path)
    with np.load(only_entry(tmp_path), allow_pickle=False) as stored:
        assert set(stored) == {"feature_diff", "names"}


def test_other_inputs_have_other_entries(pairs, tmp_path, monkeypatch):
    cached_text_features(pairs, 8, tmp_path)
    cached_text_features(pairs, 9, tmp_path)
    cached_text_features(pairs[::-1], 8, tmp_path)
    monkeypatch.setattr(feature_cache, "FORMAT", -1)
    cached_text_features(pairs, 8, tmp_path)
    assert len(list(tmp_path.iterdir())) == 4


def truncate(entry: Path) -> None:
    entry.write_bytes(entry.read_bytes()[:-100])


def flip_a_bit(entry: Path) -> None:
    raw = bytearray(entry.read_bytes())
    raw[len(raw) // 3] ^= 1
    entry.write_bytes(bytes(raw))


def empty(entry: Path) -> None:
    entry.write_bytes(b"")


def store_pickles(entry: Path) -> None:
    with entry.open("wb") as file:
        np.savez(file, feature_diff=np.array([{}], dtype=object), names=np.array(["a"]))


def store_other_shape(entry: Path) -> None:
    with entry.open("wb") as file:
        np.savez(file, feature_diff=np.zeros((2, 2)), names=np.array(["a", "b"]))


def omit_names(entry: Path) -> None:
    with entry.open("wb") as file:
        np.savez(file, feature_diff=np.zeros((60, 8)))


def omit_a_name(entry: Path) -> None:
    with entry.open("wb") as file:
        np.savez(file, feature_diff=np.zeros((60, 8)), names=np.array(["a"]))


def halve_precision(entry: Path) -> None:
    with entry.open("wb") as file:
        np.savez(file, feature_diff=np.zeros((60, 8), np.float32), names=np.array([*"abcdefgh"]))


DAMAGES = (truncate, flip_a_bit, empty, store_pickles, store_other_shape, omit_names, omit_a_name,
           halve_precision)  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_entry_is_rebuilt(pairs, tmp_path, damage):
    expected = cached_text_features(pairs, 8, tmp_path)
    entry = only_entry(tmp_path)
    whole = entry.read_bytes()
    damage(entry)
    assert_equal(cached_text_features(pairs, 8, tmp_path), expected)
    assert only_entry(tmp_path).read_bytes() == whole


def block_with_file(folder: Path) -> None:
    folder.write_text("not a folder")


def block_with_loop(folder: Path) -> None:
    folder.symlink_to(folder)


@pytest.mark.parametrize("block", [block_with_file, block_with_loop])
def test_unwritable_folder_costs_only_the_caching(pairs, tmp_path, block):
    block(tmp_path / "cache")
    assert_equal(cached_text_features(pairs, 8, tmp_path / "cache"), text_features(pairs, 8))


def test_full_disk_leaves_nothing_behind(pairs, tmp_path, monkeypatch):
    def no_space(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(feature_cache.np, "savez", no_space)
    assert_equal(cached_text_features(pairs, 8, tmp_path), text_features(pairs, 8))
    assert list(tmp_path.iterdir()) == []


def test_entry_that_is_a_folder(pairs, tmp_path):
    cached_text_features(pairs, 8, tmp_path)
    entry = only_entry(tmp_path)
    entry.unlink()
    entry.mkdir()
    assert_equal(cached_text_features(pairs, 8, tmp_path), text_features(pairs, 8))
    assert list(tmp_path.iterdir()) == [entry]


def test_writers_at_once_leave_one_whole_entry(pairs, tmp_path):
    expected = cached_text_features(pairs, 8, tmp_path / "alone")
    with ThreadPoolExecutor(4) as pool:
        together = [
            pool.submit(cached_text_features, pairs, 8, tmp_path / "shared") for _ in range(8)
        ]
        for future in together:
            assert_equal(future.result(), expected)
    entry = only_entry(tmp_path / "shared")
    assert entry.read_bytes() == only_entry(tmp_path / "alone").read_bytes()
    shutil.rmtree(tmp_path / "shared")


@pytest.mark.parametrize("place", range(6))
def test_an_entry_is_named_by_every_text(place):
    texts = ["a", "b", "c", "d", "e", "\ud800"]
    name = _entry_name([tuple(texts[:3]), tuple(texts[3:])], 5)
    texts[place] += "x"
    assert _entry_name([tuple(texts[:3]), tuple(texts[3:])], 5) != name


def test_an_entry_is_named_by_where_a_text_ends():
    assert _entry_name([("ab", "c", "d")], 5) != _entry_name([("a", "bc", "d")], 5)
