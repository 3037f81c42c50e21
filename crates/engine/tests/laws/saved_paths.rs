//! Careful Resume from what earlier connections between the same hosts have observed (RFC 9959 section 3.1).

use longfat_engine::measure::{FlowRecord, RunRecord};
use longfat_engine::{Driver, run_by};

use crate::support::scenario;

/// A packet of 960 bytes of data takes 1 ms on the bottleneck, a round trip 60 ms, and receivers allow 60 segments: these are what a
/// connection has in flight, and there is no queue.
fn network(resume: &str, connections: &str, rest: &str) -> RunRecord {
    let text = format!(
        r#"
schema_version = 1
duration = "30 s"
framing = "packet"
port.buffer = "unlimited"
connections = [{{ from = "a", to = "b", name = "first", traffic = {{ kind = "finite", size = "1 MB" }} }}, {connections}]
traffic = {{ kind = "finite", size = "96 kB" }}
{rest}
[topology]
kind = "graph"
hosts = ["a", "b", "c"]
switches = ["s", "t"]
links = [
    {{ from = "s", to = "t", rate = "8 Mbit/s", delay = "28 ms", managed = "both" }},
    {{ from = "a", to = "s", rate = "8 Gbit/s", delay = "1 ms" }},
    {{ from = "t", to = "b", rate = "8 Gbit/s", delay = "1 ms" }},
    {{ from = "t", to = "c", rate = "8 Gbit/s", delay = "1 ms" }},
]
[tcp]
flavor = "sack-rfc6675"
mss = "960 B"
receiver_window = "57600 B"
initial_window = "4 MSS"
initial_ssthresh = "unlimited"
retransmission_timeout = {{ kind = "rfc-6298", minimum = "1 s" }}
timer_granularity = "1 ms"
resume = {resume}
"#
    );
    let scenario = scenario(&text);
    let [fast, events] = [Driver::Fast, Driver::Events].map(|driver| run_by(driver, &scenario).expect("conservation"));
    assert_eq!(fast.fingerprint, events.fingerprint);
    fast
}

const LEARNS: &str = "\"careful-resume\"";
const SECOND: &str = "{ from = \"a\", to = \"b\", after = \"first\" }";

/// How long the transfers of a run took, from the second on.
fn times(record: &RunRecord) -> Vec<f64> {
    let time = |flow: &FlowRecord| flow.finished_s.expect("all is delivered") - flow.started_s.expect("it began");
    record.flows[1..].iter().map(time).collect()
}

fn typed(saved_cwnd: &str) -> String {
    format!("{{ kind = \"careful-resume\", saved_cwnd = \"{saved_cwnd}\", saved_rtt = \"60 ms\" }}")
}

fn fingerprints_with_second(tcp: &str) -> String {
    let second = format!("{{ from = \"a\", to = \"b\", after = \"first\", tcp.resume = {tcp} }}");
    network(LEARNS, &second, "").fingerprint
}

/// By hand: what was sent when an acknowledgment came is acknowledged a round trip later, behind the 60 segments in flight then. 57600 bytes
/// are saved, and the window jumps to 30 segments.
#[test]
fn a_connection_resumes_with_what_the_path_carried_for_the_one_before() {
    let observed = network(LEARNS, SECOND, "").fingerprint;
    assert_eq!(observed, fingerprints_with_second(&typed("57600 B")));
    assert_ne!(observed, fingerprints_with_second(&typed("55680 B")), "29 segments");
    assert_ne!(observed, fingerprints_with_second("\"none\""));
}

/// By hand: without the jump, round trips send 4, 8, 16, 32 and 40 of 100 segments. With it they send 4, 8 and with the acknowledgment of the
/// fourth up to 30, of which the rest of slow start lets 60 go: one round trip less at least.
#[test]
fn it_saves_a_round_trip_at_least() {
    let [known, anew] = [LEARNS, "\"none\""].map(|resume| times(&network(resume, SECOND, ""))[0]);
    assert!(anew - known > 0.060, "{known} s, and {anew} s without");
}

