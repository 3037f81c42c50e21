"""`longfat verify kernel`: hold this machine's kernel against recordings of Linux."""

from typing import TYPE_CHECKING

import click

from longfat.base.errors import InvalidInput, RecordingsDiffer
from longfat.base.systems import need_linux
from longfat.cli.options import jobs_option, json_option
from longfat.cli.real_time import core_option, priority_of, priority_option, spin_of, spin_option
from longfat.cli.talk import print_json, print_table, say

if TYPE_CHECKING:
    from longfat.emulation.recorded import KernelComparison, RealRun
    from longfat.verification.linux import HeldOut

_MICROSECONDS = 1e6


@click.command("kernel")
@click.option("--only", metavar="GLOB", help="Only experiments with such names: 'cubic-10mbit-*'.")
@click.option(
    "--held-out",
    type=click.Choice(["none", "only", "both"]),
    default="both",
    show_default=True,
    help="Experiments kept for judging models, as of longfat verify linux.",
)
@click.option(
    "--preset", default="linux-6.12", show_default=True, metavar="NAME", help="The TCP beside it."
)
@click.option(
    "--repetitions",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Runs of each experiment, of which means are judged.",
)
@priority_option
@core_option
@spin_option
@jobs_option
@json_option
def command(
    only: str | None,
    held_out: "HeldOut",
    preset: str,
    repetitions: int,
    priority: str,
    core: int | None,
    spin: str,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Hold this machine's kernel against recordings of the TCP of Linux, in real time.

    A program sends over the network of each recording, as longfat emulate runs it. Its measures
    stand beside those of the recording and of longfat, and are judged by the bands of longfat
    verify linux. Experiments are those of one sender up to 100 Mbit/s, with the congestion controls
    that this kernel has. A run takes as long as the recording did: seconds to half a minute.

    Needs what longfat emulate needs. Exit code 1 if a measure of this kernel is outside of its band
    around the recording's. Runs with late packets are not judged.

    Example: longfat verify kernel --only 'bbr-10mbit-*'
    """
    need_linux("longfat verify kernel")
    from longfat.emulation.recorded import hold, refusal
    from longfat.emulation.timing import Timing
    from longfat.running.execution import usable_cores
    from longfat.verification.linux import chosen

    timing = Timing(priority_of(priority), core, spin_of(spin))
    refused = {each.name: (each, refusal(each)) for each in chosen(only, held_out)}
    possible = [each for each, reason in refused.values() if reason is None]
    if not possible:
        raise InvalidInput([f"{name}: {reason}" for name, (_, reason) in refused.items()])
    compared = hold(
        preset,
        possible,
        jobs or usable_cores(),
        timing=timing,
        repetitions=repetitions,
        tell=_tell,
    )
    if as_json:
        left_out = [
            {"experiment": name, "reason": reason}
            for name, (_, reason) in refused.items()
            if reason is not None
        ]
        recordings = [each.document() for each in compared]
        print_json({"preset": preset, "recordings": recordings, "not_compared": left_out})
    else:
        _print(compared)
        say(f"not compared: {len(refused) - len(possible)} other experiments; --json has reasons")
    outside = [row for each in compared for row in each.outside]
    if outside:
        raise RecordingsDiffer(
            f"{len(outside)} measures of this kernel are outside of their bands around the "
            "recordings"
        )
    say("every measure of this kernel that is judged is within its band")


def _tell(name: str, run: "RealRun") -> None:
    lateness = run.emulation["lateness"]
    times = (f"{_MICROSECONDS * lateness[key]:,.0f}" for key in ("p50_s", "p99_s", "max_s"))
    verdict = "" if run.is_on_time else ", LATE"
    say(f"{name}: packets were {' / '.join(times)} us late (median, p99, most){verdict}")


def _print(compared: "list[KernelComparison]") -> None:
    from longfat.verification.summary import figure

    rows = [
        [
            each.model.name,
            f"{row.measure} {row.flow}".strip(),
            row.unit,
            figure(row.recorded),
            figure(row.kernel),
            figure(row.longfat),
            figure(row.half_width),
            row.verdict,
            row.verdict_of_longfat,
            row.reason,
        ]
        for each in compared
        for row in each.rows
    ]
    columns = [
        *("recording", "measure", "unit", "recorded", "this kernel", "longfat", "band"),
        *("beside the recording", "beside longfat", "reason"),
    ]
    print_table(columns, rows, "this kernel beside recordings and longfat", names=2)
