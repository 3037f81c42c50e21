"""A run as the JSON of `iperf3 --json`: the client's report of a test from senders to receivers.

Names and units are those of iperf3 (`iperf_print_intermediate` and `iperf_print_results` in
iperf_api.c of version 3.16): times in seconds, round trips in microseconds. Bytes of an interval
are those that receivers delivered in order.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from longfat import _engine
from longfat.base.units import PICOSECONDS_PER_SECOND
from longfat.traces.samples import Sample, samples_of

if TYPE_CHECKING:
    from longfat.traces import Traces

_MICROSECONDS = 1_000_000
_PORT = 5201


def iperf3_document(
    traces: "Traces", flows: Sequence[int], interval_s: float = 1.0
) -> dict[str, Any]:
    """Return the report of some of the flows that carry data, one stream each.

    Raises as `longfat.traces.samples.samples_of` does.
    """
    samples = dict(zip(flows, samples_of(traces, interval_s, flows), strict=True))
    intervals = zip(*samples.values(), strict=True)
    return {
        "start": _start(traces, flows),
        "intervals": [
            {
                "streams": [
                    _stream(flow, sample) for flow, sample in zip(flows, together, strict=True)
                ],
                "sum": _sum(together),
            }
            for together in intervals
        ],
        "end": _end(traces, samples),
    }


def _start(traces: "Traces", flows: Sequence[int]) -> dict[str, Any]:
    settings = traces.settings
    return {
        "connected": [
            {
                "socket": flow,
                "local_host": f"source {flow}",
                "local_port": _PORT + flow,
                "remote_host": f"destination {flow}",
                "remote_port": _PORT,
            }
            for flow in flows
        ],
        "version": "iperf 3.16",
        "system_info": f"longfat {_engine.ENGINE_VERSION}",
        "timestamp": {"time": "Thu, 01 Jan 1970 00:00:00 GMT", "timesecs": 0},
        "connecting_to": {"host": "destination", "port": _PORT},
        "cookie": traces.record["run_id"][:36],
        "tcp_mss_default": settings["tcp"]["mss_bytes"],
        "test_start": {
            "protocol": "TCP",
            "num_streams": len(flows),
            "blksize": 131_072,
            "omit": 0,
            "duration": settings["duration_ps"] / PICOSECONDS_PER_SECOND,
            "bytes": 0,
            "blocks": 0,
            "reverse": 0,
            "tos": 0,
            "target_bitrate": 0,
            "bidir": 0,
        },
        "extra_data": f"simulated: run {traces.record['run_id']}; bytes are those delivered",
    }


def _figures(start_s: float, end_s: float, delivered_bytes: int) -> dict[str, Any]:
    return {
        "start": start_s,
        "end": end_s,
        "seconds": end_s - start_s,
        "bytes": delivered_bytes,
        "bits_per_second": 8 * delivered_bytes / (end_s - start_s),
    }


def _stream(flow: int, sample: Sample) -> dict[str, Any]:
    return {
        "socket": flow,
        **_figures(sample.start_s, sample.end_s, sample.delivered_bytes),
        "retransmits": sample.sent_again,
        "snd_cwnd": round(sample.cwnd_bytes or 0),
        "rtt": round((sample.round_trip_s or 0) * _MICROSECONDS),
        "omitted": False,
        "sender": True,
    }


def _sum(together: Sequence[Sample]) -> dict[str, Any]:
    first = together[0]
    delivered = sum(sample.delivered_bytes for sample in together)
    return {
        **_figures(first.start_s, first.end_s, delivered),
        "retransmits": sum(sample.sent_again for sample in together),
        "omitted": False,
        "sender": True,
    }


def _end(traces: "Traces", samples: dict[int, list[Sample]]) -> dict[str, Any]:
    streams = [_stream_at_end(flow, own) for flow, own in samples.items()]
    receivers = [stream["receiver"]["bytes"] for stream in streams]
    again = sum(stream["sender"]["retransmits"] for stream in streams)
    received = _figures(0.0, traces.seconds, sum(receivers))
    controls = dict.fromkeys(traces.flavor_of(flow) for flow in samples)
    return {
        "streams": streams,
        "sum_sent": {**received, "retransmits": again, "sender": True},
        "sum_received": {**received, "sender": True},
        "sender_tcp_congestion": ",".join(controls),
    }


def _stream_at_end(flow: int, own: Sequence[Sample]) -> dict[str, Any]:
    delivered = sum(sample.delivered_bytes for sample in own)
    whole = {"socket": flow, **_figures(0.0, own[-1].end_s, delivered), "sender": True}
    trips = [sample.round_trip_s for sample in own if sample.round_trip_s is not None] or [0.0]
    trips_us = [round(trip * _MICROSECONDS) for trip in trips]
    return {
        "sender": {
            **whole,
            "retransmits": sum(sample.sent_again for sample in own),
            "max_snd_cwnd": round(max(sample.cwnd_bytes or 0 for sample in own)),
            "max_rtt": max(trips_us),
            "min_rtt": min(trips_us),
            "mean_rtt": round(sum(trips_us) / len(trips_us)),
        },
        "receiver": whole,
    }
