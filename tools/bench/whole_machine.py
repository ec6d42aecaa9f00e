"""What needs the whole machine: cores and nodes at once, start-up, a device.

python -m tools.bench.whole_machine        the tables of these alone; minutes, nothing beside it
"""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

from repro.base.device import built_at
from repro.p1.pessimism.datasets import BuiltLabels
from repro.p1.pokl.curves import simulate
from repro.study.blocks import Block
from repro.study.parallel import available_cores, ready_to_measure
from repro.study.pool import in_workers
from repro.worlds.instances.linear import random_linear_world
from tools.bench.markdown import print_rows
from tools.bench.online import small_run

TASKS, TASK_SECONDS = 24, 1.0
PAIRS_A_STEP = 16


def description() -> str:
    """The machine in a line."""
    cores, load = available_cores(), os.getloadavg()[0]
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = {line.partition(":")[2].strip() for line in lines if line.startswith("model name")}
    processor = ", ".join(sorted(names)) or "unknown processor"
    python = ".".join(str(part) for part in sys.version_info[:2])
    versions = f"Python {python}, torch {torch.__version__}, numpy {np.__version__}"
    return f"\n{cores} cores ({processor}), load {load:.1f} at the start, {versions}"


def burn(block: Block) -> np.ndarray:
    """Work of ``TASK_SECONDS`` CPU seconds."""
    world = random_linear_world(6, 4, 4, 0.5, 1.0, 0.6, seed=1)
    until = time.thread_time() + TASK_SECONDS
    while time.thread_time() < until:
        rng = np.random.default_rng(0)
        BuiltLabels(truth=world, n_pairs=10**6, epsilon=1.0).draw(rng, 200).fit(1.0)
    return np.zeros(1)


def efficiencies() -> Iterator[tuple[str, float]]:
    """(how, CPU seconds of work / two cores / wall seconds), pools warm, with and without Ray's
    connecting, which is what a run of two blocks takes beyond their work."""
    blocks = [Block(0, index, f"{index:032x}") for index in range(TASKS)]
    for name, spread in {"2 processes": partial(in_workers, workers=2), **two_ray_nodes()}.items():
        list(spread(burn, blocks[:2]))
        two, all_of_them = (_seconds_of(spread, blocks[:count]) for count in (2, TASKS))
        work = TASKS * TASK_SECONDS / 2
        yield name, work / all_of_them
        yield f"{name}, without connecting", work / (all_of_them - max(two - TASK_SECONDS, 0.0))


def _seconds_of(spread, blocks: list[Block]) -> float:
    started = time.perf_counter()
    list(spread(burn, blocks))
    return time.perf_counter() - started


def two_ray_nodes():
    """A mapper over a cluster of two nodes of one core on this machine; none without Ray."""
    try:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        from ray.cluster_utils import Cluster  # pyright: ignore[reportMissingImports]
    except ImportError:
        return {}
    from repro.study.ray_tasks import RayTasks

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    return {"2 Ray nodes": RayTasks(2, cluster.address)}


def start_up() -> Iterator[tuple[str, str, str]]:
    """(command, wall seconds, CPU seconds), the best of five."""
    for words in (["--help"], ["--cfg", "job"]):
        walls, cpus = [], []
        for _ in range(5):
            before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run([sys.executable, "-m", "repro", *words], capture_output=True, check=True)
            walls.append(time.perf_counter() - started)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        yield f"python -m repro {' '.join(words)}", f"{min(walls):.2f}", f"{min(cpus):.2f}"


def devices() -> Iterator[tuple[str, str, str, str]]:
    """(what and where, replicates a second there, on one core, ratio); nothing without a GPU."""
    if not torch.cuda.is_available():
        return
    name = torch.cuda.get_device_name()
    works = [("offline fits", _fits, 20_000), ("T = 1e6", _online, 20_000)]
    if find_spec("transformers"):
        works.append(("language model, pairs of 128 tokens", _language_model, 256))
    for what, work, replicates in works:
        there, here = (
            replicates / _seconds(work, device, replicates) for device in ("cuda", "cpu")
        )
        yield f"{what}, {name}", f"{there:.0f}", f"{here:.0f}", f"{there / here:.1f}"


def _fits(device: str, replicates: int) -> None:
    world = random_linear_world(6, 4, 4, 0.5, 1.0, 0.6, seed=1, device=device)
    source = BuiltLabels(truth=world, n_pairs=10**6, epsilon=1.0)
    source.draw(np.random.default_rng(0), replicates).fit(1.0)


def _online(device: str, replicates: int) -> None:
    with built_at(Path("unused"), device):
        simulate([small_run(10**6, 1.5)], replicates, np.random.default_rng(0))


def _language_model(device: str, replicates: int) -> None:
    """Steps of DPO on pairs of random tokens, 16 a step; four layers of 256."""
    from transformers import (  # pyright: ignore[reportMissingImports]  # extra llm
        GPT2Config,
        GPT2LMHeadModel,
    )

    torch.manual_seed(0)
    shape = GPT2Config(vocab_size=1024, n_positions=128, n_embd=256, n_layer=4, n_head=4)
    model = GPT2LMHeadModel(shape).to(device)
    optimiser = torch.optim.AdamW(model.parameters())
    for _ in range(replicates // PAIRS_A_STEP):
        ids = torch.randint(0, 1024, (2 * PAIRS_A_STEP, 128), device=device)
        scores = model(input_ids=ids).logits[:, :-1].log_softmax(-1)
        each = scores.gather(2, ids[:, 1:, None]).sum((1, 2))
        first, second = each.chunk(2)
        torch.nn.functional.softplus(second - first).mean().backward()
        optimiser.step()
        optimiser.zero_grad()


def _seconds(work, device: str, replicates: int) -> float:
    work(device, replicates)
    found = []
    for _ in range(2):
        started = time.perf_counter()
        work(device, replicates)
        torch.cuda.synchronize()
        found.append(time.perf_counter() - started)
    return min(found)


def print_cores() -> None:
    """How much of two cores a run gets; −1 is the exponent of work that is shared at no cost."""
    shares = (
        (name, f"{100 * share:.0f} %", f"{-1 - math.log2(share):.2f}")
        for name, share in efficiencies()
    )
    print_rows("spread over | efficiency | exponent of wall time in workers, 1 to 2", shares)


def print_start_up() -> None:
    """What comes before any work."""
    print_rows("start-up of | wall s | CPU s", start_up())


def print_devices() -> None:
    """A device beside one core, or that there is none."""
    if not torch.cuda.is_available():
        print("\nNo GPU here.")
    print_rows("on a device | replicates/s on it | on one core | ratio", devices())


if __name__ == "__main__":
    ready_to_measure()
    print(description())
    print_devices()  # first: a machine that has one is lent by the minute
    print_cores()
    print_start_up()
