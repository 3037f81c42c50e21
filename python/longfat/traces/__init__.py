"""Reader of the traces that `longfat run --trace` writes into a folder."""

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat.base.errors import LongfatError
from longfat.base.extras import need
from longfat.base.files import check_regular, read_text
from longfat.base.units import PICOSECONDS_PER_SECOND
from longfat.records.record import Record
from longfat.scenarios.resolved import network_of

_LEGS = "leg over the bottleneck", "leg to the first proxy", "leg from the second proxy"
"""Legs of split connections, in the order in which flows are numbered."""

if TYPE_CHECKING:
    import polars

MOST_TRACE_BYTES = 2**34
"""Largest file of a trace that is read."""

DESCRIPTION = "traces.json"

MOST_ROWS = 10_000_000
"""Rows of a trace that are read into memory: a gigabyte at most."""

MOST_ROWS_DRAWN = 500_000
"""Rows of a trace that are drawn: far more than can be told apart."""

_ROWS_AT_ONCE = 500_000
"""Rows that are in memory at a time while more are thinned."""


@dataclass(frozen=True)
class Traces:
    """Traces of one run; `description` is the content of `traces.json`."""

    folder: Path
    description: Mapping[str, Any]

    @property
    def record(self) -> Record:
        """The record of the run."""
        return Record(self.description["run"])

    @property
    def settings(self) -> Mapping[str, Any]:
        """The resolved scenario."""
        settings: Mapping[str, Any] = self.record["scenario"]
        return settings

    @property
    def seconds(self) -> float:
        """The length of the run in simulated seconds."""
        duration: int = self.settings["duration_ps"]
        return duration / PICOSECONDS_PER_SECOND

    @cached_property
    def network(self) -> Mapping[str, Any]:
        """Network of the run: `connections` per sender, and the managed `ports`."""
        return network_of(self.settings)

    @property
    def senders(self) -> int:
        """Number of senders."""
        return len(self.network["connections"])

    @property
    def flows(self) -> int:
        """Number of flows that carry data; flows numbered beyond carry requests of receivers.

        A sender whose flows each use a connection of their own has several.
        """
        return self._last_flows[-1]

    def beside_data(self, flow: int) -> tuple[str, int]:
        """Return the content of a flow numbered beyond `flows`, and the flow that it belongs to.

        If proxies split connections, numbers up to `flows` are the legs over the bottleneck.
        """
        block, place = divmod(flow - 1, self.flows)
        if "proxies" not in self.settings:
            return "requests", place + 1
        what = _LEGS[block % len(_LEGS)]
        return what if block < len(_LEGS) else f"requests, {what}", place + 1

    @cached_property
    def _last_flows(self) -> list[int]:
        """Number of the last flow of each sender: flows are numbered sender by sender."""
        return list(accumulate(self.network["connections"]))

    @property
    def flavors(self) -> list[str]:
        """Congestion control of each sender, by name."""
        return [flow["flavor"] for flow in self.record["flows"]]

    def flavor_of(self, flow: int) -> str:
        """Return the congestion control of the sender whose data a flow carries."""
        return self.flavors[bisect_left(self._last_flows, flow)]

    def stack_of(self, flow: int) -> str:
        """Return the name of the stack of a flow; "tcp" for the TCP of the engine."""
        sender = bisect_left(self._last_flows, flow)
        groups = self.settings.get("connections", [])
        ends = accumulate(group["count"] for group in groups)
        own = (group for group, end in zip(groups, ends, strict=True) if sender < end)
        of_all = self.settings.get("stack", "tcp")
        stack = next((group.get("stack", of_all) for group in own), of_all)
        return str(stack if isinstance(stack, str) else stack["kind"])

    @property
    def bottleneck(self) -> Mapping[str, Any]:
        """Managed port at the bottleneck, to which results of the whole network refer.

        It has the name, the line rate, the longest round trip without queueing, and the buffer.
        """
        port: Mapping[str, Any]
        (port,) = (port for port in self.network["ports"] if port["is_bottleneck"])
        return port

    @cached_property
    def names(self) -> list[str]:
        """Names of the traces in the folder."""
        return [trace["name"] for trace in self.description["traces"]]

    def table(self, name: str) -> "polars.DataFrame":
        """Return a trace as a data frame, with `time_s`, which is `time_ps` in seconds.

        Every interval of `throughput` has a row for each flow, also for those that deliver nothing.
        Raises `LongfatError` for a trace that the run has not recorded, for a file that cannot
        be read or does not match its description, and for more than `MOST_ROWS` rows.
        """
        self._check_size(name, self.rows(name))
        return self._read(name, 0, MOST_ROWS)

    def thinned(self, name: str) -> "polars.DataFrame":
        """Return a trace to be drawn, as `table` does, with about `MOST_ROWS_DRAWN` rows at most.

        Of values, extremes are kept; of other events, each n-th. Counts in intervals are all there.
        Raises as `table` does.
        """
        import polars

        rows = self.rows(name)
        if rows <= MOST_ROWS_DRAWN or self._description_of(name)["rows_are"] == "intervals":
            return self.table(name)
        parts = []
        for first in range(0, rows, _ROWS_AT_ONCE):
            part = self._read(name, first, _ROWS_AT_ONCE)
            parts.append(self._thinned_part(name, part, -(-rows // MOST_ROWS_DRAWN)))
        frame = polars.concat(parts)
        # Many flows with few changes each have hardly any between their extremes.
        is_thin = frame.height <= 2 * MOST_ROWS_DRAWN
        return frame if is_thin else frame.gather_every(-(-frame.height // MOST_ROWS_DRAWN))

    def rows(self, name: str) -> int:
        """Return the number of rows in the file of a trace. Raises as `table` does."""
        need("analysis", "reading traces", "polars")
        import polars

        self.check_names([name])
        file = self.folder / f"{name}.parquet"
        check_regular(file, MOST_TRACE_BYTES)
        try:
            rows: int = polars.scan_parquet(file).select(polars.len()).collect().item()
        except (OSError, polars.exceptions.PolarsError) as error:
            raise LongfatError(f"{file}: no Parquet file that can be read: {error}") from error
        return rows

    def _check_size(self, name: str, rows: int) -> None:
        """Raise `LongfatError` for more rows than are read into memory."""
        if rows > MOST_ROWS:
            raise LongfatError(
                f"{self.folder}: the trace {name!r} has {rows:,} rows, and at most {MOST_ROWS:,} "
                "are read into memory; shorten the run, or record fewer with --trace-error or "
                "--trace-interval"
            )

    def _thinned_part(self, name: str, frame: "polars.DataFrame", every: int) -> "polars.DataFrame":
        """Return one row of `every`: of values, extremes of each series of consecutive rows."""
        import polars

        described = self._description_of(name)
        columns = [column for column in described["columns"] if column["name"] != "time_ps"]
        is_measured = any(column["holds"] == "numbers" for column in columns)
        if described["rows_are"] != "changes" and not is_measured:
            return frame.gather_every(every)
        keys = [
            column["name"]
            for column in columns
            if column["holds"] == "words" or column["name"] == "flow"
        ]
        value = polars.col(next(column["name"] for column in columns if column["name"] not in keys))
        row = polars.col("row")
        # Equal words in all rows cost time as a key, and divide nothing.
        keys = [key for key in keys if (frame[key] != frame[key][0]).any()]
        place = polars.int_range(polars.len())
        portion = (place.over(keys) if keys else place) // (4 * every)
        kept = (
            frame.with_row_index("row")
            .group_by([*keys, portion.alias("portion")], maintain_order=True)
            .agg(
                row.first().alias("first"),
                row.get(value.arg_min()).alias("least"),
                row.get(value.arg_max()).alias("largest"),
                row.last().alias("last"),
            )
        )
        places = polars.concat([kept[column] for column in ("first", "least", "largest", "last")])
        return frame[places.unique().sort()]

    def _read(self, name: str, first: int, rows: int) -> "polars.DataFrame":
        """Return rows of a trace from the `first` one on, counted from 0."""
        import polars

        file = self.folder / f"{name}.parquet"
        try:
            frame = polars.scan_parquet(file).slice(first, rows).collect()
        except (OSError, polars.exceptions.PolarsError) as error:
            raise LongfatError(f"{file}: no Parquet file that can be read: {error}") from error
        if name == "capacity" and "bits" not in frame.columns:
            raise LongfatError(
                f"{file}: an earlier longfat counted no bits there; to have them, run it again:\n"
                f"  longfat run SCENARIO --trace {self.folder}"
            )
        self._check_columns(name, file, frame.columns)
        if name == "throughput":
            frame = self._with_idle_flows(frame)
        seconds = polars.col("time_ps") / PICOSECONDS_PER_SECOND
        return frame.with_columns(seconds.alias("time_s"))

    def check_names(self, wanted: Sequence[str]) -> None:
        """Raise `LongfatError` unless the run has recorded all of these traces."""
        missing = [name for name in wanted if name not in self.names]
        if missing:
            raise LongfatError(
                f"{self.folder} has no trace {', '.join(map(repr, missing))}, only "
                f"{', '.join(self.names)}; to get {'it' if len(missing) == 1 else 'them'}:\n"
                f"  longfat run SCENARIO --trace {self.folder} --trace-what "
                f"{','.join([*self.names, *missing])}"
            )

    def table_of_bottleneck(self, name: str) -> "polars.DataFrame":
        """Return the bottleneck's rows of a trace of ports. Raises as `table` does."""
        return self.at_bottleneck(self.table(name))

    def at_bottleneck(self, frame: "polars.DataFrame") -> "polars.DataFrame":
        """Return the bottleneck's rows of a frame with the column `port`."""
        return frame.filter(frame["port"].cast(str) == self.bottleneck["name"])

    def _description_of(self, name: str) -> Mapping[str, Any]:
        trace: Mapping[str, Any]
        (trace,) = (trace for trace in self.description["traces"] if trace["name"] == name)
        return trace

    def _check_columns(self, name: str, file: Path, columns: Sequence[str]) -> None:
        """Raise `LongfatError` for a file without the columns that its description lists."""
        promised = [column["name"] for column in self._description_of(name).get("columns", ())]
        missing = [column for column in promised if column not in columns]
        if missing:
            raise LongfatError(
                f"{file}: not the trace {name!r} that {DESCRIPTION} describes: it has "
                f"{', '.join(columns)}, and no {', '.join(missing)}; to have it, run it again:\n"
                f"  longfat run SCENARIO --trace {self.folder}"
            )

    def _with_idle_flows(self, frame: "polars.DataFrame") -> "polars.DataFrame":
        """Return throughputs with the omitted rows of flows that delivered 0 bytes."""
        import polars

        if "flows" not in self.description:
            return frame  # written by a version that omitted no rows
        end, interval = self.settings["duration_ps"], self.description["interval_ps"]
        self._check_size("throughput", -(-end // interval) * self.description["flows"])
        begins = polars.int_range(0, end, interval, dtype=polars.Int64, eager=True)
        flows = polars.int_range(1, self.description["flows"] + 1, dtype=polars.Int64, eager=True)
        every = begins.alias("time_ps").to_frame().join(flows.alias("flow").to_frame(), how="cross")
        lasts = polars.min_horizontal(polars.lit(interval), end - polars.col("time_ps"))
        delivered = frame.select("time_ps", "flow", "bytes")
        return every.join(
            delivered, on=["time_ps", "flow"], how="left", maintain_order="left"
        ).select("time_ps", lasts.alias("interval_ps"), "flow", polars.col("bytes").fill_null(0))


def load_traces(folder: str | Path) -> Traces:
    """Open the traces in a folder.

    Raises `LongfatError` for a folder without traces, an invalid description, or one of a newer
    version.
    """
    path = Path(folder)
    file = path / DESCRIPTION
    if not file.exists():
        again = f"SCENARIO --trace {path}"
        if path.is_file():
            # A store keeps no traces: a stored run can be repeated with them.
            is_scenario = path.suffix in (".toml", ".json")
            again = f"{path if is_scenario else f'--from {path} RUN'} --trace traces"
        raise LongfatError(
            f"{path} is no folder of traces: it has no {DESCRIPTION}; a run leaves them:\n"
            f"  longfat run {again}"
        )
    try:
        description = json.loads(read_text(file))
        is_newer = description["schema_version"] != 1
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise LongfatError(f"{file}: does not describe traces") from error
    if is_newer:
        raise LongfatError(f"{file}: written by a newer longfat than this one")
    traces = Traces(path, description)
    try:
        _ = traces.names, traces.seconds, traces.network
    except (KeyError, TypeError, LongfatError) as error:
        raise LongfatError(f"{file}: does not describe traces") from error
    return traces
