//! Datagrams: delays that are known exactly, losses, and what queues do to a thin flow.

use longfat_engine::measure::{DatagramRecord, RunRecord};
use longfat_engine::scenario::Scenario;
use longfat_engine::units::Span;
use longfat_engine::{Driver, run, run_by};

use crate::support::{n_source, scenario};

/// The datagrams of a connection, by the drivers of which both give the same.
#[track_caller]
fn datagrams(scenario: &Scenario, flow: usize) -> (DatagramRecord, RunRecord) {
    let [events, fast] = [Driver::Events, Driver::Fast].map(|driver| run_by(driver, scenario).expect("conservation"));
    assert_eq!(
        (&events.fingerprint, events.metrics.datagram_delay_s),
        (&fast.fingerprint, fast.metrics.datagram_delay_s)
    );
    let record = events.flows[flow].datagrams.as_deref().expect("a connection over UDP").clone();
    (record, events)
}

/// A time of a record in nanoseconds, which is as exact as a mean is.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "times of a short run")]
fn nanoseconds(seconds: Option<f64>) -> u64 {
    (seconds.expect("there are times") * 1e9).round() as u64
}

/// 56 bytes of data with 28 of headers: 67.2 us on each of three lines of 10 Mbit/s, and 3 ms on the way. An Ethernet
/// frame takes 84 + 18 + 20 bytes: 97.6 us.
#[test]
fn a_probe_of_an_empty_network_takes_propagation_and_transmission() {
    for (framing, sending_ns) in [("packet", 67_200), ("ethernet", 97_600)] {
        let rest = format!(
            "framing = \"{framing}\"\nport.buffer = \"10 packets\"\ntraffic = {{ kind = \"probe\", interval = \"10 ms\" }}"
        );
        let (probes, record) = datagrams(&n_source(1, "10 Mbit/s", "1 ms", "1 s", &rest), 0);
        let there = 3_000_000 + 3 * sending_ns;
        assert_eq!([probes.delay_min_s, probes.delay_max_s].map(nanoseconds), [there; 2], "{framing}");
        let round_trips = record.flows[0].round_trips.extremes().expect("they are answered");
        assert_eq!(<[Span; 2]>::from(round_trips), [Span(2_000 * there); 2], "{framing}");
        assert_eq!((probes.sent, probes.answered, probes.lost), (100, Some(100), 0));
        assert_eq!((probes.jitter_s, probes.reordered, probes.max_reordering_extent), (Some(0.0), 0, 0));
    }
}

#[test]
fn a_probe_in_cells_takes_the_transmission_of_its_cells_once_and_of_one_at_each_hop() {
    let rest = "port.buffer = \"100 cells\"\ntraffic = { kind = \"probe\", interval = \"10 ms\", answered = false }";
    let (probes, _) = datagrams(&n_source(1, "42.4 Mbit/s", "1 ms", "1 s", rest), 0);
    // 56 bytes with 28 of headers, 8 of LLC/SNAP and 8 of trailer are 100: three cells of 10 us.
    let delay = probes.delay_min_s.expect("they arrive");
    assert!((3.030e-3..=3.060e-3).contains(&delay), "{delay}");
    assert_eq!(probes.delay_min_s, probes.delay_max_s);
    assert!(probes.answered.is_none() && probes.round_trips.is_none());
}

/// Datagrams of 1000 bytes with headers every 0.5 ms, each of which takes 1 ms at the bottleneck and 0.1 ms on a line before it and behind
/// it; and a probe of 100 bytes every 10 ms. The bottleneck is busy from the first probe on. Probe k waits for 20 k datagrams and k probes
/// less the 10 k ms that have passed: its delay is 10.1 k + 0.12 ms.
#[test]
fn probes_through_a_fifo_see_exactly_the_queue() {
    let text = "schema_version = 1\nduration = \"45 ms\"\nframing = \"packet\"\nport.buffer = \"unlimited\"\n\
                topology = { kind = \"n-source\", sources = 2, access = { rate = \"80 Mbit/s\", delay = \"0 s\" }, \
                bottleneck = { rate = \"8 Mbit/s\", delay = \"0 s\" } }\n\
                connections = [{ traffic = { kind = \"constant-rate\", rate = \"15.552 Mbit/s\", size = \"972 B\" } }, \
                { traffic = { kind = \"probe\", interval = \"10 ms\", size = \"72 B\", answered = false } }]";
    let (probes, _) = datagrams(&scenario(text), 1);
    assert_eq!((probes.sent, probes.received, probes.lost), (5, 3, 0));
    assert_eq!(
        [probes.delay_min_s, probes.delay_mean_s, probes.delay_max_s].map(nanoseconds),
        [120_000, 10_220_000, 20_320_000]
    );
    // |D| is 10.1 ms at the second and third arrival: 10.1 / 16, and that + 10.1 / 16 - 10.1 / 256.
    let (first, second) = (10.1e-3 / 16.0, 10.1e-3 * (2.0 / 16.0 - 1.0 / 256.0));
    let is_close =
        |measured: Option<f64>, by_hand: f64| measured.is_some_and(|measured| (measured - by_hand).abs() < 2e-9);
    assert!(is_close(probes.jitter_s, second), "{:?} is not {second}", probes.jitter_s);
    assert!(is_close(probes.mean_jitter_s, (first + second) / 2.0), "{:?}", probes.mean_jitter_s);
}

