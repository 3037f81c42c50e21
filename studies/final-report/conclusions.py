"""What the report concludes, what the stored runs say about it, and whether that agrees.

    python studies/final-report/conclusions.py [--store STORE] [--splice]

prints a Markdown table, or puts it into README.md. Each conclusion is a number taken from the
study's tables and a bound that says what the report's words amount to; without all the runs that
it needs, it is undecided.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Literal

from longfat.comparison import TableComparison
from longfat.files import read_text, written_whole
from longfat.plan import Selection, plan_reference
from longfat.reference import Combination
from longfat.report.numbers import formatted
from longfat.report.splice import spliced
from longfat.results import compare_results, load_results
from longfat.store import Store
from longfat.study import Study, load_study

FOLDER = Path(__file__).parent
COMMAND = "python studies/final-report/conclusions.py"
HEADER = ("task", "the report", "measured here", "bound", "value", "verdict")

SATELLITES = ("meo", "geo")
TRANSFER_OVERHEAD_BYTES = 56  # TCP, IP, LLC/SNAP and AAL5 around a segment
CELL_PAYLOAD_BYTES, CELL_BITS = 48, 424
PICOSECONDS = 1e-12


class MissingRun(Exception):
    """A conclusion needs a run that the store does not have."""


class Tables:
    """The study's tables as numbers: means of the replications, or else deterministic runs."""

    def __init__(self, study: Study, tables: Sequence[TableComparison]) -> None:
        self.study = study
        self._entries = {
            (table.response.table, table.response.metric): table.entries for table in tables
        }

    def numbers(self, table: str, metric: str, **levels: str) -> dict[tuple[str, ...], float]:
        """All entries with these levels, by their other levels."""
        found = {}
        for entry in self._entries.get((table, metric), ()):
            if levels.items() <= dict(entry.combination).items():
                if entry.ours is None:
                    raise MissingRun
                others = tuple(level for factor, level in entry.combination if factor not in levels)
                found[others] = entry.ours
        if not found:
            raise MissingRun
        return found

    def differences(
        self, table: str, metric: str, factor: str, level: str, other: str, **levels: str
    ) -> list[float]:
        """By how much one level of a factor is above another, for all levels of the others."""
        ours = self.numbers(table, metric, **{**levels, factor: level})
        theirs = self.numbers(table, metric, **{**levels, factor: other})
        return [ours[others] - theirs[others] for others in ours]

    def spread(self, table: str, metric: str, config: str) -> float:
        """From the lowest to the highest entry of a configuration."""
        values = self.numbers(table, metric, config=config).values()
        return max(values) - min(values)


@dataclass(frozen=True)
class Conclusion:
    """A statement of the report, and the number and the bound that decide it."""

    task: str
    statement: str
    measured: str
    measure: Callable[[Tables], float]
    bound: tuple[Literal["at least", "at most"], float]

    def cells(self, tables: Tables) -> list[str]:
        """Its row, in the order of `HEADER`."""
        side, limit = self.bound
        told = [self.task, self.statement, self.measured, f"{side} {limit:g}"]
        try:
            value = self.measure(tables)
        except MissingRun:
            return [*told, "-", "undecided"]
        holds = value >= limit if side == "at least" else value <= limit
        return [*told, formatted(value, decimals=3), "holds" if holds else "**fails**"]


def zero_loss_error(tables: Tables) -> float:
    """How far the largest queue and what is on its way are from the sum of windows, at most."""
    queues = tables.numbers("zero-loss", "max_queue_cells")
    rows = next(found.rows for found in tables.study.responses if found.table == "zero-loss")
    errors = []
    for row in rows:
        windows, pipe = _windows_and_pipe(tables.study, row.combination)
        queue = queues[tuple(level for _, level in row.combination)]
        errors.append(abs(queue + pipe - windows) / windows)
    return max(errors)


