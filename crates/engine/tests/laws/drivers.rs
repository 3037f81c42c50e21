//! The fast driver gives the record of the events driver, to the byte.

use longfat_engine::framing::{Cell, Content};
use longfat_engine::measure::RunRecord;
use longfat_engine::observer::{Interests, Observer, Unobserved};
use longfat_engine::scenario::Scenario;
use longfat_engine::switch::PortState;
use longfat_engine::switch::drop_policy::Verdict;
use longfat_engine::transport::{Segment, Sender, Window};
use longfat_engine::units::{Span, Time};
use longfat_engine::{Driver, Simulation, run_by};
use proptest::prelude::*;

use super::random_networks::{RandomNetwork, any_network, any_network_for_the_fast_driver, parse};

/// Runs a scenario in two slices: the state must be complete wherever a driver pauses.
fn record(driver: Driver, scenario: &Scenario) -> RunRecord {
    let mut simulation = Simulation::driven_by(driver, scenario, Unobserved);
    simulation.advance(Time(simulation.end().0 / 3));
    simulation.audit().unwrap_or_else(|violation| panic!("{violation}"));
    simulation.advance(Time::NEVER);
    simulation.finish().unwrap_or_else(|violation| panic!("{violation}"))
}

/// Runs a scenario in portions of `events` events, with a slice of time between; counts of events never fall on the way, nor exceed those at
/// the end.
fn record_in_portions(driver: Driver, scenario: &Scenario, events: u64) -> RunRecord {
    let mut simulation = Simulation::driven_by(driver, scenario, Unobserved);
    let (third, end) = (Time(simulation.end().0 / 3), simulation.end());
    let mut counted = 0;
    for until in [third, end] {
        while !simulation.advance_at_most(until, events) {
            let now = simulation.events();
            assert!(now >= counted || simulation.driver() != driver, "{now} after {counted}");
            counted = now;
        }
    }
    let record = simulation.finish().unwrap_or_else(|violation| panic!("{violation}"));
    assert!(counted <= record.work.events, "{counted} of {}", record.work.events);
    record
}

/// The record without the driver's name.
fn bytes(mut record: RunRecord) -> String {
    record.work.driver = "";
    record.work.handed_over = None;
    serde_json::to_string_pretty(&record).expect("a record is JSON")
}

/// Events that an observer sees at the ends and at the port, each in order; an unchanged queue may or may not be reported.
#[derive(Default, Debug, PartialEq)]
struct Heard {
    ends: Vec<String>,
    queue: Vec<(Time, u64)>,
    drops: Vec<(Time, usize, Content)>,
}

impl Heard {
    fn queue(&mut self, now: Time, cells: u64) {
        if self.queue.last().map_or(0, |(_, before)| *before) != cells {
            self.queue.push((now, cells));
        }
    }
}

impl Observer for Heard {
    fn interests(&self) -> Interests {
        Interests { one_order: false, shares: false, ..Interests::ALL }
    }
    fn again(&mut self) -> Option<Self> {
        Some(Self::default())
    }
    fn segment_sent(&mut self, now: Time, flow: usize, segment: Segment, _: &Window) {
        self.ends.push(format!("{now:?} {flow} sends {segment:?}"));
    }
    fn segment_received(&mut self, now: Time, flow: usize, sequence: u64, length: u64, next: u64) {
        self.ends.push(format!("{now:?} {flow} receives {sequence} {length} {next}"));
    }
    fn datagram_sent(&mut self, now: Time, connection: usize, sequence: u64, length: u64) {
        self.ends.push(format!("{now:?} {connection} sends datagram {sequence} {length}"));
    }
    fn datagram_received(&mut self, now: Time, connection: usize, sequence: u64, _: u64, delay: Span) {
        self.ends.push(format!("{now:?} {connection} receives datagram {sequence} after {delay:?}"));
    }
    fn answer_received(&mut self, now: Time, connection: usize, sequence: u64, _: u64, round_trip: Option<Span>) {
        self.ends.push(format!("{now:?} {connection} receives answer {sequence} after {round_trip:?}"));
    }
    fn timed_out(&mut self, now: Time, flow: usize, _: &Window) {
        self.ends.push(format!("{now:?} {flow} times out"));
    }
    fn sender_acted(&mut self, now: Time, flow: usize, sender: &Sender) {
        self.ends.push(format!("{now:?} {flow} has {:?}", sender.window().cwnd));
    }
    fn queue_changed(&mut self, now: Time, _: usize, port: &PortState) {
        self.queue(now, port.occupancy().total());
    }
    fn queue_moved(&mut self, now: Time, _: usize, cells: u64) {
        self.queue(now, cells);
    }
    fn packet_dropped(&mut self, now: Time, _: usize, flow: usize, _: Cell, content: &Content, _: Verdict) {
        self.drops.push((now, flow, *content));
    }
}