/// Twice the rate of the line: 2000 datagrams in a second, of which one leaves each millisecond. The first is there at 1.2 ms.
#[test]
fn a_constant_rate_above_that_of_the_line_loses_exactly_the_excess() {
    let text = "schema_version = 1\nduration = \"1 s\"\nframing = \"packet\"\nport.buffer = \"10 packets\"\n\
                topology = { kind = \"n-source\", sources = 1, access = { rate = \"80 Mbit/s\", delay = \"0 s\" }, \
                bottleneck = { rate = \"8 Mbit/s\", delay = \"0 s\" } }\n\
                traffic = { kind = \"constant-rate\", rate = \"15.552 Mbit/s\", size = \"972 B\" }";
    let (datagrams, record) = datagrams(&scenario(text), 0);
    assert_eq!((datagrams.sent, datagrams.received), (2000, 999));
    let port = &record.ports[0];
    assert_eq!(datagrams.lost, port.packets_dropped);
    let held = datagrams.sent - datagrams.received - datagrams.lost;
    assert!((10..=12).contains(&held), "the buffer is full, and one is sent: {held}");
    // A datagram that finds room waits for nine others and the rest of the one being sent, at most.
    assert!(datagrams.delay_max_s.is_some_and(|longest| longest <= 11.3e-3), "{:?}", datagrams.delay_max_s);
    let flow = &record.flows[0];
    assert_eq!((flow.flavor.as_ref(), flow.timeouts, flow.segments_retransmitted), ("udp", 0, 0));
    assert_eq!(flow.goodput_bps, 999.0 * 8.0 * 972.0);
}

#[test]
fn a_loss_on_either_way_of_a_ping_is_one_lost_ping() {
    let rest = "framing = \"packet\"\nport.buffer = \"10 packets\"\ntraffic = { kind = \"probe\", interval = \"10 ms\" }\n\
                loss = { kind = \"list\", drops = [3, 4] }\nacknowledgment_loss = { kind = \"list\", drops = [5] }";
    let (probes, _) = datagrams(&n_source(1, "10 Mbit/s", "1 ms", "1 s", rest), 0);
    assert_eq!((probes.sent, probes.received, probes.answered, probes.lost), (100, 98, Some(97), 3));
    assert_eq!(probes.loss_ratio, Some(0.03));
    assert_eq!(probes.reordered, 0, "a gap is no reordering");
}

/// Two groups of two probes, one of which is answered: what a study can ask of one group alone.
#[test]
fn the_delays_of_a_group_with_a_name_are_those_of_its_datagrams_together() {
    let rest = "framing = \"packet\"\nport.buffer = \"10 packets\"\nloss = { kind = \"list\", drops = [3, 4, 5] }\n\
                connections = [{ name = \"ping\", count = 2, traffic = { kind = \"probe\", interval = \"10 ms\" } }, \
                { name = \"one way\", count = 2, traffic = { kind = \"probe\", interval = \"20 ms\", answered = false } }, \
                { traffic = { kind = \"probe\", interval = \"10 ms\" } }]";
    let record = run(&n_source(5, "10 Mbit/s", "1 ms", "1 s", rest)).expect("conservation");
    let of = |flow: usize| record.flows[flow].datagrams.as_deref().expect("a connection over UDP");
    let names: Vec<_> = record.completions.iter().map(|kind| kind.name.as_str()).collect();
    assert_eq!(names, ["ping datagram", "ping round trip", "one way datagram"], "and none of the group without a name");
    for (kind, flows) in record.completions.iter().zip([[0, 1], [0, 1], [2, 3]]) {
        assert_eq!(kind.asked, flows.map(|flow| of(flow).sent).iter().sum::<u64>());
        let is_answered = kind.name.ends_with("round trip");
        let arrived = |flow| if is_answered { of(flow).answered.unwrap_or_default() } else { of(flow).received };
        assert_eq!(kind.delivered, flows.map(arrived).iter().sum::<u64>());
        assert_eq!(kind.times.count(), kind.delivered);
    }
}

/// A call and a bulk transfer at a bottleneck of 10 Mbit/s with a buffer of 0.6 s.
fn call_beside_bulk(queue: &str) -> RunRecord {
    let text = format!(
        "schema_version = 1\nduration = \"20 s\"\nframing = \"ethernet\"\nport = {{ buffer = \"500 packets\", queue = \"{queue}\" }}\n\
         topology = {{ kind = \"n-source\", sources = 2, access = {{ rate = \"100 Mbit/s\", delay = \"1 ms\" }}, \
         bottleneck = {{ rate = \"10 Mbit/s\", delay = \"10 ms\" }} }}\n\
         tcp = {{ mss = \"1448 B\", flavor = \"cubic\", receiver_window = \"4 MB\", sack_blocks = 3 }}\n\
         connections = [{{ traffic = \"infinite\" }}, {{ traffic = {{ kind = \"voip\", silence = \"0 s\" }} }}]"
    );
    run(&scenario(&text)).expect("conservation")
}

