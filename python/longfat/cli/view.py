"""`longfat view`: a local web page of studies, runs and a playground."""

from collections.abc import Sequence

import click
from click.core import ParameterSource

from longfat.base.extras import need
from longfat.base.location import DEFAULT_STORE
from longfat.base.systems import need_posix
from longfat.cli.options import jobs_option, limit_option_with
from longfat.cli.sources import SourceType
from longfat.cli.talk import say


@click.command("view")
@click.argument("store", type=SourceType("store"), envvar="LONGFAT_STORE", default=DEFAULT_STORE)
@click.option("--store", "also", type=SourceType("store"), metavar="STORE", help="As STORE.")
@click.option(
    "--study",
    "studies",
    multiple=True,
    type=SourceType("study"),
    metavar="PATH",
    help="A study of your own to show besides the shipped ones; may be repeated.",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. Any but the loopback lets others on the network connect.",
)
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    metavar="N",
    help="The port.  [default: 8747, or any free one if that is taken]",
)
@click.option("--open", "opens", is_flag=True, help="Open it in the browser.")
@jobs_option
@limit_option_with("events=3e8, wall='30 s', memory='1 GiB'")
def command(
    store: str,
    also: str | None,
    studies: Sequence[str],
    host: str,
    port: int | None,
    opens: bool,
    jobs: int | None,
    limits: Sequence[str],
) -> None:
    """Show a store in the browser: studies, live while they run, single runs, and a playground.

    STORE is a path or URL; it is opened read-only, and need not exist yet. The printed address
    contains a token: only who has it gets access.

    Example: longfat view longfat.db --open
    """
    store = _one_of(store, also)
    from longfat.running.execution import usable_cores

    need_posix("longfat view")
    need("ui", "longfat view")
    from longfat.web.server import serve
    from longfat.web.view import View, default_limits

    def ready(addresses: list[str]) -> None:
        click.echo("\n".join(addresses))
        say("Ctrl-C ends it.")
        if opens:
            import webbrowser

            webbrowser.open(addresses[0])

    view = View(store, studies, default_limits().changed(limits))
    serve(view, host, port, jobs or usable_cores(), ready)


def _one_of(store: str, also: str | None) -> str:
    """Return the store, given as the argument or by --store as other verbs have it."""
    source = click.get_current_context().get_parameter_source("store")
    if also is not None and source is ParameterSource.COMMANDLINE and also != store:
        raise click.UsageError(f"STORE is {store} and --store is {also}: give one of them")
    return store if also is None else also
