//! Estimation of the round trip (RFC 9002 section 5) and the probe timeout (section 6.2.1).

use longfat_foundation::units::{Span, Time};

/// The resolution of timers (`kGranularity`, RFC 9002 section 6.1.2).
pub const GRANULARITY: Span = Span::from_microseconds(1000);

/// Estimates of one path.
#[derive(Clone, Copy, Debug)]
pub struct RoundTrip {
    /// `latest_rtt`.
    pub latest: Span,
    /// `smoothed_rtt`.
    pub smoothed: Span,
    /// `rttvar`.
    pub variation: Span,
    /// `min_rtt`.
    pub least: Span,
    /// When the first sample was taken.
    pub first_sample: Option<Time>,
}

impl RoundTrip {
    /// Before a sample (`kInitialRtt`).
    #[must_use]
    pub fn assumed(initial: Span) -> Self {
        Self {
            latest: Span::ZERO,
            smoothed: initial,
            variation: Span(initial.0 / 2),
            least: Span::ZERO,
            first_sample: None,
        }
    }

    /// Takes a sample (RFC 9002 section 5.3). The peer has delayed the acknowledgment by `delay`, as far as that counts.
    pub fn note(&mut self, now: Time, sample: Span, delay: Span) {
        self.latest = sample;
        if self.first_sample.is_none() {
            self.first_sample = Some(now);
            (self.least, self.smoothed, self.variation) = (sample, sample, Span(sample.0 / 2));
            return;
        }
        self.least = self.least.min(sample);
        let adjusted = if sample >= self.least + delay { sample.0 - delay.0 } else { sample.0 };
        let difference = self.smoothed.0.abs_diff(adjusted);
        self.variation = Span(weighted(self.variation.0, 3, difference, 4));
        self.smoothed = Span(weighted(self.smoothed.0, 7, adjusted, 8));
    }

    /// Probe timeout without the peer's delay.
    #[must_use]
    pub fn probe_timeout(&self) -> Span {
        self.smoothed + Span(4 * self.variation.0).max(GRANULARITY)
    }

    /// Time after which a packet is lost if a later one was acknowledged, `threshold` round trips (RFC 9002 section 6.1.2).
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "round trips have no more than 53 bits")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and far below 2^64")]
    pub fn loss_delay(&self, threshold: f64) -> Span {
        Span((threshold * self.smoothed.max(self.latest).0 as f64) as u64).max(GRANULARITY)
    }
}

/// `weight` parts of `before`, and the rest of the `parts` of `now`.
fn weighted(before: u64, weight: u64, now: u64, parts: u64) -> u64 {
    (weight * before + (parts - weight) * now) / parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Span {
        Span::from_microseconds(1000 * milliseconds)
    }

    /// 333 ms are assumed, so the first probe goes after 333 + 4 * 166.5 ms = 999 ms.
    #[test]
    fn the_first_probe_timeout_is_three_initial_round_trips() {
        assert_eq!(RoundTrip::assumed(ms(333)).probe_timeout(), ms(999));
    }

    /// 100 ms, then 180 ms of which the peer says that it waited 20: 160 counts. The variation is 3/4 * 50 + 1/4 * 60 = 52.5 ms, the mean 7/8 *
    /// 100 + 1/8 * 160 = 107.5 ms, the timeout 107.5 + 210 ms. Then 100 ms with a delay of 20 ms, less than the least round trip: all of it counts.
    #[test]
    fn samples_are_smoothed_by_hand() {
        let mut estimates = RoundTrip::assumed(ms(333));
        estimates.note(Time(5), ms(100), ms(20));
        assert_eq!((estimates.smoothed, estimates.variation, estimates.least), (ms(100), ms(50), ms(100)));
        assert_eq!(estimates.first_sample, Some(Time(5)));
        estimates.note(Time(6), ms(180), ms(20));
        let microseconds = Span::from_microseconds;
        assert_eq!((estimates.smoothed, estimates.variation), (microseconds(107_500), microseconds(52_500)));
        assert_eq!(estimates.probe_timeout(), microseconds(317_500));
        assert_eq!(estimates.loss_delay(1.125), microseconds(202_500), "9/8 of the latest, which is the longer");
        estimates.note(Time(7), ms(100), ms(20));
        // 7/8 * 107.5 + 1/8 * 100, and 3/4 * 52.5 + 1/4 * 7.5.
        assert_eq!((estimates.smoothed, estimates.variation), (Span(106_562_500_000), microseconds(41_250)));
    }

    #[test]
    fn no_timer_is_finer_than_a_millisecond() {
        let mut estimates = RoundTrip::assumed(ms(333));
        (0..100).for_each(|_| estimates.note(Time(5), Span::from_microseconds(100), Span::ZERO));
        assert_eq!(estimates.loss_delay(1.125), ms(1));
        assert_eq!(estimates.probe_timeout(), Span::from_microseconds(1100));
    }
}
