"""Measure the paths of this study as one measures a real one: with probes, then with a flood.

A probe leaves every 10 ms over the idle path. The flood is UDP at more than any rate that the path
has, with a short queue. Prints a table in Markdown.
"""

import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

import longfat as lf

FOLDER = Path(__file__).parent
PROBES = {"traffic": {"kind": "probe", "interval": "10 ms"}}
FLOOD = {
    "traffic": {"kind": "constant-rate", "rate": "120 Mbit/s", "size": "1448 B"},
    "port.buffer": "20 packets",
}
HEADS = (
    "path",
    "delay: least",
    "median",
    "99 %",
    "most",
    "longest silence",
    "rate: 1 %",
    "median",
    "99 %",
    "from second to second",
)


def traced(path: Mapping[str, Any], traffic: Mapping[str, Any], trace: str) -> pl.DataFrame:
    """Run the study's scenario with these levels and other traffic; return a trace of the run."""
    scenario = lf.load_scenario(FOLDER / "scenario.toml", {**path, **traffic})
    with tempfile.TemporaryDirectory() as folder:
        lf.run(scenario, watch=lf.Watch(traces=Path(folder)))
        return lf.load_traces(folder).table(trace)


def of_delay(probes: pl.DataFrame) -> list[str]:
    """Return one-way delays, and the longest time in which no probe arrived."""
    delays = (probes["delay_s"].quantile(share) or 0.0 for share in (0, 0.5, 0.99, 1))
    silence = probes.select(pl.col("time_s").diff().max()).item()
    return [f"{1000 * seconds:.1f} ms" for seconds in (*delays, silence)]


def of_rate(flood: pl.DataFrame) -> list[str]:
    """Return quantiles of the rates of the trace's intervals, and their mean change in a second."""
    rates = flood["bytes"] * 8e12 / flood["interval_ps"]
    seconds = flood.group_by(pl.col("time_s").floor(), maintain_order=True)
    of_second = seconds.agg(rate=8e12 * pl.col("bytes").sum() / pl.col("interval_ps").sum())
    change = of_second.select(pl.col("rate").diff().abs().mean())
    quantiles = (rates.quantile(share) or 0.0 for share in (0.01, 0.5, 0.99))
    return [f"{rate / 1e6:.0f} Mbit/s" for rate in (*quantiles, change.item())]


if __name__ == "__main__":
    study = tomllib.loads((FOLDER / "study.toml").read_text())
    print(f"| {' | '.join(HEADS)} |")
    print(f"|{' --- |' * len(HEADS)}")
    for name, path in study["factors"]["orbit"].items():
        delays = of_delay(traced(path, PROBES, "delay"))
        rates = of_rate(traced(path, FLOOD, "throughput"))
        print(f"| {' | '.join([name, *delays, *rates])} |")
