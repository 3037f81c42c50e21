"""The HTTP server of a view."""

import socket
from collections.abc import Callable

import uvicorn

from longfat.base.errors import LongfatError
from longfat.web.app import create_app
from longfat.web.view import View

LOOPBACK = "127.0.0.1"
PORT = 8747
"""Default port; a fixed one keeps the URLs of playgrounds valid."""

MOST_CONNECTIONS = 64
MOST_HEADER_BYTES = 16 * 1024


def serve(view: View, host: str, port: int | None, jobs: int, ready: Callable[[str], None]) -> None:
    """Serve until a signal; calls `ready` with the address, which includes the token.

    Without a `port` uses `PORT`, or any free one if that is taken. Raises `LongfatError` if the
    address is not available, and for a store or studies that cannot be opened.
    """
    _ = view.studies
    with view.store():
        pass  # refuses now what is no store
    listener = _listen(host, port)
    host_text = f"[{host}]" if ":" in host else host
    bound = listener.getsockname()[1]
    names = {host_text, "localhost", LOOPBACK, "[::1]"}
    application = create_app(view, [f"{name}:{bound}" for name in names], jobs)
    config = uvicorn.Config(
        application,
        http="h11",
        ws="none",
        log_level="error",
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        timeout_graceful_shutdown=1,
    )
    ready(f"http://{host_text}:{bound}/?token={view.token}")
    uvicorn.Server(config).run(sockets=[listener])


def _listen(host: str, port: int | None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return _bound(family, host, PORT if port is None else port)
    except OSError as error:
        if port is not None:
            raise LongfatError(f"{host}, port {port}: {error.strerror or error}") from error
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
