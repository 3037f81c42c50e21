"""`longfat study`: list, plan, run, watch and compare studies, and judge their claims."""

import click

from longfat.cli.lazy import LazyGroup


@click.group(
    "study",
    cls=LazyGroup,
    lazy={
        "list": "longfat.cli.study.list",
        "plan": "longfat.cli.study.plan",
        "run": "longfat.cli.study.run",
        "status": "longfat.cli.study.status",
        "compare": "longfat.cli.study.compare",
        "claims": "longfat.cli.study.claims",
        "audit": "longfat.cli.study.audit",
        "verify": "longfat.cli.study.verify",
    },
)
def command() -> None:
    """Reproduce a paper: list, plan, run, watch and compare studies, judge claims, verify runs.

    A STUDY is the name of a shipped study or the path of a folder.
    """
