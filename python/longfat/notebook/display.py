"""What notebooks show of scenarios, runs and studies: small tables, in the notebook's own style."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longfat.base.html import Html, element, folded, joined, table
from longfat.base.units import PICOSECONDS_PER_SECOND
from longfat.paths import leaves
from longfat.report.record import record_tables

if TYPE_CHECKING:
    from longfat.study import Study


def scenario_html(settings: Mapping[str, Any], name: str) -> Html:
    """A resolved scenario: every setting by its path, in base units."""
    rows = [[path, str(value)] for path, value in leaves(settings)]
    said = element("b", scenario_words(settings, name))
    return joined([element("p", said), folded("Settings", table(["path", "value"], rows))])


def scenario_words(settings: Mapping[str, Any], name: str) -> str:
    """A scenario in a line."""
    topology = settings["topology"]["kind"]
    seconds = settings["duration_ps"] / PICOSECONDS_PER_SECOND
    from_seconds = settings.get("measure", {}).get("from_ps", 0) / PICOSECONDS_PER_SECOND
    measured = f", measured from {from_seconds:g} s on" if from_seconds else ""
    return f"Scenario {name[:12]}: {topology}, {seconds:g} s{measured}"


def record_html(record: Mapping[str, Any]) -> Html:
    """The metrics of a run, and folded away all else that `longfat run` prints."""
    (header, metrics, _, remark), *others = record_tables(record)
    return joined([
        element("p", element("b", f"Run {record['run_id'][:12]}"), f", seed {record['seed']}, "
                     f"replication {record['replication']}, engine {record['engine']}"),
        table(header, metrics),
        *([element("p", remark)] if remark else []),
        *(
            folded(f"{title}, the first {len(rows)} of them" if left_out else str(title),
                   table(header, rows))
            for header, rows, title, left_out in others
        ),
    ])  # fmt: skip


def study_html(study: "Study", done: int, planned: int, store: str) -> Html:
    """A study: what it asks, what varies, and how much of it is done."""
    rows = [[factor.name, ", ".join(factor.levels)] for factor in study.factors]
    return joined([
        element("p", element("b", study.title), element("br"), study.citation),
        table(["factor", "levels"], rows),
        element("p", f"{done} of {planned} runs are in {store}."),
    ])  # fmt: skip


def tables_html(titles_with_tables: Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]]
) -> Html:  # fmt: skip
    """Several tables with their titles."""
    return joined(table(header, rows, title) for title, header, rows in titles_with_tables)
