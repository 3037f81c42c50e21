import math
import random
import statistics
import subprocess
import sys

import pytest

from longfat.analysis.cautions import cautions, outlier, outlier_limit, without_chance
from longfat.analysis.run_length import path_of
from longfat.results.caution import Kind
from longfat.scenarios.scenario import load_scenario
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Plan, Selection, Series, plan_design

# NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.5.17.1: uranium in eight samples.
URANIUM = [199.31, 199.53, 200.19, 200.82, 201.92, 201.95, 202.18, 245.57]


@pytest.fixture
def plan(study: StudyDefinition) -> Plan:
    return plan_design(study, Selection())


@pytest.mark.parametrize(("count", "limit"), [(5, 1.715), (8, 2.126), (10, 2.290), (20, 2.709)])
def test_the_limit_of_outliers_is_that_of_the_printed_tables(count: int, limit: float) -> None:
    """Two-sided, 5 percent."""
    assert outlier_limit(count, 0.05) == pytest.approx(limit, abs=0.001)


def test_the_textbooks_outlier_is_found_and_nothing_without_it() -> None:
    assert outlier(URANIUM, 0.05) == 7
    assert outlier(URANIUM[:-1], 0.05) is None


@pytest.mark.parametrize("pairs", [2, 4, 15, 250])
def test_an_outlier_begins_just_beyond_students_limit(pairs: int) -> None:
    """Of a value so many standard deviations away from the mean of all."""
    values = [1.0, -1.0] * pairs
    limit = outlier_limit(len(values) + 1, 0.05)
    assert outlier([*values, farthest(values, 0.999 * limit)], 0.05) is None
    assert outlier([*values, farthest(values, 1.001 * limit)], 0.05) == len(values)


def farthest(values: list[float], deviations: float) -> float:
    """The value that is so many standard deviations from the mean of these and itself."""
    least, most = max(values), 1e6
    for _ in range(100):
        value = (least + most) / 2
        sample = [*values, value]
        is_near = value - statistics.fmean(sample) < deviations * statistics.stdev(sample)
        least, most = (value, most) if is_near else (least, value)
    return value


def test_student_is_not_asked_about_values_that_are_no_outliers_of_a_normal_sample() -> None:
    script = (
        "import sys; from longfat.analysis.cautions import outlier;"
        "print(outlier([1.0, 2.0, 3.0] * 30, 0.01), 'scipy' in sys.modules)"
    )
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert process.stdout == "None False\n"


def test_equal_values_and_few_values_have_no_outlier() -> None:
    assert outlier([0.3] * 10, 0.05) is None
    assert outlier([0.0, 0.0, 0.0, 9.0], 0.5) is None


def test_normal_values_have_outliers_as_seldom_as_the_test_says() -> None:
    chance = random.Random(2)
    found = sum(
        outlier([chance.gauss(0, 1) for _ in range(8)], 0.05) is not None for _ in range(1500)
    )
    assert found / 1500 == pytest.approx(0.05, abs=0.017)


def test_a_run_of_another_kind_is_reported_with_its_replication(plan: Plan) -> None:
    chance = random.Random(1)
    results = {
        combination: {number: {"efficiency": chance.gauss(0.8, 0.01)} for number in range(10)}
        for combination in plan.of_combination
    }
    assert not any(one.kind == "heavy tail" for one in cautions(plan, results, ["efficiency"]))
    results[(("load", "heavy"), ("policy", "fba"))][7] = {"efficiency": 0.1}
    (tail,) = [one for one in cautions(plan, results, ["efficiency"]) if one.kind == "heavy tail"]
    assert tail.combinations == {(("load", "heavy"), ("policy", "fba"))}
    assert "efficiency of load heavy, policy fba is 0.1 in replication 7" in tail.said


def test_a_run_of_another_kind_keeps_its_number_where_runs_before_it_are_missing(
    study: StudyDefinition,
) -> None:
    runs = {number: {"efficiency": 0.8 + number / 1000} for number in range(6, 16)}
    runs |= {4: {}, 12: {"efficiency": 0.1}}
    lack, tail = cautions(
        Plan(study, Selection(), []), {(("load", "heavy"),): runs}, ["efficiency"]
    )
    assert "runs of 1 of 1 settings have no efficiency" in lack.said
    assert "is 0.1 in replication 12, far" in tail.said


NETWORK = {
    "schema_version": 1,
    "duration": "40 s",
    "topology": {
        "kind": "n-source",
        "sources": 5,
        "access": {"rate": "155.52 Mbit/s", "delay": "5 us"},
        "bottleneck": {"rate": "155.52 Mbit/s", "delay": "275 ms"},
    },
    "port": {"buffer": "unlimited"},
    "tcp": {"mss": "9180 B", "receiver_window": "8704000 B"},
}


def test_the_times_of_a_satellite_are_worked_out_by_hand() -> None:
    """Ten doublings lead from one segment to 948; a fifth of 10.69 MB is 233 segments."""
    path = path_of(load_scenario(NETWORK).settings)
    assert path is not None
    assert path.round_trip_s == pytest.approx(0.55002)
    assert path.slow_start_s == pytest.approx(9.89 * 0.55, rel=1e-3)
    assert path.regrowth_s == pytest.approx(233 / 2 * 0.55, rel=1e-2)
    assert path.cycles == pytest.approx(0.62, abs=0.01)


PACKETS = NETWORK | {
    "framing": "ethernet",
    "port": {"buffer": "500 packets", "queue": "tail-drop"},
    "tcp": {"flavor": "reno", "mss": "1000 B", "receiver_window": "8704000 B"},
}


