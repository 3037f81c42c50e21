"""Screenshots of `longfat view` for the documents, from a browser.

    .venv/bin/python -m tools.screenshots STORE [GEO_STORE]

STORE has runs of `ubr-plus`, GEO_STORE those of examples/geo-service; without the latter its
picture stays. The pictures are written to docs/images.
"""

import sys
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page
from tests.browser import chromium
from tests.web.serving import served

IMAGES = Path(__file__).parents[1] / "docs" / "images"
WIDTH, HEIGHT, ANSWER_HEIGHT = 1280, 860, 1180

SACK_OVER_WAN = {
    "duration": "10 s",
    "topology.kind": "n-source",
    "topology.sources": "5",
    "topology.access.delay": "5 ms",
    "topology.bottleneck.delay": "5 ms",
    "port.buffer": "12000 cells",
    "port.policy.kind": "selective-drop",
    "port.policy.threshold": "0.8",
    "tcp.flavor.kind": "sack",
    "tcp.receiver_window": "600000 B",
}


def main() -> None:
    """Take the pictures."""
    for geo_store in sys.argv[2:]:
        take_answer(Path(geo_store).resolve())
    store = Path(sys.argv[1]).resolve()
    program = Path(sys.executable).with_name("longfat")
    with (
        served(program, store.parent, store.name) as server,
        chromium() as browser,
    ):
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(server.address)
        page.wait_for_selector(".studies .progress")
        page.goto(f"{server.origin}/play?{urlencode(SACK_OVER_WAN)}")
        page.wait_for_selector("html[data-drawn]")
        take(page, "view-playground.png")
        page.goto(f"{server.origin}/study/ubr-plus")
        page.wait_for_selector(".heat td.cell")
        page.get_by_label("config", exact=True).select_option("lan")
        page.evaluate("document.querySelector('.heat').closest('section').scrollIntoView()")
        take(page, "view-study.png")


def take_answer(store: Path) -> None:
    """Take the picture of what a study has shown."""
    program = Path(sys.executable).with_name("longfat")
    study = IMAGES.parents[1] / "examples" / "geo-service"
    with (
        served(program, store.parent, store.name, "--study", study) as server,
        chromium() as browser,
    ):
        page = browser.new_page(viewport={"width": WIDTH, "height": ANSWER_HEIGHT})
        page.goto(server.address)
        page.wait_for_selector(".studies .progress")
        page.goto(f"{server.origin}/study/geo-service")
        page.wait_for_selector(".claims")
        take(page, "view-answer.png")


def take(page: Page, name: str) -> None:
    """Take a screenshot of the visible part."""
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / name)
    print(IMAGES / name)


if __name__ == "__main__":
    main()
