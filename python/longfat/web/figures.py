"""Plots of a study by name, as Vega-Lite specifications."""

import shlex
from typing import Any

from longfat import plots
from longfat.base.location import shown
from longfat.plots.data_table import data_table
from longfat.results.ledger import ledger_rows
from longfat.results.sequential import in_effect
from longfat.results.stored import compare_results, load_results
from longfat.studies.plan import Selection, plan_reference
from longfat.web.view import Unknown, View


def figure_kinds() -> list[dict[str, str]]:
    """Return name and summary of the plots of studies."""
    kinds = {name: plots.find(name) for name in plots.PLOTS}
    return [
        {"name": name, "summary": plot.SUMMARY}
        for name, plot in kinds.items()
        if plot.SOURCE in ("study", "ledgers")
    ]


def figure(view: View, name: str, kind: str, table: str) -> dict[str, Any]:
    """Return a plot of a study's table, or of all its tables if `table` is empty.

    Raises `Unknown` for an unknown study or plot, and `LongfatError` for an unknown table and if
    there is nothing to draw.
    """
    study = view.study(name)
    if kind not in {plot["name"] for plot in figure_kinds()}:
        raise Unknown(f"{kind!r} is no plot of a study")
    selection = Selection(tables=(table,) if table else ())
    with view.store() as store:
        plan = in_effect(plan_reference(study, selection), store)
        results = load_results(plan, store)
    is_ledger = plots.find(kind).SOURCE == "ledgers"
    source = ledger_rows(results) if is_ledger else compare_results(plan, results)
    of_table = f" --table {shlex.quote(table)}" if table else ""
    command = (
        f"longfat plot {kind} {shlex.quote(str(study.name))}{of_table} "
        f"--store {shlex.quote(shown(view.location))} -o {kind}.svg"
    )
    drawn = plots.draw(kind, source, command=command)
    return {
        "specification": drawn.vega_lite(),
        "summary": drawn.summary,
        "caption": drawn.sentence,
        "command": command,
        "table": data_table(drawn.rows)._asdict(),
    }
