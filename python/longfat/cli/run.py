"""`longfat run`: one simulation, its record as tables or as JSON."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.options import json_option
from longfat.cli.talk import print_json, print_table, say

if TYPE_CHECKING:
    from longfat.execution import Driver


@click.command("run")
@click.argument("scenario")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    help="Set a value of the scenario, such as topology.sources=15; may be repeated.",
)
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="The same as --set seed=N.")
@click.option(
    "--driver",
    type=click.Choice(["fast", "events"]),
    help="How time is advanced; fast where it can be unless said otherwise. Results are the same.",
)
@json_option
def command(
    scenario: str,
    settings: Sequence[str],
    seed: int | None,
    driver: "Driver | None",
    as_json: bool,
) -> None:
    """Run one simulation.

    Example: longfat run lan.toml --set topology.sources=15 --seed 7 --json
    """
    from longfat.cli.progress import shown_progress
    from longfat.errors import Interrupted
    from longfat.scenario import load_scenario, run

    overrides = dict(_assignment(text) for text in settings)
    if seed is not None:
        overrides["seed"] = str(seed)
    try:
        with shown_progress() as show:
            record = run(load_scenario(scenario, overrides), show=show, driver=driver)
    except Interrupted:
        say("stopped; of a single run nothing is kept")
        raise
    if as_json:
        print_json(record)
    else:
        _print_record(record)


def _assignment(text: str) -> tuple[str, str]:
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise click.BadParameter(f"{text!r} is not PATH=VALUE", param_hint="--set")
    return path.strip(), value.strip()


def _print_record(record: Mapping[str, Any]) -> None:
    metrics = record["metrics"].items()
    print_table(["metric", "value"], [[name, _text(value)] for name, value in metrics])
    for part in ("flows", "ports"):
        _print_parts(part, record[part])
    counts = ", ".join(
        f"{value:,} {name.replace('_', ' ')}"
        for name, value in record["work"].items()
        if isinstance(value, int)
    )
    say(f"{counts}; driver {record['work']['driver']}; fingerprint {record['fingerprint']}")


def _print_parts(title: str, parts: Sequence[Mapping[str, Any]]) -> None:
    if not parts:
        return
    # What a part holds in turn, such as the classes of a port, is a table of its own.
    names = [name for name, value in parts[0].items() if not isinstance(value, list)]
    rows = [[_text(part[name]) for name in names] for part in parts]
    print_table([name.replace("_", " ") for name in names], rows, title=title)
    for part in parts:
        for name, value in part.items():
            if isinstance(value, list):
                _print_parts(f"{name} of {part['name']}", value)


def _text(value: Any) -> str:
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4f}"
    if isinstance(value, int | float):
        return f"{value:,.0f}"
    return "-" if value is None else str(value)