#[test]
fn one_connection_at_a_time_uses_what_is_saved() {
    let both = network(LEARNS, &format!("{SECOND}, {SECOND}"), "");
    let one = network(
        LEARNS,
        &format!("{SECOND}, {{ from = \"a\", to = \"b\", after = \"first\", tcp.resume = \"none\" }}"),
        "",
    );
    assert_eq!(both.fingerprint, one.fingerprint);
}

#[test]
fn what_is_saved_is_for_a_path_and_a_time() {
    let none = "{ kind = \"careful-resume\", lifetime = \"1 s\" }";
    let later = SECOND.replace(" }", ", later = \"2 s\" }");
    let anew = times(&network("\"none\"", &later, ""));
    assert_eq!(times(&network(none, &later, "")), anew, "too old");
    assert_ne!(times(&network(LEARNS, &later, "")), anew);
    let elsewhere = "{ from = \"a\", to = \"c\", after = \"first\" }";
    assert_eq!(times(&network(LEARNS, elsewhere, "")), times(&network("\"none\"", elsewhere, "")));
    let back = "{ from = \"b\", to = \"a\", after = \"first\" }";
    assert_eq!(times(&network(LEARNS, back, "")), times(&network("\"none\"", back, "")), "the other direction");
}

#[test]
fn a_path_of_small_windows_is_not_saved() {
    let floor =
        |least: &str| times(&network(&format!("{{ kind = \"careful-resume\", least_saved = {least} }}"), SECOND, ""));
    let anew = times(&network("\"none\"", SECOND, ""));
    // The window grows on in slow start, though the receiver allows no more: it is well above 30 initial ones in the end.
    assert_eq!(floor("1000.0"), anew);
    assert_ne!(floor("4.0"), anew);
}

/// By hand: the 13th segment of the second connection is the first of its jump. It is lost, the second retreats with all that it has to send,
/// and the third knows nothing. (It waits until the second has been told that all has arrived.)
#[test]
fn a_retreat_deletes_what_was_saved() {
    let second = "{ from = \"a\", to = \"b\", name = \"second\", after = \"first\", traffic = { kind = \"finite\", size = \"28800 B\" } }";
    let third =
        |resume: &str| format!("{second}, {{ from = \"a\", to = \"b\", after = \"second\", later = \"1 s\"{resume} }}");
    let lost = "loss = { kind = \"list\", drops = [[], [13]] }";
    let third_of = |resume: &str, loss| times(&network(LEARNS, &third(resume), loss))[1];
    let anew = ", tcp.resume = \"none\"";
    assert_eq!(third_of("", lost).to_bits(), third_of(anew, lost).to_bits());
    assert!(third_of("", "") + 0.060 < third_of(anew, ""), "without a loss it is used again");
}

/// BBR tries half of the rate that the first connection had.
#[test]
fn laws_that_go_by_rates_learn_as_well() {
    for flavor in ["bbr", "bbr3"] {
        let [known, anew] = [LEARNS, "\"none\""].map(|resume| {
            let tcp = format!("tcp = {{ flavor = \"{flavor}\", resume = {resume} }}");
            times(&network(LEARNS, &SECOND.replace(" }", &format!(", {tcp} }}")), ""))[0]
        });
        assert!(known < anew, "{flavor}: {known} s, and {anew} s without");
    }
}

/// QUIC has the rule of TCP: a second connection is faster, and as slow as ever once what was saved is too old.
#[test]
fn connections_of_quic_learn_from_each_other() {
    let time = |resume: &str| {
        let quic = format!("stack = {{ kind = \"quic\", flavor = \"cubic\", resume = {resume} }}");
        let later = SECOND.replace(" }", ", later = \"2 s\" }");
        times(&network("\"none\"", &later, &quic))[0]
    };
    let [known, anew, old] = [LEARNS, "\"none\"", "{ kind = \"careful-resume\", lifetime = \"1 s\" }"].map(time);
    assert!(known < anew, "{known} s, and {anew} s without");
    assert_eq!(old.to_bits(), anew.to_bits());
}
