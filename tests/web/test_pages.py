"""Pages in a real browser: no errors, no external requests, readable, usable by keyboard."""

from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Request, expect

from tests.browser import LOOKS, violations
from tests.support import Longfat
from tests.waiting import until
from tests.web.conftest import SMALL
from tests.web.pages import A_RUN, DRAWN, DRAWN_ANEW, PLAY, a_run, opened
from tests.web.serving import Served, served
from tests.web.test_outcome import CLAIM

SHOWN = {
    "/": ".studies .progress",
    "/study/small": ".heat td.cell",
    A_RUN: ".headline",
    "/play": DRAWN,
    "/exercise/1": DRAWN,
    "/exercise/6": ".exercise",
}


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
@pytest.mark.parametrize("address", SHOWN)
def test_pages_show_without_errors_and_fit(
    browser: Browser, server: Served, address: str, scheme: str, width: int
) -> None:
    size = {"width": width, "height": 900}
    with opened(browser, server, address, viewport=size, color_scheme=scheme) as (page, wrong):
        page.wait_for_selector(SHOWN[address])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate(UNFOLD)
        assert violations(page) == []
        assert wrong == []


UNFOLD = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"

TOO_SMALL = """() => [...document.querySelectorAll("a[href], button, select, input, summary")]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > 0)
  .filter((each) => each.closest("dialog[open]") || !document.querySelector("dialog[open]"))
  .map((each) => [each, ...(each.type === "checkbox" ? each.labels : [])])
  .map((parts) => [parts[0], parts.map((part) => part.getBoundingClientRect())])
  .filter(([, boxes]) => {
    const side = (of, name) => of(...boxes.map((box) => box[name]));
    const width = side(Math.max, "right") - side(Math.min, "left");
    const height = side(Math.max, "bottom") - side(Math.min, "top");
    return width < 43.9 || height < 43.9;
  })
  .map(([each]) => each.outerHTML.slice(0, 120))"""
"""Elements less than 44 pixels high or wide; a checkbox has its label."""

PHONE = {"width": 390, "height": 844}


@pytest.mark.parametrize("address", SHOWN)
def test_whatever_a_finger_must_hit_is_large_enough_on_a_phone(
    browser: Browser, server: Served, address: str
) -> None:
    with opened(browser, server, address, viewport=PHONE, has_touch=True) as (page, _):
        page.wait_for_selector(SHOWN[address])
        assert page.evaluate(TOO_SMALL) == []
        page.evaluate(UNFOLD)
        assert page.evaluate(TOO_SMALL) == []


def test_a_phone_shows_charts_first_and_the_settings_in_a_drawer(
    browser: Browser, server: Served
) -> None:
    with opened(browser, server, PLAY, viewport=PHONE, has_touch=True) as (page, wrong):
        page.wait_for_selector(DRAWN)
        chart = page.locator(".chart canvas").first.bounding_box()
        assert chart is not None
        assert chart["y"] < PHONE["height"] / 2
        buffer = page.get_by_label("buffer", exact=True)
        expect(buffer).to_be_hidden()
        opener = page.get_by_role("button", name="Settings")
        opener.click()
        expect(buffer).to_be_visible()
        assert page.evaluate(TOO_SMALL) == []
        assert violations(page) == []
        first = page.locator("html").get_attribute("data-drawn")
        page.get_by_label("policy", exact=True).select_option("fba")
        page.wait_for_function(DRAWN_ANEW, arg=first)
        page.keyboard.press("Escape")
        expect(buffer).to_be_hidden()
        assert opener.evaluate("each => each === document.activeElement")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert wrong == []


