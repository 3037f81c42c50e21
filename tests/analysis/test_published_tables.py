"""Tables 5, 6, 8, 9, 11 and 12 of ATM Forum 98-0876R1 come out of its Tables 4, 7 and 10.

The fairness of the WAN differs from the printed digits by one unit of the last place in some
entries, all of them upward: the authors had more digits than Table 4 prints.
"""

import json
from decimal import Decimal

import pytest

from longfat.analysis.analysis import Analysis, analyse
from longfat.analysis.experiment import cross
from longfat.analysis.table import load_observations
from longfat.analysis.words import sentences
from longfat.report.analysis import rounded_text
from tests.analysis.support import EXAMPLES, FACTORS, reference_rows
from tests.support import Longfat

TABLES = [(4, "wan", 5, 6), (7, "meo", 8, 9), (10, "geo", 11, 12)]
RESPONSES = ["efficiency", "fairness"]


def published(*columns: str) -> pytest.MarkDecorator:
    """Each table of results, with the numbers of those other tables that the test needs."""
    names = ("results", "link", "allocation", "effects")
    rows = [[row[names.index(column)] for column in columns] for row in TABLES]
    return pytest.mark.parametrize(columns, rows)


responses = pytest.mark.parametrize("response", RESPONSES)


def analysis_of(results: int, link: str, response: str) -> Analysis:
    found = load_observations(EXAMPLES / f"table{results}-{link}.csv", FACTORS, response)
    return analyse(cross(response, found.factors, found.rows))


def assert_printed(value: float, printed: str, link: str, response: str) -> None:
    """True if the value, rounded like the printed one, has its digits."""
    decimals = len(printed.partition(".")[2])
    ours = Decimal(rounded_text(value, decimals))
    units_apart = abs(ours - Decimal(printed)).scaleb(decimals)
    assert units_apart <= (1 if (link, response) == ("wan", "fairness") else 0), (value, printed)


@published("results", "link", "allocation")
@responses
def test_the_allocation_of_variation_has_the_printed_digits(
    results: int, link: str, allocation: int, response: str
) -> None:
    analysis = analysis_of(results, link, response)
    squares = {part.name: part.sum_of_squares for part in analysis.components} | {
        "individual values": analysis.individual_values,
        "overall mean": analysis.overall_mean,
        "total variation": analysis.total_variation,
        "standard error": analysis.standard_error,
    }
    percents = {part.name: part.percent for part in analysis.components} | {"total variation": 100}
    rows = reference_rows(f"table{allocation}-{link}.csv")
    assert len(rows) == 10
    for row in rows:
        square = squares[row["component"]]
        assert square is not None
        assert_printed(square, row[f"sum_of_squares_{response}"], link, response)
        if row[f"percent_{response}"]:
            percent = percents[row["component"]]
            assert_printed(percent, row[f"percent_{response}"], link, response)


@published("results", "link", "effects")
@responses
def test_the_main_effects_and_their_intervals_have_the_printed_digits(
    results: int, link: str, effects: int, response: str
) -> None:
    analysis = analysis_of(results, link, response)
    found = {(effect.factors[0], effect.levels[0]): effect for effect in analysis.effects}
    rows = reference_rows(f"table{effects}-{link}.csv")
    assert len(rows) == len(found) == 9
    for row in rows:
        effect = found[row["factor"], row["level"]]
        for name, value in (
            ("effect", effect.effect), ("low", effect.low), ("high", effect.high),
        ):  # fmt: skip
            assert value is not None
            assert_printed(value, row[f"{name}_{response}"], link, response)


@published("results", "link", "allocation", "effects")
@responses
def test_the_command_line_prints_the_digits_of_the_tables(
    longfat: Longfat, results: int, link: str, allocation: int, effects: int, response: str
) -> None:
    table = EXAMPLES / f"table{results}-{link}.csv"
    process = longfat("analyze", table, "--factors", ",".join(FACTORS), "--response", response)
    assert process.returncode == 0
    assert process.stderr == ""
    assert "(6 degrees of freedom)" in process.stdout
    cells = [line.split("  ") for line in process.stdout.splitlines()]
    printed = [[cell.strip() for cell in row if cell.strip()] for row in cells]
    for row in reference_rows(f"table{allocation}-{link}.csv"):
        if row["component"] == "standard error":
            continue
        _, square, percent, *_ = next(cells for cells in printed if cells[:1] == [row["component"]])
        assert_printed(float(square), row[f"sum_of_squares_{response}"], link, response)
        if row[f"percent_{response}"]:
            assert_printed(float(percent), row[f"percent_{response}"], link, response)
    for row in reference_rows(f"table{effects}-{link}.csv"):
        _, _, effect, interval, _ = next(
            cells for cells in printed if cells[:2] == [row["factor"], row["level"]]
        )
        low, high = interval.strip("()").split(", ")
        for name, value in (("effect", effect), ("low", low), ("high", high)):
            assert_printed(float(value), row[f"{name}_{response}"], link, response)


def test_the_document_has_the_fields_that_scripts_rely_on(longfat: Longfat) -> None:
    table = EXAMPLES / "table4-wan.csv"
    options = ["--factors", ",".join(FACTORS), "--response", "efficiency", "--json"]
    document = json.loads(longfat("analyze", table, *options).stdout)
    assert document["degrees_of_freedom"] == 6
    assert document["standard_error"] == pytest.approx(0.0156, abs=5e-5)
    assert document["total_variation"] == pytest.approx(0.4565, abs=5e-5)
    assert document["mean"] == pytest.approx(0.7701, abs=5e-5)
    component, effect, interaction = (
        document[part][0] for part in ("components", "effects", "interactions")
    )
    assert component["name"] == "tcp_flavor"
    assert {"sum_of_squares", "percent", "degrees_of_freedom"} < component.keys()
    assert effect.keys() == {"factor", "level", "effect", "low", "high", "significant"}
    assert effect["significant"] is True
    assert interaction["factors"] == ["tcp_flavor", "buffer_rtt"]
    assert interaction["levels"] == ["Vanilla", "0.5"]


def test_the_conclusions_of_section_8_2_2_are_said_in_words() -> None:
    """Fairness in WANs: 1 RTT and 2 RTT buffers are not shown to differ; policies neither."""
    words = "\n".join(sentences(analysis_of(4, "wan", "fairness")))
    assert "1 and 2 raise fairness; 0.5 lowers fairness" in words
    assert "no difference is shown: 1 and 2." in words
    assert "drop_policy: no level has a significant effect." in words
