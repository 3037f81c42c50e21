//! Congestion signals and the short-term model (sections 5.5.10 and 5.6.4.7).

use crate::transport::{Delivery, LostSegment};

/// `BBR.Beta`.
const BETA: f64 = 0.7;
/// `BBR.LossThresh`.
const TOLERATED: f64 = 0.02;

/// Whether the loss rate of a flight exceeds the threshold (`IsInflightTooHigh`).
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
pub(super) fn is_too_much(lost: u64, in_flight: u64) -> bool {
    lost as f64 > in_flight as f64 * TOLERATED
}

/// The flight in bytes, up to a point within the lost segment, at which the loss rate passed the threshold (`InflightAtLoss`).
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
pub(super) fn in_flight_at_loss(lost: &LostSegment) -> f64 {
    let size = lost.bytes as f64;
    let (in_flight_before, lost_before) = (lost.in_flight_when_sent as f64 - size, lost.lost_since_sent as f64 - size);
    in_flight_before + (TOLERATED * in_flight_before - lost_before) / (1.0 - TOLERATED)
}

/// Bounds from recent losses (the short-term model).
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortTerm {
    /// `BBR.bw_shortterm` in bytes per second.
    pub bandwidth: f64,
    /// `BBR.inflight_shortterm` in bytes.
    pub in_flight: f64,
}

impl ShortTerm {
    /// No bounds (`ResetShortTermModel`).
    pub const UNLIMITED: Self = Self { bandwidth: f64::INFINITY, in_flight: f64::INFINITY };
}

/// The signals of a loss round, which ends with the delivery of data that was sent after its first loss.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LossRound {
    /// `BBR.loss_round_delivered`.
    begin: u64,
    /// Whether the latest delivery ends the round (`BBR.loss_round_start`).
    pub is_over: bool,
    /// `BBR.is_loss_in_round`.
    has_loss: bool,
    /// Number of contiguous lost ranges, and the end of the last one.
    pub ranges: u32,
    range_end: u64,
    /// `BBR.bw_latest` in bytes per second, `BBR.inflight_latest` in bytes.
    bandwidth: f64,
    pub in_flight: f64,
}

impl LossRound {
    /// Records a loss or mark when `total` bytes were delivered (`NoteLoss`); returns whether it is the first of the round.
    pub fn note_loss(&mut self, total: u64) -> bool {
        let is_first = !self.has_loss;
        if is_first {
            self.begin = total;
        }
        self.has_loss = true;
        is_first
    }

    /// Counts lost ranges.
    pub fn note_range(&mut self, lost: &LostSegment) {
        if lost.begin != self.range_end {
            self.ranges += 1;
        }
        self.range_end = lost.begin + lost.bytes;
    }

    /// `UpdateLatestDeliverySignals`.
    pub fn note_delivery(&mut self, delivery: &Delivery) {
        self.bandwidth = self.bandwidth.max(delivery.rate.unwrap_or(0.0));
        self.in_flight = self.in_flight.max(delivered_since_sent(delivery));
        self.is_over = delivery.total_when_sent >= self.begin;
        if self.is_over {
            self.begin = delivery.total;
        }
    }

    /// Once a round (`AdaptLowerBoundsFromCongestion`): unless bandwidth is being probed, a loss lowers the short-term bounds to what
    /// was delivered, but by no more than 30 %.
    pub fn adapt(&mut self, is_probing: bool, short_term: &mut ShortTerm, bandwidth: f64, window: f64) {
        if std::mem::take(&mut self.has_loss) && !is_probing {
            let first = |bound: f64, otherwise| if bound.is_finite() { bound } else { otherwise };
            let (rate, in_flight) = (first(short_term.bandwidth, bandwidth), first(short_term.in_flight, window));
            short_term.bandwidth = self.bandwidth.max(BETA * rate);
            short_term.in_flight = self.in_flight.max(BETA * in_flight);
        }
    }

    /// `AdvanceLatestDeliverySignals`.
    pub fn advance(&mut self, delivery: &Delivery) {
        if self.is_over {
            self.bandwidth = delivery.rate.unwrap_or(0.0);
            self.in_flight = delivered_since_sent(delivery);
            self.ranges = 0;
        }
    }

    /// `ResetCongestionSignals`.
    pub fn reset(&mut self) {
        (self.has_loss, self.bandwidth, self.in_flight) = (false, 0.0, 0.0);
    }
}

/// A volume at which the loss rate was too high, reduced by `BBR.Beta`.
pub(super) fn cut(volume: f64) -> f64 {
    BETA * volume
}

