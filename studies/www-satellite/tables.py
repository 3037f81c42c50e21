"""What the study's page shows besides `longfat study compare`: each part a Markdown table.

    python studies/www-satellite/tables.py analysis|choices|loads|completions [--store STORE]
    python studies/www-satellite/tables.py splice [--store STORE] [--replications N]

`analysis` sets the allocation of variation and the effects of our runs beside those of the paper,
which follow to the digit from its Tables 4, 7 and 10; `choices` shows what each choice that the
paper leaves open moves, and what another draw of the traffic moves; `loads` how far from the paper
draws are that ask for little, and for much; `completions` how long files and pages take. `splice`
puts all of them into README.md. A part needs all its runs.
"""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev

from longfat.analysis.analysis import Analysis, Settings, analyse
from longfat.analysis.experiment import Observation, cross
from longfat.analysis.study_runs import RunsMissing, settings_of_study, study_observations
from longfat.base.errors import LongfatError
from longfat.base.files import read_text, written_whole
from longfat.base.location import DEFAULT_STORE, shown
from longfat.report.markdown import markdown_table
from longfat.report.splice import spliced
from longfat.results.comparison import Results
from longfat.results.stored import load_results
from longfat.statistics.histogram import Histogram
from longfat.store import Store
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.plan import Plan, Selection, plan_reference
from longfat.studies.reference import Combination

FOLDER = Path(__file__).parent
COMMAND = "python studies/www-satellite/tables.py"

FACTORS = ("flavor", "buffer", "policy")
RESPONSES = ("efficiency", "max_min_fairness")
TABLES = {"4": ("wan", "5 and 6"), "7": ("meo", "8 and 9"), "10": ("geo", "11 and 12")}
CHOICES, AS_HERE = "choices", "as here"
GROUPS = 4
"""Of draws, in order of what they ask for."""
MEGA = 10**6
QUANTILES = (0.5, 0.9, 0.99)
KINDS = ("class 0", "class 2", "class 4", "page")


def analysis_markdown(study: StudyDefinition, store: Store, replications: int | None) -> str:
    """Allocation of variation and main effects of Tables 4, 7 and 10, the paper's beside ours."""
    lines: list[str] = []
    for table, (link, analysed) in TABLES.items():
        plan = plan_reference(study, Selection(tables=(table,), replications=replications))
        results = load_results(plan, store)
        ours = {response: _of_runs(plan, results, response) for response in RESPONSES}
        papers = {response: _of_paper(study, table, response) for response in RESPONSES}
        lines += [f"**{link.upper()}** (Table {table}; the paper's Tables {analysed})", ""]
        lines += markdown_table(*_allocation(papers, ours))
        lines += ["", *markdown_table(*_effects(papers, ours)), ""]
    return "\n".join(lines)


def _of_runs(plan: Plan, results: Results, response: str) -> Analysis:
    found = study_observations(plan, results, FACTORS, response)
    settings = settings_of_study(Settings(), plan.study, True)
    return analyse(cross(response, found.factors, found.rows, matched=settings.blocks), settings)


def _of_paper(study: StudyDefinition, table: str, response: str) -> Analysis:
    """The analysis of the paper's own numbers, which gives the digits that it prints."""
    (printed,) = (
        found for found in study.responses if (found.table, found.metric) == (table, response)
    )
    rows = [
        Observation(
            levels=tuple(dict(row.combination)[factor] for factor in FACTORS),
            replication="1",
            value=row.values[response],
            place=f"table {table}",
        )
        for row in printed.rows
    ]
    levels = {
        factor: list(dict.fromkeys(row.levels[place] for row in rows))
        for place, factor in enumerate(FACTORS)
    }
    return analyse(cross(response, levels, rows))


def _allocation(
    papers: Mapping[str, Analysis], ours: Mapping[str, Analysis]
) -> tuple[list[str], list[list[str]]]:
    header = ["% of variation", *_columns("paper", "ours")]
    names = [component.name for component in ours["efficiency"].components]
    rows = []
    for name in names:
        row = [name]
        for response in RESPONSES:
            row += [_percent(papers[response], name), _percent(ours[response], name)]
        rows.append(row)
    error = ["standard error"]
    for response in RESPONSES:
        error += [f"{found[response].standard_error:.4f}" for found in (papers, ours)]
    return header, [*rows, error]


