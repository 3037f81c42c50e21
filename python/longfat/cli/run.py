"""`longfat run`: one simulation, its record as tables or as JSON."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from longfat.base.errors import CheckFailed, Interrupted, InvalidInput, RunFailed
from longfat.base.location import shown
from longfat.cli.options import (
    Number,
    control_option,
    json_option,
    limit_option,
    overrides_of,
    seed_option,
    settings_option,
)
from longfat.cli.talk import print_json, print_table, say
from longfat.records.tables import record_summary, record_tables, where_traces_are

if TYPE_CHECKING:
    from longfat.records.record import Record
    from longfat.running.execution import Driver, Watch
    from longfat.scenarios.scenario import Scenario


@click.command("run")
@click.argument("scenario", required=False)
@settings_option
@control_option
@click.option(
    "--trace",
    "traces",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write what happens over time into DIR, as Parquet.",
)
@click.option(
    "--trace-what",
    "names",
    metavar="NAME[,NAME]",
    help="Only these traces; --trace-list names them.  [default: all]",
)
@click.option(
    "--trace-error",
    "error",
    type=Number(min=0, max=1),
    metavar="SHARE",
    help="How far a traced value may be from the truth, as a share of the most that can be "
    "under way or in the buffer; 0 keeps every change.  [default: 0.005]",
)
@click.option(
    "--trace-interval",
    "interval",
    metavar="SPAN",
    help="Count cells and bytes in intervals of SPAN, such as '10 ms'.  "
    "[default: a thousandth of the run]",
)
@click.option("--trace-list", "list_traces", is_flag=True, help="List the traces.")
@click.option(
    "--pcap",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the packets at the sources into FILE, as pcapng for Wireshark.",
)
@seed_option
@click.option(
    "--driver",
    type=click.Choice(["fast", "events"]),
    help="How time is advanced; fast where it can be unless said otherwise. Results are the same.",
)
@click.option(
    "--from",
    "store",
    metavar="STORE",
    help="Repeat a run of this store: SCENARIO is its run id, or enough of its beginning.",
)
@click.option(
    "--scenario", "only_scenario", is_flag=True, help="Only print the scenario, as canonical JSON."
)
@limit_option
@json_option
def command(
    scenario: str | None,
    settings: Sequence[str],
    traces: Path | None,
    names: str | None,
    error: float | None,
    interval: str | None,
    list_traces: bool,
    pcap: Path | None,
    seed: int | None,
    driver: "Driver | None",
    limits: Sequence[str],
    store: str | None,
    only_scenario: bool,
    as_json: bool,
) -> None:
    """Run one simulation, or one of a store again.

    Example: longfat run lan.toml --set topology.sources=15 --seed 7 --json

    Example: longfat run --from longfat.db 3f2a91 --trace traces

    With --from, exit code 3 when it does not come out as it is stored.
    """
    if list_traces:
        _list_traces()
        return
    if scenario is None:
        raise click.UsageError("Missing argument 'SCENARIO'.")
    watch = _watch(traces, names, error, interval, pcap)
    _check_capture(pcap, scenario, traces)
    if store is not None:
        if settings or seed is not None:
            raise click.UsageError(
                "--from repeats a run as it is stored; to change it, print it with --scenario "
                "into a file"
            )
        _repeat(store, scenario, limits, watch, driver, only_scenario, as_json)
        if not only_scenario:
            _say_what_is_left(traces, watch, pcap)
        return
    from longfat.scenarios.scenario import load_scenario

    loaded = load_scenario(scenario, overrides_of(settings, seed))
    if only_scenario:
        click.echo(loaded.resolved)
        return
    _show(_simulate(loaded, limits, watch, driver), as_json)
    _say_what_is_left(traces, watch, pcap)


def _say_what_is_left(traces: Path | None, watch: "Watch | None", pcap: Path | None) -> None:
    if traces is not None:
        chosen = watch.names[:1] if watch is not None else ()
        say(where_traces_are(str(traces), *chosen))
    if pcap is not None:
        say(f"packets are in {pcap}")


def _simulate(
    scenario: "Scenario", limits: Sequence[str], watch: "Watch | None", driver: "Driver | None"
) -> "Record":
    from longfat.cli.progress import shown_progress
    from longfat.running.limits import Limits
    from longfat.running.run import run

    allowed = Limits.of_machine().changed(limits)
    try:
        with shown_progress() as show:
            return run(scenario, limits=allowed, watch=watch, show=show, driver=driver)
    except Interrupted:
        say("stopped; a single run stores no partial result")
        raise


def _repeat(
    location: str,
    beginning: str,
    limits: Sequence[str],
    watch: "Watch | None",
    driver: "Driver | None",
    only_scenario: bool,
    as_json: bool,
) -> None:
    """Repeat a stored run and say whether it came out the same."""
    from longfat.cli.progress import shown_progress
    from longfat.running.limits import Limits
    from longfat.running.repeat import repeat
    from longfat.store import Store

    with Store.readable(location) as opened:
        stored = opened.find(beginning)
    if only_scenario:
        click.echo(stored.scenario.resolved)
        return
    allowed = Limits.of_machine().changed(limits)
    with shown_progress() as show:
        (repetition,) = repeat([stored], 1, show, allowed, watch, driver)
    if repetition.record is not None:
        _show(repetition.record, as_json)
    if repetition.differences:
        lines = [
            f"run {stored.run_id} of {shown(location)} came out differently",
            *repetition.differences,
        ]
        raise CheckFailed("\n".join(lines))
    say(f"as stored in {shown(location)}: run {stored.run_id}, engine {stored.engine}")
    if repetition.failure is not None:
        raise RunFailed(repetition.failure)


def _show(record: "Record", as_json: bool) -> None:
    if as_json:
        print_json(record)
    else:
        _print_record(record)


def _watch(
    traces: Path | None,
    names: str | None,
    error: float | None,
    interval: str | None,
    pcap: Path | None,
) -> "Watch | None":
    from longfat.running.execution import Watch

    if names is not None and not names.strip(" ,"):
        raise click.BadParameter(
            "no trace is named; --trace-list names them", param_hint="--trace-what"
        )
    given = {"--trace-what": names, "--trace-error": error, "--trace-interval": interval}
    if traces is None:
        said = [option for option, value in given.items() if value is not None]
        if said:
            raise click.UsageError(f"{said[0]} goes with --trace DIR")
        return None if pcap is None else Watch(pcap=pcap)
    return Watch(
        traces=traces,
        names=tuple(name.strip() for name in names.split(",")) if names else (),
        error=error,
        interval_ps=None if interval is None else _picoseconds(interval),
        pcap=pcap,
    )


def _check_capture(pcap: Path | None, scenario: str, traces: Path | None) -> None:
    """Raise `click.BadParameter` for a capture in the place of what the run reads or leaves."""
    if pcap is None:
        return
    if pcap.is_file() and Path(scenario).is_file() and pcap.samefile(scenario):
        raise click.BadParameter("this is the scenario, not a place to write", param_hint="--pcap")
    if traces is not None and pcap.resolve().parent == traces.resolve():
        raise click.BadParameter(
            "a folder of traces holds nothing else; write beside it", param_hint="--pcap"
        )


_SHORTEST_INTERVAL_PS = 1_000_000
"""A run of a minute has sixty million of them, which is more than any picture shows."""


def _picoseconds(text: str) -> int:
    from longfat import _engine

    try:
        span = _engine.parse_time(text)
    except InvalidInput as error:
        raise click.BadParameter(str(error), param_hint="--trace-interval") from None
    if span < _SHORTEST_INTERVAL_PS:
        raise click.BadParameter("must be 1 us at least", param_hint="--trace-interval")
    return span


def _list_traces() -> None:
    from longfat import _engine

    kinds = json.loads(_engine.traces())
    rows = [
        [kind["name"], kind["doc"], ", ".join(column["name"] for column in kind["columns"])]
        for kind in kinds
    ]
    print_table(["trace", "shows", "columns"], rows)


def _print_record(record: "Record") -> None:
    for header, rows, title, remark in record_tables(record):
        print_table(header, rows, title)
        if remark is not None:
            say(remark)
    say(record_summary(record))