/// `RS.delivered`.
#[expect(clippy::cast_precision_loss, reason = "windows are far below 2^53 bytes")]
fn delivered_since_sent(delivery: &Delivery) -> f64 {
    delivery.total.saturating_sub(delivery.total_when_sent) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 5.5.10.2: 10 segments of 1000 bytes lost, 500 in flight with this one. Lost before: 9; 2 % of 499 are 9.98; (9.98 - 9) / 0.98
    /// is 1: the whole segment still fits. With 12 lost in all, 11 before, the limit was passed 1.04 segments before it.
    #[test]
    fn the_loss_rate_passes_its_limit_within_or_before_a_lost_segment() {
        let lost = |segments: u64| LostSegment {
            begin: 0,
            bytes: 1000,
            in_flight_when_sent: 500_000,
            lost_since_sent: 1000 * segments,
            is_application_limited: false,
            total: 0,
        };
        assert!((in_flight_at_loss(&lost(10)) - 500_000.0).abs() < 1e-6);
        assert!((in_flight_at_loss(&lost(12)) - (499_000.0 - 1020.0 / 0.98)).abs() < 1e-6);
        assert!(!is_too_much(10_000, 500_000) && is_too_much(10_001, 500_000), "more than 2 %");
    }

    /// Section 5.5.10.3: from what was measured at first, and from then on from what the bounds were.
    #[test]
    fn losses_lower_the_bounds_of_the_short_term_by_no_more_than_three_tenths_of_what_they_were() {
        let mut short_term = ShortTerm::UNLIMITED;
        for (bandwidth, left) in [(1000.0, 700.0), (600.0, 490.0)] {
            LossRound { has_loss: true, ..LossRound::default() }.adapt(false, &mut short_term, bandwidth, 100.0);
            assert!((short_term.bandwidth - left).abs() < 1e-9, "{}", short_term.bandwidth);
        }
        assert!((short_term.in_flight - 49.0).abs() < 1e-9);
    }

    #[test]
    fn neighbours_that_are_lost_are_one_range() {
        let mut round = LossRound::default();
        for begin in [1000, 2000, 5000, 6000, 9000] {
            round.note_range(&LostSegment {
                begin,
                bytes: 1000,
                in_flight_when_sent: 0,
                lost_since_sent: 0,
                is_application_limited: false,
                total: 0,
            });
        }
        assert_eq!(round.ranges, 3);
    }

    fn delivery(rate: f64, total_when_sent: u64, total: u64) -> Delivery {
        Delivery { rate: Some(rate), total_when_sent, total, ..super::super::test_support::delivery() }
    }

    #[test]
    fn the_first_loss_begins_a_round_that_ends_when_something_sent_after_it_is_delivered() {
        let mut round = LossRound::default();
        assert!(round.note_loss(500) && !round.note_loss(600));
        round.note_delivery(&delivery(1.0, 499, 600));
        assert!(!round.is_over);
        round.note_delivery(&delivery(1.0, 500, 700));
        assert!(round.is_over);
        round.note_delivery(&delivery(1.0, 699, 800));
        assert!(!round.is_over, "the next round began at 700");
    }

    /// 10 of a round were delivered at once, in another 30; 70 % of a rate of 100 is 70, and of 1000 in flight 700.
    #[test]
    fn a_loss_lowers_the_bounds_to_what_was_delivered_in_the_round_or_by_thirty_percent() {
        for (rate, in_flight, bounds) in [(50.0, 600, (70.0, 700.0)), (80.0, 800, (80.0, 800.0))] {
            let mut round = LossRound::default();
            let mut short_term = ShortTerm::UNLIMITED;
            round.note_delivery(&delivery(rate, 0, in_flight));
            round.note_delivery(&delivery(rate / 2.0, 1, in_flight / 2));
            round.note_loss(0);
            round.adapt(false, &mut short_term, 100.0, 1000.0);
            assert_eq!((short_term.bandwidth, short_term.in_flight), bounds);
            round.adapt(false, &mut short_term, 1.0, 1.0);
            assert_eq!((short_term.bandwidth, short_term.in_flight), bounds, "once");
        }
        let mut round = LossRound::default();
        let mut lower = ShortTerm { bandwidth: 60.0, in_flight: 500.0 };
        round.note_loss(0);
        round.adapt(true, &mut lower, 100.0, 1000.0);
        assert_eq!(lower.in_flight, 500.0, "while bandwidth is probed losses are expected");
        round.note_loss(0);
        round.adapt(false, &mut lower, 100.0, 1000.0);
        assert_eq!((lower.bandwidth, lower.in_flight), (42.0, 350.0));
    }

    #[test]
    fn a_new_round_begins_with_its_own_signals_and_a_reset_with_none() {
        let mut round = LossRound { ranges: 3, ..LossRound::default() };
        round.note_delivery(&delivery(100.0, 0, 900));
        round.advance(&delivery(50.0, 400, 900));
        assert_eq!((round.bandwidth, round.in_flight, round.ranges), (50.0, 500.0, 0));
        (round.is_over, round.ranges) = (false, 3);
        round.advance(&delivery(70.0, 400, 900));
        assert_eq!((round.bandwidth, round.in_flight, round.ranges), (50.0, 500.0, 3), "the round is not over");
        round.note_loss(900);
        round.reset();
        assert_eq!((round.has_loss, round.bandwidth, round.in_flight), (false, 0.0, 0.0));
    }

    #[test]
    fn seventy_percent_are_left() {
        assert!((cut(1000.0) - 700.0).abs() < 1e-9);
    }
}
