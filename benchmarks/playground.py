"""Latency from a change of a control to redrawn charts in a browser, for each preset.

    .venv/bin/python -m benchmarks.playground [--record FILE] [--splice PAGE] [--repetitions N]

Needs Chromium (LONGFAT_CHROMIUM, or `chromium`). The browser's clock counts from the event of the
control to the end of the frame that shows the new charts. Each change is of the seed, and needs a
new run. `--record` stores the result, `--splice` puts the table of the newest record into a page.
"""

import statistics
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

from benchmarks.profile import Unmeasurable
from benchmarks.recorded import Recorded
from playwright.sync_api import Page
from tests.browser import NoBrowser, chromium, new_page
from tests.web.serving import served

from longfat.web.presets import presets
from longfat.web.settings import settings_of

WANTED_MS = 300
"""Largest wanted median of a preset, on two idle cores."""

DRAWN_ANEW = "before => performance.getEntriesByName('redraw').length > before"
ANSWER = (
    "performance.getEntriesByType('resource')"
    ".findLast((each) => each.name.endsWith('/api/play')).duration"
)
LATEST = "performance.getEntriesByName('redraw').at(-1).duration"


def measured(changes: int) -> dict[str, Any]:
    """Change the seed of each preset. Raises `Unmeasurable` without a browser."""
    program = Path(sys.executable).with_name("longfat")
    try:
        with (
            TemporaryDirectory() as folder,
            served(program, Path(folder)) as server,
            chromium() as browser,
        ):
            page = new_page(browser, viewport={"width": 1280, "height": 900})
            page.goto(server.address)
            return {
                "wanted_median_ms": WANTED_MS,
                "presets": {
                    title: _preset(
                        page, f"{server.origin}/play?{urlencode(settings_of(own))}", changes
                    )
                    for title, own in presets().values()
                },
            }
    except NoBrowser as reason:
        raise Unmeasurable(str(reason)) from reason


def _preset(page: Page, address: str, changes: int) -> dict[str, float]:
    """Change the seed of a scenario repeatedly; returns milliseconds."""
    page.goto(address)
    page.wait_for_function(DRAWN_ANEW, arg=0)
    page.locator("details", has=page.locator("[data-path='seed']")).locator("> summary").click()
    control = page.locator("[data-path='seed'] input")
    times, answers = [], []
    for change in range(changes):
        before = page.evaluate("performance.getEntriesByName('redraw').length")
        control.fill(str(2 + change))
        page.wait_for_function(DRAWN_ANEW, arg=before)
        times.append(page.evaluate(LATEST))
        answers.append(page.evaluate(ANSWER))
    return {
        "median_ms": round(statistics.median(times)),
        "p90_ms": round(statistics.quantiles(times, n=10)[-1]),
        "median_until_answer_ms": round(statistics.median(answers)),
    }


def table(record: Mapping[str, Any]) -> str:
    """Return the table of a record."""
    lines = [
        f"| preset (load {record['load']:.1f} on {record['cores']} cores) | median ms | 90 % ms |",
        "| --- | ---: | ---: |",
    ]
    lines += [
        f"| {title} | {own['median_ms']} | {own['p90_ms']} |"
        for title, own in record["presets"].items()
    ]
    return "\n".join(lines)


PLAYGROUND = Recorded(
    "playground", "python -m benchmarks.playground", measured, table, repetitions=20
)

if __name__ == "__main__":
    sys.exit(PLAYGROUND.main(__doc__))
