"""`longfat study run`: run all missing runs, on all cores; safe to stop and to repeat."""

import shlex
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from longfat.base.errors import Interrupted, LongfatError, OverLimit, RunFailed, StoreGone
from longfat.base.location import shown
from longfat.base.numbers import counted
from longfat.cli.options import (
    Part,
    chosen_executor,
    cluster_option,
    jobs_option,
    json_option,
    limit_option,
    part_options,
    store_option,
    study_argument,
    study_command,
)
from longfat.cli.talk import command_line, print_json, say

if TYPE_CHECKING:
    from longfat.results.sequential import Needed
    from longfat.running.execution import Executor, Progress
    from longfat.running.limits import Limits
    from longfat.store import Store
    from longfat.studies.definition import StudyDefinition
    from longfat.studies.plan import Plan, PlannedRun


class DealType(click.ParamType[tuple[int, int]]):
    """A part of the runs, as `NUMBER/PARTS`: such as 3/20, the third of twenty."""

    name = "N/PARTS"

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[int, int]:
        """Parse the number of the part, from 1, and the number of parts."""
        number, _, parts = str(value).partition("/")
        if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
            self.fail(f"{value!r} is no part, such as 3/20: from 1/20 to 20/20", parameter, context)
        return int(number), int(parts)


@click.command("run")
@study_argument
@part_options
@click.option(
    "--part",
    "deal",
    type=DealType(),
    help="Only one part of these runs, for jobs that share no store: 3/20 is the third of twenty. "
    "`longfat store merge` puts their stores together.",
)
@jobs_option
@cluster_option
@limit_option
@store_option
@json_option
def command(
    study: str,
    part: Part,
    deal: tuple[int, int] | None,
    jobs: int | None,
    cluster: str | None,
    limits: tuple[str, ...],
    store: str,
    as_json: bool,
) -> None:
    """Run what the store does not have yet; it can be stopped and started again.

    A study that asks for a precision gets one replication after the other until its means have it.

    Exit code 1 if runs failed (the others are stored).
    """
    from longfat.results.sequential import needed
    from longfat.running.execution import usable_cores
    from longfat.running.limits import Limits
    from longfat.running.repeat import check_other_builds
    from longfat.running.until_enough import run_until_enough
    from longfat.store import Store
    from longfat.studies.definition import load_study
    from longfat.studies.plan import plan_design

    allowed = Limits.of_machine().changed(limits)
    loaded = load_study(study)
    plan = plan_design(loaded, part.of(loaded))
    if deal is not None:
        if loaded.design.precision.targets and plan.selection.replications is None:
            raise LongfatError(
                f"--part: {loaded.name} adds replications until its means are known, for which all "
                "of its runs are needed in one store; give their number with --replications"
            )
        plan = plan.dealt(*deal)
    with Store.writable(store) as opened:
        if repeated := check_other_builds(plan, opened, jobs or usable_cores()):
            say(f"another build of the engine made some of the runs: {repeated} repeated, the same")
        with chosen_executor(loaded, jobs, cluster) as executor:
            done = run_until_enough(
                plan,
                opened,
                lambda missing: run_missing(missing, opened, executor, allowed),
                _announce,
            )
        failures = opened.failures(list(done.plan.distinct)) if done.failed else {}
        found = needed(plan, opened) if deal is None else None
        opened.confirm()
    if as_json:
        document = {
            "study": loaded.name,
            "store": shown(store),
            "distinct_runs": done.plan.distinct_runs,
            "replications": done.plan.replications,
            "stored_before": done.stored_before,
            "finished": done.finished,
            "failed": done.failed,
            "finished_elsewhere": done.elsewhere,
        }
        print_json(document)
    if failures:
        raise RunFailed(failure_message(failures))
    if found is not None:
        _say_what_is_not_known(loaded, found, study, store)
    if deal is not None:
        number, parts = deal
        say(
            f"part {number} of {parts}, {counted(done.plan.distinct_runs, 'run')}, is in "
            f"{shown(store)}; when all parts are there:\n  longfat store merge longfat.db STORE..."
        )
        return
    next_step = study_command("compare", study, part, store)
    say(f"all {done.plan.distinct_runs} runs are in {shown(store)}; next:\n  {next_step}")


def _say_what_is_not_known(
    study: "StudyDefinition", found: "Needed", name: str, store: str
) -> None:
    from longfat.cli.study.precision import (
        is_missed,
        missed_lines,
        never_known_lines,
        open_number,
    )

    for line in never_known_lines(found):
        say(line)
    if is_missed(study, found):
        for line in missed_lines(found):
            say(f"{line}, with all {found.replications} replications that it may have")
    if found.is_open:
        say(open_number(study, name, store))


def _announce(plan: "Plan", missing: int) -> None:
    study, runs = plan.study, plan.distinct_runs
    replications = ""
    if study.design.precision.targets and plan.selection.replications is None:
        replications = f"{plan.replications} replications (at most {study.design.replications}): "
    say(f"{study.name}: {replications}{runs} runs, {runs - missing} stored, {missing} to run")


def run_missing(
    missing: "list[PlannedRun]", store: "Store", executor: "Executor", limits: "Limits"
) -> "Progress":
    """Run what is missing and show the progress; print how to continue after an interruption.

    Passes on `OverLimit` without this advice, as the same run would be refused again, and
    `StoreGone`, after which nothing is stored.
    """
    from longfat.cli.progress import shown_progress
    from longfat.running.campaign import run_campaign

    try:
        with shown_progress() as show:
            return run_campaign(missing, store, executor, show, limits)
    except (OverLimit, StoreGone):
        raise
    except (LongfatError, Interrupted):
        say(f"finished runs are stored in {store.name}; to continue:\n  {_again(store)}")
        raise


def _again(store: "Store") -> str:
    """Return the running command, with --store even if only the environment names the store."""
    source = click.get_current_context().get_parameter_source("store")
    is_unsaid = source is click.core.ParameterSource.ENVIRONMENT
    return f"{command_line()} --store {shlex.quote(store.name)}" if is_unsaid else command_line()


def failure_message(failures: dict[str, str]) -> str:
    """Return the reasons of failures, given by run id, most frequent first."""
    counts = Counter(failures.values())
    lines = [f"{count} failed: {message}" for message, count in counts.most_common()]
    return "\n".join([*lines, "all other runs are stored"])
