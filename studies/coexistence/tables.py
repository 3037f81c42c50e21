"""What the study's page shows besides `longfat study compare`: each part a Markdown table.

    python studies/coexistence/tables.py harm|delay|completions|newcomers [--quick] [--store STORE]
    python studies/coexistence/tables.py splice [--store STORE] [--replications N]

`harm` is what each control does to each other one, in throughput and in round trips, relative to
what that one has alone; `delay` how long packets wait; `completions` how long short flows take
among long ones; `newcomers` all of that for BBR v3 and Prague. `splice` puts all of them into
README.md. Numbers are means over the replications, or of the deterministic runs where there are no
replications. A part needs all its runs; with --quick those of the study's quick size, and a dash
stands where that has none.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations_with_replacement, product
from pathlib import Path
from statistics import fmean
from typing import Self

from longfat.base.errors import LongfatError
from longfat.base.files import read_text, written_whole
from longfat.base.location import DEFAULT_STORE, shown
from longfat.report.markdown import markdown_table
from longfat.report.splice import spliced
from longfat.results.stored import load_results
from longfat.statistics.harm import harm_to_less_is_better, harm_to_more_is_better
from longfat.statistics.histogram import Histogram
from longfat.store import Store
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.plan import PlannedRun, Selection, plan_reference, selection_of

FOLDER = Path(__file__).parent
COMMAND = "python studies/coexistence/tables.py"

CONTROLS = ("reno", "cubic", "bbr")
QUEUES = ("tail-drop", "pie", "codel", "fq-codel")
BUFFERS = {"25000 B": "1/4", "100000 B": "1", "400000 B": "4"}
"""Each with its bandwidth-delay products of the second connection."""
DEEP = "400000 B"
NEAR, FAR = "1", "4"
NOBODY = "nobody"
QUANTILES = (0.5, 0.95, 0.99)
SHORT, LONG = "flow up to 100 kB", "flow above 1 MB"
PICOSECONDS = 1e12

Table = tuple[list[str], list[list[str]]]


class NotInThisPart(Exception):
    """A combination that the chosen part of the study does not have."""


@dataclass(frozen=True)
class Runs:
    """The runs of some of the study's tables with their metrics, by the levels of the factors."""

    planned: Mapping[tuple[str, ...], Sequence[PlannedRun]]
    metrics: Mapping[tuple[str, ...], Sequence[Mapping[str, float]]]
    store: Store

    @classmethod
    def of(
        cls, study: StudyDefinition, store: Store, tables: Sequence[str], part: Selection
    ) -> Self:
        """Those of a part of the study. Raises `LongfatError` for runs that the store lacks."""
        plan = plan_reference(study, replace(part, tables=tuple(tables)))
        results = load_results(plan, store)
        lacking = plan.lacking(results)
        if lacking:
            raise LongfatError(f"{lacking} runs of the tables {', '.join(tables)} are not there")
        planned: dict[tuple[str, ...], list[PlannedRun]] = {}
        for run in plan.runs:
            if (run.replication > 0) == (plan.replications > 0):
                planned.setdefault(_key(**dict(run.combination)), []).append(run)
        metrics = {
            key: [results[run.combination][run.replication] for run in runs]
            for key, runs in planned.items()
        }
        return cls(planned, metrics, store)

    def mean(self, quantity: Callable[[Mapping[str, float]], float], **levels: str) -> float:
        """The mean of a number that follows from a run's metrics.

        Raises `NotInThisPart` for levels that the part does not have.
        """
        if _key(**levels) not in self.metrics:
            raise NotInThisPart
        return fmean(quantity(run) for run in self.metrics[_key(**levels)])

    def waits(self, **levels: str) -> Histogram:
        """How long packets waited at the bottleneck."""
        ids = [run.scenario.run_id for run in self.planned[_key(**levels)]]
        ports = [self.store.parts(run_id)["ports"][0] for run_id in ids]
        return sum((Histogram.of(port["queue"]["delays"]) for port in ports), Histogram())

    def completions(self, kind: str, **levels: str) -> Histogram:
        """How long flows of a kind took."""
        ids = [run.scenario.run_id for run in self.planned[_key(**levels)]]
        kinds = self.store.completions(ids)
        return sum((Histogram.of(kinds[run_id][kind]["times"]) for run_id in ids), Histogram())

    def round_trip_s(self, **levels: str) -> float:
        """The second connection's round trip without a queue."""
        topology = self.planned[_key(**levels)][0].scenario.settings["topology"]
        one_way = topology["bottleneck"]["delay_ps"] + 2 * topology["access"]["delay_ps"]
        return 2 * float(one_way) / PICOSECONDS


