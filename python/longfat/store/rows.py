"""From runs to rows of the tables, and back."""

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
    """A run that ended: with a record, or with the message of its failure."""

    scenario: Scenario
    started: datetime
    ended: datetime
    record: Mapping[str, Any] | None
    failure: str | None

    @property
    def fingerprint(self) -> str:
        """The fingerprint, or what stands for it when the run failed."""
        if self.record is None:
            return f"failure {self.failure!r}"
        fingerprint: str = self.record["fingerprint"]
        return fingerprint


@dataclass(frozen=True)
class StoredRun:
    """A run as the store has it: with its metrics and fingerprint, or with its failure."""

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
"""What `stored_run` wants to know."""


def stored_run(row: RowMapping) -> StoredRun:
    """A row of `STORED_RUN`."""
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
    """The row of a run that has just ended."""
    record: Mapping[str, Any] = result.record or {}
    scenario = result.scenario
    return {
        "run_id": scenario.run_id,
        "scenario_hash": scenario.hash,
        "seed": scenario.settings["seed"],
        "replication": scenario.settings["replication"],
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
    """The rows of a run's flows, ports or completions; `kinds` name columns besides the name."""
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
    """A moment as the store writes it: UTC, ISO 8601, milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
