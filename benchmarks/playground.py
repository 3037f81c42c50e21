"""Latency from a change of a control to redrawn charts in a browser: median and 90 % quantile.

    .venv/bin/python -m benchmarks.playground [--changes 20]

Needs Chromium (LONGFAT_CHROMIUM, or `chromium`). The browser's clock counts from the event of the
control to the end of the frame that shows the new charts. Each change needs a new run.
"""

import argparse
import json
import os
import statistics
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page
from tests.browser import chromium
from tests.web.serving import served

WANTED_MS = {"lan": 300, "wan": 1000}
"""Target medians in ms, on two idle cores."""

DRAWN_ANEW = "before => performance.getEntriesByName('redraw').length > before"
ANSWER = (
    "performance.getEntriesByType('resource')"
    ".findLast((each) => each.name.endsWith('/api/play')).duration"
)
LATEST = "performance.getEntriesByName('redraw').at(-1).duration"


def main() -> None:
    """Measure both scenarios and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--changes", type=int, default=20, help="changes of each scenario")
    changes = parser.parse_args().changes
    program = Path(sys.executable).with_name("longfat")
    with (
        TemporaryDirectory() as folder,
        served(program, Path(folder)) as server,
        chromium() as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(server.address)
        results = {name: measured(page, name, changes) for name in WANTED_MS}
    print(json.dumps({"load": os.getloadavg()[0], "cores": os.cpu_count(), **results}, indent=2))


def measured(page: Page, preset: str, changes: int) -> dict[str, float]:
    """Change the threshold of the drop policy repeatedly; returns milliseconds."""
    page.goto(page.url.partition("?")[0].rstrip("/").removesuffix("/play") + "/play")
    page.wait_for_function(DRAWN_ANEW, arg=0)
    before = page.evaluate("performance.getEntriesByName('redraw').length")
    if page.locator("#preset").input_value() != preset:
        page.select_option("#preset", preset)
        page.wait_for_function(DRAWN_ANEW, arg=before)
    control = page.locator("[data-path='port.policy.threshold'] input[type=text]")
    times, answers = [], []
    for change in range(changes):
        before = page.evaluate("performance.getEntriesByName('redraw').length")
        control.fill(f"{0.5 + change / 1000:.3f}")
        control.press("Enter")
        page.wait_for_function(DRAWN_ANEW, arg=before)
        times.append(page.evaluate(LATEST))
        answers.append(page.evaluate(ANSWER))
    return {
        "median_ms": round(statistics.median(times)),
        "p90_ms": round(statistics.quantiles(times, n=10)[-1]),
        "least_ms": round(min(times)),
        "median_until_answer_ms": round(statistics.median(answers)),
        "wanted_median_ms": WANTED_MS[preset],
        "changes": changes,
    }


if __name__ == "__main__":
    main()
