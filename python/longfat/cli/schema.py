"""`longfat schema`: the JSON Schema with which editors complete and check files."""

import json
from typing import Any

import click

KINDS = ("scenario", "study", "claims", "orbit", "situation")


@click.command("schema")
@click.argument("kind", type=click.Choice(KINDS), default="scenario")
def command(kind: str) -> None:
    """Print the JSON Schema of a scenario (or study, claims, orbit or situation) file."""
    from longfat.scenarios.editors import for_editors

    click.echo(json.dumps(for_editors(schema_of(kind)), ensure_ascii=False))


def schema_of(kind: str) -> dict[str, Any]:
    """Return the schema of a kind of file, each part of it where it stands."""
    from longfat import _engine

    if kind == "situation":
        from longfat.studies.situation_keys import situation_schema

        return situation_schema()
    schema: dict[str, Any] = json.loads(getattr(_engine, f"{kind}_schema")())
    return schema
