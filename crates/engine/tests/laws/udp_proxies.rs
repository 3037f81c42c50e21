//! Proxies for connections over UDP, in networks.

use longfat_engine::measure::RunRecord;
use longfat_engine::run;
use longfat_engine::scenario::Scenario;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};

use super::random_networks::any_network;
use super::stacks::with_settings;
use crate::support::{n_source, scenario};

const UDP: [&str; 6] = [
    "\"split-quic\"",
    "{ kind = \"split-quic\", quic = { flavor = \"cubic\", packet_size = \"1400 B\" } }",
    "{ kind = \"connect-udp\", packet_size = \"1500 B\" }",
    "{ kind = \"connect-udp\", congestion_control = false, quic.flavor = \"bbr\", packet_size = \"1500 B\" }",
    "{ kind = \"connect-udp\", queue = \"3 kB\", quic = { opened_by = \"receiver\" } }",
    "\"pass\"",
];

/// Proxies with room for some packets or many.
fn any_proxies() -> impl Strategy<Value = String> {
    (prop::sample::select(&UDP[..]), 3_000_u64..300_000)
        .prop_map(|(udp, buffer)| format!("{{ kind = \"split-tcp\", buffer = \"{buffer} B\", udp = {udp} }}"))
}

fn any_stack() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "\"quic\"",
        "{ kind = \"quic\", opened_by = \"receiver\", flavor = \"cubic\" }",
        "{ kind = \"quic\", zero_round_trip = true, stream_window = \"9 kB\" }",
        "\"quinn\"",
        "\"tcp\"",
    ])
}

fn json(record: &RunRecord) -> String {
    serde_json::to_string(record).expect("a record is JSON")
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        max_global_rejects: 100_000,
        ..ProptestConfig::with_cases(150)
    })]

    /// The engine's audit checks that nothing is lost or invented, and that no proxy keeps more than its buffer.
    #[test]
    fn whatever_proxies_do_to_udp_is_conserved_and_repeated_to_the_byte(
        network in any_network(),
        proxies in any_proxies(),
        stack in any_stack(),
    ) {
        let scenario = with_settings(&network.scenario, &[("stack", stack), ("proxies", &proxies)]);
        let scenario = scenario.ok_or_else(|| TestCaseError::reject("connections that do not pass proxies"))?;
        let run = || run(&scenario).map_err(|violation| TestCaseError::fail(violation.to_string()));
        prop_assert_eq!(json(&run()?), json(&run()?));
    }
}

fn network(udp: &str, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"30 s\"
framing = \"packet\"
topology = {{ kind = \"n-source\", sources = 1, access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"20 Mbit/s\", delay = \"298 ms\" }} }}
port.buffer = \"1 BDP\"
proxies = {{ kind = \"split-tcp\", buffer = \"2 MB\", udp = {udp} }}
{rest}"
    ))
}

fn record(udp: &str, rest: &str) -> RunRecord {
    run(&network(udp, rest)).expect("conservation")
}

/// A file of QUIC over a satellite, whose proxies have a large first window between them and stand next to the hosts: split connections do not
/// wait for round trips of the slow start of hosts.
#[test]
fn split_connections_of_quic_need_no_slow_start_over_the_satellite() {
    let rest = "stack = { kind = \"quic\", flavor = \"cubic\" }\ntraffic = { kind = \"finite\", size = \"2 MB\" }\n";
    let seconds = |udp: &str| record(udp, rest).flows[0].finished_s.expect("all is delivered");
    let pass = seconds("\"pass\"");
    let split = seconds("{ kind = \"split-quic\", quic = { flavor = \"cubic\", initial_window = \"1 MB\" } }");
    assert!(pass - split > 3.0 * 0.6, "{pass} s, and {split} s split");
}

/// By hand: 1200 bytes are 1228 on the line, and in a tunnel 31 to 34 more: 2.5 to 2.7 % fewer arrive on a line that is full.
#[test]
#[expect(clippy::cast_precision_loss, reason = "some ten thousand datagrams")]
fn a_tunnel_takes_the_share_of_its_headers() {
    let rest =
        "traffic = { kind = \"constant-rate\", rate = \"40 Mbit/s\", size = \"1200 B\" }\nmeasure.from = \"10 s\"\n";
    let free = "{ kind = \"connect-udp\", congestion_control = false }";
    let received = |udp: &str| record(udp, rest).flows[0].datagrams.as_ref().expect("they are").received as f64;
    let (pass, tunnel) = (received("\"pass\""), received(free));
    let share = tunnel / pass;
    assert!((1228.0 / 1262.0 - 0.002..=1228.0 / 1259.0 + 0.002).contains(&share), "{share}");
}

/// A limit that counted bytes as read before the next leg had them let a packet too much come.
#[test]
fn a_proxy_that_ends_quic_has_room_for_all_that_it_lets_come() {
    for bytes in [2_800, 2_801, 3_333, 4_444, 6_007, 8_569, 9_999] {
        let rest = format!(
            "framing = \"packet\"\nport.buffer = \"20 packets\"\nstack = {{ kind = \"quic\", opened_by = \"receiver\", flavor = \"cubic\" }}\n\
             proxies = {{ kind = \"split-tcp\", buffer = \"{bytes} B\", udp = {{ kind = \"split-quic\", quic.packet_size = \"1400 B\" }} }}"
        );
        let record = run(&n_source(2, "7 Mbit/s", "600 us", "400 ms", &rest));
        assert!(record.is_ok(), "{bytes} B: {:?}", record.err());
    }
}
