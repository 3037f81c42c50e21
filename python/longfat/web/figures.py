"""Plots of a study by name, as Vega-Lite specifications."""

import shlex
from collections.abc import Mapping
from typing import Any

from longfat import plots
from longfat.base.location import shown
from longfat.plots.data_table import data_table
from longfat.plots.options import ROLES, STUDY_SOURCES, Options, check_factors
from longfat.plots.studies import drawable, options_of, source_of
from longfat.results.comparison import Results
from longfat.results.sequential import in_effect
from longfat.results.stored import load_results
from longfat.studies.plan import Plan, Selection, plan_reference
from longfat.web.view import Unknown, View


def figures_of(plan: Plan, results: Results) -> list[dict[str, Any]]:
    """Return name and summary of the plots that can be drawn, each with its `tables` and `roles`.

    An empty table stands for all of them. Roles are what factors may be: rows, columns, colors or
    markers.
    """
    return [
        {
            "name": kind,
            "summary": plots.find(kind).SUMMARY,
            "tables": tables,
            "roles": [role for role in ROLES if role in plots.find(kind).OPTIONS],
        }
        for kind, tables in drawable(plan, results).items()
    ]


def figure(
    view: View, name: str, kind: str, table: str, roles: Mapping[str, str]
) -> dict[str, Any]:
    """Return a plot of a study's table, or of all its tables if `table` is empty.

    `roles` has a factor for each of the plot's roles that is not left to it. Raises `Unknown` for
    an unknown study or plot, and `LongfatError` for an unknown table or factor and if there is
    nothing to draw.
    """
    study = view.study(name)
    if kind not in plots.PLOTS or plots.find(kind).SOURCE not in STUDY_SOURCES:
        raise Unknown(f"{kind!r} is no plot of a study")
    options = Options(**roles)  # type: ignore[arg-type] # all of them are texts
    check_factors(options, [factor.name for factor in study.factors])
    selection = Selection(tables=(table,) if table else ())
    with view.store() as store:
        plan = in_effect(plan_reference(study, selection), store)
        results = load_results(plan, store)
    source = source_of(kind, plan, results)
    chosen = {"table": table, **roles, "store": shown(view.location)}
    words = " ".join(f"--{key} {shlex.quote(value)}" for key, value in chosen.items() if value)
    command = f"longfat plot {kind} {shlex.quote(str(study.name))} {words} -o {kind}.svg"
    drawn = plots.draw(kind, source, options_of(study, options), command)
    return {
        "specification": drawn.vega_lite(),
        "summary": drawn.summary,
        "caption": drawn.sentence,
        "command": command,
        "table": data_table(drawn.rows)._asdict(),
    }
