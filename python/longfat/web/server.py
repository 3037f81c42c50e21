"""The HTTP server of a view."""

import socket
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from types import FrameType

import uvicorn

from longfat import _engine
from longfat.base.errors import LongfatError
from longfat.base.signals import GRACE_MILLISECONDS
from longfat.web import errand
from longfat.web.app import create_app
from longfat.web.connections import MOST_CONNECTIONS, Connection
from longfat.web.guard import Guard, Hosts
from longfat.web.view import View

PORT = 8747
"""Default port; a fixed one keeps the URLs of playgrounds valid."""

MOST_HEADER_BYTES = 16 * 1024

_SOMEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses for documentation, to which no packet is sent (RFC 5737, RFC 3849)."""


def serve(
    view: View, host: str, port: int | None, jobs: int, ready: Callable[[list[str]], None]
) -> None:
    """Serve until a signal; calls `ready` with the addresses, which include the token.

    Without a `port` uses `PORT`, or any free one if that is taken. Raises `LongfatError` if the
    address is not available, and for a store or studies that cannot be opened.
    """
    _ = view.studies
    with view.store():
        pass  # refuses now what is no store
    listener = listen(host, port)
    bound = listener.getsockname()[1]
    config = configured(create_app(view, Hosts(host, bound), jobs))
    errand.prepare()
    named = [f"[{name}]" if ":" in name else name for name in names_of(host)]
    ready([f"http://{name}:{bound}/?token={view.token}" for name in named])
    _Server(config).run(sockets=[listener])


def configured(application: Guard) -> uvicorn.Config:
    """Return the configuration of a server of a guarded application."""
    return uvicorn.Config(
        application,
        http=Connection,
        ws="none",
        log_level="critical",
        access_log=False,
        server_header=False,
        limit_concurrency=2 * MOST_CONNECTIONS,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        timeout_graceful_shutdown=0,
    )


class _Server(uvicorn.Server):
    """A server that ends soon after the first signal: it only reads."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        _engine.end_process_after(GRACE_MILLISECONDS, 128 + sig)
        super().handle_exit(sig, frame)


def names_of(host: str) -> list[str]:
    """Return the host, or the addresses of this machine if it stands for all of them."""
    try:
        address = ip_address(host)
    except ValueError:
        return [host]
    if not address.is_unspecified:
        return [host]
    families = [socket.AF_INET] if address.version == 4 else [socket.AF_INET, socket.AF_INET6]
    own = [*_own_addresses(families)]
    return list(dict.fromkeys(["127.0.0.1", *own]))


def _own_addresses(families: list[socket.AddressFamily]) -> Iterator[str]:
    """Yield the addresses from which this machine would send, and those of its name."""
    for family in families:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((_SOMEWHERE[family], 9))
                yield probe.getsockname()[0]
            except OSError:
                pass
        try:
            found = socket.getaddrinfo(socket.gethostname(), None, family, socket.SOCK_STREAM)
        except OSError:
            continue
        yield from (
            str(place[0])
            for *_, place in found
            if not (ip_address(place[0]).is_loopback or ip_address(place[0]).is_link_local)
        )


def listen(host: str, port: int | None) -> socket.socket:
    """Listen on a port, or on `PORT` or any free one. Raises `LongfatError` if that cannot be."""
    wanted = PORT if port is None else port
    try:
        family = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
        return _bound(family, host, wanted)
    except (OSError, UnicodeError) as error:
        if port is not None or isinstance(error, socket.gaierror | UnicodeError):
            reason = getattr(error, "strerror", None) or error
            raise LongfatError(f"{host}, port {wanted}: {reason}") from error
    try:
        return _bound(family, host, 0)
    except OSError as error:
        raise LongfatError(f"{host}: {error.strerror or error}") from error


def _bound(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener
