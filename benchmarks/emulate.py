"""Runs in real time: what an independent program measures, and how late packets are.

    .venv/bin/python -m benchmarks.emulate [--record FILE] [--splice PAGE] [--repetitions N]

N are the seconds of each run in which lateness is measured. Needs root (for priority) and iperf3.
Results depend on the machine and its load, which the record has; in a run, `load` are processes
that compute beside it.
"""

import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.profile import Unmeasurable, table
from benchmarks.recorded import Recorded

TRAFFIC = Path(__file__).with_name("traffic.py")

FLOOR = Path(__file__).with_name("floor.py")

FLOOR_SECONDS = 5

CHECK_SECONDS = 60
"""Seconds of each run that is compared with its scenario."""

LOAD = 4
"""Processes that compute beside the runs under load."""

RATES = {"10 Mbit/s": 10e6, "100 Mbit/s": 100e6, "500 Mbit/s": 500e6, "1 Gbit/s": 1e9}

LOSS = 0.1
"""Probability of a loss, where losses are counted."""

SHOWN = {
    "delay": ("ms", 1e3),
    "rate": ("Mbit/s", 1e-6),
    "buffer": ("packets", 1.0),
    "loss": ("of packets", 1.0),
}
"""Unit in which each measure is shown, and what its number is multiplied by."""

DELAY_S = 0.040
"""Round trip without waiting."""

WIDE = "net.ipv4.tcp_no_metrics_save=1 net.ipv4.tcp_rmem='4096 33554432 33554432'"
WIDE += " net.ipv4.tcp_wmem='4096 33554432 33554432'"
"""Buffers that do not limit the window."""

SCENARIO = """
schema_version = 1
duration = "300 s"
framing = {{ kind = "packet", header = "40 B" }}
{more}
[topology]
kind = "n-source"
sources = 1
access = {{ rate = "10 Gbit/s", delay = "0.5 ms" }}
bottleneck = {{ rate = "{rate}", delay = "{delay}" }}
"""


@contextmanager
def loaded(processes: int) -> Iterator[None]:
    """Have some processes compute meanwhile."""
    program = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(program) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def emulated(
    rate: str,
    server: str,
    command: Sequence[str],
    *options: str,
    more: str = "",
    delay: str = "19 ms",
) -> tuple[str, dict[str, Any]]:
    """Run a command over a line; returns what it printed, and the record."""
    more = more or 'port.buffer = "4000 packets"'
    program = str(Path(sys.executable).with_name("longfat"))
    with tempfile.TemporaryDirectory() as folder:
        scenario, record = Path(folder) / "line.toml", Path(folder) / "record.json"
        scenario.write_text(SCENARIO.format(rate=rate, more=more, delay=delay))
        run = [program, "emulate", str(scenario), "--record", str(record), "--server", server]
        ended = subprocess.run(
            [*run, *options, "--", *command], stdout=subprocess.PIPE, text=True, check=False
        )
        if not record.exists():
            raise Unmeasurable(f"longfat emulate ended with exit code {ended.returncode}")
        return ended.stdout, json.loads(record.read_text())


def traffic(*arguments: object) -> list[str]:
    """Return the command of one of the programs that send and receive.

    Their own lateness would be measured otherwise: they have a priority below that of the run.
    """
    return ["chrt", "--fifo", "40", sys.executable, str(TRAFFIC), *map(str, arguments)]


def checks(seconds: int) -> dict[str, Any]:
    """Compare delay, rate, buffer and losses with the scenario, by programs that do not know it."""
    printed, record = emulated(
        "100 Mbit/s", shlex.join(traffic("echo")), traffic("ping", seconds, "server")
    )
    trips = json.loads(printed.splitlines()[0])
    sent_ps = 4 * (92 * 8 / 10e9) + 2 * (92 * 8 / 100e6)
    found: dict[str, Any] = {
        "delay": of(DELAY_S + sent_ps, statistics.median(trips), record, p99=quantile(trips, 0.99))
    }
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "count.json"
        server = shlex.join(traffic("count", 1, result))
        flood = traffic("send", 25e6, 1472, seconds, "server")
        _, record = emulated("20 Mbit/s", server, flood)
        counted = json.loads(result.read_text())
        times = counted["times"]
        data = 8 * (counted["bytes"] - 1472) / (times[-1] - times[0])
        found["rate"] = of(20e6 * 1472 / 1500, data, record)
        result.unlink()
        # Twice as many as wait, every four seconds: one more is on the line.
        more = 'port.buffer = "200 packets"'
        burst = traffic("send", 2 * 1472 * 400, 1472, seconds, "server", 400)
        server = shlex.join(traffic("count", 6, result))
        printed, record = emulated("1 Mbit/s", server, burst, more=more)
        bursts = json.loads(printed.splitlines()[0]) / 400
        counted = json.loads(result.read_text())
        found["buffer"] = of(201, len(counted["times"]) / bursts, record)
        result.unlink()
        more = f'port.buffer = "1000 packets"\nloss = {{ kind = "random", probability = {LOSS} }}'
        many = traffic("send", 8e6, 200, seconds, "server")
        printed, record = emulated("100 Mbit/s", server, many, more=more)
        sent, arrived = json.loads(printed.splitlines()[0]), json.loads(result.read_text())
        found["loss"] = of(LOSS, 1 - len(arrived["times"]) / sent, record, sent=sent)
        found["loss"]["chance_sd"] = (LOSS * (1 - LOSS) / sent) ** 0.5
    return found


