"""Write the tables of pages from the records of programs, and from the programs' constants.

Usage: ``python -m tools.tables``. Records: `fuzz/campaign.py`, `fuzz/nasty_inputs.py`,
`tools/mutants.py`, `tools/controllers.py`, `make faults` and `benchmarks/store_of_many_runs.py`
write them into `benchmarks/record`.
"""

import ast
import json
import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fuzz import campaign
from fuzz import nasty_inputs as nasty

from longfat.base import files
from longfat.report.splice import spliced
from longfat.running import limits
from longfat.studies import cost, design
from longfat.traces import MOST_ROWS
from longfat.web import desk, errand, playground, view

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Write every table of every page."""
    for page in TABLES:
        (ROOT / page).write_text(written(page))


def written(page: str) -> str:
    """Return a page with its tables as they should be."""
    text = (ROOT / page).read_text()
    for source, rows in TABLES[page].items():
        text = spliced(text, source, rows(), page)
    return text


def of_record(name: str, text: Callable[[Any], str]) -> Mapping[str, Callable[[], str]]:
    """Return the table of a record by its source."""
    source = f"benchmarks/record/{name}.json"
    return {source: lambda: text(json.loads((ROOT / source).read_text()))}


def constant(path: str, name: str) -> int:
    """Return a constant of the engine from its declaration in a source file of a crate.

    Raises `ValueError` unless the file declares it once.
    """
    text = (ROOT / "crates" / path).read_text()
    (declared,) = re.findall(rf"^ *(?:pub )?const {name}: \w+ = (.*);$", text, re.MULTILINE)
    return _value(ast.parse(declared, mode="eval").body)


_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.LShift: operator.lshift,
    ast.Mult: operator.mul,
}


def _value(node: ast.expr) -> int:
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    number: int = ast.literal_eval(node)
    return number


def mib(size: int) -> str:
    """Return a size in MiB, as pages say it."""
    return f"{size >> 20:,} MiB"


def defaults() -> str:
    """Return the limits of a run when none are given."""
    share = f"{limits.SHARE_OF_MEMORY:.0%} of the memory of the machine, or of the container's"
    rows = [
        ["`events`", f"10^{len(str(limits.MOST_EVENTS)) - 1}, hours of one core"],
        ["`memory`", f"{share} where a control group (cgroup v2) has less"],
        ["`wall`", "none"],
    ]
    return table(["limit", "default"], rows)


def beginning() -> str:
    """Return how much of a run is simulated to estimate the rest."""
    of_pilot = partial(constant, "engine/src/pilot.rs")
    of_flow = f"{of_pilot('EVENTS_PER_FLOW')} for each connection if these are more"
    rows = [
        ["events", f"{of_pilot('EVENTS'):,}, or {of_flow}"],
        ["memory of connections and their first windows", mib(of_pilot("MOST_FIRST_BYTES"))],
        ["memory beyond that", mib(of_pilot("MOST_MORE_BYTES"))],
        ["CPU time, for the seconds in plans of studies", f"{cost.TIMED_SECONDS:g} s"],
    ]
    return table(["of the beginning of a run", "at most"], rows)


def work_within_events() -> str:
    """Return the settings that are refused because one event could take any time."""
    of_disciplines = partial(constant, "network/src/switch/queue_discipline/mod.rs")
    updates, quantum = of_disciplines("MOST_UPDATES"), of_disciplines("LEAST_QUANTUM")
    rows = [
        [
            "length of a run by `update_period` of `pie`, `fq-pie` and `dualpi2`",
            f"at most {updates:,}",
        ],
        ["`quantum` of `fq-codel`, `fq-pie`, `fq`, `sfq` and `cake`", f"at least {quantum} B"],
    ]
    return table(["setting", "allowed"], rows)


def reading() -> str:
    """Return the limits of reading and planning."""
    of_graph = partial(constant, "network/src/topology/graph.rs")
    text = constant("foundation/src/config/document.rs", "MOST_BYTES")
    problems = constant("foundation/src/config/problem.rs", "MOST_PROBLEMS")
    groups = constant("engine/src/scenario/connections.rs", "MOST_GROUPS")
    connections = constant("engine/src/scenario/traffic.rs", "MOST_CONNECTIONS")
    levels = constant("study/src/factors.rs", "MOST_LEVELS")
    in_graph = f"{of_graph('MOST_CONNECTIONS'):,} in a graph"
    pairs = f"pairs of hosts times links {of_graph('MOST_ROUTING'):,}"
    rows = [
        ["text of a scenario, a study or claims", mib(text)],
        ["any other file that is read whole", mib(files.MOST_BYTES)],
        ["rows of a trace that are read into memory", f"{MOST_ROWS:,}"],
        ["mistakes that are reported", f"the first {problems}; the others are counted"],
        ["groups in `connections`", f"{groups:,}"],
        ["connections of a run", f"{connections:,}; {in_graph}"],
        ["links of a graph", f"{of_graph('MOST_LINKS'):,}; {pairs}"],
        ["levels of all factors of a study", f"{levels:,}"],
        ["factor combinations of a study", f"{design.MOST_COMBINATIONS:,}"],
        ["runs of a study", f"{design.MOST_RUNS:,}"],
    ]
    return table(["what", "at most"], rows)


def of_page() -> str:
    """Return the limits of a page's run in the view."""
    process = f"{errand.GRACE_SECONDS:g} s more"
    rows = [
        ["events", f"{view.MOST_EVENTS:,}"],
        ["elapsed time ahead of runs of other pages", f"{desk.PROMPT_SECONDS:g} s"],
        ["elapsed time", f"{view.MOST_WALL_SECONDS:g} s; its process {process}"],
        ["memory", f"{mib(view.MOST_MEMORY_BYTES)}; its process {mib(errand.SPARE_BYTES)} more"],
        ["connections", f"{playground.MOST_CONNECTIONS:,}"],
    ]
    return table(["of a run for a page", "at most"], rows)


