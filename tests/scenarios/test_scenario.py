import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longfat import InvalidInput, LongfatError, _engine, load_scenario, run
from longfat.base.errors import Interrupted, RunFailed
from longfat.records.screen import screen_tables
from longfat.scenarios.scenario import OverrideValue

RECORD_FIELDS = {
    "scenario",
    "scenario_hash",
    "run_id",
    "engine",
    "seed",
    "replication",
    "metrics",
    "flows",
    "ports",
    "ledger",
    "work",
    "fingerprint",
}


def test_a_scenario_is_resolved_to_integers_in_base_units(scenario_file: Path) -> None:
    scenario = load_scenario(scenario_file)
    assert scenario.settings["duration_ps"] == 50 * 10**9
    assert scenario.simulated_seconds == 0.05


def test_overrides_set_values_by_path(scenario_file: Path) -> None:
    overrides: dict[str, OverrideValue] = {
        "topology.sources": 3,
        "port.buffer": "500 cells",
        "tcp.slow_start_at_ssthresh": False,
    }
    settings = load_scenario(scenario_file, overrides).settings
    assert settings["topology"]["sources"] == 3
    assert settings["port"]["buffer_cells"] == 500
    assert settings["tcp"]["slow_start_at_ssthresh"] is False


def test_a_resolved_scenario_is_itself_a_scenario(scenario_file: Path, tmp_path: Path) -> None:
    scenario = load_scenario(scenario_file)
    copy = tmp_path / "resolved.json"
    copy.write_text(scenario.resolved)
    assert load_scenario(copy) == load_scenario(scenario.settings) == scenario


def test_the_record_of_a_run_is_read_as_its_scenario(scenario_file: Path, tmp_path: Path) -> None:
    record = run(load_scenario(scenario_file, {"seed": 7}))
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record))
    assert run(load_scenario(file)) == run(load_scenario(record["scenario"])) == record
    changed: dict[str, OverrideValue] = {"seed": 3, "port.policy": "tail-drop"}
    assert load_scenario(file, changed) == load_scenario(scenario_file, changed)


def test_an_error_in_the_record_of_a_run_is_reported_with_its_line(
    scenario_file: Path, tmp_path: Path
) -> None:
    record = run(load_scenario(scenario_file))
    record["scenario"]["port"]["policy"] = "none"
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record, indent=1))
    with pytest.raises(InvalidInput, match=r"record.json:\d+:\d+: port.policy: unknown"):
        load_scenario(file)


def test_the_hash_ignores_seed_and_replication_and_the_run_id_does_not(
    scenario_file: Path,
) -> None:
    first = load_scenario(scenario_file)
    second = load_scenario(scenario_file, {"seed": 2, "replication": 5})
    assert first.hash == second.hash
    assert first.run_id != second.run_id


def test_every_error_is_reported_at_once(scenario_file: Path) -> None:
    text = scenario_file.read_text()
    scenario_file.write_text(text.replace("sources = 2", "sources = 0").replace("50 ms", "50"))
    with pytest.raises(InvalidInput) as caught:
        load_scenario(scenario_file)
    assert len(caught.value.problems) == 2


def test_a_missing_file_is_one_clear_message(tmp_path: Path) -> None:
    with pytest.raises(LongfatError, match="nowhere.toml: no such file or directory"):
        load_scenario(tmp_path / "nowhere.toml")


def test_a_run_yields_the_whole_record(scenario_file: Path) -> None:
    scenario = load_scenario(scenario_file)
    record = run(scenario)
    assert set(record) == RECORD_FIELDS
    assert record["scenario"] == scenario.settings
    assert record["run_id"] == scenario.run_id
    assert 0 < record["metrics"]["efficiency"] <= 1
    assert len(record["flows"]) == 2


def test_the_same_run_gives_the_same_record(scenario_file: Path) -> None:
    assert json.dumps(run(scenario_file)) == json.dumps(run(scenario_file))


def test_a_failed_run_raises_its_message(
    scenario_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_resolved: object, _jobs: int, report: object, *_: object) -> None:
        assert callable(report)
        report([(0, json.dumps({"failure": "a cell is lost"}))], 0.0)

    monkeypatch.setattr(_engine, "run_batch", fail)
    with pytest.raises(RunFailed, match="a cell is lost"):
        run(scenario_file)


