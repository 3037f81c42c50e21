"""One screen about a run: the metrics that fit its traffic, the ledger, its flows and ports.

Nothing here imports a third-party library: see `longfat.cli.start`.
"""

from __future__ import annotations

from itertools import chain

from longfat.records.groups import (
    file_times_s,
    files_of,
    groups_of,
    measures_of,
    nearest_rank,
    quantiles,
)
from longfat.records.tables import (
    capacity_of,
    in_numbers,
    ledgers,
    number_text,
    record_summary,
    remarks,
    run_ledger_rows,
    superseded,
    superseded_at,
    told_metrics,
    where_it_went,
)
from longfat.scenarios.resolved import in_units, metric_name, network_of, travels_whole

TYPE_CHECKING = False  # avoids importing typing, which is slow: see longfat.cli.start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from longfat.records.groups import Measure
    from longfat.records.tables import Table

    Part = Mapping[str, Any]
    Row = list[str]

LINES = 40
"""Lines of a screen, those of remarks included."""

COLUMNS = 100
"""Columns of a screen: a remark that is longer takes several lines."""

MOST_FLOWS = 10
"""Most flows that have a row each; of more, groups are shown."""

_MOST_LEDGERS = 3
"""Most lines whose ledgers are shown, the bottleneck first."""

_FEWEST_METRICS = 6
"""Fewest metrics; each ledger besides the bottleneck's takes the place of one, return links that
of a table."""

_FEWEST_IN_GROUPS = 6
"""Fewest rows about groups: of three groups, two results of each."""

IN_FULL = "each flow, and everything else in full: --flows, or --json"

_AROUND = 3
"""Lines of a table besides its rows: header, rule, and a blank one."""

_ELSEWHERE = frozenset({"max_goodput_bps", "max_queue_cells"})
"""Metrics that the efficiency and the ports tell."""

_ONLY_IF_ANY = frozenset({"packets_lost", "packet_mark_ratio", "datagram_reordered_ratio"})
"""Metrics of which 0 says no more than that the scenario has no such thing."""

_OF_PORTS = ("max_queue_cells", "mean_queue_cells", "cells_in", "cells_dropped", "utilization")


_OF_RETURN_LINKS = {
    "constant_bps": "constant bps",
    "rate_bps": "rate bps",
    "volume_bps": "volume bps",
    "free_bps": "free bps",
    "used_bps": "used bps",
    "wait_p95_s": "wait p95 s",
    "requests_lost": "lost",
}
"""Results of a return link, and their headings; lost are requests."""

_LARGE = 1000
"""Bits per second above which fractions say nothing."""

_COUNTS = frozenset({"cells_in", "cells_dropped", "superseded"})

_QUANTILES = ("min", "median", "p95", "max")


class _Section:
    """A table that is as long as there is room: `in_rows` puts its items into so many rows."""

    def __init__(
        self,
        title: str,
        header: Row,
        items: Sequence[Any],
        fewest: int,
        in_rows: Callable[[Sequence[Any], int], list[Row]],
    ) -> None:
        self.title, self.header, self.items, self.in_rows = title, header, items, in_rows
        self.rows = self.fewest = min(fewest, len(items))


def screen_tables(record: Part) -> list[Table]:
    """Return the tables of a run that fit `LINES` lines together with its summary.

    Up to `MOST_FLOWS` flows have a row each if there is room for them; otherwise there are
    quantiles of each group of flows. Every table is as long as the others allow.
    """
    room = LINES - _lines(summary(record))
    above = [*_completions(record), *_metrics_and_ledger(record)]
    below = [*_return_links(record), *_ports(record)]
    sections = [*above, *_each_flow(record), *below]
    if len(record["flows"]) > MOST_FLOWS or _room_left(sections, room) < 0:
        sections = [*above, _flows_in_groups(record), *below]
    _share(sections, _room_left(sections, room))
    return [
        (each.header, each.in_rows(each.items, each.rows), each.title, None) for each in sections
    ]


def summary(record: Part) -> str:
    """Return the lines below the tables: notes, work and fingerprint, and how to see more."""
    return "\n".join([*remarks(record), record_summary(record), IN_FULL])


