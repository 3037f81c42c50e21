"""Runs in real time beside mahimahi, which gives programs a delay and a line of opportunities.

    LONGFAT_MAHIMAHI=~/mahimahi .venv/bin/python -m benchmarks.mahimahi [--record FILE]

LONGFAT_MAHIMAHI is a checkout of https://github.com/ravinet/mahimahi in which it was built; longfat
has none of its code. Needs root and iperf3. N are the seconds of each run. Both have the same
real-time priority, and are measured by the same programs, one after the other, with processes that
compute beside them (`load`).
"""

import json
import math
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.emulate import LOAD, TRAFFIC, WIDE, emulated, loaded, quantile, traffic
from benchmarks.profile import Unmeasurable, table
from benchmarks.recorded import Recorded

PRIORITY = 50
DELAY_MS = 20
"""Delay there, and back."""

RATE = 20e6
"""Of the line whose rate and gaps are measured with datagrams."""

DATA_BYTES = 1472
PACKET_BYTES = 1500

RATES = {"100 Mbit/s": 100e6, "500 Mbit/s": 500e6, "1 Gbit/s": 1e9}

QUEUE_PACKETS = 500

CONTROL = "reno"
"""One that every user may choose."""

OUTSIDE = """
ip link set lo up
sysctl -q -w net.ipv4.ip_forward=1 {wide}
sh -c {server} >&2 &
sleep 1
chrt --fifo {priority} setpriv --reuid 65534 --regid 65534 --clear-groups {command}
kill %1 2>/dev/null
wait
"""
"""Script for network namespaces of its own, whose outer one has the server. mahimahi's shells want
another user than root."""

FIRST_ADDRESS = "100.64.0.1"
"""Of the outer end of mahimahi's first shell."""


def mahimahi() -> Path:
    """Return the folder with mahimahi's shells."""
    checkout = os.environ.get("LONGFAT_MAHIMAHI")
    folder = Path(checkout or ".") / "src" / "frontend"
    if checkout is None or not (folder / "mm-link").exists():
        raise Unmeasurable("LONGFAT_MAHIMAHI is no checkout in which mahimahi was built")
    return folder


def through_mahimahi(shell: Sequence[str], server: str, command: Sequence[str]) -> str:
    """Run a command within a shell of mahimahi, and a server outside; return what it printed."""
    # Programs have their own priority, or none, as those of longfat.
    own = ["chrt", "--other", "0", *command] if command[0] != "chrt" else [*command]
    with tempfile.TemporaryDirectory() as folder:
        # Another user may not reach this checkout, nor its interpreter.
        Path(folder).chmod(0o755)
        readable = {
            str(TRAFFIC): shutil.copy(TRAFFIC, folder),
            sys.executable: str(shutil.which("python3", path=os.defpath)),
        }
        own = [readable.get(word, word) for word in own]
        whole = shlex.join([str(mahimahi() / shell[0]), *shell[1:], *own])
        script = OUTSIDE.format(
            wide=WIDE, server=shlex.quote(server), priority=PRIORITY, command=whole
        )
        namespaces = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child"]
        command = [*namespaces, "bash", "-c", script]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout


def opportunities(rate_bps: float, folder: str) -> str:
    """Write a trace of mahimahi: the millisecond of each chance to send a packet."""
    file = Path(folder) / "line.trace"
    gap_ms = 8e3 * PACKET_BYTES / rate_bps
    count = round(100 / gap_ms) * 10
    file.write_text("".join(f"{math.ceil(number * gap_ms)}\n" for number in range(1, count + 1)))
    file.chmod(0o644)
    Path(folder).chmod(0o755)
    return str(file)


def link(rate_bps: float, folder: str) -> list[str]:
    """Return the shell with a line in both directions."""
    trace = opportunities(rate_bps, folder)
    queue = [
        f"--{way}-queue{what}"
        for way in ("uplink", "downlink")
        for what in ("=droptail", f"-args=packets={QUEUE_PACKETS}")
    ]
    return ["mm-link", trace, trace, *queue, "--"]


def delays(seconds: int, load: int) -> dict[str, Any]:
    """Measure round trips without a queue."""
    server = shlex.join(traffic("echo"))
    with loaded(load):
        printed, _ = emulated(
            "1 Gbit/s", server, traffic("ping", seconds, "server"), "--priority", str(PRIORITY)
        )
        shell = ["mm-delay", str(DELAY_MS)]
        theirs = through_mahimahi(shell, server, traffic("ping", seconds, FIRST_ADDRESS))
    found = {}
    # Transmission time in longfat of a packet of 92 bytes, 64 of them data: each way over two
    # lines of 10 Gbit/s and one of 1 Gbit/s. mahimahi has none.
    sent_s = 2 * (92 * 8) * (2 / 10e9 + 1 / 1e9)
    for name, text, own in (("longfat", printed, sent_s), ("mahimahi", theirs, 0.0)):
        trips = json.loads(text.splitlines()[0])
        error = [trip - own - 2 * DELAY_MS / 1e3 for trip in trips]
        found[name] = {"median_s": statistics.median(error), "p99_s": quantile(error, 0.99)}
    return found


