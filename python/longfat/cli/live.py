"""The state of a run in real time, on a terminal: a line that is written again and again."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from longfat.base.numbers import significant

if TYPE_CHECKING:
    from longfat.scenarios.scenario import Scenario

_BAR_CELLS = 20

_ERASE = "\r\x1b[K"
"""Back to the first column, and the rest of the line erased (ECMA-48)."""


@contextmanager
def shown_live(
    scenario: "Scenario", wanted: bool | None
) -> Iterator[Callable[[dict[str, Any]], None] | None]:
    """Yield a function that shows the state of a run, or None where nobody looks."""
    has_terminal = sys.stderr is not None and sys.stderr.isatty()
    if wanted is False or (wanted is None and not has_terminal):
        yield None
        return
    line = _Line(scenario, has_terminal)
    try:
        yield line.show
    finally:
        line.close()


class _Line:
    def __init__(self, scenario: "Scenario", has_terminal: bool) -> None:
        from longfat import _engine
        from longfat.scenarios.resolved import buffer_of

        ports = json.loads(_engine.scenario_network(scenario.resolved))["ports"]
        self._port = next((number for number, port in enumerate(ports) if port["is_bottleneck"]), 0)
        self._buffer = buffer_of(ports[self._port]) if ports else None
        self._before: dict[str, Any] | None = None
        self._has_terminal = has_terminal

    def show(self, state: dict[str, Any]) -> None:
        before, self._before = self._before, state
        if before is None or state["seconds"] <= before["seconds"]:
            return
        text = state_text(before, state, self._port, self._buffer)
        if self._has_terminal:
            sys.stderr.write(f"{_ERASE}{text}")
            sys.stderr.flush()
        else:
            print(text, file=sys.stderr)

    def close(self) -> None:
        if self._has_terminal and self._before is not None:
            sys.stderr.write(_ERASE)
            sys.stderr.flush()


def state_text(
    before: dict[str, Any], state: dict[str, Any], port: int, buffer: float | None
) -> str:
    """Return time, rate of each host, queue of the bottleneck, and lateness, between two states."""
    seconds = state["seconds"] - before["seconds"]
    rates = [
        8 * (now["bytes_received"] - earlier["bytes_received"]) / seconds / 1e6
        for now, earlier in zip(state["hosts"], before["hosts"], strict=True)
    ]
    parts = [
        f"{state['seconds']:7.1f} s",
        "received " + " | ".join(f"{significant(rate, 3)}" for rate in rates) + " Mbit/s",
    ]
    if state["queues"]:
        queue = state["queues"][port]
        filled = round(_BAR_CELLS * min(1.0, queue / buffer)) if buffer else 0
        bar = f" [{'#' * filled}{'.' * (_BAR_CELLS - filled)}]" if buffer else ""
        parts.append(f"queue {queue}{bar}")
    if state["p99_s"] is not None:
        parts.append(f"late p99 {significant(1e6 * state['p99_s'], 3)} us")
    return "  ".join(parts)
