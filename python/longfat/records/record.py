"""The record of a run."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars


class Record(dict[str, Any]):
    """Record of a run: a dictionary as `longfat run --json` prints it, displayed by notebooks.

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
        """Return HTML with the metrics of the run, and all else of `longfat run` folded."""
        from longfat.base.html import element, folded, joined, table
        from longfat.records.tables import record_tables

        (header, metrics, _, remark), *others = record_tables(self)
        return joined([
            element("p", element("b", f"Run {self['run_id'][:12]}"), f", seed {self['seed']}, "
                         f"replication {self['replication']}, engine {self['engine']}"),
            table(header, metrics),
            *([element("p", remark)] if remark else []),
            *(
                folded(f"{title}, the first {len(rows)} of them" if left_out else str(title),
                       table(header, rows))
                for header, rows, title, left_out in others
            ),
        ])  # fmt: skip


def _frame(rows: list[dict[str, Any]]) -> "polars.DataFrame":
    import polars

    return polars.DataFrame(rows, infer_schema_length=None)