def _columns(*names: str) -> list[str]:
    return [
        f"{response.replace('max_min_', '')}, {name}" for response in RESPONSES for name in names
    ]


def _percent(analysis: Analysis, name: str) -> str:
    percents = {component.name: component.percent for component in analysis.components}
    return f"{percents[name]:.2f}" if name in percents else "-"


def _effects(
    papers: Mapping[str, Analysis], ours: Mapping[str, Analysis]
) -> tuple[list[str], list[list[str]]]:
    header = ["main effect", *_columns("paper", "ours")]
    rows = []
    for place, effect in enumerate(ours["efficiency"].effects):
        row = [" ".join(effect.levels)]
        for response in RESPONSES:
            for found in (papers, ours):
                own = found[response].effects[place]
                row.append(f"{own.effect:+.4f} ({own.low:+.4f}, {own.high:+.4f})")
        rows.append(row)
    return header, rows


def choices_markdown(study: StudyDefinition, store: Store, replications: int | None) -> str:
    """By how much each choice moves the efficiency, and how much one draw of the traffic does."""
    plan = plan_reference(study, Selection(tables=(CHOICES,), replications=replications))
    efficiencies = {
        combination: {
            replication: metrics["efficiency"]
            for replication, metrics in runs.items()
            if replication > 0
        }
        for combination, runs in load_results(plan, store).items()
    }
    # Rows that other tables have as well may have more replications than the choices.
    shared = set.intersection(*(set(runs) for runs in efficiencies.values()))
    efficiencies = {
        combination: {replication: runs[replication] for replication in sorted(shared)}
        for combination, runs in efficiencies.items()
    }
    bases = [found for found in efficiencies if dict(found)["choice"] == AS_HERE]
    choices = dict.fromkeys(dict(combination)["choice"] for combination in efficiencies)
    header = [
        "choice",
        *(f"{dict(base)['config']} {dict(base)['flavor']}" for base in bases),
        "largest",
    ]
    rows = []
    for choice in choices:
        if choice != AS_HERE:
            moves = [_move(efficiencies, base, choice) for base in bases]
            rows.append(
                (max((abs(move) for move in moves if move is not None), default=0), choice, moves)
            )
    rows.sort(reverse=True, key=lambda row: row[0])
    table = [
        [choice, *("-" if move is None else f"{move:+.3f}" for move in moves), f"{largest:.3f}"]
        for largest, choice, moves in rows
    ]
    drawn = [list(efficiencies[base].values()) for base in bases]
    common = len(shared)
    if common < 2:
        raise RunsMissing("two replications at least tell what a draw moves")
    draws = [stdev(values) for values in drawn]
    means = [fmean(values) for values in drawn]
    table.append(
        [
            "**one draw of the traffic** (standard deviation)",
            *(f"{draw:.3f}" for draw in draws),
            f"{max(draws):.3f}",
        ]
    )
    table.append(["**as here** (efficiency)", *(f"{mean:.3f}" for mean in means), ""])
    told = f"Means of {common} replications, the same draws in each row."
    return "\n".join([told, "", *markdown_table(header, table)]) + "\n"


def _move(
    efficiencies: Mapping[Combination, Mapping[int, float]], base: Combination, choice: str
) -> float | None:
    """The mean difference to the base, replication by replication; None if it has no such row."""
    other = tuple((factor, choice if factor == "choice" else level) for factor, level in base)
    if other not in efficiencies:
        return None
    pairs = [
        (efficiencies[other][replication], efficiency)
        for replication, efficiency in efficiencies[base].items()
        if replication in efficiencies[other]
    ]
    if not pairs:
        raise RunsMissing(f"no runs of {choice!r}")
    return fmean(changed - efficiency for changed, efficiency in pairs)