def test_a_setting_may_be_a_table_or_a_list(scenario_file: Path) -> None:
    policy = {"kind": "epd", "threshold": 0.5}
    told = load_scenario(scenario_file, {"port.policy": policy, "tcp.flavor": {"kind": "cubic"}})
    typed = {"port.policy": '{ kind = "epd", threshold = 0.5 }', "tcp.flavor": "cubic"}
    assert told.resolved == load_scenario(scenario_file, typed).resolved
    groups = load_scenario(scenario_file, {"connections": [{"count": 1, "flavor": "reno"}]})
    assert groups.settings["connections"]


def test_what_is_no_value_is_said(scenario_file: Path) -> None:
    with pytest.raises(LongfatError, match="None is no value of a scenario"):
        load_scenario(scenario_file, {"seed": None})  # type: ignore[dict-item]


def test_numbers_of_numpy_are_numbers_and_its_arrays_are_lists(scenario_file: Path) -> None:
    beta = np.float32(0.5)
    control = {"kind": "external", "control": "mine", "parameters": {"beta": beta}}
    told: dict[str, Any] = {
        "topology.sources": np.int64(3),
        "tcp.slow_start_at_ssthresh": np.bool_(False),
        "tcp.flavor": control,
        "loss": {"kind": "list", "drops": np.array([[1, 5], [2, 7]])},
    }
    plain: dict[str, Any] = {
        "topology.sources": 3,
        "tcp.slow_start_at_ssthresh": False,
        "tcp.flavor": {**control, "parameters": {"beta": 0.5}},
        "loss": {"kind": "list", "drops": [[1, 5], [2, 7]]},
    }
    expected = load_scenario(scenario_file, plain)
    assert load_scenario(scenario_file, told) == expected
    assert load_scenario({**load_scenario(scenario_file).settings, "seed": np.uint8(1)}) == (
        load_scenario(scenario_file)
    )


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"kind": "epd", "threshold": {0.5}}, "port.policy.threshold"),
        ([{"kind": "epd"}, {"kind": b"epd"}], r"port.policy\[1\].kind"),
        (np.datetime64("2026-01-01"), "port.policy"),
    ],
)
def test_what_is_no_value_is_said_with_its_path(scenario_file: Path, value: Any, path: str) -> None:
    with pytest.raises(LongfatError, match=rf"^{path}: .* is no value of a scenario"):
        load_scenario(scenario_file, {"port.policy": value})
    with pytest.raises(LongfatError, match=rf"^{path}: .* is no value of a scenario"):
        load_scenario({"port": {"policy": value}})


def test_a_checked_scenario_is_loaded_again_with_other_values(scenario_file: Path) -> None:
    scenario = load_scenario(scenario_file)
    assert load_scenario(scenario) is scenario
    changes = {"duration": "80 ms", "port.buffer": "700 cells", "topology.bottleneck.delay": "1 ms"}
    assert load_scenario(scenario, changes) == load_scenario(scenario_file, changes)
    with pytest.raises(
        LongfatError, match="tcp.preset: fills in the settings that a scenario leaves out"
    ):
        load_scenario(scenario, {"tcp.preset": "linux-like"})


def test_whoever_passes_over_scenarios_that_fail_does_not_pass_over_ctrl_c() -> None:
    assert not issubclass(Interrupted, Exception)
    assert issubclass(Interrupted, KeyboardInterrupt)
    assert issubclass(InvalidInput, LongfatError)


def test_a_scenario_says_in_a_console_which_it_is(scenario_file: Path) -> None:
    scenario = load_scenario(scenario_file)
    assert repr(scenario) == f"<Scenario {scenario.hash[:12]}: n-source, 0.05 s>"


def test_a_notebook_shows_every_metric_of_a_run_that_the_terminal_shows(
    scenario_file: Path,
) -> None:
    packets = {"framing": "ethernet", "port.buffer": "20 packets", "port.policy": "tail-drop"}
    record = run(load_scenario(scenario_file, packets))
    shown = record._repr_html_()
    (_, metrics, *_), *_ = screen_tables(record)
    assert [name for name, _ in metrics if name not in shown] == []
    assert all(f"<summary>{title}" in shown for title in ("where the capacity", "flows", "ports"))


def test_an_error_in_an_object_is_reported_with_its_path_and_without_a_file() -> None:
    with pytest.raises(InvalidInput) as refused:
        load_scenario({"schema_version": 1, "port": {"buffer": "many", "polcy": "x"}})
    told = refused.value.problems
    for start in ("port.polcy: unknown key; did you", "port.buffer: expected a number of cells"):
        assert any(problem.startswith(start) for problem in told)
    assert not any("scenario.json" in problem for problem in told)
    with pytest.raises(LongfatError, match="seed: nan is no value of a scenario"):
        load_scenario({"seed": float("nan")})
