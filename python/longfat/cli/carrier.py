"""`longfat carrier`: the rates of a satellite carrier, code by code."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import click

from longfat import _engine
from longfat.base.errors import InvalidInput, LongfatError
from longfat.cli.options import Number, json_option
from longfat.cli.talk import print_json, print_table, say

CODES: dict[str, list[dict[str, Any]]] = json.loads(_engine.carrier_codes())


class Quantity(click.ParamType[float]):
    """A number with its unit, as scenarios have it."""

    def __init__(self, name: str, parse: Callable[[str], int], base: float) -> None:
        """Make a type of options called `name`; `parse` gives multiples of `base`."""
        self.name, self._parse, self._base = name, parse, base

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> float:
        """Parse a text; fails with what the engine expects."""
        try:
            return self._parse(value) * self._base if isinstance(value, str) else value
        except InvalidInput as error:
            self.fail("; ".join(error.problems), parameter, context)


LEVEL = Quantity("level", _engine.parse_level, 0.001)
BANDWIDTH = Quantity("bandwidth", _engine.parse_frequency, 1.0)


@dataclass(frozen=True)
class Rung:
    """A code on a carrier: what it needs, what it carries, and the rain that it stands."""

    code: str
    esn0_db: float
    bits_per_symbol: float
    rate_bps: int
    stands_db: float


def ladder(symbol_rate: float, codes: str, clear_sky_db: float, margin_db: float) -> list[Rung]:
    """Return the codes that are chosen as attenuation rises, from a clear sky on.

    Each is the most efficient one of those that stand an attenuation beside the margin.
    """
    rungs: list[Rung] = []
    fastest_first = sorted(
        CODES[codes], key=lambda code: (-code["efficiency_millionths"], code["threshold_cdb"])
    )
    for code in fastest_first:
        threshold_db = code["threshold_cdb"] / 100
        stands_db = round(clear_sky_db - margin_db - threshold_db, 3)
        if stands_db >= 0 and stands_db > max((rung.stands_db for rung in rungs), default=-1):
            bits_per_symbol = code["efficiency_millionths"] / 1e6
            rate_bps = math.floor(symbol_rate * bits_per_symbol)
            rungs.append(Rung(code["name"], threshold_db, bits_per_symbol, rate_bps, stands_db))
    return rungs


@click.command("carrier")
@click.argument("bandwidth", type=BANDWIDTH)
@click.option(
    "--roll-off",
    type=Number(0, 1),
    default=0.2,
    show_default=True,
    metavar="SHARE",
    help="Bandwidth beyond the symbol rate, as a share of it: 0.35, 0.25, 0.2, 0.15, 0.1, 0.05.",
)
@click.option(
    "--codes", type=click.Choice(list(CODES)), default="dvb-s2", show_default=True, help="Codes."
)
@click.option(
    "--clear-sky", type=LEVEL, default="15 dB", show_default=True, help="Es/N0 under a clear sky."
)
@click.option(
    "--margin",
    type=LEVEL,
    default="1 dB",
    show_default=True,
    help="Attenuation that a code must stand beyond the known one.",
)
@json_option
def command(
    bandwidth: float,
    roll_off: float,
    codes: str,
    clear_sky: float,
    margin: float,
    as_json: bool,
) -> None:
    """Print the codes that a carrier of BANDWIDTH uses, and what each carries.

    The first is that of a clear sky, whose rate is the line's in a scenario with rain. A rate is
    that of base-band frames, for framing "dvb-s2-gse".

    Example: longfat carrier "36 MHz" --roll-off 0.05 --codes dvb-s2x --clear-sky "14 dB"
    """
    if bandwidth == 0:
        raise LongfatError("a carrier of 0 Hz carries nothing; BANDWIDTH must be more than nothing")
    symbol_rate = bandwidth / (1 + roll_off)
    rungs = ladder(symbol_rate, codes, clear_sky, margin)
    if not rungs:
        raise LongfatError(
            f"no code stands even a clear sky: {clear_sky:g} dB less a margin of {margin:g} dB; "
            f"the most robust one needs {min(c['threshold_cdb'] for c in CODES[codes]) / 100:g} dB"
        )
    if as_json:
        print_json({"symbol_rate_hz": symbol_rate, "codes": [asdict(rung) for rung in rungs]})
        return
    print_table(
        ["code", "Es/N0 dB", "bits per symbol", "Mbit/s", "up to dB of rain"],
        [
            [
                rung.code,
                f"{rung.esn0_db:.2f}",
                f"{rung.bits_per_symbol:.6f}",
                f"{rung.rate_bps / 1e6:.3f}",
                f"{rung.stands_db:.2f}",
            ]
            for rung in rungs
        ],
        close=True,
    )
    say(f"{symbol_rate / 1e6:.3f} million symbols a second")
