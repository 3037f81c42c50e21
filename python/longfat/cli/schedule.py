"""`longfat schedule`: schedules of a path from measurements, and Mahimahi traces from schedules."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.base.suggestions import nearest
from longfat.cli.options import Number
from longfat.cli.talk import say

if TYPE_CHECKING:
    from longfat.schedules.measured import Direction, Measured

_PREFIX = "from-"

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

_OPTIONS = {
    "window_ms": click.Option(
        ["--window-ms"],
        type=click.IntRange(min=1),
        metavar="MS",
        help="Length of the window of a median delay, a mean loss or a mean rate.  "
        "[default: 1000, of Mahimahi traces 100]",
    ),
    "elsewhere_ms": click.Option(
        ["--elsewhere-ms"],
        type=Number(min=0),
        default=0.0,
        show_default=True,
        metavar="MS",
        help="Part of each round trip that belongs to the scenario's other links.",
    ),
    "jitter": click.Option(
        ["--jitter"],
        is_flag=True,
        help="Add jitter: the delay is that of the shortest round trip, the rest is jitter.",
    ),
    "interval_ms": click.Option(
        ["--interval-ms"],
        type=Number(min=0, min_open=True),
        metavar="MS",
        help="Time between two measurements, for a file without times.  [default: what it reports]",
    ),
    "duration_s": click.Option(
        ["--duration-s"],
        type=click.IntRange(min=1),
        metavar="S",
        help="Repeat the trace until then; by default it is used once.",
    ),
    "between": click.Option(
        ["--between"],
        metavar="A,B",
        help="Stations at the ends of the path: up is from the first to the second.  "
        "[default: the first two]",
    ),
}

_DIRECTION = click.Option(
    ["--direction"],
    type=click.Choice(["up", "down", "both"]),
    help="Take what was measured in this direction only: up is from who measured to the server. "
    "With both, the table has columns for each, which `longfat schedule join` reads.  [default: "
    "one path for both, with the measured round trip]",
)

_LINES = (
    click.Option(
        ["--lines", "as_lines"],
        is_flag=True,
        help="Print `[[lines]]` of a scenario in place of CSV: each direction as it was measured.",
    ),
    click.Option(
        ["--at"],
        default="bottleneck",
        show_default=True,
        metavar="NAME",
        help="With --lines: the line that data take; acknowledgments take the line back.",
    ),
)


class _Importers(click.Group):
    """The verbs of importers, which are made when they are used, and those of this file."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the verbs, importers first."""
        from longfat.schedules import IMPORTERS

        return [*(_PREFIX + name for name in IMPORTERS), *super().list_commands(context)]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a verb."""
        from longfat.schedules import IMPORTERS

        kind = name.removeprefix(_PREFIX)
        is_importer = name.startswith(_PREFIX) and kind in IMPORTERS
        return _importing(kind) if is_importer else super().get_command(context, name)

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a verb; an unknown one fails with the nearest known one."""
        try:
            return super().resolve_command(context, arguments)
        except click.UsageError as error:
            hint = nearest(arguments[0], self.list_commands(context))
            if not hint:
                raise
            raise click.UsageError(f"{error.message.rstrip('.')}{hint}", context) from error


def _importing(name: str) -> click.Command:
    """Return the verb of an importer."""
    from longfat.schedules import importer, more_files

    chosen = importer(name)
    more = more_files(name)
    parameters: list[click.Parameter] = [
        click.Argument([file], type=_FILE, required=True) for file in chosen.FILES
    ]
    parameters += [
        click.Option([f"--{file}"], type=_FILE, metavar="FILE", help=words)
        for file, words in more.items()
    ]
    parameters += [_OPTIONS[option] for option in chosen.OPTIONS]

    def run(direction: str | None, as_lines: bool, at: str, **given: Any) -> None:
        from longfat.schedules import import_files
        from longfat.schedules.options import Options

        files = {file: given.pop(file) for file in (*chosen.FILES, *more)}
        named = {file: path for file, path in files.items() if path is not None}
        path = import_files(name, named, Options(**given))
        _print(path, direction, at if as_lines else None, str(next(iter(named.values()))))

    return click.Command(
        _PREFIX + name,
        params=[*parameters, _DIRECTION, *_LINES],
        callback=run,
        help=chosen.HELP,
        short_help=f"From {chosen.KIND}.",
    )


