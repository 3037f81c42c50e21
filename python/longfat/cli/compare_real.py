"""`longfat compare-real`: measured runs beside simulations of the same scenario."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import click

from longfat.base.errors import BadInput, CheckFailed
from longfat.base.numbers import significant
from longfat.base.systems import need_linux
from longfat.cli.options import Number, json_option
from longfat.cli.talk import print_json, print_table, say

if TYPE_CHECKING:
    from longfat.emulation.comparison import Measure
    from longfat.records.record import Record

_DIGITS = 4

_KEYS = frozenset({"scenario", "scenario_hash", "flows", "ports"})
_EMULATION_KEYS = frozenset({"tcp", "seconds", "lateness", "kernel"})
"""Keys of a record that are compared."""


@click.command("compare-real")
@click.argument(
    "records",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="RECORD...",
)
@click.option(
    "--as",
    "preset",
    default="linux-6.12",
    show_default=True,
    metavar="PRESET",
    help="The preset of `[tcp]` that stands for the programs' TCP.",
)
@click.option(
    "--control",
    metavar="NAME",
    help="Their congestion control, as the kernel calls it.  [default: that of their kernel]",
)
@click.option(
    "--starts",
    type=click.IntRange(1, 1000),
    default=8,
    show_default=True,
    metavar="N",
    help="Simulations, spread over one round trip.",
)
@click.option(
    "--tolerance",
    type=Number(min=0),
    default=0.05,
    show_default=True,
    metavar="SHARE",
    help="The sides part where their ranges are further apart than this.",
)
@click.option("--strict", is_flag=True, help="Fail with exit code 3 if they part anywhere.")
@json_option
def command(
    records: Sequence[Path],
    preset: str,
    control: str | None,
    starts: int,
    tolerance: float,
    strict: bool,
    as_json: bool,
) -> None:
    """Compare runs of `longfat emulate --record` with simulations of the same scenario.

    Each TCP connection of the programs that carried much is simulated with a file of its size that
    begins when it began. Several records are several starts of the same experiment. The range of
    either side is from its lowest to its highest start.

    Example: longfat compare-real first.json second.json --control cubic
    """
    need_linux("longfat compare-real")
    measured = [_read(path) for path in records]
    _check_same(records, measured)
    from longfat.emulation.comparison import Model, measures, simulate

    told = control or measured[0]["emulation"]["kernel"]["default_control"]
    if told is None:
        raise click.UsageError("the record does not say the programs' control; --control NAME")
    model = Model(preset, told)
    simulations = [simulate(measured[0], model, start, starts) for start in range(starts)]
    found = [one for one in measures(measured, simulations) if one.measured and one.simulated]
    if as_json:
        print_json({
            "as": preset, "control": told, "measured": len(measured), "starts": starts,
            "tolerance": tolerance,
            "measures": [
                {"name": one.name, "measured": list(one.measured), "simulated": list(one.simulated),
                 "difference": one.difference, "parts": one.parts(tolerance)}
                for one in found
            ],
        })  # fmt: skip
    else:
        print_table(
            ["", "measured", "simulated", "difference", ""],
            [_row(one, tolerance) for one in found],
            close=True,
        )
        say(
            f"{len(measured)} measured, {starts} simulated as {preset} with {told}; "
            f"ranges from lowest to highest"
        )
        late = [record for record in measured if not record["emulation"]["lateness"]["is_on_time"]]
        if late:
            say(f"{len(late)} of the measured runs were late: what differs may be the machine's")
    apart = [one.name for one in found if one.parts(tolerance)]
    if strict and apart:
        raise CheckFailed(f"--strict: the sides part in {', '.join(apart)}")


def _row(one: "Measure", tolerance: float) -> list[str]:
    return [
        one.name,
        _range(one.measured),
        _range(one.simulated),
        f"{100 * one.difference:+.1f} %",
        "apart" if one.parts(tolerance) else "",
    ]


def _range(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    mean = significant(fmean(values), _DIGITS)
    if low == high:
        return mean
    return f"{mean} ({significant(low, _DIGITS)} to {significant(high, _DIGITS)})"


def _read(path: Path) -> "Record":
    from longfat.records.record import Record

    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise BadInput([f"{path}: no JSON; a record of longfat emulate --record"]) from None
    if not isinstance(document, dict) or not isinstance(document.get("emulation"), dict):
        raise BadInput([f"{path}: no record of a run in real time; longfat emulate --record"])
    missing = [*_KEYS - document.keys(), *_EMULATION_KEYS - document["emulation"].keys()]
    if missing:
        raise BadInput([f"{path}: a record without {', '.join(sorted(missing))}"])
    return Record(document)


def _check_same(paths: Sequence[Path], records: Sequence["Record"]) -> None:
    for path, record in zip(paths[1:], records[1:], strict=True):
        if record["scenario_hash"] != records[0]["scenario_hash"]:
            raise BadInput([f"{path}: another scenario than that of {paths[0]}"])
