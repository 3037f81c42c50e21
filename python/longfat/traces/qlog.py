"""Traces of a flow as qlog, the event log format of QUIC implementations.

A sequence of JSON texts (RFC 7464) in one of two schemas. "0.3" is that of
draft-ietf-quic-qlog-main-schema-02 section 6.2 with the events of quic-events-01, which qvis reads.
"sequential" is that of main-schema-13 (`QlogFileSeq`) with the events of quic-events-12. TCP
numbers bytes, QUIC numbers packets: a segment sent becomes a packet with the next number, and an
acknowledgment covers the packets whose bytes it is the first to report; of a retransmitted segment,
the latest transmission. Packets of QUIC are told as they are. Of a captured connection there is
what its headers tell.
"""

import json
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from longfat import _engine
from longfat.base.errors import InvalidInput
from longfat.base.units import PICOSECONDS_PER_MILLISECOND
from longfat.traces.captured import SYNCHRONIZE, Captured, Row
from longfat.traces.quic import QUIC_STACKS, QuicPackets

if TYPE_CHECKING:
    import polars

    from longfat.traces import Traces

TABLES = (
    *("segments", "acknowledgments", "selective-acknowledgments", "cwnd", "ssthresh"),
    *("flight", "rtt", "timeouts", "drops"),
)
"""Names of the traces that qlog events of a TCP flow are derived from."""

QUIC_TABLES = (
    *("packets-lost", "packets", "frames", "cwnd", "ssthresh", "flight", "rtt", "timeouts"),
    "drops",
)
"""Those for a QUIC flow."""

RECORD_SEPARATOR = "\x1e"


class _Row(NamedTuple):
    """Row of a trace; rows of one instant are in the order of their tables, metrics last."""

    time_ps: int
    order: int
    number: int
    trace: str
    fields: dict[str, Any]


_METRICS = {
    "cwnd": ("congestion_window", "cwnd_bytes"),
    "ssthresh": ("ssthresh", "ssthresh_bytes"),
    "flight": ("bytes_in_flight", "flight_bytes"),
    "rtt": ("latest_rtt", "rtt_s"),
    "srtt": ("smoothed_rtt", "srtt_s"),
}
"""Name in qlog and column, for each trace that is a metric in qlog."""


Schema = Literal["0.3", "sequential"]

EVENT_SCHEMAS = [
    "urn:ietf:params:qlog:events:quic-12",
    "urn:uuid:5f1c2a86-3f0e-5a5c-9d0a-4b1a7a0e6c11",
]
"""Of the events of the sequential schema: those of QUIC, and `longfat:packet_dropped`."""

_SEQUENTIAL_NAMES = {
    "transport:packet_sent": "quic:packet_sent",
    "transport:packet_received": "quic:packet_received",
    "recovery:packet_lost": "quic:packet_lost",
    "recovery:metrics_updated": "quic:recovery_metrics_updated",
    "recovery:loss_timer_updated": "quic:timer_updated",
}
"""Names of events in the sequential schema, by their names in qlog 0.3."""


def qlog_lines(traces: "Traces", flow: int, schema: Schema = "0.3") -> Iterator[str]:
    """Return the qlog of a flow as an iterator of JSON texts; all traces are opened at once.

    Raises `InvalidInput` for a flow that the run does not have, and `LongfatError` unless the run
    has recorded all of the traces.
    """
    if not 1 <= flow <= traces.flows:
        raise InvalidInput([f"--flow {flow}: the run has flows 1 to {traces.flows}"])
    is_quic = traces.stack_of(flow) in QUIC_STACKS
    wanted = list(QUIC_TABLES if is_quic else TABLES)
    traces.check_names(wanted)
    # Earlier versions did not record this one.
    wanted += {"srtt"} & set(traces.names)
    tables = {name: traces.table(name).with_row_index("row").filter(flow=flow) for name in wanted}
    told = QuicPackets(tables) if is_quic else _Packets()
    rows = merge(*(_rows(place, *table) for place, table in enumerate(tables.items())))
    run_id, name = traces.record["run_id"], f"flow {flow}"
    description = f"{name} ({traces.flavor_of(flow)}) of run {run_id}"
    return _lines(_header(name, description, run_id, told), _events(rows, told), run_id, schema)


def captured_lines(captured: Captured, file: str, schema: Schema = "0.3") -> Iterator[str]:
    """Return the qlog of a connection in a capture of packets, which has what headers tell."""
    told = _Packets()
    rows = (row for row in captured.rows if row.trace != SYNCHRONIZE)
    header = _header(captured.name, f"{captured.name} in {file}", file, told)
    return _lines(header, _events(rows, told), file, schema)


def _lines(
    header: dict[str, Any], events: Iterator[dict[str, Any]], group: str, schema: Schema
) -> Iterator[str]:
    if schema == "sequential":
        first = _sequential_header(header, group)
        return map(_text, chain([first], map(_sequential, events)))
    return map(_text, chain([header], events))


def _sequential_header(older: dict[str, Any], group: str) -> dict[str, Any]:
    return {
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "application/qlog+json-seq",
        "title": older["title"],
        "description": older["description"],
        "trace": {
            "common_fields": {
                "group_id": group,
                "time_format": "relative_to_epoch",
                "reference_time": {"clock_type": "monotonic", "epoch": "unknown"},
            },
            "vantage_point": older["trace"]["vantage_point"],
            "event_schemas": EVENT_SCHEMAS,
        },
    }


