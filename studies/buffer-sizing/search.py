"""The smallest buffer with 98 % of what two bandwidth-delay products give, searched for.

    python studies/buffer-sizing/search.py [--store STORE] [--replications N] [--jobs N]
    python studies/buffer-sizing/search.py --splice [--store STORE] [--replications N]

For each control and number of connections, by bisection with the confidence that
`longfat.smallest_enough` speaks of; runs that the store does not have are made. `--splice` puts the
table into README.md.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from longfat.base.errors import LongfatError
from longfat.base.files import read_text, written_whole
from longfat.base.location import DEFAULT_STORE, shown
from longfat.report.markdown import markdown_table
from longfat.report.splice import spliced
from longfat.results.stored import load_results
from longfat.running.campaign import missing_runs, run_campaign
from longfat.running.execution import Threads
from longfat.scenarios.scenario import Override
from longfat.statistics.smallest import Found, smallest_enough
from longfat.store import Store
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.plan import Selection, plan_combinations
from longfat.studies.reference import Combination

FOLDER = Path(__file__).parent
COMMAND = "python studies/buffer-sizing/search.py"

TARGET = 0.98
LOW, HIGH = 4, 1000
"""Packets: four, and two bandwidth-delay products."""
PRODUCT = HIGH / 2
CONFIDENCE, RESOLUTION = 0.95, 0.2
REPLICATIONS = 8


def efficiencies(
    study: StudyDefinition,
    combination: Combination,
    packets: int,
    store: Store,
    options: argparse.Namespace,
) -> list[float]:
    """The efficiency of each replication with a buffer; runs that are missing are made."""
    buffer = (Override("port.buffer", f'"{packets} packets"', f"a buffer of {packets} packets"),)
    selection = Selection(replications=options.replications)
    plan = plan_combinations(study, selection, [combination], {combination: buffer})
    missing = [run for run in missing_runs(plan, store) if run.replication > 0]
    run_campaign(missing, store, Threads(options.jobs), lambda _: None)
    runs = load_results(plan, store, ["efficiency"])[combination]
    lacking = set(range(1, options.replications + 1)) - runs.keys()
    if lacking:
        raise LongfatError(f"{len(lacking)} runs with {packets} packets failed: {combination}")
    return [runs[number]["efficiency"] for number in range(1, options.replications + 1)]


def search(
    study: StudyDefinition, combination: Combination, store: Store, options: argparse.Namespace
) -> Found:
    """The smallest buffer of one control and number of connections."""

    def shares(packets: int) -> Sequence[float]:
        found = efficiencies(study, combination, packets, store, options)
        return [own / whole for own, whole in zip(found, most, strict=True)]

    most = efficiencies(study, combination, HIGH, store, options)
    return smallest_enough(shares, TARGET, LOW, HIGH, confidence=CONFIDENCE, resolution=RESOLUTION)


def table(study: StudyDefinition, store: Store, options: argparse.Namespace) -> str:
    """A row for each control and number of connections."""
    header = ["control", "number", "too little", "enough", "enough, in BDP", "BDP / sqrt(number)"]
    header.append("buffers tried")
    rows = []
    for combination in combinations(study):
        control, number = (level for _, level in combination)
        found = search(study, combination, store, options)
        print(f"{control} {number}: {found.too_little} to {found.enough}", file=sys.stderr)
        enough = "-" if found.enough is None else f"{found.enough / PRODUCT:.3f}"
        rule = 1 / math.sqrt(int(number))
        rows.append([control, number, _packets(found.too_little), _packets(found.enough), enough,
                     f"{rule:.3f}", str(len(found.tried))])  # fmt: skip
    told = (
        f"{options.replications} replications of each buffer; each row is right with a confidence "
        f"of {CONFIDENCE:.0%}. What is too little and what is enough differ by less than "
        f"{RESOLUTION:.0%}, or what lies between them is open at so many replications."
    )
    return "\n".join([told, "", *markdown_table(header, rows)]) + "\n"


def combinations(study: StudyDefinition) -> list[Combination]:
    """Each control with each number of connections; the buffer is what is searched for."""
    controls, numbers = (
        next(factor.levels for factor in study.factors if factor.name == name)
        for name in ("control", "number")
    )
    return [
        (("control", control), ("number", number)) for control in controls for number in numbers
    ]


def _packets(packets: float | None) -> str:
    return "-" if packets is None else f"{packets} packets"


def main() -> None:
    """Print the table, or splice it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--splice", action="store_true", help="into README.md")
    parser.add_argument("--store", default=DEFAULT_STORE, help="where the runs are kept")
    parser.add_argument("--replications", type=int, default=REPLICATIONS, help="two at least")
    parser.add_argument("--jobs", type=int, default=1, help="how many threads simulate")
    options = parser.parse_args()
    if options.replications < 2:
        parser.error("an interval needs two replications at least")
    try:
        with Store.writable(options.store) as store:
            text = table(load_study(FOLDER), store, options)
    except LongfatError as error:
        parser.exit(2, f"{shown(options.store)}: {error}\n")
    if not options.splice:
        print(text, end="")
        return
    page = FOLDER / "README.md"
    text = spliced(read_text(page), COMMAND, text, str(page))
    with written_whole(page) as temporary:
        temporary.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
