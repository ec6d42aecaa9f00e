"""The tools behind docs/performance.md measure what they say, on any device."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest
import torch

from tools.bench import cpu_time, dispatch, edit_loop, peers, whole_machine

pytestmark = pytest.mark.slow


def test_sleep_costs_no_cpu_and_work_does():
    assert cpu_time.cost(lambda: time.sleep(0.05), 1) < 0.04
    assert cpu_time.cost(lambda: np.ones((300, 300)) @ np.ones((300, 300)), 1) > 0


@pytest.mark.parametrize("work", [whole_machine._fits, whole_machine._online])
def test_what_runs_on_a_device_runs_here(work):
    work("cpu", 4)


def test_a_language_model_takes_its_steps():
    pytest.importorskip("transformers")
    whole_machine._language_model("cpu", 2 * whole_machine.PAIRS_A_STEP)


def test_without_a_device_there_are_no_rows_of_one():
    rows = list(whole_machine.devices())
    assert bool(rows) == torch.cuda.is_available()


def test_peers_find_what_is_found_here():
    instance = peers.world()
    ours = peers.fitted(instance, peers.ROWS, 2, np.inf)
    counts = peers.drawn(peers.ROWS, 2, np.inf)
    for row in range(2):
        pairs, wins = counts.pairs[row].numpy(), counts.wins[row].numpy()
        found = peers.scipy_fit(instance.feature_diff.numpy(), pairs, wins)
        assert found == pytest.approx(ours[row].numpy(), abs=1e-6)


def test_jax_finds_what_is_found_here():
    pytest.importorskip("jax")
    ours = peers.fitted(peers.world(), peers.ROWS, peers.BATCH, np.inf)
    assert peers.jax_batch()() == pytest.approx(ours.numpy(), abs=1e-9)


def test_blocks_of_nothing_come_back():
    assert dispatch.nothing(None).shape == dispatch.SHAPE


def test_a_run_after_an_edit_says_when_it_began_and_when_its_verdict_came(tmp_path):
    wait = edit_loop.one_run("kl_contraction", tmp_path)
    assert 0 < wait.first < wait.verdict < wait.whole
    assert wait.cpu > 0
    assert list(tmp_path.rglob("figure.png"))


def test_a_bench_that_is_stopped_gives_what_it_has(monkeypatch, capsys):
    """But no table where an experiment has not run at all."""
    begun = []

    def run(name, folder):
        begun.append(name)
        if len(begun) == 5:
            raise KeyboardInterrupt
        return edit_loop.Wait(0.5, float(len(begun)), 9.0, 9.0)

    monkeypatch.setattr(edit_loop, "one_run", run)
    found = dict(edit_loop.waits(["short", "long"], 4))
    assert {name: wait.verdict for name, wait in found.items()} == {
        "short, in an empty folder": 1.0, "short": 3.0, "long": 3.0,
    }  # fmt: skip
    assert capsys.readouterr().err.endswith("stopped: 1 to 2 runs of each experiment\n")
    begun.clear()
    with pytest.raises(KeyboardInterrupt):
        list(edit_loop.waits(["a", "b", "c", "d"], 1))


@pytest.mark.parametrize("words", [["--runs", "0"], ["--runs", "x"], ["no_such_experiment"]])
def test_the_edit_loop_refuses_what_it_cannot_measure(words):
    command = [sys.executable, "-m", "tools.bench.edit_loop", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("edit_loop.py: error: argument ")
