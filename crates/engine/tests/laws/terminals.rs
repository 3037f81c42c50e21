//! Terminals that share a carrier, each with the rate of its own code.

use longfat_engine::measure::RunRecord;
use longfat_engine::run;
use longfat_engine::scenario::Scenario;
use longfat_engine::units::{PICOSECONDS_PER_SECOND, Time};

/// A carrier of 10 Mbit/s in clear sky that is offered twice as much, half for each of two terminals. Arrivals are those of a Poisson process,
/// so that the full queue refuses both equally often.
fn text(path: &str, rest: &str) -> String {
    format!(
        "schema_version = 1
duration = \"200 s\"
topology = {{ kind = \"n-source\", sources = 2, access = {{ rate = \"100 Mbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"10 Mbit/s\", delay = \"250 ms\" }} }}
framing = \"packet\"
port.buffer = \"100 packets\"
connections = [{{ path = {path} }}, {{ count = 1 }}]
traffic = {{ kind = \"probe\", interval = \"800 us\", size = \"1000 B\", answered = false, spacing = \"poisson\" }}
{rest}
"
    )
}

fn scenario(path: &str, rest: &str) -> Scenario {
    crate::support::scenario(&text(path, rest))
}

fn goodputs(record: &RunRecord) -> [f64; 2] {
    [record.flows[0].goodput_bps, record.flows[1].goodput_bps]
}

fn rates(rows: &str) -> String {
    format!("{{ kind = \"schedule\", steps = \"time_s,rate_bps,loss\\n{rows}\" }}")
}

fn record(path: &str) -> RunRecord {
    run(&scenario(path, "measure.from = \"10 s\"")).expect("conservation")
}

#[test]
fn a_terminal_with_the_rate_of_the_line_changes_nothing() {
    let (own, none) = (record(&rates("0,10000000,0")), record("\"fixed\""));
    assert_eq!(own.fingerprint, none.fingerprint);
    assert_eq!(goodputs(&own), goodputs(&none));
}

/// The queue takes packets of both as they come, so both get the same number of packets through, in x/10 + x/2 of the time.
#[test]
fn a_terminal_in_rain_takes_time_from_all_that_share_the_carrier() {
    let whole = 1000.0 / 1028.0;
    for (path, rate) in [(rates("0,1e7,0"), 1e7), (rates("0,2e6,0"), 2e6), (rates("0,1e6,0"), 1e6)] {
        let [own, other] = goodputs(&record(&path)).map(|goodput| goodput / whole);
        let time = own / rate + other / 1e7;
        assert!((time - 1.0).abs() < 5e-3, "{path}: busy for {time} of the time");
        // Some 20,000 packets of both at the lowest rate: the share of one has a standard deviation of 0.35 %.
        assert!((own / (own + other) - 0.5).abs() < 0.012, "{path}: {own} and {other}");
    }
}

/// Turns of equal time: each has half of the time, at its own rate.
#[test]
fn with_airtime_fairness_a_terminal_in_rain_takes_time_from_itself_alone() {
    let whole = 1000.0 / 1028.0;
    for (path, rate) in [(rates("0,2e6,0"), 2e6), (rates("0,1e6,0"), 1e6)] {
        let fair = scenario(&path, "measure.from = \"10 s\"\nport.queue = \"airtime-fair\"");
        let [own, other] = goodputs(&run(&fair).expect("conservation")).map(|goodput| goodput / whole);
        for share in [own / rate, other / 1e7] {
            assert!((share - 0.5).abs() < 0.01, "{path}: {share} of the time");
        }
    }
}

#[test]
fn the_line_is_busy_all_the_time_at_whatever_rates() {
    let record = record(&rates("0,2e6,0"));
    assert!((record.ports[0].utilization - 1.0).abs() < 1e-3, "{}", record.ports[0].utilization);
}

#[test]
fn packets_for_a_terminal_that_no_code_reaches_are_lost_and_those_of_others_are_not() {
    let [lost, other] = goodputs(&record(&rates("0,2e6,0\\n5,0,0")));
    assert_eq!(lost.to_bits(), 0.0_f64.to_bits());
    // They go on taking time: the hub does not know better than to send them with the code before.
    assert!((other / goodputs(&record(&rates("0,2e6,0")))[1] - 1.0).abs() < 1e-3, "{other}");
}

#[test]
fn a_terminal_loses_its_own_share_of_packets() {
    let record = record(&rates("0,1e7,0.25"));
    let [own, other] = goodputs(&record);
    assert!((own / other - 0.75).abs() < 0.02, "{own} and {other}");
}

#[test]
fn each_group_draws_its_own_rain() {
    let rain = "{ kind = \"rain-series\", at_start = \"8 dB\", correlation = \"5 s\" }";
    let two = text(rain, "").replace("{ count = 1 }", &format!("{{ path = {rain} }}"));
    let scenario = crate::support::scenario(&two);
    let terminals = scenario.terminals(&scenario.graph()).expect("there is a bottleneck");
    // Connection c has the circuits 2c and 2c + 1.
    let rates = |circuit: usize| -> Vec<_> {
        (0..40).map(|second| terminals.rate(circuit, Time(second * PICOSECONDS_PER_SECOND))).collect()
    };
    assert_eq!(rates(0), rates(1), "data and acknowledgments of a terminal are under one sky");
    assert_eq!(rates(0)[0], rates(2)[0], "both begin at 8 dB");
    assert_ne!(rates(0), rates(2));
}

#[test]
fn what_is_wrong_with_the_path_of_a_group_is_told_at_its_place() {
    let problem = |path: &str, rest: &str| {
        Scenario::parse(text(path, rest).as_bytes(), "carrier.toml", &[]).expect_err("a problem").join("\n")
    };
    for (path, rest, message) in [
        (
            "\"rain\"",
            "capacity = \"on-demand\"",
            "connections[0].path: the bottleneck's capacity is asked for by its own sender",
        ),
        (
            "{ kind = \"rain-series\", exceeded = \"0 dB\" }",
            "",
            "connections[0].path.exceeded: must be from 0.1 dB to 100 dB",
        ),
        ("{ kind = \"rain-series\", rainy = 0.0 }", "", "connections[0].path.rainy: must be from 0.0005 to 0.3"),
        (
            "{ kind = \"rain-series\", interval = \"1 us\" }",
            "",
            "connections[0].path.interval: more than 1000000 values",
        ),
        (
            "{ kind = \"rain-series\", clear_sky = \"0 dB\", margin = \"3 dB\" }",
            "",
            "connections[0].path.clear_sky: no code withstands",
        ),
        (
            "{ kind = \"attenuation\", steps = \"time_s\\n0\" }",
            "",
            "connections[0].path.steps: no column \"attenuation_db\"",
        ),
        (
            "{ kind = \"attenuation\", steps = \"time_s,attenuation_db\\n0,200\" }",
            "",
            "attenuation_db must be a number from 0 to 100",
        ),
    ] {
        let problem = problem(path, rest);
        assert!(problem.contains(message), "{path}: {problem}");
    }
}
