"""Files for the browser: the shell of all pages, our modules and the vendored libraries."""

import base64
import hashlib
from functools import cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_SHELL = "shell.html"
_MAP_BEGINS, _MAP_ENDS = '<script type="importmap">', "</script>"


class Pages:
    """Serves the files of `static` and of the vendored libraries, and no others."""

    async def shell(self, _request: Request) -> Response:
        """Serve the only page; its script draws the view that the URL names."""
        return Response(_read("longfat.web.static", _SHELL), media_type="text/html")

    async def static(self, request: Request) -> Response:
        """Serve one of our files; the module that draws figures is shared with reports."""
        is_figure = request.path_params["name"] in ("figure.js", "figure.css")
        return _file("longfat.plots" if is_figure else "longfat.web.static", request)

    async def vendor(self, request: Request) -> Response:
        """Serve one of the vendored libraries, unchanged from its release."""
        return _file("longfat.vendor", request)


def content_policy() -> str:
    """Return the content security policy: only this server's resources, no eval, no frames.

    The import map, which must be inline, is allowed by its hash.
    """
    text = _read("longfat.web.static", _SHELL).decode()
    inside = text.partition(_MAP_BEGINS)[2].partition(_MAP_ENDS)[0]
    digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' 'sha256-{digest}'",
            "style-src 'self'",
            "img-src 'self' data:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def _file(package: str, request: Request) -> Response:
    name = request.path_params["name"]
    kind = _TYPES.get(f".{name.rpartition('.')[2]}")
    if kind is None or name not in _names(package):
        return PlainTextResponse("There is no such file.\n", 404)
    return Response(_read(package, name), media_type=kind)


@cache
def _names(package: str) -> frozenset[str]:
    return frozenset(file.name for file in files(package).iterdir() if file.is_file())


@cache
def _read(package: str, name: str) -> bytes:
    return files(package).joinpath(name).read_bytes()