def test_every_chart_is_a_picture_with_a_label_and_its_data_a_table(
    browser: Browser, server: Served
) -> None:
    with opened(browser, server, PLAY) as (page, _):
        page.wait_for_selector(DRAWN)
        for chart in page.locator(".chart").all():
            title = chart.locator("h2").inner_text()
            picture = chart.get_by_role("img")
            assert picture.evaluate("each => each.tagName") == "CANVAS"
            label = picture.get_attribute("aria-label") or ""
            assert label.startswith(title.rpartition(" ")[0])
            chart.locator("summary").click()
            series = int(label.partition(" series")[0].rpartition(" ")[2])
            expect(chart.locator(".data tbody th")).to_have_count(series)


@pytest.mark.parametrize("address", SHOWN)
def test_all_that_a_page_asks_for_is_answered_and_no_question_stays_open(
    browser: Browser, server: Served, address: str
) -> None:
    with opened(browser, server, "/") as (page, _):
        page.goto("about:blank")  # what the page before asks for ends with it
        unanswered: set[Request] = set()
        page.on("request", lambda request: unanswered.add(request))
        page.on("requestfinished", lambda request: unanswered.discard(request))
        page.goto(server.origin + address.replace(A_RUN, a_run(server)))
        page.wait_for_selector(SHOWN[address])
        until(
            lambda: not unanswered,
            f"an answer to all that {address} asks for",
            pause=lambda seconds: page.wait_for_timeout(1000 * seconds),
        )


def test_the_page_of_a_study_shows_runs_as_they_end(
    browser: Browser, program: Path, longfat: Longfat, store: str, study_folder: Path
) -> None:
    with (
        served(program, study_folder.parent, store, "--study", study_folder) as server,
        opened(browser, server, "/study/small") as (page, wrong),
    ):
        expect(page.get_by_role("status")).to_contain_text("missing")
        longfat("study", "run", study_folder, "--jobs", "1")
        expect(page.get_by_role("status")).not_to_contain_text("missing")
        assert wrong == []


def test_the_answer_and_the_verdicts_change_as_runs_end(
    browser: Browser, program: Path, longfat: Longfat, store: str, study_folder: Path
) -> None:
    (study_folder / "claims.toml").write_text(CLAIM)
    with (
        served(program, study_folder.parent, store, "--study", study_folder) as server,
        opened(browser, server, "/study/small") as (page, wrong),
    ):
        answer, claims = page.locator(".answers"), page.locator(".claims tbody tr")
        expect(answer).to_contain_text("have no result yet")
        expect(claims.nth(1)).to_contain_text("no data")
        longfat("study", "run", study_folder, "--jobs", "1")
        expect(claims.nth(1)).to_contain_text("holds")
        expect(answer).not_to_contain_text("have no result yet")
        expect(answer).to_contain_text("Best (highest) efficiency: ")
        claims.nth(1).locator("details.links summary").click()
        claims.nth(1).locator("details.links a").first.click()
        expect(page.locator(".mean")).to_contain_text("efficiency: mean 0.")
        page.locator("a[href^='/run/']").first.click()
        expect(page.get_by_text("Where the capacity went")).to_be_visible()
        assert wrong == []


def test_a_study_leads_to_a_run_its_traces_and_the_playground(
    browser: Browser, server: Served
) -> None:
    with opened(browser, server, "/") as (page, wrong):
        page.get_by_role("link", name="small", exact=True).click()
        page.locator(".heat td.measured a").first.click()
        page.locator("a[href^='/run/']").first.click()
        expect(page.get_by_text("Where the capacity went")).to_be_visible()
        page.get_by_role("button", name="Repeat the run and draw them").click()
        expect(page.get_by_text("came out as it is stored")).to_be_visible()
        expect(page.locator(".chart canvas")).to_have_count(3)
        run = page.locator("[data-run]").get_attribute("data-run")
        page.get_by_role("link", name="Open in the playground").click()
        page.wait_for_selector(DRAWN)
        assert page.locator("html").get_attribute("data-drawn") == run
        assert wrong == []


