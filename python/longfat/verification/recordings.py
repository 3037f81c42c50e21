"""Recordings of the Linux kernel that come with longfat, and the experiments they are of.

``docs/method/linux.md`` says how they are made. Times are seconds from an experiment's start.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SHIPPED = Path(__file__).parents[1] / "shipped" / "linux"


@dataclass(frozen=True)
class Experiment:
    """A declared experiment: a network, its flows, and the files of what the kernel did in it."""

    name: str
    kind: str
    held_out: bool
    declared: dict[str, Any]

    def recordings(self) -> list[Path]:
        """Return the files that exist, one for each offset of the starts."""
        offsets = self.declared.get("offsets_ms", [0])
        files = [
            SHIPPED / "recordings" / f"{self.name}{f'+{offset:g}ms' if offset else ''}.txt"
            for offset in offsets
        ]
        return [file for file in files if file.exists()]

    @property
    def discipline(self) -> str:
        """Name of the queue discipline, or "FIFO"."""
        words: str = self.declared.get("discipline", "FIFO")
        return words.split()[0]


def experiments() -> list[Experiment]:
    """Return every declared experiment; no recording is read."""
    declared = tomllib.loads((SHIPPED / "experiments.toml").read_text())["experiment"]
    return [Experiment(each["name"], each["kind"], each["held_out"], each) for each in declared]


@dataclass(frozen=True)
class Connection:
    """A connection; `completed_s` is the arrival of its last byte, None if there was none."""

    sender: int
    control: str
    began_s: float
    established_s: float | None
    segment_bytes: int
    received_bytes: int
    completed_s: float | None


@dataclass(frozen=True)
class Recording:
    """One recording."""

    kernel: str
    offset_ms: float
    discipline_at_end: str
    connections: list[Connection]
    sections: dict[str, list[list[str]]]
    """Rows of the sections, without their lines of columns."""

    def rows(self, section: str) -> list[list[str]]:
        """Return the rows of a section, none if the recording does not have it."""
        return self.sections.get(section, [])


def read_recording(file: Path) -> Recording:
    """Read a recording."""
    header: dict[str, str] = {}
    sections: dict[str, list[list[str]]] = {}
    rows: list[list[str]] = []
    for line in file.read_text().splitlines():
        if line.startswith("#"):
            key, _, value = line[2:].partition(": ")
            header[key] = value
        elif line.startswith("["):
            rows = sections[line[1:-1]] = []
        else:
            rows.append(line.split())
    sections = {title: rows[1:] for title, rows in sections.items()}
    return Recording(
        kernel=header["kernel"].split("+")[0].split("-")[0],
        offset_ms=float(header["offset_ms"]),
        discipline_at_end=header["discipline_at_end"],
        connections=[_connection(row) for row in sections["connections"]],
        sections=sections,
    )


def _connection(row: list[str]) -> Connection:
    _, sender, control, began, established, segment, received, last = row
    return Connection(
        sender=int(sender),
        control=control,
        began_s=float(began),
        established_s=_number(established),
        segment_bytes=int(segment) if segment != "-" else 0,
        received_bytes=int(received),
        completed_s=_number(last),
    )


def _number(text: str) -> float | None:
    return None if text == "-" else float(text)
