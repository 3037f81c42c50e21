"""A real browser for tests of pages; without one they are skipped, and say so."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.waiting import PATIENCE_SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE_MS = 1000 * PATIENCE_SECONDS


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


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Headless Chromium, for all tests."""
    try:
        with chromium() as opened:
            yield opened
    except NoBrowser as reason:
        pytest.skip(str(reason))
