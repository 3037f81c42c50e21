"""`longfat schema`: the JSON Schema with which editors complete and check files."""

import click

KINDS = {
    "scenario": "scenario_schema",
    "study": "study_schema",
    "claims": "claims_schema",
    "orbit": "orbit_schema",
}


@click.command("schema")
@click.argument("kind", type=click.Choice(list(KINDS)), default="scenario")
def command(kind: str) -> None:
    """Print the JSON Schema of a scenario (or study, claims or orbit) file."""
    from longfat import _engine

    click.echo(getattr(_engine, KINDS[kind])())
