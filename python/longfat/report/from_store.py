"""Report of a study from a store; two of its runs are repeated to record their traces."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from longfat.base.errors import LongfatError
from longfat.base.location import shown
from longfat.report.study_report import gather, page
from longfat.report.study_report.contents import Said
from longfat.report.study_report.parts import ChosenRun, chosen_runs
from longfat.results.sequential import in_effect
from longfat.results.stored import compare_results, load_completions, load_results
from longfat.running.execution import Watch
from longfat.running.repeat import repeat
from longfat.statistics.intervals import DEFAULT_CONFIDENCE
from longfat.store import Store
from longfat.studies.claims import claims_of
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Selection, plan_everything, plan_reference
from longfat.traces import Traces, load_traces


class NothingToReport(LongfatError):
    """Raised if the store has no run of the chosen part."""


@dataclass(frozen=True)
class Report:
    """Page of HTML, with the number of runs that are done and planned."""

    html: str
    done: int
    planned: int


def report(
    study: StudyDefinition,
    selection: Selection,
    location: str,
    said: Said,
    confidence: float = DEFAULT_CONFIDENCE,
    *,
    with_traces: bool = True,
) -> Report:
    """Write the report of a part of a study, from the runs in a store.

    `said` has the options by which commands select the part; `confidence` is a share between 0.5
    and 1. Raises `NothingToReport`, and `LongfatError` if the repetition of a run differs from the
    stored one.
    """
    plan = plan_reference(study, selection)
    everything = plan_everything(study, selection.replications)
    with Store.readable(location) as store, tempfile.TemporaryDirectory() as folder:
        plan, everything = in_effect(plan, store), in_effect(everything, store)
        results = load_results(plan, store)
        tables = compare_results(plan, results)
        if not any(entry.ours is not None for table in tables for entry in table.entries):
            raise NothingToReport(f"{shown(location)} has no runs that a report could be of")
        chosen = chosen_runs(plan, results, tables) if with_traces else []
        completions = load_completions(everything, store, claims_of(study))
        contents = gather(
            said,
            plan,
            results,
            (everything, load_results(everything, store), completions),
            confidence,
            _watched(chosen, store, Path(folder)),
            store.other_models(plan.hashes),
        )
        return Report(page(contents), contents.done, plan.distinct_runs)


def _watched(chosen: Sequence[ChosenRun], store: Store, folder: Path) -> dict[str, Traces]:
    """Repeat runs with traces, by run id; verify that each is equal to the stored one."""
    found = {}
    for each in chosen:
        run_id = each.run.scenario.run_id
        watch = Watch(traces=folder / run_id)
        (repetition,) = repeat(store.stored_runs([run_id]), 1, lambda _: None, watch=watch)
        if repetition.differences:
            raise LongfatError(
                f"run {run_id[:12]} does not come out as it is stored; to see how:\n"
                f"  longfat run --from {shown(store.name)} {run_id[:12]}"
            )
        found[run_id] = load_traces(folder / run_id)
    return found
