//! The frame-based generic cell rate algorithm.

use longfat_foundation::units::{CELL_BITS, PICOSECONDS_PER_SECOND, Rate, Span, Time};

/// F-GCRA(T, tau) with T = 1 / MCR and tau = BT / 2 + CDVT: a continuous-state leaky bucket that only the first cell of a frame asks
/// (ITU-T I.371.1 section 6.3.2; the bucket is that of I.371 section A.2).
///
/// The bucket drains all the time. The first cell of a frame conforms if it finds no more than tau in it; all other cells are as the
/// first of their frame. Each conforming cell pours T into it, and the others nothing. (P-01)
///
/// Content is counted in picobits: what the guaranteed rate carries in a picosecond is then a whole number, and nothing is ever
/// rounded.
#[derive(Clone, Debug)]
pub struct FrameConformance {
    /// MCR in bits per second, which is picobits per picosecond.
    rate: u128,
    limit: u128,
    content: u128,
    /// When `content` was what it is.
    since: Time,
    frame_conforms: bool,
}

const CELL_PICOBITS: u128 = CELL_BITS as u128 * PICOSECONDS_PER_SECOND as u128;

impl FrameConformance {
    /// An empty bucket for a minimum cell rate, bursts of `burst` cells at the peak cell rate, and a cell delay variation tolerance.
    ///
    /// BT = (MBS - 1) (1 / MCR - 1 / PCR) (ATM Forum Traffic Management 4.1, the relation of MBS and burst tolerance). Rounded down.
    #[must_use]
    pub fn new(minimum: Rate, peak: Rate, burst: u64, tolerance: Span) -> Self {
        let (minimum, peak) = (u128::from(minimum.0), u128::from(peak.0.max(minimum.0)));
        let burst_tolerance = u128::from(burst.saturating_sub(1)) * (CELL_PICOBITS / peak) * (peak - minimum)
            + u128::from(burst.saturating_sub(1)) * (CELL_PICOBITS % peak) * (peak - minimum) / peak;
        let limit = burst_tolerance / 2 + u128::from(tolerance.0) * minimum;
        Self { rate: minimum, limit, content: 0, since: Time::ZERO, frame_conforms: false }
    }

