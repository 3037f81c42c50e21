"""A run in real time in the browser while it lasts: a page of its own, which asks for its state."""

import contextlib
import json
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from longfat import _engine
from longfat.base.units import BITS_PER_BYTE
from longfat.plots.palette import BLUE, DARK, ORANGE, flow_look
from longfat.scenarios.resolved import buffer_of, travels_whole
from longfat.scenarios.scenario import Scenario
from longfat.web.guard import Guard, Hosts
from longfat.web.pages import Pages, content_policy
from longfat.web.server import configured, listen

HOST = "127.0.0.1"

STATES = 600
"""States that a page shows: those of the last minute."""

MEGA = 1e6
_END_SECONDS = 5.0

State = dict[str, Any]


class LiveRun:
    """The latest states of a run, which its thread adds and a page's requests read."""

    def __init__(self, scenario: Scenario) -> None:
        ports = json.loads(_engine.scenario_network(scenario.resolved))["ports"]
        self._port = next((place for place, port in enumerate(ports) if port["is_bottleneck"]), 0)
        self._buffer = buffer_of(ports[self._port]) if ports else None
        self._unit = "packets" if travels_whole(scenario.settings) else "cells"
        self._states: deque[State] = deque(maxlen=STATES)
        self._lock = threading.Lock()

    def add(self, state: State) -> None:
        """Add a state, unless it is the last one again."""
        with self._lock:
            if not self._states or state["seconds"] > self._states[-1]["seconds"]:
                self._states.append(state)

    def document(self) -> dict[str, Any]:
        """Return the charts, as `longfat.web.charts` makes them of a run that has ended."""
        with self._lock:
            states = list(self._states)
        seconds = states[-1]["seconds"] if states else 0.0
        return {"seconds": seconds, "charts": self._charts(states) if len(states) > 1 else []}

    def _charts(self, states: list[State]) -> list[dict[str, Any]]:
        times = [state["seconds"] for state in states[1:]]
        queue = [state["queues"][self._port] if state["queues"] else None for state in states[1:]]
        late = [
            {
                "label": label,
                **_colors(color),
                "values": [
                    None if state[key] is None else MEGA * state[key] for state in states[1:]
                ],
            }
            for label, key, color in (
                ("latest packet of each moment", "late_s", ORANGE),
                ("99 of 100 packets so far", "p99_s", BLUE),
            )
        ]
        guides = [] if self._buffer is None else [{"label": "buffer", "at": self._buffer}]
        queues = [{"label": "queue", **_colors(BLUE), "values": queue}]
        return [
            _chart("rates", "Received by programs", "Mbit/s", times, _rates(states)),
            _chart("queue", "Queue at the bottleneck", self._unit, times, queues, guides),
            _chart("lateness", "Lateness", "us", times, late),
        ]


def _microseconds(seconds: float | None) -> float | None:
    return None if seconds is None else MEGA * seconds


def _chart(
    name: str,
    title: str,
    unit: str,
    times: list[float],
    series: list[dict[str, Any]],
    guides: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "unit": unit,
        "x": times,
        "series": series,
        "guides": guides or [],
        "events": [],
    }


def _rates(states: list[State]) -> list[dict[str, Any]]:
    series = []
    for number, host in enumerate(states[0]["hosts"]):
        values = [
            BITS_PER_BYTE
            * (after["hosts"][number]["bytes_received"] - before["hosts"][number]["bytes_received"])
            / (after["seconds"] - before["seconds"])
            / MEGA
            for before, after in pairwise(states)
        ]
        series.append(
            {"label": host["host"], **_colors(flow_look(number + 1).color), "values": values}
        )
    return series


def _colors(color: str) -> dict[str, str]:
    return {"color": color, "dark": DARK.get(color, color)}


@contextlib.contextmanager
def shown_in_browser(run: LiveRun, ready: Callable[[str], None]) -> Iterator[None]:
    """Serve the page of a run meanwhile; calls `ready` with its address, which has the token.

    Raises `LongfatError` if there is no port to listen on.
    """
    listener = listen(HOST, None)
    port, token = listener.getsockname()[1], secrets.token_urlsafe(24)
    pages = Pages()

    async def live(_request: Request) -> Response:
        return JSONResponse(run.document())

    async def to_page(_request: Request) -> Response:
        return RedirectResponse("/live")

    inner = Starlette(
        routes=[
            Route("/", to_page),
            Route("/live", pages.shell),
            Route("/static/{name}", pages.static),
            Route("/vendor/{name}", pages.vendor),
            Route("/api/live", live),
        ]
    )
    guard = Guard(inner, token, Hosts(HOST, port), content_policy())
    server = uvicorn.Server(configured(guard))
    thread = threading.Thread(target=server.run, args=([listener],), name="live", daemon=True)
    thread.start()
    ready(f"http://{HOST}:{port}/live?token={token}")
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(_END_SECONDS)
