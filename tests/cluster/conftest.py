"""A Slurm of one machine: munged, slurmctld and slurmd, started by hand as root."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol")
CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


@pytest.fixture(scope="module")
def slurm():
    """The environment in which ``sbatch`` reaches a Slurm of this machine."""
    import tempfile

    if os.geteuid() or not all(map(shutil.which, DAEMONS)):
        pytest.skip("needs root and apt-get install slurmctld slurmd slurm-client munge")
    with tempfile.TemporaryDirectory(prefix="slurm") as folder:
        started = []
        try:
            yield _start(folder, started)
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait(30)


def _start(folder, started):
    os.chmod(folder, 0o755)
    conf = f"{folder}/slurm.conf"
    with open(conf, "w") as file:
        file.write(CONF.format(host=socket.gethostname().split(".")[0], folder=folder,
                               ports=_free_ports(2), cpus=os.cpu_count()))  # fmt: skip
    for name in ("state", "spool"):
        os.mkdir(f"{folder}/{name}")
    with open(f"{folder}/munge.key", "wb") as file:
        file.write(os.urandom(128))
    os.chmod(f"{folder}/munge.key", 0o600)
    paths = [f"--{kind}={folder}/munge.{kind}" for kind in ("socket", "pid-file", "log-file")]
    munged = ["munged", "-F", "-f", f"--key-file={folder}/munge.key", *paths]
    env = os.environ | {"SLURM_CONF": conf}
    for command in ([*munged, f"--seed-file={folder}/munge.seed"],
                    ["slurmctld", "-D", "-f", conf], ["slurmd", "-D", "-f", conf]):  # fmt: skip
        with open(f"{folder}/{command[0]}.out", "w") as out:
            started.append(subprocess.Popen(command, env=env, stdout=out, stderr=out))
        time.sleep(1)
    _until_idle(env, folder)
    return env


def _until_idle(env, folder, seconds=60):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = subprocess.run(["sinfo", "-h", "-o", "%T"], env=env, capture_output=True, text=True)
        if found.stdout.strip() in ("idle", "mixed"):
            return
        time.sleep(0.5)
    logs = [f"{folder}/{name}" for name in sorted(os.listdir(folder)) if name.endswith("log")]
    raise RuntimeError("\n".join(Path(log).read_text()[-2000:] for log in logs))


def _free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports
