"""Tables of the record of one run, for display.

Nothing here imports a third-party library: see `longfat.cli.start`.
"""

from __future__ import annotations

from longfat.base.units import (
    MICROSECONDS_PER_SECOND,
    PICOSECONDS_PER_MILLISECOND,
    PICOSECONDS_PER_SECOND,
)
from longfat.scenarios.resolved import (
    controls_of_linux,
    in_units,
    metric_name,
    network_of,
    travels_whole,
)

TYPE_CHECKING = False  # avoids importing typing, which is slow: see longfat.cli.start
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Part = Mapping[str, Any]
    Table = tuple[list[str], list[list[str]], str | None, str | None]
    """Header, rows, title, and a remark below the table, about omitted rows for example."""

METRIC_PREFIX = "share_"
"""Prefix of the metrics that the ledger of a run shows in more detail."""

MOST_ROWS = 100
"""Largest number of rows printed: laying out very long tables takes minutes."""

_FIRST = (
    *("efficiency", "goodput_bps", "max_min_fairness", "fairness"),
    *("cell_loss_ratio", "acknowledgments_superseded", "mean_round_trip_s"),
    *("datagram_delay_p99_s", "datagram_loss_ratio", "datagram_jitter_s"),
    *("mean_queueing_delay_s", "queueing_delay_p95_s", "mean_queue_cells"),
    *("timeouts", "packets_lost", "packet_mark_ratio"),
)
"""Metrics in the order in which people are told; the others follow as in the record."""

_QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
_BAR_CELLS = 40
_EIGHTHS = " ▏▎▍▌▋▊▉"


def record_tables(record: Part) -> Iterator[Table]:
    """Yield all tables of a record: metrics, ledger, completions, flows, ports and return links."""
    whole = travels_whole(record["scenario"])
    rows = [
        [metric_name(name, whole), number_text(value)]
        for name, value in told_metrics(record).items()
    ]
    yield ["metric", "value"], rows, None, "\n".join(remarks(record)) or None
    for line, ledger in ledgers(record):
        header, rows = run_ledger_rows(ledger)
        yield [capacity_of(line), *header[1:]], rows, where_it_went(line), None
    for part in ("completions", "flows"):
        yield from _part_tables(part, record.get(part, ()), whole)
    yield from _part_tables("ports", [_as_told(port) for port in record["ports"]], whole)
    yield from _part_tables("return links", record.get("return_links", ()), whole)


def ledgers(record: Part) -> Iterator[tuple[str, Sequence[Part]]]:
    """Yield the ledger of the bottleneck, under no name, and those of other lines that have one."""
    yield "", record["ledger"]
    others = [port for port in record["ports"] if "ledger" in port]
    if others:
        bottleneck = _bottlenecks(record["scenario"])
        yield from (
            (port["name"], port["ledger"]) for port in others if port["name"] not in bottleneck
        )


def capacity_of(line: str) -> str:
    """Return the heading of the causes in the ledger of a line, or of the bottleneck."""
    return f"capacity of {line} went to" if line else "capacity went to"


def where_it_went(line: str) -> str:
    """Return the title of the ledger of a line, or of the bottleneck."""
    return f"where the capacity of {line} went" if line else "where the capacity went"


def _bottlenecks(settings: Part) -> list[str]:
    """Return the name of the managed port in front of the bottleneck, if there is one."""
    return [port["name"] for port in network_of(settings)["ports"] if port["is_bottleneck"]]


def told_metrics(record: Part) -> dict[str, Any]:
    """Return the metrics that people are told, in their order; the ledger has the shares.

    The loss ratio is without superseded acknowledgments, which are counted apart.
    """
    values = record["metrics"] | _losses(record)
    names = [name for name in (*_FIRST, *values) if name in values]
    return {name: values[name] for name in names if not name.startswith(METRIC_PREFIX)}


def _losses(record: Part) -> dict[str, float]:
    """Return the loss ratio and the number of superseded acknowledgments, if there are any."""
    count = superseded(record)
    if not count:
        return {}
    arrived, dropped = (
        sum(port[name] for port in record["ports"]) for name in ("cells_in", "cells_dropped")
    )
    return {"cell_loss_ratio": (dropped - count) / arrived, "acknowledgments_superseded": count}


def superseded(record: Part) -> int:
    """Return the acknowledgments that filters dropped because newer ones say as much."""
    return sum(map(superseded_at, record["ports"]))


def superseded_at(port: Part) -> int:
    """Return the acknowledgments of a port's queue that newer ones have superseded."""
    count: int = port.get("queue", {}).get("acknowledgments_superseded", 0)
    return count


def remarks(record: Part) -> list[str]:
    """Return what must be known to read the metrics of a record rightly, a line each."""
    words = []
    from_ps = record["scenario"]["measure"].get("from_ps", 0)
    if from_ps:
        words.append(
            f"measured from {from_ps / PICOSECONDS_PER_SECOND:g} s on: nothing before counts"
        )
    if len(record["ports"]) > 1:
        words += _words_on_one_line(record["scenario"])
    if "max_min_fairness" in record["metrics"]:
        words.append(
            "fairness compares connections that cannot all get as much; max_min_fairness goes by "
            "their shares"
        )
    if superseded(record):
        ratio = number_text(record["metrics"]["cell_loss_ratio"])
        words.append(
            "packet_loss_ratio is without acknowledgments superseded on purpose; with them it is "
            f"{ratio}"
        )
    return words + _known_differences(record["scenario"])


