"""A run as a data file of flent: rates of TCPs in Mbit/s, with their windows and round trips.

The file has version 3 of flent's format (resultset.py of flent 2.2: `metadata`, `x_values`,
`results`, `raw_values`). Series have the names of its tests of several TCPs (tcp_nup): "TCP
upload::1", and for what a sender's socket says "TCP upload::1::tcp_cwnd" and "::tcp_rtt".
"""

import gzip
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from longfat import _engine
from longfat.traces.samples import samples_of

if TYPE_CHECKING:
    from longfat.traces import Traces

VERSION = 3

_MEGABIT = 1e6
_EPOCH = "1970-01-01T00:00:00.000000Z"


def flent_document(
    traces: "Traces", flows: Sequence[int], interval_s: float = 0.2
) -> dict[str, Any]:
    """Return the data of some of the flows that carry data.

    Raises as `longfat.traces.samples.samples_of` does.
    """
    samples = samples_of(traces, interval_s, flows)
    results: dict[str, list[float | None]] = {}
    units: dict[str, dict[str, str]] = {}
    for flow, own in zip(flows, samples, strict=True):
        name = f"TCP upload::{flow}"
        results[name] = [sample.bits_per_second / _MEGABIT for sample in own]
        results[f"{name}::tcp_cwnd"] = [sample.cwnd_bytes for sample in own]
        results[f"{name}::tcp_rtt"] = [
            None if sample.round_trip_s is None else 1000 * sample.round_trip_s for sample in own
        ]
        units[name] = {"UNITS": "Mbits/s", "CONG_CONTROL": traces.flavor_of(flow)}
        units |= {f"{name}::tcp_cwnd": {"UNITS": "bytes"}, f"{name}::tcp_rtt": {"UNITS": "ms"}}
    rates = [results[f"TCP upload::{flow}"] for flow in flows]
    results["TCP upload sum"] = [
        sum(filter(None, together)) for together in zip(*rates, strict=True)
    ]
    units["TCP upload sum"] = {"UNITS": "Mbits/s"}
    run_id = traces.record["run_id"]
    return {
        "version": VERSION,
        "metadata": {
            "NAME": "tcp_nup",
            "TITLE": f"longfat run {run_id[:12]}",
            "TIME": _EPOCH,
            "T0": _EPOCH,
            "LOCAL_HOST": "senders",
            "HOST": "receivers",
            "HOSTS": ["receivers"],
            "LENGTH": traces.seconds,
            "TOTAL_LENGTH": traces.seconds,
            "STEP_SIZE": interval_s,
            "NOTE": f"simulated by longfat {_engine.ENGINE_VERSION}: run {run_id}",
            "DATA_FILENAME": f"tcp_nup-{run_id[:12]}.flent.gz",
            "TEST_PARAMETERS": {"upload_streams": str(len(flows))},
            "SERIES_META": units,
        },
        "x_values": [sample.end_s for sample in samples[0]],
        "results": results,
        "raw_values": {},
    }


def flent_bytes(document: dict[str, Any]) -> bytes:
    """Return a document as flent stores it: JSON, compressed, the same bytes for the same run."""
    return gzip.compress(json.dumps(document, sort_keys=True).encode(), mtime=0)
