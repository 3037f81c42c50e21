"""`longfat emulate`: programs of this machine over the network of a scenario, in real time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.base.errors import CheckFailed, RunFailed
from longfat.base.extras import need
from longfat.base.files import written_whole
from longfat.base.systems import need_linux
from longfat.cli.options import json_option, overrides_of, seed_option, settings_option
from longfat.cli.real_time import (
    core_option,
    priority_of,
    priority_option,
    span_of,
    spin_of,
    spin_option,
)
from longfat.cli.sources import check_source
from longfat.cli.talk import print_table, say
from longfat.cli.watching import (
    check_capture,
    check_no_input,
    pcap_option,
    say_what_is_left,
    trace_names,
    trace_option,
    trace_what_option,
)
from longfat.records.emulated import connection_rows, lateness_text
from longfat.records.tables import record_json

if TYPE_CHECKING:
    from longfat.emulation.run import Show
    from longfat.records.record import Record
    from longfat.scenarios.scenario import Scenario


@click.command("emulate", context_settings={"ignore_unknown_options": False})
@click.argument("scenario")
@click.argument("program", nargs=-1, required=True, metavar="-- COMMAND...")
@click.option(
    "--server",
    metavar="COMMAND",
    help="Run this at the other end before COMMAND, and wait until it takes connections.",
)
@click.option(
    "--host",
    "others",
    multiple=True,
    metavar="NAME=COMMAND",
    help="Run this on a host that the scenario names; may be repeated.",
)
@click.option(
    "--download",
    is_flag=True,
    help="COMMAND runs at the end that receives the data, as a browser does.",
)
@click.option(
    "--duration", metavar="SPAN", help="End after SPAN at the latest.  [default: the scenario's]"
)
@settings_option
@seed_option
@click.option(
    "--late",
    default="1 ms",
    show_default=True,
    metavar="SPAN",
    help="Bound of the lateness that 99 of 100 packets must keep.",
)
@click.option("--strict", is_flag=True, help="Fail with exit code 3 if they do not keep it.")
@priority_option
@core_option
@spin_option
@trace_option
@trace_what_option
@pcap_option("Write the packets at the programs' interfaces into FILE, as pcapng.")
@click.option(
    "--record",
    "record_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the record into FILE, as JSON, for longfat compare-real.",
)
@click.option(
    "--live/--no-live", default=None, help="Show rates and queues.  [default: on a terminal]"
)
@click.option(
    "--view", is_flag=True, help="Show rates, queue and lateness in the browser meanwhile."
)
@json_option
def command(
    scenario: str,
    program: Sequence[str],
    server: str | None,
    others: Sequence[str],
    download: bool,
    duration: str | None,
    settings: Sequence[str],
    seed: int | None,
    late: str,
    strict: bool,
    priority: str,
    core: int | None,
    spin: str,
    traces: Path | None,
    names: str | None,
    pcap: Path | None,
    record_file: Path | None,
    live: bool | None,
    view: bool,
    as_json: bool,
) -> None:
    """Run COMMAND over the network of a scenario, in real time.

    COMMAND and the other programs are in network namespaces of their own, whose only way out is
    the scenario's network: they reach each other as `client` and `server`, and nothing else. The
    ends of the first connection are programs, or those of groups with stack "outside"; all other
    connections are simulated beside them. Needs Linux, and root or user namespaces.

    Example: longfat emulate geo.toml --server 'iperf3 -s -1' -- iperf3 -c server -t 20

    Exit code 1 if COMMAND fails, 3 with --strict if packets were late.
    """
    need_linux("longfat emulate")
    check_source(scenario, "scenario")
    from longfat.cli.live import shown_live
    from longfat.emulation.run import Programs, emulate
    from longfat.emulation.timing import Timing
    from longfat.running.execution import Watch
    from longfat.scenarios.scenario import load_scenario

    overrides = overrides_of([*settings, *([f"duration={duration}"] if duration else [])], seed)
    loaded = load_scenario(scenario, overrides)
    if names is not None and traces is None:
        raise click.UsageError("--trace-what goes with --trace DIR")
    check_capture(pcap, scenario, traces)
    timing = Timing(priority_of(priority), core, spin_of(spin))
    watch = Watch(traces, trace_names(names), pcap=pcap)
    with _kept(record_file, scenario) as keep:
        with shown_live(loaded, live) as line, _viewed(loaded, view) as page:
            record = emulate(
                loaded,
                Programs(program, server, _commands(others), download),
                timing=timing,
                bound_ps=span_of(late, "--late", 1),
                watch=watch,
                show=_both(line, page),
                keep_stdout=as_json,
            )
        keep(record_json(record))
    if as_json:
        click.echo(record_json(record), nl=False)
    else:
        _print(record)
    say_what_is_left(watch)
    _judge(record, strict)


@contextmanager
def _viewed(scenario: "Scenario", wanted: bool) -> Iterator["Show | None"]:
    """Yield what shows states in the browser, or None if nobody wants that."""
    if not wanted:
        yield None
        return
    need("ui", "longfat emulate --view")
    from longfat.web.live import LiveRun, shown_in_browser

    run = LiveRun(scenario)
    with shown_in_browser(run, say):
        yield run.add


def _both(first: "Show | None", second: "Show | None") -> "Show | None":
    if first is None or second is None:
        return first or second

    def show(state: dict[str, Any]) -> None:
        first(state)
        second(state)

    return show


@contextmanager
def _kept(file: Path | None, scenario: str) -> Iterator[Callable[[str], object]]:
    """Yield what writes the record's text; a file that cannot be written is told before the run."""
    if file is None:
        yield lambda _: None
        return
    check_no_input(file, scenario, "--record")
    with written_whole(file) as temporary:
        yield temporary.write_text


def _print(record: "Record") -> None:
    from longfat.records.screen import screen_tables, summary

    for header, rows, *_ in screen_tables(record):
        print_table(header, rows, close=True)
    header, rows = connection_rows(record)
    if rows:
        print_table(header, rows, close=True)
    say(summary(record))
    for line in lateness_text(record):
        say(line)


def _judge(record: "Record", strict: bool) -> None:
    """Raise what the exit code says: a command that failed, or packets that were late."""
    account = record["emulation"]
    if strict and not account["lateness"]["is_on_time"]:
        raise CheckFailed("--strict: more than 1 of 100 packets was later than the bound")
    failed = [
        host
        for host in account["hosts"]
        if "client" in host["names"] and host["exit_code"] not in (0, None)
    ]
    if failed and account["ended_by"] == "command":
        raise RunFailed(f"the command ended with exit code {failed[0]['exit_code']}")


def _commands(said: Sequence[str]) -> dict[str, str]:
    commands: dict[str, str] = {}
    for text in said:
        name, equals, command = text.partition("=")
        if not equals or not name.strip() or not command.strip():
            raise click.BadParameter(
                f"{text!r}: expected NAME=COMMAND, such as 'host-a=iperf3 -s'", param_hint="--host"
            )
        if name.strip() in commands:
            raise click.BadParameter(f"{name.strip()} has two commands", param_hint="--host")
        commands[name.strip()] = command.strip()
    return commands
