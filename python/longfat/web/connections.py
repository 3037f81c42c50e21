"""Connections of the server, each of which has limited time for a request."""

import asyncio
import time

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from longfat.web.guard import TRUSTED

REQUEST_SECONDS = 10
"""Time for the head and body of a request, from the connection or its previous response on."""

MOST_CONNECTIONS = 256
"""Most connections, of which each browser may open six.

A new one then replaces the oldest that has shown no token.
"""


class Connection(H11Protocol):
    """A connection that is closed unless a request arrives whole in time.

    Strangers can keep their connections open for a short time only, and keep nobody out.
    """

    _late: asyncio.TimerHandle | None = None
    made_s = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        if len(self.connections) >= MOST_CONNECTIONS:
            self._replace_a_stranger()
        self.made_s = time.monotonic()
        super().connection_made(transport)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        super().data_received(data)
        if self._late is not None and self._has_request():
            self._late.cancel()
            self._late = None

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        if self._late is None and not (self.transport.is_closing() or self._has_request()):
            self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def _has_request(self) -> bool:
        return self.conn.their_state in (h11.DONE, h11.MUST_CLOSE)

    def _await_request(self) -> None:
        self._late = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _replace_a_stranger(self) -> None:
        own = [other for other in self.connections if isinstance(other, Connection)]
        strangers = [other for other in own if other.cycle is None or TRUSTED not in other.scope]
        if strangers:
            min(strangers, key=lambda other: other.made_s).transport.abort()
