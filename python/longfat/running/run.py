"""A single run, with optional traces and packet capture."""

from collections.abc import Callable

from longfat.base.errors import RunFailed
from longfat.records.record import Record
from longfat.running.execution import (
    Driver,
    Outcome,
    Progress,
    Watch,
    execute,
    execute_watched,
    refuse_other_driver,
)
from longfat.running.limits import Limits
from longfat.scenarios.scenario import Scenario, ScenarioSource, load_scenario


def run(
    scenario: ScenarioSource,
    *,
    limits: Limits | None = None,
    watch: Watch | None = None,
    show: Callable[[Progress], None] | None = None,
    driver: Driver | None = None,
) -> Record:
    """Simulate a scenario and return its record (metrics, flows, ports, work, fingerprint).

    `limits` default to the machine's. `watch` asks for traces and packet captures, which may need
    the event driver; the rest of the record does not depend on it. `show` is called about ten times
    a second. The fast driver is used where it is exact and the event driver elsewhere, unless
    `driver` names one; results are identical. Raises `LongfatError` for a scenario that is
    estimated to exceed a limit, `RunFailed` if the simulation fails, `DriverUnfit` if the requested
    driver does not support the scenario, and `Interrupted` after a stop signal.
    """
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario)
    limits = Limits.of_machine() if limits is None else limits
    limits.refuse([scenario.resolved])
    outcomes: list[Outcome] = []
    progress = Progress(runs=1, simulated_seconds_total=scenario.simulated_seconds)

    def collect(finished: list[Outcome], simulated_seconds: float) -> None:
        outcomes.extend(finished)
        progress.finished = len(outcomes)
        progress.simulated_seconds = simulated_seconds
        if show is not None:
            show(progress)

    if watch is None:
        execute(
            [scenario.resolved],
            jobs=1,
            report=collect,
            limits=limits.of_engine,
            driver=driver or "fast",
        )
    else:
        execute_watched(scenario.resolved, watch, collect, limits.of_engine, driver or "fast")
    (outcome,) = outcomes
    if outcome.record is None:
        raise RunFailed(outcome.failure)
    refuse_other_driver(outcome.record, driver)
    return outcome.record
