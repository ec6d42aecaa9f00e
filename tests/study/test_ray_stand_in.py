"""The mapper on a stand-in for Ray: what it asks of a cluster, in which order, and its refusals."""

from __future__ import annotations

import os
import sys
import types

import numpy as np
import pytest

from repro.base.errors import BadInput
from repro.study import ray_tasks
from repro.study.blocks import Block
from repro.study.ray_tasks import RayTasks

BLOCKS = [Block(0, index, f"{index:032x}") for index in range(7)]


class WorkerCrashedError(Exception):
    pass


class NodeDiedError(Exception):
    pass


class OutOfMemoryError(Exception):
    pass


class ObjectLostError(Exception):
    pass


class RayTaskError(Exception):
    cause: object = None


LOST = (WorkerCrashedError, NodeDiedError, OutOfMemoryError, ObjectLostError)


class StandIn(types.ModuleType):
    """Runs tasks when they are fetched, the newest first, and notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__("ray")
        errors = (
            WorkerCrashedError,
            NodeDiedError,
            OutOfMemoryError,
            ObjectLostError,
            RayTaskError,
        )
        self.exceptions = types.SimpleNamespace(**{error.__name__: error for error in errors})
        self.started, self.stopped, self.flying, self.most = [], 0, 0, 0
        self.options: dict = {}
        self.refuses: Exception | None = None
        self.cores = {"CPU": 3.0}

    def init(self, **options):
        self.started.append(options)
        if self.refuses:
            raise self.refuses

    def shutdown(self):
        self.stopped += 1

    def cluster_resources(self):
        return self.cores

    def put(self, value):
        return value

    def remote(self, **options):
        self.options = options

        def wrap(function):
            def start(*given):
                self.flying += 1
                self.most = max(self.most, self.flying)
                return lambda: function(*given)

            return types.SimpleNamespace(remote=start)

        return wrap

    def wait(self, flying, num_returns):
        assert num_returns == 1
        return flying[-1:], flying[:-1]

    def get(self, task):
        self.flying -= 1
        return task()


@pytest.fixture
def ray(monkeypatch):
    found = StandIn()
    monkeypatch.setitem(sys.modules, "ray", found)
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return found


def number(block):
    return np.full(2, float(block.block))


def test_a_cluster_of_this_machine(ray):
    tasks = RayTasks(2, None)
    found = list(tasks(number, BLOCKS))
    assert sorted(block.block for block, _ in found) == list(range(7))
    assert all((values == block.block).all() for block, values in found)
    assert ray.started == [{
        "address": "local", "num_cpus": 2, "object_store_memory": 100 * 2**20,
        "logging_level": "ERROR", "log_to_driver": False, "include_dashboard": False,
    }]  # fmt: skip
    assert ray.options == {"max_retries": 3, "num_cpus": 1, "scheduling_strategy": "SPREAD"}
    assert (ray.stopped, ray.most) == (1, 4)
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    assert os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] == "0"


def test_blocks_start_in_their_order(ray):
    found = list(RayTasks(1, None)(number, BLOCKS))
    assert [block.block for block, _ in found][:2] == [1, 2]
    assert found[-1][0].block == 0


def test_an_existing_cluster_is_as_large_as_it_is(ray):
    tasks = RayTasks(None, "ray://x")
    assert len(list(tasks(number, BLOCKS))) == 7
    assert ray.started == [{"address": "ray://x", "logging_level": "ERROR", "log_to_driver": False}]
    assert (tasks.workers, ray.most) == (3, 6)
    ray.cores = {}
    small = RayTasks(None, "ray://x")
    assert len(list(small(number, BLOCKS))) == 7
    assert small.workers == 1


def test_nothing_to_do_starts_nothing(ray):
    assert list(RayTasks(2, None)(number, [])) == []
    assert ray.started == []


@pytest.mark.parametrize("error", [ConnectionError, RuntimeError, ValueError])
def test_no_cluster_is_one_line(ray, error):
    ray.refuses = error("nobody\n there " + "x" * 300)
    with pytest.raises(BadInput) as refused:
        list(RayTasks(2, "ray://x")(number, BLOCKS))
    text = str(refused.value)
    assert text.startswith("compute.address=ray://x: no Ray cluster: nobody there xxx")
    assert len(text) == len("compute.address=ray://x: no Ray cluster: ") + 160
    with pytest.raises(BadInput, match=r"^compute.address: no Ray cluster"):
        list(RayTasks(2, None)(number, BLOCKS))


@pytest.mark.parametrize("error", LOST)
def test_lost_workers_are_one_line(ray, error):
    def lost(block):
        raise error

    with pytest.raises(BadInput, match=r"^compute=ray: workers keep dying .*go on$"):
        list(RayTasks(2, None)(lost, BLOCKS))
    assert ray.stopped == 1


def test_what_a_task_raises_is_raised_here(ray):
    def refuses(block):
        problem = RayTaskError("wrapped")
        problem.cause = BadInput("kl_weight", 3, "allowed: none")
        raise problem

    def unknown(block):
        problem = RayTaskError("wrapped")
        problem.cause = "text"
        raise problem

    with pytest.raises(BadInput, match=r"^kl_weight=3: allowed: none$"):
        list(RayTasks(2, None)(refuses, BLOCKS))
    with pytest.raises(RayTaskError, match="wrapped"):
        list(RayTasks(2, None)(unknown, BLOCKS))


def test_a_worker_with_other_code_refuses(monkeypatch):
    ready = []
    monkeypatch.setattr(ray_tasks, "ready_to_measure", lambda: ready.append(1))
    block, values = ray_tasks._measured(number, ray_tasks._code(), BLOCKS[3])
    assert (block, values.tolist(), ready) == (BLOCKS[3], [3.0, 3.0], [1])
    with pytest.raises(BadInput, match=r"^compute=ray: the cluster's nodes have another version"):
        ray_tasks._measured(number, "other", BLOCKS[3])


def test_the_code_is_all_of_repro_and_theorems(monkeypatch):
    seen = {}
    monkeypatch.setattr(ray_tasks, "files_fingerprint", lambda files: seen.update(files) or "x")
    assert ray_tasks._code.__wrapped__() == "x"
    wanted = {"repro/study/ray_tasks.py", "theorems/offline_gap.py", "repro/base/errors.py"}
    assert wanted <= set(seen)
    assert all(path.is_file() and path.suffix == ".py" for path in seen.values())
