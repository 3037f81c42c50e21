"""The hosts of a run: a process each, with a network namespace of its own."""

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, IPv6Interface
from typing import Any

from longfat.base.errors import LongfatError
from longfat.emulation import kernel
from longfat.emulation.host import MOST_BYTES

SETUP_SECONDS = 20.0
"""Longest time in which a host is set up."""

MOST_HOSTS = 250
"""Hosts with addresses in one subnet of IPv4."""


@dataclass
class Peer:
    """A connection at a host: the host at its other end, and True if the data are sent here."""

    other: "Host"
    connection: int
    is_sender: bool


@dataclass
class Host:
    """A host of the scenario."""

    name: str
    number: int
    mtu: int
    aliases: list[str] = field(default_factory=list)
    peers: list[Peer] = field(default_factory=list)
    command: list[str] | None = None
    exit_code: int | None = None
    dropped: int = 0
    control: socket.socket | None = None
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def addresses(self) -> tuple[IPv4Interface, IPv6Interface]:
        """Its addresses, in networks that exist in the namespaces only."""
        return IPv4Interface(f"10.0.0.{self.number}/24"), IPv6Interface(f"fd00::{self.number}/64")

    @property
    def names(self) -> list[str]:
        """Its names as programs know them: no blanks, which node names may have."""
        return [*self.aliases, "-".join(self.name.split())]

    def send(self, **message: Any) -> None:
        """Send a message to its process."""
        if self.control is None:
            raise LongfatError(f"{self.name}: the host is not set up")
        try:
            self.control.send(json.dumps(message).encode())
        except OSError:
            raise LongfatError(f"{self.name}: the process of the host has ended") from None

    def receive(self) -> dict[str, Any]:
        """Receive a message from its process; empty if that has ended."""
        if self.control is None:
            return {}
        try:
            text = self.control.recv(MOST_BYTES)
        except OSError:
            return {}
        message: dict[str, Any] = json.loads(text) if text else {}
        return message


@contextlib.contextmanager
def set_up(hosts: Sequence[Host]) -> Iterator[list[int]]:
    """Set hosts up and yield the descriptors of their interfaces, which the caller closes then."""
    if not kernel.TUN.exists():
        raise LongfatError(f"{kernel.TUN}: no such device; load the kernel's module tun")
    names = [(name, _texts(host)) for host in hosts for name in host.names]
    descriptors: list[int] = []
    try:
        try:
            descriptors.extend(_start(host, names) for host in hosts)
        except BaseException:
            for descriptor in descriptors:
                os.close(descriptor)
            raise
        yield descriptors
    finally:
        for host in hosts:
            _end(host)


def _texts(host: Host) -> list[str]:
    return [str(address.ip) for address in host.addresses]


def _start(host: Host, names: Sequence[tuple[str, list[str]]]) -> int:
    host.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        host.process = subprocess.Popen(
            [sys.executable, "-m", "longfat.emulation.host", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
        )
    addresses = [str(address) for address in host.addresses]
    host.send(mtu=host.mtu, addresses=addresses, names=names)
    host.control.settimeout(SETUP_SECONDS)
    try:
        text, descriptors, _, _ = socket.recv_fds(host.control, MOST_BYTES, 1)
    except OSError:
        text, descriptors = b"", []
    host.control.settimeout(None)
    answer = json.loads(text) if text else {"error": "its process has ended"}
    if "error" in answer:
        raise LongfatError(
            f"{host.name}: {answer['error']}; hosts need network namespaces: run as root, or have "
            "the machine allow user namespaces (in a container: --privileged, or CAP_SYS_ADMIN "
            "and the device /dev/net/tun)"
        )
    return descriptors[0]


def _end(host: Host) -> None:
    """End all programs of a host, and its process."""
    if host.control is not None:
        with contextlib.suppress(LongfatError):
            host.send(finish=True)
            while message := host.receive():
                if "counters" in message:
                    host.dropped = message["counters"].get("dropped", 0)
                elif "ended" in message and host.exit_code is None:
                    host.exit_code = message["ended"]
        host.control.close()
    if host.process is not None:
        host.process.wait()


def run_command(
    host: Host, environment: Mapping[str, str], *, to_stderr: bool, has_input: bool
) -> None:
    """Start the command of a host."""
    host.send(run=host.command, environment=environment, to_stderr=to_stderr, has_input=has_input)


def wait_for_server(host: Host, seconds: float) -> bool:
    """Wait until the program of a host takes connections; False if it does not in time."""
    host.send(wait=seconds)
    while message := host.receive():
        if "ended" in message:
            host.exit_code = message["ended"]
        elif "listens" in message:
            return bool(message["listens"])
    return False


def note_ended(hosts: Iterable[Host], seconds: float) -> None:
    """Note which commands have ended, at latest after so many seconds."""
    by_control = {host.control: host for host in hosts if host.control is not None}
    readable, _, _ = select.select(list(by_control), [], [], seconds)
    for control in readable:
        host = by_control[control]
        message = host.receive()
        if "ended" in message:
            host.exit_code = message["ended"]
        elif not message:  # its process was killed
            host.exit_code = -9 if host.exit_code is None else host.exit_code
            control.close()
            host.control = None
