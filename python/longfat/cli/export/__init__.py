"""`longfat export`: runs in the files of other programs, and studies as research objects."""

import click

from longfat.cli.lazy import LazyGroup


@click.group(
    "export",
    cls=LazyGroup,
    lazy={
        "iperf3": "longfat.cli.export.iperf3",
        "flent": "longfat.cli.export.flent",
        "study": "longfat.cli.export.study",
    },
)
def command() -> None:
    """Write runs as files of other programs, or a study with its runs and their provenance.

    Packets go to Wireshark with `longfat run --pcap`, events to qlog viewers with `longfat qlog`.
    """