@pytest.mark.parametrize("width", [1280, 390])
def test_figures_of_a_study_are_drawn_when_asked_for(
    browser: Browser, server: Served, width: int
) -> None:
    size = {"width": width, "height": 900}
    with opened(browser, server, "/study/small", viewport=size) as (page, wrong):
        page.get_by_label("figure", exact=True).select_option("efficiency-fairness")
        page.wait_for_selector(".figure svg")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_text("Data of the figure").click()
        expect(page.get_by_role("region", name="Data of the figure")).to_contain_text("policy")
        assert violations(page) == []
        assert wrong == []


@pytest.mark.parametrize(("width", "sources"), [(1280, 3), (1280, 8), (390, 3)])
def test_the_legend_of_a_chart_names_every_flow(
    browser: Browser, server: Served, width: int, sources: int
) -> None:
    size = {"width": width, "height": 900}
    address = f"/play?{urlencode(SMALL | {'topology.sources': str(sources)})}"
    with opened(browser, server, address, viewport=size) as (page, _):
        page.wait_for_selector(DRAWN)
        for flow in range(1, sources + 1):
            name = page.locator(".u-legend").first.get_by_text(f"flow {flow}", exact=True)
            expect(name).to_be_visible()
        markers = page.locator(".u-legend").first.locator(".u-marker")
        borders = markers.evaluate_all("found => found.map((marker) => marker.style.border)")
        assert len(set(borders[-sources:])) == sources


def test_a_port_shows_its_queue_discipline_in_words(browser: Browser, server: Served) -> None:
    settings = {name: value for name, value in SMALL.items() if name != "port.policy.kind"}
    settings |= {"framing.kind": "ethernet", "port.buffer": "50 packets", "port.queue": "codel"}
    with opened(browser, server, f"/play?{urlencode(settings)}") as (page, wrong):
        page.wait_for_selector(DRAWN)
        ports = page.get_by_role("region", name="Ports")
        expect(ports).to_contain_text("queue discipline")
        expect(ports).to_contain_text("codel")
        expect(ports).not_to_contain_text("[object")
        assert wrong == []


def test_a_study_that_cites_nothing_says_only_where_its_runs_are(
    browser: Browser, program: Path, store: str, study_folder: Path, tmp_path: Path
) -> None:
    file = study_folder / "study.toml"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if not line.startswith("citation")))
    with (
        served(program, tmp_path, store, "--study", study_folder) as server,
        opened(browser, server, "/study/small") as (page, _),
    ):
        expect(page.locator("p .quiet").first).to_have_text(f"in {store}")


def test_the_answer_of_an_exercise_comes_when_it_is_asked_for(
    browser: Browser, server: Served
) -> None:
    with opened(browser, server, "/exercise/1") as (page, wrong):
        page.wait_for_selector(DRAWN)
        assert "Khinchine" not in page.content()
        page.get_by_role("button", name="Show the answer").click()
        expect(page.get_by_text("Khinchine")).to_be_visible()
        assert wrong == []


def test_flows_are_whole_on_a_phone(browser: Browser, server: Served) -> None:
    with opened(browser, server, PLAY, viewport=PHONE, has_touch=True) as (page, _):
        page.wait_for_selector(DRAWN)
        flows = page.get_by_role("region", name="Flows")
        assert flows.evaluate("each => each.scrollWidth <= each.clientWidth")
        first = flows.get_by_role("row").nth(1)
        expect(first.get_by_role("rowheader")).to_have_text("flow 1")
        headings = flows.locator("th[scope=col]").count()
        cells = first.get_by_role("cell")
        expect(cells).to_have_count(headings - 1)
        for cell in cells.all():
            assert cell.evaluate("each => each.scrollWidth <= each.clientWidth")


def test_factors_get_their_roles_in_a_figure(browser: Browser, server: Served) -> None:
    with opened(browser, server, "/study/small") as (page, wrong):
        page.get_by_label("figure", exact=True).select_option("responses")
        page.wait_for_selector(".figure svg")
        page.locator("#figure-columns").select_option("load")
        expect(page.locator("pre", has_text="--columns load")).to_be_visible()
        assert wrong == []
