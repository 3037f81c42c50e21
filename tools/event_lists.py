"""Compare a study's tables under other orders of simultaneous events than the study's own.

    python -m tools.event_lists STUDY [--table NAME[,NAME]] [--where SQL] [--replications N]
        [--reading NAME ...] [--store STORE] [--splice]

Each row of the result is a reading of the whole study: an order (`port.arrival_order`), a clock
(`framing.clock`, with the rate at which a cell takes what a clock of 10 ns leaves of its time), and
windows in segments or whole bytes (`tcp.window_arithmetic`). Each column is a table of the paper:
the mean absolute error of the deterministic runs, and with replications that of the means and the
share of the paper's numbers inside the range. A run by events takes some seconds of a core, on a
WAN three times as many as on a LAN. `--where` chooses runs, `--reading` readings; `--splice` writes
the table into the study's page.
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from longfat.base.errors import Interrupted, LongfatError
from longfat.base.location import DEFAULT_STORE
from longfat.report.markdown import markdown_table
from longfat.report.splice import spliced
from longfat.results.comparison import Results, Summary, compare
from longfat.results.stored import load_results
from longfat.running.campaign import missing_runs, run_campaign
from longfat.running.execution import Threads
from longfat.scenarios.scenario import Override, Overrides
from longfat.store import Store
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.plan import Plan, Selection, plan_combinations, reference_rows

STUDIES = Path(__file__).parent.parent / "studies"


TICKS_OF_10_NS = {
    "framing.clock": "10 ns",
    "topology.access.rate": "155.882353 Mbit/s",
    "topology.bottleneck.rate": "155.882353 Mbit/s",
}
"""424 bits at 155.52 Mbit/s take 2.726 us, of which a clock of 10 ns leaves 2.72."""
HEAP = {"port.arrival_order": "heap"}
NEARLY_EXACT = {"framing.clock": "1 ps"}
INTEGER = {"tcp.window_arithmetic": "integer"}

READINGS: Mapping[str, Mapping[str, str]] = {
    "as here": {},
    "as here, clock of 10 ns, integer windows": TICKS_OF_10_NS | INTEGER,
    "heap": HEAP | NEARLY_EXACT,
    "heap, integer windows": HEAP | NEARLY_EXACT | INTEGER,
    "heap, clock of 10 ns": HEAP | TICKS_OF_10_NS,
    "heap, clock of 10 ns, integer windows": HEAP | TICKS_OF_10_NS | INTEGER,
}


def main() -> None:
    """Run what the store lacks, then print the table or write it into the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("study", help="the name of a study")
    parser.add_argument("--table", help="only these tables of the paper")
    parser.add_argument("--where", help="an SQL condition over the factors and `replication`")
    parser.add_argument("--replications", type=int, default=2, help="besides the deterministic run")
    parser.add_argument(
        "--reading", action="append", choices=READINGS, help="only this one; may be repeated"
    )
    parser.add_argument("--store", default=DEFAULT_STORE, help="where the runs are kept")
    parser.add_argument("--jobs", type=int, default=2, help="simulations at a time")
    parser.add_argument("--splice", action="store_true", help="write the table into the page")
    options = parser.parse_args()
    study = load_study(options.study)
    plans = {name: planned(study, name, options) for name in options.reading or READINGS}
    with Store.writable(options.store) as store:
        for plan in plans.values():
            executor = Threads(options.jobs)
            run_campaign(missing_runs(plan, store), store, executor, lambda _: None)
        results = {name: load_results(plan, store) for name, plan in plans.items()}
    text = table(study, results)
    if options.splice:
        page = STUDIES / study.name / "README.md"
        source = f"python -m tools.event_lists {study.name}"
        source += f" --table {options.table}" if options.table else ""
        source += f' --where "{options.where}"' if options.where else ""
        source += f" --replications {options.replications}"
        source += "".join(f' --reading "{name}"' for name in options.reading or ())
        page.write_text(spliced(page.read_text(), source, text, str(page)))
    else:
        print(text, end="")


def planned(study: StudyDefinition, reading: str, options: argparse.Namespace) -> Plan:
    """Plan the rows of the study's parts under a reading."""
    where = (options.where,) if options.where else ()
    selection = Selection(tables=tables_of(options), where=where, replications=options.replications)
    chosen = reference_rows(study, selection)
    settings: Overrides = tuple(
        Override(path, value, f"reading {reading!r}") for path, value in READINGS[reading].items()
    )
    return plan_combinations(study, selection, chosen, dict.fromkeys(chosen, settings))


def tables_of(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the tables that were asked for; none for all."""
    return tuple(options.table.split(",")) if options.table else ()


def table(study: StudyDefinition, results: Mapping[str, Results]) -> str:
    """Return the Markdown of all readings, a row each."""
    shown = [
        response
        for response in study.responses
        if response.is_printed and compare(response, next(iter(results.values()))).entries
    ]
    header = ["reading", *(f"Table {response.table}: {response.metric}" for response in shown)]
    rows = [
        [name, *(cell(compare(response, found).summary) for response in shown)]
        for name, found in results.items()
    ]
    return "\n".join(markdown_table(header, rows)) + "\n"


def cell(summary: Summary) -> str:
    """Return errors of the deterministic runs and of the means, and the share inside the range."""
    errors = (summary.deterministic_error, summary.mean_absolute_error)
    numbers = [f"{error:.3f}" for error in errors if error is not None]
    inside = [] if summary.inside_range is None else [f"{summary.inside_range:.0%}"]
    return ", ".join([*numbers, *inside])


if __name__ == "__main__":
    try:
        main()
    except LongfatError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except Interrupted as stopped:  # what has ended is stored
        sys.exit(stopped.exit_code)
