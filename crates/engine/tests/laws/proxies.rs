//! Split connections: laws for any, and times worked by hand.

use longfat_engine::measure::{Cause, LegRecord};
use longfat_engine::run;
use longfat_engine::scenario::Scenario;
use longfat_engine::units::Span;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};

use super::random_graphs::{any_graph, written_out};
use super::random_networks::{any_network, any_split_network, split};
use crate::support::scenario;
use crate::support::tape::{Happening, run_taped};

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(400)
    })]

    /// The engine's audit checks the rest: every byte is forwarded once and in order, and no data exceeds the advertised window.
    #[test]
    fn whatever_proxies_split_is_conserved_and_none_keeps_more_than_its_buffer(network in any_split_network()) {
        let record = run(&network.scenario).map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        let buffer = network.scenario.split().expect("it has proxies").buffer.0;
        for flow in &record.flows {
            // Datagrams pass proxies whole.
            prop_assert_eq!(flow.legs.len(), if flow.datagrams.is_some() { 0 } else { 3 });
            if flow.legs.is_empty() {
                continue;
            }
            let delivered: Vec<_> = flow.legs.iter().map(|leg| leg.bytes_delivered).collect();
            prop_assert!(delivered.is_sorted_by(|before, after| before >= after), "{:?}", delivered);
            prop_assert_eq!(flow.bytes_delivered, delivered[2]);
        }
        prop_assert!(record.metrics.max_proxy_bytes.is_none_or(|most| most <= buffer));
    }
}

/// The scenario with proxies that keep 9000 bytes.
fn with_proxies(scenario: &Scenario) -> Option<Scenario> {
    let overrides = [("proxies".to_owned(), "{ kind = 'split-tcp', buffer = '9000 B' }".to_owned())];
    Scenario::parse(scenario.canonical().as_bytes(), "proxies.json", &overrides).ok()
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        max_global_rejects: 100_000,
        max_local_rejects: 1_000_000,
        ..ProptestConfig::with_cases(150)
    })]

    /// On graphs, with traffic in both directions and anything on any line.
    #[test]
    fn proxies_on_graphs_conserve_what_they_split(network in split(any_graph())) {
        let record = run(&network.scenario).map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        prop_assert!(record.flows.iter().all(|flow| flow.legs.len() == 3 || flow.datagrams.is_some()));
        let buffer = network.scenario.split().expect("it has proxies").buffer.0;
        prop_assert!(record.metrics.max_proxy_bytes.is_none_or(|most| most <= buffer));
    }

    #[test]
    fn n_sources_with_proxies_are_the_same_written_out(network in any_network()) {
        let (short, long) = (with_proxies(&network.scenario), with_proxies(&written_out(&network.scenario)));
        prop_assert_eq!(short.is_some(), long.is_some());
        if let (Some(short), Some(long)) = (short, long) {
            let [short, long] = [short, long].map(|scenario| run(&scenario).expect("conservation"));
            prop_assert_eq!((short.fingerprint, short.ledger), (long.fingerprint, long.ledger));
        }
    }
}

