"""Writes the table of recordings into docs/method/linux.md: python table.py [--check]."""

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

import experiment

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs/method/linux.md"
BLOCK = re.compile(r"(<!-- BEGIN: table\.py -->\n).*(<!-- END: table\.py -->)", re.DOTALL)


def header(path: Path) -> dict[str, str]:
    """The header of a recording."""
    lines = path.read_text().split("\n[", 1)[0].splitlines()[1:]
    return dict(line.removeprefix("# ").split(": ", 1) for line in lines)


def rows(headers: list[dict[str, str]]) -> list[str]:
    """A row for each experiment: network and flows, never what came out."""
    together = defaultdict(list)
    for each in headers:
        together[each["kind"], each["name"]].append(each)
    lines = []
    for (kind, name), each in sorted(together.items()):
        declared = json.loads(each[0]["experiment"])
        controls = ", ".join(
            f"{flow['count']} {flow['control']}" if "count" in flow else flow["control"]
            for flow in declared["flows"]
        )
        cells = [
            kind,
            f"`{name}`",
            controls,
            declared.get("discipline", "").split(" ")[0] or "FIFO",
            f"{declared['rate_mbit']:g}",
            f"{declared['round_trip_ms']:g}",
            str(declared["buffer_packets"]),
            f"{declared['seconds']:g}",
            each[0]["kernel"].split("-")[0].split("+")[0],
            str(len(each)),
            "yes" if each[0]["held_out"] == "true" else "",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def table() -> str:
    """The table, after a sentence of counts."""
    headers = [header(path) for path in sorted((HERE / "recordings").glob("*.txt"))]
    experiments = [json.loads(each["experiment"]) for each in headers]
    controls = {flow["control"] for declared in experiments for flow in declared["flows"]}
    disciplines = {
        declared["discipline"].split(" ")[0] for declared in experiments if "discipline" in declared
    }
    names = {each["name"]: each["held_out"] == "true" for each in headers}
    missing = sum(each.name not in names for each in experiment.read())
    busiest = max(headers, key=lambda each: float(each["busy"]))
    head = [
        "kind",
        "experiment",
        "controls",
        "queue",
        "Mbit/s",
        "ms",
        "packets",
        "s",
        "kernel",
        "boots",
    ]
    counts = (
        f"{len(headers)} recordings of {len(names)} experiments, {sum(names.values())} held out:"
        f" {len(controls)} controls ({', '.join(sorted(controls))}), {len(disciplines)}"
        f" disciplines besides FIFO ({', '.join(sorted(disciplines))}). The guest was busiest in"
        f" `{busiest['name']}`: {float(busiest['busy']):.0%} of the time."
        f" Declared and not yet recorded: {missing}."
    )
    head.append("held out")
    frame = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([counts, "", *frame, *rows(headers), ""])


def main() -> None:
    """Write the table, or fail if the page has another one."""
    page = PAGE.read_text()
    new = BLOCK.sub(lambda found: found[1] + table() + found[2], page)
    if "--check" in sys.argv:
        sys.exit(
            f"{PAGE.name} has another table: run python {Path(__file__).name}" if new != page else 0
        )
    PAGE.write_text(new)


if __name__ == "__main__":
    main()
