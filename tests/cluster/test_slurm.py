"""A real Slurm of one machine: submitit's launcher and a plain sbatch give local's bytes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("hydra_plugins.hydra_submitit_launcher", reason="the extra: slurm")

ROOT = Path(__file__).parents[2]
FEW = ("budget=smoke", "budget.replicates=60", "budget.blocks=10")
QUIET = (*FEW, "tracking=none")
PAIR = ("local_privacy_channels", "rdpo_identity")


def _repro(words, env, launcher=()):
    command = [sys.executable, "-m", "repro", *launcher, *words]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=400)


def _files(folder):
    names = ("verdict.json", "measurements.parquet")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for name in names
        for path in folder.rglob(name)
    }


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    """Files of local runs with one worker."""
    folder = tmp_path_factory.mktemp("local")
    for theorem in PAIR:
        words = (f"theorem={theorem}", *QUIET, f"output_dir={folder}", "compute.workers=1")
        done = _repro(words, os.environ)
        assert done.returncode == 0, done.stderr
    return _files(folder)


def test_a_multirun_by_submitit_gives_the_same_bytes(slurm, wanted, tmp_path):
    launcher = ("-m", "hydra/launcher=submitit_slurm", "hydra.launcher.timeout_min=5",
                "hydra.launcher.cpus_per_task=1", "hydra.launcher.array_parallelism=2",
                f"hydra.launcher.submitit_folder={tmp_path}/jobs")  # fmt: skip
    words = (f"theorem={','.join(PAIR)}", *QUIET, f"output_dir={tmp_path / 'runs'}")
    done = _repro(words, slurm, launcher)
    assert done.returncode == 0, done.stderr
    assert _files(tmp_path / "runs") == wanted
    logs = "".join(path.read_text() for path in (tmp_path / "jobs").rglob("*.out"))
    assert "submitit" in logs


def test_an_sbatch_script_gives_the_same_bytes(slurm, wanted, tmp_path):
    runs, log = tmp_path / "runs", tmp_path / "log"
    words = " ".join([*QUIET, f"output_dir={runs}"])
    script = tmp_path / "job.sh"
    script.write_text(
        f"#!/bin/bash\n#SBATCH --array=0-1\n#SBATCH --cpus-per-task=1\ncd {ROOT}\n"
        f"theorems=({' '.join(PAIR)})\n"
        f"{sys.executable} -m repro theorem=${{theorems[$SLURM_ARRAY_TASK_ID]}} '"
        + words.replace(" ", "' '")
        + "' compute.workers=$SLURM_CPUS_PER_TASK\n"
    )
    command = ["sbatch", "--wait", "-o", f"{log}.%a", str(script)]
    done = subprocess.run(command, env=slurm, capture_output=True, text=True, timeout=400)
    text = "".join(path.read_text() for path in tmp_path.glob("log.*"))
    assert done.returncode == 0, done.stderr + text
    until = time.monotonic() + 60
    while len(_files(runs)) < len(wanted) and time.monotonic() < until:
        time.sleep(0.1)
    assert _files(runs) == wanted
