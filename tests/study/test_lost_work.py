"""Lost workers and damaged cache entries cost time, never numbers."""

import os
import signal
from functools import partial

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.study.blocks import Block, BlockStore
from repro.study.pool import in_workers

BLOCK = Block(0, 0, "ab" * 16)
VALUES = np.arange(6.0).reshape(2, 3)


def _die_once(flag, block):
    if block.block == 3 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return np.full(2, float(block.block))


def _die(block):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_worker_costs_no_block(tmp_path):
    blocks = [Block(0, index, f"{index:032x}") for index in range(8)]
    flag = tmp_path / "killed"
    found = list(in_workers(partial(_die_once, flag), blocks, 2))
    assert flag.exists()
    assert sorted(block.block for block, _ in found) == list(range(8))
    assert all((values == block.block).all() for block, values in found)


@pytest.mark.slow
def test_a_worker_that_always_dies_ends_the_run_with_one_line():
    with pytest.raises(BadInput, match=r"^compute.workers=2: workers keep dying .* go on$"):
        list(in_workers(_die, [BLOCK], 2))


def _entry(tmp_path):
    store = BlockStore(tmp_path)
    store.write(BLOCK, VALUES)
    return store, tmp_path / "ab" / f"{BLOCK.key}.npy"


def test_every_flipped_bit_and_every_truncation_is_noticed(tmp_path, thorough):
    store, path = _entry(tmp_path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 1 if thorough else 11):
        path.write_bytes(whole[:place])
        assert store.read(BLOCK, (2, 3)) is None
        for bit in range(8):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged)
            found = store.read(BLOCK, (2, 3))
            assert found is None or found.tobytes() == VALUES.tobytes()
    store.write(BLOCK, VALUES)
    found = store.read(BLOCK, (2, 3))
    assert found is not None
    assert np.array_equal(found, VALUES)
    assert store.read(BLOCK, (3, 3)) is None


def test_a_directory_in_place_of_an_entry_leaves_no_temporary_file(tmp_path):
    store, path = _entry(tmp_path)
    path.unlink()
    path.mkdir()
    assert store.read(BLOCK, (2, 3)) is None
    store.write(BLOCK, VALUES)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_nothing(tmp_path, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(os, "replace", fail)
    if isinstance(error, OSError):
        BlockStore(tmp_path).write(BLOCK, VALUES)
    else:
        with pytest.raises(KeyboardInterrupt):
            BlockStore(tmp_path).write(BLOCK, VALUES)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_an_entry_under_another_name_is_no_block(tmp_path):
    store, path = _entry(tmp_path)
    other = Block(0, 0, "cd" * 16)
    place = tmp_path / "cd" / f"{other.key}.npy"
    place.parent.mkdir()
    place.write_bytes(path.read_bytes())
    assert store.read(BLOCK, (2, 3)) is not None
    assert store.read(other, (2, 3)) is None