/// Two switches with a host each at either side, and proxies at both; the hosts' lines are shared by `connections`.
fn terminal(connections: &str, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"60 s\"
framing = \"packet\"
port.buffer = \"40 packets\"
proxies = {{ kind = \"split-tcp\", buffer = \"500 kB\", tcp = {{ receiver_window = \"1 MB\" }} }}
tcp = {{ mss = \"1210 B\", receiver_window = \"64 kB\" }}
connections = {connections}
topology = {{ kind = \"graph\", hosts = [\"home\", \"server\"], switches = [\"terminal\", \"hub\", \"core\"], links = [
    {{ from = \"hub\", to = \"terminal\", rate = \"10 Mbit/s\", rate_back = \"2 Mbit/s\", delay = \"250 ms\", managed = \"both\" }},
    {{ from = \"home\", to = \"terminal\", rate = \"100 Mbit/s\", delay = \"1 ms\" }},
    {{ from = \"hub\", to = \"core\", rate = \"100 Mbit/s\", delay = \"5 ms\" }},
    {{ from = \"core\", to = \"server\", rate = \"100 Mbit/s\", delay = \"5 ms\" }} ] }}
{rest}
"
    ))
}

#[test]
fn proxies_stand_at_both_ends_of_a_link_that_data_cross_both_ways() {
    let both = "[{ from = \"server\", to = \"home\" }, { from = \"home\", to = \"server\" }]";
    let record = run(&terminal(both, "")).expect("conservation");
    let [down, up] = &record.flows[..] else { panic!("two connections") };
    assert!(down.goodput_bps > 5e5 && up.goodput_bps > 5e5, "{} {}", down.goodput_bps, up.goodput_bps);
    // The server's leg has two lines of 5 ms there and back, the home's one of 1 ms: neither waits for the satellite.
    assert!((down.round_trips.mean_seconds().expect("some") - 0.020).abs() < 0.005, "{:?}", down.round_trips);
    assert!((up.round_trips.mean_seconds().expect("some") - 0.002).abs() < 0.005, "{:?}", up.round_trips);
}

#[test]
fn a_segment_takes_its_time_once_more_to_each_proxy_and_from_it() {
    // 1250 bytes take 0.1 ms at 100 Mbit/s and 1 ms at 10: two lines to the hub, the proxy's there and back, the bottleneck, the other proxy's
    // there and back, and the home's. Each proxy acknowledges before it passes on: 40 bytes take 0.0032 ms.
    let one = "[{ from = \"server\", to = \"home\" }]";
    let (tape, _) = run_taped(&terminal(one, "traffic = { kind = \"finite\", size = \"1210 B\" }"));
    let arrivals = tape.iter().filter(|entry| matches!(entry.what, Happening::Received { .. }));
    let last = arrivals.map(|entry| entry.time.as_seconds()).fold(0.0, f64::max);
    assert!(
        (last - (0.0002 + 0.010 + 0.0002 + 0.001 + 0.250 + 0.0002 + 0.0001 + 0.001 + 2.0 * 0.000_003_2)).abs() < 1e-9,
        "{last}"
    );
}

/// The laws above would hold in networks without traffic; checks that these have some.
#[test]
fn random_split_networks_close_windows_probe_lose_and_finish() {
    let mut runner = TestRunner::deterministic();
    let (mut full, mut probed, mut repaired, mut finished, mut asked) = (0, 0, 0, 0, 0);
    for _ in 0..400 {
        let network = any_split_network().new_tree(&mut runner).expect("a network can be drawn").current();
        let record = run(&network.scenario).unwrap_or_else(|violation| panic!("{violation}{network:?}"));
        let buffer = network.scenario.split().expect("it has proxies").buffer.0;
        let of_legs = |of: fn(&LegRecord) -> bool| record.flows.iter().any(|flow| flow.legs.iter().any(of));
        full +=
            u64::from(record.metrics.max_proxy_bytes.is_some_and(|most| most + network.scenario.tcp.mss.0 > buffer));
        probed += u64::from(of_legs(|leg| leg.window_probes > 0));
        repaired += u64::from(of_legs(|leg| leg.segments_retransmitted > 0));
        finished += u64::from(record.flows.iter().any(|flow| flow.finished_s.is_some()));
        asked +=
            u64::from(record.flows.iter().any(|flow| flow.requests.as_ref().is_some_and(|made| made.answered > 0)));
    }
    for (what, times) in
        [("full", full), ("probed", probed), ("repaired", repaired), ("finished", finished), ("asked", asked)]
    {
        assert!(times > 4, "{what}: {times}");
    }
}

/// A cell of 424 bits takes 1 us; a segment of 512 bytes is 12 of them, an acknowledgment 2 (UBR+ section 3.2).
///
/// | leg | data | acknowledgment |
/// |---|---|---|
/// | near, far: one line | 12 us + its delay | 2 us + its delay |
/// | between: the proxy's line, the bottleneck, the line to the other proxy | 12 + 1 + 1 us + its delay | 2 + 1 + 1 us + its delay |
fn by_the_cell(access: &str, bottleneck: &str, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"20 s\"
port = {{ buffer = \"unlimited\", arrival_order = \"first-come-first-served\" }}
topology = {{ kind = \"n-source\", sources = 1, access = {{ rate = \"424 Mbit/s\", delay = \"{access}\" }}, \
         bottleneck = {{ rate = \"424 Mbit/s\", delay = \"{bottleneck}\" }} }}
tcp = {{ mss = \"512 B\", receiver_window = \"1 MB\", initial_ssthresh = \"unlimited\" }}
traffic = {{ kind = \"finite\", size = \"7680 B\" }}
{rest}
"
    ))
}

const SPLIT: &str = "proxies = { kind = \"split-tcp\", buffer = \"1 MB\" }";

fn finished_us(scenario: &Scenario) -> f64 {
    let record = run(scenario).expect("the laws hold");
    (1e6 * record.flows[0].finished_s.expect("it finishes") * 1e3).round() / 1e3
}

#[test]
fn a_file_over_short_and_long_legs_takes_the_slow_start_of_the_long_one() {
    // 15 segments are 4 rounds of slow start. End to end a round trip is 18 us and twice 252 ms; the last of the 8 segments of the last
    // round leaves 7 segment times after the first.
    let end_to_end = 3.0 * (18.0 + 504_000.0) + 7.0 * 12.0 + 14.0 + 252_000.0;
    assert_eq!(finished_us(&by_the_cell("1 ms", "250 ms", "")), end_to_end);
    // Split, the first segment is at the proxy after 12 us and 1 ms; all others arrive before they can be sent. Between the proxies, rounds
    // take 18 us and twice 250 ms; the far leg has a window of 8 when it needs it.
    let split = 12.0 + 1_000.0 + 3.0 * (18.0 + 500_000.0) + 7.0 * 12.0 + 14.0 + 250_000.0 + 12.0 + 1_000.0;
    assert_eq!(finished_us(&by_the_cell("1 ms", "250 ms", SPLIT)), split);
}

#[test]
fn where_the_long_leg_begins_with_a_large_window_the_others_have_its_slow_start_in_a_fraction_of_the_time() {
    let end_to_end = finished_us(&by_the_cell("20 ms", "250 ms", ""));
    let proxies = "proxies = { kind = \"split-tcp\", buffer = \"1 MB\", tcp = { initial_window = \"16 MSS\" } }";
    let split = finished_us(&by_the_cell("20 ms", "250 ms", proxies));
    // Rounds of the near leg take 14 us and twice 20 ms; arriving data is forwarded at once, on the far leg too.
    let near = 3.0 * (14.0 + 40_000.0) + 7.0 * 12.0 + 12.0 + 20_000.0;
    assert_eq!(split, near + 14.0 + 250_000.0 + 12.0 + 20_000.0);
    assert_eq!(end_to_end, 3.0 * (18.0 + 580_000.0) + 7.0 * 12.0 + 14.0 + 290_000.0);
    assert!(split < 0.21 * end_to_end, "{split} of {end_to_end}");
}

#[test]
fn a_proxy_opens_the_next_leg_when_it_hears_of_the_connection() {
    let mut with_handshake = by_the_cell("20 ms", "250 ms", SPLIT);
    with_handshake.tcp.handshake = true;
    let (tape, record) = run_taped(&with_handshake);
    let opened: Vec<_> = tape
        .iter()
        .filter_map(|entry| match entry.what {
            Happening::Sent { segment, .. } if segment.synchronize => Some((entry.flow, entry.time.0 / 1_000_000)),
            _ => None,
        })
        .collect();
    // With one connection, flow 1 is the near leg, 0 the one between and 2 the far leg. A SYN is two cells.
    assert_eq!(opened, [(1, 0), (0, 20_002), (2, 20_002 + 250_004)]);
    // Then data is sent: the near leg is open after its round trip, and the one between later, after its own.
    let data = tape
        .iter()
        .find(|entry| entry.flow == 0 && matches!(entry.what, Happening::Sent { segment, .. } if segment.length > 0));
    assert_eq!(data.map(|entry| entry.time.0 / 1_000_000), Some(20_002 + 500_008));
    assert!(record.flows[0].finished_s.is_some());
}

/// Ethernet packets over a line of 20 Mbit/s and 250 ms, between lines of 100 Mbit/s and 5 ms.
fn satellite(rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"60 s\"
framing = \"ethernet\"
topology = {{ kind = \"n-source\", sources = 1, access = {{ rate = \"100 Mbit/s\", delay = \"5 ms\" }}, \
         bottleneck = {{ rate = \"20 Mbit/s\", delay = \"250 ms\" }} }}
{rest}
"
    ))
}

const FAST_TCP: &str = "flavor = \"cubic\", mss = \"1460 B\", retransmission_timeout = \"rfc-6298\"";

#[test]
fn without_losses_and_with_ample_buffers_a_split_connection_is_as_fast_as_its_slowest_leg() {
    let goodput = |own: &str, of_leg: &str| {
        let text = format!(
            "port.buffer = \"unlimited\"\ntcp = {{ {FAST_TCP}, {own} }}\nproxies = {{ kind = \"split-tcp\", buffer = \"16 MB\", tcp = {{ \
             {of_leg} }} }}"
        );
        let record = run(&satellite(&text)).expect("the laws hold");
        (record.metrics.goodput_bps, record.metrics.max_goodput_bps, record.flows[0].legs[0].segments_retransmitted)
    };
    // Limited by the line between, with ample windows.
    let (line, line_max, again) = goodput("receiver_window = \"4 MB\"", "initial_window = \"100 MSS\"");
    assert!(line > 0.95 * line_max && line <= line_max && again == 0, "{line} of {line_max}");
    // Limited by the near and far legs: 5 segments per round trip of 10 ms, plus the transmission times of 1460 bytes and an acknowledgment
    // at 100 Mbit/s.
    let (near, ..) =
        goodput("receiver_window = \"7300 B\"", "receiver_window = \"4 MB\", initial_window = \"100 MSS\"");
    let by_hand = 5.0 * 1460.0 * 8.0 / (10e-3 + (1538.0 + 84.0) * 8.0 / 100e6);
    assert!((near / by_hand - 1.0).abs() < 0.02, "{near}, by hand {by_hand}");
    // Limited by the window between: 50 segments per round trip of 500 ms.
    let (between, ..) =
        goodput("receiver_window = \"4 MB\"", "receiver_window = \"73000 B\", initial_window = \"50 MSS\"");
    let packets = (1538.0 + 84.0) * 8.0 * (2.0 / 100e6 + 1.0 / 20e6);
    let by_hand = 50.0 * 1460.0 * 8.0 / (0.5 + packets);
    assert!((between / by_hand - 1.0).abs() < 0.02, "{between}, by hand {by_hand}");
}

#[test]
fn what_is_lost_between_the_proxies_is_repaired_there_and_nowhere_else() {
    let text = format!(
        "port.buffer = \"unlimited\"\ntcp = {{ {FAST_TCP}, receiver_window = \"4 MB\" }}\nproxies = {{ kind = \"split-tcp\", buffer = \"4 MB\" }}\n\
         loss = {{ kind = \"random\", probability = 0.01 }}\ntraffic = {{ kind = \"finite\", size = \"2 MB\" }}"
    );
    let record = run(&satellite(&text)).expect("the laws hold");
    let flow = &record.flows[0];
    let again: Vec<_> = flow.legs.iter().map(|leg| leg.segments_retransmitted).collect();
    assert!(again[1] >= 10, "{again:?}");
    assert_eq!((again[0], again[2]), (0, 0));
    assert_eq!((flow.segments_retransmitted, flow.bytes_delivered), (again[1], 2_000_000));
}

/// The far leg sends two segments per round trip of 200 ms, the others are fast: the buffer of the far proxy fills, and the acknowledgment
/// that reopens its window may be lost.
fn stopped(loss: f64) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"300 s\"
framing = \"ethernet\"
topology = {{ kind = \"n-source\", sources = 1, access = {{ rate = \"100 Mbit/s\", delay = \"100 ms\" }}, \
         bottleneck = {{ rate = \"20 Mbit/s\", delay = \"2 ms\" }} }}
port.buffer = \"unlimited\"
tcp = {{ {FAST_TCP}, receiver_window = \"2920 B\" }}
proxies = {{ kind = \"split-tcp\", buffer = \"4380 B\", tcp = {{ receiver_window = \"64 kB\" }} }}
connections = [{{ access_delay = \"1 ms\" }}]
acknowledgment_loss = {{ kind = \"random\", probability = {loss:?} }}
traffic = {{ kind = \"finite\", size = \"300 kB\" }}
"
    ))
}

#[test]
fn a_lost_update_of_the_window_stops_nothing_for_ever() {
    let record = run(&stopped(0.3)).expect("the laws hold");
    let flow = &record.flows[0];
    assert!(flow.legs[1].window_probes > 0, "{flow:?}");
    assert_eq!(flow.bytes_delivered, 300_000);
    assert!(flow.finished_s.is_some(), "{flow:?}");
}

#[test]
fn a_proxy_without_data_is_an_application_without_and_a_full_one_a_receiver_without_room() {
    let idle_of = |group: &str| {
        let text = format!(
            "port.buffer = \"unlimited\"\ntcp = {{ {FAST_TCP}, receiver_window = \"7300 B\" }}\nconnections = [{group}]\n\
             proxies = {{ kind = \"split-tcp\", buffer = \"2 MB\", tcp = {{ receiver_window = \"4 MB\", initial_window = \"60 MSS\" }} }}"
        );
        let mut scenario = satellite(&text);
        scenario.duration.0 = Span::from_microseconds(20_000_000);
        let record = run(&scenario).expect("the laws hold");
        (record.metrics.shares.0.span(Cause::IdleNoData), record.metrics.shares.0.span(Cause::IdleReceiverWindow))
    };
    // A near leg that is slower than the far one, by its delay, and one that is faster.
    let (no_data, no_room) = idle_of("{ access_delay = \"50 ms\" }");
    assert!(no_data.as_seconds() > 15.0 && no_room.as_seconds() < 1.0, "{no_data:?} {no_room:?}");
    let (no_data, no_room) = idle_of("{ access_delay = \"1 ms\" }");
    assert!(no_data.as_seconds() < 3.0 && no_room.as_seconds() > 10.0, "{no_data:?} {no_room:?}");
}
