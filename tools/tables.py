"""Write the tables of the robustness page from the records of programs.

Usage: ``python tools/robustness.py``. Records: `fuzz/campaign.py`, `tools/mutants.py`,
`make faults` and `benchmarks/store_of_many_runs.py` write them into `benchmarks/record`.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from longfat.report.splice import spliced

ROOT = Path(__file__).parent.parent
RECORDS = ROOT / "benchmarks/record"
PAGE = ROOT / "docs/method/robustness.md"


def main() -> None:
    """Splice a table for each existing record."""
    page = PAGE.read_text()
    for name, text in TABLES.items():
        record = RECORDS / f"{name}.json"
        if record.exists():
            written = text(json.loads(record.read_text()))
            page = spliced(page, f"benchmarks/record/{name}.json", written, str(PAGE))
    PAGE.write_text(page)


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
    return table(["target", "executions", "crashes", "hangs over 1 s", "last"], rows)


def nasty_inputs(record: dict[str, Any]) -> str:
    """Return the number of nasty command lines by exit code, and their findings."""
    rows = [[code, str(count)] for code, count in record["exit_codes"].items()]
    return (
        f"{record['commands']:,} command lines: {len(record['tracebacks'])} tracebacks, "
        f"{len(record['hangs'])} hangs, {len(record['other_exits'])} other exit codes.\n\n"
        f"{table(['exit code', 'times'], rows)}"
    )


def faults(record: dict[str, Any]) -> str:
    """Return the number of each fault, and the losses."""
    rows = [[name, str(count)] for name, count in record["faults"].items()]
    flips = record["flips"]
    return (
        f"{table(['fault', 'times'], rows)}\n\n{record['acknowledged']} acknowledged runs, "
        f"{record['lost']} lost; {record['repeated']} stored runs repeated, {record['wrong']} "
        f"wrong; {record['falsely_stored']} times runs called stored that were not. Of the flipped "
        f"bits {flips.get('no effect', 0)} changed nothing that the store says, "
        f"{flips.get('refused', 0)} were refused, {flips.get('other answers', 0)} changed an "
        f"answer without a word. {record['tracebacks']} tracebacks."
    )


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


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


TABLES: dict[str, Callable[[dict[str, Any]], str]] = {
    "fuzzing": fuzzing,
    "nasty-inputs": nasty_inputs,
    "faults": faults,
    "mutants": mutants,
    "store-of-many-runs": stores,
}


if __name__ == "__main__":
    main()