def _key(
    first: str, second: str, queue: str, buffer: str, ratio: str = NEAR, application: str = ""
) -> tuple[str, ...]:
    return (first, second, queue, buffer, ratio, application)


def first_bps(run: Mapping[str, float]) -> float:
    """The goodput of the first connection."""
    return run["goodput_bps"] * run["first_group_share"]


def second_bps(run: Mapping[str, float]) -> float:
    """The goodput of the second connection."""
    return run["goodput_bps"] * (1 - run["first_group_share"])


def harm_to_first(runs: Runs, first: str, second: str, ratio: str = NEAR, **where: str) -> float:
    """What the second connection takes from the throughput of the first, which may be far away."""
    beside = runs.mean(first_bps, first=first, second=second, ratio=ratio, **where)
    alone = runs.mean(first_bps, first=first, second=NOBODY, ratio=ratio, **where)
    return harm_to_more_is_better(alone, beside)


def harm_to_second(runs: Runs, first: str, second: str, ratio: str = NEAR, **where: str) -> float:
    """What the first takes from the second, which has alone what a first at its distance has."""
    beside = runs.mean(second_bps, first=first, second=second, ratio=ratio, **where)
    alone = runs.mean(first_bps, first=second, second=NOBODY, **where)
    return harm_to_more_is_better(alone, beside)


def harm_to_round_trip(runs: Runs, first: str, second: str, **where: str) -> float:
    """By what part of it the first lengthens the round trip that 95 % of packets stay below."""
    base = runs.round_trip_s(first=first, second=second, **where)
    beside = runs.mean(_p95, first=first, second=second, **where)
    alone = runs.mean(_p95, first=second, second=NOBODY, **where)
    return harm_to_less_is_better(base + alone, base + beside)


def _p95(run: Mapping[str, float]) -> float:
    return run["queueing_delay_p95_s"]


def harm_markdown(study: StudyDefinition, store: Store, part: Selection) -> str:
    """Harm in throughput, at equal and at unequal distances, and in round trips."""
    runs = Runs.of(study, store, ("share", "solo"), part)
    one_queue = [queue for queue in QUEUES if queue != "fq-codel"]
    return _titled({
        "**Throughput, equal round trips**": _harm(
            lambda victim, other, **where: harm_to_second(runs, other, victim, **where)
        ),
        "**Throughput of the near one, beside one four times as far**": _harm(
            lambda victim, other, **where: harm_to_second(runs, other, victim, FAR, **where)
        ),
        "**Throughput of the far one, beside one a quarter as far**": _harm(
            lambda victim, other, **where: harm_to_first(runs, victim, other, FAR, **where)
        ),
        "**The round trip that 95 % of packets stay below, equal distances**": _harm(
            lambda victim, other, **where: harm_to_round_trip(runs, other, victim, **where),
            one_queue,
        ),
    })  # fmt: skip


def _harm(harm: Callable[..., float], queues: Sequence[str] = QUEUES) -> Table:
    header = ["queue", "harm to", *(f"by {other}" for other in CONTROLS)]
    rows = []
    for queue, victim in product(queues, CONTROLS):
        row = [queue, victim]
        for other in CONTROLS:
            found = (partial(harm, victim, other, queue=queue, buffer=buffer) for buffer in BUFFERS)
            row.append(_each(_or_dash(value, "{:z.2f}") for value in found))
        rows.append(row)
    return header, rows


def delay_markdown(study: StudyDefinition, store: Store, part: Selection) -> str:
    """Percentiles of the time that packets wait at the bottleneck, of both orders of a pair."""
    runs = Runs.of(study, store, ("share", "solo"), part)
    header = ["queue", "pair", *(f"{products} BDP" for products in BUFFERS.values())]
    pairs = [(control, NOBODY) for control in CONTROLS]
    pairs += combinations_with_replacement(CONTROLS, 2)
    rows = [
        [
            queue,
            _pair(*pair),
            *(
                _milliseconds(_both_ways(runs.waits, pair, queue=queue, buffer=buffer))
                for buffer in BUFFERS
            ),
        ]
        for queue in QUEUES
        for pair in pairs
    ]
    return _titled({"": (header, rows)})


def _both_ways(
    histogram: Callable[..., Histogram], pair: tuple[str, str], **where: str
) -> Histogram:
    """The sum over who of a pair is first."""
    ordered = {pair} if NOBODY in pair else {pair, pair[::-1]}
    found = [histogram(first=first, second=second, **where) for first, second in sorted(ordered)]
    return sum(found, Histogram())


def _milliseconds(times: Histogram, decimals: int = 1) -> str:
    return _each(f"{1000 * times.quantile_seconds(share):.{decimals}f}" for share in QUANTILES)


