"""What is said about kept work is true: counted on disk, and a cache that is none is said once."""

import pytest

THREE_CHECKS = (
    "theorem=kl_contraction", "budget=smoke", "budget.replicates=20", "budget.blocks=10",
    "tracking=none", "compute.workers=1",
)  # fmt: skip
"""The ten blocks of a check are one unit of work."""


@pytest.fixture
def stops_after(monkeypatch):
    """Ctrl-C after some blocks."""

    def mapper(count):
        def stops(function, blocks):
            for done, block in enumerate(blocks):
                if done == count:
                    raise KeyboardInterrupt
                yield block, function(block)

        monkeypatch.setattr("repro.api._mapper", lambda session, later: (stops, 1))

    return mapper


def test_a_file_called_cache_is_said_at_the_start_and_no_block_is_promised(
    command, tmp_path, stops_after
):
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / ".cache").write_text("mine")
    stops_after(2)
    status, _, err = command(*THREE_CHECKS)
    assert status == 130
    lines = err.splitlines()
    assert lines[0].startswith(f"cache: {tmp_path}/outputs/.cache/blocks cannot be written: ")
    assert lines[0].endswith("; finished blocks of this run will not be kept")
    assert lines[-1] == (
        "interrupted: 0 of 3 blocks are finished and kept; run the same command to go on"
    )
    assert len(lines) == 3
    assert (tmp_path / "outputs" / ".cache").read_text() == "mine"


def test_blocks_that_found_no_room_are_not_counted(command, tmp_path, stops_after, monkeypatch):
    from repro.study import blocks

    written, whole = [], blocks.atomic_write

    def full_after_one(path):
        written.append(path)
        if len(written) > 1:
            raise OSError(28, "No space left on device")
        return whole(path)

    monkeypatch.setattr(blocks, "atomic_write", full_after_one)
    stops_after(2)
    status, _, err = command(*THREE_CHECKS)
    assert status == 130
    assert err.splitlines()[-1].startswith("interrupted: 1 of 3 blocks are finished and kept;")
    assert len(list(tmp_path.rglob("*.npy"))) == 1


def test_a_cache_in_order_is_not_mentioned(command):
    _, _, err = command(*THREE_CHECKS)
    assert "cache" not in err


def test_a_stopped_sweep_does_not_go_on_to_its_next_job(command, stops_after, tmp_path):
    stops_after(1)
    status, _, err = command("-m", *THREE_CHECKS, "seed=0,1")
    assert status == 130
    assert err.count("running kl_contraction") == 1
    assert err.count("interrupted: ") == 1


def test_a_run_after_a_stopped_sweep_is_its_own(command, stops_after, tmp_path, monkeypatch):
    """In one process, from another folder: what the sweep had checked is not taken for it."""
    stops_after(1)
    assert command("-m", *THREE_CHECKS, "seed=0,1")[0] == 130
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    status, _, err = command(*THREE_CHECKS)
    assert status == 130
    assert err.splitlines()[-1].startswith("interrupted: 1 of 3 blocks")
    assert len(list((tmp_path / "other").rglob("*.npy"))) == 1
