//! Lateness of packets: how long after they were due they have reached the interface of their receiver.

use longfat_engine::measure::Histogram;
use longfat_engine::units::Span;
use serde_json::{Value as Json, json};

/// Share of packets that may be later than the bound in a run that counts as on time.
const SHARE_ALLOWED: f64 = 0.01;

/// Lateness of all packets of a run.
pub struct Lateness {
    bound: Span,
    times: Histogram,
    longest: Span,
    /// The longest since it was asked for.
    latest: Option<Span>,
    beyond: u64,
}

impl Lateness {
    /// No packets yet; they should be at most `bound` late.
    #[must_use]
    pub fn new(bound: Span) -> Self {
        Self { bound, times: Histogram::default(), longest: Span::ZERO, latest: None, beyond: 0 }
    }

    /// A packet has reached the interface so late.
    pub fn note(&mut self, late: Span) {
        self.times.record(late);
        self.longest = self.longest.max(late);
        self.latest = self.latest.max(Some(late));
        self.beyond += u64::from(late > self.bound);
    }

    /// The longest lateness in seconds since this was asked for before.
    pub fn take_latest(&mut self) -> Option<f64> {
        self.latest.take().map(Span::as_seconds)
    }

    /// The lateness in seconds that 99 of 100 packets did not exceed.
    #[must_use]
    pub fn p99_seconds(&self) -> Option<f64> {
        self.times.quantile_seconds(1.0 - SHARE_ALLOWED)
    }

    /// True if at most one of 100 packets was later than the bound.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of packets")]
    pub fn is_on_time(&self) -> bool {
        self.beyond as f64 <= SHARE_ALLOWED * self.times.count() as f64
    }

    /// The lateness as the record has it.
    #[must_use]
    pub fn to_json(&self) -> Json {
        json!({
            "packets": self.times.count(),
            "p50_s": self.times.quantile_seconds(0.5),
            "p99_s": self.p99_seconds(),
            "max_s": (self.times.count() > 0).then(|| self.longest.as_seconds()),
            "bound_s": self.bound.as_seconds(),
            "packets_beyond_bound": self.beyond,
            "is_on_time": self.is_on_time(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICROSECOND: u64 = 1_000_000;

    #[test]
    fn a_run_is_on_time_if_one_packet_of_a_hundred_is_late_and_not_if_two_are() {
        let of = |late: u64| {
            let mut lateness = Lateness::new(Span(50 * MICROSECOND));
            (0..100 - late).for_each(|number| lateness.note(Span((number % 50 + 1) * MICROSECOND)));
            (0..late).for_each(|_| lateness.note(Span(900 * MICROSECOND)));
            lateness
        };
        assert!(of(0).is_on_time() && of(1).is_on_time() && !of(2).is_on_time());
        let record = of(2).to_json();
        assert_eq!((&record["packets"], &record["packets_beyond_bound"]), (&json!(100), &json!(2)));
        assert_eq!(record["max_s"], json!(0.0009));
        assert_eq!(of(1).p99_seconds(), Some(0.00005));
        let mut lateness = of(1);
        assert_eq!((lateness.take_latest(), lateness.take_latest()), (Some(0.0009), None));
    }

    #[test]
    fn a_run_without_packets_has_no_lateness() {
        let record = Lateness::new(Span(MICROSECOND)).to_json();
        assert_eq!((&record["p99_s"], &record["max_s"]), (&Json::Null, &Json::Null));
    }
}
