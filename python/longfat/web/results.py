"""Stored studies and runs as documents for pages; nothing here simulates."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from longfat import _engine
from longfat.analysis.cautions import cautions
from longfat.base.location import shown
from longfat.base.where import condition_of
from longfat.records.tables import in_numbers
from longfat.results.ledger import METRIC_PREFIX
from longfat.results.sequential import in_effect
from longfat.results.stored import count_runs, load_results
from longfat.scenarios.resolved import travels_whole
from longfat.statistics.intervals import interval_of_mean
from longfat.store import StoredRun
from longfat.store.schema import FAILED
from longfat.studies.definition import StudyDefinition
from longfat.studies.reference import Combination
from longfat.web.figures import figures_of
from longfat.web.playground import MOST_PARTS, ledger
from longfat.web.settings import settings_of
from longfat.web.view import Unknown, View
from longfat.web.written import written

Answer = dict[str, Any]


def overview(view: View) -> Answer:
    """Return every study with its state."""
    return {
        "store": shown(view.location),
        "engine": _engine.ENGINE_VERSION,
        "studies": [
            {
                **_named(study),
                "state": state(view, name),
                "command": view.command_to_run(study),
            }
            for name, study in view.studies.items()
        ],
    }


def state(view: View, name: str) -> dict[str, int]:
    """Count the runs of a study that are done, running, failed and missing, as `study status`.

    Raises `Unknown` for an unknown study.
    """
    with view.store() as store:
        plan = in_effect(view.plan(name), store)
        return count_runs(plan, store)


def study_results(view: View, name: str) -> Answer:
    """Return a study's factor combinations with the means of all metrics over replications.

    As in comparisons, replication 0 counts only if there is no other. Raises `Unknown` for an
    unknown study.
    """
    study = view.study(name)
    with view.store() as store:
        plan = in_effect(view.plan(name), store)
        results = load_results(plan, store)
        statuses = plan.by_combination(store.statuses(plan.hashes))
        counts = count_runs(plan, store)
    own = list(dict.fromkeys(response.metric for response in study.responses))
    combinations = [
        {
            "levels": study.levels(combination),
            "runs": plan.of([combination]).planned_runs,
            "failed": Counter(statuses[combination].values())[FAILED],
            **_means(results[combination], own, study.design.precision.confidence),
        }
        for combination in plan.combinations
    ]
    others = dict.fromkeys(
        metric for runs in results.values() for run in runs.values() for metric in run
    )
    return {
        **_named(study),
        "state": counts,
        "store": shown(view.location),
        "factors": [
            {"name": factor.name, "levels": list(factor.levels)} for factor in study.factors
        ],
        "metrics": [*own, *(metric for metric in others if metric not in own)],
        "travels_whole": all(
            travels_whole(scenario.settings) for scenario in plan.scenarios.values()
        ),
        "combinations": combinations,
        "confidence": study.design.precision.confidence,
        "cautions": [
            {
                "kind": caution.kind,
                "said": caution.said,
                "metric": caution.metric,
                "combinations": [
                    number
                    for number, combination in enumerate(plan.combinations)
                    if combination in caution.combinations
                ],
            }
            for caution in cautions(plan, results, own, view.paths(plan))
        ],
        "tables": study.tables,
        "figures": figures_of(plan, results),
    }


def combination_runs(view: View, name: str, number: int) -> Answer:
    """Return the runs of a study's factor combination by replication.

    With the command that runs the missing ones, if there are any. Raises `Unknown` for an unknown
    study or combination.
    """
    plan = view.plan(name)
    combinations = plan.combinations
    if number >= len(combinations):
        raise Unknown(f"{name} has {len(combinations)} factor combinations, from 0 on")
    combination = combinations[number]
    with view.store() as store:
        plan = in_effect(plan, store)
        own = plan.of([combination])
        statuses = own.by_combination(store.statuses(own.hashes))[combination]
        metrics = load_results(own, store)[combination]
        failures = store.failures(list(own.distinct))
    has_missing = any(run.replication not in statuses for run in own.runs)
    return {
        "study": name,
        "levels": dict(combination),
        "command": _command_to_run(view, plan.study, combination) if has_missing else None,
        "runs": [
            {
                "replication": run.replication,
                "run_id": run.scenario.run_id,
                "status": statuses.get(run.replication, "missing"),
                "failure": failures.get(run.scenario.run_id),
                "metrics": metrics.get(run.replication, {}),
            }
            for run in own.runs
        ],
    }


def run_document(view: View, beginning: str) -> Answer:
    """Return a stored run with all its parts and its ledger, and the commands that repeat it.

    Raises `LongfatError` if the id prefix matches no run, or more than one.
    """
    with view.store() as store:
        found = store.find(beginning)
        parts = store.parts(found.run_id)
        asked = store.completions([found.run_id]).get(found.run_id, {})
    metrics = found.metrics or {}
    return {
        "run_id": found.run_id,
        "engine": found.engine,
        "is_of_this_model": found.model == _engine.MODEL,
        "fingerprint": found.fingerprint,
        "failure": found.failure,
        "seed": found.scenario.settings["seed"],
        "replication": found.scenario.settings["replication"],
        "simulated_s": found.scenario.simulated_seconds,
        "metrics": {
            metric: value
            for metric, value in metrics.items()
            if not metric.startswith(METRIC_PREFIX)
        },
        "ledger": ledger(metrics),
        "completions": [in_numbers({"name": name, **kind}) for name, kind in asked.items()],
        "flows": parts["flows"][:MOST_PARTS],
        "ports": parts["ports"][:MOST_PARTS],
        "parts_left_out": max(0, len(parts["flows"]) - MOST_PARTS),
        "settings": settings_of(written(found.scenario.settings)),
        "travels_whole": travels_whole(found.scenario.settings),
        "commands": _commands(view, found),
    }


def _named(study: StudyDefinition) -> Answer:
    return {"name": study.name, "title": study.title, "citation": study.citation}


def _means(
    runs: Mapping[int, Mapping[str, float]], own: Sequence[str], confidence: float
) -> Answer:
    """Return the number of runs done, the number that count, and the means of these.

    The metrics `own` have the intervals of their means, if they have any.
    """
    drawn = [metrics for number, metrics in runs.items() if number > 0]
    values = {metric: [run[metric] for run in drawn if metric in run] for metric in own}
    counted = [metrics for number, metrics in runs.items() if number > 0] or list(runs.values())
    return {
        "done": len(runs),
        "counted": len(counted),
        "means": {
            metric: fmean(run[metric] for run in counted if metric in run)
            for metric in dict.fromkeys(metric for run in counted for metric in run)
        },
        "intervals": {
            metric: interval_of_mean(found, confidence)
            for metric, found in values.items()
            if len(found) > 1
        },
    }


def _command_to_run(view: View, study: StudyDefinition, combination: Combination) -> str:
    """Return the command for the missing runs of a factor combination."""
    names = [factor.name for factor in study.factors]
    return view.command_to_run(study, condition_of(names, study.levels(combination)))


def _commands(view: View, found: StoredRun) -> list[str]:
    store = shlex.quote(shown(view.location))
    name = found.run_id[:12]
    return [
        f"longfat run --from {store} {name}",
        f"longfat run --from {store} {name} --trace traces --pcap run.pcapng",
        f"longfat run --from {store} {name} --scenario > run.json",
    ]