def campaigns() -> str:
    """Return how long fuzzing goes on, and with what."""
    seeds = constant("untrusted/src/generated/mod.rs", "SEEDS")
    rows = [
        ["executions until a target is done", f"{campaign.ENOUGH:,}"],
        ["scenarios until `generated` is done", f"{campaign.GENERATED_ENOUGH:,}"],
        ["of them in `cargo test`, and more until every model has run", f"{seeds:,}"],
        ["longest text", f"{campaign.LONGEST:,} B"],
        ["a hang is longer than", f"{campaign.HANG_SECONDS} s"],
    ]
    return table(["fuzzing", ""], rows)


def fuzzing(record: dict[str, Any]) -> str:
    """Return the executions of each target, and their findings."""
    rows = [
        [
            name.replace("_", " "),
            f"{count['executions']:,}",
            str(len(count["crashes"])),
            str(len(count["hangs"])),
            count["last"][:10],
        ]
        for name, count in record.items()
    ]
    return table(["target", "executions", "crashes", "hangs", "last"], rows)


def nasty_inputs(record: dict[str, Any]) -> str:
    """Return the number of nasty command lines by exit code, and their findings."""
    rows = [[code, f"{count:,}"] for code, count in record["exit_codes"].items()]
    bounds = f"{nasty.MOST_CORE_SECONDS} s of a core and {nasty.MOST_ADDRESSES >> 30} GiB"
    return (
        f"{record['commands']:,} command lines, each with {bounds} of addresses: "
        f"{len(record['tracebacks'])} tracebacks, {len(record['hangs'])} hangs, "
        f"{len(record['other_exits'])} other exit codes.\n\n{table(['exit code', 'times'], rows)}"
    )


def faults(record: dict[str, Any]) -> str:
    """Return the number of each fault."""
    return table(["fault", "times"], [[name, f"{n:,}"] for name, n in record["faults"].items()])


def findings(record: dict[str, Any]) -> str:
    """Return the findings after the faults."""
    flips = record["flips"]
    counts = {
        "faults": sum(record["faults"].values()),
        "acknowledged runs": record["acknowledged"],
        "lost": record["lost"],
        "stored runs that were repeated": record["repeated"],
        "wrong": record["wrong"],
        "runs called stored that were not": record["falsely_stored"],
        "flipped bits that changed nothing": flips.get("no effect", 0),
        "flipped bits that were refused": flips.get("refused", 0),
        "flipped bits that changed an answer without a word": flips.get("other answers", 0),
        "tracebacks": record["tracebacks"],
    }
    return table(["finding", "times"], [[name, f"{n:,}"] for name, n in counts.items()])


def within_sources(name: str) -> str:
    """Return a mutant's name with the path relative to its crate's sources."""
    return name.partition("/src/")[2]