#[test]
fn flow_queueing_keeps_the_delay_of_a_thin_flow_below_that_of_a_common_queue() {
    let [common, own] = ["tail-drop", "fq-codel"].map(call_beside_bulk);
    let p99 = |record: &RunRecord| record.metrics.datagram_delay_p99_s.expect("a call");
    // A packet of the bulk transfer at most is before one of the call: 12 ms of propagation and 1.3 ms.
    assert!(p99(&own) < 14e-3, "{}", p99(&own));
    assert!(p99(&common) > 0.2, "{}", p99(&common));
    for record in [&common, &own] {
        assert_eq!(record.metrics.fairness, 1.0, "of the only connection that has congestion control");
    }
}

/// Each proxy stands in a host's line: it receives a datagram whole and sends it on, over a line without delay that is as fast.
#[test]
fn datagrams_pass_proxies_whole_and_take_two_more_transmissions() {
    let rest = "framing = \"packet\"\nport.buffer = \"10 packets\"\ntraffic = { kind = \"probe\", interval = \"10 ms\" }\n\
                proxies = { kind = \"split-tcp\", buffer = \"100 kB\" }";
    let (probes, record) = datagrams(&n_source(1, "10 Mbit/s", "1 ms", "1 s", rest), 0);
    assert_eq!([probes.delay_min_s, probes.delay_max_s].map(nanoseconds), [3_000_000 + 5 * 67_200; 2]);
    assert_eq!((probes.answered, probes.lost), (Some(100), 0));
    assert!(record.flows[0].legs.is_empty());
}

#[test]
fn a_call_may_be_beside_traffic_of_the_web() {
    let rest = "framing = \"packet\"\nport.buffer = \"100 packets\"\ntraffic = \"www\"\n\
                connections = [{ traffic = { kind = \"voip\" } }]";
    let scenario = n_source(3, "10 Mbit/s", "1 ms", "5 s", rest);
    let (call, record) = datagrams(&scenario, 0);
    assert!(call.received > 50 && call.lost == 0);
    assert!(record.flows[0].requests.is_none() && record.flows[1].requests.is_some());
}

/// Probes of half a second, measured from 0.25 s on: those sent later, and the delay of all is as before.
#[test]
fn what_is_measured_from_a_time_on_are_the_datagrams_from_then_on() {
    let rest = "framing = \"packet\"\nport.buffer = \"10 packets\"\nmeasure.from = \"255 ms\"\n\
                traffic = { kind = \"probe\", interval = \"10 ms\" }\nloss = { kind = \"list\", drops = [3, 40] }";
    let (probes, _) = datagrams(&n_source(1, "10 Mbit/s", "1 ms", "500 ms", rest), 0);
    assert_eq!((probes.sent, probes.received, probes.lost), (24, 23, 1));
    assert_eq!(probes.delay_min_s, probes.delay_max_s);
}

#[test]
fn datagrams_that_do_not_fit_or_come_too_often_are_refused_where_it_is_wrong() {
    let problems = |framing: &str, traffic: &str| {
        let text = format!(
            "schema_version = 1\nduration = \"1 s\"\nframing = \"{framing}\"\nport.buffer = \"10 packets\"\n\
             topology = {{ kind = \"n-source\", sources = 1, access = {{ delay = \"1 ms\" }}, bottleneck = {{ delay = \"1 ms\" }} }}\n\
             traffic = {traffic}"
        );
        Scenario::parse(text.as_bytes(), "s", &[]).map(|_| ()).expect_err("it is refused").join("\n")
    };
    for (framing, traffic, expected) in [
        (
            "ethernet",
            "{ kind = 'probe', size = '1473 B' }",
            "traffic: a datagram of 1473 B does not fit a packet of framing \"ethernet\"; at most 1472 B",
        ),
        (
            "packet",
            "{ kind = 'probe', size = '65508 B' }",
            "traffic.size: 65508 B is no size of a datagram; from 1 B to 65507 B",
        ),
        (
            "packet",
            "{ kind = 'constant-rate', rate = '10000 Gbit/s', size = '100 B' }",
            "traffic.rate: a datagram every 80 ps is too often",
        ),
        (
            "packet",
            "{ kind = 'voip', codec = 'G.729', packet_interval = '15 ms' }",
            "20000 us is the next larger whole number of them",
        ),
        ("packet", "{ kind = 'video', ladder = [] }", "traffic.ladder: a ladder without rungs"),
        ("packet", "{ kind = 'video', packet = '12 B' }", "no room behind the RTP header; at least 13 B"),
    ] {
        let found = problems(framing, traffic);
        assert!(found.contains(expected), "{found}");
    }
}
