//! Measurement from a time on (`measure.from`): results cover exactly the rest of the run, and the run itself is unchanged.

use longfat_engine::measure::{Cause, Histogram, RunRecord};
use longfat_engine::scenario::Scenario;
use longfat_engine::{Driver, run, run_by};
use proptest::prelude::*;

use super::random_networks::{
    any_endless_network, any_network, any_network_for_the_fast_driver, any_split_network, parse,
};
use crate::support::scenario;

/// The scenario of a random network, measured from the given percentage of its duration on, with that time in picoseconds.
fn measured_from(text: &str, percent: u64) -> (Scenario, u64) {
    let whole = parse(text).expect("it was drawn");
    let from = whole.duration.0.0 * percent / 100;
    let measured = parse(&format!("{text}measure = {{ from = \"{from} ps\" }}\n"));
    (measured.expect("it ends before the run"), from)
}

/// The scenario of a random network that ends at `end`, in picoseconds, if everything that it lists can happen by then.
fn ended_at(text: &str, end: u64) -> Option<Scenario> {
    let (first, rest) = text.split_once("duration = ").expect("all have one");
    let (_, rest) = rest.split_once('\n').expect("it is a line");
    parse(&format!("{first}duration = \"{end} ps\"\n{rest}"))
}

fn record(scenario: &Scenario) -> RunRecord {
    run(scenario).unwrap_or_else(|violation| panic!("{violation}"))
}

/// The record without the scenario and the driver's name.
fn bytes(mut record: RunRecord) -> String {
    (record.work.driver, record.work.handed_over) = ("", None);
    serde_json::to_string_pretty(&record).expect("a record is JSON")
}

fn together(one: &Histogram, other: &Histogram) -> Histogram {
    let mut both = one.clone();
    both.merge(other);
    both
}

/// Asserts that counts before and after a time add up to those of the whole run.
fn add_up(before: &RunRecord, after: &RunRecord, all: &RunRecord) {
    for ((before, after), all) in before.flows.iter().zip(&after.flows).zip(&all.flows) {
        let counts = |flow: &longfat_engine::measure::FlowRecord| {
            [
                flow.bytes_delivered,
                flow.segments_sent,
                flow.segments_retransmitted,
                flow.timeouts,
                flow.openings_sent_again,
                flow.fast_retransmits,
                flow.reductions_for_marks.unwrap_or(0),
                flow.duplicate_acknowledgments,
            ]
        };
        let sums: Vec<_> = counts(before).iter().zip(counts(after)).map(|(before, after)| before + after).collect();
        assert_eq!(sums, counts(all), "{}", all.name);
    }
    for ((before, after), all) in before.ports.iter().zip(&after.ports).zip(&all.ports) {
        let counts = |port: &longfat_engine::measure::PortRecord| {
            [port.cells_in, port.cells_out, port.cells_dropped, port.packets_dropped]
        };
        let sums: Vec<_> = counts(before).iter().zip(counts(after)).map(|(before, after)| before + after).collect();
        assert_eq!(sums, counts(all), "{}", all.name);
        assert_eq!(before.max_queue_cells.max(after.max_queue_cells), all.max_queue_cells, "{}", all.name);
        if let (Some(before), Some(after), Some(all)) = (&before.queue, &after.queue, &all.queue) {
            assert_eq!(before.packets_marked + after.packets_marked, all.packets_marked);
            assert_eq!(together(&before.delays, &after.delays), all.delays);
        }
    }
    assert_eq!(before.metrics.packets_lost + after.metrics.packets_lost, all.metrics.packets_lost);
}

/// Means over a time are those over its parts, weighted with their lengths.
fn means_add_up(before: &RunRecord, after: &RunRecord, all: &RunRecord, share_before: f64) {
    let mean = |before: f64, after: f64| before * share_before + after * (1.0 - share_before);
    for ((before, after), all) in before.ports.iter().zip(&after.ports).zip(&all.ports) {
        let queue = mean(before.mean_queue_cells, after.mean_queue_cells);
        assert!((queue - all.mean_queue_cells).abs() <= 1e-9 * (1.0 + queue), "{queue} {}", all.mean_queue_cells);
        let utilization = mean(before.utilization, after.utilization);
        assert!((utilization - all.utilization).abs() < 1e-9, "{utilization} {}", all.utilization);
    }
}

