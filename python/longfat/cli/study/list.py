"""`longfat study list`: the studies that come with longfat."""

import click

from longfat.cli.options import json_option
from longfat.cli.talk import print_json, print_table


@click.command("list")
@json_option
def command(as_json: bool) -> None:
    """List the studies that come with longfat."""
    from longfat.studies.definition import load_study, shipped_studies, shipped_study

    studies = [load_study(shipped_study(name)) for name in shipped_studies()]
    if as_json:
        documents = [
            {
                "name": study.name,
                "title": study.title,
                "citation": study.citation,
                "tables": study.tables,
                "folder": str(study.folder),
            }
            for study in studies
        ]
        print_json({"studies": documents})
        return
    rows = [[study.name, study.title, ", ".join(study.tables)] for study in studies]
    print_table(["study", "title", "tables"], rows)
