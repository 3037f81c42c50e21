"""What notebooks show of scenarios, runs and studies: small tables, in the notebook's own style."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longfat.paths import leaves
from longfat.report.elements import Html, element, folded, joined, table
from longfat.report.numbers import formatted

if TYPE_CHECKING:
    from longfat.study import Study

_SHOWN_METRICS = ("efficiency", "fairness", "goodput_bps", "cell_loss_ratio", "packet_loss_ratio")
_MOST_ROWS = 20


def scenario_html(settings: Mapping[str, Any], name: str) -> Html:
    """A resolved scenario: every setting by its path, in base units."""
    rows = [[path, str(value)] for path, value in leaves(settings)]
    topology = settings["topology"]
    said = f"Scenario {name[:12]}: {topology['kind']}, {settings['duration_ps'] / 1e12:g} s"
    return joined(
        [element("p", element("b", said)), folded("Settings", table(["path", "value"], rows))]
    )


def record_html(record: Mapping[str, Any]) -> Html:
    """The metrics of a run, and its flows."""
    metrics = record["metrics"]
    shown = [
        [name.replace("_", " "), formatted(metrics[name], 4)]
        for name in _SHOWN_METRICS
        if metrics.get(name) is not None
    ]
    flows = record["flows"]
    columns = ("name", "flavor", "goodput_bps", "segments_retransmitted", "timeouts")
    rows = [
        [f"{flow[key]:,.0f}" if isinstance(flow[key], float) else str(flow[key]) for key in columns]
        for flow in flows[:_MOST_ROWS]
    ]
    rest = len(flows) - len(rows)
    more = f", the first {_MOST_ROWS} of them" if rest else ""
    header = [column.replace("_", " ") for column in columns]
    return joined([
        element("p", element("b", f"Run {record['run_id'][:12]}"), f", seed {record['seed']}, "
                     f"replication {record['replication']}, engine {record['engine']}"),
        table(["metric", "value"], shown),
        folded(f"{len(flows)} flows{more}", table(header, rows)),
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
