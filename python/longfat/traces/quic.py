"""Packets of a QUIC flow as qlog 0.3 tells them (draft-ietf-quic-qlog-quic-events-01)."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars

QUIC_STACKS = {"quic", "quinn"}
"""Names of the stacks whose packets are those of QUIC."""

_MICROSECONDS_PER_MILLISECOND = 1000


class QuicPackets:
    """Packets with their frames, from the traces `packets` and `frames` of a flow."""

    protocol = "QUIC"

    def __init__(self, tables: "dict[str, polars.DataFrame]") -> None:
        """Take the frames out of `tables`, whose other rows are events."""
        packets = tables["packets"]
        # The client sends the first packet.
        opens = packets.is_empty() or not packets["is_received"][0]
        self.side = "client" if opens else "server"
        frames = tables.pop("frames").iter_rows(named=True)
        self._frames = groupby(frames, key=lambda row: row["packet"])

    def event(self, trace: str, fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the event of a packet that leaves, arrives or is lost: its name and its data."""
        header = {"packet_type": fields["kind"], "packet_number": fields["number"]}
        if trace == "packets-lost":
            return "recovery:packet_lost", {"header": header}
        name = "packet_received" if fields["is_received"] else "packet_sent"
        # Each packet has frames, in the order of the packets.
        _, rows = next(self._frames)
        frames = list(_frames(rows))
        data = {"header": header, "raw": {"length": fields["size_bytes"]}, "frames": frames}
        return f"transport:{name}", data


def _frames(rows: Iterator[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the frames of a packet; an acknowledgment has a row for each range."""
    for name, alike in groupby(rows, key=lambda row: row["frame"]):
        if name == "ack":
            ranges = list(alike)
            yield {
                "frame_type": "ack",
                "ack_delay": ranges[0]["id"] / _MICROSECONDS_PER_MILLISECOND,
                "acked_ranges": sorted([row["from"], row["to"] - 1] for row in ranges),
            }
        else:
            yield from ({"frame_type": name, **_fields(name, row)} for row in alike)


def _fields(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    begin, end = row["from"], row["to"]
    match name:
        case "stream":
            return {"stream_id": row["id"], "offset": begin, "length": end - begin}
        case "crypto":
            return {"offset": begin, "length": end - begin}
        case "padding":
            return {"length": end}
        case "max_data":
            return {"maximum": end}
        case "max_stream_data":
            return {"stream_id": row["id"], "maximum": end}
        case "max_streams":
            return {"stream_type": "bidirectional", "maximum": end}
        case "streams_blocked":
            return {"stream_type": "bidirectional", "limit": end}
        case "data_blocked":
            return {"limit": end}
        case "stream_data_blocked":
            return {"stream_id": row["id"], "limit": end}
        case "unknown":
            return {"raw_frame_type": row["id"]}
    return {}
