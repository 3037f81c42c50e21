"""Pages of a view in a browser, with what goes wrong there."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from tests.browser import new_page
from tests.web.conftest import SMALL
from tests.web.serving import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PLAY = f"/play?{urlencode(SMALL)}"
"""A playground whose runs take a moment."""

DRAWN = "html[data-drawn]"
DRAWN_ANEW = "before => document.documentElement.dataset.drawn !== before"


@contextmanager
def opened(
    browser: "Browser", server: Served, address: str, **settings: Any
) -> "Iterator[tuple[Page, list[str]]]":
    """A page, with its errors and its requests to other hosts."""
    page = new_page(browser, **settings)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith(server.origin + "/") else wrong.append(request.url)
        ),
    )
    page.goto(server.address)
    page.wait_for_selector(".studies .progress")
    page.goto(server.origin + address.replace(A_RUN, a_run(server)))
    yield page, wrong
    page.close()


A_RUN = "/run/any"
"""The address of some run that has a result."""


def a_run(server: Served) -> str:
    """The address of a stored run."""
    with server.client() as client:
        found = client.get("/api/studies/small/combinations/0").json()["runs"]
    return next(f"/run/{run['run_id']}" for run in found if run["status"] == "done")