def loads_markdown(study: StudyDefinition, store: Store, replications: int | None) -> str:
    """How far the tables are from the paper's for draws that ask for little, and for much."""
    results = {
        table: load_results(
            plan_reference(study, Selection(tables=(table,), replications=replications)), store
        )
        for table in TABLES
    }
    loads = _loads(results.values())
    draws = sorted(loads, key=loads.__getitem__)
    if len(draws) < GROUPS:
        raise RunsMissing(f"{GROUPS} replications at least make as many groups")
    bounds = [len(draws) * group // GROUPS for group in range(GROUPS + 1)]
    names = [f"{link}, {name}" for link, _ in TABLES.values() for name in _columns("error")]
    rows = []
    for begin, end in pairwise(bounds):
        group = draws[begin:end]
        asked = f"{loads[group[0]]:.1f} to {loads[group[-1]]:.1f}"
        errors = [
            f"{_error(study, table, response, results[table], group):.3f}"
            for table in TABLES
            for response in RESPONSES
        ]
        rows.append([str(len(group)), asked, *errors])
    header = ["draws", "Mbit/s asked for", *(name.removesuffix(", error") for name in names)]
    return "\n".join(markdown_table(header, rows)) + "\n"


def _loads(results: Iterable[Results]) -> dict[int, float]:
    """What each draw asks for, in Mbit/s: the mean over its runs."""
    offered: dict[int, list[float]] = {}
    for found in results:
        for runs in found.values():
            for replication, metrics in runs.items():
                if replication > 0:
                    offered.setdefault(replication, []).append(metrics["offered_bps"] / MEGA)
    return {replication: fmean(values) for replication, values in offered.items()}


def _error(
    study: StudyDefinition, table: str, response: str, results: Results, draws: Sequence[int]
) -> float:
    """The mean absolute error of a table's means over some draws."""
    (printed,) = (
        found for found in study.responses if (found.table, found.metric) == (table, response)
    )
    return fmean(
        abs(
            fmean(results[row.combination][draw][response] for draw in draws) - row.values[response]
        )
        for row in printed.rows
    )


def completions_markdown(study: StudyDefinition, store: Store, replications: int | None) -> str:
    """How long files and pages take at 1 RTT of buffer, over drop policies and replications."""
    header = [
        "link",
        "flavor",
        "what",
        "delivered",
        *(f"{share:.0%} within" for share in QUANTILES),
    ]
    rows = []
    for table, (link, _) in TABLES.items():
        plan = plan_reference(study, Selection(tables=(table,), replications=replications))
        buffers = list(dict.fromkeys(dict(found)["buffer"] for found in plan.of_combination))
        chosen = [
            run
            for run in plan.runs
            if run.replication > 0 and dict(run.combination)["buffer"] == buffers[1]
        ]
        found = store.completions([run.scenario.run_id for run in chosen])
        for flavor in dict.fromkeys(dict(run.combination)["flavor"] for run in chosen):
            runs = [
                found[run.scenario.run_id]
                for run in chosen
                if dict(run.combination)["flavor"] == flavor and run.scenario.run_id in found
            ]
            rows += [[link, flavor, kind, *_times([run[kind] for run in runs])] for kind in KINDS]
    return "\n".join(markdown_table(header, rows)) + "\n"


def _times(kinds: Sequence[Mapping[str, object]]) -> list[str]:
    times = Histogram()
    asked = 0
    for kind in kinds:
        times += Histogram.of(kind["times"])  # type: ignore[arg-type]
        asked += int(str(kind["asked"]))
    if not times.count:
        raise RunsMissing("no completion times are stored")
    quantiles = [f"{times.quantile_seconds(share):.3g} s" for share in QUANTILES]
    return [f"{times.count / asked:.1%}", *quantiles]


PARTS: Mapping[str, Callable[[StudyDefinition, Store, int | None], str]] = {
    "analysis": analysis_markdown,
    "choices": choices_markdown,
    "loads": loads_markdown,
    "completions": completions_markdown,
}


def main() -> None:
    """Print a part, or splice all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("part", choices=[*PARTS, "splice"])
    parser.add_argument("--store", default=DEFAULT_STORE, help="where the runs are kept")
    parser.add_argument("--replications", type=int, help="as many as this, not all of the design")
    options = parser.parse_args()
    parts = list(PARTS) if options.part == "splice" else [options.part]
    study = load_study(FOLDER)
    try:
        with Store.readable(options.store) as store:
            texts = {part: PARTS[part](study, store, options.replications) for part in parts}
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
