"""Calls of the Linux kernel that Python has no function for: namespaces, mounts and interfaces."""

import ctypes
import fcntl
import ipaddress
import os
import signal
import socket
import struct
from pathlib import Path

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

_PR_SET_PDEATHSIG = 1
_PR_SET_TIMERSLACK = 29

_MS_BIND = 0x1000
_MS_REC = 0x4000
_MS_PRIVATE = 1 << 18

_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_SIOCSIFADDR = 0x8916
_SIOCSIFNETMASK = 0x891C
_SIOCSIFMTU = 0x8922
_SIOCGIFINDEX = 0x8933
_TUNSETIFF = 0x400454CA

_RTM_SETLINK = 19
_IFLA_TXQLEN = 13
_IFLA_GSO_MAX_SEGS = 40
_NLM_F_REQUEST = 1
_NLM_F_ACK = 4
_NLMSG_BYTES = 16

_IFF_UP = 1
_IFF_TUN = 0x0001
_IFF_NO_PI = 0x1000

_IFREQ_BYTES = 40

TUN = Path("/dev/net/tun")


def _call(name: str, *arguments: object) -> None:
    """Call a function of the C library; raises `OSError` if it fails."""
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), name)


def unshare(flags: int) -> None:
    """Move this process, of one thread, into new namespaces."""
    _call("unshare", ctypes.c_int(flags))


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends."""
    _call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def wake_exactly() -> None:
    """Let timers of this thread fire without the 50 us of slack that threads have."""
    _call("prctl", _PR_SET_TIMERSLACK, 1, 0, 0, 0)


def keep_mounts_private() -> None:
    """Let no mount of this namespace reach another."""
    _call("mount", b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None)


def bind(source: Path, target: Path) -> None:
    """Show `source` in the place of `target`, in this mount namespace."""
    paths = os.fsencode(source), os.fsencode(target)
    _call("mount", *paths, None, ctypes.c_ulong(_MS_BIND), None)


def hide(folder: Path) -> None:
    """Show an empty folder in the place of `folder`, in this mount namespace."""
    _call("mount", b"tmpfs", os.fsencode(folder), b"tmpfs", ctypes.c_ulong(0), None)


def open_tun(name: str) -> int:
    """Make a TUN device in this network namespace, which exists as long as the descriptor."""
    descriptor = os.open(TUN, os.O_RDWR | os.O_CLOEXEC)
    try:
        request = _request(name, struct.pack("H", _IFF_TUN | _IFF_NO_PI))
        fcntl.ioctl(descriptor, _TUNSETIFF, request)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def set_mtu(name: str, mtu: int) -> None:
    """Set the largest packet of an interface."""
    _set(name, _SIOCSIFMTU, struct.pack("i", mtu))


def set_queue(name: str, packets: int) -> None:
    """Set how many packets may wait for who reads the interface."""
    _set_link(name, _IFLA_TXQLEN, packets)


def set_most_segments(name: str, segments: int) -> None:
    """Set how many segments TCP hands to an interface at once, which are packets behind it."""
    _set_link(name, _IFLA_GSO_MAX_SEGS, segments)


def _set_link(name: str, attribute: int, value: int) -> None:
    """Set a number of an interface.

    By netlink: the older call wants rights outside of the user namespace.
    """
    number = socket.if_nametoindex(name)
    body = struct.pack("BxHiII", socket.AF_UNSPEC, 0, number, 0, 0)
    body += struct.pack("HHI", 8, attribute, value)
    flags = _NLM_F_REQUEST | _NLM_F_ACK
    header = struct.pack("IHHII", _NLMSG_BYTES + len(body), _RTM_SETLINK, flags, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as control:
        control.send(header + body)
        (error,) = struct.unpack_from("i", control.recv(1 << 16), _NLMSG_BYTES)
    if error:
        raise OSError(-error, os.strerror(-error), name)


def bring_up(name: str) -> None:
    """Bring an interface up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = fcntl.ioctl(control, _SIOCGIFFLAGS, _request(name))
        (flags,) = struct.unpack_from("H", request, 16)
        fcntl.ioctl(control, _SIOCSIFFLAGS, _request(name, struct.pack("H", flags | _IFF_UP)))


def add_address(name: str, interface: ipaddress.IPv4Interface | ipaddress.IPv6Interface) -> None:
    """Give an interface an address, with a route to its subnet."""
    if interface.version == 4:
        for request, address in (
            (_SIOCSIFADDR, interface.ip),
            (_SIOCSIFNETMASK, interface.netmask),
        ):
            packed = struct.pack("HH4s", socket.AF_INET, 0, address.packed)
            _set(name, request, packed)
        return
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as control:
        (index,) = struct.unpack_from("i", fcntl.ioctl(control, _SIOCGIFINDEX, _request(name)), 16)
        packed = interface.ip.packed + struct.pack("Ii", interface.network.prefixlen, index)
        fcntl.ioctl(control, _SIOCSIFADDR, packed)


def _set(name: str, request: int, value: bytes) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, request, _request(name, value))


def _request(name: str, value: bytes = b"") -> bytes:
    """Return a `struct ifreq`."""
    return struct.pack("16s", name.encode()) + value.ljust(_IFREQ_BYTES - 16, b"\0")
