"""Options shared by several verbs."""

import functools
import math
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from longfat.base.errors import LongfatError
from longfat.base.location import DEFAULT_STORE, in_commands
from longfat.cli.sources import SourceType
from longfat.cli.talk import say
from longfat.scenarios.settings import TextOfFile, undone_by
from longfat.statistics.intervals import DEFAULT_CONFIDENCE

if TYPE_CHECKING:
    from longfat.results.caution import Caution
    from longfat.running.execution import Executor
    from longfat.store import Store
    from longfat.studies.definition import StudyDefinition
    from longfat.studies.plan import Selection
    from longfat.studies.readings import Quick
    from longfat.studies.reference import Combination

MOST_CONFIDENCE = 0.9999
"""Largest confidence: more means intervals of hundreds of standard errors."""


class Number(click.FloatRange):
    """A finite number in a range; click accepts NaN in every range, and infinity in open ones."""

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> float:
        """Parse a number; fails as other types of click do."""
        number: float = super().convert(value, parameter, context)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", parameter, context)
        return number


def confidence_option(
    above: float = 0, meaning: str = "Confidence of the intervals."
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option `--confidence`, a share that is more than `above`."""
    return click.option(
        "--confidence",
        type=Number(above, MOST_CONFIDENCE, min_open=True),
        default=DEFAULT_CONFIDENCE,
        show_default=True,
        metavar="SHARE",
        help=meaning,
    )


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")

study_argument = click.argument("study", metavar="STUDY", type=SourceType("study"))

store_option = click.option(
    "--store",
    type=SourceType("store"),
    metavar="PATH_OR_URL",
    envvar="LONGFAT_STORE",
    default=DEFAULT_STORE,
    show_default=True,
    help="The store of the runs; also set by LONGFAT_STORE.",
)

jobs_option = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    metavar="N",
    help="Simulations at a time.  [default: all cores]",
)

cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Simulate on the workers of a Dask cluster: local[:WORKERS], ssh:HOST[,HOST...], "
    "slurm[:JOBS], the address of a scheduler, or its scheduler file.",
)


def limit_option_with(defaults: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option `--limit` of a verb; `defaults` describes its defaults."""
    return click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="NAME=VALUE",
        help="The most that a run may use: events=1e9, wall='60 s', memory='2 GiB', or none; may "
        f"be repeated.  [default: {defaults}]",
    )


limit_option = limit_option_with("events=1e12, memory=80 % of the machine's")

settings_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    help="Set a value of the scenario, such as topology.sources=15, or path.steps=@FILE to "
    "the content of a file; may be repeated.",
)


def _use_controls(
    _context: click.Context, parameter: click.Parameter, controls: Sequence[str]
) -> None:
    for said in controls:
        name, equals, location = said.partition("=")
        if not equals:
            raise click.BadParameter(
                f"{said!r}: expected NAME=FILE, such as mine=control.py", param=parameter
            )
        from longfat.controls import use_control

        use_control(name.strip(), location.strip())


control_option = click.option(
    "--control",
    multiple=True,
    metavar="NAME=FILE",
    callback=_use_controls,
    expose_value=False,
    help="A congestion control of your own for flavors of kind external: Python (FILE or "
    "FILE:CLASS) or a shared library; may be repeated.",
)

seed_option = click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", help="As --set seed=N."
)

replications_option = click.option(
    "--replications",
    type=click.IntRange(min=0),
    metavar="N",
    help="Replications besides the deterministic one.  [default: the study's]",
)

splice_option = click.option(
    "--splice",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="PAGE",
    help="Put the Markdown into a page, between the comments that name this command.",
)


@dataclass(frozen=True)
class Part:
    """The options that choose a part of a study."""

    tables: str | None
    where: str | None
    replications: int | None
    quick: bool

    @property
    def arguments(self) -> str:
        """The options as on the command line, each after a space."""
        options = {
            "--table": self.tables,
            "--where": self.where,
            "--replications": self.replications,
        }
        return options_said(options) + (" --quick" if self.quick else "")

    def of(self, study: "StudyDefinition", quick: "Quick | None" = None) -> "Selection":
        """Return the selection; `quick` is the small part, by default the study's."""
        from longfat.base.cells import names_in
        from longfat.studies.plan import selection_of

        tables = names_in(self.tables, f"--table {self.tables!r}") if self.tables else []
        small = (quick or study.quick) if self.quick else None
        return selection_of(tables, self.where, self.replications, small)


WHOLE = Part(tables=None, where=None, replications=None, quick=False)


def options_said(options: Mapping[str, object]) -> str:
    """Format options as on the command line, each after a space; leave out those that are None."""
    return "".join(
        f" {option} {shlex.quote(str(value))}"
        for option, value in options.items()
        if value is not None
    )


