"""Measurements that a script takes, stores with their date, and puts into a page."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.profile import HERE, Unmeasurable

from longfat.report.splice import spliced


class Recorded(NamedTuple):
    """The measurement of a script: its figures for a number of repetitions, and their table."""

    kind: str
    """Suffix of the names of its records."""

    command: str
    """The command as the page names it."""

    measure: Callable[[int], Mapping[str, Any]]
    """Raises `Unmeasurable` if the measurement is impossible."""

    table: Callable[[Mapping[str, Any]], str]
    repetitions: int

    def main(self, documentation: str) -> int:
        """Measure or show a record, according to the arguments of the process."""
        parser = argparse.ArgumentParser(
            description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        parser.add_argument("--record", metavar="FILE", type=Path, help="keep the result in FILE")
        parser.add_argument(
            "--splice", metavar="PAGE", type=Path, help="put the newest record's table into a page"
        )
        parser.add_argument("--repetitions", type=int, default=self.repetitions)
        options = parser.parse_args()
        try:
            if options.splice:
                self._splice(options.splice)
                return 0
            record = json.dumps(self._dated(options.repetitions), indent=2)
        except Unmeasurable as reason:
            print(f"skipped: {reason}", file=sys.stderr)
            return 2
        if options.record:
            options.record.write_text(record + "\n")
        else:
            print(record)
        return 0

    def _dated(self, repetitions: int) -> dict[str, Any]:
        """Return the figures, with the date and the load of the machine before."""
        load = os.getloadavg()[0]
        return {
            "date": datetime.now(UTC).date().isoformat(),
            "load": load,
            "cores": os.cpu_count(),
            "repetitions": repetitions,
            **self.measure(repetitions),
        }

    def newest(self) -> str:
        """Return the table of the newest record. Raises `Unmeasurable` if there is none."""
        records = sorted((HERE / "record").glob(f"*-{self.kind}.json"))
        if not records:
            raise Unmeasurable("there is no record; --record makes one")
        return self.table(json.loads(records[-1].read_text()))

    def _splice(self, page: Path) -> None:
        page.write_text(spliced(page.read_text(), self.command, self.newest(), str(page)))
