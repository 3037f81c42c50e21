//! Graph topologies: conservation in any, equality with the N-source topology, and examples worked by hand.

use longfat_engine::measure::{RunRecord, max_min_shares_of_lines};
use longfat_engine::observer::Unobserved;
use longfat_engine::scenario::Scenario;
use longfat_engine::units::Time;
use longfat_engine::{Driver, Simulation, run, run_by};
use proptest::prelude::*;
use serde_json::Value as Json;

use super::random_graphs::{any_graph, written_out};
use super::random_networks::any_network;
use crate::support::scenario;
use crate::support::tape::{Happening, run_taped};

/// A record without the parts that name the scenario.
fn results(record: &RunRecord) -> String {
    let mut json = serde_json::to_value(record).expect("a record is JSON");
    for name in ["scenario", "scenario_hash", "run_id"] {
        json[name] = Json::Null;
    }
    // Connections written out are groups, even if they are all alike.
    json["metrics"].as_object_mut().expect("a table").remove("first_group_share");
    serde_json::to_string_pretty(&json).expect("it is JSON")
}

fn without_driver(mut record: RunRecord) -> String {
    record.work.driver = "";
    record.work.handed_over = None;
    results(&record)
}

#[track_caller]
fn record_of(scenario: &Scenario) -> RunRecord {
    run(scenario).unwrap_or_else(|violation| panic!("{violation}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The audit requires every cell sent to be received, dropped, lost or in flight, at each port and in the whole network, and the ledger
    /// to cover every picosecond of the bottleneck; debug builds also check every 16384 events.
    #[test]
    fn nothing_appears_or_vanishes_in_any_graph(network in any_graph()) {
        let mut simulation = Simulation::driven_by(Driver::Events, &network.scenario, Unobserved);
        for third in 1..3 {
            simulation.advance(Time(simulation.end().0 / 3 * third));
            simulation.audit().map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        }
        simulation.advance(Time::NEVER);
        let record = simulation.finish().map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        prop_assert_eq!(record.ports.len(), network.scenario.graph().port_names().len());
        for port in &record.ports {
            prop_assert!(port.cells_in >= port.cells_out + port.cells_dropped, "{:?}", port);
        }
    }

    #[test]
    fn the_fast_driver_gives_the_same_record_or_hands_over(network in any_graph()) {
        let fast = run(&network.scenario).map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        let events = run_by(Driver::Events, &network.scenario).expect("nothing is violated");
        prop_assert_eq!(fast.work.driver == "fast", fast.work.handed_over.is_none());
        prop_assert_eq!(without_driver(fast), without_driver(events));
    }

    #[test]
    fn a_graph_reads_back_from_its_canonical_text(network in any_graph()) {
        let canonical = network.scenario.canonical();
        let again = Scenario::parse(canonical.as_bytes(), "canonical.json", &[]);
        let again = again.map_err(|problems| TestCaseError::fail(format!("{problems:?} in {canonical}")))?;
        prop_assert_eq!(again.canonical(), canonical);
    }

    #[test]
    fn n_sources_are_the_same_written_out(network in any_network()) {
        let graph = written_out(&network.scenario);
        prop_assert_eq!(results(&record_of(&network.scenario)), results(&record_of(&graph)));
    }
}

/// The papers' networks, which the random tests above rarely draw.
#[test]
fn the_papers_networks_are_the_same_written_out() {
    let lan = ("5 us", "200 ms", "1000", "20 packets");
    let wan = ("5 ms", "1 s", "12000", "200 packets");
    for (delay, duration, cells, packets) in [lan, wan] {
        for (framing, port) in [
            ("aal5", format!("buffer = \"{cells} cells\"")),
            ("aal5", format!("buffer = \"{cells} cells\", policy = \"epd\"")),
            ("aal5", format!("buffer = \"{cells} cells\", policy = \"selective-drop\"")),
            (
                "aal5",
                format!(
                    "buffer = \"{cells} cells\", policy = \"selective-drop\", scheduler = {{ kind = \"weighted-fair\", guaranteed_rate = 0.3 }}"
                ),
            ),
            ("packet", format!("buffer = \"{packets}\"")),
            ("packet", format!("buffer = \"{packets}\", queue = \"codel\"")),
        ] {
            let vbr = if port.contains("weighted-fair") {
                "[{ kind = \"vbr-on-off\", on = \"5 ms\", off = \"5 ms\" }]"
            } else {
                "[]"
            };
            let shorthand = scenario(&format!(
                "schema_version = 1\nduration = \"{duration}\"\nframing = \"{framing}\"\nport = {{ {port} }}\nbackground = {vbr}\n\
                 tcp.receiver_window = \"600000 B\"\n\
                 topology = {{ kind = \"n-source\", sources = 5, access.delay = \"{delay}\", bottleneck.delay = \"{delay}\" }}\n"
            ));
            let (shorthand, graph) = (record_of(&shorthand), record_of(&written_out(&shorthand)));
            assert!(shorthand.ports[0].cells_dropped > 0, "nothing happens with {port}");
            assert_eq!(results(&shorthand), results(&graph), "{delay}, {port}");
        }
    }
}

/// Packets of 1000 bytes and acknowledgments of 40, which take 1 ms and 40 us at 8 Mbit/s.
const PACKETS: &str =
    "framing = \"packet\"\ntcp = { mss = \"960 B\", receiver_window = \"9600 B\", initial_window = \"10 MSS\" }\n";

/// Three lines in a row, of 10, 4 and 9 Mbit/s, with a sending and a receiving host at each switch.
fn parking_lot(connections: &str, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1\n{rest}\nconnections = {connections}\n
[topology]
kind = \"graph\"
hosts = [\"from 1\", \"from 2\", \"from 3\", \"to 2\", \"to 3\", \"to 4\"]
switches = [\"s1\", \"s2\", \"s3\", \"s4\"]
links = [
    {{ from = \"s1\", to = \"s2\", rate = \"10 Mbit/s\", delay = \"10 ms\", managed = \"there\" }},
    {{ from = \"s2\", to = \"s3\", rate = \"4 Mbit/s\", delay = \"20 ms\", managed = \"there\" }},
    {{ from = \"s3\", to = \"s4\", rate = \"9 Mbit/s\", delay = \"10 ms\", managed = \"there\" }},
    {{ from = \"from 1\", to = \"s1\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
    {{ from = \"from 2\", to = \"s2\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
    {{ from = \"from 3\", to = \"s3\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
    {{ from = \"to 2\", to = \"s2\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
    {{ from = \"to 3\", to = \"s3\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
    {{ from = \"to 4\", to = \"s4\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
]
"
    ))
}

const LONG_AND_SHORT: &str = "[{ from = \"from 1\", to = \"to 4\" }, { from = \"from 1\", to = \"to 2\" }, \
                              { from = \"from 2\", to = \"to 3\" }, { from = \"from 3\", to = \"to 4\" }]";

/// Times at which the sender of a flow receives acknowledgments, in nanoseconds.
fn acknowledged_ns(scenario: &Scenario, flow: usize) -> Vec<u64> {
    let (tape, _) = run_taped(scenario);
    let received =
        tape.into_iter().filter(|entry| entry.flow == flow && matches!(entry.what, Happening::Acknowledged { .. }));
    received.map(|entry| entry.time.0 / 1000).collect()
}

/// A packet of 8000 bits takes 80 us at the hosts and 800, 2000 and 888.889 us on the three lines; its acknowledgment of 320 bits takes
/// 3.2, 32, 80 and 35.556 us.
#[test]
fn a_lone_packets_round_trip_is_what_its_lines_take() {
    for (from, to, delays_us, transmissions_ns) in [
        ("from 1", "to 2", 24_000, 2 * 83_200 + 832_000),
        ("from 2", "to 3", 44_000, 2 * 83_200 + 2_080_000),
        ("from 1", "to 4", 84_000, 2 * 83_200 + 832_000 + 2_080_000 + 924_444),
    ] {
        let rest =
            "duration = \"200 ms\"\nport.buffer = \"unlimited\"\ntraffic = { kind = \"finite\", size = \"960 B\" }\n";
        let connections = format!("[{{ from = \"{from}\", to = \"{to}\" }}]");
        let times = acknowledged_ns(&parking_lot(&connections, &format!("{rest}{PACKETS}")), 0);
        assert_eq!(times, [delays_us * 1000 + transmissions_ns], "{from} {to}");
    }
}

/// On lines of 10, 4 and 9, the long path gets half of 4, and the others the rest: 8, 2 and 7. A fair scheduler at each port gives
/// everybody its max-min fair share if windows keep all flows backlogged (Hahne, IEEE JSAC 9, 1991).
#[test]
fn fair_schedulers_on_a_parking_lot_give_max_min_fair_shares() {
    let rest = "duration = \"20 s\"\nport = { buffer = \"unlimited\", scheduler = \"per-vc-fair\" }\n\
                tcp = { mss = \"512 B\", receiver_window = \"65535 B\" }\n";
    let record = record_of(&parking_lot(LONG_AND_SHORT, rest));
    let paths = [vec![0, 1, 2], vec![0], vec![1], vec![2]];
    let shares = max_min_shares_of_lines(&[10e6, 4e6, 9e6], &paths, &[f64::INFINITY; 4]);
    assert_eq!(shares, [2e6, 8e6, 2e6, 7e6]);
    // 512 bytes of data in 12 cells of 53 bytes.
    for (flow, share) in record.flows.iter().zip(shares) {
        let relative = flow.goodput_bps / (share * 512.0 / 636.0);
        assert!((0.97..=1.0).contains(&relative), "{} has {relative} of its share", flow.name);
    }
    let fairness = record.metrics.max_min_fairness.expect("shares differ");
    assert!(fairness > 0.9999, "{fairness}");
    assert!(record.metrics.fairness < 0.8, "which Jain's index by itself does not see: {}", record.metrics.fairness);
}

/// Without a scheduler the long path gets less, with several queues and a longer round trip.
#[test]
fn on_a_parking_lot_with_tail_drop_the_long_way_has_less_than_its_share() {
    let rest = "duration = \"20 s\"\nport.buffer = \"20 packets\"\nframing = \"packet\"\ntcp = { mss = \"960 B\", receiver_window = \"65535 B\" }\n";
    let record = record_of(&parking_lot(LONG_AND_SHORT, rest));
    let shares = [2.0, 8.0, 2.0, 7.0];
    let relative: Vec<_> = record.flows.iter().zip(shares).map(|(flow, share)| flow.goodput_bps / share).collect();
    assert!(relative[1..].iter().all(|other| relative[0] < 0.8 * other), "{relative:?}");
}

/// Two bursts of ten packets cross a line of 8 Mbit/s in opposite directions (Zhang, Shenker, Clark, SIGCOMM 1991, section 4).
///
/// A packet takes 1 us to its switch and 1 ms on the line, an acknowledgment 40 ns and 40 us; the line delays by 1 ms. Packet n has
/// crossed at n + 1 ms and 1 us, and its acknowledgment is back at the switch 1.04 us later. The ten packets of the other direction
/// keep the port busy until 10.001 ms: nine acknowledgments wait for that and then leave every 40 us, not every 1 ms, and reach the
/// sender 1 ms and 40 ns later. The tenth comes too late for that, at 11.002 ms, and does not wait.
#[test]
fn acknowledgments_that_wait_behind_data_of_the_other_direction_are_compressed() {
    let scenario = scenario(&format!(
        "schema_version = 1\nduration = \"50 ms\"\nport.buffer = \"unlimited\"\n{PACKETS}
traffic = {{ kind = \"finite\", size = \"9600 B\" }}
connections = [{{ from = \"west 1\", to = \"east 1\" }}, {{ from = \"east 2\", to = \"west 2\" }}]
[topology]
kind = \"graph\"
hosts = [\"west 1\", \"west 2\", \"east 1\", \"east 2\"]
switches = [\"west\", \"east\"]
links = [
    {{ from = \"west\", to = \"east\", rate = \"8 Mbit/s\", delay = \"1 ms\", managed = \"both\" }},
    {{ from = \"west 1\", to = \"west\", rate = \"8 Gbit/s\", delay = \"0 s\" }},
    {{ from = \"west 2\", to = \"west\", rate = \"8 Gbit/s\", delay = \"0 s\" }},
    {{ from = \"east 1\", to = \"east\", rate = \"8 Gbit/s\", delay = \"0 s\" }},
    {{ from = \"east 2\", to = \"east\", rate = \"8 Gbit/s\", delay = \"0 s\" }},
]
"
    ));
    let compressed = (1..10).map(|number| 10_001_000 + number * 40_000 + 1_000_040);
    let expected: Vec<_> = compressed.chain([11_002_040 + 40_000 + 1_000_040]).collect();
    for flow in [0, 1] {
        assert_eq!(acknowledged_ns(&scenario, flow), expected, "flow {flow}");
    }
}

/// Three switches in a ring; the short side is `s1` to `s2`.
fn ring(connection: &str, rest: &str) -> Scenario {
    ring_with_buffer("20 packets", connection, rest)
}

fn ring_with_buffer(buffer: &str, connection: &str, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1\nduration = \"3 s\"\nframing = \"packet\"\nport.buffer = \"{buffer}\"\n{rest}
connections = [{{ from = \"a\", to = \"b\"{connection} }}]
[topology]
kind = \"graph\"
hosts = [\"a\", \"b\"]
switches = [\"s1\", \"s2\", \"s3\"]
links = [
    {{ name = \"short\", from = \"s1\", to = \"s2\", rate = \"10 Mbit/s\", delay = \"5 ms\", managed = \"both\" }},
    {{ from = \"s1\", to = \"s3\", rate = \"10 Mbit/s\", delay = \"5 ms\", managed = \"both\" }},
    {{ from = \"s3\", to = \"s2\", rate = \"2 Mbit/s\", delay = \"5 ms\", managed = \"there\" }},
    {{ from = \"a\", to = \"s1\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
    {{ from = \"s2\", to = \"b\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
]
"
    ))
}

/// Names of the lines on the connection's path, there and back.
fn ways(scenario: &Scenario) -> [Vec<String>; 2] {
    let graph = scenario.graph();
    let flow = &graph.flows[0];
    [&flow.forward, &flow.backward].map(|path| path.iter().map(|&link| graph.link_name(link)).collect())
}

#[test]
fn data_go_the_shortest_way_by_delay_or_as_told_and_acknowledgments_the_same_way_or_as_told() {
    let (short, short_back) = (["a to s1", "short", "s2 to b"], ["b to s2", "short back", "s1 to a"]);
    let (long, long_back) =
        (["a to s1", "s1 to s3", "s3 to s2", "s2 to b"], ["b to s2", "s2 to s3", "s3 to s1", "s1 to a"]);
    let around = "[\"s1\", \"s3\", \"s2\"]";
    let told = |there: &str, back: &str| ways(&ring(&format!("{there}{back}"), ""));
    assert_eq!(told("", ""), [short.map(String::from).to_vec(), short_back.map(String::from).to_vec()]);
    let route = format!(", route = {around}");
    assert_eq!(told(&route, ""), [long.map(String::from).to_vec(), long_back.map(String::from).to_vec()]);
    let back = ", route_back = [\"s2\", \"s1\"]";
    assert_eq!(told(&route, back), [long.map(String::from).to_vec(), short_back.map(String::from).to_vec()]);
}

#[test]
fn results_of_the_whole_network_are_those_of_the_slowest_managed_line_or_of_the_one_that_is_named() {
    let around = ", route = [\"s1\", \"s3\", \"s2\"]";
    // Sixteen packets: more than the path holds, and less than path and buffer.
    let window = "tcp.receiver_window = \"8192 B\"";
    let slowest = record_of(&ring(around, window));
    // Headers of 40 bytes, with 512 bytes of data.
    assert!((slowest.metrics.max_goodput_bps - 2e6 * 512.0 / 552.0).abs() < 1e-6);
    let named = Scenario::parse(
        ring(around, window).canonical().as_bytes(),
        "named.json",
        &[("topology.bottleneck".into(), "s1 to s3".into())],
    );
    let named = record_of(&named.expect("it is one"));
    assert!((named.metrics.max_goodput_bps - 10e6 * 512.0 / 552.0).abs() < 1e-6);
    assert_eq!(named.metrics.goodput_bps, slowest.metrics.goodput_bps);
    // Traffic enters at 10 Mbit/s and leaves at 2: the line before is idle for four fifths of the time.
    assert!(slowest.metrics.shares.0.share(longfat_engine::measure::Cause::Useful) > 0.9);
    assert!(named.metrics.shares.0.share(longfat_engine::measure::Cause::Useful) < 0.2);
    // No traffic takes the short path.
    let other = Scenario::parse(
        ring(around, window).canonical().as_bytes(),
        "other.json",
        &[("topology.bottleneck".into(), "short".into())],
    );
    assert_eq!(record_of(&other.expect("it is one")).metrics.efficiency, 0.0);
}

#[test]
fn the_line_that_is_named_as_the_bottleneck_needs_no_other_word_to_have_a_port() {
    let network = |managed: &str, ports: &str| {
        scenario(&format!(
            "schema_version = 1\nduration = \"2 s\"\nport.buffer = \"20 packets\"\n{ports}\n{PACKETS}
connections = [{{ from = \"a\", to = \"b\", count = 2 }}]
[topology]
kind = \"graph\"
bottleneck = \"narrow\"
hosts = [\"a\", \"b\"]
switches = [\"s1\", \"s2\", \"s3\"]
links = [
    {{ name = \"wide\", from = \"s1\", to = \"s2\", rate = \"20 Mbit/s\", delay = \"5 ms\", managed = \"there\" }},
    {{ name = \"narrow\", from = \"s2\", to = \"s3\", rate = \"5 Mbit/s\", delay = \"5 ms\"{managed} }},
    {{ from = \"a\", to = \"s1\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
    {{ from = \"s3\", to = \"b\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
]
"
        ))
    };
    let expected = results(&record_of(&network(", managed = \"there\"", "")));
    assert!(expected.contains("\"name\": \"narrow\""));
    for ports in ["", "ports = [{ at = \"narrow\" }]"] {
        assert_eq!(results(&record_of(&network("", ports))), expected, "{ports}");
    }
}

/// A line of 1 Mbit/s that no data crosses carries acknowledgments alone.
#[test]
fn the_bottleneck_is_a_line_that_data_cross_if_any_of_them_is_managed() {
    let bottleneck = |managed: [&str; 2]| {
        let scenario = scenario(&format!(
            "schema_version = 1\nduration = \"1 s\"\nport.buffer = \"50 packets\"\n{PACKETS}
connections = [{{ from = \"a\", to = \"b\", route = [\"s1\", \"s2\"], route_back = [\"s2\", \"s3\", \"s1\"] }}]
[topology]
kind = \"graph\"
hosts = [\"a\", \"b\"]
switches = [\"s1\", \"s2\", \"s3\"]
links = [
    {{ name = \"data\", from = \"s1\", to = \"s2\", rate = \"10 Mbit/s\", delay = \"5 ms\", managed = \"{}\" }},
    {{ name = \"acknowledgments\", from = \"s2\", to = \"s3\", rate = \"1 Mbit/s\", delay = \"5 ms\", managed = \"{}\" }},
    {{ from = \"s3\", to = \"s1\", rate = \"10 Mbit/s\", delay = \"5 ms\" }},
    {{ from = \"a\", to = \"s1\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
    {{ from = \"s2\", to = \"b\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
]
",
            managed[0], managed[1]
        ));
        let graph = scenario.graph();
        let name = graph.link_name(graph.bottleneck_number().expect("a line is managed"));
        (name, record_of(&scenario).metrics.efficiency)
    };
    for elsewhere in ["none", "there"] {
        let (name, efficiency) = bottleneck(["both", elsewhere]);
        assert_eq!(name, "data");
        assert!(efficiency > 0.0);
    }
    let (name, efficiency) = bottleneck(["none", "there"]);
    assert_eq!(name, "acknowledgments", "where data cross no managed line");
    assert_eq!(efficiency.to_bits(), 0.0_f64.to_bits(), "no data, and not minus nothing");
}

#[test]
fn a_port_of_its_own_differs_in_what_it_says_and_is_like_the_others_in_the_rest() {
    let own = "ports = [{ at = \"s3 to s2\", buffer = \"5 packets\" }, { at = \"s1 to s3\", queue = \"codel\" }]\n";
    let scenario = ring(", route = [\"s1\", \"s3\", \"s2\"]", own);
    let record = record_of(&scenario);
    let port = |name: &str| record.ports.iter().find(|port| port.name == name).expect("it is managed");
    assert_eq!(port("s3 to s2").max_queue_cells, 5);
    assert!(port("s3 to s2").cells_dropped > 0);
    assert_eq!(port("s1 to s3").queue.as_ref().map(|queue| queue.discipline), Some("codel"));
    assert!(port("short").queue.is_none());
}

/// The round trip is 24 ms: 240000 bits at 10 Mbit/s, or 54.3 packets of 552 bytes, and 10.9 at 2 Mbit/s. The short path, which no traffic
/// takes, has no round trip of its own.
#[test]
fn a_buffer_in_round_trips_is_that_of_each_line() {
    let scenario = ring_with_buffer("1 BDP", ", route = [\"s1\", \"s3\", \"s2\"]", "");
    let graph = scenario.graph();
    let packets: Vec<_> = graph.port_names().iter().map(|name| scenario.port_at(name).buffer.capacity()).collect();
    assert_eq!(graph.port_names(), ["short", "short back", "s1 to s3", "s3 to s1", "s3 to s2"]);
    assert_eq!(packets, [55, 55, 55, 55, 11].map(Some));
}