/// Idle time is charged in one part or the other, and the ledger sums to the measured time.
fn ledgers_add_up(before: &RunRecord, after: &RunRecord, all: &RunRecord, measured: u64) {
    assert_eq!(after.ledger.duration().0, measured);
    let is_idle = |cause: &&Cause| cause.name().starts_with("idle");
    for &cause in Cause::ALL.iter().filter(is_idle) {
        let sum = before.ledger.span(cause).0 + after.ledger.span(cause).0;
        assert_eq!(sum, all.ledger.span(cause).0, "{}", cause.name());
    }
    // Data in flight at the end of the first part is sent in it, and arrives in the other.
    let sent = |record: &RunRecord| record.ledger.span(Cause::Useful) + record.ledger.span(Cause::UnderWay);
    assert!(sent(after) <= sent(all));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn when_measuring_begins_changes_nothing_that_happens(network in any_network(), percent in 1_u64..100) {
        let (measured, _) = measured_from(&network.text, percent);
        let (measured, all) = (record(&measured), record(&network.scenario));
        prop_assert_eq!(measured.fingerprint, all.fingerprint);
        prop_assert_eq!(measured.work.cell_hops, all.work.cell_hops);
    }

    #[test]
    fn nor_does_it_where_proxies_split_connections(network in any_split_network(), percent in 1_u64..100) {
        let (measured, from) = measured_from(&network.text, percent);
        let (measured, all) = (record(&measured), record(&network.scenario));
        prop_assert_eq!(&measured.fingerprint, &all.fingerprint);
        prop_assert_eq!(measured.ledger.duration().0, network.scenario.duration.0.0 - from);
        prop_assert!(measured.metrics.max_proxy_bytes <= all.metrics.max_proxy_bytes);
        for (measured, all) in measured.flows.iter().zip(&all.flows) {
            prop_assert!(measured.bytes_delivered <= all.bytes_delivered);
            for (measured, all) in measured.legs.iter().zip(&all.legs) {
                prop_assert!(measured.bytes_delivered <= all.bytes_delivered);
                prop_assert!(measured.segments_sent <= all.segments_sent && measured.window_probes <= all.window_probes);
            }
        }
    }

    #[test]
    fn both_drivers_measure_the_same(network in any_network_for_the_fast_driver(), percent in 1_u64..100) {
        let (measured, _) = measured_from(&network.text, percent);
        let by = |driver| run_by(driver, &measured).unwrap_or_else(|violation| panic!("{violation}"));
        let (fast, events) = (bytes(by(Driver::Fast)), bytes(by(Driver::Events)));
        let differ = |(fast, events): &(&str, &str)| fast != events;
        prop_assert_eq!(fast.lines().zip(events.lines()).find(differ), None);
    }

    #[test]
    fn what_is_measured_and_what_was_before_are_all(network in any_endless_network(), percent in 1_u64..100) {
        let (measured, from) = measured_from(&network.text, percent);
        let Some(first_part) = ended_at(&network.text, from) else { return Err(TestCaseError::reject("a loss comes later")) };
        let (before, after, all) = (record(&first_part), record(&measured), record(&network.scenario));
        add_up(&before, &after, &all);
        #[expect(clippy::cast_precision_loss, reason = "runs of milliseconds")]
        let share_before = from as f64 / network.scenario.duration.0.0 as f64;
        means_add_up(&before, &after, &all, share_before);
        ledgers_add_up(&before, &after, &all, network.scenario.duration.0.0 - from);
    }
}

/// One connection with 10 segments per round trip of 100 ms and no queueing: slow start ends after four round trips, and then the rate is
/// 100 segments of 1000 B per second.
#[test]
fn slow_start_is_left_out() {
    let lone = |more: &str| {
        scenario(&format!(
            r#"
            schema_version = 1
            duration = "11 s"
            topology = {{ kind = "n-source", sources = 1, access = {{ rate = "1 Gbit/s", delay = "0 ms" }}, bottleneck = {{ rate = "1 Gbit/s", delay = "50 ms" }} }}
            framing = "packet"
            port = {{ buffer = "unlimited" }}
            tcp = {{ mss = "1000 B", receiver_window = "10000 B" }}
            {more}
            "#
        ))
    };
    let (all, steady) = (record(&lone("")), record(&lone("measure = { from = \"1 s\" }")));
    assert!(all.flows[0].goodput_bps < 795_000.0, "{}", all.flows[0].goodput_bps);
    let exact = 800_000.0;
    // One segment of a thousand may fall on this side of either border; a round trip exceeds 100 ms by some microseconds.
    assert!((steady.flows[0].goodput_bps - exact).abs() < 0.002 * exact, "{}", steady.flows[0].goodput_bps);
    assert_eq!(steady.ledger.duration().as_seconds(), 10.0);
    // 100 ms, plus some microseconds to send a packet over each line.
    let round_trips = &steady.flows[0].round_trips;
    let (shortest, longest) = round_trips.extremes().expect("one is measured in each");
    assert!(round_trips.count.abs_diff(100) <= 1, "one of ten segments is timed: {}", round_trips.count);
    assert!(shortest == longest && (0.1..0.10003).contains(&shortest.as_seconds()), "{shortest:?} {longest:?}");
    assert_eq!(steady.metrics.mean_round_trip_s, round_trips.mean_seconds());
    assert_eq!(steady.flows[0].started_s, Some(0.0));
}

/// Ten messages of a tenth of a second each: results cover only those that arrive within the measured second half.
#[test]
fn what_has_arrived_before_is_not_told_of() {
    let flows = |more: &str| {
        scenario(&format!(
            r#"
            schema_version = 1
            duration = "1 s"
            topology = {{ kind = "n-source", sources = 1, access = {{ rate = "1 Gbit/s", delay = "0 ms" }}, bottleneck = {{ rate = "1 Gbit/s", delay = "1 ms" }} }}
            framing = "packet"
            port = {{ buffer = "unlimited" }}
            tcp = {{ mss = "1000 B" }}
            traffic = {{ kind = "flows", size = {{ kind = "fixed", size = "1000 B" }}, arrivals = "evenly-spaced", interval = "100 ms" }}
            {more}
            "#
        ))
    };
    let (all, half) = (record(&flows("")), record(&flows("measure = { from = \"450 ms\" }")));
    let counts = |record: &RunRecord| {
        let all = record.completions.iter().find(|kind| kind.name == "flow").unwrap_or(&record.completions[0]);
        (all.asked, all.delivered)
    };
    let (whole, rest) = (counts(&all), counts(&half));
    assert_eq!(whole.0, whole.1);
    assert_eq!(rest.0, rest.1);
    assert_eq!(whole.0 - rest.0, 5, "those of 0, 100, 200, 300 and 400 ms: {whole:?} {rest:?}");
    assert!(half.metrics.offered_bps.unwrap() > 0.0);
}