def _sequential(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event of qlog 0.3 in the sequential schema.

    A frame tells its length as one that is raw, and a range of one number is that number. Whether a
    segment is a retransmission has no field there: it is one whose offset was sent before.
    """
    data = {key: value for key, value in event["data"].items() if key != "is_retransmission"}
    if "frames" in data:
        data["frames"] = [_sequential_frame(frame) for frame in data["frames"]]
    name = event["name"]
    return {"time": event["time"], "name": _SEQUENTIAL_NAMES.get(name, name), "data": data}


def _sequential_frame(frame: dict[str, Any]) -> dict[str, Any]:
    if frame["frame_type"] == "ack":
        ranges = [pair[:1] if pair[0] == pair[1] else pair for pair in frame["acked_ranges"]]
        return {**frame, "acked_ranges": ranges}
    if "raw_frame_type" in frame:
        return {"frame_type": "unknown", "frame_type_bytes": frame["raw_frame_type"]}
    if "length" not in frame:
        return frame
    own = {key: value for key, value in frame.items() if key != "length"}
    return {**own, "raw": {"payload_length": frame["length"]}}


def _header(name: str, description: str, group: str, told: "Told") -> dict[str, Any]:
    return {
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "title": f"longfat {_engine.ENGINE_VERSION}",
        "description": description,
        "trace": {
            "vantage_point": {"type": told.side, "name": name},
            "common_fields": {
                "ODCID": group[:16],
                "protocol_type": [told.protocol],
                "time_format": "relative",
                "reference_time": 0,
            },
        },
    }


def _rows(order: int, name: str, frame: "polars.DataFrame") -> Iterator[_Row]:
    for number, row in enumerate(frame.iter_rows(named=True)):
        yield _Row(row["time_ps"], order, number, name, row)


def _events(rows: Iterable[_Row | Row], told: "Told") -> Iterator[dict[str, Any]]:
    """Yield the events of rows in time order; metrics changed at one instant form one event."""
    metrics: dict[str, Any] = {}
    now_ps = 0
    for row in rows:
        if metrics and row.time_ps > now_ps:
            yield _event(now_ps, "recovery:metrics_updated", metrics)
            metrics = {}
        now_ps = row.time_ps
        if row.trace in _METRICS:
            name, column = _METRICS[row.trace]
            value = row.fields[column]
            if value != float("inf"):  # no threshold
                metrics[name] = 1000 * value if column.endswith("_s") else round(value)
        elif row.trace == "timeouts":
            expired = {"event_type": "expired", "timer_type": "pto"}
            yield _event(now_ps, "recovery:loss_timer_updated", expired)
        elif row.trace == "drops":
            dropped = {key: row.fields[key] for key in ("reason", "sequence", "is_data", "port")}
            yield _event(now_ps, "longfat:packet_dropped", dropped)
        else:
            event = told.event(row.trace, row.fields)
            if event is not None:
                yield _event(now_ps, *event)
    if metrics:
        yield _event(now_ps, "recovery:metrics_updated", metrics)


class _Packets:
    """Maps unacknowledged segments to the packet number of their latest transmission."""

    protocol = "TCP"
    side = "client"

    def __init__(self) -> None:
        self._sent = 0
        self._received = 0
        self._begins: list[int] = []
        self._of_begins: dict[int, tuple[int, int]] = {}

    def event(self, trace: str, fields: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """Return the event of a segment or an acknowledgment: its name and its data."""
        if trace == "acknowledgments":
            return "transport:packet_received", self.receive(0, fields["next"])
        if trace == "selective-acknowledgments":
            return "transport:packet_received", self.receive(fields["from"], fields["to"])
        begin, length = fields["sequence"], fields["length_bytes"]
        frame = {"frame_type": "stream", "stream_id": 0, "offset": begin, "length": length}
        header = {"packet_type": "1RTT", "packet_number": self.send(begin, length)}
        return "transport:packet_sent", {
            "header": header,
            "raw": {"length": length},
            "is_retransmission": fields["is_again"],
            "frames": [frame],
        }

    def send(self, begin: int, length: int) -> int:
        """Record the transmission of a segment; return its packet number."""
        if begin not in self._of_begins:
            insort(self._begins, begin)
        number = self._sent
        self._sent += 1
        self._of_begins[begin] = (begin + length, number)
        return number

    def receive(self, begin: int, end: int) -> dict[str, Any]:
        """Return the event of a packet that acknowledges the bytes `begin` (included) to `end`."""
        first, behind = bisect_left(self._begins, begin), bisect_left(self._begins, end)
        known = self._begins[first:behind]
        acknowledged = [each for each in known if self._of_begins[each][0] <= end]
        numbers = sorted(self._of_begins.pop(each)[1] for each in acknowledged)
        gone = set(acknowledged)
        self._begins[first:behind] = [each for each in known if each not in gone]
        number = self._received
        self._received += 1
        frame = {"frame_type": "ack", "acked_ranges": _ranges(numbers)}
        return {
            "header": {"packet_type": "1RTT", "packet_number": number},
            "frames": [frame] if numbers else [],
        }


Told = _Packets | QuicPackets
"""Account of the packets of a flow."""


def _ranges(numbers: list[int]) -> list[list[int]]:
    """Return ascending numbers as ranges [first, last] of consecutive ones."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges


def _event(time_ps: int, name: str, data: dict[str, Any]) -> dict[str, Any]:
    return {"time": time_ps / PICOSECONDS_PER_MILLISECOND, "name": name, "data": data}


def _text(document: dict[str, Any]) -> str:
    return f"{RECORD_SEPARATOR}{json.dumps(document, separators=(',', ':'))}\n"
