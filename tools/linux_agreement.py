"""Write into docs/method/linux.md how far a preset agrees with the recordings of Linux.

Usage: ``python tools/linux_agreement.py [--preset NAME] [--held-out none|both]``. Held-out
experiments have a table of their own; with none, their recordings are not read. Only counts and
largest differences are written, nothing of single recordings.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from longfat.report.splice import spliced
from longfat.running.execution import usable_cores
from longfat.verification.linux import NOT_RECORDED, HeldOut, Verification, chosen, verify
from longfat.verification.summary import SUMMARY_COLUMNS, summaries

PAGE = Path(__file__).parent.parent / "docs/method/linux.md"
NAME = "tools/linux_agreement.py"


def main() -> None:
    """Verify the preset and splice both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--preset", default="linux-6.12")
    parser.add_argument("--held-out", choices=["none", "both"], default="both")
    arguments = parser.parse_args()
    preset = arguments.preset
    groups: dict[str, HeldOut] = {"Not held out": "none"}
    if arguments.held_out == "both":
        groups["Held out"] = "only"
    parts = [
        section(f"**{heading}**", verify(preset, chosen(None, held_out), usable_cores()))
        for heading, held_out in groups.items()
    ]
    text = f"`longfat verify linux --preset {preset}`:\n\n" + "\n".join(parts)
    PAGE.write_text(spliced(PAGE.read_text(), NAME, text, str(PAGE)))


def section(heading: str, verification: Verification) -> str:
    """Return the summary of some recordings, and why others are not compared."""
    findings = [found for each in verification.compared for found in each.findings]
    verdicts = Counter(found.verdict for found in findings)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    reasons = Counter(reason for _, reason in verification.left_out if reason != NOT_RECORDED)
    unrecorded = sum(reason == NOT_RECORDED for _, reason in verification.left_out)
    missing = "; ".join(reasons)
    lines = [
        f"{heading}: {len(verification.compared)} recordings, {len(findings)} measures: {counts}.",
        f"Not compared: {missing or 'none'}." if missing else "",
        f"Declared and not yet recorded: {unrecorded}." if unrecorded else "",
    ]
    return "\n".join([" ".join(filter(None, lines)), "", *table(summaries(verification.compared))])


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table, each with its end."""
    lines = [SUMMARY_COLUMNS, ["---"] * len(SUMMARY_COLUMNS), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines] + [""]


if __name__ == "__main__":
    main()