@click.group("schedule", cls=_Importers)
def command() -> None:
    """Convert measurements into schedules of a path: CSV for `path.steps`, on stdout."""


@command.command("join")
@click.argument("schedules", type=_FILE, nargs=-1, required=True)
@click.pass_context
def join(
    context: click.Context,
    schedules: tuple[Path, ...],
    direction: str | None,
    as_lines: bool,
    at: str,
) -> None:
    """Print one schedule of several: delays of one, rates of another.

    Each of SCHEDULES is CSV as the other verbs print it. The result has the times of all; between
    its own times, each stays as it was. Of a column that several have, the first one's is taken.

    Example: longfat schedule join delays.csv rates.csv > path.csv
    """
    from longfat.schedules.joining import join_files

    if len(schedules) < 2:
        raise click.UsageError("two schedules or more can be joined", context)
    _print(join_files(schedules), direction, at if as_lines else None, str(schedules[0]))


join.params += [_DIRECTION, *_LINES]


@command.command("to-mahimahi")
@click.argument("schedule", type=_FILE)
@click.option(
    "--duration-s", type=click.IntRange(min=1), required=True, help="Length of the trace."
)
@click.option("--direction", type=click.Choice(["up", "down"]), help="Take the rates of this one.")
def to_mahimahi(schedule: Path, duration_s: int, direction: "Direction | None") -> None:
    """Print the opportunities of the rates in SCHEDULE, a CSV, as a trace for `mm-link`.

    A trace has no delays and losses: use `mm-delay` and `mm-loss` for them.
    """
    from longfat.base.files import read_text
    from longfat.schedules.mahimahi import read_schedule, trace_of

    rates = read_schedule(read_text(schedule), str(schedule), direction)
    click.echo("\n".join(map(str, trace_of(rates, 1000 * duration_s))))


@command.command("orbit-graph")
@click.argument("file", type=_FILE)
@click.option("--hub", metavar="NAME", help="Links of this station only.  [default: of all pairs]")
@click.option("--rate", metavar="RATE", help="Rate of each link, unless FILE has rates.")
@click.option(
    "--access-rate",
    metavar="RATE",
    default="10 Gbit/s",
    show_default=True,
    help="Rate of the line from each host to its ground station.",
)
def orbit_graph(file: Path, hub: str | None, rate: str | None, access_rate: str) -> None:
    """Print a graph of the ground stations in FILE, a description of orbits.

    It is `topology` and `lines` of a scenario: a host for each station, and between stations links
    whose delay changes as satellites move.

    Example: longfat schedule orbit-graph orbit.toml --rate '100 Mbit/s' > graph.toml
    """
    from longfat.schedules import refuse_other_kinds
    from longfat.schedules.orbit_graph import graph_of
    from longfat.schedules.sample import sample_of

    sample = sample_of(file)
    refuse_other_kinds(sample, "orbit")
    text, notes = graph_of(sample, rate, access_rate, hub)
    for note in notes:
        say(note)
    click.echo(text)


def _print(path: "Measured", direction: str | None, at: str | None, source: str) -> None:
    """Print a path as CSV, or as lines of a scenario at a line; before that its notes on stderr."""
    from longfat.schedules.written import lines_text, text_and_notes

    if at is None:
        text, notes = text_and_notes(path, direction, source)
    else:
        text, notes = lines_text(path, direction, at), list(path.notes)
    for note in notes:
        say(note)
    click.echo(text)
