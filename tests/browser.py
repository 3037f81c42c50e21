"""A real browser for tests of pages; without one they are skipped, and say so."""

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Headless Chromium: LONGFAT_CHROMIUM, or the one that is installed."""
    path = os.environ.get("LONGFAT_CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.skip("no Chromium: install it (Debian: chromium), or set LONGFAT_CHROMIUM")
    from playwright.sync_api import sync_playwright

    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=sandbox)
        yield opened
        opened.close()
