"""Access control: only pages of this server in the browser of the user who started it.

Every program on the machine can reach a server on the loopback, and so can every page of the web
through the user's browser. So each request must name this server in its Host header, must not come
from another origin, and must carry the token that only the terminal has shown.

The Host header defeats DNS rebinding, in which a name of the attacker leads to this server: an
address is no name, so any address is accepted, and of names only the one that was given.
"""

import secrets
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from ipaddress import IPv6Address, ip_address
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY_BYTES = 64 * 1024
"""Largest body of a request; a scenario is a few kilobytes."""

MOST_QUERY_BYTES = 8 * 1024

TOKEN_NEEDED = """\
This page needs the token that `longfat view` has printed in the terminal.
Open the address that stands there once; after that, this address works too.
"""


TRUSTED = "longfat.trusted"
"""Key that the scope of an authorized request has."""

LOCALHOST = "localhost"


@dataclass(frozen=True)
class Hosts:
    """Values of the Host header that name this server: addresses, and `name`, with its port."""

    name: str
    port: int

    def include(self, host: str, client: str) -> bool:
        """Return True if a client at this address may ask for this host."""
        name, _, port = host.rpartition(":")
        if port != str(self.port):
            return False
        if name.lower() == LOCALHOST:
            return _is_loopback(client) or self.name.lower() == LOCALHOST
        if name.startswith("[") and name.endswith("]"):
            return _is_address(name[1:-1]) and ":" in name
        return name.lower() == self.name.lower() or (_is_address(name) and ":" not in name)


class Guard:
    """ASGI middleware that passes only authorized requests.

    `hosts` are the hosts that may be asked for, `policy` is the content security policy of all
    responses.
    """

    def __init__(self, inner: ASGIApp, token: str, hosts: Hosts, policy: str) -> None:
        self._inner = inner
        self._token = token
        self._hosts = hosts
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an authorized request on, and answer any other with 4xx."""
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_headers(MutableHeaders(scope=message))
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            scope[TRUSTED] = True
            await self._inner(scope, _Counted(receive), send_guarded)
        else:
            await refusal(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        client, _ = scope.get("client") or ("", 0)
        if not self._hosts.include(host, client):
            return PlainTextResponse("This server is not the requested host.\n", 421)
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return PlainTextResponse("Requests from pages of other servers are refused.\n", 403)
        if len(scope["query_string"]) > MOST_QUERY_BYTES:
            return PlainTextResponse(f"A query has at most {MOST_QUERY_BYTES} bytes.\n", 414)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return PlainTextResponse("The length of the content is no number.\n", 400)
        if int(length) > MOST_BODY_BYTES:
            return too_large()
        return self._stranger(scope, headers, host)

    def _stranger(self, scope: Scope, headers: Headers, host: str) -> Response | None:
        """Return the response to a request without cookie; sets it if the URL has the token."""
        name = _cookie_name(host)
        if self._is_token(_cookie(headers, name)):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if not self._is_token(dict(query).get("token", "")):
            return PlainTextResponse(TOKEN_NEEDED, 401)
        rest = urlencode([(key, value) for key, value in query if key != "token"])
        # Not `scope["path"]`, which is decoded; and never `//host`, which would name another
        # server.
        path = "/" + scope["raw_path"].decode("latin-1").lstrip("/")
        answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
        answer.set_cookie(name, self._token, httponly=True, samesite="strict", path="/")
        return answer

    def _is_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode(), self._token.encode())

    def _add_headers(self, headers: MutableHeaders) -> None:
        headers["Content-Security-Policy"] = self._policy
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        headers["Cross-Origin-Opener-Policy"] = "same-origin"
        headers["Cross-Origin-Resource-Policy"] = "same-origin"
        headers.setdefault("Cache-Control", "no-store")


def too_large() -> Response:
    """Return the response to a body that is too long."""
    return PlainTextResponse(f"A request has at most {MOST_BODY_BYTES} bytes.\n", 413)


class TooLarge(Exception):
    """A body without Content-Length exceeded the limit."""


class _Counted:
    """Receives a body and raises `TooLarge` once it is too long."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._bytes = 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        if self._bytes > MOST_BODY_BYTES:
            raise TooLarge
        return message


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_loopback(text: str) -> bool:
    if not _is_address(text):
        return False
    address = ip_address(text)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def _cookie_name(host: str) -> str:
    """Return a cookie name with the port: cookies ignore ports, and several views may be open."""
    return f"longfat-{host.rpartition(':')[2]}"


def _cookie(headers: Headers, name: str) -> str:
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""
