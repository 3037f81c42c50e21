//! Capacity on demand: departures worked by hand, and laws for any network.

use longfat_engine::measure::RunRecord;
use longfat_engine::run;
use longfat_engine::scenario::Scenario;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};

use crate::support::scenario;
use crate::support::tape::{Happening, run_taped};

/// A sender of two segments over 1 Mbit/s: packets of 1250 bytes take 10 ms on the bottleneck and 1 ms on the access lines; the
/// bottleneck's propagation delay of 100 ms is the only other delay.
pub(super) fn by_the_packet(capacity: &str, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"20 s\"
framing = \"packet\"
port.buffer = \"unlimited\"
capacity = {capacity}
topology = {{ kind = \"n-source\", sources = 1, access = {{ rate = \"10 Mbit/s\", delay = \"0 s\" }}, \
         bottleneck = {{ rate = \"1 Mbit/s\", delay = \"100 ms\" }} }}
tcp = {{ mss = \"1210 B\", receiver_window = \"1 MB\", initial_window = \"2 MSS\" }}
{rest}
"
    ))
}

pub(super) const TWO_SEGMENTS: &str = "traffic = { kind = \"finite\", size = \"2420 B\", start = \"5 ms\" }";

/// Arrival times of segments, in milliseconds.
pub(super) fn arrivals(capacity: &str, rest: &str) -> Vec<f64> {
    let (tape, _) = run_taped(&by_the_packet(capacity, rest));
    let received = tape.iter().filter(|entry| matches!(entry.what, Happening::Received { .. }));
    received.map(|entry| (entry.time.as_seconds() * 1e6).round() / 1e3).collect()
}

#[test]
fn capacity_that_is_always_there_sends_at_once() {
    // Sent at 5 ms, at the port at 6 and 7, over it from 6 to 16 and 26, 100 ms on the way, and 1 ms on the last line.
    assert_eq!(arrivals("\"permanent\"", TWO_SEGMENTS), [117.0, 127.0]);
}

#[test]
fn a_packet_waits_for_the_next_request_and_its_answer_and_is_spread_over_a_frame() {
    // Frames of 50 ms. Both packets are queued when the second frame begins; a request at 50 ms is granted from 50 + 150 ms on: 20,000 bits
    // per frame are 400 kbit/s, so a packet takes 25 ms.
    let capacity = "{ kind = \"on-demand\", frame = \"50 ms\", response = \"150 ms\" }";
    assert_eq!(arrivals(capacity, TWO_SEGMENTS), [200.0 + 25.0 + 101.0, 200.0 + 50.0 + 101.0]);
}

#[test]
fn a_response_is_rounded_up_to_whole_frames() {
    let capacity = "{ kind = \"on-demand\", frame = \"50 ms\", response = \"101 ms\" }";
    assert_eq!(arrivals(capacity, TWO_SEGMENTS), [326.0, 351.0]);
}

#[test]
fn what_is_assigned_without_a_request_sends_while_the_request_is_on_its_way() {
    // A tenth of the rate carries 100 bits per millisecond: the first packet from 6 to 106 ms. When the frame begins at 50 ms, 15,600 bits
    // are unsent, of which 15,000 will be sent until the grant: 600 are requested. At 200 ms there are 600 left of the second packet, and
    // 5600 in that frame, 112 kbit/s: 5.357 ms.
    let capacity = "{ kind = \"on-demand\", frame = \"50 ms\", response = \"150 ms\", constant_share = 0.1 }";
    assert_eq!(arrivals(capacity, TWO_SEGMENTS), [106.0 + 101.0, 306.357]);
}

/// A path of the bottleneck.
fn schedule(rows: &str) -> String {
    format!("path = {{ kind = \"schedule\", steps = \"time_s,rate_bps\\n{rows}\" }}\n{TWO_SEGMENTS}")
}

#[test]
fn what_is_granted_carries_as_much_as_the_line_does_and_nothing_while_it_is_interrupted() {
    let capacity = "{ kind = \"on-demand\", frame = \"50 ms\", response = \"150 ms\" }";
    // 400 kbit/s are granted from 200 to 250 ms: 4000 bits of the first packet until 210 ms, 6000 from 230 to 245, 2000 of the second until
    // 250. The rest is asked for then and granted from 400 to 450 ms.
    assert_eq!(arrivals(capacity, &schedule("0,1e6\\n0.21,0\\n0.23,1e6")), [245.0 + 101.0, 450.0 + 101.0]);
    // Half of the line's rate from 220 ms on: 8000 bits of the first packet, and 2000 in 10 ms; 4000 of the second. 6000 bits are asked for at
    // 250 ms, for a line of half of the rate.
    assert_eq!(arrivals(capacity, &schedule("0,1e6\\n0.22,5e5")), [230.0 + 101.0, 450.0 + 101.0]);
    // Nobody hears the request at 50 ms.
    assert_eq!(
        arrivals(capacity, &schedule("0,1e6\\n0.04,0\\n0.06,1e6")),
        [250.0 + 25.0 + 101.0, 250.0 + 50.0 + 101.0]
    );
}

#[test]
fn a_path_with_another_rate_is_the_topology_with_that_rate() {
    let capacity = "{ kind = \"on-demand\", constant_share = 0.1 }";
    let path = by_the_packet(capacity, "path = { kind = \"schedule\", steps = \"time_s,rate_bps\\n0,5e5\" }");
    let overrides = [("topology.bottleneck.rate", "500 kbit/s"), ("topology.bottleneck.rate_back", "1 Mbit/s")];
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let plain = by_the_packet(capacity, "").canonical();
    let topology = Scenario::parse(plain.as_bytes(), "scenario.json", &overrides).expect("it is sound");
    let [path, topology] = [path, topology].map(|scenario| run(&scenario).expect("conservation"));
    assert_eq!(path.fingerprint, topology.fingerprint);
    assert_eq!(path.metrics.mean_granted_bps, topology.metrics.mean_granted_bps);
    assert_eq!(path.metrics.efficiency, topology.metrics.efficiency);
}

fn record(capacity: &str) -> RunRecord {
    run(&by_the_packet(capacity, "")).expect("conservation")
}

#[test]
fn all_of_the_rate_without_requests_is_capacity_that_is_always_there() {
    let constant = record("{ kind = \"on-demand\", constant_share = 1.0 }");
    assert_eq!(constant.fingerprint, record("\"permanent\"").fingerprint);
    assert_eq!(constant.metrics.mean_granted_bps, Some(1e6));
    let used = constant.metrics.granted_capacity_used.expect("it is granted");
    assert!((used / constant.ports[0].utilization - 1.0).abs() < 1e-9, "{used}");
}

#[test]
fn where_requests_cost_a_round_trip_more_windows_grow_more_slowly() {
    let on_demand = record("{ kind = \"on-demand\" }");
    let permanent = record("\"permanent\"");
    let efficiency = |record: &RunRecord| record.metrics.efficiency;
    assert!(efficiency(&on_demand) < efficiency(&permanent), "{}", efficiency(&on_demand));
    let used = on_demand.metrics.granted_capacity_used.expect("it is granted");
    assert!((0.95..=1.0).contains(&used), "nothing is granted that was not asked for: {used}");
    assert!(permanent.metrics.granted_capacity_used.is_none());
}

fn any_capacity() -> impl Strategy<Value = String> {
    let shares = prop_oneof![Just(0.0), Just(1.0), 0.0..1.0];
    (1_u64..200, 1_u64..900, shares).prop_map(|(frame, response, share)| {
        format!(
            "{{ kind = \"on-demand\", frame = \"{frame} ms\", response = \"{response} ms\", constant_share = {share} }}"
        )
    })
}

/// A path of the bottleneck in the proportions of its rate, or none.
fn any_path() -> impl Strategy<Value = String> {
    let row = (prop_oneof![1 => Just(0), 3 => 50_000_u64..3_000_000], 1_u64..3000, 0.0..0.05);
    prop_oneof![
        1 => Just(String::new()),
        2 => prop::collection::vec(row, 1..6).prop_map(|rows| {
            let mut time = 0;
            let row = |(rate, lasting, loss): &(u64, u64, f64)| {
                let row = format!("{time}e-3,{rate},{loss}");
                time += lasting;
                row
            };
            let rows: Vec<_> = rows.iter().map(row).collect();
            format!("path = {{ kind = \"schedule\", steps = \"time_s,rate_bps,loss\\n{}\" }}\n", rows.join("\\n"))
        }),
    ]
}

fn any_rest() -> impl Strategy<Value = String> {
    let queue = prop_oneof![
        Just("port.buffer = \"20 packets\""),
        Just("port = { queue = \"codel\", buffer = \"unlimited\" }"),
        Just("port = { queue = \"fq-codel\", buffer = \"100 packets\" }"),
        Just("port = { policy = { kind = \"selective-drop\", threshold = 0.5 }, buffer = \"40 packets\" }"),
    ];
    let traffic = prop_oneof![
        Just("traffic = \"infinite\""),
        Just("traffic = { kind = \"messages\", size = \"9000 B\", interval = \"700 ms\" }"),
        Just("traffic = { kind = \"finite\", size = \"150 kB\" }"),
    ];
    let flavor = prop_oneof![Just("newreno"), Just("cubic"), Just("bbr"), Just("hybla"), Just("vegas")];
    let measure = prop_oneof![Just(""), Just("measure.from = \"3137 ms\"")];
    (1_u64..5, queue, traffic, flavor, measure, 100_u64..3000).prop_map(
        |(sources, queue, traffic, flavor, measure, kilobits)| {
            format!(
                "schema_version = 1
duration = \"9 s\"
framing = \"packet\"
topology = {{ kind = \"n-source\", sources = {sources}, access = {{ rate = \"10 Mbit/s\", delay = \"3 ms\" }}, \
                 bottleneck = {{ rate = \"{kilobits} kbit/s\", delay = \"270 ms\" }} }}
tcp = {{ preset = \"linux-like\", flavor = \"{flavor}\" }}
{queue}
{traffic}
{measure}
"
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(120)
    })]

    /// The engine's audit checks the rest: every byte and packet is accounted for, and the ledger sums to the duration.
    #[test]
    fn no_more_is_sent_than_was_granted_and_no_more_is_granted_than_the_line_has(
        capacity in any_capacity(),
        rest in any_rest(),
        path in any_path(),
    ) {
        let scenario = scenario(&format!("{rest}{path}capacity = {capacity}\n"));
        let record = run(&scenario).map_err(|violation| TestCaseError::fail(violation.to_string()))?;
        let rate = record.metrics.max_goodput_bps * 1500.0 / 1448.0;
        let granted = record.metrics.mean_granted_bps.expect("it is asked for");
        prop_assert!(granted <= rate * 1.000_001, "{} of {}", granted, rate);
        if let Some(used) = record.metrics.granted_capacity_used {
            prop_assert!((0.0..=1.000_1).contains(&used), "{}", used);
        }
        prop_assert!((0.0..=1.0001).contains(&record.ports[0].utilization), "{}", record.ports[0].utilization);
    }
}