def mutants(record: dict[str, Any]) -> str:
    """Return the score of each family of models, and the mutants that no test noticed."""
    of_module: dict[str, Counter[str]] = {}
    for name, outcome in record["mutants"].items():
        folder = Path(within_sources(name)).parts[1]
        of_module.setdefault(folder, Counter())[outcome] += 1
    rows = [
        [folder.replace("_", " "), *(str(count[kind]) for kind in KINDS), share(count)]
        for folder, count in sorted(of_module.items())
    ]
    total = sum(of_module.values(), Counter[str]())
    rows.append(["all", *(str(total[kind]) for kind in KINDS), share(total)])
    missed = [name for name, outcome in record["mutants"].items() if outcome == "missed"]
    survivors = "\n".join(f"- `{within_sources(name)}`" for name in missed)
    tried = f"{record['tried']} of {record['listed']} mutants tried"
    header = ["models", "caught", "time out", "missed", "do not compile", "score"]
    return f"{tried}.\n\n{table(header, rows)}\n\nNo test noticed:\n\n{survivors or 'none'}"


KINDS = ("caught", "timeout", "missed", "unviable")


def share(count: Counter[str]) -> str:
    """Return the share of compiled mutants that tests noticed."""
    noticed = count["caught"] + count["timeout"]
    tried = noticed + count["missed"]
    return f"{noticed / tried:.1%}" if tried else "-"


def stores(record: dict[str, Any]) -> str:
    """Return the cost of verbs with many stored runs."""
    rows = [
        [verb, f"{measured['core_seconds']:.2f} s", f"{measured['mib']:.0f} MiB"]
        for verb, measured in record["verbs"].items()
    ]
    of_core = "time of a core (best of three)"
    return f"{record['runs']:,} stored runs.\n\n{table(['verb', of_core, 'memory'], rows)}"


def controllers_by_category(record: Any) -> str:
    """Return, for each controller, in how many situations of each category all holds."""
    tested = record["controllers"]
    categories = list(next(iter(tested.values()))["verdicts"])
    rows = []
    for name, found in tested.items():
        of_categories = [found["verdicts"][category].values() for category in categories]
        held = [Counter(verdicts)["holds"] for verdicts in of_categories]
        cells = [f"{n} of {len(v)}" for n, v in zip(held, of_categories, strict=True)]
        settings = ", ".join(f"`{setting}`" for setting in found["settings"])
        named = f"`{name}`" + (f" with {settings}" if settings else "")
        rows.append([named, f"{sum(held)} of {sum(map(len, of_categories))}", *cells])
    header = ["controller", "all", *categories]
    return f"Engine {record['engine']}.\n\n{table(header, rows)}"


def controllers_by_situation(record: Any) -> str:
    """Return, for each situation, the controllers that fail, and those that are undecided."""
    tested = record["controllers"]
    by_situation: dict[str, dict[str, list[str]]] = {}
    for name, found in tested.items():
        for verdicts in found["verdicts"].values():
            for situation, verdict in verdicts.items():
                of = by_situation.setdefault(situation, {})
                of.setdefault(verdict, []).append(f"`{name}`")
    rows = [
        [
            f"`{situation}`",
            str(len(of.get("holds", []))),
            ", ".join(of.get("fails", []) + of.get("no data", [])),
            ", ".join(of.get("undecided", [])),
        ]
        for situation, of in sorted(by_situation.items())
    ]
    return table(["situation", "holds for", "fails for", "undecided for"], rows)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


TABLES: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "docs/guide/limits.md": {
        "default limits": defaults,
        "beginning of a run": beginning,
        "work within events": work_within_events,
        "limits of reading": reading,
    },
    "docs/guide/view.md": {"limits of a page": of_page},
    "docs/method/controllers.md": {
        **of_record("controllers", controllers_by_category),
        "controllers, by situation": lambda: controllers_by_situation(
            json.loads((ROOT / "benchmarks/record/controllers.json").read_text())
        ),
    },
    "docs/method/faults.md": of_record("faults", findings),
    "docs/method/robustness.md": {
        "fuzz/campaign.py": campaigns,
        **of_record("fuzzing", fuzzing),
        **of_record("nasty-inputs", nasty_inputs),
        **of_record("faults", faults),
        **of_record("mutants", mutants),
        **of_record("store-of-many-runs", stores),
    },
}
"""The tables of each page, by what they come from."""


if __name__ == "__main__":
    main()
