"""HTML of studies in notebooks: small tables, in the notebook's own style."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longfat.base.html import Html, element, joined, table

if TYPE_CHECKING:
    from longfat.studies.definition import StudyDefinition


def study_html(study: "StudyDefinition", done: int, planned: int, store: str) -> Html:
    """Show a study: its title, what varies, and how many of its runs are stored."""
    rows = [[factor.name, ", ".join(factor.levels)] for factor in study.factors]
    return joined([
        element("p", element("b", study.title), element("br"), study.citation),
        table(["factor", "levels"], rows),
        element("p", f"{done} of {planned} runs are in {store}."),
    ])  # fmt: skip


def tables_html(titles_with_tables: Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]]
) -> Html:  # fmt: skip
    """Show several tables with their titles."""
    return joined(table(header, rows, title) for title, header, rows in titles_with_tables)