    /// A cell arrives; returns whether its frame conforms.
    pub fn arrive(&mut self, now: Time, is_first: bool) -> bool {
        let drained = u128::from((now - self.since).0) * self.rate;
        let content = self.content.saturating_sub(drained);
        if is_first {
            self.frame_conforms = content <= self.limit;
        }
        if self.frame_conforms {
            (self.content, self.since) = (content + CELL_PICOBITS, now);
        }
        self.frame_conforms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 10 us for a cell at the minimum rate, 2 us at the peak.
    const MINIMUM: Rate = Rate(42_400_000);
    const PEAK: Rate = Rate(212_000_000);

    fn at(microseconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(microseconds)
    }

    #[test]
    fn frames_of_three_cells_conform_as_worked_by_hand() {
        // MBS = 6: BT = 5 (10 - 2) us = 40 us, so that the first cell may find 20 us in the bucket.
        let mut bucket = FrameConformance::new(MINIMUM, PEAK, 6, Span::ZERO);
        let mut frame =
            |from: u64| -> Vec<bool> { (0..3).map(|cell| bucket.arrive(at(from + 2 * cell), cell == 0)).collect() };
        // Its cells find 0, 8 and 16 us; the last leaves 26 at 4.
        assert_eq!(frame(0), [true; 3]);
        // At 6 there are 24 us, more than 20: it does not conform, and pours nothing.
        assert_eq!(frame(6), [false; 3]);
        // At 10 exactly 20 us are left. After the third cell, 20 + 30 - 4 = 46 at 14.
        assert_eq!(frame(10), [true; 3]);
        // 21 us at 39, 20 at 40.
        assert_eq!(frame(39), [false; 3]);
        let mut late = bucket.clone();
        assert!(late.arrive(at(100), true), "an empty bucket holds nothing against anybody");
        assert!(late.arrive(at(100), true) && late.arrive(at(100), true) && !late.arrive(at(100), true));
    }

    #[test]
    fn the_tolerance_for_delay_variation_comes_on_top() {
        let mut strict = FrameConformance::new(MINIMUM, PEAK, 1, Span::ZERO);
        let mut tolerant = FrameConformance::new(MINIMUM, PEAK, 1, Span::from_microseconds(3));
        assert!(strict.arrive(at(0), true) && tolerant.arrive(at(0), true));
        assert!(!strict.arrive(at(7), true) && tolerant.arrive(at(7), true));
    }

    /// A source that fills the line at the peak rate, five times the minimum: every fifth of its frames conforms.
    #[test]
    fn of_a_source_that_never_pauses_the_minimum_cell_rate_conforms() {
        let mut bucket = FrameConformance::new(MINIMUM, PEAK, 24, Span::ZERO);
        let conforming = (0..60_000_u64).filter(|cell| bucket.arrive(at(2 * cell), cell % 12 == 0)).count() as u64;
        // A bucket of BT / 2 = 92 us, emptied at 1 cell in 10 us, and the frame that fills it.
        assert!((12_000..=12_000 + 9 + 12).contains(&conforming), "{conforming} cells of 60000");
        assert_eq!(conforming % 12, 0, "whole frames");
    }

    /// GCRA(T, tau) by the virtual scheduling algorithm (I.371 section A.1), for frames of one cell: the other of the two
    /// equivalent definitions.
    fn by_virtual_scheduling(arrivals: &[Time], increment: u64, limit: u64) -> Vec<bool> {
        let mut theoretical = arrivals.first().map_or(0, |time| time.0);
        let conforms = |time: &Time| {
            if theoretical > time.0 + limit {
                return false;
            }
            theoretical = theoretical.max(time.0) + increment;
            true
        };
        arrivals.iter().map(conforms).collect()
    }

    proptest! {
        #[test]
        fn a_frame_of_one_cell_conforms_as_the_virtual_scheduling_algorithm_says(
            gaps in prop::collection::vec(0_u64..30, 1..200), burst in 1_u64..10, tolerance in 0_u64..20,
        ) {
            let mut now = 0;
            let arrivals: Vec<_> = gaps.iter().map(|gap| { now += gap; at(now) }).collect();
            let mut bucket = FrameConformance::new(MINIMUM, PEAK, burst, Span::from_microseconds(tolerance));
            let conform: Vec<_> = arrivals.iter().map(|time| bucket.arrive(*time, true)).collect();
            let limit = Span::from_microseconds((burst - 1) * 8 / 2 + tolerance);
            prop_assert_eq!(conform, by_virtual_scheduling(&arrivals, 10_000_000, limit.0));
        }

        /// In any interval, at most the minimum rate, the limit, and the frames that straddle its ends.
        #[test]
        fn conforming_cells_never_exceed_the_minimum_rate_by_more_than_the_limit_and_a_frame(
            frames in prop::collection::vec((0_u64..60, 1_u64..8), 1..100), burst in 1_u64..20,
        ) {
            let mut bucket = FrameConformance::new(MINIMUM, PEAK, burst, Span::ZERO);
            let (mut now, mut conforming) = (0, Vec::new());
            for (gap, cells) in frames {
                now += gap;
                for cell in 0..cells {
                    if bucket.arrive(at(now), cell == 0) {
                        conforming.push(now);
                    }
                    now += 2;
                }
            }
            let limit = (burst - 1) * 8 / 2;
            for (first, from) in conforming.iter().enumerate() {
                for (number, until) in conforming[first..].iter().enumerate() {
                    // Each cell but those of the last frame found less than the limit and its own frame's cells in the bucket.
                    prop_assert!(number as u64 * 10 <= (until - from) + limit + 8 * 10, "{number} from {from} to {until}");
                }
            }
        }
    }
}