def test_a_buffer_in_packets_counts_in_the_times_of_a_path() -> None:
    """A fifth of 10.69 MB and 0.5 MB is 2239 segments; 0.5 MB wait for 25.7 ms."""
    path = path_of(load_scenario(PACKETS).settings)
    in_bytes = path_of(load_scenario(PACKETS, {"port.buffer": "500 kB"}).settings)
    assert path is not None
    assert path == in_bytes
    assert path.regrowth_s == pytest.approx(2239 / 2 * 0.5757, rel=1e-3)
    assert path.slow_start_s == pytest.approx(11.13 * 0.55, rel=1e-3), "the buffer ends it"


def test_cubic_grows_back_by_its_own_law_and_bbr_has_nothing_to_grow_back() -> None:
    """K is the cube root of 2239 * 0.3 / 0.4 s (RFC 9438 section 4.2)."""
    cubic = path_of(load_scenario(PACKETS, {"tcp.flavor": "cubic"}).settings)
    assert cubic is not None
    assert cubic.regrowth_s == pytest.approx(11.89, abs=0.01)
    bbr = path_of(load_scenario(PACKETS, {"tcp.flavor": "bbr"}).settings)
    assert bbr is not None
    assert bbr.cycles == math.inf
    both = [{"count": 1, "flavor": "bbr"}, {"count": 4, "flavor": "cubic"}]
    mixed = path_of(load_scenario(PACKETS, {"connections": both}).settings)
    assert mixed == cubic


@pytest.mark.parametrize(
    ("flavor", "seconds"),
    [
        # b(2239) = 0.288 and a(2239) = 12.76: between two rows of RFC 3649's appendix B.
        ("high-speed", 0.288 * 2239 / 12.76 * 0.5757),
        # 13.4 round trips.
        ("scalable", 13.42 * 0.5757),
        # rho = 575.7 / 25.
        ("hybla", 2239 / 2 * 0.5757 / (575.7 / 25) ** 2),
        # 644.5 s by the classical law, of which a second is as slow: t + 5 t^2 = 643.5.
        ("h-tcp", 1 + 11.245),
        # A fifth is 447.8 segments: (447.8 - 64) / 16, 4 ln 16 and 20 round trips.
        ("bic", (23.99 + 11.09 + 20) * 0.5757),
        # Half of them at 10 to 0.3 segments in a round trip, 1 / 0.58 on average.
        ("illinois", 2239 / 2 * (1 / 10 + 1 / 0.3) / 2 * 0.5757),
        ("westwood", 0.0),
        ("vegas", 0.0),
        ("ledbat", 0.0),
    ],
)
def test_flavors_for_long_fat_networks_grow_back_by_their_laws(flavor: str, seconds: float) -> None:
    """2239 segments over 575.7 ms, as above."""
    path = path_of(load_scenario(PACKETS, {"tcp.flavor": flavor}).settings)
    assert path is not None
    assert path.regrowth_s == pytest.approx(seconds, rel=5e-3)


def test_runs_too_short_for_the_window_to_grow_back_and_for_the_start_are_reported(
    study: StudyDefinition, plan: Plan
) -> None:
    assert study.name == "small"
    kinds = {one.kind for one in cautions(plan, {}, ["efficiency"])}
    assert not kinds & {"short runs", "warm-up"}, "a LAN is quick"
    satellite = study.resolve(
        [[("topology.bottleneck.delay", "275 ms", "x"), ("duration", "40 s", "x")]]  # type: ignore[list-item]
    )
    series = [Series(plan.combinations[0], satellite[0], [0])]
    short, start = map(str, cautions(Plan(study, Selection(), series), {}, ["efficiency"]))
    assert short.startswith("short runs: in 1 of 1 factor combinations")
    assert start.startswith("warm-up: in 1 of 1 factor combinations")
    assert "s of 40 s, measured from 0 s on)" in start
    assert "measure.from" in start


def test_a_start_that_is_left_out_is_not_reported(study: StudyDefinition, plan: Plan) -> None:
    far = [("topology.bottleneck.delay", "275 ms", "x"), ("duration", "40 s", "x")]

    def told(*more: tuple[str, str, str]) -> list[Kind]:
        scenarios = study.resolve([[*far, *more]])  # type: ignore[list-item]
        series = [Series(plan.combinations[0], scenarios[0], [0])]
        found = cautions(Plan(study, Selection(), series), {}, ["efficiency"])
        return [one.kind for one in found]

    assert told() == ["short runs", "warm-up"]
    assert told(("measure.from", "20 s", "x")) == ["short runs"], "slow start is over by then"


def test_replications_that_are_all_the_same_are_reported() -> None:
    same = {number: {"efficiency": 0.9} for number in range(4)}
    key = (("load", "light"),)
    assert without_chance({key: same})[0].said.startswith("all replications are the same")
    assert not without_chance({key: {0: {"efficiency": 0.9}, 1: {"efficiency": 0.9}}}), "one only"
    assert not without_chance({key: {**same, 2: {"efficiency": 0.8}}})


@pytest.mark.parametrize(("kind", "cycles"), [("immediate", 1.0), ("delayed", 2.0)])
def test_a_window_that_counts_acknowledgments_grows_back_as_slowly_as_they_are_few(
    kind: str, cycles: float
) -> None:
    settings = load_scenario(
        {
            "schema_version": 1,
            "duration": "170 s",
            "framing": "ethernet",
            "topology": {
                "kind": "n-source",
                "sources": 1,
                "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
                "bottleneck": {"rate": "10 Mbit/s", "delay": "48 ms"},
            },
            "port": {"buffer": "1 BDP"},
            "tcp": {"preset": "rfc", "flavor": "newreno", "acknowledgments": kind},
        }
    ).settings
    path = path_of(settings)
    assert path is not None
    assert path.regrowth_s == pytest.approx(cycles * 13.1, rel=0.35)