def _lines(text: str) -> int:
    """Return the lines that a text takes on the screen."""
    return sum(-(-len(line) // COLUMNS) for line in text.splitlines())


def _room_left(sections: Sequence[_Section], room: int) -> int:
    """Return the lines that no section needs at the least."""
    return room - sum(section.fewest + _AROUND for section in sections)


def _share(sections: Sequence[_Section], lines: int) -> None:
    """Give lines one by one to the section that has got the fewest and has more items."""
    for _ in range(lines):
        wanting = [section for section in sections if section.rows < len(section.items)]
        if not wanting:
            break
        min(wanting, key=lambda section: section.rows - section.fewest).rows += 1


def _completions(record: Part) -> list[_Section]:
    """Return the times of flows, pages and files; the last rows are of all of a kind together."""
    kinds: list[Part] = []
    asked = 0
    for kind in reversed(record.get("completions", ())):
        is_total = kind["name"].isalpha()
        # A class, such as "flow up to 100 kB", that has them all says nothing else.
        if kind["asked"] and (is_total or kind["asked"] < asked):
            kinds.insert(0, in_numbers(kind))
        asked = kind["asked"] if is_total else asked
    if files := files_of(record):
        kinds.append(_as_completions(file_times_s(files), len(files)))
    if not kinds:
        return []
    header = ["completions", *(name.replace("_", " ") for name in kinds[0] if name != "name")]
    return [_Section("completions", header, kinds, 1, _last_kinds)]


def _as_completions(times_s: Sequence[float], asked: int) -> Part:
    """Return the times of files like those of another kind of completion."""
    mean = sum(times_s) / len(times_s) if times_s else None
    quantiles = {f"time_p{rank}_s": nearest_rank(times_s, rank) for rank in (50, 95, 99, 100)}
    largest = quantiles.pop("time_p100_s")
    counts = {"name": "file", "asked": asked, "delivered": len(times_s)}
    return {**counts, "time_mean_s": mean, **quantiles, "time_max_s": largest}


def _last_kinds(kinds: Sequence[Part], most: int) -> list[Row]:
    return [[number_text(value) for value in kind.values()] for kind in kinds[-most:]]


def _metrics_and_ledger(record: Part) -> list[_Section]:
    shown = [*ledgers(record)][:_MOST_LEDGERS]
    fewest = _FEWEST_METRICS - (len(shown) - 1)
    if record.get("return_links"):
        fewest = max(fewest - (1 + _AROUND), 1)
    metrics = _Section("metrics", ["metric", "value"], list(_metrics(record)), fewest, _first)
    return [metrics, *(_ledger(line, ledger) for line, ledger in shown)]


def _ledger(line: str, ledger: Sequence[Part]) -> _Section:
    header = [capacity_of(line), *run_ledger_rows([])[0][1:]]
    entries = [entry for entry in ledger if entry["ps"]]
    return _Section(where_it_went(line), header, entries, 2 if line else 3, _ledger_rows)


def _first(rows: Sequence[Row], most: int) -> list[Row]:
    return list(rows[:most])


def _metrics(record: Part) -> Iterator[Row]:
    """Yield the metrics that fit traffic and network, the most telling first.

    Those of things that the scenario does not have are left out, and so is the mean queue where the
    waiting time is known.
    """
    values = told_metrics(record)
    over_tcp = sum("datagrams" not in flow for flow in record["flows"])
    for name, value in values.items():
        fits = (
            name not in _ELSEWHERE
            and (value or name not in _ONLY_IF_ANY)
            and (name != "fairness" or over_tcp > 1)
            and (name != "mean_queue_cells" or "mean_queueing_delay_s" not in values)
        )
        if fits:
            yield [metric_name(name, travels_whole(record["scenario"])), number_text(value)]


def _ledger_rows(ledger: Sequence[Part], most: int) -> list[Row]:
    """Return the largest entries of a ledger in its order, and the sum of the others."""
    largest = sorted(ledger, key=lambda entry: entry["ps"], reverse=True)
    if len(ledger) > most:
        largest = largest[: most - 1]
    kept = [entry for entry in ledger if entry in largest]
    others = [entry for entry in ledger if entry not in largest]
    if others:
        sums = {name: sum(entry[name] for entry in others) for name in ("ps", "share")}
        kept.append({"cause": f"{len(others)} others", **sums})
    return run_ledger_rows(kept)[1]


def _each_flow(record: Part) -> Iterator[_Section]:
    """Yield a row for each flow over TCP, and for each over UDP; all of them are needed."""
    over_tcp = [flow for flow in record["flows"] if "datagrams" not in flow]
    over_udp = [flow for flow in record["flows"] if "datagrams" in flow]
    if over_tcp:
        yield _each_over_tcp(over_tcp, bool(files_of(record)))
    if over_udp:
        yield _each_over_udp(over_udp)


def _each_over_udp(flows: Sequence[Part]) -> _Section:
    names = {
        "sent": "sent",
        "lost": "lost",
        "mean delay s": "delay_mean_s",
        "p95": "delay_p95_s",
        "p99": "delay_p99_s",
        "max": "delay_max_s",
        "jitter s": "mean_jitter_s",
        "reordered": "reordered",
    }
    header = ["flow", *names]
    rows = [
        [flow["name"], *(number_text(flow["datagrams"][name]) for name in names.values())]
        for flow in flows
    ]
    if any("answered" in flow["datagrams"] for flow in flows):
        header.append("mean round trip s")
        rows = [
            [*row, number_text(flow["round_trips"]["mean_s"])]
            for row, flow in zip(rows, flows, strict=True)
        ]
    return _Section("datagrams", header, rows, len(rows), _first)


def _each_over_tcp(flows: Sequence[Part], has_files: bool) -> _Section:
    header = ["flow", "control", "goodput bps", "retransmitted", "timeouts", "mean round trip s"]
    names = ["name", "flavor", "goodput_bps", "segments_retransmitted", "timeouts"]
    rows = [
        [
            number_text(value)
            for value in (*(flow[name] for name in names), flow["round_trips"]["mean_s"])
        ]
        for flow in flows
    ]
    if has_files:
        header.append("finished s")
        rows = [
            [*row, number_text(flow["finished_s"])] for row, flow in zip(rows, flows, strict=True)
        ]
    return _Section("flows", header, rows, len(rows), _first)


def _flows_in_groups(record: Part) -> _Section:
    """Return the quantiles of each group, as many results of each as there is room for."""
    header = ["flows", "count", "of each", *_QUANTILES]
    groups = groups_of(record)
    of_files = {flow["name"] for flow in files_of(record)}
    rows = [
        _measure_rows(name, measures_of(flows, any(flow["name"] in of_files for flow in flows)))
        for name, flows in groups
    ]

    def in_rows(_: Sequence[Row], most: int) -> list[Row]:
        return _narrowed([header, *(row for own in rows for row in own[: most // len(rows)])])[1:]

    fewest = max(_FEWEST_IN_GROUPS // len(rows), 1) * len(rows)
    return _Section("flows", header, list(chain.from_iterable(rows)), fewest, in_rows)


def _narrowed(rows: Sequence[Row]) -> list[Row]:
    """Leave out the last words of the longest names until rows fit a screen; numbers stay."""
    widths = [max(len(row[column]) + 2 for row in rows) for column in range(1, len(rows[0]))]
    names = [row[0].split(", ") for row in rows]
    while max(len(", ".join(words)) for words in names) > COLUMNS - sum(widths):
        most = max(map(len, names))
        if most == 1:
            break
        names = [words[: most - 1] for words in names]
    return [[", ".join(words), *row[1:]] for words, row in zip(names, rows, strict=True)]


def _measure_rows(name: str, measures: Sequence[Measure]) -> list[Row]:
    """Return a row for each result of a group: how many flows have it, and its quantiles."""
    return [
        [
            name,
            f"{len(values)}" if len(values) == flows else f"{len(values)} of {flows}",
            measure,
            *map(number_text, quantiles(values)),
        ]
        for measure, values, flows in measures
    ]


def _return_links(record: Part) -> list[_Section]:
    """Return a row for each return link: what was granted by category, sent, and asked for."""
    links = [in_numbers(link) for link in record.get("return_links", ())]
    if not links:
        return []
    header = ["return link", *_OF_RETURN_LINKS.values()]

    def in_rows(items: Sequence[Part], most: int) -> list[Row]:
        return [
            [link["name"], *(_whole(link[name]) for name in _OF_RETURN_LINKS)]
            for link in items[:most]
        ]

    return [_Section("return links", header, links, 1, in_rows)]


def _whole(value: float | None) -> str:
    """Return a number that may be large without its fraction."""
    return number_text(round(value) if value is not None and value > _LARGE else value)


def _ports(record: Part) -> list[_Section]:
    """Return a row for each managed port: its queue, its drops and its utilization."""
    ports = [_without_superseded(port) for port in record["ports"]]
    if not ports:
        return []
    if len(ports) > 1:
        network = network_of(record["scenario"])["ports"]
        (bottleneck,) = (port["name"] for port in network if port["is_bottleneck"])
        ports.sort(key=lambda port: (port["name"] != bottleneck, -port["cells_dropped"]))
    names = [*_OF_PORTS]
    if superseded(record):
        names.insert(-1, "superseded")
    whole = travels_whole(record["scenario"])
    header = ["port", *(in_units(name, whole) for name in names)]

    def in_rows(items: Sequence[Part], most: int) -> list[Row]:
        return _port_rows(items, names, most)

    return [_Section("ports", header, ports, 2, in_rows)]


def _without_superseded(port: Part) -> Part:
    """Return a port whose drops are without superseded acknowledgments, counted beside them."""
    count = superseded_at(port)
    return {**port, "cells_dropped": port["cells_dropped"] - count, "superseded": count}


def _port_rows(ports: Sequence[Part], names: Sequence[str], most: int) -> list[Row]:
    """Return the first ports, and the others in one row: sums of counts, the most of the rest."""
    shown = ports if len(ports) <= most else ports[: most - 1]
    rows = [[port["name"], *(number_text(port[name]) for name in names)] for port in shown]
    if others := ports[len(shown) :]:
        combined = (
            (sum if name in _COUNTS else max)(port[name] for port in others) for name in names
        )
        rows.append([f"{len(others)} others", *map(number_text, combined)])
    return rows
