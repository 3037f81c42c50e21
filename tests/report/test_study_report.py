import base64
import hashlib
import html
import json
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from longfat.base.html import element, joined, table
from tests.support import Longfat


class Parts(HTMLParser):
    """Rows of tables, scripts with their types, and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.scripts: dict[str, str] = {}
        self.running: list[str] = []
        self.styles: list[str] = []
        self.addresses: list[str] = []
        self.policy = ""
        self._inside: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self.addresses += [known[name] for name in ("src", "href") if name in known]
        if known.get("http-equiv") == "Content-Security-Policy":
            self.policy = known["content"]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in ("meta", "br"):
            self._inside.append((tag, known.get("id", "") if known.get("type") else ""))

    def handle_endtag(self, tag: str) -> None:
        assert self._inside.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        tag, name = self._inside[-1] if self._inside else ("", "")
        if tag == "script" and name:
            self.scripts[name] = self.scripts.get(name, "") + data
        elif tag == "script":
            self.running.append(data)
        elif tag == "style":
            self.styles.append(data)
        if any(around in ("td", "th") for around, _ in self._inside):
            self.rows[-1][-1] += data


def test_a_report_carries_what_its_commands_print(longfat: Longfat, reported: Path) -> None:
    documents = json.loads(Parts(reported.read_text()).scripts["documents"])
    verbs = [" ".join(command.split()[1:3]) for command in documents]
    # Tables A (two metrics, a full factorial) and B (one factor).
    assert verbs == ["study compare", "study claims", *["analyze small"] * 3]
    for command, document in documents.items():
        assert printed_by(longfat, command) == document, command


def printed_by(longfat: Longfat, command: str) -> dict[str, Any]:
    """The output of a command, without the numbers of single runs, which reports do not have."""
    printed: dict[str, Any] = json.loads(longfat(*shlex.split(command)[1:]).stdout)
    return {key: value for key, value in printed.items() if key not in ("predicted", "residuals")}


def markdown_rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    cells = [re.split(r"(?<!\\) \| ", line.strip("|").strip()) for line in lines]
    return [[cell.replace("**", "").replace("\\|", "|").strip() for cell in row] for row in cells]


def test_every_number_of_the_tables_is_one_that_the_commands_print(
    longfat: Longfat, reported: Path
) -> None:
    shown = [[cell.strip() for cell in row] for row in Parts(reported.read_text()).rows]
    printed = longfat("study", "compare", "small", "--markdown").stdout
    analysed = ("--table", "A", "--response", "efficiency", "--format", "markdown")
    printed += longfat("analyze", "small", *analysed).stdout
    rows = [row for row in markdown_rows(printed) if any(cell[:1].isdigit() for cell in row)]
    assert len(rows) > 25
    assert [row for row in rows if row not in shown] == []


def test_a_report_answers_in_words_and_says_where_it_is_from(reported: Path) -> None:
    page = reported.read_text()
    assert "How do efficiency and fairness depend on load, policy and z?" in page
    assert "2 claims: " in page
    assert "Best (highest) efficiency: " in page
    assert "Worst run" in page
    assert "Lowest efficiency of 10 runs" in page
    rows = dict(row for row in Parts(page).rows if len(row) == 2)
    digest = hashlib.sha256((reported.parent / "small" / "claims.toml").read_bytes()).hexdigest()
    assert rows["claims.toml"] == f"SHA-256 {digest}"
    assert rows["runs"] == "15 of 15 have a result"


def test_the_answer_of_a_report_is_the_one_that_commands_print(
    longfat: Longfat, reported: Path
) -> None:
    page = html.unescape(reported.read_text())
    compared = json.loads(longfat("study", "compare", "small", "--json").stdout)
    sentences = [said for table in compared["tables"] for said in table["answer"]["sentences"]]
    assert len(sentences) > 6
    assert [said for said in sentences if f"<li>{said}</li>" not in page] == []
    printed = longfat("study", "compare", "small", "--answer").stdout
    assert [line.strip() for line in printed.splitlines() if line.startswith("  ")] == sentences
    below = longfat("study", "compare", "small").stdout.splitlines()
    assert [said for said in sentences if said not in below] == []
    for options in (["--answer"], []):
        in_markdown = longfat("study", "compare", "small", *options, "--markdown").stdout
        assert [said for said in sentences if f"- {said}" not in in_markdown.splitlines()] == []
    for form in ([], ["--markdown"]):
        tables = longfat("study", "compare", "small", "--no-answer", *form).stdout
        assert "policy" in tables
        assert [said for said in sentences if said in tables] == []


def test_every_figure_names_the_command_that_draws_it(longfat: Longfat, reported: Path) -> None:
    figures = figures_of(reported.read_text())
    said = {own["plot"]: own["command"] for own in map(usermeta, figures.values())}
    kinds = {"efficiency-fairness", "reference", "ledger", "variation", "three-panel", "cwnd"}
    assert kinds <= set(said)
    for kind in ("efficiency-fairness", "ledger"):
        assert longfat(*shlex.split(said[kind])[1:]).returncode == 0, said[kind]
    first, second = said["three-panel"].split(" && ")
    assert longfat(*shlex.split(first)[1:]).returncode == 0
    assert longfat(*shlex.split(second)[1:]).returncode == 0
    assert (reported.parent / "three-panel.svg").exists()


def test_the_caption_of_every_figure_is_a_whole_sentence(reported: Path) -> None:
    page = reported.read_text()
    captions = re.findall(r"<figcaption><b>Figure \d+\. </b>(.*?) <(?:a|code)", page, re.DOTALL)
    assert len(captions) == len(figures_of(page))
    for caption in captions:
        assert re.fullmatch(r"[A-Z][^\n]*\.", caption), caption
        assert not re.search(r"\. [a-z]", caption)


def figures_of(page: str) -> dict[str, dict[str, Any]]:
    """The specification of each figure, as docs/guide/report.md says to get them."""
    figures: dict[str, dict[str, Any]] = json.loads(Parts(page).scripts["figures"])
    return figures


def usermeta(specification: dict[str, Any]) -> dict[str, str]:
    own: dict[str, str] = specification["usermeta"]["longfat"]
    return own


def test_the_policy_of_the_page_allows_its_own_scripts_and_nothing_else(page: Path) -> None:
    parts = Parts(page.read_text())
    assert parts.policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in parts.policy
    assert len(parts.running) == 5
    for text in [*parts.running, *parts.styles]:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in parts.policy
    assert all(address.startswith(("#", "data:")) for address in parts.addresses)


def test_what_a_study_says_cannot_end_an_element(page: Path) -> None:
    text = page.read_text()
    assert "A note with &lt;/script&gt; in it." in text
    assert "plain UBR &amp; &lt;more&gt;" in text
    notes = json.loads(Parts(text).scripts["documents"])["longfat study claims small --json"]
    assert notes["claims"][0]["note"] == "A note with </script> in it."


def test_the_command_says_what_it_wrote(longfat: Longfat, reported: Path) -> None:
    process = longfat("report", "small", "-o", "again.html", "--no-traces")
    assert (process.returncode, process.stdout) == (0, "")
    assert process.stderr.startswith("wrote again.html (")
    assert reported.exists()


def test_the_same_runs_give_the_same_page(longfat: Longfat, reported: Path) -> None:
    first = reported.read_bytes()
    assert longfat("report", "small", "-o", "report.html").returncode == 0
    assert reported.read_bytes() == first


def test_without_traces_a_report_says_how_to_get_them(longfat: Longfat, reported: Path) -> None:
    assert longfat("report", "small", "-o", "short.html", "--no-traces").returncode == 0
    page = (reported.parent / "short.html").read_text()
    command = re.search(r"What happens in it over time: <code>longfat (.*?)</code>", page)
    assert command is not None
    assert longfat(*shlex.split(command[1])).returncode == 0
    assert "three-panel" not in json.dumps([usermeta(each) for each in figures_of(page).values()])


def test_a_part_of_a_study_is_what_every_command_is_about(longfat: Longfat, reported: Path) -> None:
    part = ("--table", "A", "--where", "load = 'heavy' OR load = 'light'", "--replications", "1")
    assert longfat("report", "small", "-o", "part.html", "--no-traces", *part).returncode == 0
    page = (reported.parent / "part.html").read_text()
    documents = json.loads(Parts(page).scripts["documents"])
    for command, document in documents.items():
        assert printed_by(longfat, command) == document, command
    of_the_whole = "Claims are about the whole study"
    assert (of_the_whole in page, of_the_whole in reported.read_text()) == (True, False)


def test_a_report_of_another_confidence_says_it_in_every_command_that_has_one(
    longfat: Longfat, reported: Path
) -> None:
    options = ("--no-traces", "--confidence", "0.99")
    assert longfat("report", "small", "-o", "sure.html", *options).returncode == 0
    page = (reported.parent / "sure.html").read_text()
    documents = json.loads(Parts(page).scripts["documents"])
    of_confidence = [command for command in documents if "study compare" not in command]
    assert len(of_confidence) == 4
    for command in of_confidence:
        assert documents[command]["confidence"] == 0.99
        assert printed_by(longfat, command) == documents[command], command
    assert "longfat report small -o report.html --confidence 0.99\n" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["small", "-o", "a.html"], "has no runs that a report could be of; to run them:"),
        (["small", "-o", "a.pdf"], "a.pdf: the suffix must be .html"),
        (["smal", "-o", "a.html"], "no shipped study of this name"),
        (["small", "-o", "nowhere/a.html"], "has no runs"),
    ],
)
def test_what_cannot_be_reported_is_said_and_leaves_no_page(
    longfat: Longfat, study_folder: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    process = longfat("report", *arguments)
    assert process.returncode == 2
    assert message in process.stderr
    assert "Traceback" not in process.stderr
    assert list(tmp_path.glob("*.html")) == []
    assert study_folder.exists()


def test_missing_runs_are_counted_and_the_rest_is_reported(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    longfat("study", "run", "small", "--quick", "--jobs", "1")
    process = longfat("report", "small", "-o", "a.html", "--no-traces")
    assert process.returncode == 0
    assert "runs have no result; to run them:\n  longfat study run small" in process.stderr
    assert study_folder.exists()
    assert (tmp_path / "a.html").exists()


def test_text_is_escaped_and_elements_are_not() -> None:
    inner = element("b", "1 < 2", class_='a"b', aria_label=None, open=True)
    assert inner == '<b class="a&quot;b" open>1 &lt; 2</b>'
    assert joined([inner, " & "]) == f"{inner} &amp; "


def test_columns_of_numbers_stand_to_the_right() -> None:
    text = table(["name", "value"], [["a", "1.5"], ["b", "-"], ["c", "(0.1, 2)"]])
    assert text.count('class="number"') == 4
