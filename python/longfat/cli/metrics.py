"""`longfat metrics`: the metrics of a run, with their definitions."""

import click

from longfat.base.errors import LongfatError
from longfat.cli.options import json_option
from longfat.cli.talk import print_json, print_table, say_where_codes_lead


@click.command("metrics")
@click.argument("name", metavar="METRIC", required=False)
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a table for a document.")
def command(name: str | None, as_json: bool, as_markdown: bool) -> None:
    """List the metrics of a run, or only METRIC: its definition, and if more or less is better.

    `longfat run`, studies, claims and analyses use these names.

    Example: longfat metrics mean_round_trip_s
    """
    from longfat.base.suggestions import nearest_or_known
    from longfat.records.directions import described_metrics

    metrics = described_metrics()
    if name is not None:
        known = [metric.name for metric in metrics]
        if name not in known:
            raise LongfatError(f"no metric is called {name!r}{nearest_or_known(name, known)}")
        metrics = [metric for metric in metrics if metric.name == name]
    if as_json:
        print_json([metric._asdict() for metric in metrics])
        return
    header = ["metric", "better", "what it is"]
    if as_markdown:
        from longfat.report.markdown import markdown_table

        rows = [[f"`{metric.name}`", metric.better or "-", metric.what] for metric in metrics]
        click.echo("\n".join(markdown_table(header, rows)))
        return
    rows = [[metric.name, metric.better or "-", metric.what] for metric in metrics]
    print_table(header, rows)
    say_where_codes_lead(metric.what for metric in metrics)
