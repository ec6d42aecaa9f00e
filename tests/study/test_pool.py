"""Workers: blocks come back with their values, and nobody is left behind."""

from concurrent.futures.process import BrokenProcessPool
from functools import partial
from types import SimpleNamespace
from uuid import uuid4

import pytest

from repro.base.errors import BadInput
from repro.study import pool
from repro.study.blocks import Block

BLOCKS = [Block(row, index, f"{row}.{index}") for row in range(3) for index in range(4)]


def key_of(block):
    return block.key


def marked(folder, block):
    (folder / f"{block.key} by {uuid4()}").touch()
    return f"value of {block.key}"


def slowly(now, done, block):
    """A clock that a block moves on by .6 s."""
    now[0] += 0.6
    done.append((block.check, block.block))
    return block.key


@pytest.fixture(autouse=True)
def ended():
    yield
    pool.stop()


def test_blocks_come_back_with_their_values():
    assert dict(pool.in_workers(key_of, BLOCKS, 2)) == {block: block.key for block in BLOCKS}


def test_whoever_stops_early_stops_the_workers():
    work = pool.in_workers(key_of, BLOCKS, 2)
    next(work)
    (executor,) = pool._executors.values()
    processes = list(executor._processes.values())
    work.close()
    assert not pool._executors
    assert not any(process.is_alive() for process in processes)


def test_a_short_run_needs_no_workers(monkeypatch):
    monkeypatch.setattr(pool, "in_workers", None)
    assert dict(pool.measured(key_of, BLOCKS, 2)) == {block: block.key for block in BLOCKS}


def test_of_a_long_run_each_row_comes_first_and_workers_have_the_rest(monkeypatch):
    now, done, asked = [0.0], [], []
    monkeypatch.setattr(pool.time, "process_time", lambda: now[0])
    monkeypatch.setattr(pool, "START_SECONDS", 4.0)
    monkeypatch.setattr(
        pool, "in_workers", lambda _, left, workers, later: asked.extend(left) or ()
    )
    assert len(list(pool.measured(partial(slowly, now, done), BLOCKS, 2))) == 2
    assert done == [(0, 0), (1, 0)]
    assert asked == sorted(BLOCKS, key=lambda block: block.block)[2:]


def test_what_follows_is_handed_out_once_and_is_there_when_its_turn_comes(tmp_path):
    """Each block leaves a mark when it is measured; what two runs share has one."""
    mark = partial(marked, tmp_path)
    following = [Block(0, 0, "shared"), Block(0, 1, "its own"), BLOCKS[0]]
    later = [lambda: (mark, following), lambda: (mark, [Block(0, 0, "shared")])]
    list(pool.in_workers(mark, BLOCKS, 2, later))
    assert not later
    assert sorted(pool._ahead) == ["its own", "shared"]
    waited_for = dict(pool.in_workers(key_of, following[:2], 2))
    assert waited_for == {block: f"value of {block.key}" for block in following[:2]}
    assert not pool._ahead
    marks = [path.name.split(" by ")[0] for path in tmp_path.iterdir()]
    assert sorted(marks) == sorted([*(block.key for block in BLOCKS), "its own", "shared"])


def test_a_sweep_needs_workers_where_one_run_does_not(monkeypatch):
    now, done, asked = [0.0], [], []
    monkeypatch.setattr(pool.time, "process_time", lambda: now[0])
    monkeypatch.setattr(
        pool, "in_workers", lambda _, left, workers, later: asked.extend(left) or ()
    )
    list(pool.measured(partial(slowly, now, done), BLOCKS, 2))
    assert not asked
    list(pool.measured(partial(slowly, now, done), BLOCKS, 2, [None] * 20))
    assert len(asked) == len(BLOCKS) - 2


class Lost:
    """Workers that are gone, or stopped, before they have anything."""

    def __init__(self, problem):
        self.problem, self.asked = problem, 0

    def submit(self, function, block):
        self.asked += 1
        raise self.problem


def test_workers_that_keep_dying_are_started_three_times_again(monkeypatch):
    lost, stopped = Lost(BrokenProcessPool()), []
    monkeypatch.setattr(pool, "_executor", lambda workers: lost)
    monkeypatch.setattr(pool, "stop", lambda: stopped.append(1))
    with pytest.raises(BadInput, match=r"^compute.workers=2: workers keep dying .* go on$"):
        list(pool.in_workers(key_of, BLOCKS, 2))
    assert (lost.asked, len(stopped)) == (4, 4)


def test_whoever_is_interrupted_stops_the_workers(monkeypatch):
    stopped = []
    monkeypatch.setattr(pool, "_executor", lambda workers: Lost(KeyboardInterrupt()))
    monkeypatch.setattr(pool, "stop", lambda: stopped.append(1))
    with pytest.raises(KeyboardInterrupt):
        list(pool.in_workers(key_of, BLOCKS, 2))
    assert stopped == [1]


def test_three_runs_that_follow_are_handed_out_at_once(monkeypatch):
    asked = []
    executor = SimpleNamespace(submit=lambda function, block: asked.append(block.key))
    runs = [lambda n=n: (key_of, [Block(0, 0, f"{n}"), Block(0, 1, "0")]) for n in range(5)]
    monkeypatch.setattr(pool, "_ahead", {})
    pool._hand_out(runs, {"1"}, executor)
    assert (asked, len(runs)) == (["0", "2"], 2)
    monkeypatch.setattr(pool, "_executors", {})
    pool.stop()
    assert pool._ahead == {}


def test_workers_that_are_there_are_asked_at_once_with_all_that_follows(monkeypatch):
    asked = []
    monkeypatch.setattr(pool, "_executors", {2: None})
    monkeypatch.setattr(pool, "in_workers", lambda *given: asked.append(given) or ())
    following = [None]
    assert list(pool.measured(key_of, BLOCKS, 2, following)) == []
    ((function, left, workers, later),) = asked
    assert (function, workers, later) == (key_of, 2, following)
    assert [block.block for block in left] == sorted(block.block for block in BLOCKS)
    monkeypatch.setattr(pool, "_executors", {})
