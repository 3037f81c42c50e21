"""`longfat schema`: the JSON Schema that editors complete and check files with."""

import click


@click.command("schema")
@click.argument("kind", type=click.Choice(["scenario", "study"]), default="scenario")
def command(kind: str) -> None:
    """Print the JSON Schema of a scenario (or study) file."""
    from longfat import _engine

    click.echo(_engine.scenario_schema() if kind == "scenario" else _engine.study_schema())
