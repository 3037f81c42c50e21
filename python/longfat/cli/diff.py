"""`longfat diff`: the first event at which two runs diverge."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.base.units import PICOSECONDS_PER_MILLISECOND
from longfat.cli.options import (
    control_option,
    json_option,
    limit_option,
    opened_store,
    overrides_of,
    settings_option,
    store_option,
)
from longfat.cli.sources import SourceType
from longfat.cli.talk import print_json, print_table, say

if TYPE_CHECKING:
    from longfat.running.divergence import Setting
    from longfat.scenarios.scenario import Scenario


Event = Mapping[str, Any]


@click.command("diff")
@click.argument("first", metavar="RUN", type=SourceType("scenario"))
@click.argument("second", metavar="RUN", type=SourceType("scenario"))
@settings_option
@click.option(
    "--set-second",
    "only_second",
    multiple=True,
    metavar="PATH=VALUE",
    help="As --set, for the second scenario only; may be repeated.",
)
@control_option
@limit_option
@store_option
@json_option
def command(
    first: str,
    second: str,
    settings: Sequence[str],
    only_second: Sequence[str],
    limits: Sequence[str],
    store: str,
    as_json: bool,
) -> None:
    """Simulate two runs in lockstep and find the first event at which they diverge.

    A RUN is a scenario file, or the id of a stored run or a unique prefix of it. Events are those
    of each connection: segments and acknowledgments sent and received, timeouts, losses.

    Example: longfat diff lan.toml other.toml

    Example: longfat diff lan.toml lan.toml --set-second port.policy=epd
    """
    from longfat.running.divergence import compare_runs, differing_settings
    from longfat.running.limits import Limits

    allowed = Limits.of_machine().changed(limits)
    both = overrides_of(settings)
    second_alone = overrides_of([*settings, *only_second], option="--set-second")
    runs = _scenario(first, both, store), _scenario(second, second_alone, store)
    differing = differing_settings(*runs)
    comparison = compare_runs(*runs, allowed)
    if as_json:
        print_json(
            {
                "runs": [run.run_id for run in runs],
                "settings": [asdict(setting) for setting in differing],
                **comparison,
            }
        )
        return
    if only_second:
        second = f"{second} with {', '.join(only_second)}"
    _print_settings(first, second, differing)
    _print_comparison(first, second, comparison)


def _scenario(run: str, overrides: Mapping[str, str], store: str) -> "Scenario":
    """Return the scenario of a run given as a file or as a prefix of a stored run's id.

    Raises `click.UsageError` for settings of a stored run.
    """
    from longfat import _engine
    from longfat.scenarios.scenario import load_scenario

    if Path(run).exists() or Path(run).suffix:
        return load_scenario(run, overrides)
    if overrides:
        raise click.UsageError(
            f"{run} is a stored run and cannot be changed; to change its scenario, print it with "
            "longfat run --from STORE RUN --scenario into a file"
        )
    with opened_store(store) as opened:
        stored = opened.find(run)
    if stored.model != _engine.MODEL:
        say(f"run {run} was made by engine {stored.engine}; this is {_engine.ENGINE_VERSION}")
    return stored.scenario


def _print_settings(first: str, second: str, settings: "Sequence[Setting]") -> None:
    if not settings:
        say("the scenarios are the same")
        return
    rows = [[setting.path, _value(setting.first), _value(setting.second)] for setting in settings]
    print_table(["setting", first, second], rows, title="the scenarios differ in")


def _print_comparison(first: str, second: str, comparison: Mapping[str, Any]) -> None:
    alike = f"{comparison['events_alike']:,} events are the same"
    divergence = comparison["divergence"]
    if divergence is None:
        say(f"the runs do not part: {alike} until {_time(comparison['compared_until_ps'])} ms")
        return
    flow = divergence["flow"]
    say(f"{alike}; the runs part at {_time(divergence['time_ps'])} ms, in flow {flow}")
    rows = [["both", *_cells(event)] for event in divergence["before"]]
    for name, events in zip((first, second), divergence["after"], strict=True):
        rows += [[name, *_cells(event)] for event in events] or [[name, "-", "nothing", "", ""]]
    print_table(["run", "ms", f"flow {flow}", "", "cwnd bytes"], rows)


def _cells(event: Event) -> list[str]:
    details = {
        name: value
        for name, value in event.items()
        if name not in ("time_ps", "what", "cwnd_bytes") and value is not False
    }
    return [
        _time(event["time_ps"]),
        event["what"].replace("-", " "),
        ", ".join(name if value is True else f"{name} {value}" for name, value in details.items()),
        f"{event['cwnd_bytes']:.0f}" if "cwnd_bytes" in event else "",
    ]


def _time(picoseconds: int) -> str:
    """Format a time in milliseconds, to the picosecond."""
    whole, rest = divmod(picoseconds, PICOSECONDS_PER_MILLISECOND)
    return f"{whole:,}.{rest:09}"


def _value(value: Any) -> str:
    """Format a setting as in scenario files."""
    if isinstance(value, bool):
        return str(value).lower()
    return "-" if value is None else str(value)
