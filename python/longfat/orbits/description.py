"""Descriptions of orbits, as the engine has read them."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from longfat import _engine
from longfat.base.cells import shown_cells
from longfat.base.errors import BadInput, InvalidInput, LongfatError
from longfat.base.suggestions import nearest_or_known
from longfat.base.units import PICOSECONDS_PER_SECOND
from longfat.orbits.types import Array

_J2000 = datetime(2000, 1, 1, 12, tzinfo=UTC)
_J2000_DAY = 2451545
_SECONDS_OF_DAY = 86400
_LONGEST_LINE = 500
"""Most characters of an error: the text that it quotes may be of any length."""


@dataclass(frozen=True)
class Station:
    """A ground station. Angles are in degrees, the altitude above WGS 84's ellipsoid in m."""

    name: str
    latitude_deg: float
    longitude_deg: float
    altitude_m: float
    mask_deg: float


@dataclass(frozen=True)
class Description:
    """Satellites, ground stations, and the rules by which paths are chosen.

    `settings` are those of the file, with every default, in base units. Files that it names are in
    `folder`.
    """

    settings: dict[str, Any]
    folder: Path
    source: str

    @property
    def seed(self) -> int:
        """Seed of what is drawn."""
        return int(self.settings["seed"])

    @property
    def step_ps(self) -> int:
        """Time between steps in picoseconds."""
        return int(self.settings["step_ps"])

    @property
    def steps(self) -> int:
        """Number of steps; the first is at the epoch."""
        return int(self.settings["duration_ps"]) // self.step_ps

    @property
    def times_s(self) -> Array:
        """Seconds after the epoch, of each step."""
        return np.arange(self.steps) * self.step_ps / PICOSECONDS_PER_SECOND

    @property
    def epoch(self) -> datetime:
        """The instant of the first step."""
        return datetime.fromisoformat(self.settings["epoch"])

    @property
    def epoch_days(self) -> tuple[float, float]:
        """Julian date of the epoch in UTC: the day, and the share of it since midnight."""
        seconds = round((self.epoch - _J2000).total_seconds()) + _SECONDS_OF_DAY // 2
        days, rest = divmod(seconds, _SECONDS_OF_DAY)
        return _J2000_DAY - 0.5 + days, rest / _SECONDS_OF_DAY

    @property
    def seconds_of_hour(self) -> int:
        """Seconds from the last full hour in UTC to the epoch."""
        return self.epoch.minute * 60 + self.epoch.second

    @property
    def stations(self) -> list[Station]:
        """Ground stations, in the order of the file."""
        common = {"mask_deg": self.settings["mask_deg"]}
        return [Station(**(common | station)) for station in self.settings["stations"]]

    def station(self, name: str) -> int:
        """Return the number of a station. Raises `LongfatError` for an unknown name."""
        names = [station.name for station in self.stations]
        if name not in names:
            hint = nearest_or_known(name, names)
            raise LongfatError(f"{self.source}: no station is called {name!r}{hint}")
        return names.index(name)


def described(content: bytes, source: str) -> Description:
    """Return the description in a text. Raises `BadInput` with all errors, a line for each."""
    try:
        settings = json.loads(_engine.check_orbit(content, source))
    except InvalidInput as error:
        problems = [shown_cells([problem], _LONGEST_LINE) for problem in error.problems]
        raise BadInput(problems) from None
    return Description(settings, Path(source).parent, source)
