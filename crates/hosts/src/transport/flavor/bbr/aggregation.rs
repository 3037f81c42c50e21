//! Acknowledgments that come late and together (`bbr_update_ack_aggregation` of Linux): how much is delivered beyond the bandwidth.

use longfat_foundation::units::Time;

use crate::transport::law::microseconds;

/// Rounds after which one of the two maxima is forgotten (`bbr_extra_acked_win_rtts`).
const ROUNDS: u64 = 5;
/// Segments in an epoch after which the next begins (`bbr_ack_epoch_acked_reset_thresh`).
const LONGEST_EPOCH: u64 = 1 << 20;
/// The allowance is at most what the bandwidth delivers in this time (`bbr_extra_acked_max_us`).
const MOST_US: u64 = 100_000;

/// The most that was delivered beyond the bandwidth in the last five to ten rounds. Bandwidths are in segments per 2^24 microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    /// When the present epoch began, and the segments delivered since.
    began: Time,
    delivered: u64,
    /// The maxima of two windows of rounds, the present one, and its age in rounds.
    most: [u64; 2],
    present: usize,
    rounds: u64,
}

impl Aggregation {
    /// Begins an epoch.
    pub fn begin(&mut self, now: Time) {
        (self.began, self.delivered) = (now, 0);
    }

    /// Records a delivery of `segments` segments, with a window of so many.
    pub fn note(&mut self, now: Time, segments: u64, starts_round: bool, bandwidth: u64, window: u64) {
        if starts_round {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                (self.rounds, self.present) = (0, 1 - self.present);
                self.most[self.present] = 0;
            }
        }
        let elapsed = microseconds(now - Time::ZERO) - microseconds(self.began - Time::ZERO);
        let mut expected = delivered_in(elapsed, bandwidth);
        if self.delivered <= expected || self.delivered + segments >= LONGEST_EPOCH {
            self.begin(now);
            expected = 0;
        }
        self.delivered += segments;
        let extra = (self.delivered - expected).min(window);
        self.most[self.present] = self.most[self.present].max(extra);
    }

    /// Segments by which the window is larger.
    pub fn allowance(&self, bandwidth: u64) -> u64 {
        self.most[0].max(self.most[1]).min(delivered_in(MOST_US, bandwidth))
    }
}

/// Segments that a bandwidth delivers in so many microseconds, rounded down.
fn delivered_in(microseconds: u64, bandwidth: u64) -> u64 {
    u64::try_from((u128::from(bandwidth) * u128::from(microseconds)) >> 24).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use longfat_foundation::units::Span;

    use super::*;

    /// A segment per millisecond.
    const BANDWIDTH: u64 = (1 << 24) / 1000 + 1;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(1000 * milliseconds)
    }

    /// Eight segments at 10 ms, six at 12 and none until 20: when 14 have come in 2 ms, two were expected.
    #[test]
    fn a_burst_of_acknowledgments_counts_beyond_what_its_time_delivers() {
        let mut aggregation = Aggregation::default();
        aggregation.begin(ms(10));
        aggregation.note(ms(10), 8, false, BANDWIDTH, 100);
        assert_eq!(aggregation.allowance(BANDWIDTH), 8);
        aggregation.note(ms(12), 6, false, BANDWIDTH, 100);
        assert_eq!(aggregation.allowance(BANDWIDTH), 12);
        // At 30 ms 20 were expected and 14 have come: an epoch begins, with this acknowledgment.
        aggregation.note(ms(30), 3, false, BANDWIDTH, 100);
        aggregation.note(ms(31), 12, false, BANDWIDTH, 100);
        assert_eq!(aggregation.allowance(BANDWIDTH), 14, "3 + 12 - 1");
    }

    #[test]
    fn it_is_no_more_than_the_window_and_100_ms_of_the_bandwidth() {
        let mut aggregation = Aggregation::default();
        aggregation.note(ms(0), 500, false, BANDWIDTH, 200);
        assert_eq!(aggregation.allowance(100 * BANDWIDTH), 200);
        assert_eq!(aggregation.allowance(BANDWIDTH), 100);
    }

    #[test]
    fn it_is_forgotten_between_five_and_ten_rounds_later() {
        let mut aggregation = Aggregation::default();
        aggregation.note(ms(0), 20, false, BANDWIDTH, 100);
        let mut left = Vec::new();
        for round in 1..=10 {
            aggregation.note(ms(1000 * round), 1, true, BANDWIDTH, 100);
            left.push(aggregation.allowance(BANDWIDTH));
        }
        assert_eq!(left, [20, 20, 20, 20, 20, 20, 20, 20, 20, 1]);
    }
}
