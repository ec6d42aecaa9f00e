"""Workers: what they are asked for and when, with an executor that works when it is waited for."""

import os
import signal
from concurrent.futures import Future
from itertools import count

import pytest
from joblib.externals.loky.process_executor import BrokenProcessPool

from repro.base.errors import BadInput
from repro.study import pool as rooms
from repro.study import worker_life
from repro.study.blocks import Block
from repro.study.parallel import ready_to_measure
from repro.study.pool import Coming, Pool, first_here


def blocks_of(rows, each=4, name="a"):
    return [
        Block(row, index, f"{name}{row}.{index}") for row in range(rows) for index in range(each)
    ]


class Executor:
    """One worker, which does the oldest task whenever the pool waits."""

    def __init__(self):
        self.asked, self.left, self.most, self.killed = [], [], 0, 0

    def submit(self, task):
        future = Future()
        if task is not ready_to_measure:
            self.asked.append([block.key for block in task.blocks])
        self.left.append((future, task))
        self.most = max(self.most, len(self.left))
        return future

    def work(self, futures, **_):
        while not (done := {future for future in futures if future.done()}):
            self.one()
        return type("Done", (), {"done": done})

    def one(self):
        future, task = self.left.pop(0)
        try:
            future.set_result(task())
        except Exception as problem:  # noqa: BLE001 - the future's to tell
            future.set_exception(problem)

    def shutdown(self, **how):
        assert how == {"wait": True, "kill_workers": True}
        self.killed += 1
        self.left.clear()


@pytest.fixture
def executor(monkeypatch):
    made = Executor()
    monkeypatch.setattr(rooms, "_executor", lambda workers: made)
    monkeypatch.setattr(rooms, "wait", made.work)
    return made


def key_of(block):
    return block.key


def test_blocks_come_back_with_their_values_in_tasks_of_two(executor):
    blocks = blocks_of(2, each=3)
    assert list(Pool(2)(key_of, blocks)) == [(block, block.key) for block in blocks]
    assert executor.asked == [["a0.0", "a0.1"], ["a0.2", "a1.0"], ["a1.1", "a1.2"]]
    assert executor.killed == 0


def test_no_more_is_given_to_workers_than_they_have_room_for(executor):
    assert len(list(Pool(2)(key_of, blocks_of(10)))) == 40
    assert executor.most == 4


def test_where_all_workers_die_what_waits_is_lost_too(executor):
    pool = Pool(1)
    futures = [pool.submit(task) for task in rooms._tasks(key_of, blocks_of(2), False)]
    future, _ = executor.left.pop(0)
    future.set_exception(BrokenProcessPool())
    for lost in (futures[0], *futures[2:]):
        with pytest.raises(BrokenProcessPool):
            lost.result(timeout=1)
    assert not futures[1].done()  # the executor's to tell
    assert len(executor.asked) == 2


def test_a_later_run_is_begun_when_this_one_has_little_left_and_is_not_measured_again(executor):
    kept, measured = [], []

    def measure(block):
        measured.append(block.key)
        return block.key

    first, second = blocks_of(6), blocks_of(2, name="b")
    later = [lambda: Coming(measure, second, lambda *found: kept.append(found))]
    pool = Pool(2)
    assert len(list(pool(measure, first, later))) == 24
    rows = [[f"a{row}.{index}" for index in range(4)] for row in range(6)]
    assert executor.asked[:6] == rows  # whole rows: something waits
    assert executor.asked[6:] == [[f"b{row}.{index}" for index in range(4)] for row in range(2)]
    assert not pool.idle
    executor.one()  # while this process draws
    assert kept == [(block, block.key) for block in second[:4]]
    assert dict(pool(measure, second)) == {block: block.key for block in second}
    assert len(measured) == len(set(measured)) == 32
    assert len(executor.asked) == 8
    assert pool.idle


def test_what_was_kept_for_a_later_run_is_not_held_in_memory(executor):
    pool, second = Pool(2), blocks_of(2, name="b")
    list(pool(key_of, blocks_of(1), [lambda: Coming(key_of, second, lambda *found: None)]))
    executor.one()
    executor.one()
    assert list(pool(key_of, [])) == []  # the store had them all
    assert pool._begun == {}


def test_what_goes_wrong_in_a_later_run_is_said_there(executor):
    def fails():
        raise BadInput("epsilon", -1, "allowed: above 0")

    def breaks(block):
        raise ArithmeticError(block.key)

    bad = blocks_of(1, name="b")
    pool, later = Pool(2), [fails, lambda: Coming(breaks, bad, pytest.fail)]
    assert len(list(pool(key_of, blocks_of(1), later))) == 4
    with pytest.raises(ArithmeticError, match=r"^b0\.0$"):
        list(pool(breaks, bad))
    assert executor.killed == 1


def test_a_worker_hands_over_what_it_has_and_the_rest_is_asked_for_again(executor, monkeypatch):
    clock = count(step=3)
    monkeypatch.setattr(rooms.time, "monotonic", lambda: next(clock))
    blocks = blocks_of(1)
    later = [lambda: Coming(key_of, [], pytest.fail)]
    assert dict(Pool(2)(key_of, blocks, later)) == {block: block.key for block in blocks}
    assert executor.asked == [[b.key for b in blocks], [b.key for b in blocks[2:]]]


