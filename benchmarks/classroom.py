"""Response times of one server of `longfat view` for a class: thirty pages, each with its scenario.

    .venv/bin/python -m benchmarks.classroom [--record FILE] [--splice PAGE] [--repetitions N]

Each page has a preset, and changes the seed. First all pages ask at the same moment. Then each
waits for some seconds after an answer, as people do, before it asks again, N times. Times are from
the question to the whole answer. `--record` stores the result, `--splice` puts the table of the
newest record into a page.
"""

import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
from benchmarks.recorded import Recorded
from tests.web.serving import served

from longfat.web.presets import presets
from longfat.web.settings import settings_of

PAGES = 30
PAUSE_SECONDS = (5.0, 15.0)
"""Least and greatest time in which somebody looks at charts before the next change."""


def measured(questions: int) -> dict[str, Any]:
    """Let all pages ask, at once and then as people do."""
    program = Path(sys.executable).with_name("longfat")
    settings = [settings_of(document) for _, document in presets().values()]
    with (
        TemporaryDirectory() as folder,
        served(program, Path(folder)) as server,
        ExitStack() as stack,
    ):
        clients = [stack.enter_context(server.client()) for _ in range(PAGES)]
        start = threading.Barrier(PAGES)

        def at_once(page: int) -> list[tuple[float, int]]:
            start.wait()
            return [_asked(clients[page], page, settings[page % len(settings)], 2)]

        def in_turn(page: int) -> list[tuple[float, int]]:
            return [*_pauses(clients[page], page, settings[page % len(settings)], questions)]

        return {
            "pages": PAGES,
            "pause_s": PAUSE_SECONDS,
            "all at once": _summary(_by_all(at_once)),
            "with pauses": _summary(_by_all(in_turn)),
        }


def _by_all(act: Callable[[int], list[tuple[float, int]]]) -> list[tuple[float, int]]:
    with ThreadPoolExecutor(PAGES) as pool:
        return [answer for answers in pool.map(act, range(PAGES)) for answer in answers]


def _pauses(
    client: httpx2.Client, page: int, settings: Mapping[str, str], questions: int
) -> Iterator[tuple[float, int]]:
    chance = random.Random(page)
    for question in range(questions):
        time.sleep(chance.uniform(*PAUSE_SECONDS))
        yield _asked(client, page, settings, 3 + question)


def _asked(
    client: httpx2.Client, page: int, settings: Mapping[str, str], seed: int
) -> tuple[float, int]:
    """Return the seconds until the whole answer, and its status."""
    started = time.perf_counter()
    question = {"page": f"page {page}", "settings": {**settings, "seed": str(seed)}}
    answer = client.post("/api/play", json=question)
    return time.perf_counter() - started, answer.status_code


def _summary(answers: Sequence[tuple[float, int]]) -> dict[str, float]:
    times = [seconds for seconds, _ in answers]
    return {
        "answers": len(answers),
        "refused": sum(status != 200 for _, status in answers),
        "median_s": round(statistics.median(times), 2),
        "p90_s": round(statistics.quantiles(times, n=10)[-1], 2),
        "longest_s": round(max(times), 2),
    }


def table(record: Mapping[str, Any]) -> str:
    """Return the table of a record."""
    head = f"{record['pages']} pages (load {record['load']:.1f} on {record['cores']} cores)"
    lines = [
        f"| {head} | answers | refused | median s | 90 % s | longest s |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in ("all at once", "with pauses"):
        own = record[name]
        values = [own[key] for key in ("answers", "refused", "median_s", "p90_s", "longest_s")]
        lines.append(f"| {name} | {' | '.join(map(str, values))} |")
    return "\n".join(lines)


CLASSROOM = Recorded("classroom", "python -m benchmarks.classroom", measured, table, repetitions=6)

if __name__ == "__main__":
    sys.exit(CLASSROOM.main(__doc__))
