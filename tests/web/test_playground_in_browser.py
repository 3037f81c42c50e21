"""The playground in a real browser: settings, their controls and their addresses."""

from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Page, expect

from tests.browser import violations
from tests.web.conftest import SMALL
from tests.web.pages import DRAWN, DRAWN_ANEW, PLAY, opened
from tests.web.serving import Served


def test_a_change_of_a_setting_runs_again_and_is_in_the_address(
    browser: Browser, server: Served
) -> None:
    with opened(browser, server, PLAY) as (page, wrong):
        page.wait_for_selector(DRAWN)
        first = page.locator("html").get_attribute("data-drawn")
        page.get_by_label("policy", exact=True).select_option("fba")
        page.wait_for_function(DRAWN_ANEW, arg=first)
        address = page.url
        assert parse_qs(urlsplit(address).query)["port.policy.kind"] == ["fba"]
        changed = page.locator("html").get_attribute("data-drawn")
        # Whoever gets the address sees the same run.
        page.goto(address)
        page.wait_for_selector(DRAWN)
        assert page.locator("html").get_attribute("data-drawn") == changed
        with page.expect_download() as download:
            page.get_by_role("link", name="Download scenario.toml").click()
        assert 'kind = "fba"' in Path(download.value.path()).read_text()
        assert wrong == []


def test_a_wrong_setting_is_reported_beside_its_control_and_can_be_corrected(
    browser: Browser, server: Served
) -> None:
    with opened(browser, server, PLAY) as (page, wrong):
        page.wait_for_selector(DRAWN)
        buffer = page.get_by_label("buffer", exact=True)
        buffer.fill("many")
        buffer.press("Enter")
        beside = page.locator("[data-path='port.buffer'] .problem")
        expect(beside).to_contain_text("expected a number of cells")
        expect(page.get_by_role("alert")).to_be_visible()
        buffer.fill("2000 cells")
        buffer.press("Enter")
        expect(beside).to_have_count(0)
        # The browser says of an answer of 422 that it is one; that is all.
        assert all("422" in message for message in wrong)


def test_the_keyboard_is_enough(browser: Browser, server: Served) -> None:
    with opened(browser, server, PLAY) as (page, wrong):
        page.wait_for_selector(DRAWN)
        first = page.locator("html").get_attribute("data-drawn")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        buffer = page.get_by_label("buffer", exact=True)
        for _ in range(60):
            page.keyboard.press("Tab")
            if buffer.evaluate("each => each === document.activeElement"):
                break
        else:
            raise AssertionError("the buffer cannot be reached by Tab")
        page.keyboard.press("ArrowUp")
        expect(buffer).to_have_value("500 cells")
        page.wait_for_function(DRAWN_ANEW, arg=first)
        assert wrong == []


def test_traffic_of_another_kind_is_added_and_removed(browser: Browser, server: Served) -> None:
    with opened(browser, server, PLAY) as (page, wrong):
        page.wait_for_selector(DRAWN)
        page.get_by_label("scheduler", exact=True).select_option("guaranteed-rate")
        page.get_by_role("button", name="+ vbr-on-off").click()
        expect(page.get_by_label("on", exact=True)).to_have_value("300 ms")
        ledger = page.locator(".ledger")
        expect(ledger).to_contain_text("vbr")
        page.get_by_role("button", name="remove").click()
        expect(ledger).not_to_contain_text("vbr")
        assert wrong == []


STEPS = {
    "5 us": ["2 us", "10 us"],
    "1 ms": ["500 us", "2 ms"],
    "155.52 Mbit/s": ["100 Mbit/s", "200 Mbit/s"],
    "500 Mbit/s": ["200 Mbit/s", "1 Gbit/s"],
    "1000 cells": ["500 cells", "2000 cells"],
    "1 cells": [None, "2 cells"],
    "0.5 RTT": ["0.2 RTT", "1 RTT"],
    "0.8": ["0.5", "1"],
    "unlimited": [None, None],
    "K - 200 cells": [None, None],
    "0 s": [None, None],
}


