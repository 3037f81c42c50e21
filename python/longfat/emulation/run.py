"""A run in real time: hosts, programs, the network between them, and what is known afterwards."""

import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longfat import _engine
from longfat.base.errors import Interrupted, LongfatError, RunFailed
from longfat.base.stopping import requested_stop
from longfat.base.units import PICOSECONDS_PER_SECOND
from longfat.emulation.hosts import Host, note_ended, run_command, set_up, wait_for_server
from longfat.emulation.network import Network, network_of, take_commands, with_programs
from longfat.emulation.timing import Scheduled, Timing, others_elsewhere, schedule, stolen_seconds
from longfat.records.record import Record
from longfat.running.execution import Watch
from longfat.scenarios.scenario import Scenario

DEFAULT_BOUND_PS = 1_000_000_000
"""Bound of the lateness: 1 ms, which is less than a packet takes on a line of 10 Mbit/s."""

SERVER_SECONDS = 5.0
"""Longest time that commands of other hosts have until they take connections."""

_LOOK_SECONDS = 0.1
"""Time between two looks at a run in progress."""

_UNKNOWN = ("timeouts", "fast_retransmits")
"""Results of a sender that no header tells."""

Show = Callable[[dict[str, Any]], None]
"""Shows the state of a run."""


@dataclass(frozen=True)
class Programs:
    """The command, a server for the other end, and commands of named hosts."""

    command: Sequence[str]
    server: str | None = None
    others: Mapping[str, str] = field(default_factory=dict)
    download: bool = False


def emulate(
    scenario: Scenario,
    programs: Programs,
    *,
    timing: Timing | None = None,
    bound_ps: int = DEFAULT_BOUND_PS,
    watch: Watch | None = None,
    show: Show | None = None,
    keep_stdout: bool = False,
) -> Record:
    """Run programs over the network of a scenario in real time; returns the record.

    Ends when the command ends, at the latest at the end of the scenario. Its key `emulation` has
    what the engine does not simulate: lateness, hosts, and TCP connections by their headers. With
    `keep_stdout` programs print to stderr. Raises `LongfatError` where the machine allows no
    network namespaces, and `Interrupted` after a stop signal.
    """
    timing = timing or Timing()
    network = network_of(with_programs(scenario, download=programs.download))
    take_commands(network, programs.command, programs.server, programs.others)
    run = _Run(network, timing, bound_ps, watch or Watch(), keep_stdout)
    with requested_stop() as requested, others_elsewhere(timing):
        record = run.carry_out(show, requested)
        if requested:
            raise Interrupted(requested[0])
    return record


