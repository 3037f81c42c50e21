"""`longfat run`: one simulation, its record as tables or as JSON."""

import json
from collections.abc import Callable, Sequence
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
from longfat.cli.sources import SourceType, check_source
from longfat.cli.talk import print_table, say
from longfat.cli.watching import (
    check_capture,
    pcap_option,
    say_what_is_left,
    trace_names,
    trace_option,
    trace_what_option,
)
from longfat.records.screen import screen_tables, summary
from longfat.records.tables import record_json, record_summary, record_tables

if TYPE_CHECKING:
    from longfat.records.record import Record
    from longfat.running.execution import Driver, Watch
    from longfat.scenarios.scenario import Scenario


@click.command("run")
@click.argument("scenario", required=False)
@settings_option
@control_option
@trace_option
@trace_what_option
@click.option(
    "--trace-error",
    "error",
    type=Number(min=0, max=1),
    metavar="SHARE",
    help="Tolerance of a traced value, as a share of the most that can be in flight or in the "
    "buffer; 0 keeps every change.  [default: 0.005]",
)
@click.option(
    "--trace-interval",
    "interval",
    metavar="SPAN",
    help="Count cells and bytes in intervals of SPAN, such as '10 ms'.  "
    "[default: a thousandth of the run]",
)
@click.option("--trace-list", "list_traces", is_flag=True, help="List the traces.")
@pcap_option("Write the packets at the sources into FILE, as pcapng for Wireshark.")
@seed_option
@click.option(
    "--driver",
    type=click.Choice(["fast", "events"]),
    help="The driver; by default fast where it is exact. Results are identical.",
)
@click.option(
    "--from",
    "store",
    type=SourceType("store"),
    metavar="STORE",
    help="Repeat a run of this store: SCENARIO is its id, or a unique prefix of it.",
)
@click.option(
    "--scenario", "only_scenario", is_flag=True, help="Only print the scenario, as canonical JSON."
)
@limit_option
@click.option(
    "--flows",
    "in_full",
    is_flag=True,
    help="Print each flow, every metric, port and cause, in place of one screen.",
)
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
    in_full: bool,
    as_json: bool,
) -> None:
    """Run one simulation, or repeat one of a store.

    Prints one screen: the metrics that fit the traffic, where the capacity went, and each of up to
    ten flows; of more flows, quantiles of each group of `connections`.

    Example: longfat run lan.toml --set topology.sources=15 --seed 7 --json

    Example: longfat run --from longfat.db 3f2a91 --trace traces

    With --from, exit code 3 if the result differs from the stored one.
    """
    if list_traces:
        _list_traces()
        return
    if scenario is None:
        raise click.UsageError("Missing argument 'SCENARIO'.")
    show = _print_json if as_json else _print_in_full if in_full else _print_record
    watch = _watch(traces, names, error, interval, pcap)
    check_capture(pcap, scenario, traces)
    if store is not None:
        if settings or seed is not None:
            raise click.UsageError(
                "--from repeats a run as it is stored; to change it, print it with --scenario "
                "into a file"
            )
        _repeat(store, scenario, limits, watch, driver, only_scenario, show)
        if not only_scenario:
            say_what_is_left(watch)
        return
    check_source(scenario, "scenario")
    from longfat.scenarios.scenario import load_scenario

    loaded = load_scenario(scenario, overrides_of(settings, seed))
    if only_scenario:
        click.echo(loaded.resolved)
        return
    show(_simulate(loaded, limits, watch, driver))
    say_what_is_left(watch)


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
    show: "Callable[[Record], None]",
) -> None:
    """Repeat a stored run and compare it with the store."""
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
    with shown_progress() as progress:
        (repetition,) = repeat([stored], 1, progress, allowed, watch, driver)
    if repetition.record is not None:
        show(repetition.record)
    if repetition.differences:
        lines = [
            f"run {stored.run_id} of {shown(location)} differs from its repetition",
            *repetition.differences,
        ]
        raise CheckFailed("\n".join(lines))
    say(f"as stored in {shown(location)}: run {stored.run_id}, engine {stored.engine}")
    if repetition.failure is not None:
        raise RunFailed(repetition.failure)


def _watch(
    traces: Path | None,
    names: str | None,
    error: float | None,
    interval: str | None,
    pcap: Path | None,
) -> "Watch | None":
    from longfat.running.execution import Watch

    chosen = trace_names(names)
    given = {"--trace-what": names, "--trace-error": error, "--trace-interval": interval}
    if traces is None:
        said = [option for option, value in given.items() if value is not None]
        if said:
            raise click.UsageError(f"{said[0]} goes with --trace DIR")
        return None if pcap is None else Watch(pcap=pcap)
    return Watch(
        traces=traces,
        names=chosen,
        error=error,
        interval_ps=None if interval is None else _picoseconds(interval),
        pcap=pcap,
    )


_SHORTEST_INTERVAL_PS = 1_000_000
"""Shortest interval: a minute has sixty million of them, more than any picture shows."""


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


def _print_json(record: "Record") -> None:
    click.echo(record_json(record), nl=False)


def _print_record(record: "Record") -> None:
    """Print the record on one screen."""
    for header, rows, *_ in screen_tables(record):
        print_table(header, rows, close=True)
    say(summary(record))


def _print_in_full(record: "Record") -> None:
    for header, rows, title, remark in record_tables(record):
        print_table(header, rows, title)
        if remark is not None:
            say(remark)
    say(record_summary(record))
