"""`longfat test-controller`: a congestion control in many situations, with a verdict for each."""

import gzip
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from longfat.base.errors import SituationsFail
from longfat.base.location import shown
from longfat.cli.options import (
    confidence_option,
    control_option,
    jobs_option,
    json_option,
    limit_option,
    overrides_of,
    store_option,
)
from longfat.cli.talk import print_json, print_table, say

if TYPE_CHECKING:
    from longfat.analysis.situations import Tried
    from longfat.report.situations import Drawn
    from longfat.running.limits import Limits
    from longfat.studies.situations import Controller, Situation

_PAGE, _DOCUMENT = "report.html", "verdicts.json"

_TRACE_ERROR = 0.0002
"""Tolerance of traced values, as a share of the most that can be in flight.

The receiver window is tens of times what most paths hold, so the usual one would blur queues.
"""


@click.command("test-controller")
@click.argument("name", metavar="CONTROLLER", required=False)
@control_option
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    help="A setting of the controller's connections, such as flavor.recovery=rack-tlp, "
    "flavor.parameters.beta=0.7, ecn=accurate-ace or tcp.mss=8948B; may be repeated.",
)
@click.option(
    "--situation",
    "chosen",
    multiple=True,
    metavar="NAME|FILE",
    help="Only this situation, or one in a file of your own; may be repeated.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Write a report, and a plot and a qlog for each situation, into FOLDER.",
)
@click.option(
    "--may-fail",
    "may_fail",
    multiple=True,
    metavar="NAME",
    help="A situation whose failure is known, and does not change the exit code; may be repeated.",
)
@click.option("--list", "list_them", is_flag=True, help="List the situations.")
@confidence_option(above=0.5, meaning="Confidence of each verdict.")
@jobs_option
@limit_option
@store_option
@json_option
def command(
    name: str | None,
    settings: Sequence[str],
    chosen: Sequence[str],
    output: Path | None,
    may_fail: Sequence[str],
    list_them: bool,
    confidence: float,
    jobs: int | None,
    limits: Sequence[str],
    store: str,
    as_json: bool,
) -> None:
    """Test the congestion control CONTROLLER in some forty situations.

    CONTROLLER is one that comes with longfat (longfat models "TCP flavor"), or one of your own, as
    --control says. Each situation expects something of it, in a range that has a source. Runs are
    stored: after a change of the controller only its own runs are repeated.

    Example: longfat test-controller cubic

    Example: longfat test-controller mine --control mine=mine.py -o report

    Exit code 1 if an expectation is not met; what is undecided fails nothing.
    """
    from longfat.running.limits import Limits
    from longfat.studies.situations import (
        controller_named,
        find_situation,
        load_situation,
        shipped_situations,
    )

    files = [find_situation(each) for each in chosen or shipped_situations()]
    if list_them:
        _list(files)
        return
    if name is None:
        raise click.UsageError("Missing argument 'CONTROLLER'.")
    _check_known(may_fail, [file.stem for file in files])
    allowed = Limits.of_machine().changed(limits)
    controller = controller_named(name, overrides_of(settings))
    situations = [load_situation(file, controller) for file in files]
    tried = _tried(situations, store, jobs, allowed, confidence)
    if output is not None:
        _write(output, controller, tried, confidence, allowed, jobs)
    if as_json:
        from longfat.report.situations import situations_document

        print_json(situations_document(controller, tried, confidence))
    else:
        _print(tried, confidence)
    failing = [each.situation.name for each in tried if each.fails]
    if unexpected := [situation for situation in failing if situation not in may_fail]:
        raise SituationsFail(f"{controller.name} fails in {', '.join(unexpected)}")


def _check_known(may_fail: Sequence[str], situations: Sequence[str]) -> None:
    """Raise `click.BadParameter` for a name of no chosen situation."""
    from longfat.base.suggestions import nearest_or_known

    for name in may_fail:
        if name not in situations:
            near = nearest_or_known(name, situations)
            raise click.BadParameter(f"no such situation: {name}{near}", param_hint="--may-fail")


def _list(files: Sequence[Path]) -> None:
    from longfat.studies.situations import controller_named, load_situation

    situations = [load_situation(file, controller_named("cubic", {})) for file in files]
    rows = [[each.name, each.category, each.study.title] for each in situations]
    print_table(["situation", "category", "title"], rows)


