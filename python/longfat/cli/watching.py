"""Files that a run writes besides its record, for the verbs that watch one."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.talk import say
from longfat.records.tables import where_traces_are

if TYPE_CHECKING:
    from longfat.running.execution import Watch

trace_option = click.option(
    "--trace",
    "traces",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write time series into the folder DIR, as Parquet.",
)

trace_what_option = click.option(
    "--trace-what",
    "names",
    metavar="NAME[,NAME]",
    help="Only these traces; longfat run --trace-list names them.  [default: all]",
)


def pcap_option(meaning: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option `--pcap`."""
    return click.option(
        "--pcap", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help=meaning
    )


def trace_names(names: str | None) -> tuple[str, ...]:
    """Split what `--trace-what` says; empty for all. Raises `click.BadParameter` for no name."""
    if names is None:
        return ()
    if not names.strip(" ,"):
        raise click.BadParameter(
            "no trace is named; --trace-list lists them", param_hint="--trace-what"
        )
    return tuple(name.strip() for name in names.split(","))


def check_capture(pcap: Path | None, scenario: str, traces: Path | None) -> None:
    """Raise `click.BadParameter` for a capture file that is an input or output of the run."""
    if pcap is None:
        return
    check_no_input(pcap, scenario, "--pcap")
    if traces is not None and pcap.resolve().parent == traces.resolve():
        raise click.BadParameter(
            "this is inside the folder of traces; choose a file outside it", param_hint="--pcap"
        )


def check_no_input(file: Path, scenario: str, option: str) -> None:
    """Raise `click.BadParameter` if the file of an option is the scenario."""
    if file.is_file() and Path(scenario).is_file() and file.samefile(scenario):
        raise click.BadParameter("this is the scenario; choose another file", param_hint=option)


def say_what_is_left(watch: "Watch | None") -> None:
    """Say where traces and packets are."""
    if watch is not None and watch.traces is not None:
        say(where_traces_are(str(watch.traces), *watch.names[:1]))
    if watch is not None and watch.pcap is not None:
        say(f"packets are in {watch.pcap}")
