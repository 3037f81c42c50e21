"""Screenshots of `longfat view` and of a report for the documents, light and dark, from a browser.

    .venv/bin/python -m tools.screenshots STORE [GEO_STORE]

STORE has runs of `ubr-plus`, GEO_STORE those of examples/geo-service; without the latter its
pictures stay. They are written to docs/images.
"""

import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Browser, Page
from tests.browser import PATIENCE_MS, chromium
from tests.web.serving import Served, served

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PROGRAM = Path(sys.executable).with_name("longfat")
WIDTH, HEIGHT, ANSWER_HEIGHT = 1280, 860, 1180
QUALITY = 50
REPORT = ("report", "ubr-plus", "--table", "2,3", "--replications", "4")

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

Scheme = Literal["light", "dark"]


@dataclass(frozen=True)
class Camera:
    """Takes pictures in a scheme: PNG in light ones, WebP in dark ones."""

    browser: Browser
    scheme: Scheme

    @contextmanager
    def page(self, height: int) -> Iterator[Page]:
        """Yield an empty page."""
        viewport = {"width": WIDTH, "height": height}
        page = self.browser.new_page(viewport=viewport, color_scheme=self.scheme)  # type: ignore[arg-type]
        page.set_default_timeout(PATIENCE_MS)
        yield page
        page.close()

    @contextmanager
    def page_of(self, server: Served, height: int) -> Iterator[Page]:
        """Yield a page that may ask a view."""
        with self.page(height) as page:
            page.goto(server.address)
            page.wait_for_selector(".studies .progress")
            yield page

    def take(self, page: Page, name: str) -> None:
        """Take a picture of the visible part."""
        page.wait_for_timeout(500)
        picture = page.screenshot()
        path = IMAGES / (f"{name}.png" if self.scheme == "light" else f"{name}-dark.webp")
        if path.suffix == ".png":
            path.write_bytes(picture)
        else:
            Image.open(io.BytesIO(picture)).save(path, quality=QUALITY, method=6)
        print(path)


def main() -> None:
    """Take the pictures."""
    stores = [Path(name).resolve() for name in sys.argv[1:]]
    with chromium() as browser:
        schemes: tuple[Scheme, ...] = ("light", "dark")
        for camera in (Camera(browser, scheme) for scheme in schemes):
            for geo_store in stores[1:]:
                take_answer(camera, geo_store)
            take_view(camera, stores[0])
            take_report(camera, stores[0])


def take_view(camera: Camera, store: Path) -> None:
    """Take the pictures of the playground and of a map of means."""
    with (
        served(PROGRAM, store.parent, store.name) as server,
        camera.page_of(server, HEIGHT) as page,
    ):
        page.goto(f"{server.origin}/play?{urlencode(SACK_OVER_WAN)}")
        page.wait_for_selector("html[data-drawn]")
        camera.take(page, "view-playground")
        page.goto(f"{server.origin}/study/ubr-plus")
        page.wait_for_selector(".heat td.cell")
        page.get_by_label("config", exact=True).select_option("lan")
        page.evaluate("document.querySelector('.heat').closest('section').scrollIntoView()")
        camera.take(page, "view-study")


def take_answer(camera: Camera, store: Path) -> None:
    """Take the picture of what a study has shown."""
    study = IMAGES.parents[1] / "examples" / "geo-service"
    with (
        served(PROGRAM, store.parent, store.name, "--study", study) as server,
        camera.page_of(server, ANSWER_HEIGHT) as page,
    ):
        page.goto(f"{server.origin}/study/geo-service")
        page.wait_for_selector(".claims")
        camera.take(page, "view-answer")


def take_report(camera: Camera, store: Path) -> None:
    """Take the picture of a comparison in a report."""
    with tempfile.TemporaryDirectory() as folder, camera.page(HEIGHT) as page:
        report = Path(folder) / "report.html"
        command: list[str | Path] = [
            PROGRAM,
            *REPORT,
            "--store",
            store,
            "-o",
            report,
            "--no-traces",
        ]
        subprocess.run(command, check=True)
        page.goto(report.as_uri())
        page.wait_for_selector("html[data-drawn=all]")
        page.locator("#comparison figure").first.scroll_into_view_if_needed()
        camera.take(page, "report")


if __name__ == "__main__":
    main()
