//! Groups of connections with settings of their own.

use longfat_engine::measure::RunRecord;
use longfat_engine::scenario::Scenario;
use longfat_engine::units::Span;
use longfat_engine::{Driver, run, run_by};

use crate::support::{n_source, scenario};

/// Four connections over 20 Mbit/s and 22 ms, with the given groups.
fn network(groups: &str, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"20 s\"
topology = {{ kind = \"n-source\", sources = 4, access = {{ rate = \"100 Mbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"20 Mbit/s\", delay = \"9 ms\" }} }}
framing = \"packet\"
port.buffer = \"1 BDP\"
connections = [{groups}]
tcp = {{ flavor = \"cubic\", mss = \"1000 B\", receiver_window = \"1 MB\", timestamps = true, timer_granularity = \"1 ms\", \
         retransmission_timeout = \"rfc-6298\" }}
{rest}"
    ))
}

fn record(groups: &str, rest: &str) -> RunRecord {
    run(&network(groups, rest)).expect("conservation")
}

#[test]
fn groups_have_the_first_connections_in_their_order_and_the_rest_is_as_all() {
    let record = record("{ count = 1, flavor = \"bbr\" }, { count = 2, flavor = \"sack-rfc6675\" }", "");
    let flavors: Vec<_> = record.flows.iter().map(|flow| flow.flavor.as_ref()).collect();
    assert_eq!(flavors, ["bbr", "sack-rfc6675", "sack-rfc6675", "cubic"]);
}

#[test]
fn a_group_that_is_as_the_others_changes_nothing_but_what_is_said_of_it() {
    let (alike, none) = (record("{ count = 2 }", ""), record("", ""));
    assert_eq!(alike.fingerprint, none.fingerprint);
    assert_eq!(none.metrics.first_group_share, None);
    let of_two: f64 = alike.flows[..2].iter().map(|flow| flow.goodput_bps).sum();
    assert_eq!(alike.metrics.first_group_share, Some(of_two / alike.metrics.goodput_bps));
}

#[test]
fn the_delay_of_a_groups_own_lines_makes_its_round_trips_longer_there_and_back() {
    let graph = network("{ count = 1, access_delay = \"31 ms\" }", "").graph();
    let round_trips: Vec<_> = graph.flows.iter().map(|flow| graph.round_trip(flow)).collect();
    let milliseconds = |number: u64| Span::from_microseconds(1000 * number);
    assert_eq!(round_trips[..2], [milliseconds(82), milliseconds(22)]);
    assert_eq!(round_trips[2..], [milliseconds(22); 2]);
}

#[test]
fn reno_with_four_times_the_round_trip_has_less_of_the_bottleneck() {
    let share = |groups: &str| {
        let four = format!("{groups}, {{ count = 2, flavor = \"sack-rfc6675\" }}");
        record(&four, "").metrics.first_group_share.expect("a group")
    };
    let (near, far) = (
        share("{ count = 2, flavor = \"sack-rfc6675\" }"),
        share("{ count = 2, flavor = \"sack-rfc6675\", access_delay = \"34 ms\" }"),
    );
    assert!((near - 0.5).abs() < 0.1, "{near} of the bottleneck");
    assert!(far < 0.35, "{far} with longer round trips");
}

#[test]
fn a_late_group_starts_so_much_later() {
    let record = record("{ count = 1, later = \"15 s\" }", "");
    // A quarter of the run at no more than the whole rate.
    assert!(record.flows[0].goodput_bps < 0.25 * 20e6, "{}", record.flows[0].goodput_bps);
    assert!(record.flows[0].goodput_bps > 0.0);
    assert_eq!((record.flows[0].started_s, record.flows[1].started_s), (Some(15.0), Some(0.0)));
}

#[test]
fn ends_of_one_group_may_understand_marks_and_those_of_others_not() {
    let record = record("{ count = 2, ecn = \"classic\" }", "port.queue = \"codel\"");
    let reductions: Vec<_> = record.flows.iter().map(|flow| flow.reductions_for_marks.is_some()).collect();
    assert_eq!(reductions, [true, true, false, false]);
    assert!(record.flows[0].reductions_for_marks.is_some_and(|reductions| reductions > 0));
}

#[test]
fn a_scenario_with_groups_reads_back_as_it_was() {
    let groups =
        "{ count = 1, flavor = \"bbr\", access_delay = \"2 ms\" }, { count = 3, later = \"1 s\", ecn = \"classic\" }";
    let first = network(groups, "");
    let again = Scenario::parse(first.canonical().as_bytes(), "canonical.json", &[]).expect("a scenario");
    assert_eq!(again.canonical(), first.canonical());
}

#[test]
fn more_connections_in_groups_than_there_are_is_refused() {
    let text = network("", "").canonical().replacen("{", "{\"connections\":[{\"count\":3},{\"count\":2}],", 1);
    let problems = Scenario::parse(text.as_bytes(), "text.json", &[]).expect_err("five of four");
    assert!(problems[0].contains("the groups have 5 connections, but the topology has 4"), "{problems:?}");
}

/// Round trips of 18 ms and windows of a few segments: CUBIC is in its Reno-friendly region (RFC 9438 section 4.3: "at least the same
/// throughput as Reno"), and it has no more if a queue's drops do not hit all connections at once.
#[test]
fn where_reno_does_well_cubic_shares_with_it_as_reno_would() {
    let share = |queue: &str| {
        let rest = format!(
            "framing = \"packet\"\nport = {{ buffer = \"1 BDP\", queue = \"{queue}\" }}\n\
             connections = [{{ count = 4, flavor = \"cubic\" }}]\ntraffic.start = \"uniform(0 s, 1 s)\"\n\
             tcp = {{ flavor = \"sack-rfc6675\", mss = \"1460 B\", receiver_window = \"1 MB\", timestamps = true, \
             timer_granularity = \"1 ms\", retransmission_timeout = \"rfc-6298\" }}\n"
        );
        let record = run(&n_source(8, "40 Mbit/s", "3 ms", "60 s", &rest)).expect("nothing is lost from the books");
        record.metrics.first_group_share.expect("two groups")
    };
    let (codel, tail_drop) = (share("codel"), share("tail-drop"));
    assert!((0.45..0.58).contains(&codel), "{codel}");
    assert!(tail_drop > 0.45, "{tail_drop}");
}

const DOWNLOADS_BESIDE_FLOWS: &str = "{ count = 1 }, { count = 3, traffic = { kind = \"flows\", interval = \"500 ms\", \
     size = { kind = \"bounded-pareto\", smallest = \"10 kB\", largest = \"1 MB\" } } }";

#[test]
fn a_group_may_have_traffic_of_its_own() {
    let record = record("{ count = 1, traffic = { kind = \"finite\", size = \"100 kB\" } }", "");
    let finished: Vec<_> = record.flows.iter().map(|flow| flow.finished_s.is_some()).collect();
    assert_eq!(finished, [true, false, false, false]);
    assert_eq!(record.flows[0].bytes_delivered, 100_000);
}

#[test]
fn short_flows_of_some_senders_have_connections_of_their_own_beside_the_downloads_of_others() {
    let network = network(DOWNLOADS_BESIDE_FLOWS, "");
    let graph = network.graph();
    assert_eq!(graph.flows.iter().filter(|flow| flow.sender == 0).count(), 1);
    for sender in 1..4 {
        let flows = graph.flows.iter().filter(|flow| flow.sender == sender).count();
        assert!((20..60).contains(&flows), "{flows} flows in 20 s, one each 500 ms");
    }
    let record = run(&network).expect("conservation");
    assert!(record.flows[0].goodput_bps > record.flows[1].goodput_bps, "the download takes what flows leave");
    let asked: u64 = record.completions.iter().filter(|kind| kind.name == "flow").map(|kind| kind.asked).sum();
    assert!(asked >= 60, "{asked} flows");
    // Unlimited sources do not count as offered load.
    let offered = record.metrics.offered_bps.expect("flows say what they offer");
    assert!(offered < 20e6, "{offered}");
}

#[test]
fn traffic_of_groups_is_drawn_from_the_same_chance_as_that_of_all() {
    let own = "traffic = { kind = \"flows\", interval = \"500 ms\", size = { kind = \"fixed\", size = \"20 kB\" } }";
    let (grouped, all) = (record(&format!("{{ count = 4, {own} }}"), ""), record("", own));
    assert_eq!(grouped.fingerprint, all.fingerprint);
}

#[test]
fn both_drivers_simulate_groups_with_traffic_of_their_own_alike() {
    let network = network(DOWNLOADS_BESIDE_FLOWS, "");
    let [fast, events] = [Driver::Fast, Driver::Events].map(|driver| run_by(driver, &network).expect("conservation"));
    assert_eq!((fast.work.driver, events.work.driver), ("fast", "events"));
    assert_eq!(fast.fingerprint, events.fingerprint);
}

#[test]
fn all_receiving_ends_make_requests_or_none_and_errors_of_a_groups_traffic_have_their_place() {
    let problems = |groups: &str| {
        let text = format!(
            "schema_version = 1\nduration = \"1 s\"\nframing = \"packet\"\nport.buffer = \"1 BDP\"\nconnections = [{groups}]\n\
             topology = {{ kind = \"n-source\", sources = 4, access.delay = \"1 ms\", bottleneck.delay = \"9 ms\" }}\n"
        );
        Scenario::parse(text.as_bytes(), "network.toml", &[]).expect_err("a bad scenario").join("\n")
    };
    let mixed = problems("{ count = 2 }, { count = 1, traffic = \"www\" }");
    assert!(
        mixed.starts_with("network.toml:5:54: connections[1].traffic: with \"www\" the receiving ends make requests"),
        "{mixed}"
    );
    let flows = "traffic = { kind = \"flows\", interval = \"1 ps\", size = { kind = \"fixed\", size = \"20 kB\" } }";
    let many = problems(&format!("{{ count = 2, {flows} }}"));
    assert!(many.contains("connections[0].traffic.interval: about 2000000000000 flows"), "{many}");
}
