"""`longfat verify`: the checks of the models, presets and this kernel beside Linux, and scripts."""

import click

from longfat.cli.lazy import LazyGroup

CHECKS = "checks"


class Verification(LazyGroup):
    """A group whose first verb may be left out."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Insert the verb that is meant when none is named."""
        if not args or args[0] not in {*self.list_commands(context), *context.help_option_names}:
            args = [CHECKS, *args]
        return super().parse_args(context, args)


@click.group(
    "verify",
    cls=Verification,
    lazy={
        CHECKS: "longfat.cli.verify.checks",
        "kernel": "longfat.cli.verify.kernel",
        "linux": "longfat.cli.verify.linux",
        "script": "longfat.cli.verify.script",
    },
)
def command() -> None:
    """Check the models: laws, papers, ns-2; recordings of Linux, and this kernel; scripts.

    Without a verb it is `checks`; what follows are words that choose some of them.

    Example: longfat verify ns-2 reno
    """