fn heard(driver: Driver, scenario: &Scenario) -> (Heard, Driver) {
    let mut simulation = Simulation::driven_by(driver, scenario, Heard::default());
    simulation.advance(Time::NEVER);
    let driver = simulation.driver();
    (simulation.into_observer(), driver)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn both_drivers_give_the_same_record(network in any_network_for_the_fast_driver()) {
        let fast = record(Driver::Fast, &network.scenario);
        let events = record(Driver::Events, &network.scenario);
        prop_assert_eq!(events.work.driver, "events");
        prop_assert!(
            fast.work.driver == "fast" || fast.work.handed_over.as_ref().is_some_and(|why| {
                why.starts_with("only events") || why == "connections wait for others"
            }),
            "{:?}", fast.work
        );
        prop_assert_eq!(bytes(fast), bytes(events));
    }

    #[test]
    fn pauses_of_either_driver_change_nothing(network in any_network_for_the_fast_driver(), events in 1_u64..50) {
        for driver in [Driver::Fast, Driver::Events] {
            let in_portions = record_in_portions(driver, &network.scenario, events);
            prop_assert_eq!(bytes(in_portions), bytes(record(driver, &network.scenario)));
        }
    }

    #[test]
    fn both_drivers_tell_the_same(network in any_network_for_the_fast_driver()) {
        let (fast, _) = heard(Driver::Fast, &network.scenario);
        let (events, driver) = heard(Driver::Events, &network.scenario);
        prop_assert_eq!(driver, Driver::Events);
        prop_assert_eq!(fast, events);
    }

    #[test]
    fn what_the_fast_driver_does_not_know_is_simulated_by_events(network in any_network()) {
        let fast = record(Driver::Fast, &network.scenario);
        prop_assert_eq!(fast.work.driver == "fast", fast.work.handed_over.is_none());
        let events = run_by(Driver::Events, &network.scenario).unwrap_or_else(|violation| panic!("{violation}"));
        prop_assert_eq!(bytes(fast), bytes(events));
    }
}

/// All start at the same time with the same windows, so packets arrive together for a long time, on lines with commensurable rates.
#[test]
fn connections_in_step_are_not_handed_over() {
    for (sources, framing, access, window) in [
        (2, "packet", 155_520_000, 1),
        (5, "ethernet", 155_520_000, 4),
        (15, "packet", 622_080_000, 2),
        (5, "aal5", 155_520_000, 1),
    ] {
        let unit = if framing == "aal5" { "cells" } else { "packets" };
        let text = format!(
            "schema_version = 1\nduration = \"1 s\"\nframing = \"{framing}\"\n\
             topology = {{ kind = \"n-source\", sources = {sources}, access = {{ rate = \"{access} bit/s\", delay = \"5 ms\" }}, \
             bottleneck = {{ rate = \"155520000 bit/s\", delay = \"5 ms\" }} }}\n\
             port.buffer = \"1000 {unit}\"\ntcp = {{ mss = \"512 B\", initial_window = \"{window} MSS\" }}\n"
        );
        neither_hands_over_nor_differs(text);
    }
}

