"""Small files of each importer, which are the examples of the guide, and their command line."""

import io
from dataclasses import dataclass
from pathlib import Path

import polars
from click.testing import CliRunner, Result

from longfat.cli.program import main
from longfat.schedules.sample import Sample

EXAMPLES = Path(__file__).parents[2] / "examples" / "measurements"

SPECIMENS = {
    "ping": ("ping.log",),
    "irtt": ("irtt.json",),
    "iperf3": ("iperf3-down.json",),
    "nuttcp": ("nuttcp-down.txt",),
    "flent": ("tcp.flent.gz",),
    "mahimahi": ("lte.down",),
    "lens": ("lens-irtt.csv",),
    "leoreplayer": ("leoreplayer-bw.txt", "leoreplayer-delay.txt"),
    "hypatia": ("networkx_rtt_12_to_17.txt",),
    "parquet": ("path.parquet",),
    "orbit": ("../leo-orbit/orbit.toml",),
}
"""Files by importer; that of Parquet is made here."""

TEXTS = ["ping.log", "ping-windows.txt", "lens-irtt.csv", "lens-ping.csv", "nuttcp-down.txt",
         "lte.down", "networkx_rtt_12_to_17.txt", "pingmesh.csv"]  # fmt: skip


@dataclass(frozen=True)
class Given:
    """An importer, and the names of its files."""

    name: str
    files: tuple[str, ...]


def parquet(columns: dict[str, list[object]]) -> bytes:
    """The bytes of a Parquet file."""
    file = io.BytesIO()
    polars.DataFrame(columns).write_parquet(file)
    return file.getvalue()


def specimen(name: str) -> bytes:
    """The bytes of an example."""
    if name == "path.parquet":
        return parquet({"time_s": [0.0, 15.0], "rate_bps": [50_000_000, 0], "loss": [0.0, 0.01]})
    return (EXAMPLES / name).read_bytes()


def sample(text: str, source: str = "measured") -> Sample:
    """A file with this text."""
    return Sample(source, text.encode())


def schedule(*words: object) -> Result:
    """`longfat schedule`, within this process."""
    return CliRunner().invoke(main, ["schedule", *map(str, words)])


def printed(*words: object) -> list[str]:
    """The lines that a command prints on stdout, without a word on stderr."""
    done = schedule(*words)
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    return done.stdout.splitlines()
