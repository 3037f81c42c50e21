"""The trace of granted capacity, beside the means of the record."""

from pathlib import Path

import polars as pl
import pytest

import longfat
from longfat.running.execution import Watch
from longfat.traces import load_traces

FRAME_S = 0.05

TERMINALS = {
    "schema_version": 1,
    "duration": "10 s",
    "framing": "ethernet",
    "topology": {
        "kind": "terminals",
        "terminals": 4,
        "servers": {"delay": "1 ms"},
        "access": {"delay": "1 ms"},
        "satellite": {
            "forward_rate": "20 Mbit/s",
            "terminal_rate": "2 Mbit/s",
            "return_rate": "4 Mbit/s",
        },
    },
    "port": {"buffer": "100 packets"},
    "connections": [{"count": 4, "from": "users"}],
    "traffic": {"kind": "messages", "size": "20 kB", "interval": "700 ms"},
    "return_links": [
        {
            "name": "return",
            "rate": "3 Mbit/s",
            "frame": "50 ms",
            "response": "560 ms",
            "fca": True,
            "log_on": True,
            "access": {"kind": "slotted-aloha", "slots": 4},
        }
    ],
    "lines": [
        {
            "at": "terminal * to satellite",
            "capacity": {
                "kind": "shared",
                "link": "return",
                "cra": "16 kbit/s",
                "rbdc_max": "128 kbit/s",
            },
        }
    ],
}


def test_the_frames_of_the_trace_add_up_to_what_the_record_says_was_granted(
    tmp_path: Path,
) -> None:
    record = longfat.run(longfat.load_scenario(TERMINALS, {}), watch=Watch(traces=tmp_path))
    grants = load_traces(tmp_path).table("grants")
    (link,) = record["return_links"]
    categories = ["constant_bps", "rate_bps", "volume_bps", "free_bps"]
    frames = round(10 / FRAME_S)
    for terminal in link["terminals"]:
        mine = grants.filter(pl.col("port") == terminal["name"])
        # The record has the frames that are over, the trace also the last one, which is not.
        over = mine.filter(pl.col("time_ps") < round((frames - 1) * FRAME_S * 1e12))
        for category in categories:
            mean = over[category].sum() / (frames - 1)
            assert mean == pytest.approx(terminal[category], rel=1e-9), (terminal["name"], category)
        assert mine["time_ps"].min() == pytest.approx(terminal["log_on_s"] * 1e12)
    assert grants[categories].to_numpy().sum() > 0
    kinds = {kind["name"]: kind for kind in record["completions"]}
    assert kinds["return log-on"]["asked"] == 4
    assert kinds["return grant"]["asked"] > 0