/// Flows start at random times, and for a long time their packets are a transmission time apart in both directions: data arrives at a
/// receiver at the same picosecond as an acknowledgment at a sender, both behind others of which that was so.
#[test]
fn short_flows_are_not_handed_over() {
    for seed in [2, 4] {
        neither_hands_over_nor_differs(format!(
            "schema_version = 1\nduration = \"2 s\"\nseed = {seed}\nframing = \"packet\"\n\
             topology = {{ kind = \"n-source\", sources = 15, access = {{ rate = \"155.52 Mbit/s\", delay = \"5 ms\" }}, \
             bottleneck = {{ rate = \"155.52 Mbit/s\", delay = \"5 ms\" }} }}\nport.buffer = \"500 packets\"\n\
             tcp = {{ mss = \"1460 B\", flavor = \"newreno\", receiver_window = \"600000 B\" }}\n\
             traffic = {{ kind = \"flows\", interval = \"43.5 ms\", count = 229, \
             size = {{ kind = \"bounded-pareto\", smallest = \"8 kB\", largest = \"4 MB\", shape = 1.15 }} }}\n"
        ));
    }
}

/// A connection sends at the pace at which the bottleneck forwarded its packets: its timer expires at the very picosecond at which an
/// acknowledgment arrives, and both times were known since the previous acknowledgment.
#[test]
fn paced_connections_are_not_handed_over() {
    for seed in [1, 5] {
        neither_hands_over_nor_differs(format!(
            "schema_version = 1\nduration = \"2 s\"\nseed = {seed}\nframing = \"packet\"\n\
             topology = {{ kind = \"n-source\", sources = 4, access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}, \
             bottleneck = {{ rate = \"100 Mbit/s\", delay = \"16 ms\" }} }}\nport.buffer = \"500 packets\"\n\
             tcp = {{ preset = \"linux-like\", flavor = \"bbr\" }}\n\
             traffic = {{ kind = \"infinite\", start = \"uniform(0 s, 1 s)\" }}\n"
        ));
    }
}

fn neither_hands_over_nor_differs(text: String) {
    let network = RandomNetwork { scenario: parse(&text).expect("it is a scenario"), text };
    let fast = record(Driver::Fast, &network.scenario);
    assert_eq!(fast.work.handed_over, None, "{network:?}");
    assert_eq!(bytes(fast), bytes(record(Driver::Events, &network.scenario)), "{network:?}");
}

/// More than two thousand senders, whose first packets arrive simultaneously and whose timers expire at the same ticks.
#[test]
fn thousands_of_packets_that_come_at_one_instant_are_put_in_order_without_events() {
    let scenario = parse(
        r#"
        schema_version = 1
        duration = "4 s"
        framing = "packet"
        topology = { kind = "n-source", sources = 5000, access = { rate = "10 Gbit/s", delay = "5 ms" }, bottleneck = { rate = "1 Gbit/s", delay = "5 ms" } }
        port = { buffer = "1000 packets" }
        tcp = { mss = "1460 B", flavor = "newreno" }
        "#,
    )
    .expect("a good scenario");
    let [fast, events] = [Driver::Fast, Driver::Events].map(|driver| record(driver, &scenario));
    assert_eq!(fast.work.handed_over, None);
    assert!(fast.metrics.timeouts > 5000, "{} timeouts", fast.metrics.timeouts);
    assert_eq!(bytes(fast), bytes(events));
}

/// With many active hosts, the driver examines only those with a cell in the slot; it must not miss any.
#[test]
fn cells_of_a_hundred_hosts_come_in_the_same_slots_by_both_drivers() {
    for (access, order) in [("155.52 Mbit/s", "rotating"), ("622.08 Mbit/s", "fixed")] {
        let scenario = parse(&format!(
            r#"
            schema_version = 1
            duration = "1 s"
            topology = {{ kind = "n-source", sources = 100, access = {{ rate = "{access}", delay = "5 ms" }}, bottleneck = {{ rate = "155.52 Mbit/s", delay = "5 ms" }} }}
            port = {{ buffer = "3000 cells", arrival_order = "{order}" }}
            traffic = {{ kind = "infinite", start = "uniform(0 s, 100 ms)" }}
            "#
        ))
        .expect("a good scenario");
        let [fast, events] = [Driver::Fast, Driver::Events].map(|driver| record(driver, &scenario));
        assert_eq!(fast.work.handed_over, None, "{access}");
        assert_eq!(bytes(fast), bytes(events), "{access}");
    }
}
