"""The process of a host: it moves into namespaces of its own, and runs programs there.

Started as `python -m longfat.emulation.host DESCRIPTOR`, with a socket to the run. It sends the
descriptor of its interface and obeys. When the run ends, however it ends, the kernel kills this
process, with it the first process of the namespace, and with that all others there; interface and
namespaces have no names and end with them.
"""

import contextlib
import ipaddress
import json
import os
import select
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from longfat.emulation import kernel

INTERFACE = "longfat"
"""Name of the interface in each namespace."""

QUEUE_PACKETS = 10_000
"""Packets that may wait for the run to read them: a window of a long fat network."""

MOST_BYTES = 1 << 16
"""Longest message."""

GRACE_SECONDS = 1.0
"""Time that programs have to end by themselves."""

_NAMES = Path("/etc/hosts")
_RESOLVERS = Path("/etc/resolv.conf")

_SERVICES_OF_NAMES = ("/run/nscd", "/run/systemd/resolve")
"""Folders of services that would resolve names outside of the namespace."""

_LISTENING = "0A"
"""State of a listening socket in /proc/net/tcp."""

_CAN_RUN = 126
_IS_THERE = 127
"""Exit codes of a shell for a program that cannot be run, or is not there."""


def main() -> None:
    """Serve a run until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the run, which ends this process
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    message = control.recv(MOST_BYTES)
    if not message:  # the run has ended meanwhile
        return
    setup = json.loads(message)
    try:
        _leave()
    except OSError as error:
        _say(control, error=f"no namespace of its own: {error.strerror}")
        return
    kernel.die_with_parent()
    first = os.fork()
    if first:
        control.close()
        _, status = os.waitpid(first, 0)
        sys.exit(os.waitstatus_to_exitcode(status) and 1)
    kernel.die_with_parent()
    try:
        descriptor = _furnish(setup)
    except OSError as error:
        _say(control, error=f"{error.filename or 'its interface'}: {error.strerror}")
        return
    socket.send_fds(control, [json.dumps({"ready": True}).encode()], [descriptor])
    os.close(descriptor)
    _Programs(control).serve()


def _leave() -> None:
    """Leave the namespaces of the machine; whoever is not root becomes root of a user namespace."""
    user, group = os.getuid(), os.getgid()
    others = kernel.CLONE_NEWNET | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID
    if os.geteuid() == 0:
        kernel.unshare(others)
    else:
        kernel.unshare(others | kernel.CLONE_NEWUSER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    kernel.keep_mounts_private()


def _furnish(setup: dict[str, Any]) -> int:
    """Make interfaces and names; returns the descriptor of the interface to the run."""
    kernel.bring_up("lo")
    descriptor = kernel.open_tun(INTERFACE)
    kernel.set_mtu(INTERFACE, setup["mtu"])
    kernel.set_queue(INTERFACE, QUEUE_PACKETS)
    with contextlib.suppress(OSError):  # without IPv6
        settings = Path("/proc/sys/net/ipv6/conf") / INTERFACE
        (settings / "addr_gen_mode").write_text("1")
        (settings / "router_solicitations").write_text("0")
    kernel.bring_up(INTERFACE)
    for text in setup["addresses"]:
        address = ipaddress.ip_interface(text)
        if address.version == 4:
            kernel.add_address(INTERFACE, address)
        else:
            with contextlib.suppress(OSError):
                kernel.add_address(INTERFACE, address)
    for folder in map(Path, _SERVICES_OF_NAMES):
        if folder.is_dir():
            kernel.hide(folder)
    lines = ["127.0.0.1 localhost", "::1 localhost"]
    lines += [f"{address} {name}" for name, addresses in setup["names"] for address in addresses]
    _show(_NAMES, "".join(f"{line}\n" for line in lines))
    _show(_RESOLVERS, "# names are in /etc/hosts\n")
    return descriptor


def _show(path: Path, text: str) -> None:
    """Show `text` in the place of a file, if there is one; it leaves no file behind."""
    if not path.exists():
        return
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        shown = Path(file.name)
        shown.chmod(0o644)
        kernel.bind(shown, path.resolve())


class _Programs:
    """The first process of the namespace: starts programs, and reaps all that end."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._started: set[int] = set()
        self._ended, woken = os.pipe()
        for end in (self._ended, woken):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        while True:
            readable, _, _ = select.select([self._control.fileno(), self._ended], [], [])
            if self._ended in readable:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._ended, MOST_BYTES)
                self._reap()
            if self._control.fileno() in readable:
                message = self._control.recv(MOST_BYTES)
                if not message:
                    return
                asked = json.loads(message)
                if "run" in asked:
                    self._run(asked)
                elif "wait" in asked:
                    _say(self._control, listens=_wait_until_it_listens(asked["wait"]))
                else:
                    self._end_all()
                    _say(self._control, counters=_counters())
                    return

    def _run(self, asked: dict[str, Any]) -> None:
        program = os.fork()
        if program == 0:
            _become(asked)
        self._started.add(program)

    def _reap(self) -> None:
        for program, code in _ended_children():
            if program in self._started:
                self._started.discard(program)
                _say(self._control, ended=code)

    def _end_all(self) -> None:
        deadline = time.monotonic() + GRACE_SECONDS
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGTERM)
        while time.monotonic() < deadline and _has_children():
            self._reap()
            time.sleep(0.01)


def _become(asked: dict[str, Any]) -> None:
    """Become a program; never returns."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if asked["to_stderr"]:
        os.dup2(2, 1)
    if not asked["has_input"]:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
    program = asked["run"]
    try:
        os.execvpe(program[0], program, {**os.environ, **asked["environment"]})
    except OSError as error:
        print(f"longfat: {program[0]}: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(_IS_THERE if isinstance(error, FileNotFoundError) else _CAN_RUN)


def _ended_children() -> Iterator[tuple[int, int]]:
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if process == 0:
            return
        yield process, os.waitstatus_to_exitcode(status)


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _wait_until_it_listens(seconds: float) -> bool:
    """Wait until a program of this namespace takes connections or datagrams."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if any(_listens(name) for name in ("tcp", "tcp6", "udp", "udp6")):
            return True
        time.sleep(0.01)
    return False


def _listens(protocol: str) -> bool:
    try:
        _, *lines = Path(f"/proc/self/net/{protocol}").read_text().splitlines()
    except (OSError, ValueError):
        return False
    return any(protocol.startswith("udp") or line.split()[3] == _LISTENING for line in lines)


def _counters() -> dict[str, int]:
    """Return how many packets the kernel dropped before the run could read them."""
    for line in Path("/proc/self/net/dev").read_text().splitlines():
        name, _, numbers = line.partition(":")
        if name.strip() == INTERFACE:
            return {"dropped": int(numbers.split()[11])}
    return {}


def _say(control: socket.socket, **message: Any) -> None:
    with contextlib.suppress(OSError):  # nobody listens any more
        control.send(json.dumps(message).encode())


if __name__ == "__main__":
    main()