def overrides_of(
    settings: Sequence[str], seed: int | None = None, option: str = "--set"
) -> dict[str, str]:
    """Return the settings of an option by path.

    Raises `click.BadParameter` for a setting that would undo another one, and `LongfatError` for a
    value in a file that cannot be read.
    """
    overrides: dict[str, str] = {}
    for text in settings:
        path, value = _assignment(text, option)
        undone = undone_by(path, overrides)
        if undone is not None:
            raise click.BadParameter(
                f"{path} would undo {undone}: set it before", param_hint=option
            )
        overrides[path] = value
    if seed is not None:
        if "seed" in overrides:
            raise click.BadParameter("--set has a seed as well", param_hint="--seed")
        overrides["seed"] = str(seed)
    return overrides


def _assignment(text: str, option: str) -> tuple[str, str]:
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise click.BadParameter(f"{text!r} is not PATH=VALUE", param_hint=option)
    return path.strip(), _value(value.strip())


def _value(text: str) -> str:
    """Return the text, or the content of @FILE, which may exceed the length of a command line.

    Raises `LongfatError` for a file that cannot be read.
    """
    from longfat.base.files import read_text

    return TextOfFile(read_text(Path(text[1:])), text) if text.startswith("@") else text


def opened_store(location: str) -> "Store":
    """Open a store read-only; only the default one may be absent (see `say_if_new`).

    Raises `LongfatError` as `Store.existing` does.
    """
    from longfat.store import Store

    return (Store.readable if location == DEFAULT_STORE else Store.existing)(location)


def say_if_new(store: "Store") -> None:
    """Print a note if the store does not exist, which explains why all runs are missing."""
    if store.is_new:
        say(f"{store.name}: no such store yet")


def say_cautions(study: str, cautions: "Mapping[str, Iterable[Caution]]") -> None:
    """Print cautions about results by what they are about, such as "table A", or "".

    Of those that need many words only the names are printed, with the command that explains them.
    Which runs are missing the callers print, with the command that runs them.
    """
    found = [(f"{about}: " if about else "", one) for about, own in cautions.items() for one in own]
    for about, caution in found:
        if caution.kind in ("missing metric", "no chance", "undelivered"):
            say(f"{about}{caution.said}")
    explained = ("heavy tail", "short runs", "warm-up")
    affected = list(dict.fromkeys(one.kind for _, one in found if one.kind in explained))
    if affected:
        *others, last = affected
        names = f"{', '.join(others)} and {last}" if others else last
        status = f"longfat study status {shlex.quote(study)}"
        say(f"{names}: `{status}` explains the effect on these results")


def study_command(verb: str, study: str, part: Part, store: str) -> str:
    """Return the command line that does `verb` with the same part of the study."""
    chosen = options_said({"--store": in_commands(store) or None})
    return f"longfat study {verb} {shlex.quote(study)}{part.arguments}{chosen}"


def commands_to_run(
    study: "StudyDefinition",
    incomplete: "Collection[Combination]",
    name: str,
    part: Part,
    store: str,
) -> str:
    """Return the commands that run these factor combinations of a part of a study, a line each.

    Combinations that only tables have do not run with the design: their tables must be named.
    """
    designed = set(study.combinations)
    beyond = [] if part.tables else [found for found in incomplete if found not in designed]
    parts = [part] if len(beyond) < len(incomplete) else []
    if beyond:
        parts.append(replace(part, tables=",".join(study.tables_of(beyond))))
    return "\n  ".join(study_command("run", name, each, store) for each in parts)


def part_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose a part of a study; the command gets them as `part`."""

    @functools.wraps(command)
    def with_part(
        *,
        tables: str | None,
        where: str | None,
        replications: int | None,
        quick: bool,
        **others: Any,
    ) -> Any:
        return command(part=Part(tables, where, replications, quick), **others)

    decorated: Callable[..., Any] = with_part
    for option in reversed(_PART_OPTIONS):
        decorated = option(decorated)
    return decorated


_PART_OPTIONS = (
    click.option(
        "--table",
        "tables",
        metavar="NAME[,NAME]",
        help="Only the rows of these tables of the paper.",
    ),
    click.option(
        "--where",
        metavar="EXPR",
        help="Only the runs that meet an SQL condition over the factors and `replication`, "
        "such as \"config = 'lan' AND sources > 5\".",
    ),
    replications_option,
    click.option("--quick", is_flag=True, help="Only the study's own small part."),
)


@contextmanager
def chosen_executor(
    study: "StudyDefinition", jobs: int | None, cluster: str | None
) -> "Iterator[Executor]":
    """Yield the executor of a study: `jobs` threads (all cores if None), or a cluster.

    Raises `LongfatError` if both are given, for a cluster if the study has controls of its own, for
    an invalid control, and as `longfat.running.cluster.cluster_at`.
    """
    if cluster is None:
        from longfat.running.execution import Threads, usable_cores

        for name, control in study.controls.items():
            control.provide(name, load=True)
        yield Threads(jobs or usable_cores())
        return
    if jobs:
        raise LongfatError("--jobs counts threads of this process, and --cluster uses none of them")
    if study.controls:
        raise LongfatError(f"--cluster: the controls of {study.name} are in this process only")
    from longfat.running.cluster import cluster_at

    with cluster_at(cluster) as executor:
        yield executor
