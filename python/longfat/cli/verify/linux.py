"""`longfat verify linux`: hold a preset against recordings of the Linux kernel."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from longfat.base.errors import RecordingsDiffer
from longfat.cli.options import jobs_option, json_option, overrides_of, settings_option
from longfat.cli.talk import print_json, print_table, say

if TYPE_CHECKING:
    from longfat.verification.linux import HeldOut, Verification


@click.command("linux")
@click.option(
    "--preset", default="linux-6.12", show_default=True, metavar="NAME", help="The TCP preset."
)
@click.option("--only", metavar="GLOB", help="Only experiments with such names: 'cubic-10mbit-*'.")
@click.option(
    "--held-out",
    type=click.Choice(["none", "only", "both"]),
    default="both",
    show_default=True,
    help="Experiments kept for judging models. With none, their recordings are not read: for "
    "those who mend a model.",
)
@settings_option
@jobs_option
@json_option
def command(
    preset: str,
    only: str | None,
    held_out: "HeldOut",
    settings: Sequence[str],
    jobs: int | None,
    as_json: bool,
) -> None:
    """Hold a preset of longfat against recordings of the TCP of Linux.

    Prints for each recording the measures of both and the first packet in which they differ, then
    a summary by control and by queue discipline. What longfat cannot have is listed with the
    reason. Exit code 1 if a measure is outside of its band without a known reason.

    Example: longfat verify linux --held-out none --only 'cubic-10mbit-*'
    """
    from longfat.running.execution import usable_cores
    from longfat.verification.linux import chosen, verify
    from longfat.verification.summary import document

    overrides = [(path, value, "--set") for path, value in overrides_of(settings).items()]
    verification = verify(preset, chosen(only, held_out), jobs or usable_cores(), overrides)
    if as_json:
        print_json(document(verification))
    else:
        _print(verification)
    outside = verification.outside
    if outside:
        raise RecordingsDiffer(
            f"{len(outside)} measures of {len({each.name for each, _ in outside})} recordings are "
            "outside of their bands"
        )
    say("every measure is within its band, or explained")


def _print(verification: "Verification") -> None:
    from longfat.verification.summary import SUMMARY_COLUMNS, figure, summaries

    for held_out in (False, True):
        compared = [each for each in verification.compared if each.experiment.held_out is held_out]
        left_out = [each for each in verification.left_out if each[0].held_out is held_out]
        if not compared and not left_out:
            continue
        heading = "held out" if held_out else "not held out"
        rows = [
            [
                each.name,
                f"{finding.measure} {finding.flow}".strip(),
                finding.unit,
                figure(finding.linux),
                figure(finding.longfat),
                figure(finding.difference),
                figure(finding.half_width),
                figure(finding.widened) if finding.widened else "",
                finding.verdict,
                finding.reason,
            ]
            for each in compared
            for finding in each.findings
        ]
        columns = [
            "recording", "measure", "unit", "Linux", "longfat", "difference", "band", "widened by",
            "verdict", "reason",
        ]  # fmt: skip
        print_table(columns, rows, f"measures, {heading}", names=2)
        events = [[each.name, str(each.divergence or "random losses")] for each in compared]
        print_table(["recording", "first difference"], events, f"packets in order, {heading}")
        if left_out:
            print_table(
                ["experiment", "not compared"],
                [[experiment.name, reason] for experiment, reason in left_out],
                f"not compared, {heading}: {len(left_out)}",
            )
        print_table(SUMMARY_COLUMNS, summaries(compared), f"summary, {heading}")
    for entry in verification.stale:
        say(f"stale: {entry.measure} of {entry.experiment} no longer differs; remove it from the"
            " explained differences")  # fmt: skip