def _tried(
    situations: "Sequence[Situation]",
    store: str,
    jobs: int | None,
    limits: "Limits",
    confidence: float,
) -> "list[Tried]":
    """Run what the store does not have, and judge each situation."""
    from longfat.analysis.situations import check_expectations, judge_situation
    from longfat.base.numbers import counted
    from longfat.cli.study.run import run_missing
    from longfat.running.campaign import missing_runs
    from longfat.running.execution import Threads, usable_cores
    from longfat.store import Store

    plans = [situation.plan() for situation in situations]
    for situation, plan in zip(situations, plans, strict=True):
        check_expectations(situation, plan)
    with Store.writable(store) as opened:
        missing = {run.scenario.run_id: run for plan in plans for run in missing_runs(plan, opened)}
        runs = sum(plan.distinct_runs for plan in plans)
        say(f"{counted(len(situations), 'situation')}: {runs} runs, {len(missing)} to run")
        executor = Threads(jobs or usable_cores())
        run_missing(list(missing.values()), opened, executor, limits)
        tried = [
            judge_situation(situation, plan, opened, confidence)
            for situation, plan in zip(situations, plans, strict=True)
        ]
        opened.confirm()
    return tried


def _print(tried: "Sequence[Tried]", confidence: float) -> None:
    from longfat.report.claims import undecided
    from longfat.report.situations import COLUMNS, situation_rows, summary, what_fails

    print_table(COLUMNS, situation_rows(tried), close=True, names=2)
    for line in what_fails(tried):
        click.echo(line)
    for each in tried:
        for sentence in undecided(each.judgements):
            click.echo(f"{each.situation.name}: {sentence}")
    click.echo(summary(tried, confidence))


def _write(
    folder: Path,
    controller: "Controller",
    tried: "Sequence[Tried]",
    confidence: float,
    limits: "Limits",
    jobs: int | None,
) -> None:
    """Write the report with a plot and a qlog for each situation."""
    from longfat.base.files import written_whole
    from longfat.report.situations import situations_document, situations_page

    folder.mkdir(parents=True, exist_ok=True)
    drawn = _all_drawn(
        folder, [each.situation for each in tried if not each.failures], limits, jobs
    )
    document = situations_document(controller, tried, confidence)
    texts = {
        _PAGE: situations_page(controller, tried, confidence, drawn),
        _DOCUMENT: json.dumps(document, indent=2, ensure_ascii=False) + "\n",
    }
    for file, text in texts.items():
        with written_whole(folder / file) as temporary:
            temporary.write_text(text, encoding="utf-8")
    say(f"wrote {shown(str(folder / _PAGE))}, with a plot and a qlog for each situation")


def _all_drawn(
    folder: Path, situations: "Sequence[Situation]", limits: "Limits", jobs: int | None
) -> "dict[str, Drawn]":
    """Repeat a run of the tested controller in each situation, and write its plot and its qlog.

    Runs are in this process, which alone has the controls of users; to draw them takes many times
    longer, and is shared by other processes.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    from longfat.running.execution import Watch, usable_cores
    from longfat.running.run import run

    with tempfile.TemporaryDirectory() as temporary:
        pool = ProcessPoolExecutor(jobs or usable_cores(), mp_context=get_context("spawn"))
        try:
            drawn = {}
            for situation in situations:
                traces = Path(temporary) / situation.name
                watch = Watch(traces=traces, error=_TRACE_ERROR)
                run(situation.first_tested(), limits=limits, watch=watch)
                drawn[situation.name] = pool.submit(_drawn, traces, folder / situation.name)
            return {name: future.result() for name, future in drawn.items()}
        finally:
            pool.shutdown(cancel_futures=True)


def _drawn(traces: Path, beginning: Path) -> "Drawn":
    """Write the plot and the qlog of a run into files whose names have this beginning."""
    from longfat import plots
    from longfat.base.files import written_whole
    from longfat.report.situations import Drawn
    from longfat.traces import load_traces
    from longfat.traces.qlog import qlog_lines

    loaded = load_traces(traces)
    (picture,) = plots.draw("three-panel", [loaded]).save(Path(f"{beginning}.png"))
    qlog = Path(f"{beginning}.sqlog.gz")
    with written_whole(qlog) as file:
        file.write_bytes(gzip.compress("".join(qlog_lines(loaded, 1)).encode(), mtime=0))
    return Drawn(picture.read_bytes(), qlog.name)
