"""The page of a run in real time: its numbers, who may ask for them, and how it looks."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2
import pytest

from longfat import load_scenario
from longfat.web.live import STATES, LiveRun, shown_in_browser
from tests.browser import new_page, violations
from tests.emulation.conftest import LINE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BUFFER = 50
Address = str


def state(number: int) -> dict[str, Any]:
    """The state after so many tenths of a second, of a line that delivers 2 Mbit/s."""
    return {
        "seconds": number / 10,
        "hosts": [
            {"host": "source 1", "bytes_sent": 25_000 * number, "bytes_received": 500 * number},
            {"host": "destination 1", "bytes_sent": 0, "bytes_received": 25_000 * number},
        ],
        "queues": [number % BUFFER],
        "p99_s": 80e-6 if number > 1 else None,
        "late_s": 120e-6 if number > 1 else None,
    }


@pytest.fixture
def run(tmp_path: Path) -> LiveRun:
    path = tmp_path / "line.toml"
    path.write_text(LINE.format(sources=1, rest=f'port.buffer = "{BUFFER} packets"'))
    return LiveRun(load_scenario(path))


@pytest.fixture
def address(run: LiveRun) -> Iterator[Address]:
    told: list[str] = []
    with shown_in_browser(run, told.append):
        yield told[0]


def test_charts_have_rates_queue_and_lateness_of_the_last_minute(run: LiveRun) -> None:
    run.add(state(0))
    assert run.document() == {"seconds": 0.0, "charts": []}
    for number in (1, 1, 2):
        run.add(state(number))
    rates, queue, lateness = run.document()["charts"]
    assert rates["x"] == [0.1, 0.2]
    assert [series["label"] for series in rates["series"]] == ["source 1", "destination 1"]
    assert rates["series"][1]["values"] == pytest.approx([2.0, 2.0])
    assert (queue["unit"], queue["series"][0]["values"]) == ("packets", [1, 2])
    assert queue["guides"] == [{"label": "buffer", "at": BUFFER}]
    assert lateness["series"][0]["values"] == [None, pytest.approx(120)]
    for number in range(3, 2 * STATES):
        run.add(state(number))
    times = run.document()["charts"][0]["x"]
    assert (len(times), times[-1]) == (STATES - 1, (2 * STATES - 1) / 10)


def test_only_who_has_the_token_sees_it(address: Address) -> None:
    origin = address.partition("/live")[0]
    stranger = httpx2.get(f"{origin}/api/live")
    assert stranger.status_code == 401
    assert "longfat" in stranger.text
    assert httpx2.get(f"{origin}/api/live", headers={"Host": "example.org"}).status_code == 421
    with httpx2.Client(base_url=origin, follow_redirects=True) as client:
        assert client.get(address).status_code == 200
        assert client.get("/").url.path == "/live"
        assert client.get("/api/live").json() == {"seconds": 0.0, "charts": []}
        assert client.get("/api/studies").status_code == 404


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_a_run_and_says_when_it_has_ended(
    browser: "Browser", run: LiveRun, scheme: str, width: int
) -> None:
    size = {"width": width, "height": 1100}
    page = new_page(browser, viewport=size, color_scheme=scheme)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    told: list[str] = []
    with shown_in_browser(run, told.append):
        origin = f"{urlsplit(told[0]).scheme}://{urlsplit(told[0]).netloc}/"
        page.on(
            "request",
            lambda request: None if request.url.startswith(origin) else wrong.append(request.url),
        )
        page.goto(told[0])
        page.get_by_text("Waiting for the first packets").wait_for()
        for number in range(300):
            run.add(state(number))
        page.get_by_text("At 29.9 s.").wait_for()
        assert page.locator("[data-chart] canvas").count() == 3
        assert not page.get_by_role("link", name="Playground").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []
    page.get_by_text("The run has ended; this is how it was at 29.9 s.").wait_for()
    assert page.locator("[data-chart] canvas").count() == 3
    assert wrong == []
    page.close()