def of(
    expected: float, measured: float, record: Mapping[str, Any], **more: float
) -> dict[str, Any]:
    """Return a comparison, with the lateness of the run."""
    lateness = record["emulation"]["lateness"]
    return {"expected": expected, "measured": measured, "late_p99_s": lateness["p99_s"], **more}


def quantile(values: Sequence[float], share: float) -> float:
    """Return a quantile."""
    return sorted(values)[int(share * (len(values) - 1))]


def lateness(seconds: int) -> list[dict[str, Any]]:
    """Measure lateness at several rates, with and without priority and load."""
    rows = []
    for name, rate in RATES.items():
        for priority, load in (("50", 0), ("50", LOAD), ("none", LOAD)):
            wide = f"sysctl -q -w {WIDE}; exec "
            server = f"{wide} iperf3 -s -1"
            client = f"{wide} iperf3 -4 -c server -C cubic -t {seconds}"
            # Room for one round trip, so that a loss does not leave the line idle.
            more = f'port.buffer = "{int(rate * DELAY_S / 12000) + 20} packets"'
            with loaded(load):
                options = ("--priority", priority)
                floor = None if priority == "none" else bare_loop(priority)
                _, record = emulated(name, server, ["sh", "-c", client], *options, more=more)
            account = record["emulation"]
            rows.append({
                "rate": name, "priority": priority, "load": load,
                **account["lateness"],
                "bare_loop": floor,
                "goodput_bps": max(
                    each["there"]["received"]["goodput_bps"] or 0 for each in account["tcp"]
                ),
                "utilization": record["ports"][0]["utilization"],
                "unasked_drops": sum(
                    host["packets_dropped_by_interface"] + host["packets_refused"]
                    for host in account["hosts"]
                ),
                "stolen_s": account["scheduling"]["stolen_s"],
                "seconds": account["seconds"],
            })  # fmt: skip
            print(rows[-1], file=sys.stderr)
    return rows


def bare_loop(priority: str) -> dict[str, float]:
    """Measure how late a loop of the same priority with nothing to do is, under the same load."""
    command = [sys.executable, str(FLOOR), priority, str(FLOOR_SECONDS)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(ended.stdout)
    return found


def measured(seconds: int) -> dict[str, Any]:
    """Measure all of it."""
    if os.geteuid() != 0 or shutil.which("iperf3") is None:
        raise Unmeasurable("it needs root and iperf3")
    return {
        "kernel": os.uname().release,
        "checks": checks(CHECK_SECONDS),
        "lateness": lateness(seconds),
    }


def page(record: Mapping[str, Any]) -> str:
    """Return the tables of a record."""
    each = record["checks"].items()
    compared = [
        [f"{name}, {unit}", f"{scale * one['expected']:,.5g}", f"{scale * one['measured']:,.5g}",
         f"{100 * (one['measured'] / one['expected'] - 1):+.2f} %"]
        for (name, one), (unit, scale) in ((measure, SHOWN[measure[0]]) for measure in each)
    ]  # fmt: skip
    late = [
        [row["rate"], row["priority"], str(row["load"]), f"{row['goodput_bps'] / 1e6:,.1f}",
         *(f"{1e6 * row[key]:,.0f}" for key in ("p50_s", "p99_s", "max_s")), _floor(row),
         str(row["unasked_drops"])]
        for row in record["lateness"]
    ]  # fmt: skip
    header = ["line", "priority", "load", "goodput, Mbit/s", "median, us", "p99, us", "most, us"]
    machine = (
        f"Linux {record['kernel']}, {record['cores']} cores, which others of the machine shared: "
        f"their load before was {record['load']:.0f}."
    )
    return (
        f"{machine}\n\n"
        + table(["a program measures", "scenario", "measured", "difference"], compared)
        + "\n\n"
        + table([*header, "bare loop: p99, us", "drops not asked for"], late)
    )


def _floor(row: Mapping[str, Any]) -> str:
    """Return the p99 of a bare loop, which earlier records do not have."""
    floor = row.get("bare_loop")
    return "" if floor is None else f"{1e6 * floor['p99_s']:,.0f}"


EMULATE = Recorded("emulate", "python -m benchmarks.emulate", measured, page, 15)

if __name__ == "__main__":
    sys.exit(EMULATE.main(__doc__))