def _windows_and_pipe(study: Study, combination: Combination) -> tuple[float, float]:
    """The sum of all windows, and what the bottleneck carries in a round trip, in cells."""
    (scenario,) = study.resolve([study.overrides([combination])[combination]])
    tcp, topology = scenario.settings["tcp"], scenario.settings["topology"]
    cells = -(-(tcp["mss_bytes"] + TRANSFER_OVERHEAD_BYTES) // CELL_PAYLOAD_BYTES)
    segments = tcp["receiver_window_bytes"] // tcp["mss_bytes"]
    one_way = 2 * topology["access"]["delay_ps"] + topology["bottleneck"]["delay_ps"]
    pipe = topology["bottleneck"]["rate_bps"] * 2 * one_way * PICOSECONDS / CELL_BITS
    return topology["sources"] * segments * cells, pipe


def efficiency_with_half(tables: Tables) -> float:
    """The efficiency with half a round trip of buffer, at least."""
    return min(
        value
        for config in SATELLITES
        for value in tables.numbers(
            "buffers", "efficiency", config=config, buffer="0.5 RTT"
        ).values()
    )


def share_with_half(tables: Tables) -> float:
    """The efficiency with half a round trip of buffer, as a share of that with two, at least."""
    return min(
        value / tables.numbers("buffers", "efficiency", config=config, buffer="2 RTT")[sources]
        for config in SATELLITES
        for sources, value in tables.numbers(
            "buffers", "efficiency", config=config, buffer="0.5 RTT"
        ).items()
    )


def worst_step(tables: Tables) -> float:
    """What twice the buffer adds to the efficiency, mean over sources, at least."""
    return min(
        after - before
        for curve in _mean_curves(tables)
        for before, after in pairwise(curve.values())
    )


def late_gain(tables: Tables) -> float:
    """What buffers beyond 0.5 RTT add to the efficiency less what those up to it add, at most."""
    return max(
        (curve["2 RTT"] - curve["0.5 RTT"]) - (curve["0.5 RTT"] - curve["0.03125 RTT"])
        for curve in _mean_curves(tables)
    )


def _mean_curves(tables: Tables) -> list[dict[str, float]]:
    """For each configuration the mean efficiency over sources of each buffer, smallest first."""
    curves = []
    for config in ("wan", *SATELLITES):
        of_buffer: dict[str, list[float]] = {}
        for (_, buffer), value in tables.numbers("buffers", "efficiency", config=config).items():
            of_buffer.setdefault(buffer, []).append(value)
        curves.append({buffer: fmean(values) for buffer, values in of_buffer.items()})
    return curves


def sack_lead(tables: Tables) -> float:
    """By how much SACK is above the best other end-system policy on a satellite, at least."""
    leads = []
    for config in SATELLITES:
        means = tables.numbers("end-systems", "efficiency", config=config)
        others = [value for (flavor,), value in means.items() if flavor != "sack"]
        leads.append(means["sack",] - max(others))
    return min(leads)


def least_share(tables: Tables, mechanism: str, *promises: str) -> float:
    """The least share of its minimum cell rate that any connection has, at least."""
    shares = tables.numbers("frame-rate", "least_share_of_mcr", mechanism=mechanism)
    return min(
        share for (_, promised, _), share in shares.items() if promised in promises or not promises
    )


CONCLUSIONS = (
    Conclusion(
        "1, 2",
        "on LANs, switch improvements matter more than end-system improvements",
        "range of mean efficiencies over drop policies less that over TCPs, LAN",
        lambda tables: (
            tables.spread("switch", "efficiency", "lan")
            - tables.spread("end-systems", "efficiency", "lan")
        ),
        ("at least", 0),
    ),
    Conclusion(
        "1, 2",
        "on satellites, end-system improvements matter more than switch improvements",
        "range of mean efficiencies over TCPs less that over drop policies, least of MEO and GEO",
        lambda tables: min(
            tables.spread("end-systems", "efficiency", config)
            - tables.spread("switch", "efficiency", config)
            for config in SATELLITES
        ),
        ("at least", 0),
    ),
    Conclusion(
        "1, 2",
        "fast retransmit and recovery hurts in satellite networks",
        "mean efficiency of Vanilla less that of Reno, GEO",
        lambda tables: min(
            tables.differences(
                "end-systems", "efficiency", "flavor", "vanilla", "reno", config="geo"
            )
        ),
        ("at least", 0),
    ),
    Conclusion(
        "1, 2",
        "SACK helps significantly in satellite networks",
        "mean efficiency of SACK less that of the best other TCP, least of MEO and GEO",
        sack_lead,
        ("at least", 0.03),
    ),
    Conclusion(
        "1, 2",
        "fairness depends on the drop policy and not on the end system",
        "range of mean fairnesses over drop policies less that over TCPs, LAN",
        lambda tables: (
            tables.spread("switch", "fairness", "lan")
            - tables.spread("end-systems", "fairness", "lan")
        ),
        ("at least", 0),
    ),
    Conclusion(
        "1, 2",
        "fairness is not affected by SACK in satellite networks",
        "mean fairness of NewReno less that of SACK, GEO",
        lambda tables: abs(
            tables.differences(
                "end-systems", "fairness", "flavor", "newreno", "sack", config="geo"
            )[0]
        ),
        ("at most", 0.05),
    ),
    Conclusion(
        "1, 2",
        "Selective Drop and FBA improve fairness",
        "mean fairness of either less that of EPD, the lesser, LAN",
        lambda tables: min(
            difference
            for policy in ("selective-drop", "fba")
            for difference in tables.differences(
                "switch", "fairness", "policy", policy, "epd", config="lan"
            )
        ),
        ("at least", 0),
    ),
    Conclusion(
        "1, 2",
        "SACK can hurt on LANs under extreme congestion",
        "efficiency of NewReno less that of SACK, LAN, 15 sources, tail drop",
        lambda tables: tables.differences(
            "policies",
            "efficiency",
            "flavor",
            "newreno",
            "sack",
            config="lan",
            sources="15",
            policy="ubr",
        )[0],
        ("at least", 0),
    ),
    Conclusion(
        "3",
        "without loss TCP needs a buffer of the sum of all windows, at every delay",
        "largest queue and a round trip on its way against the sum of windows, relative",
        zero_loss_error,
        ("at most", 0.01),
    ),
    Conclusion(
        "3",
        "0.5 RTT of buffer gives SACK 98 % or more, even with a large number of sources",
        "efficiency with 0.5 RTT as a share of that with 2 RTT, least of MEO and GEO",
        share_with_half,
        ("at least", 0.98),
    ),
    Conclusion(
        "3",
        "the same, start-up included",
        "efficiency with 0.5 RTT, least of MEO and GEO",
        efficiency_with_half,
        ("at least", 0.98),
    ),
    Conclusion(
        "3",
        "efficiency increases with the buffer",
        "what doubling the buffer adds to the mean over sources, least of WAN, MEO and GEO",
        worst_step,
        ("at least", -0.02),
    ),
    Conclusion(
        "3",
        "very small buffers give low efficiency, and it approaches its limit asymptotically",
        "gain in efficiency beyond 0.5 RTT less that up to it, greatest of WAN, MEO and GEO",
        late_gain,
        ("at most", 0),
    ),
    Conclusion(
        "4a",
        "per-VC queueing and scheduling is sufficient for per-VC minimum cell rates",
        "least share of its MCR that any connection has, queues, all rows",
        lambda tables: least_share(tables, "queues"),
        ("at least", 0.95),
    ),
    Conclusion(
        "4a",
        "the same, with FBA",
        "least share of its MCR that any connection has, queues and weighted FBA, all rows",
        lambda tables: least_share(tables, "queues-and-fba"),
        ("at least", 0.95),
    ),
    Conclusion(
        "4a",
        "FBA and proper scheduling is sufficient for fair allocation of excess bandwidth",
        "fairness index of what connections have beyond MCR, queues and weighted FBA, least row",
        lambda tables: min(
            tables.numbers("frame-rate", "excess_fairness", mechanism="queues-and-fba").values()
        ),
        ("at least", 0.8),
    ),
    Conclusion(
        "4a",
        "TCP throughput may be controlled with FIFO queueing, by DFBA",
        "least share of its MCR that any connection has, DFBA, up to half of the link promised",
        lambda tables: least_share(tables, "dfba", "30 Mbit/s", "75 Mbit/s"),
        ("at least", 1),
    ),
    Conclusion(
        "6",
        "windows in whole bytes stop at MSS * MSS",
        "efficiency with floating point less that in whole bytes, one source",
        lambda tables: tables.differences(
            "integers", "efficiency", "arithmetic", "floating-point", "integer", sources="1"
        )[0],
        ("at least", 0.1),
    ),
    Conclusion(
        "6",
        "one increment for N acknowledgments mends it and does not change TCP's dynamics",
        "efficiency with it against floating point, greatest difference",
        lambda tables: max(
            abs(difference)
            for difference in tables.differences(
                "integers", "efficiency", "arithmetic", "solution-1", "floating-point"
            )
        ),
        ("at most", 0.03),
    ),
    Conclusion(
        "7",
        "retransmitting half a round trip later does not help SACK",
        "efficiency of delayed less immediate retransmission, mean of all rows",
        lambda tables: fmean(
            tables.differences("delay", "efficiency", "retransmit", "delayed", "immediate")
        ),
        ("at most", 0.01),
    ),
)


def markdown(tables: Tables) -> str:
    """The conclusions as a table."""
    rows = [HEADER, ["---"] * len(HEADER), *(found.cells(tables) for found in CONCLUSIONS)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows) + "\n"


def main() -> None:
    """Print or splice the conclusions."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--store", default="longfat.db", help="where the runs are kept")
    parser.add_argument("--splice", action="store_true", help="put the table into README.md")
    options = parser.parse_args()
    study = load_study(FOLDER)
    plan = plan_reference(study, Selection())
    with Store.readable(options.store) as store:
        tables = Tables(study, compare_results(plan, load_results(plan, store)))
    text = markdown(tables)
    if not options.splice:
        print(text, end="")
        return
    page = FOLDER / "README.md"
    with written_whole(page) as temporary:
        temporary.write_text(spliced(read_text(page), COMMAND, text, str(page)), encoding="utf-8")


if __name__ == "__main__":
    main()
