"""A real browser for tests of pages; without one they are skipped, and say so."""

import gzip
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tools.vendor import TESTS

from tests.waiting import PATIENCE_SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE_MS = 1000 * PATIENCE_SECONDS

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
"""Rules that pages keep: WCAG 2.2 at levels A and AA, and what axe advises beyond."""


LOOKS = (("light", 1400), ("dark", 390))
"""Each scheme and each width of a screen once: neither depends on the other."""


class NoBrowser(Exception):
    """There is no Chromium on this machine."""


@contextmanager
def chromium() -> "Iterator[Browser]":
    """Headless Chromium: LONGFAT_CHROMIUM, or the one that is installed. Raises `NoBrowser`."""
    path = os.environ.get("LONGFAT_CHROMIUM") or shutil.which("chromium")
    if path is None:
        raise NoBrowser("no Chromium: install it (Debian: chromium), or set LONGFAT_CHROMIUM")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=sandbox, timeout=PATIENCE_MS)
        yield opened
        opened.close()


def new_page(browser: "Browser", **settings: Any) -> "Page":
    """A page in a context of its own, which closes with it."""
    page = browser.new_page(**settings)
    page.set_default_timeout(PATIENCE_MS)
    return page


def violations(page: "Page") -> list[str]:
    """Findings of axe on a page against `RULES`, each with the first elements concerned."""
    page.evaluate(gzip.decompress((TESTS / "axe.min.js.gz").read_bytes()).decode())
    found: dict[str, Any] = page.evaluate(
        "rules => axe.run({ runOnly: { type: 'tag', values: rules } })", list(RULES)
    )
    assert found["passes"], "axe has checked nothing"
    return [
        f"{each['id']}: {each['help']}: {[node['html'][:120] for node in each['nodes'][:3]]}"
        for each in found["violations"]
    ]


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Headless Chromium, for all tests."""
    try:
        with chromium() as opened:
            yield opened
    except NoBrowser as reason:
        pytest.skip(str(reason))
