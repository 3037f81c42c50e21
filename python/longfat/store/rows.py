"""Conversion of runs to rows of the tables, and back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import RowMapping, select

from longfat import _engine
from longfat.scenarios.scenario import Scenario
from longfat.store.schema import DONE, FAILED, runs


@dataclass(frozen=True)
class RunResult:
    """An ended run, with its record or the message of its failure."""

    scenario: Scenario
    started: datetime
    ended: datetime
    record: Mapping[str, Any] | None
    failure: str | None

    @property
    def fingerprint(self) -> str:
        """The fingerprint; of a failed run a placeholder."""
        if self.record is None:
            return f"failure {self.failure!r}"
        fingerprint: str = self.record["fingerprint"]
        return fingerprint


@dataclass(frozen=True)
class StoredRun:
    """A stored run, with its metrics and fingerprint, or its failure."""

    run_id: str
    model: int
    engine: str
    scenario: Scenario
    metrics: dict[str, float] | None
    fingerprint: str | None
    failure: str | None


STORED_RUN = select(
    runs.c.run_id,
    runs.c.model,
    runs.c.engine,
    runs.c.scenario,
    runs.c.metrics,
    runs.c.fingerprint,
    runs.c.failure,
)
"""Columns that `stored_run` reads."""


def stored_run(row: RowMapping) -> StoredRun:
    """Build a stored run from a row of `STORED_RUN`."""
    return StoredRun(
        row["run_id"],
        row["model"],
        row["engine"],
        Scenario(row["scenario"]),
        row["metrics"],
        row["fingerprint"],
        row["failure"],
    )


def run_row(result: RunResult) -> dict[str, Any]:
    """Return the row of an ended run."""
    record: Mapping[str, Any] = result.record or {}
    scenario = result.scenario
    return {
        "run_id": scenario.run_id,
        "scenario_hash": scenario.hash,
        "seed": scenario.seed,
        "replication": scenario.replication,
        "model": _engine.MODEL,
        "engine": _engine.ENGINE_VERSION,
        "build": _engine.ENGINE_BUILD,
        "status": FAILED if result.record is None else DONE,
        "failure": result.failure,
        "fingerprint": record.get("fingerprint"),
        "started_at": moment_text(result.started),
        "ended_at": moment_text(result.ended),
        "wall_seconds": (result.ended - result.started).total_seconds(),
        "events": record.get("work", {}).get("events"),
        "scenario": scenario.resolved,
        "metrics": record.get("metrics"),
        "work": record.get("work"),
    }


def part_rows(result: RunResult, part: str, *kinds: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a run's flows, ports or completions; `kinds` are further key columns."""
    own = ("name", *kinds)
    for position, measures in enumerate(
        () if result.record is None else result.record.get(part, ())
    ):
        yield {
            "run_id": result.scenario.run_id,
            "position": position,
            **{column: measures[column] for column in own},
            "measures": {name: value for name, value in measures.items() if name not in own},
        }


def moment_text(moment: datetime) -> str:
    """Format a moment for the store: UTC, ISO 8601, milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
