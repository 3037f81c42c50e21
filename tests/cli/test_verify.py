"""`longfat verify` at the command line."""

import json
from pathlib import Path

from tests.support import Longfat


def test_a_check_is_chosen_by_words_and_prints_its_finding(longfat: Longfat) -> None:
    process = longfat("verify", "ns-2", "lost-retransmission", "--json")
    assert process.returncode == 0, process
    checks = json.loads(process.stdout)["checks"]
    assert {check["kind"] for check in checks} == {"trace"}
    assert [check["name"] for check in checks] == [
        f"ns-2 {flavor}-lost-retransmission" for flavor in ("newreno", "reno", "sack")
    ]
    assert all(check["passed"] and "events in order" in check["detail"] for check in checks)


def test_laws_examples_and_traces_are_all_there_and_hold(longfat: Longfat) -> None:
    process = longfat("verify", "--json")
    assert process.returncode == 0, process
    checks = json.loads(process.stdout)["checks"]
    counts = {
        kind: [c["kind"] for c in checks].count(kind)
        for kind in ("law", "example", "trace", "stack")
    }
    assert counts["law"] >= 20
    assert counts["example"] >= 12
    assert counts["trace"] >= 24
    assert counts["stack"] >= 24
    assert f"all {len(checks)} checks passed" in process.stderr


def test_the_table_is_for_people(longfat: Longfat) -> None:
    process = longfat("verify", "rfc", "2018")
    assert process.returncode == 0
    assert "RFC 2018 section 5, case 2" in process.stdout
    assert "ok" in process.stdout


def test_the_scenario_of_a_trace_can_be_run_by_itself(longfat: Longfat, tmp_path: Path) -> None:
    printed = longfat("verify", "sack-two-losses", "--scenario")
    assert printed.returncode == 0, printed
    path = tmp_path / "scenario.json"
    path.write_text(printed.stdout)
    record = json.loads(longfat("run", path, "--json").stdout)
    flow = record["flows"][0]
    assert (flow["flavor"], flow["fast_retransmits"], flow["timeouts"]) == ("sack", 1, 0)
    assert flow["segments_retransmitted"] == 2


def test_words_that_name_nothing_or_too_much_are_refused(longfat: Longfat) -> None:
    nothing = longfat("verify", "no check has this name")
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert "'no check has this name'" in nothing.stderr
    many = longfat("verify", "ns-2", "sack", "--scenario")
    assert (many.returncode, many.stdout) == (2, "")
    assert "one trace" in many.stderr
