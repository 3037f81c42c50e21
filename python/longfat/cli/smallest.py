"""`longfat smallest`: the smallest setting of a scenario that is enough."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from longfat.base.errors import CheckFailed
from longfat.base.numbers import percentage, significant
from longfat.cli.options import (
    MOST_CONFIDENCE,
    Number,
    control_option,
    jobs_option,
    json_option,
    limit_option,
    overrides_of,
    seed_option,
    settings_option,
)
from longfat.cli.talk import print_json, print_table, say
from longfat.records.directions import is_more_better

if TYPE_CHECKING:
    from longfat.running.searching import Span
    from longfat.statistics.smallest import Found, Verdict

FINEST = 0.001
"""Tells settings to the unit up to a thousand; looks at finer shares would take long to count."""


@click.command("smallest")
@click.argument("scenario")
@click.argument("path")
@click.option(
    "--from",
    "low",
    required=True,
    metavar="SETTING",
    help="The smallest, '50 packets' or '0.10 BDP'.",
)
@click.option("--to", "high", required=True, metavar="SETTING", help="The largest, in that unit.")
@click.option(
    "--reach",
    "target",
    type=Number(min=0),
    required=True,
    metavar="X",
    help="What the mean of the metric is to be: at least, or at most where less is better.",
)
@click.option("--metric", default="efficiency", show_default=True, help="Of which it is the mean.")
@click.option(
    "--of-largest", is_flag=True, help="X is a share of what the largest setting of all yields."
)
@settings_option
@control_option
@seed_option
@click.option(
    "--replications",
    type=click.IntRange(min=2),
    default=8,
    show_default=True,
    metavar="N",
    help="Simulations of each setting.",
)
@click.option(
    "--confidence",
    type=Number(0.5, MOST_CONFIDENCE, min_open=True),
    default=0.95,
    show_default=True,
    metavar="SHARE",
    help="How sure it is that all verdicts are right.",
)
@click.option(
    "--resolution",
    type=Number(FINEST),
    default=0.1,
    show_default=True,
    metavar="SHARE",
    help="By how much what is enough and what is too little may differ.",
)
@jobs_option
@limit_option
@json_option
def command(
    scenario: str,
    path: str,
    low: str,
    high: str,
    target: float,
    metric: str,
    of_largest: bool,
    settings: Sequence[str],
    seed: int | None,
    replications: int,
    confidence: float,
    resolution: float,
    jobs: int | None,
    limits: Sequence[str],
    as_json: bool,
) -> None:
    """Search for the smallest value at PATH of a scenario with which a metric is good enough.

    Values are numbers with a unit or without, in steps of the last decimal of the bounds. The
    search takes it that more of PATH is never worse, and simulates only some of them, each in the
    same N replications; where PATH trades one metric for another, as a buffer does throughput for
    delay, ask for the one that it improves. Exit code 3 when not even the largest value is found
    to be enough.

    Example: longfat smallest geo.toml port.buffer --from '50 packets' --to '4000 packets' --reach
    0.9
    """
    from longfat import _engine
    from longfat.running.limits import Limits
    from longfat.running.searching import Span, smallest_setting

    asked = _Asked(
        path=path,
        span=Span.between(low, high),
        metric=metric,
        target=target,
        of_largest=of_largest,
        replications=replications,
        confidence=confidence,
    )
    overrides = overrides_of(settings, seed)
    try:
        found = smallest_setting(
            scenario,
            path,
            low,
            high,
            target,
            metric=metric,
            of_largest=of_largest,
            overrides=overrides,
            replications=replications,
            confidence=confidence,
            resolution=resolution,
            jobs=jobs,
            limits=Limits.of_machine().changed(limits),
            show=asked.show if sys.stderr is not None and sys.stderr.isatty() else None,
        )
    except KeyboardInterrupt:
        say("stopped; a search stores no partial result")
        raise
    if as_json:
        inputs = {"engine": _engine.ENGINE_VERSION, "scenario": scenario, "set": overrides}
        print_json({**inputs, "resolution": resolution, **asked.document(found)})
    else:
        print_table(*asked.table(found))
    for caution in found.cautions:
        say(caution)
    asked.answer(found)


@dataclass(frozen=True)
class _Asked:
    """What is asked for, and the words for it."""

    path: str
    span: "Span"
    metric: str
    target: float
    of_largest: bool
    replications: int
    confidence: float

    def show(self, setting: float, mean: float, verdict: "Verdict") -> None:
        """Tell of a look."""
        say(f"{self.span.text(setting)}: {self._measured} {significant(mean, 4)}, {verdict}")

    def table(self, found: "Found") -> tuple[list[str], list[list[str]]]:
        """The header and a row for each setting that was tried."""
        rows = [
            [
                self.span.text(setting),
                significant(mean, 4),
                significant(found.half_widths[setting], 2),
                found.verdicts[setting],
            ]
            for setting, mean in found.tried.items()
        ]
        return [self.path, self._measured, "±", "verdict"], rows

    def document(self, found: "Found") -> dict[str, Any]:
        """All of it for programs; settings are numbers of the unit."""
        return {
            "path": self.path,
            "unit": self.span.unit,
            "from": self.span.number(self.span.low),
            "to": self.span.number(self.span.high),
            "metric": self.metric,
            "reach": self.target,
            "of_largest": self.of_largest,
            "more_is_better": is_more_better(self.metric),
            "replications": self.replications,
            "confidence": self.confidence,
            "enough": found.enough,
            "too_little": found.too_little,
            "tried": [
                {
                    "setting": setting,
                    "mean": mean,
                    "half_width": found.half_widths[setting],
                    "verdict": found.verdicts[setting],
                }
                for setting, mean in found.tried.items()
            ],
            "cautions": found.cautions,
        }

    def answer(self, found: "Found") -> None:
        """Say what was found. Raises `CheckFailed` where nothing was found to be enough."""
        by = f"({percentage(self.confidence)} % confidence, {self.replications} replications)"
        sentence = f"{self.path}: {self._finding(found)} {by}"
        if "open" in found.verdicts.values():
            sentence += "; more replications narrow down what is open"
        if found.enough is None:
            raise CheckFailed(sentence)
        say(sentence)
        if not any(found.half_widths.values()):
            say("all replications are the same: nothing in the scenario is left to chance")

    def _finding(self, found: "Found") -> str:
        low, high = self.span.number(self.span.low), self.span.number(self.span.high)
        if found.too_little is None and found.enough is None:
            ends = self.span.text(low), self.span.text(high)
            return f"whether {ends[0]} are enough for {self._need}, or {ends[1]}, is open"
        if found.too_little == high:
            less = "less is taken to be no better"
            return f"even {self.span.text(high)} are not enough for {self._need}, and {less}"
        too_little = (
            f"{self.span.text(low)} may be"
            if found.too_little is None
            else f"{self.span.text(found.too_little)} are too little"
        )
        if found.enough is None:
            return f"{too_little} for {self._need}, and {self.span.text(high)} may be enough or not"
        if found.enough == low:
            return f"already {self.span.text(low)} are enough for {self._need}"
        return f"{self.span.text(found.enough)} are enough for {self._need} and {too_little}"

    @property
    def _measured(self) -> str:
        return f"{self.metric} / largest's" if self.of_largest else self.metric

    @property
    def _need(self) -> str:
        sign = ">=" if is_more_better(self.metric) else "<="
        largest = self.span.text(self.span.number(self.span.high))
        of_what = f" of that with {largest}" if self.of_largest else ""
        return f"{self.metric} {sign} {self.target:g}{of_what}"
