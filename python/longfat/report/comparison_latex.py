"""Comparisons as LaTeX tables."""

from collections.abc import Sequence

from longfat import _engine
from longfat.report.latex import latex_table
from longfat.report.markdown import (
    SUMMARY_COLUMNS,
    curve_rows,
    entry_rows,
    overview_rows,
    part_rows,
    short_rows,
    table_name,
)
from longfat.results.comparison import TableComparison


def comparison_latex(tables: Sequence[TableComparison], confidence: float | None = None) -> str:
    """Return the tables of `comparison_markdown` in LaTeX that needs no package.

    Means of entries have intervals if a `confidence` (0 to 1) is given.
    """
    made = []
    if overview := overview_rows(tables):
        made.append(
            latex_table("All tables", ["table", "response", *SUMMARY_COLUMNS], overview, names=2)
        )
    for table in tables:
        name, names = table_name(table), len(table.factors)
        if table.response.across:
            made.append(latex_table(name, *curve_rows(table), names=names - 1))
        elif table.by:
            made.append(latex_table(f"{name}, by factor", *part_rows(table)))
        made.append(latex_table(name, *entry_rows(table, confidence), names=names))
    return _with_engine(made)


def short_latex(tables: Sequence[TableComparison], factor: str) -> str:
    """Return the agreement of each table with the paper, by the levels of one factor."""
    return _with_engine([latex_table(f"By {factor}", *short_rows(tables, factor))])


def _with_engine(tables: Sequence[str]) -> str:
    return "\n".join([f"% longfat, engine {_engine.ENGINE_VERSION}", *tables])
