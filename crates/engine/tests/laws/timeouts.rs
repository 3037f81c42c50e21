//! Every expiry of a retransmission timer is in the record: with data in flight, or during a handshake.

use longfat_engine::measure::RunRecord;
use longfat_engine::run;
use longfat_engine::scenario::Scenario;
use proptest::prelude::*;

use super::random_networks::any_network;
use crate::support::scenario;
use crate::support::tape::{Happening, run_taped};

/// Expiries that an observer sees, of all flows.
fn heard(scenario: &Scenario) -> (u64, RunRecord) {
    let (tape, record) = run_taped(scenario);
    let expiries = tape.iter().filter(|entry| matches!(entry.what, Happening::TimedOut { .. }));
    (expiries.count() as u64, record)
}

/// Expiries in a record: with data in flight, and during handshakes.
fn recorded(record: &RunRecord) -> (u64, u64) {
    let of_flows = record.flows.iter().map(|flow| (flow.timeouts, flow.openings_sent_again));
    let requests = record.flows.iter().filter_map(|flow| flow.requests.as_ref());
    let of_requests = requests.map(|own| (own.timeouts, own.openings_sent_again));
    of_flows.chain(of_requests).fold((0, 0), |sum, (timeouts, openings)| (sum.0 + timeouts, sum.1 + openings))
}

/// A connection with pauses over a path so long that nothing is lost.
fn with_pauses(delay: &str, tcp: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1
duration = \"60 s\"
topology = {{ kind = \"n-source\", sources = 1, access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"20 Mbit/s\", delay = \"{delay}\" }} }}
framing = \"ethernet\"
port.buffer = \"1 BDP\"
traffic = {{ kind = \"on-off\", burst = {{ kind = \"exponential\", mean = \"20 kB\" }}, pause = \"300 ms\", rate = \"10 Mbit/s\" }}
tcp = {{ preset = \"linux-like\", {tcp} }}
"
    ))
}

/// Linux's timeout exceeds the round trip by 200 ms, so neither a delayed acknowledgment nor a pause lets it expire.
#[test]
fn over_a_satellite_a_linux_like_host_sends_nothing_again_that_was_not_lost() {
    for flavor in ["cubic", "bbr", "reno"] {
        for delay in ["99 ms", "299 ms"] {
            let record = run(&with_pauses(delay, &format!("flavor = {flavor:?}"))).expect("conservation");
            let flow = &record.flows[0];
            assert_eq!((flow.segments_retransmitted, flow.timeouts), (0, 0), "{flavor} over {delay}");
        }
    }
}

/// If each of many samples has full weight, earlier round trips are soon forgotten.
#[test]
fn with_timestamps_weights_for_a_round_trip_expire_less_for_nothing_than_those_for_a_sample() {
    let timeouts = |weights: &str| {
        let estimator = format!("{{ kind = 'rfc-6298', minimum = '200 ms', weights = {weights:?} }}");
        let run = |seed: &str| {
            let scenario = with_pauses(
                "299 ms",
                &format!("flavor = {{ recovery = \"sack-rfc6675\" }}, retransmission_timeout = {estimator}"),
            );
            let seed = [("seed".to_owned(), seed.to_owned())];
            let scenario =
                Scenario::parse(scenario.canonical().as_bytes(), "canonical.json", &seed).expect("a scenario");
            run(&scenario).expect("conservation").flows[0].timeouts
        };
        ["1", "2", "3", "4"].map(run).iter().sum::<u64>()
    };
    let (of_round_trips, of_samples) = (timeouts("per-round-trip"), timeouts("per-sample"));
    assert!(of_round_trips < of_samples, "{of_round_trips} and {of_samples}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_observers_hear_of_is_in_the_record(network in any_network(), handshake in any::<bool>()) {
        let text = network.scenario.canonical();
        let handshake = ("tcp.handshake".to_owned(), handshake.to_string());
        let scenario = Scenario::parse(text.as_bytes(), "canonical.json", &[handshake]);
        let scenario = scenario.map_err(|problems| TestCaseError::fail(format!("{problems:?}")))?;
        let (heard, record) = heard(&scenario);
        let (timeouts, openings) = recorded(&record);
        prop_assert_eq!(heard, timeouts + openings);
    }
}

/// One connection with a round trip of `milliseconds` and an initial timeout of a second.
fn far(milliseconds: u64, rest: &str) -> Scenario {
    scenario(&format!(
        "schema_version = 1\nduration = \"9 s\"\nframing = \"packet\"\nport.buffer = \"100 packets\"\n{rest}\n\
         topology = {{ kind = \"n-source\", sources = 1, access = {{ rate = \"100 Mbit/s\", delay = \"0 s\" }}, \
         bottleneck = {{ rate = \"10 Mbit/s\", delay = \"{} ms\" }} }}\n",
        milliseconds / 2
    ))
}

/// Timers of one and then two seconds expire once or twice before the SYN-ACK arrives; the timer of data has the three seconds of RFC 6298
/// section 5.7, and expires in a longer round trip.
#[test]
fn an_opening_that_takes_longer_than_its_timer_is_counted_apart_from_timeouts_of_data() {
    for (milliseconds, again, timeouts) in [(900, 0, 0), (1210, 1, 0), (2900, 1, 0), (3100, 2, 1)] {
        let record = run(&far(milliseconds, "tcp.preset = \"linux-like\"")).expect("conservation");
        let flow = &record.flows[0];
        assert_eq!((flow.timeouts, flow.openings_sent_again), (timeouts, again), "{milliseconds} ms");
    }
}

#[test]
fn a_record_tells_of_openings_that_were_sent_again_if_any_was() {
    let told = |milliseconds: u64, rest: &str| {
        let record = run(&far(milliseconds, rest)).expect("conservation");
        let flow = serde_json::to_value(&record.flows[0]).expect("a flow is JSON");
        [&flow, &flow["requests"]].map(|part| part.get("openings_sent_again").cloned())
    };
    assert_eq!(told(1210, ""), [None, None], "no handshake");
    assert_eq!(told(900, "tcp.preset = \"linux-like\""), [None, None], "the answer is in time");
    assert_eq!(told(1210, "tcp.preset = \"linux-like\""), [Some(1.into()), None]);
    // The client opens the connection, and the server responds on it.
    let www = "tcp.preset = \"linux-like\"\ntraffic = { kind = \"www\", start = \"0 s\" }";
    assert_eq!(told(1210, www), [None, Some(1.into())]);
}
