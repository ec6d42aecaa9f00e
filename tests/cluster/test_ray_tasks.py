"""A real Ray cluster of two nodes: the same bytes, both nodes at work, a lost node replaced."""

import os
import signal
from functools import partial

import numpy as np
import pytest

from repro.api import run
from repro.base.errors import BadInput
from repro.study.blocks import Block
from repro.study.ray_tasks import RayTasks, _measured
from tests.faults.processes import wait_for

ray = pytest.importorskip("ray", reason="pip install -e '.[ray]'")
pytestmark = pytest.mark.filterwarnings("ignore")

BLOCKS = [Block(0, index, f"{index:032x}") for index in range(12)]
FEW = {"budget": "smoke", "tracking": "none"}
SMALL = ["budget.replicates=60", "budget.blocks=10"]


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    node = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
    found = Cluster(initialize_head=True, head_node_args=node)
    found.add_node(**{k: v for k, v in node.items() if k != "include_dashboard"})
    yield found
    found.shutdown()


def _node(folder, block):
    """The node of a task, which goes on once two nodes have begun one: a slow one is waited for."""
    node = ray.get_runtime_context().get_node_id()
    (folder / node).touch()
    wait_for(lambda: len(list(folder.iterdir())) > 1)
    return node


def _die_once(flag, block):
    if block.block == 3 and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return np.full(2, float(block.block))


def _die(block):
    os.kill(os.getpid(), signal.SIGKILL)


def _refuse(block):
    raise BadInput("kl_weight", block.block, "allowed: none")


def _files(theorem, compute):
    done = run(theorem, overrides=[*SMALL, *compute], **FEW)
    return done.verdict_json, done.measurements.to_csv(index=False)


@pytest.mark.some(1)
@pytest.mark.parametrize("theorem", ["kl_contraction", "rdpo_identity"])
def test_the_same_bytes_as_local_workers(cluster, theorem):
    wanted = _files(theorem, ["compute.workers=1"])
    for workers in (2, 4):
        assert _files(theorem, [f"compute.workers={workers}"]) == wanted
    assert _files(theorem, ["compute=ray", f"compute.address='{cluster.address}'"]) == wanted


@pytest.mark.slow
def test_both_nodes_work(cluster, tmp_path):
    tasks = RayTasks(None, cluster.address)
    found = dict(tasks(partial(_node, tmp_path), BLOCKS))
    assert set(found) == set(BLOCKS)
    assert len(set(found.values())) == 2
    assert tasks.workers == 2


@pytest.mark.slow
def test_a_killed_worker_costs_no_block(cluster, tmp_path):
    flag = tmp_path / "killed"
    found = dict(RayTasks(2, cluster.address)(partial(_die_once, flag), BLOCKS))
    assert flag.exists()
    assert {block: values.tolist() for block, values in found.items()} == {
        block: [block.block] * 2 for block in BLOCKS
    }


@pytest.mark.slow
def test_workers_that_always_die_end_in_one_line(cluster):
    with pytest.raises(BadInput, match=r"^compute=ray: workers keep dying .* go on$"):
        list(RayTasks(2, cluster.address)(_die, BLOCKS[:1]))


def test_bad_input_in_a_task_stays_bad_input(cluster):
    with pytest.raises(BadInput, match=r"^kl_weight=0: allowed: none$"):
        list(RayTasks(2, cluster.address)(_refuse, BLOCKS[:1]))


def test_other_code_on_the_nodes_is_refused():
    with pytest.raises(BadInput, match="another version of this code"):
        _measured(_refuse, "other", BLOCKS[0])


def test_nothing_to_do_starts_nothing():
    assert list(RayTasks(None, "127.0.0.1:1")(_refuse, [])) == []
