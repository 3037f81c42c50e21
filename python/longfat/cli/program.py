"""The root command; the file of a verb is imported only when the verb is used."""

import gc
import signal
from typing import Any

import click

from longfat.base.errors import Interrupted
from longfat.cli.lazy import LazyGroup
from longfat.cli.sources import with_place_of_store
from longfat.cli.talk import report_failure

NEXT_STEPS = """\
longfat simulates transport over long fat networks, cell by cell, and compares with papers.

Commands to try next:
  longfat study list                    the studies that come with it
  longfat study run ubr-plus --quick    a small part of one, in a moment
  longfat study compare ubr-plus --quick
  longfat run SCENARIO.toml             one simulation of your own
  longfat smallest --help               the smallest buffer that is enough for it
  longfat view                          all of it in the browser, with a playground
  longfat models                        the models that scenarios can use
  longfat verify                        check the models: laws, examples, traces
  longfat --help                        everything else"""

OBJECTS_BEFORE_COLLECTION = 100_000
"""No garbage collection: commands create no large cycles, and the collector took a sixth of the
time."""


class Program(LazyGroup):
    """The root command: turns failures into one message and an exit code."""

    def invoke(self, context: click.Context) -> Any:
        """Run a verb; `longfat.cli.talk.report_failure` handles its failure."""
        try:
            return super().invoke(context)
        except click.UsageError as error:
            better = with_place_of_store(error)
            if better is error:
                raise
            raise better from error
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Interrupted as interrupted:  # the verb has printed what is stored
            context.exit(interrupted.exit_code)
        except KeyboardInterrupt:
            context.exit(128 + signal.SIGINT)
        except Exception as error:
            exit_code = report_failure(error)
            if exit_code is None:
                raise
            context.exit(exit_code)


@click.group(
    cls=Program,
    lazy={
        "run": "longfat.cli.run",
        "check": "longfat.cli.check",
        "models": "longfat.cli.models",
        "metrics": "longfat.cli.metrics",
        "carrier": "longfat.cli.carrier",
        "schema": "longfat.cli.schema",
        "study": "longfat.cli.study",
        "store": "longfat.cli.store",
        "analyze": "longfat.cli.analyze",
        "plot": "longfat.cli.plot",
        "qlog": "longfat.cli.qlog",
        "export": "longfat.cli.export",
        "emulate": "longfat.cli.emulate",
        "compare-real": "longfat.cli.compare_real",
        "report": "longfat.cli.report",
        "view": "longfat.cli.view",
        "diff": "longfat.cli.diff",
        "smallest": "longfat.cli.smallest",
        "verify": "longfat.cli.verify",
        "test-controller": "longfat.cli.test_controller",
        "schedule": "longfat.cli.schedule",
        "bench": "longfat.cli.bench",
        "doctor": "longfat.cli.doctor",
        "completion": "longfat.cli.completion",
        "man": "longfat.cli.man",
    },
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="longfat")
@click.pass_context
def main(context: click.Context) -> None:
    """Simulate transport over long fat networks, and compare with published results."""
    if context.invoked_subcommand is None:
        click.echo(NEXT_STEPS)


def program() -> None:
    """Run `main` as the program `longfat`, alone in its process; see `longfat.cli.start`."""
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    main()