class _Run:
    def __init__(
        self, network: Network, timing: Timing, bound_ps: int, watch: Watch, keep_stdout: bool
    ) -> None:
        self._network = network
        self._timing = timing
        self._bound_ps = bound_ps
        self._watch = watch
        self._keep_stdout = keep_stdout
        self._scheduled: Scheduled | None = None
        self._remarks: list[str] = []
        self._stolen_before: float | None = None
        self._result: str | None = None
        self._failure: Exception | None = None

    def carry_out(self, show: Show | None, requested: Sequence[int]) -> Record:
        hosts = self._network.hosts
        with set_up(hosts) as descriptors:
            emulation = self._made(descriptors)
            self._start_servers()
            thread = threading.Thread(target=self._simulate, args=(emulation,), name="emulation")
            self._stolen_before, started = stolen_seconds(), time.monotonic()
            thread.start()
            try:
                self._serve(emulation, thread, started, show, requested)
            finally:
                emulation.stop()
                thread.join()
            ended_by = "command" if self._network.client.exit_code is not None else "duration"
        if self._failure is not None:
            raise self._failure
        return self._record(ended_by)

    def _made(self, descriptors: Sequence[int]) -> "_engine.Emulation":
        """Make the run, which takes the descriptors over."""
        hosts = [
            (host.name, descriptor, [
                ([address.ip.packed for address in peer.other.addresses],
                 peer.connection, peer.is_sender)
                for peer in host.peers
            ])
            for host, descriptor in zip(self._network.hosts, descriptors, strict=True)
        ]  # fmt: skip
        watch = self._watch
        traces = None
        if watch.traces is not None:
            traces = (os.fspath(watch.traces), list(watch.names), watch.error)
        return _engine.Emulation(
            self._network.scenario.resolved,
            hosts,
            self._timing.spin_ps,
            self._bound_ps,
            None if watch.pcap is None else os.fspath(watch.pcap),
            traces,
        )

    def _simulate(self, emulation: "_engine.Emulation") -> None:
        try:
            self._scheduled = schedule(self._timing)
            self._result = emulation.run()
        except Exception as error:  # noqa: BLE001, raised in the thread that waits
            self._failure = error

    def _start_servers(self) -> None:
        client = self._network.client
        for host in self._network.hosts:
            if host.command is not None and host is not client:
                self._run_command(host, has_input=False)
        for host in self._network.hosts:
            if host.command is not None and host is not client:
                listens = wait_for_server(host, SERVER_SECONDS)
                if not listens and host.exit_code is not None:
                    raise RunFailed(
                        f"{host.names[0]}: its command ended at once, with exit code "
                        f"{host.exit_code}: {host.command[-1]}"
                    )
                if not listens:
                    self._remarks.append(
                        f"{host.names[0]}: its command took no connections within "
                        f"{SERVER_SECONDS:g} s"
                    )

    def _run_command(self, host: Host, *, has_input: bool) -> None:
        environment = self._network.environment(host)
        to_stderr = self._keep_stdout or host is not self._network.client
        run_command(host, environment, to_stderr=to_stderr, has_input=has_input)

    def _serve(
        self,
        emulation: "_engine.Emulation",
        thread: threading.Thread,
        started: float,
        show: Show | None,
        requested: Sequence[int],
    ) -> None:
        """Start the command in time, and wait until it or the run ends."""
        client, starts = self._network.client, self._network.starts_ps / PICOSECONDS_PER_SECOND
        while not requested and thread.is_alive() and client.exit_code is None:
            left = starts - (time.monotonic() - started)
            if starts >= 0 and left <= 0:
                self._run_command(client, has_input=True)
                starts = -1.0
            note_ended(self._network.hosts, min(_LOOK_SECONDS, left) if left > 0 else _LOOK_SECONDS)
            if show is not None:
                state = json.loads(emulation.snapshot())
                if state["hosts"]:  # none before the first state is published
                    show(state)

    def _record(self, ended_by: str) -> Record:
        if self._result is None or self._scheduled is None:
            raise LongfatError("the run has no result")
        result = json.loads(self._result)
        record, account = Record(result["record"]), result["account"]
        outside = json.loads(_engine.outside_connections(self._network.scenario.resolved))
        for connection in outside:
            flow = record["flows"][connection["connection"]]
            flow.update(dict.fromkeys(_UNKNOWN))
        after, before = stolen_seconds(), self._stolen_before
        stolen = None if after is None or before is None else round(after - before, 3)
        hosts = zip(self._network.hosts, account.pop("interfaces"), strict=True)
        record["emulation"] = {
            "ended_by": ended_by,
            **account,
            "scheduling": {**self._scheduled.as_json(), "stolen_s": stolen},
            "hosts": [_of_host(host, interface) for host, interface in hosts],
            "remarks": [*filter(None, [self._scheduled.refused]), *self._remarks],
            "kernel": _kernel(),
        }
        return record


def _kernel() -> dict[str, str | None]:
    """Return the kernel whose TCP programs use, and the control that they have by default."""
    control = Path("/proc/sys/net/ipv4/tcp_congestion_control")
    default = control.read_text().strip() if control.is_file() else None
    return {"release": os.uname().release, "default_control": default}


def _of_host(host: Host, interface: dict[str, Any]) -> dict[str, Any]:
    return {
        "host": interface.pop("host"),
        "names": host.names,
        "addresses": [str(address.ip) for address in host.addresses],
        "command": host.command,
        "exit_code": host.exit_code,
        **interface,
        "packets_dropped_by_interface": host.dropped,
    }
