"""The record of a run as an object."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars


class Record(dict[str, Any]):
    """The record of a run: a dictionary, as `longfat run --json` prints it, that shows itself."""

    def flows(self) -> "polars.DataFrame":
        """A row for each flow; units are in the names of the columns."""
        return _frame(self["flows"])

    def ports(self) -> "polars.DataFrame":
        """A row for each managed port."""
        return _frame(self["ports"])

    def ledger(self) -> "polars.DataFrame":
        """Where the bottleneck's time went: a row for each cause, in picoseconds and as a share."""
        return _frame(self["ledger"])

    def _repr_html_(self) -> str:
        from longfat.notebook.display import record_html  # takes longer to load than a short run

        return record_html(self)


def _frame(rows: list[dict[str, Any]]) -> "polars.DataFrame":
    import polars

    return polars.DataFrame(rows, infer_schema_length=None)
