"""`longfat schedule`: schedules of a path from measurements, and Mahimahi traces from schedules."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from longfat.cli.options import Number
from longfat.cli.talk import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from longfat.schedules.pings import Direction, Ping


@click.group("schedule")
def command() -> None:
    """Convert measurements into schedules of a path: CSV for `path.steps`, on stdout."""


@command.command("from-mahimahi")
@click.argument("trace", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--window-ms",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Length of the window of a mean rate, in milliseconds.",
)
@click.option(
    "--duration-s",
    type=click.IntRange(min=1),
    help="Repeat the trace until then; by default it is used once.",
)
def from_mahimahi(trace: Path, window_ms: int, duration_s: int | None) -> None:
    """Print the rates of TRACE as CSV for `path.steps`.

    Example: longfat schedule from-mahimahi verizon-lte.down > lte.csv
    """
    from longfat.base.files import read_text
    from longfat.schedules.mahimahi import read_trace, schedule_of, schedule_text

    times = read_trace(read_text(trace), str(trace))
    duration_ms = None if duration_s is None else 1000 * duration_s
    click.echo(schedule_text(schedule_of(times, window_ms, duration_ms)))


@command.command("to-mahimahi")
@click.argument("schedule", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--duration-s", type=click.IntRange(min=1), required=True, help="Length of the trace."
)
def to_mahimahi(schedule: Path, duration_s: int) -> None:
    """Print the opportunities of the rates in SCHEDULE, a CSV, as a trace for `mm-link`.

    A trace has no delays and losses: use `mm-delay` and `mm-loss` for them.
    """
    from longfat.base.files import read_text
    from longfat.schedules.mahimahi import read_schedule, trace_of

    times = trace_of(read_schedule(read_text(schedule), str(schedule)), 1000 * duration_s)
    click.echo("\n".join(map(str, times)))


@command.command("from-parquet")
@click.argument("table", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def from_parquet(table: Path) -> None:
    """Print TABLE as CSV for `path.steps`.

    Reads those of the columns time_s, rate_bps, delay_s, jitter_s and loss that it has.

    Example: longfat schedule from-parquet measured.parquet > measured.csv
    """
    from longfat.schedules.parquet import read_parquet

    click.echo(read_parquet(table))


@command.command("join")
@click.argument("schedules", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def join(schedules: "Sequence[Path]") -> None:
    """Print the columns of several SCHEDULES as one: rates measured here, delays there.

    There is a step wherever one of them has one; each column holds until its own next step.

    Example: longfat schedule join rates.csv delays.csv > both.csv
    """
    from longfat.base.files import read_text
    from longfat.schedules.join import joined, read_steps, what_holds_on

    if len(schedules) < 2:
        raise click.UsageError("two schedules or more are joined")
    read = [read_steps(read_text(path), str(path)) for path in schedules]
    click.echo(joined(read))
    for note in what_holds_on(read):
        say(note)


_window_option = click.option(
    "--window-ms",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Length of the window of a median delay and a mean loss, in milliseconds.",
)

_elsewhere_option = click.option(
    "--elsewhere-ms",
    type=Number(min=0),
    default=0.0,
    show_default=True,
    metavar="MS",
    help="Part of each round trip that belongs to the scenario's other links.",
)

_jitter_option = click.option(
    "--jitter",
    "with_jitter",
    is_flag=True,
    help="Add jitter: the delay is that of the shortest round trip, the rest is jitter.",
)


@command.command("from-ping")
@click.argument("log", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--interval-ms",
    type=Number(min=0, min_open=True),
    metavar="MS",
    help="Interval of ping (-i), for a log without times.  [default: what ping reports, or 1000]",
)
@_window_option
@_elsewhere_option
@_jitter_option
def from_ping(
    log: Path, interval_ms: float | None, window_ms: int, elsewhere_ms: float, with_jitter: bool
) -> None:
    """Print the delays and losses in LOG, the output of ping, as CSV for `path.steps`.

    Example: ping -D -i 0.2 example.net > ping.log; longfat schedule from-ping ping.log > path.csv
    """
    from longfat.base.files import read_text
    from longfat.schedules.pings import read_ping

    interval_s = None if interval_ms is None else interval_ms / 1000
    pings, warning = read_ping(read_text(log), str(log), interval_s)
    if warning:
        say(warning)
    _print_schedule(pings, window_ms, elsewhere_ms, log, with_jitter=with_jitter)


@command.command("from-irtt")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_window_option
@_elsewhere_option
@_jitter_option
@click.option(
    "--direction",
    type=click.Choice(["up", "down"]),
    help="Take delays and losses of this direction only: to the server, or back.",
)
def from_irtt(
    file: Path,
    window_ms: int,
    elsewhere_ms: float,
    with_jitter: bool,
    direction: "Direction | None",
) -> None:
    """Print the delays and losses that `irtt client -o FILE` has measured as CSV for `path.steps`.

    Example: longfat schedule from-irtt starlink.json.gz --window-ms 100 > path.csv
    """
    from longfat.base.files import read_bytes
    from longfat.schedules.pings import read_irtt

    pings, warning = read_irtt(read_bytes(file), str(file), direction)
    if warning:
        say(warning)
    _print_schedule(pings, window_ms, elsewhere_ms, file, with_jitter=with_jitter)


def _print_schedule(
    pings: "Sequence[Ping]", window_ms: int, elsewhere_ms: float, source: Path, *, with_jitter: bool
) -> None:
    from longfat.schedules.pings import how_coarse, schedule_of, schedule_text

    window_s, elsewhere_s = window_ms / 1000, elsewhere_ms / 1000
    schedule = schedule_of(pings, window_s, elsewhere_s, str(source), with_jitter=with_jitter)
    click.echo(schedule_text(schedule))
    if warning := how_coarse(pings, window_s, str(source)):
        say(warning)
