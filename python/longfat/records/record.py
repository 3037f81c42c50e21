"""Records of runs, as dictionaries with tables."""

from typing import TYPE_CHECKING, Any

from longfat.base.extras import need

if TYPE_CHECKING:
    import polars


_IN_SIGHT = frozenset({"completions", "metrics"})
"""Titles of the tables that are not folded."""


class Record(dict[str, Any]):
    """Record of a run: a dictionary as `longfat run --json` prints it, there with remarks.

    It has the run's metrics, flows, ports, work and provenance.
    """

    def flows(self) -> "polars.DataFrame":
        """Return a data frame with a row for each flow; column names include units."""
        return _frame(self["flows"])

    def ports(self) -> "polars.DataFrame":
        """Return a data frame with a row for each managed port; column names include units."""
        return _frame(self["ports"])

    def ledger(self) -> "polars.DataFrame":
        """Return the bottleneck's capacity ledger: a row for each cause, in ps and as a share."""
        return _frame(self["ledger"])

    def _repr_html_(self) -> str:  # called by notebooks
        """Return HTML with the screen of `longfat run`; what is about parts is folded."""
        from longfat.base.html import element, folded, joined, table
        from longfat.records.screen import screen_tables
        from longfat.records.tables import remarks

        tables = screen_tables(self)
        return joined([
            element("p", element("b", f"Run {self['run_id'][:12]}"), f", seed {self['seed']}, "
                         f"replication {self['replication']}, engine {self['engine']}"),
            *(table(header, rows) for header, rows, title, _ in tables if title in _IN_SIGHT),
            *(element("p", remark) for remark in remarks(self)),
            *(
                folded(str(title), table(header, rows))
                for header, rows, title, _ in tables
                if title not in _IN_SIGHT
            ),
        ])  # fmt: skip


def _frame(rows: list[dict[str, Any]]) -> "polars.DataFrame":
    need("analysis", "a data frame", "polars")
    import polars

    return polars.DataFrame(rows, infer_schema_length=None)
