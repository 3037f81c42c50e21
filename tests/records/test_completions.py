import json
from pathlib import Path
from statistics import fmean

import pytest

import longfat
from longfat import load_scenario, run
from longfat.base.errors import BadInput
from longfat.notebook.study import Study
from longfat.records.completions import DELIVERED_SHARE, POWER, TIMES, in_short
from longfat.records.directions import is_more_better, is_share
from longfat.results.stored import load_responses
from longfat.statistics.histogram import Histogram
from longfat.store import Store
from longfat.studies.definition import load_study
from longfat.studies.plan import plan_design

SHORT = "flow up to 100 kB p95_s"

FLOWS = """
schema_version = 1
duration = "5 s"
framing = "packet"

[topology]
kind = "n-source"
sources = 2
access = { rate = "1 Gbit/s", delay = "1 ms" }
bottleneck = { rate = "10 Mbit/s", delay = "5 ms" }

[port]
buffer = "100 packets"

[traffic]
kind = "flows"
interval = "100 ms"
size = { kind = "bounded-pareto", smallest = "10 kB", largest = "1 MB", shape = 1.2 }
classes = ["1 kB", "100 kB"]
"""


def test_each_kind_has_its_counts_and_what_so_many_of_its_times_do_not_exceed(
    tmp_path: Path,
) -> None:
    file = tmp_path / "flows.toml"
    file.write_text(FLOWS)
    kinds = {kind["name"]: kind for kind in run(load_scenario(file))["completions"]}
    told = json.loads(in_short(kinds))
    short = told["flow up to 100 kB"]
    times = Histogram.of(kinds["flow up to 100 kB"]["times"])
    assert (short["asked"], short["delivered"]) == (
        kinds["flow up to 100 kB"]["asked"],
        times.count,
    )
    assert short["mean_s"] == pytest.approx(times.sum_us / times.count / 1e6)
    assert short["p95_s"] == times.quantile_seconds(0.95)
    assert short["p50_s"] <= short["p90_s"] <= short["p95_s"] <= short["p99_s"]


STUDY = """
schema_version = 1
title = "Which queue?"

[design]
replications = 2
perturb = { start = "uniform(0 ms, 100 ms)" }

[factors]
"port.buffer" = ["5 packets", "100 packets"]
"""


@pytest.fixture
def own(tmp_path: Path) -> Study:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "scenario.toml").write_text(FLOWS)
    (tmp_path / "own" / "study.toml").write_text(STUDY)
    return longfat.study(tmp_path / "own", store=tmp_path / "own.db").run()


def test_how_long_flows_took_is_analysed_as_a_metric_is(own: Study) -> None:
    plan = plan_design(own.definition, own.selection)
    with Store.readable(own.store) as store:
        results = load_responses(plan, store, SHORT)
        assert SHORT not in next(iter(load_responses(plan, store, "timeouts").values()))[1]
    times = [runs[number][SHORT] for runs in results.values() for number in (1, 2)]
    assert own.analyze(SHORT).document()["mean"] == pytest.approx(fmean(times))


def test_an_unknown_time_is_refused_with_the_known_ones(own: Study) -> None:
    with pytest.raises(BadInput, match=f"no response '{SHORT[:-2]}'; did you mean '{SHORT}'"):
        own.analyze(SHORT[:-2])
    with pytest.raises(BadInput, match="no response 'flow up to 1 kB p95_s'"):
        own.analyze("flow up to 1 kB p95_s")


def test_a_kind_of_which_nothing_was_delivered_has_no_times(tmp_path: Path) -> None:
    file = tmp_path / "flows.toml"
    file.write_text(FLOWS)
    kinds = {kind["name"]: kind for kind in run(load_scenario(file))["completions"]}
    assert json.loads(in_short(kinds))["flow up to 1 kB"] == {"asked": 0, "delivered": 0}


def test_power_is_the_number_delivered_over_the_median_time_and_more_of_it_is_better(
    tmp_path: Path,
) -> None:
    file = tmp_path / "flows.toml"
    file.write_text(FLOWS)
    kinds = {kind["name"]: kind for kind in run(load_scenario(file))["completions"]}
    flow = json.loads(in_short(kinds))["flow"]
    assert flow["power"] == pytest.approx(flow["delivered"] / flow["p50_s"])
    assert is_more_better("flow power")
    assert not is_share("flow power")


def test_how_long_flows_took_is_tabulated_as_a_metric_is(own: Study) -> None:
    file = own.definition.folder / "study.toml"
    file.write_text(
        f'{STUDY}\n[[response]]\ntable = "times"\nmetric = "{SHORT}"\nrows = {{ buffer = "all" }}\n'
    )
    tabulated = longfat.study(own.definition.folder, store=own.store)
    (table,) = tabulated.compare()["table"].unique()
    assert table == "times"
    plan = plan_design(tabulated.definition, tabulated.selection)
    with Store.readable(own.store) as store:
        runs = load_responses(plan, store, SHORT)
    means = {
        dict(combination)["buffer"]: fmean(of_runs[number][SHORT] for number in (1, 2))
        for combination, of_runs in runs.items()
    }
    found = {row["buffer"]: row["mean"] for row in tabulated.compare().iter_rows(named=True)}
    assert found == pytest.approx(means)
    assert not is_more_better(SHORT), "who waits for less time is better off"


def test_how_much_of_what_was_asked_for_was_delivered_is_tabulated_too(own: Study) -> None:
    file = own.definition.folder / "study.toml"
    share = "flow delivered_share"
    file.write_text(f'{STUDY}\n[[response]]\nmetric = "{share}"\nrows = {{ buffer = "all" }}\n')
    tabulated = longfat.study(own.definition.folder, store=own.store)
    plan = plan_design(tabulated.definition, tabulated.selection)
    drawn = [run.scenario.run_id for run in plan.runs if run.replication > 0]
    with Store.readable(own.store) as store:
        flows = [kinds["flow"] for kinds in store.completions(drawn).values()]
    shares = [flow["delivered"] / flow["asked"] for flow in flows]
    found = [row["mean"] for row in tabulated.compare().iter_rows(named=True)]
    assert fmean(found) == pytest.approx(fmean(shares))
    assert is_more_better(share)
    assert is_share(share)


def test_every_statistic_of_completions_that_a_study_may_tabulate_exists(own: Study) -> None:
    plan = plan_design(own.definition, own.selection)
    with Store.readable(own.store) as store:
        (runs, *_) = load_responses(plan, store, SHORT).values()
    for statistic in (*TIMES, DELIVERED_SHARE, POWER):
        assert f"flow {statistic}" in runs[1]
        response = f'\n[[response]]\nmetric = "flow {statistic}"\nrows = {{ buffer = "all" }}\n'
        (own.definition.folder / "study.toml").write_text(STUDY + response)
        (found,) = load_study(own.definition.folder).responses
        assert found.metric == f"flow {statistic}"
