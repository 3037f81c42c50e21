"""Interactive runs of a page's scenario: record, charts and ledger."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longfat import _engine
from longfat.base.errors import LongfatError
from longfat.plots.ledger import fills
from longfat.records.tables import cause_words, in_numbers
from longfat.results.ledger import SHOWN_FROM, shares_of
from longfat.running.execution import Watch
from longfat.running.limits import Limits
from longfat.running.run import run
from longfat.scenarios.resolved import travels_whole
from longfat.scenarios.scenario import Scenario
from longfat.traces import load_traces
from longfat.web.charts import ERROR, MOST_FLOWS, TRACES, charts
from longfat.web.controls import FIRST, scenario_controls
from longfat.web.exercises import titles
from longfat.web.presets import presets
from longfat.web.settings import Settings, scenario_of, settings_of
from longfat.web.written import written

MOST_CONNECTIONS = 1000
"""Most connections of a run: charts show fewer, and the fast driver's time grows with them."""

MOST_PARTS = 100
"""Most flows and ports in a response; nobody reads more on a screen."""

Answer = dict[str, Any]


def playground() -> Answer:
    """Return the controls of all settings of a scenario, the presets and the list of exercises."""
    return {
        "engine": _engine.ENGINE_VERSION,
        "controls": scenario_controls(),
        "first": list(FIRST),
        "presets": [
            {"name": name, "title": title, "settings": settings_of(document)}
            for name, (title, document) in presets().items()
        ],
        "exercises": titles(),
    }


def play(settings: Settings, limits: Limits, folder: Path) -> Answer:
    """Run the scenario of a page, with traces in a folder.

    Raises `BadInput` and `longfat.InvalidInput` for settings that are no valid scenario,
    `LongfatError` for one that is estimated to exceed the limits, `RunFailed` for one that exceeds
    them.
    """
    scenario, _ = scenario_of(settings)
    in_force = settings_of(written(scenario.settings))
    return watched(scenario, limits, folder) | {"in_force": in_force}


def watched(scenario: Scenario, limits: Limits, folder: Path) -> Answer:
    """Run a scenario with traces in a folder.

    Raises `LongfatError` for one with too many connections to show, and as `longfat.run` does.
    """
    senders = len(json.loads(_engine.scenario_network(scenario.resolved))["connections"])
    if senders > MOST_CONNECTIONS:
        raise LongfatError(
            f"topology.sources: {senders:,} connections; a page shows at most "
            f"{MOST_CONNECTIONS:,}, longfat run any number"
        )
    started = time.perf_counter()
    watch = Watch(traces=folder / "traces", names=TRACES, error=ERROR)
    record = run(scenario, limits=limits, watch=watch)
    simulated = time.perf_counter()
    drawn = charts(load_traces(folder / "traces"))
    return {
        "run_id": record["run_id"],
        "engine": record["engine"],
        "fingerprint": record["fingerprint"],
        "metrics": record["metrics"],
        "travels_whole": travels_whole(scenario.settings),
        "completions": list(map(in_numbers, record.get("completions", ()))),
        "flows": record["flows"][:MOST_PARTS],
        "ports": record["ports"][:MOST_PARTS],
        "parts_left_out": max(0, len(record["flows"]) - MOST_PARTS),
        "ledger": ledger(record["metrics"]),
        "charts": drawn,
        "flows_drawn": MOST_FLOWS,
        "driver": record["work"]["driver"],
        "events": record["work"]["events"],
        "simulated_s": scenario.simulated_seconds,
        "engine_ms": round(1000 * (simulated - started), 1),
        "charts_ms": round(1000 * (time.perf_counter() - simulated), 1),
    }


def ledger(metrics: Mapping[str, float]) -> Sequence[Answer]:
    """Return the ledger of the capacity: cause in words, colour, and share from 0 to 1."""
    shares = shares_of(metrics)
    styles = fills(list(shares))
    return [
        {"cause": cause_words(cause), "color": styles[cause][0], "share": share}
        for cause, share in shares.items()
        if share >= SHOWN_FROM
    ]
