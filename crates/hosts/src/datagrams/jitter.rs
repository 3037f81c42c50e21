//! Interarrival jitter.

use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span};

/// Fraction of a new difference that enters the estimate, as a shift: 1/16.
const GAIN_SHIFT: u32 = 4;

/// The interarrival jitter of RFC 3550 section 6.4.1: a running mean of the differences |D| between the delays of successive arrivals,
/// `J += (|D| - J) / 16`, in the integer arithmetic of its appendix A.8, with picoseconds as the unit of timestamps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jitter {
    /// Delay of the latest arrival.
    latest: Option<Span>,
    /// 16 times the estimate.
    scaled_ps: u64,
    /// Sum of the estimates after each arrival but the first, in whole nanoseconds, and their number.
    sum_ns: u64,
    estimates: u64,
}

impl Jitter {
    /// A datagram arrives `delay` after it was sent.
    pub fn receive(&mut self, delay: Span) {
        if let Some(before) = self.latest.replace(delay) {
            self.scaled_ps = self.scaled_ps + delay.0.abs_diff(before.0) - ((self.scaled_ps + 8) >> GAIN_SHIFT);
            self.sum_ns += self.estimate().0 / 1000;
            self.estimates += 1;
        }
    }

    /// The estimate after the latest arrival.
    #[must_use]
    pub fn estimate(&self) -> Span {
        Span(self.scaled_ps >> GAIN_SHIFT)
    }

    /// The estimate after the latest arrival, and the mean of the estimates after each, in seconds; `None` before the second arrival.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
    pub fn seconds(&self) -> Option<(f64, f64)> {
        let mean_ns = || self.sum_ns as f64 / self.estimates as f64;
        let latest = || self.estimate().0 as f64 / PICOSECONDS_PER_SECOND as f64;
        (self.estimates > 0).then(|| (latest(), mean_ns() / 1e9))
    }

    /// Restarts the mean; the estimator goes on.
    pub fn count_anew(&mut self) {
        (self.sum_ns, self.estimates) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(delays_ps: &[u64]) -> Jitter {
        let mut jitter = Jitter::default();
        delays_ps.iter().for_each(|delay| jitter.receive(Span(*delay)));
        jitter
    }

    /// By hand: differences of 16,000 and 8,000 ps. 16 J = 16,000, then 16,000 + 8,000 - (16,000 + 8) / 16 = 23,000, so J = 1000 and 1437.
    #[test]
    fn the_estimate_by_hand() {
        assert_eq!(after(&[100_000, 116_000]).estimate(), Span(1000));
        assert_eq!(after(&[100_000, 116_000, 108_000]).estimate(), Span(23_000 / 16));
    }

    #[test]
    fn one_arrival_has_no_jitter_and_equal_delays_have_none() {
        assert_eq!(after(&[5]).seconds(), None);
        assert_eq!(after(&[7, 7, 7]).seconds(), Some((0.0, 0.0)));
    }

    /// A delay that alternates by d has |D| = d at every arrival: the estimate tends to d.
    #[test]
    fn the_estimate_tends_to_the_mean_difference() {
        let delays: Vec<_> = (0..400).map(|number| 1_000_000 + 50_000 * (number % 2)).collect();
        assert!(after(&delays).estimate().0.abs_diff(50_000) <= 1);
    }
}