def completions_markdown(study: StudyDefinition, store: Store, part: Selection) -> str:
    """How long short flows take among long ones, and long ones in the median."""
    runs = Runs.of(study, store, ("flows",), part)
    header = ["queue", "pair", "buffer", "up to 100 kB", "above 1 MB"]
    buffers = [name for name in BUFFERS if any(name in key for key in runs.planned)]
    rows = [
        [queue, _pair(*pair), f"{BUFFERS[buffer]} BDP", *_flows(runs, pair, queue, buffer)]
        for queue in QUEUES
        for pair in combinations_with_replacement(CONTROLS, 2)
        for buffer in buffers
    ]
    return _titled({"": (header, rows)})


def _flows(runs: Runs, pair: tuple[str, str], queue: str, buffer: str) -> list[str]:
    where = {"queue": queue, "buffer": buffer, "application": "flows"}
    short, long = (
        _both_ways(partial(runs.completions, kind), pair, **where) for kind in (SHORT, LONG)
    )
    return [_milliseconds(short, 0), f"{long.quantile_seconds(0.5):.2f}"]


def newcomers_markdown(study: StudyDefinition, store: Store, part: Selection) -> str:
    """BBR v3 behind tail drop and Prague behind a dual queue: shares, harm both ways and delay."""
    runs = Runs.of(study, store, ("share", "solo", "bbr3", "l4s", "classic"), part)
    return _titled({
        "**BBR v3 behind tail drop**": _newcomer(runs, "bbr3", "tail-drop", BUFFERS),
        "**Prague behind a dual queue**": _newcomer(runs, "prague", "dualpi2", [DEEP]),
    })  # fmt: skip


def _newcomer(runs: Runs, control: str, queue: str, buffers: Iterable[str]) -> Table:
    header = ["beside", "buffer", f"{control}'s share", f"harm to {control}", "harm by it",
              "packets wait"]  # fmt: skip
    rows = []
    for other in (*CONTROLS, control, NOBODY):
        for buffer in buffers:
            where = {"queue": queue, "buffer": buffer}
            pair = {"first": control, "second": other, **where}
            row = [other, f"{BUFFERS[buffer]} BDP"]
            if other == NOBODY:
                row += ["-", "-", "-"]
            else:
                suffered = harm_to_first(runs, control, other, **where)
                done = harm_to_second(runs, control, other, **where)
                share = runs.mean(lambda run: run["first_group_share"], **pair)
                row += [f"{share:.2f}", f"{suffered:z.2f}", f"{done:z.2f}"]
            rows.append([*row, _milliseconds(runs.waits(**pair))])
    return header, rows


def _or_dash(value: Callable[[], object], form: str = "{}") -> str:
    try:
        return form.format(value())
    except NotInThisPart:
        return "-"


def _pair(first: str, second: str) -> str:
    return f"{first} alone" if second == NOBODY else f"{first}, {second}"


def _each(values: Iterable[str]) -> str:
    return " / ".join(values)


def _titled(tables: Mapping[str, Table]) -> str:
    lines: list[str] = []
    for title, table in tables.items():
        lines += [*([title, ""] if title else []), *markdown_table(*table), ""]
    return "\n".join(lines)


PARTS: Mapping[str, Callable[[StudyDefinition, Store, Selection], str]] = {
    "harm": harm_markdown,
    "delay": delay_markdown,
    "completions": completions_markdown,
    "newcomers": newcomers_markdown,
}


def main() -> None:
    """Print a part, or splice all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("part", choices=[*PARTS, "splice"])
    parser.add_argument("--store", default=DEFAULT_STORE, help="where the runs are kept")
    parser.add_argument("--replications", type=int, help="as many as this, not all of the design")
    parser.add_argument("--quick", action="store_true", help="the quick size of the study")
    options = parser.parse_args()
    if options.quick and options.part == "splice":
        parser.error("the page has the whole study, not its quick size")
    parts = list(PARTS) if options.part == "splice" else [options.part]
    study = load_study(FOLDER)
    small = study.quick if options.quick else None
    chosen = selection_of((), None, options.replications, small)
    try:
        with Store.readable(options.store) as store:
            texts = {part: PARTS[part](study, store, chosen) for part in parts}
    except LongfatError as error:
        parser.exit(2, f"{shown(options.store)}: {error}\n")
    if options.part == "splice":
        _splice(texts)
    else:
        print(texts[options.part], end="")


def _splice(texts: Mapping[str, str]) -> None:
    page = FOLDER / "README.md"
    text = read_text(page)
    for part, table in texts.items():
        text = spliced(text, f"{COMMAND} {part}", table, str(page))
    with written_whole(page) as temporary:
        temporary.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
