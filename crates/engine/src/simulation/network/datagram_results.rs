//! Record of the connections over UDP: counts and delays of each, of all, and of each group with a name.

use longfat_foundation::measure::{DatagramRecord, FlowRecord, Histogram};
use longfat_hosts::traffic::Completions;

use super::datagrams::DatagramCounts;

/// The record of a connection over UDP.
pub fn datagram_record(counts: &DatagramCounts) -> DatagramRecord {
    let DatagramCounts { there, back: answers, .. } = counts;
    let (jitter, extremes) = (there.jitter.seconds(), there.delay.extremes());
    DatagramRecord {
        sent: counts.sent,
        received: there.received,
        answered: answers.as_ref().map(|answers| answers.received),
        lost: counts.lost,
        loss_ratio: ratio(counts.lost, counts.lost + counts.arrived()),
        duplicates: there.duplicates,
        delay_min_s: extremes.map(|(shortest, _)| shortest.as_seconds()),
        delay_mean_s: there.delay.mean_seconds(),
        delay_p50_s: there.delays.quantile_seconds(0.5),
        delay_p95_s: there.delays.quantile_seconds(0.95),
        delay_p99_s: there.delays.quantile_seconds(0.99),
        delay_max_s: extremes.map(|(_, longest)| longest.as_seconds()),
        delays: there.delays.clone(),
        jitter_s: jitter.map(|(latest, _)| latest),
        mean_jitter_s: jitter.map(|(_, mean)| mean),
        reordered: there.reordering.reordered,
        reordered_ratio: ratio(there.reordering.reordered, there.received),
        max_reordering_extent: there.reordering.max_extent,
        round_trips: answers.as_ref().map(|answers| answers.delays.clone()),
    }
}

/// Datagrams of all connections over UDP.
#[derive(Default)]
pub struct DatagramTotals {
    pub delays: Histogram,
    pub round_trips: Histogram,
    /// Mean over connections of their mean jitter.
    pub jitter_s: Option<f64>,
    pub lost: u64,
    /// Those that have arrived, with their answers if there are any.
    pub known: u64,
    pub reordered: u64,
}

impl DatagramTotals {
    #[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
    pub fn of(flows: &[FlowRecord]) -> Self {
        let mut all = Self::default();
        let mut jitters = Vec::new();
        for record in flows.iter().filter_map(|flow| flow.datagrams.as_ref()) {
            all.delays.merge(&record.delays);
            record.round_trips.iter().for_each(|times| all.round_trips.merge(times));
            all.lost += record.lost;
            all.known += record.answered.unwrap_or(record.received);
            all.reordered += record.reordered;
            jitters.extend(record.mean_jitter_s);
        }
        all.jitter_s = (!jitters.is_empty()).then(|| jitters.iter().sum::<f64>() / jitters.len() as f64);
        all
    }
}

#[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
pub fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Adds the delays of a connection's datagrams, and the round trips of those that are answered, to those of its group `name`. A datagram
/// that was lost is asked for and not delivered.
pub fn add_delays(all: &mut Completions, name: &str, record: &DatagramRecord) {
    let mut add = |what: &str, times: &Histogram| {
        let kind = all.kind(&format!("{name} {what}"));
        kind.asked += record.sent;
        kind.times.merge(times);
    };
    add("datagram", &record.delays);
    record.round_trips.iter().for_each(|times| add("round trip", times));
}
