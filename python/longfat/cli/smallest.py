"""`longfat smallest`: search for the smallest value of a setting that is enough."""

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
from longfat.cli.sources import SourceType
from longfat.cli.talk import print_json, print_table, say
from longfat.records.directions import is_more_better

if TYPE_CHECKING:
    from longfat.running.searching import Span
    from longfat.statistics.smallest import Found, Verdict

FINEST = 0.001
"""Finest resolution, a thousandth: finer ones would take too long."""


@click.command("smallest")
@click.argument("scenario", type=SourceType("scenario"))
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
    help="The target of the metric's mean: at least, or at most where less is better.",
)
@click.option("--metric", default="efficiency", show_default=True, help="The metric to reach.")
@click.option(
    "--of-largest", is_flag=True, help="X is a share of the result with the largest setting."
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
    help="Probability that all verdicts are right.",
)
@click.option(
    "--resolution",
    type=Number(FINEST),
    default=0.1,
    show_default=True,
    metavar="SHARE",
    help="Largest ratio between the setting that is enough and the one that is too little.",
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
    """Search for the smallest value at PATH of a scenario with which a metric reaches a target.

    Values are numbers with a unit or without, in steps of the last decimal of the bounds. The
    search assumes that more of PATH is never worse, and simulates only some values, each in the
    same N replications; where PATH trades one metric for another, as a buffer does throughput for
    delay, ask for the one that it improves. Exit code 3 if not even the largest value is enough.

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
    for caution in _cautions(found):
        say(caution)
    asked.answer(found)


def _cautions(found: "Found") -> list[str]:
    """Return the cautions about a search, which stand in every form of its output."""
    said = "all replications are the same: nothing in the scenario is left to chance"
    return [*found.cautions, *([] if any(found.half_widths.values()) else [said])]


@dataclass(frozen=True)
class _Asked:
    """The options of a search, and the words of its output."""

    path: str
    span: "Span"
    metric: str
    target: float
    of_largest: bool
    replications: int
    confidence: float

    def show(self, setting: float, mean: float, verdict: "Verdict") -> None:
        """Print the result of an evaluation."""
        say(f"{self.span.text(setting)}: {self._measured} {significant(mean, 4)}, {verdict}")

    def table(self, found: "Found") -> tuple[list[str], list[list[str]]]:
        """Return the header and a row for each setting that was tried."""
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
        """Return the result as a JSON document; settings are numbers of the unit."""
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
            "cautions": _cautions(found),
        }

    def answer(self, found: "Found") -> None:
        """Print the answer. Raises `CheckFailed` if no setting was found to be enough."""
        by = f"({percentage(self.confidence)} % confidence, {self.replications} replications)"
        sentence = f"{self.path}: {self._finding(found)} {by}"
        if "open" in found.verdicts.values():
            sentence += "; more replications narrow down what is open"
        if found.enough is None:
            raise CheckFailed(sentence)
        say(sentence)

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