def test_whoever_stops_early_stops_the_workers(executor):
    work = Pool(2)(key_of, blocks_of(4))
    next(work)
    work.close()
    assert executor.killed == 1


@pytest.mark.parametrize("deaths", [0, 3, 4])
def test_lost_workers_are_replaced_three_times(monkeypatch, deaths):
    blocks, asked = blocks_of(1, each=9), []

    def once(self, function, left, later):
        asked.append([block.block for block in left])
        yield left[0], function(left[0])
        if len(asked) <= deaths:
            raise BrokenProcessPool
        yield from ((block, function(block)) for block in left[1:])

    monkeypatch.setattr(Pool, "_once", once)
    work = Pool(2)(lambda block: block.block, blocks)
    if deaths > 3:
        with pytest.raises(BadInput) as refused:
            list(work)
        assert str(refused.value) == (
            "compute.workers=2: workers keep dying (out of memory?); allowed: fewer. "
            "Finished blocks are kept; run the same command to go on"
        )
    else:
        assert sorted(value for _, value in work) == list(range(9))
    assert asked == [list(range(start, 9)) for start in range(min(deaths, 3) + 1)]


def test_processes_stay_have_one_thread_and_leave_ctrl_c_to_their_parent(monkeypatch):
    asked = []
    monkeypatch.setattr(rooms, "get_reusable_executor", lambda **options: asked.append(options))
    rooms._executor(4)
    (options,) = asked
    monkeypatch.setattr(signal, "signal", lambda *given: asked.append(given))
    monkeypatch.setattr(worker_life, "_killed_by_kernel", lambda: True)
    monkeypatch.setattr("os.getppid", lambda: os.getpid())  # a worker's parent is this process
    options.pop("initializer")(*options.pop("initargs"))
    assert asked[1:] == [(signal.SIGINT, signal.SIG_IGN)]
    assert set(options.pop("env").values()) == {"1"}
    assert options == {"max_workers": 4, "timeout": 300}


def slowly(monkeypatch, seconds):
    """A clock that a block moves on by some seconds."""
    now = [0.0]
    monkeypatch.setattr(rooms.time, "monotonic", lambda: now[0])
    done = []

    def measure(block):
        now[0] += seconds
        done.append((block.check, block.block))
        return block.key

    return measure, done


def never(function, blocks):
    raise AssertionError(blocks)


def test_a_short_run_needs_no_workers(monkeypatch):
    measure, done = slowly(monkeypatch, 0.3)
    pool, blocks = Pool(2), blocks_of(3)
    monkeypatch.setattr(Pool, "__call__", never)
    assert dict(first_here(pool, measure, blocks)) == {block: block.key for block in blocks}
    assert done[:4] == [(0, 0), (1, 0), (2, 0), (0, 1)]  # each row once, then again
    assert not pool.started


def test_a_long_run_goes_on_here_until_its_workers_are_there(monkeypatch, executor):
    measure, done = slowly(monkeypatch, 0.6)
    blocks = blocks_of(3)
    for found in first_here(Pool(2), measure, blocks):
        if len(done) == 5 and executor.left:
            assert [task for _, task in executor.left] == [ready_to_measure] * 2
            executor.one()
            executor.one()  # the last that both need
        assert found[1] == found[0].key
    assert done[:5] == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)]
    here = {"a0.0", "a1.0", "a2.0", "a0.1", "a1.1"}
    given = [key for task in executor.asked for key in task]
    assert given == [block.key for block in blocks if block.key not in here]


def test_started_workers_are_as_many_as_the_pool_has(executor):
    pool = Pool(3)
    assert not pool.started
    assert [future.done() for future in pool.start()] == [False] * 3
    assert [task for _, task in executor.left] == [ready_to_measure] * 3
    assert pool.started


def test_blocks_that_take_as_long_as_workers_need_to_start_are_handed_on_at_once(
    monkeypatch, executor
):
    measure, done = slowly(monkeypatch, 1.2)
    blocks = blocks_of(3)
    assert dict(first_here(Pool(2), measure, blocks)) == {block: block.key for block in blocks}
    assert done[0] == (0, 0)
    given = [key for task in executor.asked for key in task]
    assert given == [block.key for block in blocks if block.key != "a0.0"]


def test_workers_that_are_there_are_used(executor, monkeypatch):
    monkeypatch.setattr(Pool, "__call__", lambda self, function, blocks: iter(blocks))
    pool = Pool(2)
    pool._processes = executor
    assert list(first_here(pool, never, blocks_of(1))) == blocks_of(1)


def test_one_pool_of_a_size():
    assert rooms.pool(3) is rooms.pool(3)
    assert rooms.pool(3).workers == 3
    assert not rooms.pool(3).idle


def test_only_workers_that_measure_for_nobody_are_ended(executor, monkeypatch):
    busy, idle = Pool(2), Pool(3)
    monkeypatch.setattr(rooms, "_pools", {1: Pool(1), 2: busy, 3: idle})
    list(idle(key_of, blocks_of(1)))
    later = [lambda: Coming(key_of, blocks_of(1, name="b"), lambda *found: None)]
    list(busy(key_of, blocks_of(1), later))
    rooms.stop_begun()
    assert executor.killed == 1
    assert not busy.started
    assert idle.started