def _known_differences(settings: Part) -> list[str]:
    """Return the known differences from Linux that concern a run with controls of Linux."""
    if not controls_of_linux(settings):
        return []
    from longfat.records.differences import notices

    return list(notices(settings, network_of(settings)))


def _words_on_one_line(settings: Part) -> list[str]:
    """Name the results that are about a single line, in a network of several managed lines."""
    return [
        f"efficiency, mean queue and where the capacity went: of the line {name}; "
        "goodput_bps: of all connections"
        for name in _bottlenecks(settings)
    ]


def where_traces_are(folder: str, plot: str = "three-panel") -> str:
    """Return a line with the folder of the traces, and the command that plots them."""
    return f"traces are in {folder}; to see them: longfat plot {plot} {folder} -o run.png"


def record_json(record: Part) -> str:
    """Return a record as one JSON document, with its remarks."""
    import json

    return (
        json.dumps(
            {**record, "remarks": remarks(record)}, indent=2, ensure_ascii=False, allow_nan=False
        )
        + "\n"
    )


def record_summary(record: Part) -> str:
    """Return a line with the work counts of a run, its driver and its fingerprint."""
    counts = ", ".join(
        f"{value:,} {name.replace('_', ' ')}"
        for name, value in record["work"].items()
        if isinstance(value, int)
    )
    return f"{counts}; driver {record['work']['driver']}; fingerprint {record['fingerprint']}"


def run_ledger_rows(ledger: Sequence[Part]) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of one run's ledger: the causes with time above 0, with bars."""
    rows = [
        [
            cause_words(entry["cause"]),
            f"{entry['ps'] / PICOSECONDS_PER_MILLISECOND:,.3f}",
            percent(entry["share"]),
            bar(entry["share"]),
        ]
        for entry in ledger
        if entry["ps"]
    ]
    return ["capacity went to", "ms", "%", ""], rows


def cause_words(cause: str) -> str:
    """Return the name of a cause with spaces in place of underscores."""
    return cause.replace("_", " ")


def percent(share: float) -> str:
    """Return a share in percent, with one decimal."""
    return f"{100 * share:.1f}"


def bar(share: float) -> str:
    """Return a share as a bar of eighths of character cells, at least one."""
    eighths = max(round(8 * _BAR_CELLS * share), 1)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def _part_tables(title: str, parts: Sequence[Part], whole: bool) -> Iterator[Table]:
    if not parts:
        return
    # Nested parts, such as the classes of a port or its queue, get tables of their own.
    # Parts may differ in their entries.
    more = len(parts) - MOST_ROWS
    left_out = f"{more} more {title}: --json prints them all" if more > 0 else None
    shown = parts[:MOST_ROWS]
    yield *part_table(shown, whole), title, left_out
    for name in dict.fromkeys(name for part in shown for name in part):
        have = [part for part in shown if _is_table(part.get(name))]
        said = cause_words(name)
        if len(have) > 1 and all(isinstance(part[name], dict) for part in have):
            # All have one such part: one table with a row for each.
            rows = [{"name": part["name"], **part[name]} for part in have]
            yield *part_table(rows, whole), f"{said} of {title}", None
            continue
        for part in have:
            within = part[name] if isinstance(part[name], list) else [part[name]]
            yield from _part_tables(f"{said} of {part['name']}", within, whole)


def _is_table(value: Any) -> bool:
    """Whether a value of a record has nested parts."""
    return isinstance(value, list | dict) and not _is_histogram(value)


def _as_told(port: Part) -> Part:
    """Return a port without its ledger, and without a drop policy where a discipline acts."""
    left_out = {"ledger", "policy"} if "queue" in port else {"ledger"}
    return {name: port[name] for name in port if name not in left_out}


def part_table(parts: Sequence[Part], whole: bool = False) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of parts of a record; `whole` if packets are not cut into cells."""
    shown = [in_numbers(part) for part in parts]
    # Without cells, dropped cells are dropped packets: one column, not two.
    names = {in_units(name, whole): name for part in shown for name in part}
    rows = [[number_text(part.get(name)) for name in names.values()] for part in shown]
    return list(names), rows


def in_numbers(part: Part) -> dict[str, Any]:
    """Return the scalar values of a part, with histograms as their mean and quantiles (s)."""
    said: dict[str, Any] = {}
    for name, value in part.items():
        if _is_histogram(value):
            said |= _times(name.removesuffix("s"), value)
        elif not isinstance(value, list | dict):
            said[name] = value
    return said


def _is_histogram(value: Any) -> bool:
    return isinstance(value, dict) and "bins_us" in value


def _times(name: str, document: Part) -> dict[str, float | None]:
    from longfat.statistics.histogram import Histogram

    times = Histogram.of(document)
    if not times.count:
        return {f"{name}_{statistic}_s": None for statistic in ("mean", *_QUANTILES, "max")}
    return {
        f"{name}_mean_s": times.mean_seconds,
        **{f"{name}_{word}_s": times.quantile_seconds(share) for word, share in _QUANTILES.items()},
        f"{name}_max_s": document["max_us"] / MICROSECONDS_PER_SECOND,
    }


def number_text(value: Any) -> str:
    """Return a value of a record as a cell of a table; "-" for None."""
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    if isinstance(value, int | float):
        return f"{value:,.0f}"
    return "-" if value is None else str(value)