def test_quantities_go_in_steps_of_one_two_and_five(browser: Browser, server: Served) -> None:
    with opened(browser, server, PLAY) as (page, _):
        steps = page.evaluate(
            "async (texts) => { const { stepped } = await import('/static/settings.js');"
            " return texts.map((text) => [stepped(text, -1), stepped(text, 1)]); }",
            list(STEPS),
        )
    assert dict(zip(STEPS, steps, strict=True)) == STEPS


def value_of(page: Page, path: str) -> str:
    return page.locator(f'[data-path="{path}"]').locator("input, select").first.input_value()


def test_controls_show_what_a_preset_puts_in_force(browser: Browser, server: Served) -> None:
    address = f"/play?{urlencode({**SMALL, 'tcp.preset': 'linux-like'})}"
    with opened(browser, server, address) as (page, wrong):
        page.wait_for_selector(DRAWN)
        page.locator("summary").get_by_text("tcp", exact=True).click()
        assert value_of(page, "tcp.initial_window") == "10 MSS"
        assert value_of(page, "tcp.retransmission_timeout") == "linux"
        before = page.locator("html").get_attribute("data-drawn")
        page.locator('[data-path="tcp.retransmission_timeout.minimum"] input').fill("300 ms")
        page.locator('[data-path="tcp.retransmission_timeout.minimum"] input').blur()
        page.wait_for_function(DRAWN_ANEW, arg=before)
        said = parse_qs(urlsplit(page.url).query)
        assert said["tcp.retransmission_timeout.kind"] == ["linux"]
        assert value_of(page, "tcp.initial_window") == "10 MSS"
        assert not wrong


def test_pages_count_packets_where_they_travel_whole(browser: Browser, server: Served) -> None:
    whole = {**SMALL, "framing": "packet", "port.buffer": "20 packets", "port.policy": "tail-drop"}
    of_cells = {name: text for name, text in whole.items() if not name.startswith("port.policy.")}
    with opened(browser, server, f"/play?{urlencode(of_cells)}") as (page, wrong):
        page.wait_for_selector(DRAWN)
        assert page.get_by_text("max queue packets").count() >= 1
        note = page.locator('[data-chart="queue"] p')
        expect(note).to_contain_text("dashed: buffer, 20 packets")
        headings = page.get_by_role("region", name="Ports").get_by_role("columnheader")
        columns = headings.all_inner_texts()
        assert "packets dropped" in columns
        assert len(set(columns)) == len(columns)
        assert page.get_by_text("max queue cells").count() == 0
        assert not wrong


def test_two_settings_stand_beside_each_other_with_their_difference(
    browser: Browser, server: Served
) -> None:
    with opened(browser, server, PLAY) as (page, wrong):
        page.wait_for_selector(DRAWN)
        page.get_by_label("beside it").select_option("same")
        differ = page.get_by_text("Settings that differ: none.")
        expect(differ).to_be_visible()
        before = page.locator("html").get_attribute("data-beside")
        buffer = page.get_by_label("buffer", exact=True)
        buffer.fill("400 cells")
        buffer.press("Enter")
        page.wait_for_function(
            "before => document.documentElement.dataset.beside !== before", arg=before
        )
        settings = page.get_by_role("region", name="Settings that differ")
        expect(settings).to_contain_text("port.buffer")
        expect(settings.locator("tbody tr")).to_have_count(1)
        expect(page.get_by_role("region", name="Results that differ")).to_contain_text(
            "max queue cells"
        )
        expect(page.locator(".chart canvas")).to_have_count(6)
        page.get_by_role("button", name="A", exact=True).click()
        expect(buffer).to_have_value("200 cells")
        assert violations(page) == []
        # Whoever gets the address sees both.
        page.goto(page.url)
        expect(settings).to_contain_text("400 cells")
        page.get_by_label("beside it").select_option("none")
        expect(page.locator(".chart canvas")).to_have_count(3)
        assert wrong == []
