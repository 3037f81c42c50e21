"""Data that plots of studies are of, by the name of the plot, and which plots a study has."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from longfat.base.errors import LongfatError
from longfat.plots import PLOTS, find
from longfat.plots.options import PLAIN, STUDY_SOURCES, Options
from longfat.results.comparison import Results, TableComparison
from longfat.results.ledger import ledger_rows
from longfat.results.stored import compare_results
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Plan

ALL_TABLES = ""
"""In place of the name of a table: all tables of a study."""


def source_of(kind: str, plan: Plan, results: Results) -> Any:
    """Return what a plot of a study draws: comparisons, ledgers or the metrics of all runs."""
    source = find(kind).SOURCE
    if source == "study":
        return compare_results(plan, results)
    return ledger_rows(results) if source == "ledgers" else results


def options_of(study: StudyDefinition, options: Options = PLAIN) -> Options:
    """Return options with the levels of a study, so that all its figures have the same colours."""
    return replace(options, levels=study.named_levels)


def drawable(plan: Plan, results: Results) -> dict[str, list[str]]:
    """Return the plots that these results have data for, each with the tables that it can draw."""
    compared = compare_results(plan, results)
    tables = {ALL_TABLES: compared} | {
        name: [table for table in compared if table.response.table == name]
        for name in plan.study.tables
    }
    sources = {name: _sources(own, results) for name, own in tables.items() if own}
    kinds = [kind for kind in PLOTS if find(kind).SOURCE in STUDY_SOURCES]
    found = {
        kind: [name for name, own in sources.items() if _has_data(kind, own)] for kind in kinds
    }
    return {kind: names for kind, names in found.items() if names}


def _sources(tables: Sequence[TableComparison], results: Results) -> Mapping[str, Any]:
    """Return the data of each source for some tables."""
    entries = (entry for table in tables for entry in table.entries)
    members = dict.fromkeys(member for entry in entries for member in entry.members)
    own = {member: results[member] for member in members if member in results}
    return {"study": tables, "ledgers": ledger_rows(own), "results": own}


def _has_data(kind: str, sources: Mapping[str, Any]) -> bool:
    plot = find(kind)
    try:
        return bool(plot.collect(sources[plot.SOURCE], PLAIN))
    except LongfatError:
        return False