def rates(seconds: int, load: int) -> dict[str, Any]:
    """Measure the rate of datagrams that are sent faster than the line, and their gaps."""
    found = {}
    gap_s = 8 * PACKET_BYTES / RATE
    flood = traffic("send", 1.25 * RATE, DATA_BYTES, seconds, "HOST")
    with tempfile.TemporaryDirectory() as folder, loaded(load):
        for name in ("longfat", "mahimahi"):
            result = Path(folder) / f"{name}.json"
            server = shlex.join(traffic("count", 1, result))
            if name == "longfat":
                command = [word.replace("HOST", "server") for word in flood]
                more = f'port.buffer = "{QUEUE_PACKETS} packets"'
                emulated(f"{RATE / 1e6:g} Mbit/s", server, command, more=more)
            else:
                command = [word.replace("HOST", FIRST_ADDRESS) for word in flood]
                through_mahimahi(link(RATE, folder), server, command)
            counted = json.loads(result.read_text())
            times = counted["times"]
            errors = [abs(after - before - gap_s) for before, after in pairwise(times)]
            found[name] = {
                "rate_bps": 8 * (counted["bytes"] - DATA_BYTES) / (times[-1] - times[0]),
                "expected_bps": RATE * DATA_BYTES / PACKET_BYTES,
                "gap_error_median_s": statistics.median(errors),
                "gap_error_p99_s": quantile(errors, 0.99),
            }
    return found


def ceilings(seconds: int, load: int) -> list[dict[str, Any]]:
    """Measure the goodput of one connection over lines of several rates."""
    rows = []
    client = ["iperf3", "-4", "-C", CONTROL, "-t", str(seconds), "-J", "-c"]
    for name, rate in RATES.items():
        with tempfile.TemporaryDirectory() as folder, loaded(load):
            more = f'port.buffer = "{QUEUE_PACKETS} packets"'
            wide = f"sysctl -q -w {WIDE}; exec "
            printed, record = emulated(
                name, f"{wide} iperf3 -s -1", ["sh", "-c", f"{wide} {shlex.join(client)} server"],
                "--priority", str(PRIORITY), more=more, delay="100 us",
            )  # fmt: skip
            theirs = through_mahimahi(link(rate, folder), "iperf3 -s -1", [*client, FIRST_ADDRESS])
        rows.append({
            "rate": name,
            "longfat_bps": _goodput(printed),
            "mahimahi_bps": _goodput(theirs),
            "longfat_late_p99_s": record["emulation"]["lateness"]["p99_s"],
        })  # fmt: skip
        print(load, rows[-1], file=sys.stderr)
    return rows


def _goodput(text: str) -> float | None:
    try:
        document, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
        rate: float = document["end"]["sum_received"]["bits_per_second"]
    except (ValueError, KeyError):
        return None
    return rate


def measured(seconds: int) -> dict[str, Any]:
    """Measure all of it."""
    if os.geteuid() != 0 or shutil.which("iperf3") is None:
        raise Unmeasurable("it needs root and iperf3")
    commit = subprocess.run(
        ["git", "-C", str(mahimahi()), "rev-parse", "HEAD"],
        stdout=subprocess.PIPE, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    runs = [
        {
            "load": load,
            "delay": delays(seconds, load),
            "rate": rates(seconds, load),
            "ceiling": ceilings(seconds, load),
        }
        for load in (0, LOAD)
    ]
    return {"kernel": os.uname().release, "commit": commit, "runs": runs}


def page(record: Mapping[str, Any]) -> str:
    """Return the table of a record."""
    rows = []
    for run in record["runs"]:
        both = [("longfat", run["delay"], run["rate"]), ("mahimahi", run["delay"], run["rate"])]
        load = str(run["load"])
        for what, values in (
            ("delay: error in the median, us", [_us(d[name]["median_s"]) for name, d, _ in both]),
            ("delay: error at p99, us", [_us(d[name]["p99_s"]) for name, d, _ in both]),
            ("rate: error, %", [_share(r[name]) for name, _, r in both]),
            ("gap between packets: error in the median, us",
             [_us(r[name]["gap_error_median_s"]) for name, _, r in both]),
            ("gap between packets: error at p99, us",
             [_us(r[name]["gap_error_p99_s"]) for name, _, r in both]),
        ):  # fmt: skip
            rows.append([what, load, *values])
        for row in run["ceiling"]:
            goodputs = [_mbit(row[f"{name}_bps"]) for name, *_ in both]
            rows.append([f"goodput of TCP over {row['rate']}, Mbit/s", load, *goodputs])
    machine = (
        f"Linux {record['kernel']}, {record['cores']} cores, which others of the machine shared: "
        f"their load before was {record['load']:.0f}. mahimahi {record['commit'][:12]}; both with "
        "real-time priority."
    )
    return f"{machine}\n\n" + table(["measured", "load", "longfat", "mahimahi"], rows)


def _us(seconds: float) -> str:
    return f"{1e6 * seconds:,.0f}"


def _share(found: Mapping[str, float]) -> str:
    return f"{100 * (found['rate_bps'] / found['expected_bps'] - 1):+.2f}"


def _mbit(rate_bps: float | None) -> str:
    return "none" if rate_bps is None else f"{rate_bps / 1e6:,.0f}"


MAHIMAHI = Recorded("mahimahi", "python -m benchmarks.mahimahi", measured, page, 15)

if __name__ == "__main__":
    sys.exit(MAHIMAHI.main(__doc__))
