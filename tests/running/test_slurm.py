"""The job scripts in examples/cluster, by a SLURM of our own on this machine."""

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from longfat.studies.definition import load_study
from longfat.studies.plan import Selection, plan_design
from tests.conftest import write_study
from tests.support import Longfat
from tests.waiting import PATIENCE_SECONDS, until

JOBS = Path(__file__).parents[2] / "examples" / "cluster"

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "sinfo")

# One machine that is head and node, where everybody is believed to be who they say they are.
CONFIGURATION = """\
ClusterName=alone
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={head}
SlurmdPort={node}
SlurmUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation={folder}/head
SlurmdSpoolDir={folder}/node
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
NodeName={host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes=ALL Default=YES State=UP
"""

LONG = """\
schema_version = 1
duration = "2000 s"
framing = "packet"
port.buffer = "500 packets"

[topology]
kind = "n-source"
sources = 50
access = { rate = "155.52 Mbit/s", delay = "5 ms" }
bottleneck = { rate = "155.52 Mbit/s", delay = "5 ms" }
"""
"""Some seconds of work."""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


Slurm = Callable[..., str]
"""Calls a program of SLURM and returns what it prints."""


@pytest.fixture
def slurm(tmp_path: Path, program: Path) -> Iterator[Slurm]:
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        pytest.skip(f"SLURM's daemons are started by root alone; missing: {missing}")
    folder = tmp_path / "slurm"
    for name in ("head", "node"):
        (folder / name).mkdir(parents=True)
    configuration = folder / "slurm.conf"
    configuration.write_text(
        CONFIGURATION.format(
            host=socket.gethostname(), head=free_port(), node=free_port(), folder=folder
        )
    )
    path = f"{program.parent}:{os.environ['PATH']}"
    environment = {**os.environ, "SLURM_CONF": str(configuration), "PATH": path}

    def call(*words: str | Path, may_fail: bool = False, **variables: str) -> str:
        return subprocess.run(
            words,
            cwd=tmp_path,
            env={**environment, **variables},
            capture_output=True,
            text=True,
            check=not may_fail,
            timeout=PATIENCE_SECONDS,
        ).stdout

    daemons = [
        subprocess.Popen([name, "-D"], env=environment, stderr=subprocess.DEVNULL)
        for name in ("slurmctld", "slurmd")
    ]
    try:
        until(lambda: "idle" in call("sinfo", "--noheader"), "SLURM's node to be idle")
        yield call
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait(PATIENCE_SECONDS)


def test_an_array_of_jobs_runs_a_study_also_in_two_attempts(
    slurm: Slurm, longfat: Longfat, tmp_path: Path
) -> None:
    study = write_study(tmp_path / "small")
    options = ("--array=1-3", "--cpus-per-task=1", "--export=ALL")

    def queued(*options: str) -> list[str]:
        return slurm("squeue", "--noheader", *options).splitlines()

    slurm("sbatch", *options, JOBS / "parts.sh", STUDY=str(study))
    until(lambda: queued("--steps") or not queued(), "a job to start")
    # As `--signal=INT@60` does a minute before the end of a job's time.
    # Jobs that wait cannot be told.
    slurm("scancel", "--signal=INT", "--name=parts.sh", may_fail=True)
    until(lambda: not queued(), "the jobs to end")
    slurm("sbatch", *options, JOBS / "parts.sh", STUDY=str(study))
    until(lambda: not queued(), "the jobs to end")

    parts = sorted((tmp_path / "parts").glob("*.db"))
    assert [part.name for part in parts] == ["1.db", "2.db", "3.db"]
    merged = longfat("store", "merge", "longfat.db", *parts)
    runs = plan_design(load_study(study), Selection()).distinct_runs
    assert f"{runs} runs added, 0 were there" in merged.stderr


def test_a_run_longer_than_its_job_goes_on_in_the_next_from_a_checkpoint(
    slurm: Slurm, longfat: Longfat, tmp_path: Path
) -> None:
    if not shutil.which("dmtcp_launch"):
        pytest.skip("DMTCP is needed")
    scenario = tmp_path / "long.toml"
    scenario.write_text(LONG)
    job = slurm("sbatch", "--parsable", JOBS / "long.sh", SCENARIO=str(scenario)).strip()
    kept = tmp_path / "long"

    said = tmp_path / f"slurm-{job}.out"
    until(lambda: said.exists() and "simulated" in said.read_text(), "the run to simulate")
    # As `--signal=B:USR1@120` does two minutes before the end of a job's time.
    slurm("scancel", "--batch", "--signal=USR1", job)

    def ended() -> bool:
        # SLURM may hold a job that was queued again back for some minutes.
        slurm("scontrol", "update", f"jobid={job}", "starttime=now", may_fail=True)
        return (kept / "result.json").exists()

    until(ended, "the result")
    assert "Restarts=1 " in slurm("scontrol", "show", "job", job)
    assert (kept / "result.json").read_text() == longfat("run", scenario, "--json").stdout
    assert not list(kept.glob("ckpt_*"))
