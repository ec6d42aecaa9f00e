"""Lost workers and damaged cache entries cost time, never numbers."""

import os
import signal
from functools import partial

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.study.blocks import Block, BlockStore, code_fingerprint
from repro.study.parallel import mapper
from repro.study.plan import _sources

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
    found = list(mapper(2)(partial(_die_once, flag), blocks))
    assert flag.exists()
    assert sorted(block.block for block, _ in found) == list(range(8))
    assert all((values == block.block).all() for block, values in found)


def test_a_worker_that_always_dies_ends_the_run_with_one_line():
    with pytest.raises(BadInput, match=r"^compute.workers=2: workers keep dying .* go on$"):
        list(mapper(2)(_die, [BLOCK]))


def _entry(tmp_path):
    store = BlockStore(tmp_path)
    store.write(BLOCK, VALUES)
    return store, tmp_path / "ab" / f"{BLOCK.key}.npy"


def test_every_flipped_bit_and_every_truncation_is_noticed(tmp_path):
    store, path = _entry(tmp_path)
    whole = path.read_bytes()
    for place in range(len(whole)):
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


def test_the_key_hashes_what_measures_and_the_own_theorem_only():
    names = {"/".join(path.parts[-2:]) for path in _sources("offline_gap")}
    assert {"theorems/offline_gap.py", "study/plan.py", "estimators/mixture_mle.py"} <= names
    assert [name for name in names if name.startswith("theorems/")] == ["theorems/offline_gap.py"]
    assert not [name for name in names if name.split("/")[0] in {"report", "cli", "catalogue"}]


def test_a_changed_source_changes_the_fingerprint(tmp_path):
    source = tmp_path / "a.py"
    source.write_text("x = 1")
    before = code_fingerprint([source])
    source.write_text("x = 2")
    assert code_fingerprint([source]) != before
