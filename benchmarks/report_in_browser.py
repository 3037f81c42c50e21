"""Load time and screenshots of a report in headless Chromium.

python benchmarks/report_in_browser.py report.html [FOLDER]

Prints its size and, as the best of five loads without a network, the milliseconds until its text is
painted, until its scripts have loaded and until everything unfolded is drawn. With FOLDER,
screenshots go there, wide and light, narrow and dark, and an A4 PDF. Needs Chromium (Debian:
`apt-get install chromium`), or LONGFAT_CHROMIUM.
"""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

LOADS = 5
TIMES = """[
    performance.getEntriesByName('first-contentful-paint')[0].startTime,
    performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd,
    performance.now(),
]"""


def main() -> None:
    """Measure, and take pictures if a folder is given."""
    report = Path(sys.argv[1]).resolve()
    path = os.environ.get("LONGFAT_CHROMIUM") or shutil.which("chromium")
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    print(f"size: {report.stat().st_size / 1e6:.2f} MB")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=sandbox)
        times = zip(*(_load(browser, report) for _ in range(LOADS)), strict=True)
        painted, loaded, drawn = (round(min(values)) for values in times)
        print(f"painted after {painted} ms, loaded after {loaded} ms, all drawn after {drawn} ms")
        if len(sys.argv) > 2:
            _take_pictures(browser, report, Path(sys.argv[2]))
        browser.close()


def _load(browser: Browser, report: Path) -> list[float]:
    page = _opened(browser, report, 1280, dark=False)
    times: list[float] = page.evaluate(TIMES)
    page.context.close()
    return times


def _opened(browser: Browser, report: Path, width: int, *, dark: bool) -> Page:
    """Open the page with everything unfolded and drawn."""
    context = browser.new_context(
        offline=True,
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
    )
    page = context.new_page()
    page.goto(report.as_uri())
    page.wait_for_selector("html[data-drawn=all]", timeout=120_000)
    return page


def _take_pictures(browser: Browser, report: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for width, dark in ((1280, False), (390, True)):
        page = _opened(browser, report, width, dark=dark)
        name = f"{report.stem}-{width}-{'dark' if dark else 'light'}"
        page.screenshot(path=folder / f"{name}.png", full_page=True)
        page.locator("#comparison figure").first.scroll_into_view_if_needed()
        page.screenshot(path=folder / f"{name}-figure.png")
        if not dark:
            page.pdf(path=folder / f"{report.stem}.pdf", format="A4")
        page.context.close()


if __name__ == "__main__":
    main()
