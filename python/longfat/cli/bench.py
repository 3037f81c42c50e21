"""`longfat bench`: the speed of the simulator on this machine, with each driver."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from longfat.cli.options import json_option
from longfat.cli.talk import print_json, print_table, say_if_debug_build

if TYPE_CHECKING:
    from longfat.running.benchmark import Speed


@click.command("bench")
@click.argument("words", nargs=-1)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Runs of each scenario with each driver; the median counts.",
)
@json_option
def command(words: Sequence[str], repeat: int, as_json: bool) -> None:
    """Measure how fast the engine simulates a dozen scenarios, with each driver.

    WORDS choose scenarios whose names contain all of them. Speeds are in cells and packets carried,
    counted on each link, per CPU second. Compare only within one table: machines differ, and one
    machine differs from hour to hour.

    Example: longfat bench wan
    """
    from longfat import _engine
    from longfat.running.benchmark import chosen, measure

    speeds = list(measure(chosen(words), repeat))
    if as_json:
        print_json(
            {
                "engine": _engine.ENGINE_VERSION,
                "build": _engine.ENGINE_BUILD,
                "build_profile": _engine.BUILD_PROFILE,
                "repeat": repeat,
                "speeds": [_document(speed) for speed in speeds],
            }
        )
    else:
        header = ["scenario", "cell-hops", "events: M/s", "fast: M/s", "ratio", "packet-hops: M/s"]
        print_table(header, _rows(speeds))
    say_if_debug_build()


def _document(speed: "Speed") -> dict[str, Any]:
    return {
        "scenario": speed.scenario,
        "driver": speed.driver,
        "cpu_s": speed.cpu_s,
        "cell_hops": speed.cell_hops,
        "packet_hops": speed.packet_hops,
        "cell_hops_per_cpu_s": speed.cell_hops_per_cpu_s,
        "packet_hops_per_cpu_s": speed.packet_hops_per_cpu_s,
    }


def _rows(speeds: Sequence["Speed"]) -> Iterator[list[str]]:
    for events, fast in zip(speeds[::2], speeds[1::2], strict=True):
        yield [
            events.scenario,
            str(events.cell_hops),
            f"{events.cell_hops_per_cpu_s / 1e6:.1f}",
            f"{fast.cell_hops_per_cpu_s / 1e6:.1f}",
            f"{events.cpu_s / fast.cpu_s:.1f}",
            f"{fast.packet_hops_per_cpu_s / 1e6:.2f}",
        ]
